//! How promising positions and moves seem, by the shapes that stones on the empty cells would make.

use super::lines::SHAPES;
use crate::gomoku::SIZE;

/// The scale of [`WORTH`]: this many are 1 in the logarithm of the odds to win.
const UNIT: f32 = 256.0;

/// What a cell of each shape is worth to the color to move, and to the other one, where five win: twice what
/// a logistic regression gave on 11,651 positions of games of the engine against itself, with the mean of the
/// game's outcome and the search's value as its aim.
const WORTH: [[i16; SHAPES]; 2] =
    [[0, 0, 0, 6, 16, 26, 42, 38, 142, 0], [0, 0, 0, 6, 14, 22, 48, 36, 142, 0]];

/// The worth of a line with these shapes to its color, if it is to move and if not; where five win.
pub(super) fn worth(shapes: [usize; SIZE]) -> [i16; 2] {
    WORTH.map(|worth| shapes.into_iter().map(|shape| worth[shape]).sum())
}

/// What the side to move can expect, from -1 for a certain loss to 1 for a certain win.
#[inline]
pub(super) fn expectation(balance: i32) -> f32 {
    // Close to tanh, and the same on every machine.
    let half = balance as f32 / (2.0 * UNIT);
    half / (1.0 + half * half).sqrt()
}

/// What the shapes of a cell add to the logarithm (to base 2, in eighths) of a move's weight: those that the
/// color to move makes and those that it stops.
pub(super) const MAKES: [u16; SHAPES] = [0, 4, 8, 10, 16, 22, 40, 32, 80, 120];
/// See [`MAKES`].
pub(super) const STOPS: [u16; SHAPES] = [0, 2, 4, 5, 8, 13, 28, 24, 56, 80];

/// The weight of a cell: 2 to the power of `eighths` eighths, in sixteenths, up to a most.
#[inline]
pub(super) fn weight(eighths: u16) -> u32 {
    const MOST: usize = 128;
    static WEIGHTS: [u32; MOST] = {
        /// 2 to the power of as many eighths, times 2^16.
        const ROOTS: [u64; 8] = [65_536, 71_468, 77_936, 84_990, 92_682, 101_070, 110_218, 120_194];
        let mut table = [0; MOST];
        let mut eighths = 0;
        while eighths < MOST {
            table[eighths] = (ROOTS[eighths % 8] << (eighths / 8) >> 12) as u32;
            eighths += 1;
        }
        table
    };
    WEIGHTS[usize::from(eighths).min(MOST - 1)]
}
