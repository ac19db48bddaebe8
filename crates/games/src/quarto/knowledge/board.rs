//! Threats: which pieces complete a line on which cell, and which will after the next piece.
//!
//! There are eight properties: bit 0 to 3 set, then bit 0 to 3 clear. A piece has four of them.
//! Each property has a lane of 16 cells, those whose piece has it. A line with three cells in the
//! lane and the fourth empty is a *threat*: any piece with the property completes the line there.

use crate::quarto::{LANES, QuartoBoard, SPREAD, gather};

/// The properties of `piece`, one bit each.
#[inline(always)]
pub(super) const fn properties(piece: u8) -> u8 {
    piece | (!piece & 15) << 4
}

/// `WITH_ANY[properties]`: the pieces that have at least one of the properties.
pub(super) static WITH_ANY: [u16; 256] = {
    let mut table = [0; 256];
    const_for!(0..256, |set| {
        const_for!(0..16, |piece| {
            if properties(piece) & set as u8 != 0 {
                table[set] |= 1 << piece;
            }
        });
    });
    table
};

/// The threats of a board, by property and cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuartoThreats {
    /// The empty cells where a piece with the property completes a line: for set bits, and for
    /// clear bits.
    now: [u64; 2],
    /// The empty cells where a piece with the property makes a new threat: the line has two pieces
    /// with the property, and another empty cell.
    next: [u64; 2],
}

/// Rotates each row by one cell.
#[inline(always)]
const fn along_rows(lanes: u64) -> u64 {
    (lanes << 1) & (0xEEEE * LANES) | (lanes >> 3) & (0x1111 * LANES)
}

/// Rotates each column by one cell.
#[inline(always)]
const fn along_columns(lanes: u64) -> u64 {
    (lanes << 4) & (0xFFF0 * LANES) | (lanes >> 12) & (0x000F * LANES)
}

/// Rotates each diagonal by one cell; cells on neither are dropped.
#[inline(always)]
const fn along_diagonals(lanes: u64) -> u64 {
    (lanes << 5) & (0x8420 * LANES)
        | (lanes >> 15) & LANES
        | (lanes << 3) & (0x1240 * LANES)
        | (lanes >> 9) & (0x0008 * LANES)
}

impl QuartoThreats {
    /// Finds the threats of `board`, which has no line.
    #[inline(always)]
    pub(super) fn of(board: &QuartoBoard) -> Self {
        let empty = u64::from(board.empty()) * LANES;
        let mut threats = Self { now: [0; 2], next: [0; 2] };
        macro_rules! add_lines {
            ($along:ident) => {
                let empty_1 = $along(empty);
                let empty_2 = $along(empty_1);
                let empty_3 = $along(empty_2);
                for (which, lanes) in [board.ones, board.zeros].into_iter().enumerate() {
                    let a = $along(lanes);
                    let b = $along(a);
                    let c = $along(b);
                    threats.now[which] |= a & b & c;
                    threats.next[which] |= a & b & empty_3 | a & empty_2 & c | empty_1 & b & c;
                }
            };
        }
        add_lines!(along_rows);
        add_lines!(along_columns);
        add_lines!(along_diagonals);
        for which in 0..2 {
            threats.now[which] &= empty;
            threats.next[which] &= empty;
        }
        threats
    }

    /// The pieces that complete a line somewhere.
    #[inline(always)]
    pub(super) fn pieces(&self) -> u16 {
        WITH_ANY[usize::from(lanes_with_any(self.now[0]) | lanes_with_any(self.now[1]) << 4)]
    }

    /// The cells where `piece` completes a line.
    #[inline(always)]
    pub(super) fn cells(&self, piece: u8) -> u16 {
        let has = SPREAD[usize::from(piece & 15)] * 0xFFFF;
        let lanes = self.now[0] & has | self.now[1] & !has;
        let lanes = lanes | lanes >> 32;
        (lanes | lanes >> 16) as u16
    }

