//! The properties that the pieces of each line share.
//!
//! Each of the ten lines has a byte. In one number, the byte holds the properties that all pieces
//! of the line share, all eight if it has none; in another, the number of its pieces. A piece
//! changes only the bytes of the lines through its cell, so updating them along a search is cheaper
//! than finding the threats anew. Once a line is full and nobody has won, its pieces share nothing.

use super::board::{At, properties};
use crate::quarto::{CELLS, LINES, QuartoBoard};
use quintet_core::bits::bits;

/// The lowest bit of every byte.
const BYTES: u128 = u128::MAX / 0xFF;

/// The bytes of the lines through each cell.
static THROUGH: [u128; CELLS] = {
    let mut table = [0; CELLS];
    const_for!(0..CELLS, |cell| {
        const_for!(0..LINES.len(), |line| {
            if LINES[line] >> cell & 1 == 1 {
                table[cell] |= 0xFF << (8 * line);
            }
        });
    });
    table
};

/// The lines of a board, none of which is complete.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuartoLines {
    shared: u128,
    counts: u128,
}

impl QuartoLines {
    #[inline(always)]
    pub(super) fn of(board: &QuartoBoard) -> Self {
        let without = Self { shared: u128::MAX, counts: 0 };
        bits(board.occupied()).fold(without, |lines, cell| lines.with(board.piece_on(cell), cell))
    }

    /// The lines with `piece`, which completes none, on `cell`.
    #[inline(always)]
    pub(super) fn with(self, piece: u8, cell: u8) -> Self {
        let through = THROUGH[usize::from(cell & 15)];
        let lacking = u128::from(!properties(piece & 15)) * BYTES;
        Self { shared: self.shared & !(through & lacking), counts: self.counts + (through & BYTES) }
    }

    /// The lines in which the next piece matters: those with three or two pieces.
    #[inline(always)]
    pub(super) fn open(&self) -> Open {
        let (is_odd, is_two_or_three) = (self.counts & BYTES, self.counts >> 1 & BYTES);
        Open {
            three: self.shared & ((is_two_or_three & is_odd) * 0xFF),
            two: self.shared & ((is_two_or_three & !is_odd) * 0xFF),
        }
    }
}

/// The shared properties of the lines with three pieces, and of those with two; 0 for the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    three: u128,
    two: u128,
}

impl Open {
    /// How a piece on the empty `cell` changes the threats.
    #[inline(always)]
    pub(super) fn at(&self, cell: u8) -> At {
        let through = THROUGH[usize::from(cell & 15)];
        At { left: any(self.three & !through), made: any(self.two & through) }
    }

    /// The effects on all of `cells`, ascending, and their number.
    #[inline(always)]
    pub(super) fn all_at(&self, cells: u16) -> ([At; CELLS], usize) {
        let mut all = [At::default(); CELLS];
        let mut count = 0;
        for cell in bits(cells) {
            all[count] = self.at(cell);
            count += 1;
        }
        (all, count)
    }
}

/// The bits set in any byte.
#[inline(always)]
const fn any(bytes: u128) -> u8 {
    let bytes = (bytes >> 64 | bytes) as u64;
    let bytes = bytes >> 32 | bytes;
    let bytes = bytes >> 16 | bytes;
    (bytes >> 8 | bytes) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quarto::knowledge::board::QuartoThreats;
    use crate::samples::quarto::positions;
    use crate::{Ggp, Spec};

    #[test]
    fn lines_agree_with_threats() {
        let boards = positions::<Ggp>(0..=15, 1_000).map(|position| position.board);
        let mut checked = 0;
        for board in boards.chain(positions::<Spec>(0..=15, 1_000).map(|position| position.board)) {
            let (threats, open) = (QuartoThreats::of(&board), QuartoLines::of(&board).open());
            for cell in bits(board.empty()) {
                assert_eq!(open.at(cell), threats.at(cell), "{board:?} {cell}");
                checked += u32::from(open.at(cell).left != 0) + u32::from(open.at(cell).made != 0);
            }
        }
        assert!(checked > 2_000, "{checked}");
    }
}
