//! Exact solutions of late positions.

use quintet_core::game::Game as _;
use quintet_core::knowledge::{Effort, SolveScope, Solved};
use quintet_core::solver::AlphaBeta;

use super::PentagoKnowledge;
use crate::pentago::Move;
use crate::{Pentago, Ruleset};

/// With more empty cells nothing is searched.
const MAX_EMPTY: u32 = 16;

/// The positions that the solver searches per second on a slow machine.
const POSITIONS_PER_SECOND: f64 = 5e5;

/// The values of legal moves by a search to the end, best first: of all that are wanted and that the effort
/// is enough for; `None` if the effort is not enough for the best move, or unlikely to be.
pub(super) fn exactly<R: Ruleset>(
    position: &Pentago<R>,
    wanted: SolveScope,
    effort: Effort,
) -> Option<Vec<Solved<Move>>> {
    let empty = position.empty().count_ones();
    if position.outcome().is_some() || empty > MAX_EMPTY {
        return None;
    }
    // This finds the best move in two of three positions, from games of the engine against itself.
    let enough: u64 = 3 << (empty + 2);
    if enough > effort.positions_in_time(POSITIONS_PER_SECOND) {
        return None;
    }
    let bits = enough.next_power_of_two().trailing_zeros();
    let solver = AlphaBeta::new(&PentagoKnowledge, bits, effort);
    // Under `ggp` candidates are already checked as far as a proof of the next position would look.
    let mut solver = if R::IS_GGP { solver.without_looking_ahead() } else { solver };
    solver.solve(position, wanted)
}
