//! What a model sees of Breakthrough: small blocks of cells.

use super::{Breakthrough, BreakthroughKnowledge, Move};
use quintet_core::game::Game as _;
use quintet_core::learned::{FeatureCounts, Features};

/// The contents of a block of two columns and three rows.
const PATTERNS: usize = 729;
/// The places of a block on the board: the column and the row of its first cell.
const PLACES: [usize; 2] = [7, 6];

/// The number whose digits to the base of three are the lowest six bits of each mask.
const TERNARY: [u16; 64] = {
    let mut table = [0; 64];
    let mut mask = 1;
    while mask < 64 {
        table[mask] = 3 * table[mask >> 1] + (mask & 1) as u16;
        mask += 1;
    }
    table
};

/// The pawns of the color to move and of the other one, on a board that is turned so that the color to
/// move goes up.
struct View([u64; 2]);

impl View {
    fn new(position: &Breakthrough) -> Self {
        let color = position.role_to_move();
        let pawns = [position.pawns[color], position.pawns[1 - color]];
        Self(if color == 0 { pawns } else { pawns.map(u64::swap_bytes) })
    }

    /// The contents of the block at a place.
    #[inline]
    fn pattern(&self, x: usize, y: usize) -> usize {
        let [own, other] = self.0.map(|pawns| {
            let block = pawns >> (8 * y + x) & 0x03_03_03;
            TERNARY[((block | block >> 6 | block >> 12) & 63) as usize]
        });
        usize::from(own + 2 * other)
    }
}

/// The features of where a move begins and ends.
const STEPS: usize = 3 * 64;

impl Features<Breakthrough> for BreakthroughKnowledge {
    // A position shows each block. A move shows its step, and the blocks with the cell where it ends, by
    // the step's direction and the cell's place in the block.
    const COUNTS: FeatureCounts =
        FeatureCounts { positions: PLACES[0] * PLACES[1] * PATTERNS, moves: STEPS + 3 * 6 * PATTERNS };

    fn of_position(position: &Breakthrough, mut see: impl FnMut(usize)) {
        let view = View::new(position);
        for y in 0..PLACES[1] {
            for x in 0..PLACES[0] {
                see((PLACES[0] * y + x) * PATTERNS + view.pattern(x, y));
            }
        }
    }

    fn of_moves(position: &Breakthrough, moves: &[Move], mut see: impl FnMut(usize, usize)) {
        let view = View::new(position);
        let turned =
            |cell: u8| usize::from(if position.role_to_move() == 0 { cell } else { cell ^ 0b111_000 });
        for (index, mv) in moves.iter().enumerate() {
            let to = turned(mv.to);
            let direction = to + 1 - turned(mv.from) - 8;
            see(index, direction * 64 + to);
            let (x, y) = (to % 8, to / 8);
            for row in y.saturating_sub(2)..=y.min(PLACES[1] - 1) {
                for column in x.saturating_sub(1)..=x.min(PLACES[0] - 1) {
                    let place = 2 * (y - row) + (x - column);
                    let pattern = view.pattern(column, row);
                    see(index, STEPS + (6 * direction + place) * PATTERNS + pattern);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_core::game::{MoveList, Rng};

    fn seen(position: &Breakthrough) -> (Vec<usize>, Vec<Vec<usize>>) {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let (mut of_position, mut of_moves) = (Vec::new(), vec![Vec::new(); moves.len()]);
        BreakthroughKnowledge::of_position(position, |feature| of_position.push(feature));
        BreakthroughKnowledge::of_moves(position, &moves, |index, feature| of_moves[index].push(feature));
        of_moves.sort();
        (of_position, of_moves)
    }

    #[test]
    fn both_colors_see_the_same_from_their_side() {
        let mut rng = Rng::stream(1, 0);
        for _ in 0..50 {
            let mut position = Breakthrough::initial();
            while position.outcome().is_none() {
                let turned = Breakthrough {
                    pawns: [position.pawns[1], position.pawns[0]].map(u64::swap_bytes),
                    mover: 1 - position.mover,
                    outcome: None,
                };
                let (of_position, of_moves) = seen(&position);
                assert_eq!((&of_position, &of_moves), (&seen(&turned).0, &seen(&turned).1));
                let counts = BreakthroughKnowledge::COUNTS;
                assert!(of_position.iter().all(|it| *it < counts.positions));
                assert!(of_moves.iter().flatten().all(|it| *it < counts.moves));
                position.apply(position.random_move(&mut rng));
            }
        }
    }
}
