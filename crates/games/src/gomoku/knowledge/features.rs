//! What a model sees of Gomoku: the shapes that stones of either color would make on the empty cells.

use quintet_core::knowledge::Knowledge as _;
use quintet_core::learned::{FeatureCounts, Features};

use super::GomokuKnowledge;
use super::cells::{CellShapes, NUMBERS};
use super::lines::{SHAPES, ShapeTable};
use super::threats::ThreatBoard;
use crate::gomoku::PLAY;
use crate::{Gomoku, Ruleset};

/// The combinations of a cell's shapes in its four lines, in any order.
pub(super) const COMBINATIONS: usize = SHAPES * (SHAPES + 1) * (SHAPES + 2) * (SHAPES + 3) / 24;

/// The number of each combination of four shapes, which are the digits of the index.
static COMBINATION: [u16; NUMBERS.next_power_of_two()] = {
    const fn digits(shapes: usize) -> [usize; 4] {
        [shapes / SHAPES.pow(3), shapes / SHAPES.pow(2) % SHAPES, shapes / SHAPES % SHAPES, shapes % SHAPES]
    }
    // A power of two, so that a mask keeps an index in bounds.
    let mut table = [0; NUMBERS.next_power_of_two()];
    let mut number = 0;
    const_for!(0..NUMBERS, |shapes| {
        // Sorted, so that the first of each combination has a lower index than all others.
        let mut sorted = digits(shapes);
        const_for!(0..6, |n| {
            let (low, high) = ([0, 1, 2, 0, 1, 0][n], [1, 2, 3, 1, 2, 1][n]);
            if sorted[low] > sorted[high] {
                (sorted[low], sorted[high]) = (sorted[high], sorted[low]);
            }
        });
        let [a, b, c, d] = sorted;
        let first = ((a * SHAPES + b) * SHAPES + c) * SHAPES + d;
        if first == shapes {
            table[shapes] = number;
            number += 1;
        } else {
            table[shapes] = table[first];
        }
    });
    assert!(number as usize == COMBINATIONS);
    table
};

/// The features of a cell: what it is to the color to move, and then what it is to the other color.
const FEATURES: usize = 2 * COMBINATIONS;

/// The number of the combination of a cell's shapes. That of none is 0.
#[inline(always)]
pub(super) fn combination(shapes: u16) -> usize {
    COMBINATION[usize::from(shapes) % COMBINATION.len()].into()
}

impl<R: Ruleset> Features<Gomoku<R>> for GomokuKnowledge<R> {
    // The set-up shows nothing. Moves have no features: weights that are fitted to visits make searches worse than
    // those by shapes (results/log/2026-11-24-network.md).
    const COUNTS: FeatureCounts = FeatureCounts { positions: FEATURES, moves: 0 };

    fn of_position(position: &Gomoku<R>, mut see: impl FnMut(usize)) {
        if position.step == PLAY {
            let board = ThreatBoard::new(position, ShapeTable::get(Gomoku::<R>::WINNING));
            let (shapes, color) = (CellShapes::of(&board), position.color());
            for (color, first) in [(color, 0), (1 - color, COMBINATIONS)] {
                let with_shapes = shapes.rows(color).flatten().filter(|&&it| it != 0);
                with_shapes.for_each(|&it| see(first + combination(it)));
            }
        }
    }

    /// Those of the strongest model by an outside fit (results/log/2026-11-27-evaluation.md).
    fn shares_in_fit(&self, position: &Gomoku<R>) -> [f32; 2] {
        /// Two thirds of the positions of games have more stones, mostly on the way to a draw.
        const EARLY: u32 = 24;
        let stones: u32 = position.stones.map(u128::count_ones).iter().sum();
        let in_game = if stones > EARLY { 1.0 / 3.0 } else { 1.0 };
        // A search does not ask for values that are proven, yet models that never saw such positions are weaker.
        let single = if self.prove(position).is_some() { 0.3 } else { 1.0 };
        [in_game, single]
    }
}

#[cfg(test)]
mod tests {
    use quintet_core::game::{Game, Rng};

    use super::*;
    use crate::gomoku::knowledge::lines::Shape;
    use crate::gomoku::{CELLS, Move, SIZE};
    use crate::{Ggp, Spec};

    /// The features of a position, sorted.
    fn seen<R: Ruleset>(position: &Gomoku<R>) -> Vec<usize> {
        let mut features = Vec::new();
        GomokuKnowledge::of_position(position, |feature| features.push(feature));
        features.sort_unstable();
        features
    }

    fn a_turned_board_looks_alike<R: Ruleset>() {
        let mut rng = Rng::stream(1, 0);
        for _ in 0..10 {
            let mut position = Gomoku::<R>::without_setup();
            while position.outcome().is_none() {
                let mut turned = position;
                turned.stones = [0; 2];
                for cell in 0..CELLS {
                    let (x, y) = (cell % SIZE, cell / SIZE);
                    for (to, from) in turned.stones.iter_mut().zip(position.stones) {
                        *to |= (from >> cell & 1) << ((SIZE - 1 - x) * SIZE + y);
                    }
                }
                let features = seen(&position);
                assert_eq!(features, seen(&turned), "{position}");
                assert!(features.iter().all(|it| *it < FEATURES));
                position.apply(position.random_move(&mut rng));
            }
        }
    }

    #[test]
    fn a_quarter_turn_changes_nothing() {
        a_turned_board_looks_alike::<Spec>();
        a_turned_board_looks_alike::<Ggp>();
    }

    #[test]
    fn a_cell_shows_its_shapes_in_any_order() {
        let combination = |shapes: [usize; 4]| {
            let index = shapes.into_iter().fold(0, |index, shape| SHAPES * index + shape);
            usize::from(COMBINATION[index])
        };
        let fork = [Shape::OpenThree as usize, 0, Shape::Four as usize, 0];
        let mut position = Gomoku::<Ggp>::without_setup();
        for (x, y) in [(3, 5), (0, 0), (4, 5), (0, 10), (5, 3), (10, 0), (5, 4), (10, 10), (5, 2), (5, 1)] {
            position.apply(Move::place(x, y));
        }
        // f6 makes an open three in its row and a four in its file, which is stopped at f2.
        let features = seen(&position);
        assert!(features.contains(&combination(fork)), "{features:?}");
        let [a, b, c, d] = fork;
        assert_eq!(combination([c, d, a, b]), combination(fork));
        assert_ne!(combination([a, b, b, b]), combination(fork));
    }

    #[test]
    fn late_positions_of_games_and_decided_single_ones_count_less() {
        let shares = |position: &str| {
            let position: Gomoku<Ggp> = position.parse().expect("valid");
            GomokuKnowledge::default().shares_in_fit(&position).map(f32::to_bits)
        };
        let early = "11/11/11/11/3bb6/6w4/3w7/11/11/11/11 b 1 -";
        let decided = "11/11/11/11/3bbbb4/6w4/3ww1w4/11/11/11/11 b 1 -";
        let late = "bwbwbwbwbwb/11/wbwbwbwbwbw/11/11/11/11/11/11/11/3bwb5 w 1 -";
        for (position, expected) in [(early, [1.0, 1.0]), (decided, [1.0, 0.3]), (late, [1.0 / 3.0, 1.0])] {
            assert_eq!(shares(position), expected.map(f32::to_bits), "{position}");
        }
    }
}
