//! Fast rollouts of Gomoku.
//!
//! After the set-up a random game is a random order of the empty cells, the colors taking turns. It ends
//! when the first run of the winning length is complete, with nothing of its color beyond its ends *at that
//! time*. To know that takes far less than the whole order. Of the first so many stones of each color, the
//! numbers chosen without a look at the order, all places are equally likely, and given the places, all orders
//! of each color. So the places are drawn in stages, with a few random words for the whole board; the windows
//! that one color fills are found with a few shifts; and when a stone came is drawn when a window asks.

use super::{BLACK, CELLS, Gomoku, PLAY, ROOM, STEPS, WHITE, nth_bit_wide};
use crate::Ruleset;
use quintet_core::cpu::Work;
use quintet_core::game::{Game, Outcome, Rng, Rollout};

/// The time of a stone for which none has been drawn; later than all others.
const NEVER: u8 = 0xFF;

/// Room for the stones of one color, of which there are 61 at most; a power of two.
const PILE: usize = 64;

const IN_ORDER: [u8; PILE] = {
    let mut table = [0; PILE];
    let mut n = 0;
    while n < PILE {
        table[n] = n as u8;
        n += 1;
    }
    table
};

/// When the stones of a stage come, as far as that has been asked for. Times are plies from the start of the
/// rollout.
struct Times {
    /// The time of each cell's stone.
    of: [u8; 128],
    /// For each color, the places in the order of its stones of this stage; those before `drawn` are taken.
    places: [[u8; PILE]; 2],
    drawn: [u32; 2],
    /// The stones of each color that come in this stage.
    count: [u32; 2],
    /// The time of each color's first stone of this stage.
    base: [u32; 2],
}

impl Times {
    /// When the stone of this color on `cell` comes, which is one of this stage.
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

    /// The latest time of the stones on `cells`, which are counted from `start`; if it is not before `limit`,
    /// any that is not.
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

/// The cells of a window along each direction, from cell 0 on.
const fn windows_from_0(length: usize) -> [u64; 4] {
    let mut table = [0; 4];
    let mut direction = 0;
    while direction < 4 {
        let mut n = 0;
        while n < length {
            table[direction] |= 1 << (n * STEPS[direction]);
            n += 1;
        }
        direction += 1;
    }
    table
}

/// The bits of a share of the empty cells.
const SHARE_BITS: u32 = 3;
/// The share that is all of them.
const ALL_OF_THEM: u8 = 1 << SHARE_BITS;

/// For each number of empty cells, the share to fill so that there are about `stones` on the board.
const fn shares(stones: usize) -> [u8; CELLS + 1] {
    let all = ALL_OF_THEM as usize;
    let mut table = [0; CELLS + 1];
    let mut empty = 1;
    while empty <= CELLS {
        let there = CELLS - empty;
        let share = if stones > there { (all * (stones - there) + empty / 2) / empty } else { 0 };
        table[empty] = if stones < CELLS && share == all { share - 1 } else { share } as u8;
        empty += 1;
    }
    table
}

impl<R: Ruleset> Gomoku<R> {
    const WINDOWS_FROM_0: [u64; 4] = windows_from_0(Self::WINNING);

    /// The stages, by the stones on the board when lines are looked for; measured.
    const STAGES: &'static [[u8; CELLS + 1]] = if R::IS_GGP {
        &[shares(76), shares(98), shares(110), shares(CELLS)]
    } else {
        &[shares(106), shares(CELLS)]
    };
}

/// A rollout, as work to be compiled for several processors.
pub(super) struct RandomGame<'a, R: Ruleset> {
    pub(super) position: &'a Gomoku<R>,
    pub(super) rng: &'a mut Rng,
}

impl<R: Ruleset> Work for RandomGame<'_, R> {
    type Output = Rollout;

    #[inline(always)]
    fn run(self) -> Rollout {
        rollout(self.position, self.rng)
    }
}

/// Plays uniformly random moves from `position`, which is not over.
#[inline(always)]
fn rollout<R: Ruleset>(position: &Gomoku<R>, rng: &mut Rng) -> Rollout {
    let mut start = *position;
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
    // When the first line is complete.
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
            // A window of known stones was there in the stage before.
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
            // It has to be complete before the stones beyond its ends come.
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
        // The stones of one color go on for longer than those of the other.
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

/// The stones of the next stage, and how many there are of each color: about so large a share of the empty
/// cells, where so many stones of each color are still to come.
#[inline(always)]
fn stones(empty: u128, share: u8, rest: [u32; 2], rng: &mut Rng) -> ([u128; 2], [u32; 2]) {
    let mut board = || u128::from(rng.bits()) | u128::from(rng.bits()) << 64;
    let mut chosen = empty;
    if share != ALL_OF_THEM {
        // Digit by digit, each bit of the result is more likely set by as much as the digit says.
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
    let mut count = stones.map(u128::count_ones);
    // Numbers of stones that leave too many of one color for the cells that are left are put right by
    // turning random stones over: whatever the numbers, all places stay equally likely.
    loop {
        let too_many = if count[BLACK] > rest[BLACK] {
            BLACK
        } else if count[WHITE] > rest[WHITE] {
            WHITE
        } else {
            break;
        };
        let cell = 1 << nth_bit_wide(stones[too_many], rng.below(count[too_many] as usize));
        stones = stones.map(|it| it ^ cell);
        count[too_many] -= 1;
        count[1 - too_many] += 1;
    }
    (stones, count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ggp, Spec};
    use quintet_core::cpu::Cpu;

    fn same_on_every_cpu<R: Ruleset>() {
        let mut rng = Rng::stream(32, 0);
        let mut position = Gomoku::<R>::initial();
        while position.outcome().is_none() {
            let rollouts = |cpu: Cpu| {
                let mut rng = Rng::stream(33, 0);
                let all = [(); 101].map(|()| cpu.run(RandomGame { position: &position, rng: &mut rng }));
                (all, rng.bits())
            };
            for cpu in Cpu::all() {
                assert_eq!(rollouts(cpu), rollouts(Cpu::PORTABLE), "{position} with {}", cpu.name());
            }
            position.apply(position.random_move(&mut rng));
        }
    }

    #[test]
    fn rollouts_come_out_the_same_on_every_cpu() {
        same_on_every_cpu::<Spec>();
        same_on_every_cpu::<Ggp>();
    }

    #[test]
    fn stones_are_no_more_than_are_to_come_and_all_of_them_in_the_end() {
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
