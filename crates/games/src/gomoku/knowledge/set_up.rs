//! Candidates of the set-up, under `ggp` by how fair it is.
//!
//! The player who places its last stone gains nothing by favoring a color: the other player picks.

use super::INNER;
use super::evaluation::weight;
use crate::gomoku::{BLACK, CELLS, CHOICE_STEP, Move, PICK_STEP, SIZE, WHITE};
use crate::{Gomoku, Ruleset};
use quintet_core::bits::bits_wide;
use quintet_core::knowledge::Candidates;

/// The number of distances from the edge that a cell can have.
const DISTANCES: usize = SIZE.div_ceil(2);

/// The value of a black and of a white stone to its color, by distance from the edge, where 80 is 1
/// in the log-odds of a win. From a linear regression on 9,022 set-ups of three random stones,
/// which explains 85 % of the variance; the target was the value of a search of 6,000 iterations.
const WORTH: [[i16; DISTANCES]; 2] = [[-34, -15, -1, 10, 17, 17], [-42, -12, 5, 14, 18, 20]];
/// The value to white of moving first.
const FIRST_MOVE: i16 = 3;

/// Adds the moves of a position of the set-up.
pub(super) fn candidates<R: Ruleset>(position: &Gomoku<R>, moves: &mut Candidates<Move>) {
    if position.step != PICK_STEP {
        let is_last = [CHOICE_STEP - 1, PICK_STEP - 1].contains(&position.step);
        let scores = if R::IS_GGP && is_last { scores(position.stones) } else { [0; CELLS] };
        let weigh = |cell: u8| (Move(cell), weight(scores[usize::from(cell)]));
        moves.extend(bits_wide(position.empty()).map(weigh));
    }
    if position.step == CHOICE_STEP || position.step == PICK_STEP {
        let sum: f32 = moves.iter().map(|it| it.1).sum();
        let weight = if sum == 0.0 { 1.0 } else { 0.3 * sum };
        moves.extend([(Move::PICK_BLACK, weight), (Move::PICK_WHITE, weight)]);
    }
}

/// Returns, for each cell, the base-2 logarithm, in eighths, of the weight of a black stone there
/// that ends the set-up: the fairer, the higher. Matches showed no difference between contrasts of
/// 1, 2 and 4.
fn scores(stones: [u128; 2]) -> [u16; CELLS] {
    const FAIR: u16 = 120;
    const CONTRAST: u16 = 4;
    let worth = |color: usize, cell: u8| WORTH[color][usize::from(INNER[usize::from(cell)])];
    let sum = |color: usize| bits_wide(stones[color]).map(|cell| worth(color, cell)).sum::<i16>();
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
        // Two stones of about equal value, and white moves first: black gets another one as good or
        // a little better.
        let score_of = scores([1 << c3, 1 << i9]);
        assert_eq!([a1, c3, d4, f6].map(|cell| score_of[cell]), [0, 80, 116, 88]);
        // Black has the center and white a corner: a corner is too much.
        let score_of = scores([1 << f6, 1 << a1]);
        assert_eq!([10, c3, d4].map(|cell| score_of[cell]), [32, 0, 0]);
    }
}
