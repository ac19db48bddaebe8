//! Values of positions and moves, from the shapes that stones on the empty cells would make.

use super::lines::SHAPES;
use crate::gomoku::SIZE;

/// The scale of [`WORTH`]: this much is 1 in the log-odds of a win.
const UNIT: f32 = 256.0;

/// The value of a cell of each shape to its color, if that color is to move and if not, under
/// `ggp`. Twice the coefficients of a logistic regression on 11,651 positions of games of the
/// engine against itself; the target was the mean of the game's outcome and the search's value.
const WORTH: [[i16; SHAPES]; 2] =
    [[0, 0, 0, 6, 16, 26, 42, 38, 142, 0], [0, 0, 0, 6, 14, 22, 48, 36, 142, 0]];

/// The value of a line with these shapes to its color, if it is to move and if not, under `ggp`.
pub(super) fn worth(shapes: [usize; SIZE]) -> [i16; 2] {
    WORTH.map(|worth| shapes.into_iter().map(|shape| worth[shape]).sum())
}

/// The expected result of the side to move, from -1 for a certain loss to 1 for a certain win.
#[inline]
pub(super) fn expectation(balance: i32) -> f32 {
    // Close to tanh, and the same on every machine.
    let half = balance as f32 / (2.0 * UNIT);
    half / (1.0 + half * half).sqrt()
}

/// What the shapes of a cell add to the base-2 logarithm, in eighths, of a move's weight: shapes
/// that the color to move makes, and in [`STOPS`] shapes that it stops.
pub(super) const MAKES: [u16; SHAPES] = [0, 4, 8, 10, 16, 22, 40, 32, 80, 120];
/// See [`MAKES`].
pub(super) const STOPS: [u16; SHAPES] = [0, 2, 4, 5, 8, 13, 28, 24, 56, 80];

/// The weight of a cell: 2^(`eighths` / 8), in sixteenths, with `eighths` capped.
#[inline]
pub(super) fn weight(eighths: u16) -> u32 {
    const MOST: usize = 128;
    static WEIGHTS: [u32; MOST] = {
        /// 2^(n / 8) · 2^16.
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
