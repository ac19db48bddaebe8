//! An evaluation of boards, by the lines that both colors can still fill.
//!
//! All of this is heuristic.

use std::marker::PhantomData;
use std::sync::LazyLock;

use super::board::PentagoBoard;
use super::priors::{self, COUNTS, LinesByStones, THROUGH, THROUGH_THREE};
use crate::Ruleset;
use crate::pentago::Pentago;
use crate::pentago::rollout::WIDTH;
use quintet_core::learned::{AdjacentFeatures, Model};
use quintet_cpu::{Cpu, Work};

/// The number of things that are counted for a color.
const COUNTED: usize = 31;

/// What is counted for each color: lines without a stone of the other color by their number of
/// stones, those through two quadrants and then those through three; and stones.
///
/// | from | what |
/// |---|---|
/// | 0 | lines with 1 to 4 stones on the board as it is |
/// | 8 | lines with 1 to 5 stones after a rotation of a quadrant that they go through, over all rotations |
/// | 18 | lines on which 1 to 5 stones are the most that turns of the quadrants can bring together |
/// | 28 | stones in the middle of a quadrant, in its corners, and elsewhere |
///
/// What the color that acts has comes first, then what the other has, then zeros.
pub(super) type Counts = [i16; WIDTH_OF_COUNTS];

/// What fills whole vectors.
const WIDTH_OF_COUNTS: usize = (2 * COUNTED).next_power_of_two();

/// Where the [counts](Counts) of each kind begin.
const AS_IT_IS: usize = 0;
const TURNED_ONCE: usize = 8;
const TURNED_SOMEHOW: usize = 18;
const STONES: usize = 28;

/// The weights of the features under `spec` and under `ggp`, each made by the command in its third line.
static EVALUATIONS: [LazyLock<Evaluation>; 2] = [
    LazyLock::new(|| Evaluation::new(include_str!("spec.model"))),
    LazyLock::new(|| Evaluation::new(include_str!("ggp.model"))),
];

#[derive(Debug)]
struct Evaluation {
    model: Model,
    /// By the phase of a round, the weights of the counts.
    counts: Vec<AdjacentFeatures<WIDTH_OF_COUNTS>>,
}

impl Evaluation {
    fn new(model: &str) -> Self {
        let model = Model::read(model).expect("a test has read it");
        let network = model.of_positions();
        let phases = (0..network.linear.len()).step_by(FEATURES_OF_PHASE);
        Self { counts: phases.map(|first| network.adjacent(first)).collect(), model }
    }
}

/// The points that double the weight of a rotation.
pub(super) const ROTATION_SCALE: i32 = 25;

/// Adds the numbers of lines, those through two quadrants and those through three, to the counts
/// from `at` on; `lines` are the lines with one stone, with two, and so on.
#[inline(always)]
fn add<const N: usize>(counts: &mut [i16; COUNTED], at: usize, lines: [u32; N]) {
    for (n, lines) in lines.into_iter().enumerate() {
        counts[at + 2 * n] += (lines & !THROUGH_THREE).count_ones() as i16;
        counts[at + 2 * n + 1] += (lines & THROUGH_THREE).count_ones() as i16;
    }
}

/// The lines that `color` can still fill if quadrants are turned, by the most stones that it can have on
/// them, 1 to 5. Each quadrant is turned so that its part of the line has no stone of the other color and
/// the most of this color.
#[inline(always)]
fn reachable(board: &PentagoBoard, color: usize) -> LinesByStones {
    let mut is_open = u32::MAX;
    let mut sums = [0; 3];
    for (quadrant, stones_on_lines) in COUNTS.iter().enumerate() {
        let of = |color: usize| (board.stones[color & 1] >> (WIDTH * quadrant)) as usize % 512;
        let (own, other) = (of(color), of(1 - color));
        let (mut is_open_here, mut low, mut high) = (0, 0, 0);
        for turns in 0..4 {
            let [low_of_other, high_of_other] = stones_on_lines[turns << 9 | other];
            let is_open_now = !(low_of_other | high_of_other);
            let [more, much] = stones_on_lines[turns << 9 | own];
            let (more, much) = (more & is_open_now, much & is_open_now);
            is_open_here |= is_open_now;
            let is_more = much & !high | !(much ^ high) & more & !low;
            low = low & !is_more | more & is_more;
            high |= much;
        }
        is_open &= is_open_here;
        sums = priors::add(sums, [low, high]);
    }
    priors::sorted(sums, is_open)
}

