//! Fast rollouts of Quarto.
//!
//! A random game is a random order of the empty cells and, independent of it, a random order of the pieces.
//! Played on past its end, it fills the board; the game is over as soon as the first of the lines that share
//! a bit is full, and the time of that is the latest time of its four cells. So nothing has to be looked at
//! move by move.

use super::{CELLS, LANES, LINES, Quarto, SPREAD, has_zero_lane};
use crate::game::{Outcome, Rng, Rollout};
use crate::games::Ruleset;
use crate::games::shuffle::Shuffle;

/// The cells of each line.
static CELLS_OF: [[u8; 4]; LINES.len()] = {
    let mut table = [[0; 4]; LINES.len()];
    let mut line = 0;
    while line < LINES.len() {
        let (mut cell, mut found) = (0, 0);
        while cell < CELLS {
            if LINES[line] >> cell & 1 == 1 {
                table[line][found] = cell as u8;
                found += 1;
            }
            cell += 1;
        }
        line += 1;
    }
    table
};

/// Plays uniformly random moves from `position`, which is not over.
#[inline]
pub(super) fn rollout<R: Ruleset>(position: &Quarto<R>, rng: &mut Rng) -> Rollout {
    /// Draws at a time: the product of eight bounds of at most 16 fits a word with room to spare.
    const CHUNK: usize = 8;

    let mut cells = Shuffle::new(u128::from(!position.occupied()));
    let mut pieces = Shuffle::new(u128::from(position.pool));
    let (hand, in_hand) = (position.hand.unwrap_or(0), usize::from(position.hand.is_some()));
    for from in (0..cells.len()).step_by(CHUNK) {
        cells.draw::<CHUNK>(from, rng);
        if from < pieces.len() {
            pieces.draw::<CHUNK>(from, rng);
        }
    }

    let mut ones = position.ones;
    // When each cell is filled; 0 is from the start.
    let mut times = [0_u8; CELLS];
    for n in 0..cells.len() {
        let cell = usize::from(cells.cell(n)) % CELLS;
        let piece = if n < in_hand { hand } else { pieces.cell(n - in_hand) };
        times[cell] = n as u8 + 1;
        ones |= SPREAD[usize::from(piece) % 16] << cell;
    }

    let mut first = u8::MAX;
    for (line, cells) in LINES.iter().zip(&CELLS_OF) {
        let lanes = u64::from(*line) * LANES;
        let shares = has_zero_lane(lanes & !ones) | has_zero_lane(lanes & ones);
        let [a, b, c, d] = cells.map(|cell| times[usize::from(cell) % CELLS]);
        let full = a.max(b).max(c.max(d));
        first = first.min(if shares { full } else { u8::MAX });
    }
    let (outcome, placed) = if first == u8::MAX {
        (Outcome::Draw, cells.len() as u32)
    } else {
        let mover = Quarto::<R>::side(position.placed() + u32::from(first) - 1, true);
        (Outcome::Win(mover), u32::from(first))
    };
    Rollout { outcome, plies: 2 * placed - in_hand as u32 }
}
