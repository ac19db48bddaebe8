//! Monte Carlo tree search for any [`Game`].
//!
//! An iteration walks down the tree from the root, adds the first untried move it meets as a new
//! node, plays a rollout from there, and adds the outcome to every node on the path. A node stores
//! which side chose it and counts rewards for that side, so the sides need not alternate.
//!
//! # Selection
//!
//! UCT (Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", 2006) treats the choice at each
//! node as a bandit problem and solves it by UCB1 (Auer, Cesa-Bianchi and Fischer, "Finite-time
//! analysis of the multiarmed bandit problem", 2002). A child with *n* visits and rewards that sum
//! to *w*, of a parent with *N* visits, scores
//!
//! ```text
//! w / n + c · sqrt(ln N / n)
//! ```
//!
//! with rewards from 0 to 1, from the point of view of the side to move, and *N* rounded down to
//! ten significant bits. UCB1 proper has *c* = √2; a smaller constant is better in practice.
//!
//! *First-play rule*: untried moves come before all others; their order depends on the path and the
//! tree's random stream, or on the [knowledge](crate::knowledge) if it has priors.
//!
//! PUCT (after Rosin, "Multi-armed bandits with episode context", 2011, in the form of Silver et
//! al., "Mastering the game of Go without human knowledge", 2017) uses priors instead: the weights
//! of [`Knowledge::candidates`], divided by their sum. A child with prior *P* scores
//!
//! ```text
//! w / n + c · P · sqrt(N) / (1 + n)
//! ```
//!
//! where *w / n* of an untried move (the first-play urgency) is the mean of its parent, from the
//! point of view of the side to move. So a move with a small prior may never be tried.
//!
//! *Tie-break*: among equal scores, the child that was tried first or that has the larger prior.
//! *Final choice*: see [`Report::candidates`].
//!
//! # Root parallelisation
//!
//! Several trees grow independently (root parallelisation), each with its own random stream, and
//! are merged at the root by adding up visits and rewards. Except in plain UCT, each tree prefers
//! moves of its own: the moves of the root are dealt out to the trees, and each tree treats the
//! moves of the others as less promising (root splitting). Under an iteration budget the result of
//! a new search depends only on the position, the settings and the number of trees, not on the
//! machine or the number of threads; a search that reuses its trees also depends on its earlier
//! runs. The trees may grow in several processes ([`Ranks`]) and give the same result.
mod config;
mod controls;
#[cfg(test)]
mod drawn;
mod grow;
mod guided;
mod merged;
mod pool;
mod ranks;
mod report;
mod root_splitting;
mod swindle;
mod tally;
mod technique;
mod tree;
mod ucb1;
mod uct;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

pub use config::{Budget, SearchConfig, SearchError};
pub use controls::Controls;
use controls::{Growth, PART, Round, Times};
use guided::Policy;
use merged::{Merged, Totals};
use pool::ROOT;
pub use ranks::{Exchange, Ranks};
use report::Order;
pub use report::{Candidate, EndedEarly, Report};
use tally::Tally;
pub use technique::{Technique, Techniques};
use tree::Tree;
use ucb1::Ucb1;
pub use uct::Uct;

use crate::clock::Deadline;
use crate::game::{Bounds, Game, MAX_MOVES, MoveList};
use crate::knowledge::{Candidates, Effort, Knowledge, RulesOnly, Selection, Wanted};

/// A search that can be run on one position after another.
///
/// If a position follows from the last one, the search reuses its trees. Otherwise, or if
/// [`Technique::Reuse`] is off, it keeps only their memory.
#[derive(Debug)]
pub struct Search<G: Game, K: Knowledge<G> = RulesOnly> {
    config: SearchConfig,
    policy: Policy<K>,
    trees: Vec<Tree<G>>,
    /// Whether the trees hold the results of an earlier run.
    has_grown: bool,
}

/// The maximum iterations for a position with a single legal move; they only give its value.
const ITERATIONS_FOR_ONE_MOVE: u64 = 100;

