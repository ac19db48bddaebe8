//! Fast rollouts of Gomoku.
//!
//! After the set-up a random game is a random order of the empty cells, the colours taking turns. It ends
//! when the first run of the winning length is complete, with nothing of its colour beyond its ends *at that
//! time*. So no stone has to be looked at when it is placed: the order is drawn for a good part of the board
//! at once, and then the windows that one colour fills are found with a few shifts of the whole board, and
//! for each the time at which its last stone came.

use super::{BLACK, CELLS, Gomoku, PLAY, ROOM, STEPS, WHITE};
use crate::game::{Game, Outcome, Rng, Rollout};
use crate::games::Ruleset;
use crate::games::shuffle::Shuffle;

/// The time of a cell that is empty so far: its high bit tells it from all others.
const NEVER: u8 = 0xFF;

/// The time of each cell's stone. Black's times are even, white's are odd; the stones that were there from
/// the start have 0 and 1.
struct Times([u8; 128]);

impl Times {
    /// The masks of the black and of the white stones.
    #[inline]
    fn stones(&self) -> [u128; 2] {
        let mut halves = [[0_u64; 2]; 2];
        for (half, times) in self.0.chunks_exact(64).enumerate() {
            for (index, eight) in times.chunks_exact(8).enumerate() {
                let word = u64::from_le_bytes(std::array::from_fn(|i| eight[i]));
                // A bit in the lowest place of each byte, gathered in the highest byte.
                let gather =
                    |bits: u64| (bits & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
                let placed = !(word >> 7);
                halves[BLACK][half] |= gather(placed & !word) << (8 * index);
                halves[WHITE][half] |= gather(placed & word) << (8 * index);
            }
        }
        halves.map(|[low, high]| u128::from(low) | u128::from(high) << 64)
    }
}

/// `STARTS[direction]`: the cells from which a window of five or six cells along that direction stays on the
/// board.
const fn starts(length: usize) -> [u128; 4] {
    let mut table = [0; 4];
    let mut direction = 0;
    while direction < 4 {
        let mut cell = 0;
        while cell < CELLS {
            if ROOM[cell][direction][1] as usize >= length - 1 {
                table[direction] |= 1 << cell;
            }
            cell += 1;
        }
        direction += 1;
    }
    table
}

impl<R: Ruleset> Gomoku<R> {
    const STARTS: [u128; 4] = starts(Self::WINNING);

    /// The stones on the board when lines are looked for, as long as the game was not over before; measured.
    const STAGES: &'static [usize] = if R::IS_GGP { &[76, 96, CELLS] } else { &[104, CELLS] };

    /// The time at which the first line of one colour, whose stones are `stones`, is complete; [`NEVER`] if
    /// none is.
    #[inline]
    fn first_line(stones: u128, times: &Times) -> u8 {
        let mut first = NEVER;
        for (direction, step) in STEPS.into_iter().enumerate() {
            // The cells that start a window full of stones.
            let pairs = stones & stones >> step;
            let fours = pairs & pairs >> (2 * step);
            let rest = if Self::WINNING == 5 { stones } else { pairs };
            let mut windows = fours & rest >> (4 * step) & Self::STARTS[direction];
            while windows != 0 {
                let start = windows.trailing_zeros() as usize % CELLS;
                windows &= windows - 1;
                let at = |n: usize| times.0[(start + n * step) % 128];
                let complete = (0..Self::WINNING).map(at).max().unwrap_or(NEVER);
                let [before, after] = ROOM[start][direction];
                // A stone of the colour beyond an end, there in time, makes the run too long.
                let is_open = |cell: usize| {
                    let time = times.0[cell % 128];
                    time > complete || (time ^ complete) & 1 == 1
                };
                let ends_open = (before == 0 || is_open(start.wrapping_sub(step)))
                    && (usize::from(after) < Self::WINNING || is_open(start + Self::WINNING * step));
                if ends_open {
                    first = first.min(complete);
                }
            }
        }
        first
    }
}

/// Plays uniformly random moves from `position`, which is not over.
#[inline]
pub(super) fn rollout<R: Ruleset>(position: &Gomoku<R>, rng: &mut Rng) -> Rollout {
    /// Cells drawn at a time: the product of four bounds of at most 121 fits a word with room to spare.
    const CHUNK: usize = 4;

    let mut start = *position;
    let mut setup_plies = 0;
    while start.step != PLAY {
        let mv = start.random_move(rng);
        start.apply(mv);
        setup_plies += 1;
    }
    let mut order = Shuffle::new(start.empty().to_le_bytes());
    let mut times = Times([NEVER; 128]);
    for (color, stones) in start.stones.into_iter().enumerate() {
        for cell in super::bits(stones) {
            times.0[usize::from(cell)] = color as u8;
        }
    }
    // The first stone comes at time 2 or 3, whichever has its colour's parity.
    let base = 2 + start.color();
    let there = CELLS - order.len();
    let mut placed = 0;
    for &stage in Gomoku::<R>::STAGES {
        while there + placed < stage {
            order.draw::<CHUNK>(placed, rng);
            for n in placed..placed + CHUNK {
                if n < order.len() {
                    times.0[usize::from(order.cell(n)) % 128] = (base + n) as u8;
                }
            }
            placed = (placed + CHUNK).min(order.len());
        }
        let [black, white] = times.stones();
        let first = Gomoku::<R>::first_line(black, &times).min(Gomoku::<R>::first_line(white, &times));
        if first != NEVER {
            let outcome = Outcome::Win(start.owner(usize::from(first) % 2));
            return Rollout { outcome, plies: setup_plies + u32::from(first) - base as u32 + 1 };
        }
    }
    Rollout { outcome: Outcome::Draw, plies: setup_plies + order.len() as u32 }
}
