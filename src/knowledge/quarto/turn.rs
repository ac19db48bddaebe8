//! Turns, the steps of an exact search.
//!
//! A turn of `spec` begins with the board alone: its side selects a piece and places it. A turn of `ggp`
//! begins with the board and a piece in hand: its side places that and hands over another. In both, a turn
//! that begins with a piece that completes a line is won at once, and need not be looked at.

use super::board::{At, Board, Threats, each};
use crate::games::Ruleset;

/// The value of a turn for the side whose turn it is.
pub(super) const LOSS: u8 = 0;
pub(super) const DRAW: u8 = 1;
pub(super) const WIN: u8 = 2;

/// With so few empty cells, a position is searched faster than looked up.
pub(super) const FEW: u32 = 4;

/// The beginning of a turn: the board, and under `ggp` the piece in hand, which completes no line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    pub(super) board: Board,
    /// 0 under `spec`.
    pub(super) hand: u8,
}

impl Turn {
    /// The pieces that can be placed in this turn.
    #[inline(always)]
    pub(super) fn pieces<R: Ruleset>(&self) -> u16 {
        if R::IS_GGP { 1 << self.hand } else { self.board.pool }
    }

    /// The ways for this turn to go on, once `piece` is put on a cell described by `at`, without losing at
    /// once: the pieces that can be handed over under `ggp`, a single bit under `spec`, or nothing. `pool` is
    /// what is left without the piece, not nothing.
    #[inline(always)]
    pub(super) fn ways_on<R: Ruleset>(at: At, piece: u8, pool: u16) -> u16 {
        if R::IS_GGP {
            pool & !at.pieces_after(piece)
        } else {
            // Threats that were there before are of no use to any piece of the pool.
            u16::from(pool & at.pieces_of_new_threats(piece) == 0)
        }
    }

    /// In how many ways this turn can go on without losing at once. There is more than one empty cell.
    #[inline(always)]
    pub(super) fn count_ways<R: Ruleset>(&self) -> u32 {
        let threats = Threats::of(&self.board);
        let mut count = 0;
        for cell in each(self.board.empty()) {
            let at = threats.at(cell);
            for piece in each(self.pieces::<R>()) {
                count += Self::ways_on::<R>(at, piece, self.board.pool & !(1 << piece)).count_ones();
            }
        }
        count
    }

    /// The value, at least if it is above `lower` and below `upper`; else a bound of it. By searching all
    /// that can follow, so for few empty cells only.
    pub(super) fn value<R: Ruleset>(&self, mut lower: u8, upper: u8) -> u8 {
        let mut best = LOSS;
        let threats = Threats::of(&self.board);
        for cell in each(self.board.empty()) {
            let at = threats.at(cell);
            for piece in each(self.pieces::<R>()) {
                let board = self.board.with(piece, cell);
                if board.pool == 0 {
                    return DRAW;
                }
                for hand in each(Self::ways_on::<R>(at, piece, board.pool)) {
                    let value = WIN - Self { board, hand }.value::<R>(WIN - upper, WIN - lower);
                    if value > best {
                        best = value;
                        lower = lower.max(value);
                        if best >= upper {
                            return best;
                        }
                    }
                }
            }
        }
        best
    }
}