impl<G: Game, K: Knowledge<G>> Search<G, K> {
    /// A search with these settings.
    ///
    /// # Errors
    /// [`SearchError`] if a setting is out of range.
    pub fn new(config: SearchConfig, knowledge: K) -> Result<Self, SearchError> {
        const { assert!(G::MAX_BRANCHING <= MAX_MOVES, "a position may have at most MAX_MOVES legal moves") };
        config.check()?;
        let trees = (0..config.trees.get()).map(|_| Tree::new(true)).collect();
        let selection = Self::selection(&config);
        let (Selection::Ucb1 { c } | Selection::Puct { c }) = selection;
        let policy = Policy { knowledge, techniques: config.techniques, selection, ucb1: Ucb1::new(c) };
        Ok(Self { config, policy, trees, has_grown: false })
    }

    /// The selection formula of a search with these settings.
    pub(crate) fn selection(config: &SearchConfig) -> Selection {
        let mut selection = config.selection.unwrap_or(K::SELECTION);
        if let Some(c) = config.exploration {
            selection = selection.with_constant(c);
        }
        if let Selection::Puct { c } = selection
            && !config.techniques.contains(Technique::Priors)
        {
            // The knowledge's constant is for PUCT only.
            let is_given = config.selection.is_some() || config.exploration.is_some();
            selection = Selection::Ucb1 { c: if is_given { c } else { SearchConfig::UCT_EXPLORATION } };
        }
        selection
    }

    /// The search's settings.
    #[must_use]
    pub fn config(&self) -> &SearchConfig {
        &self.config
    }

    /// Sets the seed from the next run on.
    pub fn set_seed(&mut self, seed: u64) {
        self.config.seed = seed;
    }

    /// Searches `position` until `budget` is used up or more search can't change the move.
    ///
    /// First it tries to [solve](Knowledge::solve) `position`, with the values of all moves, in at
    /// most half of the time and at most about as long as the iterations would take. The search
    /// ends early if the position is proven, or if no other move can overtake the best and the
    /// position after the best can't be solved in at most half of the time left and at most about
    /// as long as the iterations left would take.
    ///
    /// The trees grow on the current rayon thread pool; a single tree grows on the calling thread.
    /// Concurrent searches of several trees should have a pool each: a thread that waits for one
    /// search may take up work of another. A position with one legal move is answered at once,
    /// whatever the budget.
    ///
    /// # Errors
    /// [`SearchError::GameOver`] if `position` has no legal move, [`SearchError::OutOfMemory`] if
    /// the system does not provide the memory.
    pub fn run(&mut self, position: &G, budget: Budget) -> Result<Report<G::Move>, SearchError> {
        self.run_until(position, budget, &AtomicBool::new(false))
    }

