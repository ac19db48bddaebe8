//! Growing the trees of a search on several threads, limited by iterations or by time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::pool::ROOT;
use super::timing::with_helpers;
use super::tree::Tree;
use crate::clock::Clock;
use crate::game::Game;

/// Splits the trees into one part for each of so many threads and calls `work` on all parts in parallel.
pub(super) fn for_each_part<T: Send>(threads: usize, trees: &mut [T], work: &(dyn Fn(&mut [T]) + Sync)) {
    let count = trees.len();
    let workers = threads.clamp(1, count);
    if workers == 1 {
        work(trees);
        return;
    }
    // The parts differ by at most one tree. This thread works on the first: waking another thread
    // for it and waiting would cost more.
    let (size, larger) = (count / workers, count % workers);
    let (first, mut rest) = trees.split_at_mut(size + usize::from(larger > 0));
    let mut parts = Vec::with_capacity(workers - 1);
    for index in 1..workers {
        let (part, others) = rest.split_at_mut(size + usize::from(index < larger));
        rest = others;
        parts.push(Mutex::new(part));
    }
    let help = |number: usize| work(&mut parts[number].lock().unwrap_or_else(PoisonError::into_inner));
    with_helpers(parts.len(), &help, &mut || work(first));
}

/// The maximum time that a tree should grow between two checks of the clock; one iteration may take
/// longer.
pub(super) const SLICE: Duration = Duration::from_micros(100);

/// A function that makes a tree do a number of iterations. It is called some ten thousand times
/// a second, so dynamic dispatch is cheap enough.
pub(super) type GrowTree<'a, G> = dyn Fn(&mut Tree<G>, u64) + Sync + 'a;

