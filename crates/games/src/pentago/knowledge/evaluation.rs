//! An evaluation of boards under `ggp`, by the lines that both colors can still fill.
//!
//! All of this is heuristic. It uses integers, so every machine gets the same points.

use super::board::PentagoBoard;
use super::priors::{self, COUNTS, THROUGH, THROUGH_THREE};
use crate::Ggp;
use crate::pentago::rollout::WIDTH;
use crate::pentago::{CELLS, Pentago};
use quintet_core::cpu::{Cpu, Work};

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
pub(super) type Counts = [[i32; COUNTED]; 2];

/// Where the [counts](Counts) of each kind begin.
const AS_IT_IS: usize = 0;
const TURNED_ONCE: usize = 8;
const TURNED_SOMEHOW: usize = 18;
const STONES: usize = 28;

/// The points of each count, for the color that acts and for the other.
struct Worth {
    bias: i32,
    counts: Counts,
}

/// The points at which a win is expected half of the time, and else a draw.
pub(super) const EVEN: i32 = 1024;

/// The points that double the weight of a rotation.
pub(super) const ROTATION_SCALE: i32 = 500;

/// The number of stones for which the first of a pair of [`Worth`] holds. The second is what every
/// [`SLOPE`] more stones add.
const AT: i32 = 10;
const SLOPE: i32 = 10;
/// With more stones than this, the points are those for this number.
const MOST_STONES: i32 = 20;

// Fitted so that `points / (|points| + EVEN)` is near the values that searches with 2,000 iterations
// found for 80,000 positions with 3 to 20 stones. The searches had the weights of an earlier such fit.

/// As [`Worth`], for a color that is about to place a stone.
#[rustfmt::skip]
const TO_PLACE: [Worth; 2] = [
    Worth {
        bias: 201,
        counts: [
            [
                -4, 65, 79, -30, 534, -369, 0, 0,
                19, -43, 93, 34, 515, 425, 1538, 1518, 1568, 0,
                12, 37, 25, 56, 146, 172, 230, 530, 656, 384,
                86, 61, 246,
            ],
            [
                -11, -13, -52, 93, -135, 286, -1434, -366,
                -20, 22, -55, -28, -141, -202, -407, -621, -519, 351,
                2, -52, 0, -79, -112, -152, -332, -323, -553, -773,
                89, -8, -186,
            ],
        ],
    },
    Worth {
        bias: 201,
        counts: [
            [
                -3, 67, 77, -17, 34, 133, 0, 0,
                3, -35, 47, 48, 49, 177, 1750, 6646, 1300, 0,
                37, 38, -3, -52, 78, -164, 325, 108, 30, 802,
                55, -22, 56,
            ],
            [
                -30, 44, -74, 158, -221, 67, -2728, -3415,
                -12, -10, -21, -49, -86, -79, -688, -219, 523, -3286,
                -12, -72, 22, -64, 6, -36, -5, 147, -640, -160,
                164, 35, -45,
            ],
        ],
    },
];

/// As [`Worth`], for a color that is about to rotate.
#[rustfmt::skip]
const TO_ROTATE: [Worth; 2] = [
    Worth {
        bias: -111,
        counts: [
            [
                -1, 40, 36, -3, 119, -124, 890, -402,
                14, -36, 52, -9, 127, 145, 746, 752, 620, 0,
                -4, 53, 5, 73, 104, 149, 300, 359, 682, 597,
                17, 54, 238,
            ],
            [
                -6, -26, -55, 24, -576, 6, -1453, -1775,
                -18, 28, -76, -20, -203, -165, -479, -491, -423, 853,
                0, -21, -11, -28, -118, -116, -344, -414, -847, -1525,
                -114, -51, -259,
            ],
        ],
    },
    Worth {
        bias: 23,
        counts: [
            [
                6, 11, 36, 5, 34, -17, 1815, 1027,
                7, -14, 35, -2, 82, 67, 1279, 1605, 3953, 0,
                14, 85, -5, 56, 0, -33, 107, -203, -184, 103,
                -54, -17, 91,
            ],
            [
                -18, 38, -26, 71, -260, 166, -983, -1866,
                -4, -7, -31, -44, -133, -308, -242, -622, 41, -1831,
                -26, -57, -2, -34, -38, 112, -235, 10, 40, 1184,
                -137, 46, -31,
            ],
        ],
    },
];

/// The points by the number of stones on the board, for a color about to place and about to rotate.
static WORTH: [[Worth; CELLS + 1]; 2] = [by_stones(&TO_PLACE), by_stones(&TO_ROTATE)];

const fn by_stones([at, slope]: &[Worth; 2]) -> [Worth; CELLS + 1] {
    let mut table = [const { Worth { bias: 0, counts: [[0; COUNTED]; 2] } }; CELLS + 1];
    let mut stones = 0;
    while stones <= CELLS {
        let more = if stones as i32 > MOST_STONES { MOST_STONES - AT } else { stones as i32 - AT };
        table[stones].bias = at.bias + slope.bias * more / SLOPE;
        let mut whose = 0;
        while whose < 2 {
            let mut index = 0;
            while index < COUNTED {
                table[stones].counts[whose][index] =
                    at.counts[whose][index] + slope.counts[whose][index] * more / SLOPE;
                index += 1;
            }
            whose += 1;
        }
        stones += 1;
    }
    table
}

