//! Growing the trees of a search on several threads, limited by iterations or by time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::pool::ROOT;
use super::tree::Tree;
use crate::clock::Clock;
use crate::game::Game;

/// Splits the trees into one part per thread and calls `work` on all parts in parallel.
pub(super) fn for_each_part<T: Send>(trees: &mut [T], work: &(dyn Fn(&mut [T]) + Sync)) {
    let count = trees.len();
    let workers = rayon::current_num_threads().clamp(1, count);
    if workers == 1 {
        work(trees);
        return;
    }
    // The parts differ by at most one tree. This thread works on the first: waking another thread
    // for it and waiting would cost more.
    let (size, larger) = (count / workers, count % workers);
    let (first, mut rest) = trees.split_at_mut(size + usize::from(larger > 0));
    rayon::in_place_scope(|scope| {
        for index in 1..workers {
            let (part, others) = rest.split_at_mut(size + usize::from(index < larger));
            rest = others;
            scope.spawn(move |_| work(part));
        }
        work(first);
    });
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
        let is_proven = tree.pool.node(ROOT).proven().is_some();
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
