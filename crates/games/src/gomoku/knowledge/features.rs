//! What a model sees of Gomoku: the shapes that stones of either color would make on the empty cells.

use quintet_core::learned::{FeatureCounts, Features};

use super::GomokuKnowledge;
use super::lines::{SHAPES, ShapeTable};
use super::threats::ThreatBoard;
use crate::gomoku::{CELLS, Move, PLAY};
use crate::{Gomoku, Ruleset};

/// The combinations of a cell's shapes in its four lines, in any order.
const COMBINATIONS: usize = SHAPES * (SHAPES + 1) * (SHAPES + 2) * (SHAPES + 3) / 24;

/// The number of each combination of four shapes, which are the digits of the index.
static COMBINATION: [u16; SHAPES.pow(4)] = {
    const fn digits(shapes: usize) -> [usize; 4] {
        [shapes / SHAPES.pow(3), shapes / SHAPES.pow(2) % SHAPES, shapes / SHAPES % SHAPES, shapes % SHAPES]
    }
    let mut table = [0; SHAPES.pow(4)];
    let mut number = 0;
    const_for!(0..table.len(), |shapes| {
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

/// The most features that a position shows.
pub(super) const FEATURES_OF_ALL_CELLS: usize = 2 * CELLS;

/// Calls `see` with the features of each cell on which a stone would make a shape.
#[inline]
pub(super) fn of_cells(board: &ThreatBoard, color: usize, mut see: impl FnMut(usize, usize)) {
    for (color, first) in [(color, 0), (1 - color, COMBINATIONS)] {
        let mut shapes_of = [0_u16; CELLS];
        // The cells with shapes, each once, and room for one that is not counted.
        let (mut cells, mut count) = ([0_u8; CELLS + 1], 0);
        board.all_shapes(color, |cell, shape| {
            cells[count] = cell as u8;
            count += usize::from(shapes_of[cell] == 0);
            shapes_of[cell] = shapes_of[cell] * SHAPES as u16 + shape as u16;
        });
        for cell in cells[..count].iter().map(|&cell| usize::from(cell)) {
            let shapes = usize::from(shapes_of[cell]) % COMBINATION.len();
            see(cell, first + usize::from(COMBINATION[shapes]));
        }
    }
}

impl<R: Ruleset> Features<Gomoku<R>> for GomokuKnowledge<R> {
    // A position shows all cells, a move its own one. The set-up shows nothing.
    const COUNTS: FeatureCounts = FeatureCounts { positions: FEATURES, moves: FEATURES };

    fn of_position(position: &Gomoku<R>, mut see: impl FnMut(usize)) {
        if position.step == PLAY {
            let board = ThreatBoard::new(position, ShapeTable::get(Gomoku::<R>::WINNING));
            of_cells(&board, position.color(), |_, feature| see(feature));
        }
    }

    fn of_moves(position: &Gomoku<R>, moves: &[Move], mut see: impl FnMut(usize, usize)) {
        if position.step != PLAY {
            return;
        }
        let board = ThreatBoard::new(position, ShapeTable::get(Gomoku::<R>::WINNING));
        let mut index_of = [None; CELLS];
        for (index, mv) in moves.iter().enumerate() {
            index_of[usize::from(mv.0) % CELLS] = Some(index);
        }
        of_cells(&board, position.color(), |cell, feature| {
            if let Some(index) = index_of[cell] {
                see(index, feature);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use quintet_core::game::{Game, Rng};

    use super::*;
    use crate::gomoku::SIZE;
    use crate::gomoku::knowledge::lines::Shape;
    use crate::{Ggp, Spec};

    /// The features of a position, and those of each cell, each sorted.
    fn seen<R: Ruleset>(position: &Gomoku<R>) -> (Vec<usize>, Vec<Vec<usize>>) {
        let moves = position.move_list();
        let (mut of_position, mut of_moves) = (Vec::new(), vec![Vec::new(); moves.len()]);
        GomokuKnowledge::of_position(position, |feature| of_position.push(feature));
        GomokuKnowledge::of_moves(position, &moves, |index, feature| of_moves[index].push(feature));
        of_position.sort_unstable();
        for features in &mut of_moves {
            features.sort_unstable();
        }
        of_moves.sort();
        (of_position, of_moves)
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
                let (of_position, of_moves) = seen(&position);
                assert_eq!(of_moves, seen(&turned).1, "{position}");
                assert_eq!(of_position.len(), seen(&turned).0.len());
                let counts = <GomokuKnowledge<R> as Features<Gomoku<R>>>::COUNTS;
                assert!(of_position.iter().all(|it| *it < counts.positions));
                assert!(of_moves.iter().flatten().all(|it| *it < counts.moves));
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
        let mut features = Vec::new();
        GomokuKnowledge::of_moves(&position, &[Move::place(5, 5)], |_, feature| features.push(feature));
        assert!(features.contains(&combination(fork)), "{features:?}");
        let [a, b, c, d] = fork;
        assert_eq!(combination([c, d, a, b]), combination(fork));
        assert_ne!(combination([a, b, b, b]), combination(fork));
    }
}
