//! What the caller of a search controls besides its budget.

use std::fmt::{self, Debug, Display};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::config::{Budget, SearchConfig};
use super::error::SearchError;
use super::grow::{GrowTree, for_each_part, grow};
use super::merged::{Merged, RankSlot};
use super::ranking::{self, FinalChoice};
use super::ranks::Ranks;
use super::report::{self, Report, without_moves};
use super::spans::Spans;
use super::tally::Tally;
use super::timing::Start;
use super::tree::Tree;
use crate::game::{Game, IllegalMove};
use crate::knowledge::Solved;

/// Stops, restricts and watches a search. `M` is a move, or its token.
pub struct Controls<'a, M> {
    /// Ends the search, with what has been found, when it becomes true. If the search is still trying to
    /// [solve](crate::knowledge::Knowledge::solve) the position then, each tree does 1,024 iterations first.
    /// The search looks at this several times a millisecond, unless an iteration takes longer, and only after
    /// the first iteration of a tree that starts anew.
    pub stop: &'a AtomicBool,
    /// The moves to choose from, all legal; any legal move if it is empty.
    pub only: Vec<M>,
    /// Ends the search as soon as its [confidence](Report::confidence) is at least this, from 0 to 1.
    /// It is looked at between rounds, so that under an iteration budget the search ends after the
    /// same number of iterations every time.
    pub confidence: Option<f64>,
    /// The number of candidates whose variation is reported, the best first; at least 1.
    pub variations: usize,
    /// Called about ten times a second, while the trees grow, with what has been found so far; a large tree
    /// is shown at the ends of [batches](crate::search#batches), which may be longer. It
    /// changes nothing about the search except its time.
    pub watch: Option<&'a mut (dyn FnMut(Report<M>) + 'a)>,
    /// Where to put how long the search would take on other numbers of threads, if it has one tree and one
    /// thread. To measure that takes a little time.
    pub spans: Option<&'a mut Spans>,
}

impl<'a, M> Controls<'a, M> {
    /// A search of all moves that reports the principal variation alone.
    #[must_use]
    pub fn new(stop: &'a AtomicBool) -> Self {
        Self { stop, only: Vec::new(), confidence: None, variations: 1, watch: None, spans: None }
    }
}

impl<M: Debug> Debug for Controls<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stop, only, confidence, variations, watch, spans } = self;
        f.debug_struct("Controls")
            .field("stop", stop)
            .field("only", only)
            .field("confidence", confidence)
            .field("variations", variations)
            .field("watch", &watch.is_some())
            .field("spans", spans)
            .finish()
    }
}

impl<M: Copy + Eq + Display> Controls<'_, M> {
    /// Checks that the moves to choose from are legal, and keeps each once.
    pub(crate) fn check<G: Game<Move = M>>(&mut self, position: &G) -> Result<(), SearchError> {
        if self.only.is_empty() {
            return Ok(());
        }
        let legal = position.move_list();
        let mut only = Vec::new();
        for mv in std::mem::take(&mut self.only) {
            if !legal.contains(&mv) {
                return Err(IllegalMove::new(&mv.to_string(), &legal).into());
            }
            if !only.contains(&mv) {
                only.push(mv);
            }
        }
        self.only = only;
        Ok(())
    }

    /// Of the [solved](crate::knowledge::Knowledge::solve) moves, those to choose from; `None` if a
    /// move to choose from that is not solved may be better.
    pub(super) fn of_solved(&self, mut moves: Vec<Solved<M>>) -> Option<Vec<Solved<M>>> {
        let best = moves.first()?.outcome;
        if self.only.is_empty() {
            return Some(moves);
        }
        moves.retain(|it| self.only.contains(&it.mv));
        (moves.len() == self.only.len() || moves.first()?.outcome == best).then_some(moves)
    }
}

/// The time between two calls of [`Controls::watch`].
const INTERVAL: Duration = Duration::from_millis(100);

/// The growth of the trees of a search, watched and stopped as its caller wants.
pub(super) struct SearchRun<'a, 'b, G: Game> {
    pub(super) controls: &'a mut Controls<'b, G::Move>,
    pub(super) config: &'a SearchConfig,
    /// The ranks in lockstep; this one alone if the search is asynchronous.
    pub(super) ranks: Ranks,
    /// The sums of an asynchronous search, which needs rounds for them.
    pub(super) tally: Option<Tally>,
    pub(super) choice: FinalChoice,
    /// When the search began.
    start: Start,
    /// When it has to end. Only the leader has a deadline.
    pub(super) deadline: Option<Instant>,
    /// When the watcher is to be called next; `None` if there is none.
    due: Option<Instant>,
    /// How long the next round should take, if only time limits it.
    next: Duration,
    /// What the leader's clock showed when it posted last.
    posted: Times,
    /// The moves of the root that a prover was asked about and did not prove, and whether it is
    /// [settled](crate::knowledge::Prover::is_settled) after each. Only a search with a deadline has some.
    asked: Vec<(G::Move, bool)>,
}

