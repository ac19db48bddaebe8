//! The exact values of the moves of a position.

use std::ops::RangeInclusive;

use super::board::QuartoThreats;
use super::solver::Solver;
use super::turn::{DRAW, LOSS, QuartoTurn, WIN};
use super::{Analysis, is_safe_after};
use crate::Ruleset;
use crate::quarto::{Move, Quarto, QuartoBoard};
use quintet_core::bits::bits;
use quintet_core::game::{DRAW_SCORE, Game};
use quintet_core::knowledge::{SolveScope, Solved};
use quintet_core::solver::solve_moves;

/// The value of a move for the side that makes it, and the plies to the end if known without
/// search.
type MoveValue = (u8, Option<u32>);

/// Returns the values of the wanted moves of `position`, which is not over, best first, as far as
/// the effort of `solver` suffices. `None` if it does not suffice for the best.
pub(super) fn values<R: Ruleset>(
    position: &Quarto<R>,
    wanted: SolveScope,
    solver: &mut Solver<'_, R>,
) -> Option<Vec<Solved<Move>>> {
    let board = position.board;
    let mut legal = position.move_list();
    // After an immediate win no other move matters.
    let wins = Analysis::of(position).wins();
    legal.sort_by_key(|mv| wins >> mv.target() & 1 == 0);
    let most = match position.hand {
        Some(hand) if R::IS_GGP && wins == 0 => {
            solver.known(&QuartoTurn::new::<R>(board, hand)).unwrap_or(WIN)
        }
        _ => WIN,
    };
    solve_moves(position.side_to_move(), &legal, wanted, most * DRAW_SCORE, |mv, floor| {
        let lower = floor / DRAW_SCORE;
        let (value, plies) = match (position.hand, mv.target()) {
            (Some(hand), cell) => solver.of_placing(&board, hand, cell, lower..=most),
            (None, piece) if R::IS_GGP => solver.of_handing_over(&board, piece, lower),
            (None, piece) => solver.of_selecting(&board, piece, lower),
        }?;
        Some((value * DRAW_SCORE, plies))
    })
}

impl<R: Ruleset> Solver<'_, R> {
    /// The value of placing `piece`, which is in hand or in the pool, on `cell`; exact if it is above
    /// the start of `range`. It is known not to be above the end.
    fn of_placing(
        &mut self,
        board: &QuartoBoard,
        piece: u8,
        cell: u8,
        range: RangeInclusive<u8>,
    ) -> Option<MoveValue> {
        let (lower, most) = range.into_inner();
        let next = board.with(piece, cell);
        let threats = QuartoThreats::of(board);
        if threats.cells(piece) >> cell & 1 == 1 {
            return Some((WIN, Some(1)));
        }
        if next.pool == 0 {
            return Some((DRAW, Some(1)));
        }
        if !is_safe_after::<R>(&threats, piece, cell, next.pool) {
            // The other side wins with any piece under `ggp`, with the right one under `spec`.
            return Some((LOSS, Some(3)));
        }
        let mut best = LOSS;
        for hand in bits(QuartoTurn::safe_continuations::<R>(threats.at(cell), piece, next.pool)) {
            let turn = QuartoTurn::new::<R>(next, hand);
            best = best.max(WIN - self.value(&turn, WIN - most, WIN - best.max(lower))?);
            if best == most {
                break;
            }
        }
        Some((best, None))
    }

    /// The value of handing over `piece` from the pool under `ggp`; exact if it is above `lower`.
    fn of_handing_over(&mut self, board: &QuartoBoard, piece: u8, lower: u8) -> Option<MoveValue> {
        if QuartoThreats::of(board).pieces() >> piece & 1 == 1 {
            return Some((LOSS, Some(2)));
        }
        let turn = QuartoTurn::new::<R>(*board, piece);
        Some((WIN - self.value(&turn, LOSS, WIN - lower)?, None))
    }

    /// The value of selecting `piece` from the pool under `spec`, which is that of its best placement;
    /// exact if it is above `lower`.
    fn of_selecting(&mut self, board: &QuartoBoard, piece: u8, lower: u8) -> Option<MoveValue> {
        let mut best: Option<MoveValue> = None;
        for cell in bits(board.empty()) {
            let lower = best.map_or(lower, |(value, _)| value.max(lower));
            let next @ (value, plies) = self.of_placing(board, piece, cell, lower..=WIN)?;
            if value == WIN && plies.is_some() {
                best = Some(next);
                break;
            }
            best = match best {
                Some((most, _)) if most > value => best,
                // If all placements lose, the longest loss counts: prefer one with unknown plies.
                Some((most, None)) if most == value => best,
                _ => Some(next),
            };
        }
        best.map(|(value, plies)| (value, plies.map(|plies| plies + 1)))
    }
}