/// The labels in the middle of the quadrants, and in their corners.
const MIDDLES: u64 = 0x0010_0010_0010_0010;
const CORNERS: u64 = 0x0145_0145_0145_0145;

/// What a board has, for `color` and for the other.
#[inline(always)]
pub(super) fn counts(board: &PentagoBoard, color: usize) -> Counts {
    let mut all = [0; WIDTH_OF_COUNTS];
    let (counts, _) = all.as_chunks_mut::<COUNTED>();
    let colors = [color & 1, 1 - (color & 1)];
    let lines = priors::open_lines(board);
    for (counts, color) in counts.iter_mut().zip(colors) {
        let [one, two, three, four, _] = lines[color];
        add(counts, AS_IT_IS, [one, two, three, four]);
        add(counts, TURNED_SOMEHOW, reachable(board, color));
        let stones = board.stones[color];
        counts[STONES] = (stones & MIDDLES).count_ones() as i16;
        counts[STONES + 1] = (stones & CORNERS).count_ones() as i16;
        counts[STONES + 2] = (stones & !MIDDLES & !CORNERS).count_ones() as i16;
    }
    for rotation in 0..PentagoBoard::ROTATIONS {
        let lines = priors::open_lines(&board.rotated(rotation));
        let through = THROUGH[rotation / 2];
        for (counts, color) in counts.iter_mut().zip(colors) {
            add(counts, TURNED_ONCE, lines[color].map(|it| it & through));
        }
    }
    all
}

/// Boards with as many stones or more have the same feature for their number.
const MOST: usize = 24;

/// The features of the boards in the same phase of a round: the counts of the color that acts and of the
/// other, then the number of stones.
pub(super) const FEATURES_OF_PHASE: usize = 2 * COUNTED + MOST + 1;

/// The phases of a round: under `ggp` a placement and a rotation, whichever color acts; under `spec` two
/// placements and two rotations, one of each color.
pub(super) const fn phases<R: Ruleset>() -> usize {
    if R::IS_GGP { 2 } else { 4 }
}

/// The features of a board: those of the counts, from the first one on, each as often as it says; and that
/// of the number of stones.
pub(super) struct Seen {
    pub(super) first: usize,
    pub(super) counts: Counts,
    pub(super) stones: usize,
}

impl Seen {
    /// What is seen of a board on which a color acts at `ply`.
    #[inline(always)]
    pub(super) fn new<R: Ruleset>(board: &PentagoBoard, ply: u8) -> Self {
        let (color, _) = Pentago::<R>::phase(ply);
        let first = FEATURES_OF_PHASE * (usize::from(ply) % phases::<R>());
        let stones = (board.stones[0] | board.stones[1]).count_ones() as usize;
        Self { first, counts: counts(board, color), stones: first + 2 * COUNTED + stones.min(MOST) }
    }
}

/// The points of a board for the color that acts at `ply`: 0 if it is even, positive if it is good for that
/// color, on the scale of [`expectation`](quintet_core::learned::expectation). No color has a line, and no
/// turn wins at once.
#[inline]
pub(super) fn points<R: Ruleset>(board: &PentagoBoard, ply: u8) -> i32 {
    Cpu::best().run(Evaluating::<R> {
        evaluation: &EVALUATIONS[usize::from(R::IS_GGP)],
        board,
        ply,
        rules: PhantomData,
    })
}

struct Evaluating<'a, R> {
    evaluation: &'a Evaluation,
    board: &'a PentagoBoard,
    ply: u8,
    rules: PhantomData<R>,
}

impl<R: Ruleset> Work for Evaluating<'_, R> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let seen = Seen::new::<R>(self.board, self.ply);
        let mut sum = self.evaluation.model.of_positions().sum();
        sum.add(seen.stones);
        sum.add_adjacent(&self.evaluation.counts[seen.first / FEATURES_OF_PHASE], &seen.counts);
        sum.points()
    }
}
