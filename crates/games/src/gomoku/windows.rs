//! Finds the windows of five or six cells that one color fills.
//!
//! Each color and direction has a board of its own. The loops over the boards have no branches, so
//! the compiler vectorizes them.

use super::{CELLS, Gomoku, ROOM, STEPS};
use crate::Ruleset;

/// The number of boards: one for each color and direction.
const BOARDS: usize = 8;

/// A mask of cells for each color and direction, in two words. Aligned to cache lines, because a
/// load across two of them takes twice as long.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Boards {
    low: [u64; BOARDS],
    high: [u64; BOARDS],
}

/// The direction of a board.
const fn direction(board: usize) -> usize {
    board % STEPS.len()
}

/// The color of a board.
const fn color(board: usize) -> usize {
    board / STEPS.len()
}

impl Boards {
    /// The cells with room for at least `beyond` more cells against (0) or along (1) the direction.
    const fn with_room(beyond: usize, end: usize) -> Self {
        let mut boards = Self { low: [0; BOARDS], high: [0; BOARDS] };
        const_for!(0..BOARDS, |board| {
            let mut cells = 0_u128;
            const_for!(0..CELLS, |cell| {
                if ROOM[cell][direction(board)][end] as usize >= beyond {
                    cells |= 1 << cell;
                }
            });
            boards.low[board] = cells as u64;
            boards.high[board] = (cells >> 64) as u64;
        });
        boards
    }
}

/// `STEP[board]`: the difference in cell number of a step along the board's direction.
static STEP: [u64; BOARDS] = {
    let mut table = [0; BOARDS];
    const_for!(0..BOARDS, |board| {
        table[board] = STEPS[direction(board)] as u64;
    });
    table
};

/// One word of each color's stones, copied to all boards of that color.
#[inline(always)]
fn spread(stones: [u128; 2], shift: u32) -> [u64; BOARDS] {
    let mut words = [0; BOARDS];
    for i in 0..BOARDS {
        words[i] = (stones[color(i)] >> shift) as u64;
    }
    words
}

/// The cells shifted by `shift` < 64 against the direction.
#[inline(always)]
fn back([low, high]: [u64; 2], shift: u64) -> [u64; 2] {
    [low >> shift | high << 1 << (63 - shift), high >> shift]
}

/// The cells shifted by `shift` < 64 along the direction.
#[inline(always)]
fn ahead([low, high]: [u64; 2], shift: u64) -> [u64; 2] {
    [low << shift, high << shift | low >> 1 >> (63 - shift)]
}

#[inline(always)]
fn and([a, b]: [u64; 2], [c, d]: [u64; 2]) -> [u64; 2] {
    [a & c, b & d]
}

#[inline(always)]
fn or([a, b]: [u64; 2], [c, d]: [u64; 2]) -> [u64; 2] {
    [a | c, b | d]
}

#[inline(always)]
fn not([a, b]: [u64; 2]) -> [u64; 2] {
    [!a, !b]
}

/// A window that one color fills.
pub(super) struct Window {
    pub(super) color: usize,
    pub(super) direction: usize,
    /// The first cell; the others follow along the direction.
    pub(super) cell: usize,
}

/// Windows to be popped one by one.
#[derive(Clone, Copy)]
pub(super) struct Windows {
    starts: Boards,
    /// The boards with windows left, one bit each.
    left: u64,
}

impl Windows {
    /// Removes and returns the next window. Both words are updated without branches, which the
    /// processor could not predict.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<Window> {
        if self.left == 0 {
            return None;
        }
        let board = self.left.trailing_zeros() as usize % BOARDS;
        let (low, high) = (&mut self.starts.low[board], &mut self.starts.high[board]);
        let in_low = *low != 0;
        let cell = if in_low { low.trailing_zeros() } else { 64 + high.trailing_zeros() };
        *high = if in_low { *high } else { *high & high.wrapping_sub(1) };
        *low &= low.wrapping_sub(1);
        self.left ^= u64::from(*low | *high == 0) << board;
        Some(Window { color: color(board), direction: direction(board), cell: cell as usize % CELLS })
    }
}

impl<R: Ruleset> Gomoku<R> {
    const STARTS: Boards = Boards::with_room(Self::WINNING - 1, 1);
    const HAS_BEFORE: Boards = Boards::with_room(1, 0);
    const HAS_AFTER: Boards = Boards::with_room(Self::WINNING, 1);

