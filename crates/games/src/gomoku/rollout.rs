//! Fast rollouts of Gomoku.
//!
//! After the set-up a random game fills the empty cells in random order, the colors alternating. It
//! ends with the first run of the winning length that has no stone of its color beyond its ends *at
//! that time*. Finding that run does not need the whole order. The stones are placed in stages. If
//! the numbers of stones of a stage are chosen independently of the order, all placements of these
//! stones are equally likely, and given the placement, so are all orders of each color. So a few
//! random words give a placement for the whole board; a few shifts find the windows that one color
//! fills; and the time of a stone is drawn only when a window needs it.

use super::{BLACK, CELLS, Gomoku, PLAY, ROOM, STEPS, WHITE, nth_bit_wide};
use crate::Ruleset;
use crate::rollout::PlayOut;
use quintet_core::game::{Game, Outcome, Rng, Rollout};

/// The time of a stone that has not been drawn; later than all others.
const NEVER: u8 = 0xFF;

/// The capacity for the stones of one color, at most 61; a power of two.
const PILE: usize = 64;

const IN_ORDER: [u8; PILE] = {
    let mut table = [0; PILE];
    const_for!(0..PILE, |n| {
        table[n] = n as u8;
    });
    table
};

/// The times of the stones of a stage, drawn on demand. A time is a ply from the start of the
/// rollout, set-up plies not counted.
struct Times {
    /// The time of the stone on each cell, or [`NEVER`].
    of: [u8; 128],
    /// For each color, the places of its stones of this stage in order of time, 0 for the first;
    /// the first `drawn` of them are given to stones, the others are still to be drawn.
    places: [[u8; PILE]; 2],
    drawn: [u32; 2],
    /// The number of stones of each color in this stage.
    count: [u32; 2],
    /// The time of each color's first stone of this stage.
    base: [u32; 2],
}

impl Times {
    /// Returns the time of the stone of `color` on `cell`, which is one of this stage.
    #[inline(always)]
    fn get(&mut self, cell: usize, color: usize, rng: &mut Rng) -> u32 {
        let known = self.of[cell % 128];
        if known != NEVER {
            return u32::from(known);
        }
        let places = &mut self.places[color];
        let first = self.drawn[color] as usize;
        let drawn = first + rng.below(self.count[color] as usize - first);
        let place = places[drawn % PILE];
        places[drawn % PILE] = places[first % PILE];
        self.drawn[color] += 1;
        let time = self.base[color] + 2 * u32::from(place);
        self.of[cell % 128] = time as u8;
        time
    }

    /// Returns the latest time of the stones on `cells`, a mask whose bit 0 is cell `start`. If
    /// that is not before `limit`, returns any time not before `limit`.
    #[inline(always)]
    fn latest(&mut self, mut cells: u64, start: usize, color: usize, limit: u32, rng: &mut Rng) -> u32 {
        let mut latest = 0;
        while cells != 0 && latest < limit {
            let cell = start + cells.trailing_zeros() as usize;
            cells &= cells - 1;
            latest = latest.max(self.get(cell, color, rng));
        }
        latest
    }
}

/// The cells of a window relative to its first cell, for each direction.
const fn windows_from_0(length: usize) -> [u64; 4] {
    let mut table = [0; 4];
    const_for!(0..4, |direction| {
        const_for!(0..length, |n| {
            table[direction] |= 1 << (n * STEPS[direction]);
        });
    });
    table
}

/// A share of the empty cells counts parts of 1 / 2^`SHARE_BITS`.
const SHARE_BITS: u32 = 3;
/// The share that means all empty cells.
const ALL_OF_THEM: u8 = 1 << SHARE_BITS;

/// For each number of empty cells, the share to fill for about `stones` stones on the board.
const fn shares(stones: usize) -> [u8; CELLS + 1] {
    let all = ALL_OF_THEM as usize;
    let mut table = [0; CELLS + 1];
    const_for!(1..CELLS + 1, |empty| {
        let there = CELLS - empty;
        let share = if stones > there { (all * (stones - there) + empty / 2) / empty } else { 0 };
        table[empty] = if stones < CELLS && share == all { share - 1 } else { share } as u8;
    });
    table
}

impl<R: Ruleset> Gomoku<R> {
    const WINDOWS_FROM_0: [u64; 4] = windows_from_0(Self::WINNING);

    /// The stages, by the number of stones on the board when lines are searched for; chosen by
    /// measurement.
    const STAGES: &'static [[u8; CELLS + 1]] = if R::IS_GGP {
        &[shares(76), shares(98), shares(110), shares(CELLS)]
    } else {
        &[shares(106), shares(CELLS)]
    };
}