/// Times of the leader at the end of a round.
#[derive(Clone, Copy, Default)]
pub(super) struct Times {
    /// Since the trees began to grow.
    pub(super) elapsed: Duration,
    /// The time left; `None` if it is not limited.
    pub(super) left: Option<Duration>,
    /// How long the next round should take, if only time limits it.
    next: Duration,
}

/// What is known after a round: the same to all ranks, unless there is a tally.
pub(super) struct Round<M> {
    pub(super) merged: Merged<M>,
    /// Whether the trees may not grow any more: the budget is used up, or the caller stops the search.
    pub(super) is_over: bool,
    /// When this was known of all ranks; `None` if this rank can't decide from it that the search may
    /// end early.
    pub(super) times: Option<Times>,
}

/// The tally of a search of `position` with the limits `budget`; `None` if its ranks are in lockstep: if
/// there is one rank, or only iterations limit the search.
pub(super) fn tally<G: Game>(config: &SearchConfig, budget: Budget, position: &G) -> Option<Tally> {
    let (iterations, time) = budget.limits();
    let is_needed = (iterations.is_none() || time.is_some()) && !config.ranks.is_alone();
    let numbers = Merged::<G::Move>::numbers(RankSlot::of(config.ranks), position.move_count(), 1);
    is_needed.then(|| Tally::new(config.ranks, numbers))
}

impl<'a, 'b, G: Game> SearchRun<'a, 'b, G> {
    /// `start` is when the search began, `deadline` when it has to end. An error if a tree of some rank
    /// is not ready: for want of `memory`, if this rank knows no more.
    pub(super) fn begin(
        controls: &'a mut Controls<'b, G::Move>,
        config: &'a SearchConfig,
        choice: FinalChoice,
        (start, deadline): (Start, Option<Instant>),
        mut tally: Option<Tally>,
        is_ready: Result<(), SearchError>,
        memory: usize,
    ) -> Result<Self, SearchError> {
        let due = controls.watch.is_some().then_some(start.at + INTERVAL);
        let (mut ranks, mut deadline) = (config.ranks, deadline);
        if let Some(tally) = &mut tally {
            if is_ready.is_err() {
                tally.fail();
            }
            is_ready?;
            deadline = deadline.filter(|_| tally.is_leader());
            ranks = Ranks::ALONE;
        } else if !ranks.agree(is_ready.is_ok()) {
            return is_ready.and(Err(SearchError::OutOfMemory(memory)));
        }
        let (next, posted) = (MIN_ROUND, Times::default());
        let asked = Vec::new();
        Ok(Self { controls, config, ranks, tally, choice, start, deadline, due, next, posted, asked })
    }

    /// When a round ends that begins now and that only time limits.
    pub(super) fn round_end(&self) -> Instant {
        self.config.clock.now() + self.next
    }

    /// Whether another rank can't search.
    pub(super) fn has_failed(&self) -> bool {
        self.tally.as_ref().is_some_and(Tally::has_failed)
    }

    /// Notes that a prover was asked about a move in vain.
    pub(super) fn note_asked(&mut self, mv: G::Move, is_settled: bool) {
        if self.deadline.is_some() {
            self.asked.retain(|it| it.0 != mv);
            self.asked.push((mv, is_settled));
        }
    }

    /// Whether a prover was asked about a move, and more effort may prove that it loses.
    pub(super) fn is_in_doubt(&self, mv: G::Move) -> bool {
        self.asked.contains(&(mv, false))
    }

    fn is_stopped(&self) -> bool {
        self.controls.stop.load(Ordering::Relaxed)
    }

    /// [Grows](grow) the trees on all threads. It pauses to call the watcher, which does not change
    /// what a tree does with its iterations. With several ranks, the watcher sees the trees of this
    /// one.
    pub(super) fn grow(
        &mut self,
        trees: &mut [Tree<G>],
        grow_tree: &GrowTree<'_, G>,
        goal: u64,
        round_end: Option<Instant>,
    ) {
        let deadline = [self.deadline, round_end].into_iter().flatten().min();
        loop {
            let end = [deadline, self.due].into_iter().flatten().min();
            let (clock, stop) = (&self.config.clock, self.controls.stop);
            for_each_part(self.config.thread_count(), trees, &|trees| {
                grow(trees, grow_tree, goal, end, clock, stop);
            });
            let now = self.config.clock.now();
            let is_over = self.is_stopped() || deadline.is_some_and(|deadline| now >= deadline);
            if is_over || self.due.is_none_or(|due| now < due) {
                return;
            }
            let report = self.report(trees, &Merged::here(trees), Ranks::ALONE);
            if let Some(watch) = &mut self.controls.watch {
                watch(report);
            }
            self.due = Some(self.config.clock.now() + INTERVAL);
        }
    }

