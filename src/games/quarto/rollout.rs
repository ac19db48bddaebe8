//! Fast rollouts of Quarto.
//!
//! A random game is a random order of the empty cells and, independent of it, a random order of the pieces.
//! Played on past its end, it fills the board; the game is over as soon as the first of the lines that share
//! a bit is full, and the time of that is the latest time of its four cells. So nothing has to be looked at
//! move by move.

use super::{CELLS, Quarto, SPREAD};
use crate::game::{Outcome, Rng, Rollout};
use crate::games::Ruleset;
use crate::games::shuffle::Shuffle;

/// The cells of each line: rows, columns, then the two diagonals.
static CELLS_OF: [[u8; 4]; 10] = [
    [0, 1, 2, 3],
    [4, 5, 6, 7],
    [8, 9, 10, 11],
    [12, 13, 14, 15],
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [3, 6, 9, 12],
];

/// The lines, in the order of [`CELLS_OF`], all four cells of which are in some lane of `lanes`.
#[inline]
fn sharing_lines(lanes: u64) -> u64 {
    // The cells from which four in steps of `step` follow each other, in any lane.
    let four = |step: u32| {
        let pairs = lanes & lanes >> step;
        let fours = pairs & pairs >> (2 * step);
        let halves = fours | fours >> 32;
        halves | halves >> 16
    };
    let rows = (four(1) & 0x1111).wrapping_mul(0x1248) >> 12 & 0xF;
    let columns = four(4) & 0xF;
    let diagonals = four(5) & 1 | four(3) >> 2 & 2;
    rows | columns << 4 | diagonals << 8
}

/// Plays uniformly random moves from `position`, which is not over.
#[inline]
pub(super) fn rollout<R: Ruleset>(position: &Quarto<R>, rng: &mut Rng) -> Rollout {
    /// Draws at a time: the product of eight bounds of at most 16 fits a word with room to spare.
    const CHUNK: usize = 8;

    let mut cells = Shuffle::new((!position.occupied()).to_le_bytes());
    let mut pieces = Shuffle::new(position.pool.to_le_bytes());
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

    let mut sharing = sharing_lines(ones) | sharing_lines(!ones);
    let mut first = u8::MAX;
    while sharing != 0 {
        let cells = CELLS_OF[sharing.trailing_zeros() as usize % CELLS_OF.len()];
        sharing &= sharing - 1;
        let [a, b, c, d] = cells.map(|cell| times[usize::from(cell) % CELLS]);
        first = first.min(a.max(b).max(c.max(d)));
    }
    let (outcome, placed) = if first == u8::MAX {
        (Outcome::Draw, cells.len() as u32)
    } else {
        let mover = Quarto::<R>::side(position.placed() + u32::from(first) - 1, true);
        (Outcome::Win(mover), u32::from(first))
    };
    Rollout { outcome, plies: 2 * placed - in_hand as u32 }
}