impl<R: Ruleset> PlayOut for Gomoku<R> {
    #[inline(always)]
    fn play_out(&self, rng: &mut Rng) -> Rollout {
        let mut start = *self;
        let mut setup_plies = 0;
        while start.step != PLAY {
            let mv = start.random_move(rng);
            start.apply(mv);
            setup_plies += 1;
        }
        let (mut known, mut empty) = (start.stones, start.empty());
        let plies = empty.count_ones();
        let mover = start.color();
        // The stones still to come.
        let mut rest = [plies / 2; 2];
        rest[mover] += plies % 2;
        let mut times =
            Times { of: [NEVER; 128], places: [IN_ORDER; 2], drawn: [0; 2], count: [0; 2], base: [1; 2] };
        times.base[mover] = 0;
        // The time at which the first line is complete.
        let mut first = u32::from(NEVER);
        for shares in Gomoku::<R>::STAGES {
            let share = shares[empty.count_ones() as usize % shares.len()];
            if share == 0 {
                continue;
            }
            let (new, count) = stones(empty, share, rest, rng);
            (times.places, times.drawn, times.count) = ([IN_ORDER; 2], [0; 2], count);
            let [mut open, mut longer] = Gomoku::<R>::windows(known, new);
            let fresh = |color: usize, direction: usize, cell: usize| {
                (new[color] >> cell) as u64 & Gomoku::<R>::WINDOWS_FROM_0[direction]
            };
            while let Some(window) = open.pop() {
                let (color, cell) = (window.color, window.cell);
                let fresh = fresh(color, window.direction, cell);
                // A window of known stones was handled in an earlier stage.
                if fresh != 0 {
                    first = first.min(times.latest(fresh, cell, color, u32::MAX, rng));
                }
            }
            while let Some(window) = longer.pop() {
                let (color, cell) = (window.color, window.cell);
                let fresh = fresh(color, window.direction, cell);
                if fresh == 0 {
                    continue;
                }
                // It wins only if it is complete before the stones beyond its ends are placed.
                let mut limit = first;
                let step = STEPS[window.direction];
                let [before, after] = ROOM[cell][window.direction];
                for (is_on_board, end) in [
                    (before > 0, cell.wrapping_sub(step)),
                    (usize::from(after) >= Gomoku::<R>::WINNING, cell + Gomoku::<R>::WINNING * step),
                ] {
                    if is_on_board && (new[color] >> (end % 128)) as u64 & 1 == 1 {
                        limit = limit.min(times.get(end, color, rng));
                    }
                }
                let complete = times.latest(fresh, cell, color, limit, rng);
                if complete < limit {
                    first = complete;
                }
            }
            for color in [BLACK, WHITE] {
                known[color] |= new[color];
                rest[color] -= count[color];
                times.base[color] += 2 * count[color];
            }
            empty &= !(new[BLACK] | new[WHITE]);
            // Later stages start at the smaller of these times.
            if first < times.base[BLACK].min(times.base[WHITE]) {
                break;
            }
        }
        if first == u32::from(NEVER) {
            return Rollout { outcome: Outcome::Draw, plies: setup_plies + plies };
        }
        let winner = if first % 2 == 0 { mover } else { 1 - mover };
        Rollout { outcome: Outcome::Win(start.owner(winner)), plies: setup_plies + first + 1 }
    }
}

/// Draws the stones of the next stage and returns them with their numbers by color. They fill about
/// `share` of the empty cells; `rest` is the number of stones of each color still to come.
#[inline(always)]
fn stones(empty: u128, share: u8, rest: [u32; 2], rng: &mut Rng) -> ([u128; 2], [u32; 2]) {
    let mut board = || u128::from(rng.bits()) | u128::from(rng.bits()) << 64;
    let mut chosen = empty;
    if share != ALL_OF_THEM {
        // Sets each bit with probability share / 2^SHARE_BITS, one binary digit of the share at a
        // time.
        chosen = 0;
        for digit in 0..SHARE_BITS {
            let word = board();
            let is_set = u128::from(share >> digit & 1).wrapping_neg();
            chosen = chosen & word | (chosen | word) & is_set;
        }
        chosen &= empty;
    }
    let colors = board();
    let mut stones = [chosen & colors, chosen & !colors];
    let mut count = [stones[BLACK].count_ones(), stones[WHITE].count_ones()];
    // If a color gets more stones than it has left, random ones of them change color. This keeps
    // all placements equally likely, whatever the numbers.
    loop {
        let too_many = if count[BLACK] > rest[BLACK] {
            BLACK
        } else if count[WHITE] > rest[WHITE] {
            WHITE
        } else {
            break;
        };
        let cell = 1 << nth_bit_wide(stones[too_many], rng.below(count[too_many] as usize));
        stones[BLACK] ^= cell;
        stones[WHITE] ^= cell;
        count[too_many] -= 1;
        count[1 - too_many] += 1;
    }
    (stones, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stages_place_all_stones_still_to_come_and_no_more() {
        let mut rng = Rng::stream(34, 0);
        for _ in 0..2_000 {
            let mut empty = crate::gomoku::ALL;
            let mut rest = [61, 60];
            for share in [3, 7, 5, 6, ALL_OF_THEM] {
                let (new, count) = stones(empty, share, rest, &mut rng);
                assert_eq!(new[BLACK] & new[WHITE], 0);
                assert_eq!((new[BLACK] | new[WHITE]) & !empty, 0);
                assert_eq!(new.map(u128::count_ones), count);
                for color in [BLACK, WHITE] {
                    assert!(count[color] <= rest[color]);
                    rest[color] -= count[color];
                }
                empty &= !(new[BLACK] | new[WHITE]);
            }
            assert_eq!((empty, rest), (0, [0, 0]));
        }
    }
}