    /// Ends a round: merges what the trees of all ranks have found, as far as it is known. `began` is
    /// when the trees began to grow.
    pub(super) fn end_round(&mut self, trees: &[Tree<G>], began: Instant) -> Round<G::Move> {
        let here = Merged::here(trees);
        let now = self.config.clock.now();
        let elapsed = now - began;
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(now));
        // Rounds become shorter towards the end, so that little is left to add up then, and a new leader is soon seen.
        let next = left.map_or(elapsed / PART, |left| (elapsed / PART).min(left / PART_LEFT));
        let times = Times { elapsed, left, next: next.max(MIN_ROUND) };
        if let Some(tally) = self.tally.take() {
            let (tally, round) = self.tally_up(tally, here, times);
            self.tally = Some(tally);
            return round;
        }
        self.next = times.next;
        self.agree_on(here, times)
    }

    /// Adds up what all ranks have found, and decides alike in all.
    fn agree_on(&mut self, here: Merged<G::Move>, times: Times) -> Round<G::Move> {
        let ranks = self.ranks;
        if ranks.is_leader() && self.is_stopped() {
            ranks.stop();
        }
        let mut stopped = [u64::from(self.is_stopped())];
        let merged = if ranks.is_alone() {
            here
        } else {
            here.over(RankSlot::of(ranks), &mut stopped, &mut |it| ranks.sum(it))
        };
        let is_over = merged.totals.remaining == 0 || times.left == Some(Duration::ZERO) || stopped != [0];
        Round { merged, is_over, times: Some(times) }
    }

    /// Adds what is known of the other ranks, and posts what this one has found if it is time.
    fn tally_up(&mut self, mut tally: Tally, here: Merged<G::Move>, times: Times) -> (Tally, Round<G::Move>) {
        let is_leader = tally.is_leader();
        let is_proven = here.outcome().is_some();
        let can_grow = here.totals.remaining > 0 && !is_proven && !self.is_stopped();
        let mut next = [if is_leader { nanoseconds(times.next) } else { 0 }];
        let (mut known, own) = (None, next[0]);
        let merged = here.over(RankSlot::of(self.config.ranks), &mut next, &mut |numbers| {
            if tally.is_open() {
                let timeout = if can_grow { Duration::ZERO } else { MIN_ROUND };
                known = tally.take(timeout).then_some(self.posted);
            } else {
                tally.post(numbers);
                self.posted = times;
            }
            tally.add_others(numbers);
        });
        // Sums that are on their way are looked for after a short round.
        self.next = match known {
            Some(posted) if is_leader => posted.next,
            Some(_) => Duration::from_nanos(next[0].wrapping_sub(own)),
            None => MIN_ROUND,
        };
        let is_over = if is_leader {
            let is_done = tally.is_known && merged.totals.remaining == 0;
            self.is_stopped() || is_done || times.left == Some(Duration::ZERO) || tally.has_failed()
        } else {
            tally.is_over
        };
        // What the leader has proven by itself does not depend on the other ranks.
        let times = if is_proven { Some(times) } else { known }.filter(|_| is_leader);
        (tally, Round { merged, is_over, times })
    }

    /// Whether the best move is as sure as the caller wants.
    pub(super) fn is_confident(&self, trees: &[Tree<G>], merged: &Merged<G::Move>) -> bool {
        // A line that is found may put any move first.
        let is_sure_to_end = !merged.root.has_lines && !trees[0].begins_joint_move();
        let wanted = self.controls.confidence.filter(|_| is_sure_to_end);
        let confidence =
            || report::confidence(&without_moves(&ranking::candidates(trees, merged, self.choice)));
        wanted.is_some_and(|wanted| confidence().is_some_and(|it| it >= wanted))
    }

    /// The last report. If time limits the search, the lines are those of this rank's trees: to merge
    /// them takes an exchange for each ply.
    pub(super) fn last_report(&mut self, trees: &[Tree<G>], merged: &Merged<G::Move>) -> Report<G::Move> {
        // From here on the others have nothing to do.
        self.tally = None;
        self.report(trees, merged, self.ranks)
    }

    fn report(&self, trees: &[Tree<G>], merged: &Merged<G::Move>, ranks: Ranks) -> Report<G::Move> {
        let times = self.start.elapsed(&self.config.clock);
        ranking::report(
            trees,
            merged,
            ranks,
            (self.choice, &self.asked),
            (self.controls.variations, self.config.seed),
            times,
        )
    }
}

