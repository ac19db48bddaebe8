//! The rounds of a search: when the trees are merged, and when the search ends.

use std::time::Duration;

use super::controls::{PART, Round, SearchRun, Times};
use super::crew::Crew;
use super::jobs::{GrowOptions, Job};
use super::merged::{Merged, Totals};
use super::ranking::{self, FinalChoice};
use super::report::{Candidate, EndedEarly};
use super::tree::Tree;
use super::worker::Worker;
use super::{Budget, Search, SearchConfig, Technique};
use crate::clock::Deadline;
use crate::effort::Effort;
use crate::game::{Bounds, Game};
use crate::knowledge::{Knowledge, SolveScope};

impl<G: Game, K: Knowledge<G>> Search<G, K> {
    /// Grows the trees in rounds, and decides after each round whether to go on. In a round all
    /// trees do the same number of iterations, or, if only time limits them, as many as they can.
    /// Rounds become longer, since at the end of each the trees wait for the slowest. Returns what the
    /// trees have found, and why the search ends early, if it does.
    pub(super) fn grow_in_rounds(
        &mut self,
        budget: Budget,
        run: &mut SearchRun<'_, '_, G>,
    ) -> (Merged<G::Move>, Option<EndedEarly>) {
        let config = run.config;
        let began = config.clock.now();
        let (mut asked, mut round_goal) = (None, 0);
        loop {
            let (goal, end) = if budget.is_by_time() || run.tally.is_some() {
                (u64::MAX, Some(run.round_end()))
            } else {
                round_goal = next_goal(round_goal);
                (round_goal, None)
            };
            let guide = &self.guide;
            let deadline = run.deadline.map(|at| Deadline::new(at, &config.clock));
            let effort = Effort { positions: u64::MAX, deadline, stop: Some(run.controls.stop) };
            let is_timed = self.trees[0].spans.is_some();
            let options = GrowOptions { techniques: config.techniques, effort, is_timed };
            // Several trees have a thread each.
            let is_shared = self.trees.len() == 1 && self.trees[0].has_trunk();
            let helpers = if is_shared { config.thread_count() - 1 } else { 0 };
            let root = self.trees[0].root;
            let help = |worker: &mut Worker<G>, jobs: &mut [Job<G>]| worker.work(jobs, guide, options);
            let state = || Worker::new(&root);
            // Trees that grow side by side have a crew each: the jobs of one are not those of another.
            let is_alone = self.trees.len() == 1;
            Crew::with(helpers, &help, &state, &mut |crew| {
                let work = |tree: &mut Tree<G>, count| {
                    if is_alone {
                        tree.grow(count, guide, options, crew);
                    } else {
                        Crew::with(0, &help, &state, &mut |own| tree.grow(count, guide, options, own));
                    }
                };
                run.grow(&mut self.trees, &work, goal, end);
            });
            let Round { merged, is_over, times } = run.end_round(&self.trees, began);
            if merged.outcome().is_some() && times.is_some() {
                return (merged, Some(EndedEarly::Proven));
            }
            if is_over {
                return (merged, None);
            }
            let Some(Times { elapsed, left, .. }) = times else { continue };
            if run.is_confident(&self.trees, &merged) {
                return (merged, Some(EndedEarly::Confident));
            }
            let times = left.map(|left| (elapsed, left));
            if self.trees[0].only.len() == 1 || !config.early_stop && times.is_none() {
                continue;
            }
            let safe = self.safe_leader(config, &merged, run.choice, times);
            let is_late = self.trees[0].prover.is_some() && left.is_some_and(|left| left <= elapsed);
            // With no iterations left, any leader is safe.
            let late = || ranking::safe_leader(&self.trees, &merged, run.choice, 0).filter(|_| is_late);
            if let Some(leader) = safe.or_else(late)
                && (asked == Some(leader) || !self.prove_leader(leader, &merged, run))
            {
                if config.early_stop && safe.is_some() {
                    return (merged, Some(EndedEarly::Decided));
                }
                asked = Some(leader);
            }
        }
    }

