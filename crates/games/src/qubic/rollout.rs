//! Fast rollouts of Qubic.
//!
//! A turn is drawn as if every choice were legal: the first two coordinates give a line of four
//! cells, an order of these cells is drawn, and the first blank one is marked. A table lists the
//! cells of each draw in order, so a turn only has to find the first blank one. The second choice
//! is drawn again only if the line has no blank cell, which is rare, and the first only if its
//! plane has none.

use std::hint::select_unpredictable;

use super::{AXES, CELLS, LINES_THROUGH, PLANES, Qubic, side};
use crate::Ruleset;
use crate::rollout::PlayOut;
use quintet_core::game::{Game, Outcome, Rng, Rollout};

/// The orders of four values that a turn may draw from. Within any subset of the values, each comes
/// first equally often; these 12 of the 24 orders are enough for that.
const ORDERS: [[usize; 4]; 12] = {
    // Each value first, then the others by their XOR with it in one of three orders.
    const DIFFERENCES: [[usize; 4]; 3] = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2]];
    let mut orders = [[0; 4]; 12];
    const_for!(0..12, |n| {
        const_for!(0..4, |i| {
            orders[n][i] = (n % 4) ^ DIFFERENCES[n / 4][i];
        });
    });
    orders
};

/// The number of draws of a turn: four values for the first choice, four for the second, and the
/// orders.
const DRAWS: usize = 4 * 4 * ORDERS.len();

/// The cells of a line in the order in which they are tried, each as a mask.
type Candidates = [u64; 4];

/// `CANDIDATES[axis][draw]`, for a turn whose first choice is on `axis`.
static CANDIDATES: [[Candidates; DRAWS]; AXES] = {
    let mut table = [[[0; 4]; DRAWS]; AXES];
    const_for!(0..AXES, |axis| {
        const_for!(0..DRAWS, |draw| {
            let line = PLANES[axis][draw / 48] & PLANES[(axis + 1) % AXES][draw / 12 % 4];
            const_for!(0..4, |i| {
                table[axis][draw][i] = line & PLANES[(axis + 2) % AXES][ORDERS[draw % 12][i]];
            });
        });
    });
    table
};

/// The first candidate that is blank; the last if none is.
#[inline(always)]
fn first_blank(candidates: &Candidates, blank: u64) -> u64 {
    let [a, b, c, d] = *candidates;
    // The result is unpredictable, and a misprediction costs more than three conditional moves.
    let other = select_unpredictable(blank & c != 0, c, d);
    let other = select_unpredictable(blank & b != 0, b, other);
    select_unpredictable(blank & a != 0, a, other)
}

/// The cell marked by a turn that has drawn a line without a blank cell.
#[cold]
#[inline(never)]
fn redraw(blank: u64, axis: usize, draw: usize, rng: &mut Rng) -> u64 {
    let (mut first, order) = (draw / 48, draw % 12);
    while blank & PLANES[axis][first] == 0 {
        first = (rng.bits() >> 62) as usize;
    }
    loop {
        let second = (rng.bits() >> 62) as usize;
        let mark = first_blank(&CANDIDATES[axis][48 * first + 12 * second + order], blank);
        if mark & blank != 0 {
            return mark;
        }
    }
}

/// The number of turns drawn from one word.
const TURNS: u32 = 6;

/// A word from which [`TURNS`] draws can be taken, every combination equally likely:
/// Brackett-Rozinsky and Lemire, "Batched ranged random integer generation", 2024.
#[inline(always)]
fn draws(rng: &mut Rng) -> u64 {
    const PRODUCT: u64 = (DRAWS as u64).pow(TURNS);
    const REJECTED: u64 = PRODUCT.wrapping_neg() % PRODUCT;
    loop {
        let word = rng.bits();
        if word.wrapping_mul(PRODUCT) >= REJECTED {
            return word;
        }
    }
}

