//! Values of positions and moves, from the shapes that stones on the empty cells would make.

use std::iter;
use std::sync::LazyLock;

use super::INNER;
use super::cells::{CellShapes, NUMBERS};
use super::features::{COMBINATIONS, combination};
use super::lines::SHAPES;
use super::threats::ThreatBoard;
use crate::Ruleset;
use crate::gomoku::{CELLS, Move, SIZE};
use quintet_core::learned::{Accumulator, HIDDEN, Model, Network};
use quintet_cpu::{Cpu, Work};

/// The weights of the features under `spec` and under `ggp`, each made by the command in its third line.
static EVALUATIONS: [LazyLock<Evaluation>; 2] = [
    LazyLock::new(|| Evaluation::new(include_str!("spec.model"))),
    LazyLock::new(|| Evaluation::new(include_str!("ggp.model"))),
];

/// The weights of a model, laid out for boards.
struct Evaluation {
    model: Model,
    /// The weights of the features of cells: for the color to move, and for the other. Cells without shapes weigh
    /// nothing.
    cells: [CellWeights; 2],
}

/// By combination of shapes, with room so that a mask keeps an index in bounds.
struct CellWeights {
    linear: [i16; Self::ROOM],
    hidden: Box<[[i16; HIDDEN]; Self::ROOM]>,
}

impl CellWeights {
    const ROOM: usize = COMBINATIONS.next_power_of_two();

    fn new(network: &Network, first: usize) -> Self {
        let mut linear = [0; _];
        linear[1..COMBINATIONS].copy_from_slice(&network.linear[first..][1..COMBINATIONS]);
        let mut hidden = network.hidden[first..][..COMBINATIONS].to_vec();
        hidden[0] = [0; _];
        hidden.resize(Self::ROOM, [0; _]);
        let hidden = hidden.into_boxed_slice().try_into();
        Self { linear, hidden: hidden.unwrap_or_else(|_| unreachable!("it has been resized")) }
    }

    /// Those of a cell, by the number of its shapes.
    #[inline(always)]
    fn of(&self, number: u16) -> (i32, &[i16; HIDDEN]) {
        let combination = combination(number) % Self::ROOM;
        (self.linear[combination].into(), &self.hidden[combination])
    }
}

impl Evaluation {
    fn new(model: &str) -> Self {
        let model = Model::read(model).expect("a test has read it");
        let network = model.of_positions();
        assert!(network.at_once() >= SIZE, "a row of cells is summed in 16 bits");
        let cells = [0, COMBINATIONS].map(|first| CellWeights::new(network, first));
        Self { model, cells }
    }

    fn of<R: Ruleset>() -> &'static Self {
        &EVALUATIONS[usize::from(R::IS_GGP)]
    }

    /// The sum of a board for `color`, which is to move.
    #[inline(always)]
    fn sum(&self, shapes: &CellShapes, color: usize) -> Accumulator<'_> {
        let mut sum = self.model.of_positions().sum();
        for (color, weights) in [color, 1 - color].into_iter().zip(&self.cells) {
            for row in shapes.rows(color) {
                // Most cells have shapes: to leave the others out takes longer.
                let (mut linear, mut hidden) = (0, [0_i16; HIDDEN]);
                for &number in row {
                    let (of_cell, weights) = weights.of(number);
                    linear += of_cell;
                    for (unit, weight) in weights.iter().enumerate() {
                        hidden[unit] = hidden[unit].wrapping_add(*weight);
                    }
                }
                sum.add_sums(linear, &hidden);
            }
        }
        sum
    }
}

/// The points of a board for `color`, which is to move: 0 if it is even, positive if it is good for that
/// color, on the scale of [`expectation`](quintet_core::learned::expectation).
pub(super) fn points<R: Ruleset>(board: &ThreatBoard, color: usize) -> i32 {
    Cpu::best().run(Summing { board, color, evaluation: Evaluation::of::<R>() })
}

struct Summing<'a> {
    board: &'a ThreatBoard,
    color: usize,
    evaluation: &'a Evaluation,
}

impl Work for Summing<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let Self { board, color, evaluation } = self;
        evaluation.sum(&CellShapes::of(board), color).points()
    }
}

/// The points of a board after each of some stones of `color`, for the other color, which is to move then.
///
/// A stone changes only shapes in its four lines, so the sum of the board is changed by these alone.
pub(super) fn points_after<R: Ruleset>(
    board: &ThreatBoard,
    color: usize,
    stones: &[Move],
    see: impl FnMut(i32),
) {
    Cpu::best().run(SummingAfter { board, color, evaluation: Evaluation::of::<R>(), stones, see });
}

struct SummingAfter<'a, F> {
    board: &'a ThreatBoard,
    color: usize,
    evaluation: &'a Evaluation,
    stones: &'a [Move],
    see: F,
}

