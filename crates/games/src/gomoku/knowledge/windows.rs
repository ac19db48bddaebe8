//! The windows of six cells that may still become a line, under `spec`.
//!
//! A window with stones of both colors is dead, and so is one with a stone of its color beyond an
//! end, which would make the line too long. The potential that any other window adds to its cells
//! grows by a constant factor with each stone, as in the criterion of Erdős and Selfridge ("On a
//! combinatorial game", 1973) for who wins such games.

use crate::gomoku::{CELLS, ROOM, SIZE, STEPS};
use quintet_core::bits::bits_wide;

/// The length of a window.
const LENGTH: usize = 6;

/// The number of windows on the board: along rows and columns, and along diagonals.
const WINDOWS: usize = 2 * SIZE * PLACES + 2 * PLACES * PLACES;
/// The number of windows in a row.
const PLACES: usize = SIZE + 1 - LENGTH;

/// For each window its cells, and the cells beyond its ends, where a stone makes the line too long.
static TABLE: [(u128, u128); WINDOWS] = {
    let mut table = [(0, 0); WINDOWS];
    let mut next = 0;
    const_for!(0..CELLS, |cell| {
        const_for!(0..STEPS.len(), |direction| {
            let (step, [before, ahead]) = (STEPS[direction], ROOM[cell][direction]);
            if ahead as usize >= LENGTH - 1 {
                let mut cells = 0;
                const_for!(0..LENGTH, |n| {
                    cells |= 1 << (cell + n * step);
                });
                let mut beyond = 0;
                if before > 0 {
                    beyond |= 1 << (cell - step);
                }
                if ahead as usize >= LENGTH {
                    beyond |= 1 << (cell + LENGTH * step);
                }
                table[next] = (cells, beyond);
                next += 1;
            }
        });
    });
    assert!(next == WINDOWS);
    table
};

/// The potential that a window adds to its empty cells, by its number of stones: each multiplies it
/// by 5/3.
const POTENTIAL: [u16; LENGTH] = [81, 135, 225, 375, 625, 1042];

/// The weights of a stone on each empty cell, for the color with the stones `own`.
pub(super) fn weights(own: u128, other: u128) -> [f32; CELLS] {
    potentials(own, other).map(weight)
}

/// The sums of the potentials of the windows through each empty cell: for the color with the stones
/// `own`, and for the other.
fn potentials(own: u128, other: u128) -> [[u16; 2]; CELLS] {
    let mut sums = [[0; 2]; CELLS];
    for &(cells, beyond) in &TABLE {
        for (color, (stones, others)) in [(own, other), (other, own)].into_iter().enumerate() {
            if cells & others == 0 && beyond & stones == 0 {
                let potential = POTENTIAL[(cells & stones).count_ones() as usize];
                for cell in bits_wide(cells & !stones) {
                    sums[usize::from(cell)][color] += potential;
                }
            }
        }
    }
    sums
}

/// The weight of a cell with these potentials, for the color of the first. The windows of the other
/// color count 0.7 as much, and the sixth power sharpens differences. The factor per stone and the
/// 0.7 were chosen by matches against plain UCT and against earlier weights: a color that blocks
/// more draws more, and one that blocks less loses to opponents that see its gaps.
fn weight(potentials: [u16; 2]) -> f32 {
    let (own, others) = (f32::from(potentials[0]), f32::from(potentials[1]));
    let sum = (own + 0.7 * others) / f32::from(POTENTIAL[0]);
    let cube = sum * sum * sum;
    // A weight must be above 0, even for a cell without a window.
    1.0 + cube * cube
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn potentials_grow_with_each_stone_and_leave_out_what_is_dead() {
        let [a1, a6, e6, f6, g6] = [0, 55, 59, 60, 61];
        assert!(POTENTIAL.windows(2).all(|pair| pair[1] == (5 * pair[0]).div_ceil(3)));
        let [w0, w1, ..] = POTENTIAL;
        let empty = potentials(0, 0);
        assert_eq!((empty[a1], empty[f6]), ([3 * w0, 3 * w0], [24 * w0, 24 * w0]));
        // Five windows along the row, each with a stone; 16 in the other directions.
        assert_eq!(potentials(1 << f6, 0)[e6], [5 * w1 + 16 * w0, 16 * w0]);
        assert_eq!(potentials(0, 1 << f6)[e6], [16 * w0, 5 * w1 + 16 * w0]);
        // With a6, a line from b6 to g6 would be one of seven.
        assert_eq!(potentials(1 << a6, 0)[g6], [4 * w0 + 16 * w0, 5 * w0 + 16 * w0]);
    }
}