    /// As [`run`](Self::run), but ends early, with what has been found, when `stop` becomes true.
    /// The search checks `stop` several times a millisecond, unless an iteration takes longer, and
    /// only after the first iteration.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_until(
        &mut self,
        position: &G,
        budget: Budget,
        stop: &AtomicBool,
    ) -> Result<Report<G::Move>, SearchError> {
        self.run_with(position, budget, &mut Controls::new(stop))
    }

    /// As [`run_until`](Self::run_until). The moves in `controls` must be legal, each given once.
    /// With a single one, the search does not end early. Trees of a restricted search are not
    /// reused, and it reuses none.
    pub(crate) fn run_with(
        &mut self,
        position: &G,
        budget: Budget,
        controls: &mut Controls<'_, G::Move>,
    ) -> Result<Report<G::Move>, SearchError> {
        let start = self.config.clock.now();
        let (stop, given) = (controls.stop, budget);
        let budget = given.for_position(position, self.config.all_trees())?;
        let tally = controls::tally(&self.config, given, position);
        // With a tally the others begin to search at once, and the leader ends that if it can.
        let may_solve = tally.as_ref().is_none_or(Tally::is_leader);
        if may_solve && self.policy.techniques.contains(Technique::Solve) {
            let effort = budget.effort(K::POSITIONS_PER_ITERATION, start, &self.config.clock, stop);
            let solved = self.policy.knowledge.solve(position, Wanted::All, effort);
            let solved = solved.and_then(|moves| controls.of_solved(moves));
            let ranks = if tally.is_some() { Ranks::ALONE } else { self.config.ranks };
            if ranks.agree(solved.is_some())
                && let Some(moves) = solved
            {
                drop(tally);
                let all = std::mem::replace(&mut self.config.ranks, ranks);
                let report = self.report_solved(position, moves, budget, start, controls);
                self.config.ranks = all;
                return report;
            }
        }
        let (report, totals) = self.search(position, budget, (start, tally), controls)?;
        let ended_early = report.ended_early.or(report::of_only_move(given, budget, totals));
        Ok(Report { ended_early, ..report })
    }

    /// Describes in a few words what is known for certain about each candidate of the
    /// [report](Self::run) on `position`, such as "wins at once". If nothing is, says why the move
    /// was not tried; empty if it was. It may take some milliseconds a move.
    #[must_use]
    pub fn explain(&self, position: &G, candidates: &[Candidate<G::Move>]) -> Vec<String> {
        let Policy { knowledge, selection, .. } = &self.policy;
        let mut listed = Candidates::new();
        self.policy.candidates(position, &mut listed);
        let is_decided = candidates.first().is_some_and(|best| best.proven.is_some());
        let untried = |mv| match selection {
            _ if listed.iter().all(|(other, _)| *other != mv) => "pruned: no better than the best",
            _ if is_decided => "not tried: the best move is proven",
            Selection::Puct { .. } => "not tried: its prior is too small",
            Selection::Ucb1 { .. } => "not tried: too few iterations",
        };
        let explain = |it: &Candidate<G::Move>| {
            let known = knowledge.explain(position, it.mv);
            report::explain(it, position.side_to_move(), known, untried(it.mv))
        };
        candidates.iter().map(explain).collect()
    }

    /// Grows the trees from `position` and reports what they found. The search began at `start`.
    fn search(
        &mut self,
        position: &G,
        budget: Budget,
        (start, tally): (Instant, Option<Tally>),
        controls: &mut Controls<'_, G::Move>,
    ) -> Result<(Report<G::Move>, Totals), SearchError> {
        let ranks = self.config.ranks;
        let count = self.config.all_trees();
        let first = self.trees.len() * ranks.index();
        let memory = self.config.memory / count;
        let is_restricted = !controls.only.is_empty();
        let reused = if self.has_grown && !is_restricted && self.policy.techniques.contains(Technique::Reuse)
        {
            self.moves_to(position, if tally.is_some() { Ranks::ALONE } else { ranks })
        } else {
            None
        };
        self.has_grown = false;
        let mut is_ready = Ok(());
        for (index, tree) in (first..).zip(&mut self.trees) {
            let stream = (self.config.seed, index as u64);
            let share = budget.share(index, count);
            let is_advanced =
                reused.as_ref().is_some_and(|moves| tree.advance(position, moves, stream, share, memory));
            if !is_advanced && is_ready.is_ok() {
                is_ready = tree.reset(position, stream, share, memory);
            }
            tree.restrict(&controls.only);
        }
        let (order, times) = (Order::of_split_trees(count), (start, budget.deadline(start)));
        let growth = Growth::begin(controls, &self.config, order, times, tally, is_ready.is_ok());
        let Some(mut growth) = growth else {
            return Err(is_ready.err().unwrap_or(SearchError::OutOfMemory(memory)));
        };
        self.has_grown = !is_restricted;
        if count > 1 {
            root_splitting::split_root(&mut self.trees, ranks, position, &self.policy);
        }
        let (merged, ended_early) = self.grow_in_rounds(budget, order, &mut growth);
        if growth.has_failed() {
            return Err(SearchError::OutOfMemory(memory));
        }
        Ok((Report { ended_early, ..growth.last_report(&self.trees, &merged) }, merged.totals))
    }

    /// The moves from the root of the trees of these ranks to `position`, if one of them has it.
    fn moves_to(&self, position: &G, ranks: Ranks) -> Option<Vec<G::Move>> {
        // Ranks tell each other moves by their places in the lists of legal moves.
        let list = |position: &G| {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            moves
        };
        let root = self.trees[0].root;
        let here = self.trees.iter().find_map(|tree| tree.moves_to(position)).map(|moves| {
            let mut at = root;
            let place = |mv| {
                let place = list(&at).iter().position(|it| *it == mv);
                at.apply(mv);
                place.map_or(0, |place| place as u64)
            };
            moves.into_iter().map(place).collect()
        });
        let places = ranks.first(here, G::MAX_PLIES)?;
        let mut at = root;
        let mv = |place: u64| {
            let mv = list(&at)[place as usize];
            at.apply(mv);
            mv
        };
        Some(places.into_iter().map(mv).collect())
    }

    /// Grows the trees in rounds, and decides after each round whether to go on. In a round all
    /// trees do the same number of iterations, or, if only time limits them, as many as they can.
    /// Rounds become longer, since at the end of each the trees wait for the slowest. Returns what the
    /// trees have found, and why the search ends early, if it does.
    fn grow_in_rounds(
        &mut self,
        budget: Budget,
        order: Order,
        growth: &mut Growth<'_, '_, G>,
    ) -> (Merged<G::Move>, Option<EndedEarly>) {
        let clock = self.config.clock.clone();
        let began = clock.now();
        loop {
            let (goal, end) = if budget.is_by_time() || growth.has_tally() {
                (u64::MAX, Some(growth.round_end()))
            } else {
                (next_goal(&self.trees), None)
            };
            let policy = &self.policy;
            let work = |tree: &mut Tree<G>, count| tree.grow(count, policy);
            growth.grow(&mut self.trees, &work, goal, end);
            let Round { merged, is_over, times } = growth.end_round(&self.trees, began);
            if merged.totals.proven > 0 && times.is_some() {
                return (merged, Some(EndedEarly::Proven));
            }
            if is_over {
                return (merged, None);
            }
            let Some(Times { elapsed, left, .. }) = times else { continue };
            if growth.is_confident(&self.trees, &merged) {
                return (merged, Some(EndedEarly::Confident));
            }
            let is_only_move = self.trees[0].only.len() == 1;
            if !is_only_move
                && let Some(leader) = self.safe_leader(&merged, order, left.map(|left| (elapsed, left)))
                && !self.settle(leader, &merged, growth)
            {
                return (merged, Some(EndedEarly::Decided));
            }
        }
    }

    /// The best move, if no other can overtake it except by a proof. `times` is how long the trees
    /// have grown and how long they still may, if that is limited.
    fn safe_leader(
        &self,
        merged: &Merged<G::Move>,
        order: Order,
        times: Option<(Duration, Duration)>,
    ) -> Option<G::Move> {
        let Totals { iterations, remaining, .. } = merged.totals;
        if times.is_some() && iterations < MIN_ITERATIONS * self.config.all_trees() as u64 {
            // Too few to measure a rate.
            return None;
        }
        let remaining = times.map_or(remaining, |(taken, left)| {
            // At the rate so far, with a margin of 10 %.
            let rate = iterations as f64 / taken.as_secs_f64().max(1e-6);
            remaining.min((rate * left.as_secs_f64() * 1.1) as u64)
        });
        report::safe_leader(&self.trees, merged, order, remaining)
    }

    /// Solves the position after a move of the root and sets the bounds of the move; returns
    /// whether that succeeded. It takes at most half of the time left, and at most about as long as
    /// the iterations left would take.
    fn settle(&mut self, mv: G::Move, merged: &Merged<G::Move>, growth: &Growth<'_, '_, G>) -> bool {
        let Policy { knowledge, techniques, .. } = &self.policy;
        if ![Technique::Solve, Technique::Solver].into_iter().all(|it| techniques.contains(it)) {
            return false;
        }
        let clock = &self.config.clock;
        let now = clock.now();
        let end = growth.deadline.map(|deadline| now + deadline.saturating_duration_since(now) / 2);
        let effort = Effort {
            positions: merged.totals.remaining.saturating_mul(K::POSITIONS_PER_ITERATION),
            deadline: end.map(|at| Deadline::new(at, clock)),
            stop: Some(growth.controls.stop),
        };
        let mut position = self.trees[0].root;
        position.apply(mv);
        let solved = knowledge.solve(&position, Wanted::Best, effort);
        let best = solved.as_ref().and_then(|moves| moves.first());
        if !growth.agree(best.is_some()) {
            return false;
        }
        let Some(best) = best else { return false };
        for tree in &mut self.trees {
            let offset = tree.pool.children(ROOT).iter().position(|child| child.mv() == mv);
            if let Some(offset) = offset {
                let child = tree.pool.child(ROOT, offset);
                tree.pool.node_mut(child).set_bounds(Bounds::exactly(best.outcome));
                tree.propagate_bounds(ROOT);
            }
        }
        true
    }
}