impl<F: FnMut(i32)> Work for SummingAfter<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { board, color, evaluation, stones, mut see } = self;
        let shapes = CellShapes::of(board);
        let before = evaluation.sum(&shapes, 1 - color);
        for &Move(cell) in stones {
            let changes = board.changes(color, cell.into());
            // Apart from the sum: together they make no vectors.
            let (mut linear, mut hidden) = (0, [0_i32; HIDDEN]);
            for (of, weights) in [1 - color, color].into_iter().zip(&evaluation.cells) {
                // What a stone would make there is gone.
                let gone = shapes.number(of, cell.into());
                let others = changes[of].iter().map(|&(other, by)| (shapes.number(of, other.into()), by));
                for (number, by) in iter::once((gone, -(gone as i16))).chain(others) {
                    let (linear_before, before) = weights.of(number);
                    let (linear_after, after) = weights.of(number.wrapping_add_signed(by));
                    linear += linear_after - linear_before;
                    for unit in 0..HIDDEN {
                        hidden[unit] += i32::from(after[unit].wrapping_sub(before[unit]));
                    }
                }
            }
            let mut sum = before.clone();
            sum.add_changes(linear, &hidden);
            see(sum.points());
        }
    }
}

/// The weights of a stone of `color`, which is to move, on each cell: by the shapes that it makes and stops.
pub(super) fn weights(board: &ThreatBoard, color: usize) -> [f32; CELLS] {
    let mut eighths = INNER;
    let shapes = CellShapes::of(board);
    for (color, table) in [color, 1 - color].into_iter().zip(&ADDED) {
        for (eighths, number) in eighths.iter_mut().zip(shapes.rows(color).flatten()) {
            *eighths += table[usize::from(*number) % table.len()];
        }
    }
    eighths.map(weight)
}

/// What the shapes of a cell, by their number, add to a move's weight: those that the color to move makes, and those
/// that it stops.
static ADDED: [[u16; NUMBERS.next_power_of_two()]; 2] = {
    let mut added = [[0; _]; 2];
    const_for!(0..NUMBERS, |shapes| {
        added[0][shapes] = added[0][shapes / SHAPES] + MAKES[shapes % SHAPES];
        added[1][shapes] = added[1][shapes / SHAPES] + STOPS[shapes % SHAPES];
    });
    added
};

/// What the shapes of a cell add to the base-2 logarithm, in eighths, of a move's weight: shapes
/// that the color to move makes, and in [`STOPS`] shapes that it stops.
const MAKES: [u16; SHAPES] = [0, 4, 8, 10, 16, 22, 40, 32, 80, 120];
/// See [`MAKES`].
const STOPS: [u16; SHAPES] = [0, 2, 4, 5, 8, 13, 28, 24, 56, 80];

/// The weight of a cell: 2^(`eighths` / 8), in sixteenths, with `eighths` capped.
#[inline]
pub(super) fn weight(eighths: u16) -> f32 {
    const MOST: u16 = 127;
    /// 2^(n / 8) · 2^16.
    const ROOTS: [u64; 8] = [65_536, 71_468, 77_936, 84_990, 92_682, 101_070, 110_218, 120_194];
    let eighths = eighths.min(MOST);
    (ROOTS[usize::from(eighths % 8)] << (eighths / 8) >> 12) as u32 as f32
}

#[cfg(test)]
mod tests {
    use quintet_core::game::{Game, Rng};
    use quintet_core::knowledge::{Knowledge, Value};
    use quintet_core::learned::{Features, expectation};

    use super::*;
    use crate::gomoku::knowledge::{GomokuKnowledge, ShapeTable};
    use crate::{Ggp, Gomoku, Spec};

    fn a_value_is_that_of_the_model<R: Ruleset>() {
        let knowledge = GomokuKnowledge::<R>::default();
        let mut rng = Rng::stream(45, 0);
        let mut position = Gomoku::<R>::without_setup();
        while position.outcome().is_none() {
            let mut sum = Evaluation::of::<R>().model.of_positions().sum();
            GomokuKnowledge::of_position(&position, |feature| sum.add(feature));
            let expected = Value::expected(position.side_to_move(), expectation(sum.points()));
            assert_eq!(knowledge.evaluate(&position, &mut rng), expected, "{position}");
            position.apply(position.random_move(&mut rng));
        }
    }

    #[test]
    fn values_are_those_of_the_models() {
        a_value_is_that_of_the_model::<Spec>();
        a_value_is_that_of_the_model::<Ggp>();
    }

    #[test]
    fn a_three_is_worth_more_than_a_two() {
        let points = |position: &str| {
            let position: Gomoku<Ggp> = position.parse().expect("valid");
            let board = ThreatBoard::new(&position, ShapeTable::get(Gomoku::<Ggp>::WINNING));
            points::<Ggp>(&board, position.color())
        };
        let two = points("11/11/11/11/3bb6/6w4/3w7/11/11/11/11 b 1 -");
        let three = points("11/11/11/11/3bbb5/6w4/3w3w3/11/11/11/11 b 1 -");
        assert!(0 < two && two + 100 < three, "{two} {three}");
    }
}