    /// The best move, if no other can overtake it except by a proof. `times` is how long the trees
    /// have grown and how long they still may, if that is limited.
    fn safe_leader(
        &self,
        config: &SearchConfig,
        merged: &Merged<G::Move>,
        choice: FinalChoice,
        times: Option<(Duration, Duration)>,
    ) -> Option<G::Move> {
        let Totals { iterations, remaining, .. } = merged.totals;
        if times.is_some() && iterations < MIN_ITERATIONS * config.all_trees() as u64 {
            // Too few to measure a rate.
            return None;
        }
        let remaining = times.map_or(remaining, |(taken, left)| {
            // At the rate so far, with a margin of 10 %.
            let rate = iterations as f64 / taken.as_secs_f64().max(1e-6);
            remaining.min((rate * left.as_secs_f64() * 1.1) as u64)
        });
        ranking::safe_leader(&self.trees, merged, choice, remaining)
    }

    /// Asks the knowledge about each move of the root that was not tried, as a first visit would, if the best
    /// of the others is proven not to win: nothing untried may win then.
    pub(super) fn prove_untried(&self, merged: &mut Merged<G::Move>, run: &SearchRun<'_, '_, G>) {
        let best = &ranking::candidates(&self.trees, merged, run.choice)[0];
        if best.proven.is_none() || merged.outcome().is_some() {
            return;
        }
        let tree = &self.trees[0];
        for sum in merged.root.moves.iter_mut().filter(|sum| sum.visits == 0 && tree.may_choose(sum.mv)) {
            let position = tree.root.after(sum.mv);
            if let Some(outcome) =
                position.outcome().or_else(|| self.guide.prove(&position, run.config.techniques))
            {
                sum.bounds = sum.bounds.and(Bounds::exactly(outcome));
            }
        }
        merged.root.conclude();
    }

    /// Proves the position after the best move of the root with at most three quarters of the time left, and at most
    /// about as much effort as the iterations left would take; returns whether that succeeded. If more effort may prove
    /// it, looks at the moves that have about as many visits.
    fn prove_leader(
        &mut self,
        mv: G::Move,
        merged: &Merged<G::Move>,
        run: &mut SearchRun<'_, '_, G>,
    ) -> bool {
        /// The positions that a prover may look at after another move, and the most such moves.
        const FOR_A_RIVAL: u64 = 1_000;
        const RIVALS: usize = 4;
        let SearchConfig { techniques, clock, .. } = run.config;
        if ![Technique::Solve, Technique::Solver].into_iter().all(|it| techniques.contains(it)) {
            return false;
        }
        let now = clock.now();
        let end = run.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 4 * 3);
        let effort = Effort {
            positions: merged.totals.remaining.saturating_mul(K::POSITIONS_PER_ITERATION),
            deadline: end.map(|at| Deadline::new(at, clock)),
            stop: Some(run.controls.stop),
        };
        if self.ask_about(mv, effort, run) {
            return true;
        }
        if run.is_in_doubt(mv) {
            let ranked = ranking::candidates(&self.trees, merged, run.choice);
            let visits = ranked.iter().find(|it| it.mv == mv).map_or(0, |it| it.visits) as f64;
            let is_close = |it: &&Candidate<G::Move>| it.visits as f64 >= ranking::RIVAL * visits;
            let rivals = ranked.iter().filter(|it| it.mv != mv && it.proven.is_none()).filter(is_close);
            for rival in rivals.take(RIVALS) {
                self.ask_about(rival.mv, Effort { positions: FOR_A_RIVAL, ..effort }, run);
            }
        }
        false
    }

    /// Proves the position after a move of the root, by the prover of the first tree of all ranks if the knowledge has
    /// provers and otherwise by the solver, and sets the bounds of the move; returns whether that succeeded.
    fn ask_about(&mut self, mv: G::Move, effort: Effort<'_>, run: &mut SearchRun<'_, '_, G>) -> bool {
        let position = self.trees[0].root.after(mv);
        let outcome = run.ranks.outcome_of_leader(|| {
            self.trees[0].share_proofs();
            if let Some(prover) = self.trees[0].prover.as_mut() {
                return prover.prove(&position, effort);
            }
            let solved = self.guide.knowledge.solve(&position, SolveScope::Best, effort);
            solved.and_then(|moves| moves.first().map(|best| best.outcome))
        });
        let Some(outcome) = outcome else {
            if let Some(prover) = &self.trees[0].prover {
                run.note_asked(mv, prover.is_settled(&position));
            }
            return false;
        };
        self.trees.iter_mut().for_each(|tree| tree.set_proven(&[mv], outcome, true));
        true
    }
}

