//! Exact solutions of late positions, and wins by threats.

use quintet_core::game::{Game, Outcome};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, SolveScope, Solved};
use quintet_core::solver::AlphaBeta;

use super::PentagoKnowledge;
use super::vct::{VCT_MEMORY, VctSearch};
use crate::pentago::Move;
use crate::{Pentago, Ruleset};

/// The number of positions to search that finds the best move in two of three positions with
/// `empty` empty cells, from games of the engine against itself. With less effort, or if this is
/// `None`, nothing is searched.
fn enough(empty: u32) -> Option<u64> {
    const MAX_EMPTY: u32 = 16;
    (empty <= MAX_EMPTY).then(|| 3 << (empty + 2))
}

/// The positions that the solver searches per second on a slow machine.
const POSITIONS_PER_SECOND: f64 = 5e5;

/// The values of legal moves, best first: those of [`exactly`], or else a move that wins by a VCT.
pub(super) fn solve<R: Ruleset>(
    position: &Pentago<R>,
    wanted: SolveScope,
    effort: Effort,
) -> Option<Vec<Solved<Move>>> {
    exactly(position, wanted, effort).or_else(|| by_threats(position, effort))
}

/// A search for a VCT may take the effort divided by this: positions, and the time by halving it three times.
const VCT_DIVISOR: u64 = 8;

/// A move that wins by a VCT, but not at once. A search with a part of the effort finds those that the
/// tree takes long to find.
pub(super) fn by_threats<R: Ruleset>(position: &Pentago<R>, effort: Effort) -> Option<Vec<Solved<Move>>> {
    if !R::IS_GGP || position.outcome().is_some() {
        return None;
    }
    let side = position.side_to_move();
    let deadline = effort.deadline.map(|deadline| deadline.halfway().halfway().halfway());
    let effort = Effort { positions: effort.positions / VCT_DIVISOR, deadline, ..effort };
    let mut search = VctSearch::new(VCT_MEMORY);
    let mv = if Pentago::<R>::phase(position.ply).1 {
        let mut rotations = Candidates::new();
        PentagoKnowledge.candidates(position, &mut rotations);
        rotations.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut left = effort.positions;
        let is_win = |&(mv, _): &(Move, f32)| {
            let mut after = *position;
            after.apply(mv);
            let before = search.positions(side);
            let half = Effort {
                positions: left.min(effort.positions / 2),
                deadline: effort.deadline.map(|deadline| deadline.halfway()),
                ..effort
            };
            let is_win = search.wins(&after, side, half);
            left = left.saturating_sub(search.positions(side) - before);
            is_win
        };
        rotations.iter().copied().find(is_win)?.0
    } else if search.wins(position, side, effort) {
        search.first(position)?
    } else {
        return None;
    };
    Some(vec![Solved { mv, outcome: Outcome::Win(side), plies: None }])
}

/// The values of legal moves by a search to the end, best first: of all that are wanted and that the effort
/// is enough for; `None` if the effort is not enough for the best move, or unlikely to be.
pub(super) fn exactly<R: Ruleset>(
    position: &Pentago<R>,
    wanted: SolveScope,
    effort: Effort,
) -> Option<Vec<Solved<Move>>> {
    let enough = enough(position.empty().count_ones())?;
    if position.outcome().is_some() || enough > effort.positions_in_time(POSITIONS_PER_SECOND) {
        return None;
    }
    let bits = enough.next_power_of_two().trailing_zeros();
    let solver = AlphaBeta::new(&PentagoKnowledge, bits, effort);
    // Under `ggp` candidates are already checked as far as a proof of the next position would look.
    let mut solver = if R::IS_GGP { solver.without_looking_ahead() } else { solver };
    solver.solve(position, wanted)
}
