//! Turns, the steps of an exact search.
//!
//! A turn of `spec` begins with the board alone: its side selects a piece and places it. A turn of `ggp`
//! begins with the board and a piece in hand: its side places that and hands over another. In both, a turn
//! that begins with a piece that completes a line is won at once, and need not be looked at.
//!
//! The search asks whether a side reaches a goal, a draw or a win: it does if it has a way to go on that keeps
//! the other side from the opposite goal.

use arrayvec::ArrayVec;

use super::board::{At, QuartoBoard, each};
use super::lines::QuartoLines;
use crate::Ruleset;
use crate::quarto::CELLS;

/// The value of a turn for the side whose turn it is.
pub(super) const LOSS: u8 = 0;
pub(super) const DRAW: u8 = 1;
pub(super) const WIN: u8 = 2;

/// The goal that a side has to be kept from for the other to reach `goal`.
pub(super) const fn opposite(goal: u8) -> u8 {
    WIN + DRAW - goal
}

/// The value for a side, by asking for each goal whether it reaches it.
pub(super) fn value_by(mut reaches: impl FnMut(u8) -> bool) -> u8 {
    if reaches(WIN) { WIN } else { u8::from(reaches(DRAW)) }
}

/// The ways for a turn to go on.
pub(super) type TurnMoves = ArrayVec<TurnMove, { CELLS * CELLS }>;

/// A way for a turn to go on: the piece to place, its cell, and under `ggp` the piece to hand over. They are
/// in order of what they leave to the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TurnMove(u32);

impl TurnMove {
    /// One after which the other side has so many `replies`.
    #[inline(always)]
    const fn new(replies: u32, cell: u8, piece: u8, hand: u8) -> Self {
        Self(replies << 12 | (cell as u32) << 8 | (piece as u32) << 4 | hand as u32)
    }

    /// In how many ways the other side can go on then.
    #[inline(always)]
    pub(super) const fn replies(self) -> u32 {
        self.0 >> 12
    }

    #[inline(always)]
    const fn cell(self) -> u8 {
        (self.0 >> 8 & 15) as u8
    }

    #[inline(always)]
    const fn piece(self) -> u8 {
        (self.0 >> 4 & 15) as u8
    }

    #[inline(always)]
    const fn hand(self) -> u8 {
        (self.0 & 15) as u8
    }
}

/// The beginning of a turn: the board, and under `ggp` the piece in hand, which completes no line.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuartoTurn {
    pub(super) board: QuartoBoard,
    lines: QuartoLines,
    /// 0 under `spec`.
    pub(super) hand: u8,
}

impl QuartoTurn {
    /// The turn with `board`, and under `ggp` with `hand`, of its pool or in no one's, in hand.
    #[inline(always)]
    pub(super) fn new<R: Ruleset>(board: QuartoBoard, hand: u8) -> Self {
        let lines = QuartoLines::of(&board);
        if R::IS_GGP {
            Self { board: board.without(hand), lines, hand }
        } else {
            Self { board, lines, hand: 0 }
        }
    }

    /// The turn that follows.
    #[inline(always)]
    pub(super) fn after<R: Ruleset>(&self, way: TurnMove) -> Self {
        let board = self.board.with(way.piece(), way.cell());
        Self {
            board: if R::IS_GGP { board.without(way.hand()) } else { board },
            lines: self.lines.with(way.piece(), way.cell()),
            hand: way.hand(),
        }
    }

    /// The pieces that can be placed in this turn.
    #[inline(always)]
    fn pieces<R: Ruleset>(&self) -> u16 {
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
            // QuartoThreats that were there before are of no use to any piece of the pool.
            u16::from(pool & at.pieces_of_new_threats(piece) == 0)
        }
    }

    /// Whether this turn can go on without losing at once. There is more than one empty cell.
    #[inline(always)]
    pub(super) fn can_go_on<R: Ruleset>(&self) -> bool {
        let open = self.lines.open();
        let ats: ArrayVec<At, CELLS> = each(self.board.empty()).map(|cell| open.at(cell)).collect();
        count_ways::<R>(&ats, self.pieces::<R>(), self.board.pool) != 0
    }

    /// Adds all ways to go on without losing at once to `ways`. If there is one after which the other side has
    /// none, this turn is won, and the answer is false. There are more than two empty cells.
    #[inline(always)]
    pub(super) fn look_ahead<R: Ruleset>(&self, ways: &mut TurnMoves) -> bool {
        let open = self.lines.open();
        let empty = self.board.empty();
        for cell in each(empty) {
            let at = open.at(cell);
            for piece in each(self.pieces::<R>()) {
                let pool = self.board.pool & !(1 << piece);
                let hands = Self::ways_on::<R>(at, piece, pool);
                if hands == 0 {
                    continue;
                }
                // What it looks like after this is the same for all pieces that can be handed over.
                let open = self.lines.with(piece, cell).open();
                let others = each(empty & !(1 << cell));
                let ats: ArrayVec<At, CELLS> = others.map(|cell| open.at(cell)).collect();
                for hand in each(hands) {
                    let replies = if R::IS_GGP {
                        count_ways::<R>(&ats, 1 << hand, pool & !(1 << hand))
                    } else {
                        count_ways::<R>(&ats, pool, pool)
                    };
                    if replies == 0 {
                        return false;
                    }
                    ways.push(TurnMove::new(replies, cell, piece, hand));
                }
            }
        }
        true
    }

    /// Whether the value is at least `goal`, not [`LOSS`], by searching all that can follow: for few empty
    /// cells only. Adds the turns looked at to `positions`.
    pub(super) fn reaches<R: Ruleset>(&self, goal: u8, positions: &mut u64) -> bool {
        let cells = self.board.empty().count_ones();
        *positions += 1;
        // With two cells, there is a draw unless the last piece is bound to win for the other side.
        if cells <= 2 {
            return goal == DRAW && (cells == 1 || self.can_go_on::<R>());
        }
        let mut ways = TurnMoves::new();
        if !self.look_ahead::<R>(&mut ways) {
            return true;
        }
        *positions += ways.len() as u64;
        // The other side loses from two cells, and fails to draw from three, only if it can't go on, and that
        // has been looked for.
        if cells == 3 || (cells == 4 && goal == WIN) {
            return goal == DRAW && !ways.is_empty();
        }
        ways.sort_unstable();
        ways.into_iter().any(|way| !self.after::<R>(way).reaches::<R>(opposite(goal), positions))
    }
}

/// In how many ways a turn can go on without losing at once that places one of `pieces` on a cell described by
/// one of `ats`, with these pieces in the pool.
#[inline(always)]
fn count_ways<R: Ruleset>(ats: &[At], pieces: u16, pool: u16) -> u32 {
    let mut count = 0;
    for piece in each(pieces) {
        let pool = pool & !(1 << piece);
        for &at in ats {
            count += QuartoTurn::ways_on::<R>(at, piece, pool).count_ones();
        }
    }
    count
}
