//! Turns, the units of the exact search.
//!
//! A turn of `spec` begins with the board alone: its side selects a piece and places it. A turn of
//! `ggp` begins with the board and a piece in hand: its side places that piece and hands over
//! another. In both, a turn with a piece that completes a line is won at once and is not searched.
//!
//! The search asks whether a side reaches a goal, a draw or a win: it does if it has a move that
//! keeps the other side from the opposite goal.

use arrayvec::ArrayVec;
use quintet_core::bits::bits;

use super::board::At;
use super::lines::QuartoLines;
use crate::Ruleset;
use crate::quarto::{CELLS, QuartoBoard};

/// The value of a turn for the side whose turn it is.
pub(super) const LOSS: u8 = 0;
pub(super) const DRAW: u8 = 1;
pub(super) const WIN: u8 = 2;

/// The goal that one side must not reach if the other is to reach `goal`.
pub(super) const fn opposite(goal: u8) -> u8 {
    WIN + DRAW - goal
}

/// The value for a side, given whether it reaches each goal.
pub(super) fn value_by(mut reaches: impl FnMut(u8) -> bool) -> u8 {
    if reaches(WIN) { WIN } else { u8::from(reaches(DRAW)) }
}

/// The moves of a turn.
pub(super) type TurnMoves = ArrayVec<TurnMove, { CELLS * CELLS }>;

/// A move of a turn: the piece to place, its cell, and under `ggp` the piece to hand over. Moves
/// are ordered by the number of replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TurnMove(u32);

impl TurnMove {
    /// A move after which the other side has `replies` safe moves.
    #[inline(always)]
    const fn new(replies: u32, cell: u8, piece: u8, hand: u8) -> Self {
        Self(replies << 12 | (cell as u32) << 8 | (piece as u32) << 4 | hand as u32)
    }

    /// The number of safe moves that the other side then has.
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

/// The start of a turn: the board, and under `ggp` the piece in hand, which completes no line.
#[derive(Debug, Clone, Copy)]
pub(super) struct QuartoTurn {
    pub(super) board: QuartoBoard,
    lines: QuartoLines,
    /// 0 under `spec`.
    pub(super) hand: u8,
}

impl QuartoTurn {
    /// The turn with `board` and, under `ggp`, `hand` in hand, which `board` may have in its pool.
    #[inline(always)]
    pub(super) fn new<R: Ruleset>(board: QuartoBoard, hand: u8) -> Self {
        let lines = QuartoLines::of(&board);
        if R::IS_GGP {
            Self { board: board.without(hand), lines, hand }
        } else {
            Self { board, lines, hand: 0 }
        }
    }

    /// The turn after `mv`.
    #[inline(always)]
    pub(super) fn after<R: Ruleset>(&self, mv: TurnMove) -> Self {
        let board = self.board.with(mv.piece(), mv.cell());
        Self {
            board: if R::IS_GGP { board.without(mv.hand()) } else { board },
            lines: self.lines.with(mv.piece(), mv.cell()),
            hand: mv.hand(),
        }
    }

    /// The pieces that can be placed in this turn.
    #[inline(always)]
    fn pieces<R: Ruleset>(&self) -> u16 {
        if R::IS_GGP { 1 << self.hand } else { self.board.pool }
    }

    /// The continuations that don't lose at once after `piece` is put on a cell described by `at`:
    /// under `ggp` the pieces that can be handed over, under `spec` bit 0; 0 if there are none.
    /// `pool` is the pool without the piece and is not empty.
    #[inline(always)]
    pub(super) fn safe_continuations<R: Ruleset>(at: At, piece: u8, pool: u16) -> u16 {
        if R::IS_GGP {
            pool & !at.pieces_after(piece)
        } else {
            // No piece of the pool can use a threat that was there before.
            u16::from(pool & at.pieces_of_new_threats(piece) == 0)
        }
    }

    /// Whether this turn has a move that does not lose at once. There is more than one empty cell.
    #[inline(always)]
    pub(super) fn has_safe_move<R: Ruleset>(&self) -> bool {
        let (ats, count) = self.lines.open().all_at(self.board.empty());
        count_safe_moves::<R>(&ats[..count], self.pieces::<R>(), self.board.pool) != 0
    }

    /// Adds all moves that don't lose at once to `moves`. Returns false if the turn is won because
    /// the other side has no such move after one of them. There are more than two empty cells.
    #[inline(always)]
    pub(super) fn add_safe_moves<R: Ruleset>(&self, moves: &mut TurnMoves) -> bool {
        let open = self.lines.open();
        let empty = self.board.empty();
        for cell in bits(empty) {
            let at = open.at(cell);
            for piece in bits(self.pieces::<R>()) {
                let pool = self.board.pool & !(1 << piece);
                let hands = Self::safe_continuations::<R>(at, piece, pool);
                if hands == 0 {
                    continue;
                }
                // The threats are the same for all pieces that can be handed over.
                let (ats, count) = self.lines.with(piece, cell).open().all_at(empty & !(1 << cell));
                let ats = &ats[..count];
                for hand in bits(hands) {
                    let replies = if R::IS_GGP {
                        count_safe_moves::<R>(ats, 1 << hand, pool & !(1 << hand))
                    } else {
                        count_safe_moves::<R>(ats, pool, pool)
                    };
                    if replies == 0 {
                        return false;
                    }
                    moves.push(TurnMove::new(replies, cell, piece, hand));
                }
            }
        }
        true
    }

    /// Whether the value is at least `goal`, which is not [`LOSS`], by full search; meant for few
    /// empty cells. Adds the number of turns searched to `positions`.
    pub(super) fn reaches<R: Ruleset>(&self, goal: u8, positions: &mut u64) -> bool {
        let cells = self.board.empty().count_ones();
        *positions += 1;
        // With two cells it is a draw unless the last piece must win for the other side.
        if cells <= 2 {
            return goal == DRAW && (cells == 1 || self.has_safe_move::<R>());
        }
        let mut moves = TurnMoves::new();
        if !self.add_safe_moves::<R>(&mut moves) {
            return true;
        }
        *positions += moves.len() as u64;
        // The other side loses from two cells, and fails to draw from three, only if it has no safe
        // move, which `add_safe_moves` has ruled out.
        if cells == 3 || (cells == 4 && goal == WIN) {
            return goal == DRAW && !moves.is_empty();
        }
        moves.sort_unstable();
        moves.into_iter().any(|mv| !self.after::<R>(mv).reaches::<R>(opposite(goal), positions))
    }
}

/// The number of moves of a turn that don't lose at once and place one of `pieces` on a cell
/// described by one of `ats`, with `pool` the pieces in the pool.
#[inline(always)]
fn count_safe_moves<R: Ruleset>(ats: &[At], pieces: u16, pool: u16) -> u32 {
    let mut count = 0;
    for piece in bits(pieces) {
        let pool = pool & !(1 << piece);
        for &at in ats {
            count += QuartoTurn::safe_continuations::<R>(at, piece, pool).count_ones();
        }
    }
    count
}