/// Adds the numbers of lines, those through two quadrants and those through three, to the counts
/// from `at` on; `lines` are the lines with one stone, with two, and so on.
#[inline(always)]
#[expect(clippy::inline_always, reason = "only inlined code is compiled for each processor level")]
fn add<const N: usize>(counts: &mut [i32; COUNTED], at: usize, lines: [u32; N]) {
    for (n, lines) in lines.into_iter().enumerate() {
        counts[at + 2 * n] += (lines & !THROUGH_THREE).count_ones() as i32;
        counts[at + 2 * n + 1] += (lines & THROUGH_THREE).count_ones() as i32;
    }
}

/// The lines that `color` can still fill if quadrants are turned, by the most stones that it can have on
/// them, 1 to 5. Each quadrant is turned so that its part of the line has no stone of the other color and
/// the most of this color.
#[inline(always)]
#[expect(clippy::inline_always, reason = "only inlined code is compiled for each processor level")]
fn reachable(board: &PentagoBoard, color: usize) -> [u32; 5] {
    let mut is_open = u32::MAX;
    let (mut ones, mut twos, mut fours) = (0, 0, 0);
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
        let carry = ones & low;
        fours |= twos & high | carry & (twos ^ high);
        twos ^= high ^ carry;
        ones ^= low;
    }
    let (low, fours) = (is_open & !fours, is_open & fours);
    [low & ones & !twos, low & !ones & twos, low & ones & twos, fours & !ones, fours & ones]
}

/// The labels in the middle of the quadrants, and in their corners.
const MIDDLES: u64 = 0x0010_0010_0010_0010;
const CORNERS: u64 = 0x0145_0145_0145_0145;

/// What a board has, for `color` and for the other.
#[inline(always)]
#[expect(clippy::inline_always, reason = "only inlined code is compiled for each processor level")]
pub(super) fn counts(board: &PentagoBoard, color: usize) -> Counts {
    let mut counts = [[0; COUNTED]; 2];
    let colors = [color & 1, 1 - (color & 1)];
    let lines = priors::open_lines(board);
    for (counts, color) in counts.iter_mut().zip(colors) {
        let [_, one, two, three, four, _] = lines[color];
        add(counts, AS_IT_IS, [one, two, three, four]);
        add(counts, TURNED_SOMEHOW, reachable(board, color));
        let stones = board.stones[color];
        counts[STONES] = (stones & MIDDLES).count_ones() as i32;
        counts[STONES + 1] = (stones & CORNERS).count_ones() as i32;
        counts[STONES + 2] = (stones & !MIDDLES & !CORNERS).count_ones() as i32;
    }
    for rotation in 0..PentagoBoard::ROTATIONS {
        let lines = priors::open_lines(&board.rotated(rotation));
        let through = THROUGH[rotation / 2];
        for (counts, color) in counts.iter_mut().zip(colors) {
            let [_, one, two, three, four, five] = lines[color];
            let lines = [one & through, two & through, three & through, four & through, five & through];
            add(counts, TURNED_ONCE, lines);
        }
    }
    counts
}

/// Boards with as many stones or more have the same feature for their number.
const MOST: usize = 24;

/// The features of the boards on which a color is about to place a stone, and as many more for those that are
/// about to be rotated: the counts of the color that acts and of the other, then the number of stones.
const FEATURES_OF_PHASE: usize = 2 * COUNTED + MOST + 1;

/// The number of different features of boards.
pub(super) const FEATURES: usize = 2 * FEATURES_OF_PHASE;

/// The features of a board: those of the counts, from the first one on, each as often as it says; and that
/// of the number of stones.
pub(super) struct Seen {
    pub(super) first: usize,
    pub(super) counts: Counts,
    pub(super) stones: usize,
}

impl Seen {
    /// What is seen of a board on which `color` acts.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for each processor level")]
    pub(super) fn new(board: &PentagoBoard, (color, rotates): (usize, bool)) -> Self {
        let first = FEATURES_OF_PHASE * usize::from(rotates);
        let stones = (board.stones[0] | board.stones[1]).count_ones() as usize;
        Self { first, counts: counts(board, color), stones: first + 2 * COUNTED + stones.min(MOST) }
    }
}

/// The points of a board for the color that acts at `ply` under `ggp`: 0 if it is even, positive if it is
/// good for that color. No color has a line, and no turn wins at once.
#[inline]
pub(super) fn points(board: &PentagoBoard, ply: u8) -> i32 {
    Cpu::best().run(Evaluation { board, ply })
}

struct Evaluation<'a> {
    board: &'a PentagoBoard,
    ply: u8,
}

impl Work for Evaluation<'_> {
    type Output = i32;

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for each processor level")]
    fn run(self) -> i32 {
        let (color, rotates) = Pentago::<Ggp>::phase(self.ply);
        let stones = (self.board.stones[0] | self.board.stones[1]).count_ones() as usize;
        let worth = &WORTH[usize::from(rotates)][stones.min(CELLS)];
        let counts = counts(self.board, color);
        let of = |whose: usize| -> i32 {
            counts[whose].iter().zip(&worth.counts[whose]).map(|(count, points)| count * points).sum()
        };
        worth.bias + of(0) + of(1)
    }
}
