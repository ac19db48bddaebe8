//! The settings of a search and their checks.

use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::ITERATIONS_FOR_ONE_MOVE;
use super::error::SearchError;
use super::ranks::Ranks;
use super::technique::Techniques;
use super::weakness::Weakness;
use crate::clock::{Clock, Deadline};
use crate::effort::Effort;
use crate::game::{Game, MAX_MOVES, is_chance, wrong_kind};
use crate::knowledge::Selection;
use crate::learned::Model;

/// The settings of a search that stay the same from move to move.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchConfig {
    /// The selection formula. `None`: with a model PUCT and the model's constant, otherwise
    /// [that of the knowledge](crate::knowledge::Knowledge::SELECTION).
    pub selection: Option<Selection>,
    /// The exploration constant, in place of the selection's own; at least 0.
    pub exploration: Option<f32>,
    /// The [model](crate::learned) of the knowledge; `None` for the knowledge alone.
    pub model: Option<Model>,
    /// The techniques beyond plain UCT.
    pub techniques: Techniques,
    /// The number of trees of each [rank](Self::ranks) (root parallelisation); results depend on the number of
    /// all trees. `None`: a tree for each thread if only time limits the search, and to less than the
    /// knowledge [says](crate::knowledge::Knowledge::TREES_BELOW); otherwise, and with several ranks, one. Plain
    /// UCT has a tree for each thread whenever only time limits it.
    pub trees: Option<NonZeroUsize>,
    /// The maximum threads of the current rayon pool that a search uses; `None` for all of them. With a budget
    /// of iterations they change nothing but the time that it takes.
    pub threads: Option<NonZeroUsize>,
    /// The maximum visits of a batch, 1 to let them come one after the other; `None` for 32,768. How many there
    /// are follows from the visits of the tree and the
    /// [knowledge](crate::knowledge::Knowledge::BATCH_DIVISOR). Plain UCT has no batches.
    pub batch: Option<NonZeroU32>,
    /// The processes that grow the trees; one alone by default.
    pub ranks: Ranks,
    /// The seed of the random streams; tree *i* of all trees uses stream *i*.
    pub seed: u64,
    /// The maximum bytes for all trees, shared evenly between them: for their nodes, and an eighth for
    /// their [provers](crate::knowledge::Knowledge::prover), if the knowledge has any. A tree that has
    /// used up its share stops growing; iterations go on in the nodes it has.
    pub memory: usize,
    /// Whether the search ends as soon as no other move can overtake the best, except by a proof. Before it ends
    /// it tries to prove that this move loses. A search with a limit of time tries that even if it does not end, and, with
    /// a prover, for any move that leads in the second half of the time.
    pub early_stop: bool,
    /// How much weaker than the search the engine plays; [`Weakness::NONE`] by default. Plain UCT plays its best.
    pub weakness: Weakness,
    /// The clock for budgets of time.
    pub clock: Clock,
}

impl SearchConfig {
    /// The default of [`memory`](SearchConfig::memory): 1 GiB.
    pub const DEFAULT_MEMORY: usize = 1 << 30;

    /// The exploration constant of plain UCT. With 0.5 the search missed the minimax move on 2 to 6
    /// of 1,000 random trees, with 0.7 on none.
    pub const UCT_EXPLORATION: f32 = 0.7;

    /// The minimum bytes for the nodes of one tree.
    pub const MIN_MEMORY_PER_TREE: usize = 64 << 10;
}

impl Default for SearchConfig {
    /// All techniques, all threads, seed 0, an early stop.
    fn default() -> Self {
        Self {
            selection: None,
            exploration: None,
            model: None,
            techniques: Techniques::ALL,
            trees: None,
            threads: None,
            batch: None,
            ranks: Ranks::ALONE,
            seed: 0,
            memory: Self::DEFAULT_MEMORY,
            early_stop: true,
            weakness: Weakness::NONE,
            clock: Clock::default(),
        }
    }
}

impl SearchConfig {
    /// The maximum number of trees of a rank.
    pub const MAX_TREES: usize = 1024;