/// The minimum iterations per tree in a round that iterations limit, and before a search with a
/// deadline may end early.
const MIN_ITERATIONS: u64 = 1024;
/// The iterations that a tree has done at the end of the next round, if iterations limit rounds.
fn next_goal<G: Game>(trees: &[Tree<G>]) -> u64 {
    let done = trees.iter().map(|tree| tree.done).max().unwrap_or(0);
    done + MIN_ITERATIONS.max(done / u64::from(PART))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::drawn::Drawn;
    use super::grow::grow;
    use super::*;
    use crate::clock::Clock;
    use crate::game::{Outcome, Rng};

    type Twenty = Drawn<2, 20>;

    #[test]
    fn a_search_that_is_stopped_answers_with_what_it_has() {
        let (stop, endless) = (AtomicBool::new(true), Budget::endless());
        let mut uct = Uct::<Twenty>::new(SearchConfig::default()).expect("valid");
        assert_eq!(uct.run_until(&Twenty::initial(), endless, &stop).expect("a report").iterations, 1);
        let mut search = Search::<Twenty>::new(SearchConfig::default(), RulesOnly).expect("valid");
        assert_eq!(search.run_until(&Twenty::initial(), endless, &stop).expect("a report").iterations, 1);
    }

    #[test]
    fn a_search_whose_time_is_over_before_it_begins_answers_with_a_little() {
        let at_once = Budget::time(Duration::from_nanos(1)).expect("not zero");
        let mut uct = Uct::<Twenty>::new(SearchConfig::default()).expect("valid");
        assert!(uct.run(&Twenty::initial(), at_once).expect("a report").iterations > 0);
        let mut search = Search::<Twenty>::new(SearchConfig::default(), RulesOnly).expect("valid");
        assert!(search.run(&Twenty::initial(), at_once).expect("a report").iterations > 0);
    }

    #[test]
    fn no_search_by_time_ends_early_by_the_rate_of_a_few_iterations() {
        let is_decided = |iterations| {
            let mut search = Search::<Twenty>::new(SearchConfig::default(), RulesOnly).expect("valid");
            let budget = Budget::iterations(iterations).expect("not zero");
            search.run(&Twenty::initial(), budget).expect("a report");
            // Both moves are alike; one is a visit ahead, and no time is left.
            let merged = Merged::here(&search.trees);
            search
                .safe_leader(&merged, Order::Visits, Some((Duration::from_secs(1), Duration::from_nanos(1))))
                .is_some()
        };
        assert!(!is_decided(101));
        assert!(is_decided(2_001));
    }

    #[test]
    fn a_search_says_why_it_ended_early() {
        let run = |iterations| {
            let mut search = Search::<Twenty>::new(SearchConfig::default(), RulesOnly).expect("valid");
            let budget = Budget::iterations(iterations).expect("not zero");
            search.run(&Twenty::initial(), budget).expect("a report")
        };
        assert_eq!(run(500).ended_early, None);
        // Two moves, then two more, and a draw: the whole tree is soon proven.
        let mut search = Search::<Drawn<2, 2>>::new(SearchConfig::default(), RulesOnly).expect("valid");
        let budget = Budget::iterations(500).expect("not zero");
        let proven = search.run(&Drawn::initial(), budget).expect("a report");
        assert_eq!(proven.ended_early, Some(EndedEarly::Proven));
        assert!(proven.iterations < 500 && proven.best().proven.is_some());
        // One move at every ply.
        let (root, budget) = (Drawn::<1, 20>::initial(), Budget::iterations(5_000).expect("not zero"));
        let mut uct = Uct::<Drawn<1, 20>>::new(SearchConfig::default()).expect("valid");
        assert_eq!(uct.run(&root, budget).expect("a report").ended_early, Some(EndedEarly::OnlyMove));
        let few = Budget::iterations(5).expect("not zero");
        assert_eq!(uct.run(&root, few).expect("a report").ended_early, None);
    }

    /// Knowledge whose rollouts take this long by the test's clock.
    struct Takes(Duration, Clock);

    impl Knowledge<Twenty> for Takes {
        fn rollout(&self, position: &Twenty, rng: &mut Rng) -> Outcome {
            self.1.advance(self.0);
            position.rollout(rng).outcome
        }
    }

    #[test]
    fn the_time_budget_is_kept_whatever_an_iteration_takes() {
        for trees in [1, 2, 5] {
            for rollout in [1, 30, 300, 5_000].map(Duration::from_micros) {
                let clock = Clock::manual();
                let config = SearchConfig {
                    trees: NonZeroUsize::new(trees).expect("not 0"),
                    clock: clock.clone(),
                    ..SearchConfig::default()
                };
                let mut search = Search::new(config, Takes(rollout, clock.clone())).expect("valid");
                let (start, time) = (clock.now(), Duration::from_millis(30));
                let report = search.run(&Twenty::initial(), Budget::time(time).expect("not zero"));
                assert!(report.expect("a report").iterations > 0);
                // When the time is up, each tree may go on for two slices and an iteration.
                let over = (clock.now() - start).saturating_sub(time);
                let most = (2 * grow::SLICE + rollout) * trees as u32;
                assert!(
                    over <= most,
                    "{trees} trees, {rollout:?} a rollout: {over:?} over, {most:?} allowed"
                );
            }
        }
    }

    #[test]
    fn trees_that_are_done_do_not_stretch_the_slices_of_one_that_is_not() {
        let root = Twenty::initial();
        let clock = Clock::manual();
        let knowledge = Takes(Duration::from_micros(1), clock.clone());
        let policy = Search::<Twenty, _>::new(SearchConfig::default(), knowledge).expect("valid").policy;
        let mut trees: Vec<Tree<Twenty>> = (0..4).map(|_| Tree::new(true)).collect();
        for (index, tree) in trees.iter_mut().enumerate() {
            let iterations = if index < 3 { 1 } else { u64::MAX };
            tree.reset(&root, (0, index as u64), iterations, 1 << 20).expect("there is memory");
        }
        let (start, time) = (clock.now(), Duration::from_millis(60));
        let stop = AtomicBool::new(false);
        let work = |tree: &mut Tree<Twenty>, count| tree.grow(count, &policy);
        grow(&mut trees, &work, u64::MAX, Some(start + time), &clock, &stop);
        let spent = clock.now() - start;
        assert!(spent <= time + 8 * grow::SLICE, "{spent:?} for {time:?}");
    }

    /// Stops the search at the rollout of this number.
    struct StopsAt<'a>(AtomicU64, u64, &'a AtomicBool);

    impl Knowledge<Twenty> for StopsAt<'_> {
        fn rollout(&self, position: &Twenty, rng: &mut Rng) -> Outcome {
            if self.0.fetch_add(1, Ordering::Relaxed) + 1 == self.1 {
                self.2.store(true, Ordering::Relaxed);
            }
            position.rollout(rng).outcome
        }
    }

    #[test]
    fn trees_on_one_thread_grow_alike() {
        const ROLLOUTS: u64 = 1_000;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        for budget in [Budget::endless(), Budget::iterations(1 << 20).expect("not zero")] {
            let stop = AtomicBool::new(false);
            let trees = NonZeroUsize::new(5).expect("not 0");
            let config = SearchConfig { trees, clock: Clock::manual(), ..SearchConfig::default() };
            let knowledge = StopsAt(AtomicU64::new(0), ROLLOUTS, &stop);
            let mut search = Search::<Twenty, _>::new(config, knowledge).expect("valid");
            pool.install(|| search.run_until(&Twenty::initial(), budget, &stop)).expect("a report");
            let done: Vec<u64> = search.trees.iter().map(|tree| tree.done).collect();
            // A slice is at most one iteration longer than all before it.
            let (least, most) = (done.iter().min().expect("trees"), done.iter().max().expect("trees"));
            assert!(*most <= 2 * least + 1, "{done:?}");
            assert!(done.iter().sum::<u64>() >= ROLLOUTS, "{done:?}");
        }
    }
}
