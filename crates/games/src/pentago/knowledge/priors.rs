//! Weights of placements by open lines and the number of stones on them.
//!
//! All of this is heuristic. It uses integers up to the last step, whose operations every machine
//! rounds alike.

use super::lines::{CELLS_IN_VECTORS, CELLS_ON, Parts, WORDS, Words};
use crate::pentago::CELLS;
use quintet_cpu::{Cpu, Work};

/// The points of a stone for a line with stones of only one color, by their number, 1 to 4: for a
/// line of its own color, and for one of the other color.
pub(super) type Worth = [[i32; 4]; 2];

/// The points of a stone, by the number of stones on the board.
///
/// From a multinomial logistic regression, with [`PLACEMENT_SCALE`], of the visits of searches with
/// 12,000 iterations in 1,800 games of the engine against itself. The games were played with the
/// weights of a first such regression.
pub(super) static SPEC: [Worth; CELLS + 1] = by_stones(
    [[-2, 11, 37, 27], [-2, -5, 20, 48]], //
    [[60, 170, 400, 1290], [20, 190, 300, 740]],
);

/// As [`SPEC`], under `ggp`.
pub(super) static GGP: [Worth; CELLS + 1] = by_stones(
    [[-6, 0, 49, 20], [-3, -8, 8, 16]], //
    [[80, 300, 270, 80], [10, 190, 380, 960]],
);

/// `full` + `early` / max(stones, 2): lines decide more while there are few stones.
const fn by_stones(full: Worth, early: Worth) -> [Worth; CELLS + 1] {
    let mut table = [full; CELLS + 1];
    const_for!(0..CELLS + 1, |stones| {
        let divisor = if stones < 2 { 2 } else { stones as i32 };
        const_for!(0..2, |whose| {
            const_for!(0..4, |count| {
                table[stones][whose][count] += early[whose][count] / divisor;
            });
        });
    });
    table
}

/// The points that double the weight of a placement.
pub(super) const PLACEMENT_SCALE: i32 = 28;

/// The points of a stone of `color` on each cell, for its lines and against those of the other
/// color. After each rotation the lines through the turned quadrant count; on the board as it is,
/// the lines through two quadrants.
///
/// Lines through three quadrants do not count there: only two of the eight rotations leave them
/// unchanged.
pub(super) fn placements(
    stones: [u64; 2],
    color: usize,
    worth: &[Worth; CELLS + 1],
) -> [i32; CELLS_IN_VECTORS] {
    placements_on(Cpu::best(), stones, color, worth)
}

/// The points of [`placements`], computed at a processor level.
pub(super) fn placements_on(
    cpu: Cpu,
    stones: [u64; 2],
    color: usize,
    worth: &[Worth; CELLS + 1],
) -> [i32; CELLS_IN_VECTORS] {
    let placed = (stones[0] | stones[1]).count_ones() as usize;
    let parts = Parts::new([stones[color & 1], stones[1 - (color & 1)]]);
    let worth = worth[placed.min(CELLS)];
    let lines = cpu.run(Sorting { parts: &parts });
    cpu.run(Placing { lines: &lines, worth: &worth })
}

/// Sorts lines by the number of stones.
struct Sorting<'a> {
    parts: &'a Parts,
}

impl Work for Sorting<'_> {
    type Output = [[Words; 5]; 2];

    #[inline(always)]
    fn run(self) -> Self::Output {
        self.parts.lines()
    }
}

/// Adds the points of lines up.
struct Placing<'a> {
    lines: &'a [[Words; 5]; 2],
    worth: &'a Worth,
}

impl Work for Placing<'_> {
    type Output = [i32; CELLS_IN_VECTORS];

    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut points = [0; CELLS_IN_VECTORS];
        for whose in 0..2 {
            for n in 0..4 {
                let mut counts = [0; CELLS_IN_VECTORS];
                for word in 0..WORDS {
                    let mut rest = self.lines[whose][n][word];
                    while rest != 0 {
                        let cells = &CELLS_ON[64 * word + rest.trailing_zeros() as usize % 64];
                        rest &= rest - 1;
                        for cell in 0..CELLS_IN_VECTORS {
                            counts[cell] += cells[cell];
                        }
                    }
                }
                for cell in 0..CELLS_IN_VECTORS {
                    points[cell] += self.worth[whose][n] * i32::from(counts[cell]);
                }
            }
        }
        points
    }
}

/// A weight that doubles every `scale` points, between 2^-10 and 2^10, and is linear between powers
/// of two.
#[inline]
pub(super) fn weight(points: i32, scale: i32) -> f32 {
    let points = points.clamp(-10 * scale, 10 * scale - 1);
    let (whole, part) = (points.div_euclid(scale), points.rem_euclid(scale));
    let power = f32::from_bits(((127 + whole) as u32) << 23);
    power * (1.0 + part as f32 / scale as f32)
}
