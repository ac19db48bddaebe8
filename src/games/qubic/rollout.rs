//! Fast rollouts of Qubic.
//!
//! The blank cells are kept in an order of their own, 16 × row + 4 × column + level, so that the cells of a
//! row are 16 neighbouring bits and those of a row and column four. The values that are legal for a choice
//! then come out of a few shifts as a mask of four bits, and a table picks one of them.

use super::{CELLS, LINES_THROUGH, Qubic, coordinates, side};
use crate::game::{Game, Outcome, Rng, Rollout};
use crate::games::Ruleset;

/// The lowest bit of each group of four.
const NIBBLES: u64 = 0x1111_1111_1111_1111;
/// The lowest bit of each group of sixteen.
const LANES: u64 = 0x0001_0001_0001_0001;

/// Every number of values from 1 to 4 divides this.
const PICKS: u64 = 12;

/// `PICK[n][values]`: the `n`-th of the values in a mask of four bits, counted round and round; with `n`
/// uniform below [`PICKS`] each is equally likely.
static PICK: [[u8; 16]; PICKS as usize] = {
    let mut table = [[0; 16]; PICKS as usize];
    let mut values = 1;
    while values < 16 {
        let (mut n, mut value) = (0, 0);
        while n < PICKS as usize {
            if values >> (value % 4) & 1 == 1 {
                table[n][values] = value as u8 % 4;
                n += 1;
            }
            value += 1;
        }
        values += 1;
    }
    table
};

/// The place of each cell in the order of rollouts.
const fn place(cell: usize) -> usize {
    let [row, column, level] = coordinates(cell);
    16 * row + 4 * column + level
}

/// [`LINES_THROUGH`], cells and lines both in the order of rollouts.
static LINES: [[u64; 7]; CELLS] = {
    let mut table = [[0; 7]; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let mut line = 0;
        while line < 7 {
            let mut other = 0;
            while other < CELLS {
                if LINES_THROUGH[cell][line] >> other & 1 == 1 {
                    table[place(cell)][line] |= 1 << place(other);
                }
                other += 1;
            }
            line += 1;
        }
        cell += 1;
    }
    table
};

/// `marks`, in the order of rollouts.
fn placed(marks: u64) -> u64 {
    super::bits(marks).map(|cell| 1 << place(usize::from(cell))).sum()
}

/// Gathers the lowest bits of four lanes.
#[inline]
const fn gather_lanes(bits: u64) -> u64 {
    bits.wrapping_mul(1 << 48 | 1 << 33 | 1 << 18 | 1 << 3) >> 48 & 15
}

/// Gathers the lowest bits of the four groups of four in the lowest 16 bits.
#[inline]
const fn gather_groups(bits: u64) -> u64 {
    bits.wrapping_mul(0x1248) >> 12 & 15
}

/// Which lanes are not empty.
#[inline]
const fn lanes(bits: u64) -> u64 {
    // What is added carries into the top bit of a lane from any bit below.
    const BELOW: u64 = LANES * 0x7FFF;
    gather_lanes((((bits & BELOW) + BELOW) | bits) >> 15 & LANES)
}

/// Which groups of four of the lowest 16 bits are not empty.
#[inline]
const fn groups(bits: u64) -> u64 {
    let pairs = bits | bits >> 2;
    gather_groups((pairs | pairs >> 1) & 0x1111)
}

/// Chooses the coordinates of a cell of `blank`, starting with axis `first`, with one of [`PICKS`] for each
/// choice.
#[inline]
fn choose(blank: u64, first: u8, picks: [usize; 3]) -> u64 {
    let pick = |values: u64, n: usize| u64::from(PICK[picks[n] % PICKS as usize][values as usize & 15]);
    // Mostly all four values are legal. With a branch that says so the processor goes on with the value
    // before it knows the board; the black box keeps the compiler from joining the two ways into one without
    // a branch.
    let pick_mostly_any = |values: u64, n: usize| {
        if values == 15 { (picks[n] & 3) as u64 } else { std::hint::black_box(pick(values, n)) }
    };
    let fold = || {
        let halves = blank | blank >> 32;
        (halves | halves >> 16) & 0xFFFF
    };
    match first {
        // Row, column, level.
        0 => {
            let row = pick_mostly_any(lanes(blank), 0);
            let column = pick_mostly_any(groups(blank >> (16 * row) & 0xFFFF), 1);
            let at = 16 * row + 4 * column;
            at + pick(blank >> at & 15, 2)
        }
        // Column, level, row.
        1 => {
            let over_rows = fold();
            let column = pick_mostly_any(groups(over_rows), 0);
            let level = pick_mostly_any(over_rows >> (4 * column) & 15, 1);
            let row = pick(gather_lanes(blank >> (4 * column + level) & LANES), 2);
            16 * row + 4 * column + level
        }
        // Level, row, column.
        _ => {
            let over_rows = fold();
            let over_columns = over_rows | over_rows >> 8;
            let level = pick_mostly_any((over_columns | over_columns >> 4) & 15, 0);
            let row = pick_mostly_any(lanes(blank >> level & NIBBLES), 1);
            let column = pick(gather_groups(blank >> (16 * row + level) & 0x1111), 2);
            16 * row + 4 * column + level
        }
    }
}

/// Draws three picks for each of two marks from one word, every combination equally likely; see
/// [`Shuffle::draw`](crate::games::shuffle::Shuffle::draw) for how.
#[inline]
fn draw(rng: &mut Rng) -> [[usize; 3]; 2] {
    const PRODUCT: u64 = PICKS.pow(6);
    const UNFAIR: u64 = PRODUCT.wrapping_neg() % PRODUCT;
    loop {
        let mut word = rng.bits();
        let picks = std::array::from_fn(|_| {
            std::array::from_fn(|_| {
                let wide = u128::from(word) * u128::from(PICKS);
                word = wide as u64;
                (wide >> 64) as usize
            })
        });
        if word >= UNFAIR {
            return picks;
        }
    }
}

/// Plays uniformly random moves from `position`, which is not over.
#[inline]
pub(super) fn rollout<R: Ruleset>(position: &Qubic<R>, rng: &mut Rng) -> Rollout {
    // Finish the turn that has been begun.
    let mut start = *position;
    let mut plies = 0;
    while start.chosen > 0 {
        let mv = start.random_move(rng);
        start.apply(mv);
        plies += 1;
    }
    if let Some(outcome) = start.outcome {
        return Rollout { outcome, plies };
    }

    let [mut x, mut o] = start.marks.map(placed);
    let mut blank = !(x | o);
    let mut turns = start.turns;
    macro_rules! turn {
        ($own:ident, $team:literal, $picks:expr) => {{
            let first = if R::IS_GGP { turns / 2 % 3 } else { 0 };
            let cell = choose(blank, first, $picks) as usize % CELLS;
            blank ^= 1 << cell;
            $own |= 1 << cell;
            turns += 1;
            plies += 3;
            if completes_line($own, cell) {
                return Rollout { outcome: Outcome::Win(side($team)), plies };
            }
        }};
    }
    if !turns.is_multiple_of(2) {
        let [picks, _] = draw(rng);
        turn!(o, 1, picks);
    }
    while usize::from(turns) < CELLS {
        let [picks_of_x, picks_of_o] = draw(rng);
        turn!(x, 0, picks_of_x);
        turn!(o, 1, picks_of_o);
    }
    Rollout { outcome: Outcome::Draw, plies }
}

/// Whether `marks` has a line through `cell`.
#[inline]
fn completes_line(marks: u64, cell: usize) -> bool {
    let missing = !marks;
    LINES[cell].iter().any(|line| missing & line == 0)
}
