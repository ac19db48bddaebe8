//! An evaluation of boards, by the lines that both colors can still fill.
//!
//! All of this is heuristic.

use std::sync::LazyLock;

use super::lines::{LinesByStones, Parts, THROUGH_THREE, UNTURNED, Words};
use crate::Ruleset;
use crate::pentago::{ALL, Pentago, QUADRANT};
use quintet_core::learned::{ADJACENT, AdjacentFeatures, Model};
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
pub(super) type Counts = [i16; ADJACENT];

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
    counts: Vec<AdjacentFeatures>,
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

/// The lines of each color without a stone of the other color, by the number of stones, 1 to 5.
pub(super) struct Lines {
    rotated: [[Words; 5]; 2],
    reachable: [LinesByStones; 2],
}

impl Lines {
    /// Those of a board on which `color` acts, and which come first.
    #[inline]
    pub(super) fn new(cpu: Cpu, stones: [u64; 2], color: usize) -> Self {
        let stones = [stones[color & 1], stones[1 - (color & 1)]];
        cpu.run(Finding { parts: &Parts::new(stones) })
    }

    /// Whether no color has a line, and the one that acts won't have one after a rotation, a stone, or both.
    #[inline]
    pub(super) fn are_quiet(&self) -> bool {
        let [own, other] = &self.rotated;
        let [four, five] = [own[3], own[4]];
        let most = four[0] | four[1] | four[2] | four[3] | five[0] | five[1] | five[2] | five[3];
        most | other[4][UNTURNED] == 0
    }
}

/// Finds the lines of both colors.
struct Finding<'a> {
    parts: &'a Parts,
}

impl Work for Finding<'_> {
    type Output = Lines;

    #[inline(always)]
    fn run(self) -> Lines {
        Lines { rotated: self.parts.lines(), reachable: self.parts.reachable() }
    }
}

/// The cells in the middle of the quadrants, and in their corners.
const MIDDLES: u64 = 0x0010 * (ALL / QUADRANT);
const CORNERS: u64 = 0x0145 * (ALL / QUADRANT);

/// Counts lines and stones.
struct Counting<'a> {
    lines: &'a Lines,
    stones: [u64; 2],
}

impl Work for Counting<'_> {
    type Output = Counts;

    #[inline(always)]
    fn run(self) -> Counts {
        let mut all = [0; ADJACENT];
        for color in 0..2 {
            let counts = &mut all[COUNTED * color..][..COUNTED];
            for n in 0..5 {
                let mut put = |from: usize, through_two: u32, through_three: u32| {
                    counts[from + 2 * n] = through_two as i16;
                    counts[from + 2 * n + 1] = through_three as i16;
                };
                let [first, second, rotated_three, unturned] = self.lines.rotated[color][n];
                let unturned = unturned as u32;
                let reachable = self.lines.reachable[color][n];
                if n < 4 {
                    put(
                        AS_IT_IS,
                        (unturned & !THROUGH_THREE).count_ones(),
                        (unturned & THROUGH_THREE).count_ones(),
                    );
                }
                put(TURNED_ONCE, first.count_ones() + second.count_ones(), rotated_three.count_ones());
                put(
                    TURNED_SOMEHOW,
                    (reachable & !THROUGH_THREE).count_ones(),
                    (reachable & THROUGH_THREE).count_ones(),
                );
            }
            let stones = self.stones[color];
            counts[STONES] = (stones & MIDDLES).count_ones() as i16;
            counts[STONES + 1] = (stones & CORNERS).count_ones() as i16;
            counts[STONES + 2] = (stones & !MIDDLES & !CORNERS).count_ones() as i16;
        }
        all
    }
}

/// What a board has, for `color` and for the other.
#[cfg(test)]
pub(super) fn counts(cpu: Cpu, stones: [u64; 2], color: usize) -> Counts {
    count(cpu, &Lines::new(cpu, stones, color), stones, color)
}

// In steps, and not inlined: in longer functions compilers don't find the vectors of each loop.
#[inline(never)]
fn count(cpu: Cpu, lines: &Lines, stones: [u64; 2], color: usize) -> Counts {
    cpu.run(Counting { lines, stones: [stones[color & 1], stones[1 - (color & 1)]] })
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
    /// What is seen of a board, and its lines, on which a color acts at `ply`.
    #[inline]
    pub(super) fn new<R: Ruleset>(cpu: Cpu, lines: &Lines, stones: [u64; 2], ply: u8) -> Self {
        let (color, _) = Pentago::<R>::phase(ply);
        let first = FEATURES_OF_PHASE * (usize::from(ply) % phases::<R>());
        let placed = (stones[0] | stones[1]).count_ones() as usize;
        let counts = count(cpu, lines, stones, color);
        Self { first, counts, stones: first + 2 * COUNTED + placed.min(MOST) }
    }
}

/// The points of a board for the color that acts at `ply`: 0 if it is even, positive if it is good for that
/// color, on the scale of [`expectation`](quintet_core::learned::expectation). No color has a line, and no
/// turn wins at once.
#[inline]
pub(super) fn points<R: Ruleset>(stones: [u64; 2], ply: u8) -> i32 {
    let cpu = Cpu::best();
    points_of::<R>(cpu, &Lines::new(cpu, stones, Pentago::<R>::phase(ply).0), stones, ply)
}

/// The [`points`] of a board with these lines, computed at a processor level.
// As above.
#[inline(never)]
pub(super) fn points_of<R: Ruleset>(cpu: Cpu, lines: &Lines, stones: [u64; 2], ply: u8) -> i32 {
    let evaluation = &EVALUATIONS[usize::from(R::IS_GGP)];
    let seen = Seen::new::<R>(cpu, lines, stones, ply);
    let counts = [seen.counts; 2];
    cpu.run(Evaluating { evaluation, seen: &seen, counts: counts.as_flattened() })
}

struct Evaluating<'a> {
    evaluation: &'a Evaluation,
    seen: &'a Seen,
    /// Those of `seen`, and once more.
    counts: &'a [i16],
}

impl Work for Evaluating<'_> {
    type Output = i32;

    #[inline(always)]
    fn run(self) -> i32 {
        let Self { evaluation, seen, counts } = self;
        let mut sum = evaluation.model.of_positions().sum();
        sum.add(seen.stones);
        sum.add_adjacent(&evaluation.counts[seen.first / FEATURES_OF_PHASE], counts);
        sum.points()
    }
}
