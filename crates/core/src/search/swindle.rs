//! How a search chooses between moves that are proven equal and don't win.
//!
//! Against perfect play the choice makes no difference. Against anyone else the best move is the
//! one whose refutation is hard to find, and a search without proofs may tell which that is: it
//! prefers a move whose refutation it does not find itself. Chess players call a draw or a win got
//! this way a swindle.

use std::time::Instant;

use super::Search;
use super::config::{Budget, SearchError};
use super::controls::Controls;
use super::report::{self, Candidate, Report};
use super::technique::{Technique, Techniques};
use crate::clock::Deadline;
use crate::game::{Game, Outcome};
use crate::hash::Fnv1a;
use crate::knowledge::{Effort, Knowledge, Solved};
use crate::order::ascending;

impl<G: Game, K: Knowledge<G>> Search<G, K> {
    /// The report on `position`, some of whose moves are [solved](Knowledge::solve).
    pub(super) fn report_solved(
        &mut self,
        position: &G,
        mut moves: Vec<Solved<G::Move>>,
        budget: Budget,
        start: Instant,
        controls: &Controls<'_, G::Move>,
    ) -> Result<Report<G::Move>, SearchError> {
        /// The maximum number of positions to visit for each move of the principal variation.
        const MAX_POSITIONS: u64 = 100_000;
        let first = moves[0];
        let is_equal = |it: &&Solved<G::Move>| it.outcome == first.outcome && it.plies.is_none();
        let equals = moves.iter().take_while(is_equal).count();
        let is_won = first.outcome == Outcome::Win(position.side_to_move());
        let may_choose = K::SWINDLE_ITERATIONS > 0 && equals > 1 && !is_won;
        // In the same time, some ranks may find more solutions than others.
        let found = if self.config.ranks.agree(may_choose) {
            let found =
                self.search_without_proofs(position, budget.at_most(K::SWINDLE_ITERATIONS), start, controls)?;
            let before = moves.clone();
            for (place, from) in order(before[..equals].iter().map(|it| it.mv), &found).enumerate() {
                moves[place] = before[from];
            }
            Some(found)
        } else {
            None
        };
        let clock = &self.config.clock;
        let Effort { positions, .. } = budget.effort(K::POSITIONS_PER_ITERATION, start, clock, controls.stop);
        let positions = positions.min(MAX_POSITIONS);
        let deadline = budget.deadline(start).map(|at| Deadline::new(at, clock));
        let effort = Effort { positions, deadline, stop: Some(controls.stop) };
        let report = report::solved(position, &moves, found, &self.policy, effort, controls);
        Ok(Report { elapsed: clock.now() - start, ..report })
    }

    /// The `report` of a search that has proven `position`. If several moves are as good as the best, a
    /// search without proofs orders them, unless the proof took most of the budget: then their visits
    /// say more about them.
    pub(super) fn report_proven(
        &mut self,
        position: &G,
        report: Report<G::Move>,
        budget: Budget,
        start: Instant,
        controls: &Controls<'_, G::Move>,
    ) -> Result<Report<G::Move>, SearchError> {
        let Report { mut candidates, iterations, .. } = report;
        let best = candidates[0].proven;
        let equals = candidates.iter().take_while(|it| it.proven.is_some() && it.proven == best).count();
        let left = budget.after(iterations);
        let clock = &self.config.clock;
        let (now, end) = (clock.now(), budget.deadline(start));
        let has_time = end.is_none_or(|end| end.saturating_duration_since(now) >= now - start);
        let may_choose = K::SWINDLE_ITERATIONS > 0
            && equals > 1
            && best != Some(Outcome::Win(position.side_to_move()))
            && left.limits().0.is_none_or(|left| left >= iterations)
            && has_time;
        if !may_choose {
            return Ok(Report { candidates, iterations, ..report });
        }
        // The trees of the proof give way to others.
        let ranks = self.config.ranks;
        let line = |it: &Candidate<G::Move>| report::variation(&self.trees, ranks, it.mv);
        let lines: Vec<_> = candidates[..equals].iter().map(line).collect();
        let only = candidates[..equals].iter().map(|it| it.mv).collect();
        let controls = Controls { only, ..Controls::new(controls.stop) };
        let found =
            self.search_without_proofs(position, left.at_most(K::SWINDLE_ITERATIONS), start, &controls)?;
        let before = candidates.clone();
        let order: Vec<usize> = order(before[..equals].iter().map(|it| it.mv), &found).collect();
        for (place, &from) in order.iter().enumerate() {
            let visits = before[from].visits + found.candidates[place].visits;
            candidates[place] = Candidate { visits, ..before[from].clone() };
        }
        let wanted = report.other_variations.len();
        let worse = report.other_variations.into_iter().skip(equals - 1);
        let mut lines = order.into_iter().map(|from| lines[from].clone()).chain(worse);
        let principal_variation = lines.next().unwrap_or_default();
        let other_variations = lines.take(wanted).collect();
        let mut visits_hash = Fnv1a::default();
        visits_hash.bytes([report.visits_hash, found.visits_hash].into_iter().flat_map(u64::to_le_bytes));
        Ok(Report {
            candidates,
            principal_variation,
            other_variations,
            iterations: iterations + found.iterations,
            nodes: report.nodes.max(found.nodes),
            bytes: report.bytes.max(found.bytes),
            memory_was_full: report.memory_was_full,
            elapsed: self.config.clock.now() - start,
            visits_hash: visits_hash.hash(),
            ..report
        })
    }

