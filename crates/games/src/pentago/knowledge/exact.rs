//! Exact solutions of late positions.

use quintet_core::game::{Game as _, Outcome};
use quintet_core::knowledge::{Effort, Prover, SolveScope, Solved};
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

/// Solves late positions, and keeps nothing.
#[derive(Debug)]
pub(super) struct ExactProver;

impl<R: Ruleset> Prover<Pentago<R>> for ExactProver {
    fn prove(&mut self, position: &Pentago<R>, effort: Effort) -> Option<Outcome> {
        Some(exactly(position, SolveScope::Best, effort)?.first()?.outcome)
    }

    fn fork(&mut self) -> Option<Box<dyn Prover<Pentago<R>>>> {
        Some(Box::new(Self))
    }

    fn forget(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use crate::samples::pentago::positions;

    /// The score of the side to move, from all that can follow.
    fn slow_score(position: &Pentago<Spec>) -> i8 {
        let side = position.side_to_move();
        let after = |mv| {
            let next = position.after(mv);
            match next.outcome() {
                Some(outcome) => outcome.score(side) as i8 - 50,
                None if next.side_to_move() == side => slow_score(&next),
                None => -slow_score(&next),
            }
        };
        position.move_list().into_iter().map(after).max().expect("the game is not over")
    }

    #[test]
    fn late_positions_are_proven_if_the_effort_is_enough() {
        let mut by_score = [0; 3];
        for position in positions::<Spec>(300, 67..71) {
            let prove = |positions| ExactProver.prove(&position, Effort::positions(positions));
            assert_eq!(prove(1), None, "{position}");
            let score = prove(100_000).expect("it is enough").score(position.side_to_move()) as i8 - 50;
            assert_eq!(score, slow_score(&position), "{position}");
            by_score[(score / 50 + 1) as usize] += 1;
        }
        assert!(by_score.iter().all(|&count| count > 3), "{by_score:?}");
    }
}