/// The minimum time of a round.
pub(super) const MIN_ROUND: Duration = Duration::from_millis(1);
/// A round is 1 / `PART` as long as all rounds before it together.
pub(super) const PART: u32 = 8;
/// A round is at most 1 / `PART_LEFT` as long as the time left.
const PART_LEFT: u32 = 4;
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::clock::Clock;
    use crate::game::{Outcome, Side};
    use crate::knowledge::Solved;
    use crate::search::drawn::{Drawn, Told};
    use crate::search::rounds::MIN_ITERATIONS;
    use crate::search::{Budget, EndedEarly, Search, SearchConfig, Uct};

    const TWENTY: Drawn = Drawn::new(20, 30);

    fn config(trees: usize) -> SearchConfig {
        let trees = NonZeroUsize::new(trees).expect("not zero");
        SearchConfig { trees: Some(trees), clock: Clock::manual(), ..SearchConfig::default() }
    }

    /// Rollouts that take a millisecond by the test's clock. Move 7 of the root is no candidate.
    fn slow(trees: usize) -> Search<Drawn, Told<'static>> {
        let config = config(trees);
        let clock = config.clock.clone();
        let slow = Told::default()
            .with_candidates(|position, moves| {
                moves.extend((0..20).filter(|&mv| mv != 7 || position.ply > 0).map(|mv| (mv, 1.0)));
            })
            .with_value(move |position, rng| {
                clock.advance(Duration::from_millis(1));
                // Not all alike, so that visits depend on the outcomes.
                if rng.below(2) == 0 {
                    Outcome::Win(Side::First).into()
                } else {
                    position.rollout(rng).outcome.into()
                }
            });
        Search::new(config, slow).expect("valid")
    }

    fn iterations(number: u64) -> Budget {
        Budget::iterations(number).expect("not zero")
    }

    #[test]
    fn a_watched_search_finds_the_same_and_shows_how_it_gets_there() {
        for trees in [1, 2, 5] {
            let (start, budget) = (TWENTY, iterations(5_000));
            let alone = slow(trees).run(&start, budget).expect("a report").without_times();
            let mut seen = Vec::new();
            let mut watch = |report: Report<u8>| seen.push((report.iterations, report.elapsed));
            let stop = AtomicBool::new(false);
            let mut controls = Controls { watch: Some(&mut watch), ..Controls::new(&stop) };
            let watched = slow(trees).run_with(&start, budget, &mut controls).expect("a report");
            assert_eq!(watched.without_times(), alone);
            // Five seconds, or a little more where threads wait for each other.
            assert!((30..=50).contains(&seen.len()), "{seen:?}");
            assert!(seen.is_sorted_by(|a, b| a.0 < b.0 && a.1 + INTERVAL <= b.1), "{seen:?}");
            assert!(seen.last().is_some_and(|last| last.0 <= alone.iterations), "{seen:?}");
        }
    }

    #[test]
    fn a_restricted_search_tries_only_the_moves_to_choose_from() {
        let stop = AtomicBool::new(false);
        for only in [vec![3], vec![7], vec![12, 7, 3]] {
            for trees in [1, 2] {
                let controls = || Controls { only: only.clone(), variations: 9, ..Controls::new(&stop) };
                let (start, budget) = (TWENTY, iterations(3_000));
                let mut search = slow(trees);
                search.run(&start, budget).expect("a report");
                let mut uct = Uct::new(config(trees)).expect("valid");
                for report in [
                    search.run_with(&start, budget, &mut controls()).expect("a report"),
                    uct.run_with(&start, budget, &mut controls()).expect("a report"),
                ] {
                    let mut tried: Vec<u8> = report.candidates.iter().map(|it| it.mv).collect();
                    let firsts: Vec<u8> = std::iter::once(&report.principal_variation)
                        .chain(&report.other_variations)
                        .map(|variation| variation[0])
                        .collect();
                    assert_eq!(firsts, tried);
                    tried.sort_unstable();
                    let mut wanted = only.clone();
                    wanted.sort_unstable();
                    assert_eq!(tried, wanted);
                    let visits: u64 = report.candidates.iter().map(|it| it.visits).sum();
                    assert_eq!((visits, report.iterations), (3_000, 3_000));
                }
                // The next search does not reuse the restricted trees.
                let report = search.run(&start, budget).expect("a report");
                let anew = slow(trees).run(&start, budget).expect("a report");
                assert_eq!(report.without_times(), anew.without_times());
            }
        }
    }

    #[test]
    fn a_search_ends_between_rounds_if_it_is_as_confident_as_is_wanted() {
        let stop = AtomicBool::new(false);
        let (start, budget) = (TWENTY, iterations(20_000));
        for trees in [1, 2] {
            let round = MIN_ITERATIONS * trees as u64;
            // In a drawn game all moves are equal.
            for (confidence, done, ended) in [(0.5, round, Some(EndedEarly::Confident)), (0.6, 20_000, None)]
            {
                let controls = || Controls { confidence: Some(confidence), ..Controls::new(&stop) };
                let mut uct = Uct::new(config(trees)).expect("valid");
                let mut search = Search::new(config(trees), Told::default()).expect("valid");
                for report in [
                    uct.run_with(&start, budget, &mut controls()).expect("a report"),
                    search.run_with(&start, budget, &mut controls()).expect("a report"),
                ] {
                    assert_eq!((report.confidence(), report.ended_early), (Some(0.5), ended));
                    assert_eq!(report.iterations, done);
                }
            }
        }
    }

    #[test]
    fn variations_of_other_candidates_are_reported_if_they_are_wanted() {
        let stop = AtomicBool::new(false);
        for (variations, others) in [(0, 0), (1, 0), (3, 2), (99, 19)] {
            let mut controls = Controls { variations, ..Controls::new(&stop) };
            let mut search = Search::new(config(1), Told::default()).expect("valid");
            let report = search.run_with(&TWENTY, iterations(9_000), &mut controls);
            let report = report.expect("a report");
            assert_eq!(report.other_variations.len(), others);
            for (variation, candidate) in report.other_variations.iter().zip(&report.candidates[1..]) {
                assert_eq!(variation[0], candidate.mv);
                assert!(variation.len() > 1);
            }
        }
    }

    /// Solves the root: move 1 wins, 2 and 3 draw, 0 loses, and the others are no better than 1.
    fn solves() -> Told<'static> {
        let solved = |mv, outcome| Solved { mv, outcome, plies: Some(7) };
        Told::default().with_solution(move |position, _| {
            (position.ply == 0).then(|| {
                vec![
                    solved(1, Outcome::Win(Side::First)),
                    solved(2, Outcome::Draw),
                    solved(3, Outcome::Draw),
                    solved(0, Outcome::Win(Side::Second)),
                ]
            })
        })
    }

    #[test]
    fn a_solution_answers_a_restricted_search_only_if_no_other_move_may_be_better() {
        let stop = AtomicBool::new(false);
        for (only, first, is_solved) in
            [(&[1, 9][..], 1, true), (&[0, 2], 2, true), (&[0], 0, true), (&[0, 9], 9, false)]
        {
            let mut controls = Controls { only: only.to_vec(), variations: 2, ..Controls::new(&stop) };
            let mut search = Search::new(config(1), solves()).expect("valid");
            let report = search.run_with(&TWENTY, iterations(100), &mut controls);
            let report = report.expect("a report");
            assert_eq!(report.candidates.len(), only.len(), "{only:?}");
            assert_eq!((report.best().proven.is_some(), report.iterations == 0), (is_solved, is_solved));
            assert!(!is_solved || report.best().mv == first, "{only:?}");
            assert_eq!(report.best().plies, is_solved.then_some(7));
            assert_eq!(report.proven, report.best().proven);
            assert_eq!(report.other_variations.len(), only.len() - 1);
        }
    }

    #[test]
    fn a_finished_game_is_refused() {
        let over = TWENTY.at(30);
        let mut uct = Uct::new(config(1)).expect("valid");
        assert_eq!(uct.run(&over, iterations(9)), Err(SearchError::GameOver));
        let mut search = Search::new(config(1), Told::default()).expect("valid");
        assert_eq!(search.run(&over, iterations(9)), Err(SearchError::GameOver));
    }

    #[test]
    fn a_tree_that_fills_its_memory_is_kept_for_the_same_position() {
        let memory = SearchConfig::MIN_MEMORY_PER_TREE;
        let config = SearchConfig { memory, ..config(1) };
        let mut search = Search::new(config, Told::default()).expect("valid");
        for run in 1..4 {
            let report = search.run(&TWENTY, iterations(5_000)).expect("a report");
            let visits: u64 = report.candidates.iter().map(|it| it.visits).sum();
            assert_eq!((visits, report.iterations), (run * 5_000, 5_000));
            assert!(report.memory_was_full);
        }
    }
}
