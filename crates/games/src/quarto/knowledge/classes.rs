//! The classes of early positions under `ggp`, and their exact values.
//!
//! A class holds all positions that are symmetric to each other. Here a position has up to
//! [`MAX_PLACED`] pieces on the board, no line, and a piece in hand; every position without a piece
//! in hand is decided by the best piece to hand over.

use std::collections::HashMap;

use super::board::QuartoThreats;
pub use super::early_values::MAX_PLACED;
use super::early_values::{EARLY_VALUES, mixed};
use super::solver::Solver;
use super::symmetry::Symmetries;
use super::turn::{LOSS, QuartoTurn, WIN};
use crate::Ggp;
use crate::quarto::QuartoBoard;
use quintet_core::bits::bits;
use quintet_core::knowledge::Effort;

/// One position of a class.
#[derive(Debug, Clone, Copy)]
pub struct Class {
    board: QuartoBoard,
    hand: u8,
    /// A number that the positions of the class have in common, and no others.
    pub key: u64,
}

impl Class {
    fn new(board: QuartoBoard, hand: u8) -> Self {
        Self { board, hand, key: mixed(Symmetries::get().key_with_hand(&board, hand)) }
    }

    /// The half points of the side that is to place the piece in hand, under perfect play: as the
    /// table has them.
    #[must_use]
    pub fn known_half_points(&self) -> u8 {
        EARLY_VALUES.get(self.key)
    }
}

/// The classes with `placed` pieces on the board, by key.
#[must_use]
pub fn classes(placed: u32) -> Vec<Class> {
    let empty = QuartoBoard::START;
    let mut all = vec![Class::new(empty.without(0), 0)];
    for _ in 0..placed {
        let mut next = HashMap::new();
        for class in all {
            let threats = QuartoThreats::of(&class.board).cells(class.hand);
            for cell in bits(class.board.empty() & !threats) {
                let board = class.board.with(class.hand, cell);
                for hand in bits(board.pool) {
                    let class = Class::new(board.without(hand), hand);
                    next.entry(class.key).or_insert(class);
                }
            }
        }
        all = next.into_values().collect();
    }
    all.sort_unstable_by_key(|class| class.key);
    all
}

/// Finds the values of classes by full search. The classes that it has seen make it faster.
#[derive(Debug)]
pub struct ClassSolver(Solver<'static, Ggp>);

impl ClassSolver {
    /// A solver with a table of 2 to the power of `bits` entries of 16 bytes.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self(Solver::new(bits, Effort::UNLIMITED).without_lookup())
    }

    /// The half points of the side that is to place the piece in hand, under perfect play.
    pub fn half_points(&mut self, class: &Class) -> u8 {
        if QuartoThreats::of(&class.board).cells(class.hand) != 0 {
            return WIN;
        }
        let turn = QuartoTurn::new::<Ggp>(class.board, class.hand);
        self.0.value(&turn, LOSS, WIN).unwrap_or_else(|| unreachable!("the effort has no limit"))
    }

    /// The number of positions searched so far.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.0.positions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_core::game::Rng;

    #[test]
    fn there_are_as_many_classes_as_others_have_counted() {
        let counts: Vec<usize> = (0..=MAX_PLACED).map(|placed| classes(placed).len()).collect();
        assert_eq!(counts, [1, 8, 148, 3_382, 91_558]);
    }

    /// So the values of the classes with the most pieces decide all.
    #[test]
    fn values_follow_from_those_with_a_piece_more() {
        let mut seen = [0; 3];
        for class in (0..MAX_PLACED).flat_map(classes) {
            let Class { board, hand, .. } = class;
            let wins = QuartoThreats::of(&board).cells(hand) != 0;
            let boards = bits(board.empty()).map(|cell| board.with(hand, cell));
            let replies = boards
                .flat_map(|board| bits(board.pool).map(move |hand| Class::new(board.without(hand), hand)));
            let worst = replies.map(|reply| reply.known_half_points()).min();
            let value = if wins { WIN } else { worst.map_or(LOSS, |worst| WIN - worst) };
            assert_eq!(class.known_half_points(), value, "{class:?}");
            seen[usize::from(value)] += 1;
        }
        assert!(seen[1] > 1_000 && seen[2] > 0, "{seen:?}");
    }

    #[test]
    fn values_of_the_table_are_found_again() {
        let mut rng = Rng::stream(51, 0);
        let mut solver = ClassSolver::new(20);
        let all = classes(MAX_PLACED);
        let mut seen = [0; 3];
        for _ in 0..40 {
            let class = &all[rng.below(all.len())];
            let value = class.known_half_points();
            assert_eq!(solver.half_points(class), value, "{class:?}");
            seen[usize::from(value)] += 1;
        }
        assert!(seen[1] > 0 && seen[2] > 0, "{seen:?}");
    }
}
