//! How fair a set-up seems, under `ggp`.
//!
//! Who places the last stone of a set-up has nothing to gain by a good one: the other player picks the color.

use super::INNER;
use crate::gomoku::{BLACK, CELLS, SIZE, WHITE};
use quintet_core::bits::bits;

/// The distances from the edge that a cell can have.
const DISTANCES: usize = SIZE.div_ceil(2);

/// What a stone of black and of white is worth to its color, by its distance from the edge, where 80 are 1 in
/// the logarithm of the odds to win: a linear regression on 9,022 set-ups of three random stones, with the
/// value of a search of 6,000 iterations as its aim, of whose variance this explains 85 %.
const WORTH: [[i16; DISTANCES]; 2] = [[-34, -15, -1, 10, 17, 17], [-42, -12, 5, 14, 18, 20]];
/// What it is worth to white to move first.
const FIRST_MOVE: i16 = 3;

/// For each cell, the logarithm (to base 2, in eighths) of the weight of a black stone there that ends the
/// set-up: the more the fairer. Between contrasts of 1, 2 and 4 matches showed no difference.
pub(super) fn scores(stones: [u128; 2]) -> [u16; CELLS] {
    const FAIR: u16 = 120;
    const CONTRAST: u16 = 4;
    let worth = |color: usize, cell: u8| WORTH[color][usize::from(INNER[usize::from(cell)])];
    let sum = |color: usize| bits(stones[color]).map(|cell| worth(color, cell)).sum::<i16>();
    let balance = FIRST_MOVE + sum(WHITE) - sum(BLACK);
    INNER.map(|distance| {
        let after = balance - WORTH[BLACK][usize::from(distance)];
        FAIR.saturating_sub(CONTRAST * after.unsigned_abs())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_stone_evens_out_what_the_others_are_worth() {
        let [a1, c3, d4, f6, i9] = [0, 24, 36, 60, 96];
        // Two stones worth about as much, and white moves first: black gets another as good, or a little better.
        let powers_of = scores([1 << c3, 1 << i9]);
        assert_eq!([a1, c3, d4, f6].map(|cell| powers_of[cell]), [0, 80, 116, 88]);
        // Black has the centre and white a corner: a corner is too much.
        let powers_of = scores([1 << f6, 1 << a1]);
        assert_eq!([10, c3, d4].map(|cell| powers_of[cell]), [32, 0, 0]);
    }
}
