//! Weights of placements by open lines and the number of stones on them.
//!
//! All of this is heuristic. It uses integers up to the last step, whose operations every machine
//! rounds alike.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::board::PentagoBoard;
use crate::pentago::rollout::{WIDTH, by_turns};
use crate::pentago::{CELLS, CELLS_OF_LINES, LINES, QUADRANT, TURNED};
use quintet_core::bits::bits;

/// The number of stones on each line's part in a quadrant, 0 to 3, as two words: the low and the
/// high bits of all 32 lines. Indexed by labels and turns, as the parts of a [`PentagoBoard`].
pub(super) static COUNTS: [[[u32; 2]; 2048]; 4] = {
    let mut of_cells = [[[0; 2]; 512]; 4];
    const_for!(0..4 * 512, |index| {
        let (quadrant, cells) = (index / 512, index % 512);
        const_for!(0..32, |line| {
            let count = (LINES[line] >> (9 * quadrant) & QUADRANT & cells as u64).count_ones();
            of_cells[quadrant][cells][0] |= (count & 1) << line;
            of_cells[quadrant][cells][1] |= (count >> 1) << line;
        });
    });
    by_turns(&of_cells)
};

/// `CELLS_OF[rotation][line]`: the cells whose stones are on the line after the rotation; rotation
/// 8 stands for none.
pub(super) static CELLS_OF: [[[u8; 5]; 32]; PentagoBoard::ROTATIONS + 1] = {
    let mut table = [[[0; 5]; 32]; PentagoBoard::ROTATIONS + 1];
    const_for!(0..PentagoBoard::ROTATIONS + 1, |rotation| {
        const_for!(0..32, |line| {
            const_for!(0..5, |n| {
                let cell = CELLS_OF_LINES[line][n];
                table[rotation][line][n] = if rotation / 2 == cell as usize / 9 {
                    let back = TURNED[1 - rotation % 2][1 << (cell % 9)];
                    cell / 9 * 9 + back.trailing_zeros() as u8
                } else {
                    cell
                };
            });
        });
    });
    table
};

/// The lines through each quadrant, one bit each.
pub(super) const THROUGH: [u32; 4] = {
    let mut table = [0; 4];
    const_for!(0..32, |line| {
        const_for!(0..4, |quadrant| {
            if LINES[line] >> (9 * quadrant) & QUADRANT != 0 {
                table[quadrant] |= 1 << line;
            }
        });
    });
    table
};

/// The lines through three quadrants; the others go through two.
pub(super) const THROUGH_THREE: u32 = {
    let [a, b, c, d] = THROUGH;
    a & b & c | a & b & d | a & c & d | b & c & d
};

/// The open lines of a color, without a stone of the other color: masks of those with 1 to 5
/// stones.
pub(super) type LinesByStones = [u32; 5];

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

/// One bit for each of some lines.
pub(super) trait Word:
    Copy + Not<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
}

impl Word for u32 {}
impl Word for u64 {}

/// The number of stones on each line, as three words of one bit per line.
pub(super) type Sums = [u32; 3];

/// The sums with the [stones](COUNTS) of one more quadrant.
#[inline(always)]
pub(super) fn add<T: Word>([ones, twos, fours]: [T; 3], [low, high]: [T; 2]) -> [T; 3] {
    let carry = ones & low;
    [ones ^ low, twos ^ high ^ carry, fours | twos & high | carry & (twos ^ high)]
}

/// Sorts the lines of the mask `open` by the number of stones.
#[inline(always)]
pub(super) fn sorted<T: Word>([ones, twos, fours]: [T; 3], open: T) -> [T; 5] {
    let (low, fours) = (open & !fours, open & fours);
    [low & ones & !twos, low & !ones & twos, low & ones & twos, fours & !ones, fours & ones]
}

/// The open lines of both colors.
#[inline(always)]
pub(super) fn open_lines(board: &PentagoBoard) -> [LinesByStones; 2] {
    let sums = |color: usize| {
        let both = board.stones[color] | board.turns;
        let at = |quadrant: usize| COUNTS[quadrant][(both >> (WIDTH * quadrant)) as usize % 2048];
        add(add(add(add([0; 3], at(0)), at(1)), at(2)), at(3))
    };
    let (red, black) = (sums(0), sums(1));
    [sorted(red, !(black[0] | black[1] | black[2])), sorted(black, !(red[0] | red[1] | red[2]))]
}

/// The points of a stone of `color` on each cell, for its lines and against those of the other
/// color. After each rotation the lines through the turned quadrant count; on the board as it is,
/// the lines through two quadrants.
///
/// Lines through three quadrants do not count there: only two of the eight rotations leave them
/// unchanged.
pub(super) fn placements(board: &PentagoBoard, color: usize, worth: &[Worth; CELLS + 1]) -> [i32; CELLS] {
    let stones = (board.stones[0] | board.stones[1]).count_ones() as usize;
    let worth = &worth[stones.min(CELLS)];
    let mut points = [0; CELLS];
    for (rotation, cells) in CELLS_OF.iter().enumerate() {
        let (after, counted) = if rotation == PentagoBoard::ROTATIONS {
            (*board, !THROUGH_THREE)
        } else {
            (board.rotated(rotation), THROUGH[rotation / 2])
        };
        let lines = open_lines(&after);
        for (lines, worth) in [lines[color & 1], lines[1 - (color & 1)]].into_iter().zip(worth) {
            for (lines, &points_of_line) in lines.into_iter().zip(worth) {
                for line in bits(lines & counted) {
                    for cell in cells[usize::from(line)] {
                        points[usize::from(cell) % CELLS] += points_of_line;
                    }
                }
            }
        }
    }
    points
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