/// The minimum iterations per tree in a round that iterations limit, and before a search with a
/// deadline may end early.
pub(super) const MIN_ITERATIONS: u64 = 1024;

/// The iterations that a tree has done at the end of the next round, if iterations limit rounds: a little more or less,
/// if it grows in batches. It depends on no tree, so that all ranks have the same.
pub(super) fn next_goal(goal: u64) -> u64 {
    goal + MIN_ITERATIONS.max(goal / u64::from(PART))
}

#[cfg(test)]
mod tests {
    use super::super::Uct;
    use super::super::drawn::{Drawn, Told};
    use super::*;
    use crate::clock::Clock;
    use crate::game::Outcome;
    use crate::knowledge::{Prover, Selection};

    const TWENTY: Drawn = Drawn::new(2, 20);

    #[test]
    fn the_iterations_left_follow_from_the_rate_so_far() {
        let mut search = Search::new(SearchConfig::default(), Told::default()).expect("valid");
        search.run(&TWENTY, Budget::iterations(5_000).expect("not 0")).expect("a report");
        let mut merged = Merged::here(&search.trees);
        let [leader, other] = &mut merged.root.moves[..] else { panic!("there are two") };
        (leader.visits, other.visits) = (4_000, 1_000);
        let mv = leader.mv;
        // 5,000 iterations a second: 3,000 more may put the other move first, 2,000 can't.
        let after = |ms| Some((Duration::from_secs(1), Duration::from_millis(ms)));
        merged.totals.remaining = u64::MAX;
        assert_eq!(search.safe_leader(&search.config, &merged, FinalChoice::Visits, after(300)), Some(mv));
        assert_eq!(search.safe_leader(&search.config, &merged, FinalChoice::Visits, after(600)), None);
    }

    #[test]
    fn no_search_by_time_ends_early_by_the_rate_of_a_few_iterations() {
        let is_decided = |iterations| {
            let mut search = Search::new(SearchConfig::default(), Told::default()).expect("valid");
            let budget = Budget::iterations(iterations).expect("not zero");
            search.run(&TWENTY, budget).expect("a report");
            // Both moves are alike; one is a visit ahead, and no time is left.
            let merged = Merged::here(&search.trees);
            let times = Some((Duration::from_secs(1), Duration::from_nanos(1)));
            search.safe_leader(&search.config, &merged, FinalChoice::Visits, times).is_some()
        };
        assert!(!is_decided(101));
        assert!(is_decided(2_001));
    }

    #[test]
    fn a_search_says_why_it_ended_early() {
        let run = |iterations| {
            let mut search = Search::new(SearchConfig::default(), Told::default()).expect("valid");
            let budget = Budget::iterations(iterations).expect("not zero");
            search.run(&TWENTY, budget).expect("a report")
        };
        assert_eq!(run(500).ended_early, None);
        // Two moves, then two more, and a draw: the whole tree is soon proven.
        let mut search = Search::new(SearchConfig::default(), Told::default()).expect("valid");
        let budget = Budget::iterations(500).expect("not zero");
        let proven = search.run(&Drawn::new(2, 2), budget).expect("a report");
        assert_eq!(proven.ended_early, Some(EndedEarly::Proven));
        assert!(proven.iterations < 500 && proven.best().proven.is_some());
        // One move at every ply.
        let (root, budget) = (Drawn::new(1, 20), Budget::iterations(5_000).expect("not zero"));
        let mut uct = Uct::new(SearchConfig::default()).expect("valid");
        assert_eq!(uct.run(&root, budget).expect("a report").ended_early, Some(EndedEarly::OnlyMove));
        // So many plies that the line is not proven.
        let mut search = Search::new(SearchConfig::default(), Told::default()).expect("valid");
        let long = Drawn::new(1, 200);
        let report = search.run(&long, budget).expect("a report");
        assert_eq!((report.ended_early, report.iterations), (Some(EndedEarly::OnlyMove), 100));
        let few = Budget::iterations(5).expect("not zero");
        assert_eq!(search.run(&long, few).expect("a report").ended_early, None);
        assert_eq!(uct.run(&root, few).expect("a report").ended_early, None);
    }