    /// Checks the ranges of all settings.
    ///
    /// # Errors
    /// [`SearchError`] for the first that is out of range.
    pub fn check(&self) -> Result<(), SearchError> {
        let of_selection = self.selection.map(|(Selection::Ucb1 { c } | Selection::Puct { c })| c);
        for c in [of_selection, self.exploration].into_iter().flatten() {
            if !c.is_finite() || c < 0.0 {
                return Err(SearchError::Exploration(c));
            }
        }
        self.weakness.check()?;
        let trees = self.trees_here();
        if trees > Self::MAX_TREES {
            return Err(SearchError::TooManyTrees { trees, most: Self::MAX_TREES });
        }
        let trees = self.all_trees();
        let threads = self.threads.map_or(1, NonZeroUsize::get);
        if threads > Self::MAX_TREES {
            return Err(SearchError::TooManyThreads { threads, most: Self::MAX_TREES });
        }
        let least = Self::MIN_MEMORY_PER_TREE.saturating_mul(trees);
        if self.memory < least {
            return Err(SearchError::TooLittleMemory { memory: self.memory, least, trees });
        }
        Ok(())
    }

    /// The number of trees of this rank, 1 if it depends on the budget.
    fn trees_here(&self) -> usize {
        self.trees.map_or(1, NonZeroUsize::get)
    }

    /// The number of trees of all ranks together.
    pub(super) fn all_trees(&self) -> usize {
        self.trees_here().saturating_mul(self.ranks.count())
    }

    /// The number of threads that a search may use.
    pub(super) fn thread_count(&self) -> usize {
        let threads = rayon::current_num_threads();
        self.threads.map_or(threads, |most| most.get().min(threads))
    }

    /// The same settings with the number of trees for a budget. Where that depends on it, there is a tree for
    /// each thread if only time limits the search, and to less than `below`, or to any if there is none.
    pub(super) fn with_trees_for(&self, budget: Budget, below: Option<Duration>) -> Self {
        // Ranks may have different numbers of threads.
        let is_short = self.ranks.is_alone()
            && budget.is_by_time()
            && below.is_none_or(|below| budget.time.is_some_and(|time| time < below));
        let room = self.memory / self.ranks.count() / Self::MIN_MEMORY_PER_TREE;
        let short = if is_short { self.thread_count().min(room).min(Self::MAX_TREES) } else { 1 };
        Self { trees: self.trees.or(NonZeroUsize::new(short)), ..self.clone() }
    }
}

/// The limit of a search: a number of iterations, a time, or whichever of both comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    iterations: Option<u64>,
    time: Option<Duration>,
}

impl Budget {
    /// This many iterations, shared evenly between the trees; the first trees get the remainder.
    ///
    /// # Errors
    /// [`SearchError::EmptyBudget`] if it is 0.
    pub fn iterations(iterations: u64) -> Result<Self, SearchError> {
        Self::new(Some(iterations), None)
    }

    /// This much time by the search's clock.
    ///
    /// # Errors
    /// [`SearchError::EmptyBudget`] if it is 0.
    pub fn time(time: Duration) -> Result<Self, SearchError> {
        Self::new(None, Some(time))
    }

    /// No limit: for a search that the caller [stops](super::Controls::stop).
    #[must_use]
    pub fn endless() -> Self {
        Self { iterations: None, time: Some(Duration::MAX) }
    }

    /// Limits iterations, time or both.
    ///
    /// # Errors
    /// [`SearchError::EmptyBudget`] if neither is given or one of them is 0.
    pub fn new(iterations: Option<u64>, time: Option<Duration>) -> Result<Self, SearchError> {
        let zero = iterations == Some(0) || time == Some(Duration::ZERO);
        if zero || iterations.is_none() && time.is_none() {
            return Err(SearchError::EmptyBudget);
        }
        Ok(Self { iterations, time })
    }

    /// Returns the time for a move if the clock shows `left` and gains `increment` after it: a
    /// twelfth of the clock and half the increment, but at most half the clock, and at least a
    /// millisecond. Searches end early on most moves, so that a smaller share leaves half of the clock
    /// unused at the end of a game.
    #[must_use]
    pub fn move_time(left: Duration, increment: Duration) -> Duration {
        (left / 12).saturating_add(increment / 2).min(left / 2).max(Duration::from_millis(1))
    }

    /// The maximum iterations of one tree: a node's counters hold no more. A search that is limited
    /// by time alone stops there too.
    pub const MAX_ITERATIONS_PER_TREE: u64 = 1 << 30;

    /// Returns the limits: iterations and time.
    #[must_use]
    pub fn limits(self) -> (Option<u64>, Option<Duration>) {
        (self.iterations, self.time)
    }

