//! Values of positions and moves, from the shapes that stones on the empty cells would make.

use std::sync::LazyLock;

use super::INNER;
use super::features::{FEATURES_OF_ALL_CELLS, of_cells};
use super::lines::SHAPES;
use super::threats::ThreatBoard;
use crate::Ruleset;
use crate::gomoku::CELLS;
use quintet_core::learned::{Model, Network};
use quintet_cpu::{Cpu, Work};

/// The weights of the features under `spec` and under `ggp`, each made by the command in its third line.
static EVALUATIONS: [LazyLock<Evaluation>; 2] = [
    LazyLock::new(|| Evaluation::new(include_str!("spec.model"))),
    LazyLock::new(|| Evaluation::new(include_str!("ggp.model"))),
];

struct Evaluation {
    model: Model,
    /// How many features can be [summed in 16 bits](quintet_core::learned::Network::at_once).
    at_once: usize,
}

impl Evaluation {
    fn new(model: &str) -> Self {
        let model = Model::read(model).expect("a test has read it");
        Self { at_once: model.of_positions().at_once(), model }
    }

    fn of<R: Ruleset>() -> &'static Self {
        &EVALUATIONS[usize::from(R::IS_GGP)]
    }
}

/// The points of a board for `color`, which is to move: 0 if it is even, positive if it is good for that
/// color, on the scale of [`expectation`](quintet_core::learned::expectation).
pub(super) fn points<R: Ruleset>(board: &ThreatBoard, color: usize) -> i32 {
    // Collected first: summed up where they are found, the sums leave the registers, and searches take 1.15
    // times as long.
    let mut features = [0; FEATURES_OF_ALL_CELLS];
    let mut count = 0;
    of_cells(board, color, |feature| {
        features[count] = feature as u16;
        count += 1;
    });
    let Evaluation { model, at_once } = Evaluation::of::<R>();
    let network = model.of_positions();
    Cpu::best().run(Summing { network, features: &features[..count], at_once: *at_once })
}

struct Summing<'a> {
    network: &'a Network,
    features: &'a [u16],
    at_once: usize,
}

impl Work for Summing<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let mut sum = self.network.sum();
        sum.add_all(self.features, self.at_once);
        sum.points()
    }
}

/// The weights of a stone of `color`, which is to move, on each cell: by the shapes that it makes and stops.
pub(super) fn weights(board: &ThreatBoard, color: usize) -> [f32; CELLS] {
    let mut eighths = INNER;
    board.all_shapes(color, |cell, shape| eighths[cell] += MAKES[shape]);
    board.all_shapes(1 - color, |cell, shape| eighths[cell] += STOPS[shape]);
    eighths.map(weight)
}

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