/// Grows `trees` on this thread until each has done `goal` iterations, has used up its share or is
/// proven, or until the deadline has passed or `stop` becomes true. The trees take turns, so that
/// they grow alike.
pub(super) fn grow<G: Game>(
    trees: &mut [Tree<G>],
    grow_tree: &GrowTree<'_, G>,
    goal: u64,
    deadline: Option<Instant>,
    clock: &Clock,
    stop: &AtomicBool,
) {
    let left = |tree: &Tree<G>| {
        let is_proven = tree.pool.node(ROOT).is_known();
        if is_proven { 0 } else { tree.remaining.min(goal.saturating_sub(tree.done)) }
    };
    let mut slice = 1;
    let mut now = clock.now();
    while trees.iter().any(|tree| left(tree) > 0) {
        let before = now;
        for tree in trees.iter_mut() {
            let iterations = left(tree).min(slice);
            if iterations == 0 {
                continue;
            }
            grow_tree(tree, iterations);
            now = clock.now();
            if deadline.is_some_and(|deadline| now >= deadline) || stop.load(Ordering::Relaxed) {
                return;
            }
        }
        let took = (now - before) / trees.len() as u32;
        if took > SLICE {
            slice = (slice / 2).max(1);
        } else if took < SLICE / 2 {
            slice = slice.saturating_mul(2);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicU64;

    use super::super::drawn::{Drawn, Told};
    use super::super::{Budget, Controls, Search, SearchConfig, Techniques};
    use super::*;

    const TWENTY: Drawn = Drawn::new(2, 20);

    /// Knowledge whose rollouts take this long by the test's clock.
    fn takes(time: Duration, clock: Clock) -> Told<'static> {
        Told::default().with_value(move |position, rng| {
            clock.advance(time);
            position.rollout(rng).outcome.into()
        })
    }

    #[test]
    fn the_time_budget_is_kept_whatever_an_iteration_takes() {
        for trees in [1, 2, 5] {
            for rollout in [1, 30, 300, 5_000].map(Duration::from_micros) {
                let clock = Clock::manual();
                let config = SearchConfig {
                    trees: NonZeroUsize::new(trees),
                    clock: clock.clone(),
                    ..SearchConfig::default()
                };
                let mut search = Search::new(config, takes(rollout, clock.clone())).expect("valid");
                let (start, time) = (clock.now(), Duration::from_millis(30));
                let report = search.run(&TWENTY, Budget::time(time).expect("not zero"));
                assert!(report.expect("a report").iterations > 0);
                // When the time is up, each tree may go on for two slices and an iteration.
                let over = (clock.now() - start).saturating_sub(time);
                let most = (2 * SLICE + rollout) * trees as u32;
                assert!(
                    over <= most,
                    "{trees} trees, {rollout:?} a rollout: {over:?} over, {most:?} allowed"
                );
            }
        }
    }

    #[test]
    fn trees_that_are_done_do_not_stretch_the_slices_of_one_that_is_not() {
        let root = TWENTY;
        let clock = Clock::manual();
        let knowledge = takes(Duration::from_micros(1), clock.clone());
        let guide = Search::new(SearchConfig::default(), knowledge).expect("valid").guide;
        let mut trees: Vec<Tree<Drawn>> = (0..4).map(|_| Tree::new(&TWENTY, true)).collect();
        for (index, tree) in trees.iter_mut().enumerate() {
            let iterations = if index < 3 { 1 } else { u64::MAX };
            tree.reset(&root, (0, index as u64), iterations, 1 << 20).expect("there is memory");
        }
        let (start, time) = (clock.now(), Duration::from_millis(60));
        let stop = AtomicBool::new(false);
        let work = |tree: &mut Tree<Drawn>, count| tree.grow_one_by_one(count, &guide, Techniques::ALL);
        grow(&mut trees, &work, u64::MAX, Some(start + time), &clock, &stop);
        let spent = clock.now() - start;
        assert!(spent <= time + 8 * SLICE, "{spent:?} for {time:?}");
    }

    #[test]
    fn slices_follow_what_an_iteration_takes() {
        let mut trees: Vec<Tree<Drawn>> = (0..2).map(|_| Tree::new(&TWENTY, true)).collect();
        for (index, tree) in trees.iter_mut().enumerate() {
            tree.reset(&TWENTY, (0, index as u64), u64::MAX, 1 << 20).expect("there is memory");
        }
        let (clock, stop) = (Clock::manual(), AtomicBool::new(false));
        let start = clock.now();
        let (turn, time) = (Duration::from_millis(50), Duration::from_millis(100));
        let slices = std::sync::Mutex::new(Vec::new());
        let work = |_: &mut Tree<Drawn>, count: u64| {
            let is_slow = clock.now() >= start + turn;
            let took = Duration::from_micros(if is_slow { 30 } else { 1 }) * count as u32;
            slices.lock().expect("one thread").push((is_slow, took));
            clock.advance(took);
        };
        grow(&mut trees, &work, u64::MAX, Some(start + time), &clock, &stop);
        let slices = slices.into_inner().expect("one thread");
        let of = |wanted| slices.iter().filter(move |it| it.0 == wanted).map(|it| it.1).collect::<Vec<_>>();
        let (quick, slow) = (of(false), of(true));
        // After a few slices to find the size, none takes less than half or more than all of what it may.
        let range = SLICE / 2..=SLICE;
        assert!(quick.len() < 1_000 && quick[16..].iter().all(|it| range.contains(it)), "{quick:?}");
        assert!(slow.len() < 1_000 && slow[16..].iter().all(|it| range.contains(it)), "{slow:?}");
    }

    /// Stops the search at the rollout of this number.
    fn stops_at(number: u64, stop: &AtomicBool) -> Told<'_> {
        let rollouts = AtomicU64::new(0);
        Told::default().with_value(move |position, rng| {
            if rollouts.fetch_add(1, Ordering::Relaxed) + 1 == number {
                stop.store(true, Ordering::Relaxed);
            }
            position.rollout(rng).outcome.into()
        })
    }

    #[test]
    fn trees_on_one_thread_grow_alike() {
        const ROLLOUTS: u64 = 1_000;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        for budget in [Budget::endless(), Budget::iterations(1 << 20).expect("not zero")] {
            let stop = AtomicBool::new(false);
            let trees = NonZeroUsize::new(5).expect("not 0");
            let config =
                SearchConfig { trees: Some(trees), clock: Clock::manual(), ..SearchConfig::default() };
            let knowledge = stops_at(ROLLOUTS, &stop);
            let mut search = Search::new(config, knowledge).expect("valid");
            pool.install(|| search.run_with(&TWENTY, budget, &mut Controls::new(&stop))).expect("a report");
            let done: Vec<u64> = search.trees.iter().map(|tree| tree.done).collect();
            // A slice is at most one iteration longer than all before it.
            let (least, most) = (done.iter().min().expect("trees"), done.iter().max().expect("trees"));
            assert!(*most <= 2 * least + 1, "{done:?}");
            assert!(done.iter().sum::<u64>() >= ROLLOUTS, "{done:?}");
        }
    }
}
