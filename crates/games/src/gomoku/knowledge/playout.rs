//! Short games between players that see fours, then an evaluation.

use super::evaluation::{MAKES, STOPS, weight};
use super::lines::{LINES, LINES_OF, ShapeTable};
use super::threats::ThreatBoard;
use super::{INNER, QUICK};
use crate::Ruleset;
use crate::gomoku::{BLACK, CELLS, Gomoku, WHITE};
use quintet_core::bits::bits_wide;
use quintet_core::game::Rng;

/// The number of stones placed before the evaluation. A few were better than none at equal time;
/// between three and eight, 60 games showed no difference.
const STONES: u32 = 8;

/// A position with the weights of its cells for both colors, updated with each stone.
#[derive(Debug, Clone)]
struct Playout {
    board: ThreatBoard,
    empty: u128,
    /// The exponents of the cells' weights, for each color to move.
    scores: [[u16; CELLS]; 2],
}

/// The result of a playout.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ending {
    /// A win of this color.
    Win(usize),
    /// The board is full.
    Draw,
    /// The playout was cut with this color to move, and with this balance for it.
    Open(usize, i32),
}

impl Playout {
    fn new<R: Ruleset>(position: &Gomoku<R>, table: &'static ShapeTable) -> Self {
        let board = ThreatBoard::new(position, table);
        let mut scores = [INNER; 2];
        for color in [BLACK, WHITE] {
            board.all_shapes(color, |cell, shape| {
                scores[color][cell] += MAKES[shape];
                scores[1 - color][cell] += STOPS[shape];
            });
        }
        Self { board, empty: position.empty(), scores }
    }

    fn place(&mut self, color: usize, cell: usize) {
        let lines =
            LINES_OF[cell].iter().fold(0, |lines, place| lines | 1 << (usize::from(place.line) % LINES));
        let Self { board, scores, .. } = self;
        for color in [BLACK, WHITE] {
            board.shapes(color, lines, |cell, shape| {
                scores[color][cell] -= MAKES[shape];
                scores[1 - color][cell] -= STOPS[shape];
            });
        }
        board.place(color, cell);
        for color in [BLACK, WHITE] {
            board.shapes(color, lines, |cell, shape| {
                scores[color][cell] += MAKES[shape];
                scores[1 - color][cell] += STOPS[shape];
            });
        }
        self.empty &= !(1 << cell);
    }

    /// Draws an empty cell with probability proportional to its weight for `color`.
    fn sample(&self, color: usize, rng: &mut Rng) -> usize {
        let scores = &self.scores[color];
        let weight = |cell: u8| weight(scores[usize::from(cell)]);
        let sum: u32 = bits_wide(self.empty).map(weight).sum();
        let mut left = rng.below(sum as usize) as u32;
        for cell in bits_wide(self.empty) {
            let weight = weight(cell);
            if left < weight {
                return usize::from(cell);
            }
            left -= weight;
        }
        self.empty.trailing_zeros() as usize
    }
}

/// Plays from `position`, which is not over and past its set-up. Lines are completed and stopped;
/// all other stones are placed by weight.
pub(super) fn play<R: Ruleset>(position: &Gomoku<R>, table: &'static ShapeTable, rng: &mut Rng) -> Ending {
    let mut playout = Playout::new(position, table);
    let mut color = position.color();
    for _ in 0..STONES {
        if playout.empty == 0 {
            return Ending::Draw;
        }
        if playout.board.completing(color) != 0 {
            return Ending::Win(color);
        }
        let must_stop = playout.board.completing(1 - color);
        let cell = match must_stop.count_ones() {
            0 => playout.sample(color, rng),
            1 => must_stop.trailing_zeros() as usize,
            _ => return Ending::Win(1 - color),
        };
        playout.place(color, cell);
        color = 1 - color;
    }
    let Playout { mut board, empty, .. } = playout;
    if empty == 0 {
        Ending::Draw
    } else if board.vcf(color, &mut { QUICK }).is_some() {
        Ending::Win(color)
    } else if board.completing(1 - color).count_ones() > 1 {
        Ending::Win(1 - color)
    } else {
        Ending::Open(color, board.balance(color))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ggp, Spec};
    use quintet_core::game::Game;

    fn updated_scores_are_right<R: Ruleset>() {
        let table = ShapeTable::get(Gomoku::<R>::WINNING);
        let mut rng = Rng::stream(43, 0);
        for _ in 0..20 {
            let mut position = Gomoku::<R>::without_setup();
            let mut playout = Playout::new(&position, table);
            while position.outcome().is_none() {
                let mv = position.random_move(&mut rng);
                playout.place(position.color(), usize::from(mv.0));
                position.apply(mv);
                let fresh = Playout::new(&position, table);
                assert_eq!(playout.empty, fresh.empty);
                assert_eq!(playout.scores, fresh.scores, "{position}");
                for color in [BLACK, WHITE] {
                    assert_eq!(playout.board.completing(color), fresh.board.completing(color));
                    assert_eq!(playout.board.fours(color), fresh.board.fours(color));
                    assert_eq!(playout.board.balance(color), fresh.board.balance(color));
                }
            }
        }
    }

    #[test]
    fn scores_are_updated_with_each_stone() {
        updated_scores_are_right::<Spec>();
        updated_scores_are_right::<Ggp>();
    }

    #[test]
    fn lines_are_completed_and_stopped_and_two_threats_win() {
        let table = ShapeTable::get(Gomoku::<Ggp>::WINNING);
        let mut rng = Rng::stream(44, 0);
        let mut ending = |text: &str| {
            let position: Gomoku<Ggp> = text.parse().expect("valid");
            play(&position, table, &mut rng)
        };
        assert_eq!(ending("11/11/11/11/11/1wbbbb5/11/11/11/4w1w1w2/11 b 1 -"), Ending::Win(BLACK));
        assert_eq!(ending("11/11/11/11/11/1w1bbbb4/11/11/11/4w1w1w2/b10 b 2 -"), Ending::Win(BLACK));
    }
}
