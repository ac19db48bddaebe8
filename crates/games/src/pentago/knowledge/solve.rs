//! Late positions, solved outright.

use quintet_core::game::Game;
use quintet_core::knowledge::{Effort, Solved, Wanted};
use quintet_core::solver::AlphaBeta;

use super::PentagoKnowledge;
use crate::pentago::Move;
use crate::{Pentago, Ruleset};

/// With so many positions the best move is found in two of three positions with so many empty cells, in games of the
/// engine against itself; with less effort, a solution is not begun. `None` where none is begun at all.
fn enough(empty: u32) -> Option<u64> {
    const MAX_EMPTY: u32 = 16;
    (empty <= MAX_EMPTY).then(|| 3 << (empty + 2))
}

/// What the solver does in a second on a slow machine.
const POSITIONS_PER_SECOND: f64 = 5e5;

/// The values of legal moves, best first, if the effort is likely to be enough for the best and is: of all those that are
/// wanted and that it is enough for.
pub(super) fn solve<R: Ruleset>(
    position: &Pentago<R>,
    wanted: Wanted,
    effort: Effort,
) -> Option<Vec<Solved<Move>>> {
    let enough = enough(position.empty().count_ones())?;
    if position.outcome().is_some() || enough > effort.positions_in_time(POSITIONS_PER_SECOND) {
        return None;
    }
    let bits = enough.next_power_of_two().trailing_zeros();
    let solver = AlphaBeta::new(&PentagoKnowledge, bits, effort);
    // Under `ggp` nothing is proven of what follows a candidate, for candidates are looked at as far.
    let mut solver = if R::IS_GGP { solver.without_looking_ahead() } else { solver };
    solver.solve(position, wanted)
}