    /// How a piece on the empty `cell` changes the threats.
    #[inline(always)]
    pub(super) fn at(&self, cell: u8) -> At {
        let others = !(LANES << cell);
        At {
            left: lanes_with_any(self.now[0] & others) | lanes_with_any(self.now[1] & others) << 4,
            made: gather(self.next[0] >> cell) | gather(self.next[1] >> cell) << 4,
        }
    }
}

/// The effect on the threats of a piece that completes no line, put on a certain cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct At {
    /// The properties with threats on other cells, which stay.
    pub(super) left: u8,
    /// The properties that give a new threat if the piece has them.
    pub(super) made: u8,
}

impl At {
    /// The pieces that complete a line somewhere once `piece` is on the cell.
    #[inline(always)]
    pub(super) fn pieces_after(self, piece: u8) -> u16 {
        WITH_ANY[usize::from(self.left | self.made & properties(piece))]
    }

    /// The pieces that complete a line by a new threat that `piece` makes on the cell.
    #[inline(always)]
    pub(super) fn pieces_of_new_threats(self, piece: u8) -> u16 {
        WITH_ANY[usize::from(self.made & properties(piece))]
    }
}

/// The nonzero lanes, one bit each.
#[inline(always)]
const fn lanes_with_any(lanes: u64) -> u8 {
    let low = 0x7FFF * LANES;
    gather((((lanes & low) + low) | lanes) >> 15)
}

/// The index of the `n`-th set bit, from 0; more than `n` bits are set.
#[inline(always)]
pub(super) fn nth(mut mask: u16, n: usize) -> u8 {
    for _ in 0..n {
        mask &= mask - 1;
    }
    mask.trailing_zeros() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quarto::{Move, Quarto};
    use crate::samples::quarto::positions;
    use crate::{Ggp, Ruleset, Spec};
    use quintet_core::bits::bits;
    use quintet_core::game::{Game, Outcome};

    /// Whether `piece` on `cell` wins, by the rules of the game.
    fn wins<R: Ruleset>(position: &Quarto<R>, piece: u8, cell: u8) -> bool {
        let mut next = *position;
        next.hand = Some(piece);
        next.apply(Move::place(cell));
        matches!(next.outcome(), Some(Outcome::Win(_)))
    }

    fn threats_are_those_of_the_rules<R: Ruleset>() {
        for position in positions::<R>(0..=15, 800) {
            let board = position.board;
            let threats = QuartoThreats::of(&board);
            for piece in 0..16 {
                let cells = bits(board.empty()).filter(|&cell| wins(&position, piece, cell));
                let cells = cells.fold(0, |set, cell| set | 1 << cell);
                assert_eq!(threats.cells(piece), cells, "{position} {piece:x}");
                assert_eq!(threats.pieces() >> piece & 1 == 1, cells != 0, "{position} {piece:x}");
            }
            for cell in bits(board.empty()) {
                for piece in bits(board.pool & !threats.pieces()) {
                    let after = QuartoThreats::of(&board.with(piece, cell));
                    let at = threats.at(cell);
                    assert_eq!(at.pieces_after(piece), after.pieces(), "{position} {piece:x} {cell}");
                    let old = threats.pieces();
                    let new = at.pieces_of_new_threats(piece);
                    assert_eq!(after.pieces() & !old, new & !old, "{position} {piece:x} {cell}");
                }
            }
        }
    }

    #[test]
    fn threats_are_those_of_the_rules_in_both() {
        threats_are_those_of_the_rules::<Spec>();
        threats_are_those_of_the_rules::<Ggp>();
    }

    #[test]
    fn the_nth_bit_is_found() {
        for mask in 1..=u16::MAX {
            let all: Vec<u8> = bits(mask).collect();
            assert_eq!(all.len(), mask.count_ones() as usize);
            let middle = all.len() / 2;
            assert_eq!(nth(mask, middle), all[middle]);
        }
    }
}
