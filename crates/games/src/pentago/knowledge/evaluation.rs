//! An evaluation of boards, by the lines that both colors can still fill.
//!
//! All of this is heuristic.

use std::sync::LazyLock;

use super::board::PentagoBoard;
use super::priors::{COUNTS, LinesByStones, THROUGH, THROUGH_THREE, add, sorted};
use crate::Ruleset;
use crate::pentago::{ALL, Pentago, QUADRANT, quadrant_of};
use quintet_core::bits::bits;
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

/// A bit for each line that is counted:
///
/// | words | lines |
/// |---|---|
/// | 0 and 1 | those through two quadrants after each rotation of one of the two |
/// | 2 | those through three quadrants after each rotation of one of the three |
/// | 3 | all lines of the board as it is |
type Words = [u64; WORDS];

const WORDS: usize = 4;
const ROTATED_THREE: usize = 2;
const UNTURNED: usize = 3;

/// What the stones of one color in a quadrant have on the lines.
#[derive(Clone, Copy)]
#[repr(align(128))]
struct Part {
    /// The low and the high bits of the number of stones on each line, as in [`COUNTS`].
    stones: [Words; 2],
    /// After so many quarter turns, the lines with one stone or more, with two or more, with three, and with
    /// none.
    turned: [[u32; 4]; 4],
}

/// Where [`Part::turned`] has the lines without a stone.
const NONE: usize = 3;

/// `PARTS[quadrant][cells]`: the part of stones on these cells of a quadrant.
static PARTS: LazyLock<Box<[[Part; 512]; 4]>> = LazyLock::new(|| {
    let mut rotated = Vec::new();
    let mut next = [0, 64 * ROTATED_THREE];
    for rotation in 0..PentagoBoard::ROTATIONS {
        for line in bits(THROUGH[rotation / 2]) {
            let next = &mut next[(THROUGH_THREE >> line & 1) as usize];
            rotated.push((rotation, line, *next));
            *next += 1;
        }
    }
    let mut table = Box::new([[Part { stones: [[0; WORDS]; 2], turned: [[0; 4]; 4] }; 512]; 4]);
    for (quadrant, parts) in table.iter_mut().enumerate() {
        for (cells, part) in parts.iter_mut().enumerate() {
            let after = |turns: usize| COUNTS[quadrant][turns << 9 | cells];
            for (turns, lines) in part.turned.iter_mut().enumerate() {
                let [low, high] = after(turns);
                *lines = [low | high, high, low & high, !(low | high)];
            }
            for (n, words) in part.stones.iter_mut().enumerate() {
                words[UNTURNED] = after(0)[n].into();
                for &(rotation, line, bit) in &rotated {
                    let turns = if rotation / 2 == quadrant { 1 + 2 * (rotation % 2) } else { 0 };
                    words[bit / 64] |= u64::from(after(turns)[n] >> line & 1) << (bit % 64);
                }
            }
        }
    }
    table
});

/// The lines of two colors that have no stone of the other color, by the number of stones, 1 to 5.
struct Lines {
    words: [[Words; 5]; 2],
    /// With the most stones that turns of the quadrants can bring together.
    reachable: [LinesByStones; 2],
}

/// Finds the lines of the stones of two colors.
struct Finding<'a> {
    parts: &'a [[Part; 512]; 4],
    stones: [u64; 2],
}

impl Work for Finding<'_> {
    type Output = Lines;

    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "with iterators compilers find fewer vectors")]
    fn run(self) -> Lines {
        let [own, other] = [self.parts_of(0), self.parts_of(1)];
        let mut words = [[[0; WORDS]; 5]; 2];
        for word in 0..WORDS {
            let [own, other] = [sum(own, word), sum(other, word)];
            let of_colors =
                [sorted(own, !(other[0] | other[1] | other[2])), sorted(other, !(own[0] | own[1] | own[2]))];
            for color in 0..2 {
                for n in 0..5 {
                    words[color][n][word] = of_colors[color][n];
                }
            }
        }
        Lines { words, reachable: reachable(own, other) }
    }
}

impl<'a> Finding<'a> {
    #[inline(always)]
    fn parts_of(&self, color: usize) -> [&'a Part; 4] {
        let part = |quadrant: usize| &self.parts[quadrant][quadrant_of(self.stones[color], quadrant)];
        [part(0), part(1), part(2), part(3)]
    }
}

/// The number of stones on each line of a word.
#[inline(always)]
fn sum(parts: [&Part; 4], word: usize) -> [u64; 3] {
    let of = |quadrant: usize| [parts[quadrant].stones[0][word], parts[quadrant].stones[1][word]];
    add(add(add(add([0; 3], of(0)), of(1)), of(2)), of(3))
}

/// The lines that each color can still fill if quadrants are turned, by the most stones that it can have on
/// them, 1 to 5. Each quadrant is turned so that its part of the line has no stone of the other color and
/// the most of this color.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "with iterators compilers find fewer vectors")]
fn reachable(own: [&Part; 4], other: [&Part; 4]) -> [LinesByStones; 2] {
    let mut most = [[[0; 4]; 4]; 2];
    for stones in 0..4 {
        for quadrant in 0..4 {
            let parts = [&own[quadrant].turned, &other[quadrant].turned];
            for color in 0..2 {
                for turns in 0..4 {
                    most[color][quadrant][stones] |=
                        parts[color][turns][stones] & parts[1 - color][turns][NONE];
                }
            }
        }
    }
    [sum_of_most(&most[0]), sum_of_most(&most[1])]
}

#[inline(always)]
fn sum_of_most(most: &[[u32; 4]; 4]) -> LinesByStones {
    let (mut sums, mut is_open) = ([0; 3], u32::MAX);
    for [one, two, three, none] in most {
        sums = add(sums, [one & !two | three, *two]);
        is_open &= one | none;
    }
    sorted(sums, is_open)
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
                let [first, second, rotated_three, unturned] = self.lines.words[color][n];
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
// In steps, and not inlined: in longer functions compilers don't find the vectors of each loop.
#[inline(never)]
pub(super) fn counts(cpu: Cpu, stones: [u64; 2], color: usize) -> Counts {
    let stones = [stones[color & 1], stones[1 - (color & 1)]];
    let lines = cpu.run(Finding { parts: &PARTS, stones });
    cpu.run(Counting { lines: &lines, stones })
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
    #[inline]
    pub(super) fn new<R: Ruleset>(cpu: Cpu, stones: [u64; 2], ply: u8) -> Self {
        let (color, _) = Pentago::<R>::phase(ply);
        let first = FEATURES_OF_PHASE * (usize::from(ply) % phases::<R>());
        let placed = (stones[0] | stones[1]).count_ones() as usize;
        Self { first, counts: counts(cpu, stones, color), stones: first + 2 * COUNTED + placed.min(MOST) }
    }
}

/// The points of a board for the color that acts at `ply`: 0 if it is even, positive if it is good for that
/// color, on the scale of [`expectation`](quintet_core::learned::expectation). No color has a line, and no
/// turn wins at once.
#[inline]
pub(super) fn points<R: Ruleset>(stones: [u64; 2], ply: u8) -> i32 {
    points_on::<R>(Cpu::best(), stones, ply)
}

/// The [`points`], computed at a processor level.
// As above.
#[inline(never)]
pub(super) fn points_on<R: Ruleset>(cpu: Cpu, stones: [u64; 2], ply: u8) -> i32 {
    let evaluation = &EVALUATIONS[usize::from(R::IS_GGP)];
    let seen = Seen::new::<R>(cpu, stones, ply);
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
