//! How promising moves look: lines that are still open, by the number of stones on them.
//!
//! All of this is heuristic. It is whole numbers up to the last step, which uses only operations that every
//! machine rounds alike.

use super::board::Board;
use crate::games::pentago::rollout::WIDTH;
use crate::games::pentago::{LINES, QUADRANT, TURNED};

/// The number of stones on each line's part in a quadrant, 0 to 3, as two words: the low and the high bits of
/// all 32 lines. By labels and turns, as the parts of a [`Board`].
static COUNTS: [[[u32; 2]; 2048]; 4] = {
    let mut table = [[[0; 2]; 2048]; 4];
    let mut quadrant = 0;
    while quadrant < 4 {
        let mut cells = 0;
        while cells < 512 {
            let mut counts = [0; 2];
            let mut line = 0;
            while line < 32 {
                let count = (LINES[line] >> (9 * quadrant) & QUADRANT & cells as u64).count_ones();
                counts[0] |= (count & 1) << line;
                counts[1] |= (count >> 1) << line;
                line += 1;
            }
            let mut labels = cells;
            let mut turns = 0;
            while turns < 4 {
                table[quadrant][turns << 9 | labels] = counts;
                labels = TURNED[1][labels] as usize;
                turns += 1;
            }
            cells += 1;
        }
        quadrant += 1;
    }
    table
};

/// The lines through each cell, by the number of its bit.
static THROUGH: [u32; 36] = {
    let mut table = [0; 36];
    let mut cell = 0;
    while cell < 36 {
        let mut line = 0;
        while line < 32 {
            if LINES[line] >> cell & 1 == 1 {
                table[cell] |= 1 << line;
            }
            line += 1;
        }
        cell += 1;
    }
    table
};

/// Of the lines that the other colour has no stone on, those with none, one, two, three and four stones.
pub(super) type Lines = [u32; 5];

/// What a stone on a line that only its own colour has stones on is worth, by their number before.
const GAIN: [i32; 5] = [1, 3, 8, 20, 0];

/// What a stone is worth on a line that only the other colour has stones on, by their number.
const HARM: [i32; 5] = [0, 1, 4, 12, 30];

/// What a line with so many stones of one colour and none of the other promises.
const WORTH: [i32; 5] = [0, 1, 4, 12, 30];

/// The points that double the weight of a placement.
pub(super) const PLACEMENT_SCALE: i32 = 64;

/// The points that double the weight of a rotation.
pub(super) const ROTATION_SCALE: i32 = 16;

/// The open lines of both colours.
#[inline]
pub(super) fn open_lines(board: &Board) -> [Lines; 2] {
    let counted = [0, 1].map(|color| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|quadrant| {
            let index = ((board.stones[color] | board.turns) >> (WIDTH * quadrant)) as usize % 2048;
            COUNTS[quadrant][index]
        });
        let add = |[low, high]: [u32; 2], [more, much]: [u32; 2]| {
            let carry = low & more;
            [low ^ more, high ^ much ^ carry, high & much | carry & (high ^ much)]
        };
        let (first, second) = (add(a, b), add(c, d));
        let carry = first[0] & second[0];
        let ones = first[0] ^ second[0];
        let twos = first[1] ^ second[1] ^ carry;
        let fours = first[2] | second[2] | first[1] & second[1] | carry & (first[1] ^ second[1]);
        [ones, twos, fours]
    });
    [0, 1].map(|color| {
        let [ones, twos, fours] = counted[color];
        let open = !counted[1 - color].iter().fold(0, |any, plane| any | plane);
        let low = open & !fours;
        [low & !ones & !twos, low & ones & !twos, low & !ones & twos, low & ones & twos, open & fours & !ones]
    })
}

/// How much better the board is for `color` than for the other.
#[inline]
pub(super) fn balance(board: &Board, color: usize) -> i32 {
    let [mine, theirs] = {
        let lines = open_lines(board);
        [lines[color & 1], lines[1 - (color & 1)]]
    };
    (1..5).map(|n| WORTH[n] * (mine[n].count_ones() as i32 - theirs[n].count_ones() as i32)).sum()
}

/// Adds to each cell what a stone of `color` there does for lines and against those of the other colour, on
/// the board as it is and after each rotation.
pub(super) fn add_placements(board: &Board, color: usize, points: &mut [i32; 36]) {
    let empty = board.empty();
    for rotation in 0..=Board::ROTATIONS {
        let after = if rotation < Board::ROTATIONS { board.rotated(rotation) } else { *board };
        let lines = open_lines(&after);
        let (mine, theirs) = (lines[color & 1], lines[1 - (color & 1)]);
        let mut rest = empty;
        while rest != 0 {
            let at = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let (quadrant, label) = (at / WIDTH, at % WIDTH);
            // A rotation moves the cells of one quadrant; those of the others only see other lines.
            let turned = if rotation / 2 == quadrant {
                (TURNED[rotation % 2][1 << label]).trailing_zeros() as usize
            } else {
                label
            };
            let through = THROUGH[(9 * quadrant + turned) % 36];
            let mut sum = 0;
            for n in 0..5 {
                sum += GAIN[n] * (mine[n] & through).count_ones() as i32
                    + HARM[n] * (theirs[n] & through).count_ones() as i32;
            }
            points[(9 * quadrant + label) % 36] += sum;
        }
    }
}

/// A weight that doubles with every `scale` points, between 2^-10 and 2^10: a power of two, and in between on
/// a straight line.
#[inline]
pub(super) fn weight(points: i32, scale: i32) -> f32 {
    let points = points.clamp(-10 * scale, 10 * scale - 1);
    let (whole, part) = (points.div_euclid(scale), points.rem_euclid(scale));
    let power = f32::from_bits(((127 + whole) as u32) << 23);
    power * (1.0 + part as f32 / scale as f32)
}
