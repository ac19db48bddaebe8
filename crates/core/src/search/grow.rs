//! How the trees of a search grow on several threads, by iterations and by the clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::pool::ROOT;
use super::tree::Tree;
use crate::clock::Clock;
use crate::game::Game;

/// Calls `work` with the trees in as many parts as there are threads, on all threads at once.
pub(super) fn for_each_part<T: Send>(trees: &mut [T], work: impl Fn(&mut [T]) + Send + Sync) {
    let count = trees.len();
    let workers = rayon::current_num_threads().clamp(1, count);
    if workers == 1 {
        work(trees);
        return;
    }
    // Every worker gets as many trees as any other, or one more. One of them is this thread: to wake all others
    // and wait costs more.
    let (size, larger) = (count / workers, count % workers);
    let (first, mut rest) = trees.split_at_mut(size + usize::from(larger > 0));
    rayon::in_place_scope(|scope| {
        let work = &work;
        for index in 1..workers {
            let (part, others) = rest.split_at_mut(size + usize::from(index < larger));
            rest = others;
            scope.spawn(move |_| work(part));
        }
        work(first);
    });
}

/// The most time that a tree grows between two looks at the clock, but for a single iteration.
pub(super) const SLICE: Duration = Duration::from_micros(100);

/// What makes a tree do so many iterations. It is called some thousand times a second, so that it need
/// not be known to the compiler here.
pub(super) type GrowTree<'a, G> = dyn Fn(&mut Tree<G>, u64) + Sync + 'a;

/// Grows `trees` on this thread until each has done `goal` iterations or had its share or is proven, or the
/// deadline is reached, or `stop` becomes true. They take turns, so that they grow alike.
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