/// Takes a draw from the word.
#[inline(always)]
fn take(word: &mut u64) -> usize {
    let wide = u128::from(*word) * DRAWS as u128;
    *word = wide as u64;
    (wide >> 64) as usize
}

impl<R: Ruleset> PlayOut for Qubic<R> {
    #[inline(always)]
    fn play_out(&self, rng: &mut Rng) -> Rollout {
        // Finish the current turn.
        let mut start = *self;
        let mut plies = 0;
        while start.chosen > 0 {
            let mv = start.random_move(rng);
            start.apply(mv);
            plies += 1;
        }
        if let Some(outcome) = start.outcome {
            return Rollout { outcome, plies };
        }

        let [mut x, mut o] = start.marks;
        let mut blank = start.blank();
        let before = blank.count_ones();
        let ended =
            |outcome, blank: u64| Rollout { outcome, plies: plies + 3 * (before - blank.count_ones()) };
        macro_rules! turn {
            ($own:ident, $team:literal, $axis:expr, $word:expr, $check:literal) => {{
                let draw = take(&mut $word);
                let mut mark = first_blank(&CANDIDATES[$axis][draw % DRAWS], blank);
                if mark & blank == 0 {
                    mark = redraw(blank, $axis, draw, rng);
                }
                blank ^= mark;
                $own |= mark;
                if $check && completes_line($own, mark) {
                    return ended(Outcome::Win(side($team)), blank);
                }
            }};
        }
        let mut turns = usize::from(start.turns);
        if !turns.is_multiple_of(2) {
            let mut word = draws(rng);
            turn!(o, 1, if R::IS_GGP { turns / 2 % AXES } else { 0 }, word, true);
            turns += 1;
            if blank == 0 {
                return ended(Outcome::Draw, blank);
            }
        }
        let axes: [usize; AXES] = std::array::from_fn(|i| if R::IS_GGP { (turns / 2 + i) % AXES } else { 0 });
        if turns == 0 {
            // No team completes a line within three marks.
            let mut word = draws(rng);
            for axis in axes {
                turn!(x, 0, axis, word, false);
                turn!(o, 1, axis, word, false);
            }
        }
        loop {
            let mut word = draws(rng);
            for axis in axes {
                turn!(x, 0, axis, word, true);
                turn!(o, 1, axis, word, true);
                // Team O makes the last mark, so check only here.
                if blank == 0 {
                    return ended(Outcome::Draw, blank);
                }
            }
        }
    }
}

/// Whether `marks` has a line through the single cell of `mark`.
#[inline(always)]
fn completes_line(marks: u64, mark: u64) -> bool {
    let missing = !marks;
    // No early exit, so that the compiler checks several lines at once.
    let mut any = false;
    for line in &LINES_THROUGH[mark.trailing_zeros() as usize % CELLS] {
        any |= missing & line == 0;
    }
    any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_blank_cell_comes_first_equally_often() {
        for blank in 1_usize..16 {
            let mut counts = [0; 4];
            for order in ORDERS {
                let first = order.into_iter().find(|value| blank >> value & 1 == 1);
                counts[first.expect("an order has all values")] += 1;
            }
            for (value, count) in counts.into_iter().enumerate() {
                let share =
                    if blank >> value & 1 == 1 { ORDERS.len() as u32 / blank.count_ones() } else { 0 };
                assert_eq!(count, share, "value {value} of {blank:#b}");
            }
        }
    }

    #[test]
    fn each_draw_orders_the_cells_of_its_line() {
        for (axis, table) in CANDIDATES.iter().enumerate() {
            for (draw, candidates) in table.iter().enumerate() {
                let line = candidates.iter().fold(0, |line, cell| line | cell);
                assert!(candidates.iter().all(|cell| cell.is_power_of_two()));
                assert_eq!(line.count_ones(), 4);
                assert_eq!(line & !PLANES[axis][draw / 48], 0);
                assert_eq!(line & !PLANES[(axis + 1) % AXES][draw / 12 % 4], 0);
            }
        }
    }
}