    /// Checks that `trees` trees can do this many iterations.
    ///
    /// # Errors
    /// [`SearchError::TooManyIterations`] if not.
    pub fn check(self, trees: usize) -> Result<(), SearchError> {
        let most = Self::MAX_ITERATIONS_PER_TREE.saturating_mul(trees as u64);
        match self.iterations {
            Some(iterations) if iterations > most => {
                Err(SearchError::TooManyIterations { iterations, most, trees })
            }
            _ => Ok(()),
        }
    }

    /// The effort for solving, at `per_iteration` [positions per
    /// iteration](crate::knowledge::Knowledge::POSITIONS_PER_ITERATION): at most half the time and
    /// as long as the iterations would take. If the time has no end, ten seconds.
    pub(super) fn effort<'a>(
        self,
        per_iteration: u64,
        start: Instant,
        clock: &'a Clock,
        stop: &'a AtomicBool,
    ) -> Effort<'a> {
        const OF_ENDLESS_TIME: Duration = Duration::from_secs(10);
        let end = |time| start.checked_add(time);
        let deadline = self.time.and_then(|time| end(time / 2).or_else(|| end(OF_ENDLESS_TIME)));
        Effort {
            positions: self.iterations.map_or(u64::MAX, |all| all.saturating_mul(per_iteration)),
            deadline: deadline.map(|at| Deadline::new(at, clock)),
            stop: Some(stop),
        }
    }

    /// The deadline of a search that began at `start`; `None` without a time or if the clock can't
    /// show it.
    pub(super) fn deadline(self, start: Instant) -> Option<Instant> {
        self.time.and_then(|time| start.checked_add(time))
    }

    /// Whether only time limits the search, so that its results vary from run to run.
    pub(super) fn is_by_time(self) -> bool {
        self.iterations.is_none()
    }

    /// The share of tree number `index` among `trees`; `u64::MAX` if only time limits it.
    pub(super) fn share(self, index: usize, trees: usize) -> u64 {
        self.iterations.map_or(u64::MAX, |all| {
            let (trees, index) = (trees as u64, index as u64);
            all / trees + u64::from(index < all % trees)
        })
    }

    /// The part of the budget for `position` with `trees` trees: little if there is a single move.
    ///
    /// # Errors
    /// [`SearchError::GameOver`] if there is no move, [`SearchError::Chance`] if chance moves,
    /// [`SearchError::TooManyMoves`], [`SearchError::Kind`], and as [`check`](Self::check).
    pub(crate) fn for_position<G: Game>(self, position: &G, trees: usize) -> Result<Self, SearchError> {
        self.check(trees)?;
        if position.max_branching() > MAX_MOVES {
            return Err(SearchError::TooManyMoves(position.max_branching()));
        }
        if let Some(wrong) = wrong_kind(position) {
            return Err(SearchError::Kind(wrong));
        }
        match position.move_count() {
            0 => Err(SearchError::GameOver),
            _ if is_chance(position) => Err(SearchError::Chance),
            1 => Ok(self.at_most(ITERATIONS_FOR_ONE_MOVE)),
            _ => Ok(self),
        }
    }

    /// The same, but at most `most` iterations.
    pub(super) fn at_most(self, most: u64) -> Self {
        Self { iterations: Some(self.iterations.map_or(most, |all| all.min(most))), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::drawn::Drawn;

    const SECONDS: Duration = Duration::from_secs(10);

    fn iterations(number: u64) -> Budget {
        Budget::iterations(number).expect("not zero")
    }

    #[test]
    fn a_budget_limits_iterations_or_time_or_both() {
        let both = Budget::new(Some(7), Some(SECONDS)).expect("not zero");
        let time = Budget::time(SECONDS).expect("not zero");
        assert_eq!([iterations(7), time, both].map(Budget::is_by_time), [false, true, false]);
        assert!(Budget::endless().is_by_time());
        assert_eq!(iterations(7).limits(), (Some(7), None));
        assert_eq!(time.limits(), (None, Some(SECONDS)));
        assert_eq!(both.limits(), (Some(7), Some(SECONDS)));
        assert_eq!([5, 9].map(|most| both.at_most(most).limits().0), [Some(5), Some(7)]);
        assert_eq!(time.at_most(5).limits(), (Some(5), Some(SECONDS)));
        let zero = Some(Duration::ZERO);
        for (iterations, time) in
            [(None, None), (Some(0), None), (None, zero), (Some(0), Some(SECONDS)), (Some(7), zero)]
        {
            assert_eq!(Budget::new(iterations, time), Err(SearchError::EmptyBudget));
        }
    }

    #[test]
    fn trees_share_iterations_but_not_time() {
        assert_eq!([0, 1, 2].map(|index| iterations(11).share(index, 3)), [4, 4, 3]);
        assert_eq!([0, 1, 2].map(|index| iterations(2).share(index, 3)), [1, 1, 0]);
        assert_eq!(Budget::endless().share(0, 3), u64::MAX);
    }

    #[test]
    fn a_move_gets_a_part_of_the_clock() {
        let time = |left, increment| {
            Budget::move_time(Duration::from_millis(left), Duration::from_millis(increment)).as_millis()
        };
        assert_eq!(
            [time(60_000, 2_000), time(60_000, 0), time(1_000, 10_000), time(0, 10_000)],
            [6_000, 5_000, 500, 1]
        );
        assert_eq!(Budget::move_time(Duration::MAX, Duration::MAX), Duration::MAX / 2);
    }

    #[test]
    fn a_position_gets_what_it_needs_and_its_trees_can_do() {
        let most = 2 * Budget::MAX_ITERATIONS_PER_TREE;
        let many = Drawn::new(20, 30);
        assert_eq!(iterations(most).for_position(&many, 2), Ok(iterations(most)));
        let too_many = SearchError::TooManyIterations { iterations: most + 1, most, trees: 2 };
        assert_eq!(iterations(most + 1).for_position(&many, 2), Err(too_many));
        assert_eq!(iterations(5_000).for_position(&Drawn::new(1, 20), 1), Ok(iterations(100)));
        assert_eq!(iterations(1).for_position(&Drawn::new(1, 20).at(20), 1), Err(SearchError::GameOver));
        assert_eq!(Budget::endless().check(1), Ok(()));
    }

    #[test]
    fn the_effort_for_solving_is_a_part_of_the_budget() {
        let (clock, stop) = (Clock::manual(), AtomicBool::new(false));
        let start = clock.now();
        let effort = |budget: Budget| {
            let effort = budget.effort(3, start, &clock, &stop);
            (effort.positions, effort.deadline.map(|deadline| deadline.left()))
        };
        assert_eq!(effort(iterations(7)), (21, None));
        assert_eq!(effort(iterations(u64::MAX)), (u64::MAX, None));
        assert_eq!(effort(Budget::time(SECONDS).expect("not zero")), (u64::MAX, Some(SECONDS / 2)));
        assert_eq!(effort(Budget::endless()), (u64::MAX, Some(Duration::from_secs(10))));
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(iterations(7).effort(3, start, &clock, &stop).is_over());
        let deadline = |budget: Budget| budget.deadline(start);
        assert_eq!(deadline(Budget::time(SECONDS).expect("not zero")), Some(start + SECONDS));
        assert_eq!([deadline(iterations(7)), deadline(Budget::endless())], [None, None]);
    }

    #[test]
    fn settings_that_are_out_of_range_are_refused() {
        let valid = SearchConfig::default;
        let trees = NonZeroUsize::new;
        for c in [-0.1, f32::NAN, f32::INFINITY] {
            for config in [
                SearchConfig { exploration: Some(c), ..valid() },
                SearchConfig { selection: Some(Selection::Ucb1 { c }), ..valid() },
                SearchConfig { selection: Some(Selection::Puct { c }), ..valid() },
            ] {
                assert!(matches!(config.check(), Err(SearchError::Exploration(_))), "{config:?}");
            }
        }
        assert_eq!(SearchConfig { exploration: Some(0.0), ..valid() }.check(), Ok(()));
        let config = |count, memory| SearchConfig { trees: trees(count), memory, ..valid() };
        assert_eq!(config(1024, 1 << 30).check(), Ok(()));
        let threads = |count| SearchConfig { threads: NonZeroUsize::new(count), ..valid() };
        assert_eq!(threads(1024).check(), Ok(()));
        assert_eq!(threads(1025).check(), Err(SearchError::TooManyThreads { threads: 1025, most: 1024 }));
        assert_eq!(config(1025, 1 << 30).check(), Err(SearchError::TooManyTrees { trees: 1025, most: 1024 }));
        let least = 3 * (64 << 10);
        assert_eq!(config(3, least).check(), Ok(()));
        let error = config(3, least - 1).check().expect_err("too little");
        assert_eq!(error, SearchError::TooLittleMemory { memory: least - 1, least, trees: 3 });
        assert!(error.to_string().ends_with("give at least 192KiB"), "{error}");
    }
}