    /// Searches with only the weights and rollouts of the knowledge. Nobody watches: what it finds
    /// says less than the solution.
    fn search_without_proofs(
        &mut self,
        position: &G,
        budget: Budget,
        start: Instant,
        controls: &Controls<'_, G::Move>,
    ) -> Result<Report<G::Move>, SearchError> {
        const BLIND: [Technique; 2] = [Technique::Priors, Technique::Rollouts];
        let all = self.policy.techniques;
        let blind = BLIND.into_iter().filter(|&it| all.contains(it));
        self.policy.techniques = blind.fold(Techniques::NONE, Techniques::with);
        let mut unwatched = Controls { only: controls.only.clone(), ..Controls::new(controls.stop) };
        let found = self.search(position, budget, (start, None), &mut unwatched);
        self.policy.techniques = all;
        // A search with proofs must not reuse these trees.
        self.has_grown = false;
        found.map(|(report, _)| report)
    }
}

/// The places of these moves, in the order of what was `found`.
fn order<M: Copy + PartialEq>(
    moves: impl Iterator<Item = M>,
    found: &Report<M>,
) -> impl Iterator<Item = usize> {
    let rank = |mv| found.candidates.iter().position(|it| it.mv == mv);
    let ranks: Vec<u64> = moves.map(|mv| rank(mv).map_or(0, |rank| rank as u64)).collect();
    ascending(&ranks).into_iter()
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::game::Side;
    use crate::knowledge::{Candidates, Selection, Wanted};
    use crate::search::drawn::Drawn;
    use crate::search::{EndedEarly, SearchConfig};

    type Short = Drawn<4, 9>;

    /// Solves these moves, and prefers those with high numbers.
    #[derive(Debug)]
    struct Knows(Vec<Solved<u8>>);

    impl Knowledge<Short> for Knows {
        const SELECTION: Selection = Selection::Puct { c: 1.0 };
        const SWINDLE_ITERATIONS: u64 = 1_000;
        fn candidates(&self, _: &Short, moves: &mut Candidates<u8>) {
            moves.extend((0..4).map(|mv| (mv, f32::from(mv) + 1.0)));
        }
        fn solve(&self, position: &Short, _: Wanted, _: Effort) -> Option<Vec<Solved<u8>>> {
            (*position == Short::initial()).then(|| self.0.clone())
        }
    }

    /// The moves of the report in order, and how often the search tried them.
    fn report(solved: &[(u8, Outcome, Option<u32>)]) -> (Report<u8>, Vec<(u8, u64)>) {
        let solved = solved.iter().map(|&(mv, outcome, plies)| Solved { mv, outcome, plies }).collect();
        let mut search = Search::new(SearchConfig::default(), Knows(solved)).expect("valid");
        let report =
            search.run(&Short::initial(), Budget::iterations(1_000).expect("above 0")).expect("a report");
        let moves = report.candidates.iter().map(|it| (it.mv, it.visits)).collect();
        (report, moves)
    }

    const WIN: Outcome = Outcome::Win(Side::First);
    const LOSS: Outcome = Outcome::Win(Side::Second);

    #[test]
    fn of_moves_that_are_worth_the_same_the_one_that_a_blind_search_likes_comes_first() {
        for equal in [Outcome::Draw, LOSS] {
            let (report, moves) =
                report(&[(0, equal, None), (1, equal, None), (2, equal, None), (3, LOSS, Some(3))]);
            let order: Vec<u8> = moves.iter().map(|it| it.0).collect();
            assert_eq!(order, [2, 1, 0, 3]);
            assert!(moves[..3].is_sorted_by(|a, b| a.1 > b.1), "{moves:?}");
            assert_eq!(report.iterations, moves.iter().map(|it| it.1).sum::<u64>());
            assert_eq!(report.principal_variation[0], 2);
            assert_eq!(report.best().proven, Some(equal));
        }
    }

    #[test]
    fn moves_that_the_solution_leaves_open_stand_before_the_losses() {
        let (report, moves) = report(&[(0, Outcome::Draw, None), (1, Outcome::Draw, None), (3, LOSS, None)]);
        let order: Vec<u8> = moves.iter().map(|it| it.0).collect();
        assert_eq!(order, [1, 0, 2, 3]);
        assert_eq!(report.iterations, moves.iter().map(|it| it.1).sum::<u64>());
        assert!(moves[2].1 > 0 && report.candidates[2].proven.is_none(), "{moves:?}");
    }

    #[test]
    fn where_the_first_wins_or_the_plies_are_known_there_is_nothing_to_choose() {
        for solved in [
            [(0, WIN, None), (1, WIN, None), (2, LOSS, None), (3, LOSS, None)],
            [(0, LOSS, Some(8)), (1, LOSS, Some(6)), (2, LOSS, Some(4)), (3, LOSS, Some(2))],
            [(0, Outcome::Draw, None), (1, LOSS, None), (2, LOSS, None), (3, LOSS, None)],
        ] {
            let (report, moves) = report(&solved);
            assert_eq!(moves, [(0, 0), (1, 0), (2, 0), (3, 0)]);
            assert_eq!(report.iterations, 0);
        }
    }

    #[test]
    fn a_single_move_that_wins_stands_before_all_others() {
        let (report, moves) = report(&[(2, WIN, None)]);
        assert_eq!(moves, [(2, 0), (0, 0), (1, 0), (3, 0)]);
        assert_eq!(report.best().proven, Some(WIN));
        assert_eq!(report.candidates[1].proven, None);
    }

    /// Proves all positions after the first ply lost for who moved, and prefers moves with high numbers.
    #[derive(Debug)]
    struct Despairs;

    impl Knowledge<Short> for Despairs {
        const SELECTION: Selection = Selection::Puct { c: 1.0 };
        const SWINDLE_ITERATIONS: u64 = 1_000;
        fn candidates(&self, _: &Short, moves: &mut Candidates<u8>) {
            moves.extend((0..4).map(|mv| (mv, f32::from(mv) + 1.0)));
        }
        fn prove(&self, position: &Short) -> Option<Outcome> {
            (position.0 == 1).then_some(LOSS)
        }
    }

    #[test]
    fn of_moves_that_the_search_proves_equal_the_one_that_a_blind_search_likes_comes_first() {
        for trees in [1, 3] {
            let trees = NonZeroUsize::new(trees).expect("not zero");
            let config = SearchConfig { trees, ..SearchConfig::default() };
            let run = |budget| {
                let mut search = Search::new(config.clone(), Despairs).expect("valid");
                search.run(&Short::initial(), Budget::iterations(budget).expect("above 0")).expect("a report")
            };
            let (proof, report) = (run(6), run(500));
            assert!(proof.iterations <= 6 && proof.best().proven == Some(LOSS), "{proof:?}");
            let visits = |report: &Report<u8>| report.candidates.iter().map(|it| it.visits).sum::<u64>();
            assert_eq!((visits(&proof), visits(&report)), (proof.iterations, report.iterations));
            assert_eq!(report.iterations, 500);
            assert_eq!((report.best().mv, report.principal_variation[0]), (3, 3));
            assert!(report.candidates.iter().all(|it| it.proven == Some(LOSS) && it.value == Some(0.0)));
            assert_eq!(report.ended_early, Some(EndedEarly::Proven));
            assert_ne!(report.visits_hash, proof.visits_hash);
        }
    }
}