    #[test]
    fn without_an_early_stop_the_budget_is_used_up() {
        let run = |early_stop| {
            let config = SearchConfig { early_stop, ..by_puct() };
            let mut search = Search::new(config, likes_the_first()).expect("valid");
            let report = search.run(&TWENTY, Budget::iterations(20_000).expect("not zero"));
            let report = report.expect("a report");
            (report.ended_early, report.iterations)
        };
        let (ended_early, iterations) = run(true);
        assert_eq!(ended_early, Some(EndedEarly::Decided));
        assert!(iterations < 20_000, "{iterations}");
        assert_eq!(run(false), (None, 20_000));
    }

    fn by_puct() -> SearchConfig {
        SearchConfig { selection: Some(Selection::Puct { c: 1.0 }), ..SearchConfig::default() }
    }

    /// Knowledge that prefers the first move by far.
    fn likes_the_first() -> Told<'static> {
        Told::default().with_candidates(|_, moves| moves.extend([(0, 9.0), (1, 1.0)]))
    }

    /// With more effort than a visit gets it proves that either move loses.
    #[derive(Debug)]
    struct ProvesTheLeader;

    impl Prover<Drawn> for ProvesTheLeader {
        fn prove(&mut self, position: &Drawn, effort: Effort) -> Option<Outcome> {
            let is_proven = position.ply == 1 && effort.positions > 10_000;
            is_proven.then(|| Outcome::Win(position.side_to_move()))
        }
        fn forget(&mut self) {}
    }

    #[test]
    fn a_leader_that_can_not_be_overtaken_is_proven_before_the_search_ends() {
        let longest = Duration::from_secs(7_000_000_000_000_000_000);
        for (time, early_stop) in [(None, true), (Some(longest), true), (Some(longest), false)] {
            let knowledge = likes_the_first().with_prover(|| ProvesTheLeader);
            let config = SearchConfig { early_stop, ..by_puct() };
            let mut search = Search::new(config, knowledge).expect("valid");
            let report = search.run(&TWENTY, Budget::new(Some(20_000), time).expect("not zero"));
            let report = report.expect("a report");
            // The first move loses; then the other leads, and loses too.
            assert_eq!(report.ended_early, Some(EndedEarly::Proven));
            assert!(report.best().proven.is_some(), "{report:?}");
        }
    }

    /// The best move of two that are much alike, by a search of three seconds whose clock goes on by a millisecond an
    /// iteration.
    fn searched_in_time<P: Prover<Drawn> + 'static>(
        prover: impl Fn() -> P + Send + Sync,
    ) -> super::super::Report<u8> {
        let clock = Clock::manual();
        let slow = clock.clone();
        let knowledge = Told::default()
            .with_candidates(|_, moves| moves.extend([(0, 1.1), (1, 1.0)]))
            .with_prover(prover)
            .with_value(move |_, _| {
                slow.advance(Duration::from_millis(1));
                Outcome::Draw.into()
            });
        let config = SearchConfig { early_stop: false, clock, ..by_puct() };
        let mut search = Search::new(config, knowledge).expect("valid");
        let report = search.run(&TWENTY, Budget::time(Duration::from_secs(3)).expect("not zero"));
        report.expect("a report")
    }

    #[test]
    fn in_the_second_half_of_the_time_any_leader_is_proven() {
        let report = searched_in_time(|| ProvesTheLeader);
        // The moves are so much alike that either may still be the first.
        assert_eq!(report.ended_early, Some(EndedEarly::Proven));
        assert!((1_500..1_900).contains(&report.iterations), "{report:?}");
    }

    /// Settles what it is asked about with the effort for moves beside the best one.
    #[derive(Debug)]
    struct SettlesOthers(bool);

    impl Prover<Drawn> for SettlesOthers {
        fn prove(&mut self, position: &Drawn, effort: Effort) -> Option<Outcome> {
            self.0 = position.ply == 1 && effort.positions == 1_000;
            None
        }
        fn is_settled(&self, _: &Drawn) -> bool {
            self.0
        }
        fn forget(&mut self) {}
    }

    #[test]
    fn a_move_that_is_settled_is_preferred_to_a_leader_that_may_be_refuted() {
        let report = searched_in_time(|| SettlesOthers(false));
        let [best, other] = &report.candidates[..] else { panic!("there are two") };
        assert!(best.visits < other.visits && 2 * best.visits > other.visits, "{report:?}");
    }
}