    /// Returns the windows filled by one color's `known` and `new` stones that no known stone
    /// beyond an end makes too long: first those with no stone of their color beyond either end,
    /// then those with a new one. Windows without a new stone are included.
    #[inline(always)]
    pub(super) fn windows(known: [u128; 2], new: [u128; 2]) -> [Windows; 2] {
        let (known_low, known_high) = (spread(known, 0), spread(known, 64));
        let (new_low, new_high) = (spread(new, 0), spread(new, 64));
        let (mut open_low, mut open_high) = ([0; BOARDS], [0; BOARDS]);
        let (mut longer_low, mut longer_high) = ([0; BOARDS], [0; BOARDS]);
        let (mut open_left, mut longer_left) = (0, 0);
        for i in 0..BOARDS {
            let step = STEP[i];
            let known = [known_low[i], known_high[i]];
            let new = [new_low[i], new_high[i]];
            let all = or(known, new);
            let pairs = and(all, back(all, step));
            let fours = and(pairs, back(pairs, 2 * step));
            let full = and(fours, back(if R::IS_GGP { all } else { pairs }, 4 * step));
            // The starts of windows that have one of these stones beyond an end.
            let before = [Self::HAS_BEFORE.low[i], Self::HAS_BEFORE.high[i]];
            let after = [Self::HAS_AFTER.low[i], Self::HAS_AFTER.high[i]];
            let beyond = |stones| {
                let end =
                    if R::IS_GGP { back(stones, 5 * step) } else { back(back(stones, 3 * step), 3 * step) };
                or(and(ahead(stones, step), before), and(end, after))
            };
            let starts = [Self::STARTS.low[i], Self::STARTS.high[i]];
            let possible = and(and(full, starts), not(beyond(known)));
            let beyond_new = beyond(new);
            let [low, high] = and(possible, not(beyond_new));
            open_low[i] = low;
            open_high[i] = high;
            open_left |= u64::from(low | high != 0) << i;
            let [low, high] = and(possible, beyond_new);
            longer_low[i] = low;
            longer_high[i] = high;
            longer_left |= u64::from(low | high != 0) << i;
        }
        [
            Windows { starts: Boards { low: open_low, high: open_high }, left: open_left },
            Windows { starts: Boards { low: longer_low, high: longer_high }, left: longer_left },
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gomoku::ALL;
    use crate::{Ggp, Spec};
    use quintet_core::game::Rng;

    /// Color, direction and first cell of all windows, sorted.
    fn popped(mut windows: Windows) -> Vec<(usize, usize, usize)> {
        let pop = || windows.pop().map(|it| (it.color, it.direction, it.cell));
        let mut list: Vec<_> = std::iter::from_fn(pop).collect();
        list.sort_unstable();
        list
    }

    /// The same windows, found cell by cell.
    fn found_by_cell<R: Ruleset>(known: [u128; 2], new: [u128; 2]) -> [Vec<(usize, usize, usize)>; 2] {
        let [mut open, mut longer] = [Vec::new(), Vec::new()];
        for color in 0..2 {
            for direction in 0..4 {
                for (cell, room) in ROOM.iter().enumerate() {
                    let [before, after] = room[direction].map(usize::from);
                    let has = |stones: u128, at: usize| stones >> at & 1 == 1;
                    let step = STEPS[direction];
                    let length = Gomoku::<R>::WINNING;
                    let all = known[color] | new[color];
                    if after + 1 < length || !(0..length).all(|n| has(all, cell + n * step)) {
                        continue;
                    }
                    let beyond = |stones: u128| {
                        before > 0 && has(stones, cell - step)
                            || after >= length && has(stones, cell + length * step)
                    };
                    if beyond(new[color]) && !beyond(known[color]) {
                        longer.push((color, direction, cell));
                    } else if !beyond(known[color]) {
                        open.push((color, direction, cell));
                    }
                }
            }
        }
        [open, longer]
    }

    fn agrees<R: Ruleset>() {
        let mut rng = Rng::stream(31, 0);
        let mut board = || u128::from(rng.bits()) << 64 | u128::from(rng.bits());
        let mut found = [0; 2];
        for round in 0..2_000 {
            // About 7/8 of the board is taken; black has 1/2 or 3/4 of that.
            let (taken, black) = (
                ALL & (board() | board() | board()),
                if round % 2 == 0 { board() } else { board() | board() },
            );
            let is_new = board();
            let stones = [taken & black, taken & !black];
            let (known, new) = (stones.map(|it| it & !is_new), stones.map(|it| it & is_new));
            let windows = Gomoku::<R>::windows(known, new).map(popped);
            assert_eq!(windows, found_by_cell::<R>(known, new), "{known:x?} {new:x?}");
            for (found, windows) in found.iter_mut().zip(windows) {
                *found += windows.len();
            }
        }
        assert!(found.iter().all(|&found| found > 1_000), "{found:?}");
    }

    #[test]
    fn windows_agree_with_a_search_cell_by_cell() {
        agrees::<Spec>();
        agrees::<Ggp>();
    }
}
