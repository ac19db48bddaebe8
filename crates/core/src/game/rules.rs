//! Rules that are made at run time, and reached from the positions of their game.
//!
//! A [position](super::Game) is `Copy`, so it can't own rules that are read from a file, such as a table of moves.
//! It has a [handle](RulesHandle) instead. The [owner](Rules) keeps the rules alive, as long as a
//! [registry](crate::registry) has their game: when it is dropped, so are they.

use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock, Weak};

type AnyRules = dyn Any + Send + Sync;

/// The rules that are alive, by the numbers of their handles.
static ALIVE: LazyLock<RwLock<HashMap<u64, Weak<AnyRules>>>> = LazyLock::new(RwLock::default);

thread_local! {
    /// The rules that this thread has used last: nearly always those that it uses next.
    static LAST: Cell<Option<(u64, Arc<AnyRules>)>> = const { Cell::new(None) };
}

/// Takes what this thread has used last. A thread that ends has nothing.
fn take_last() -> Option<(u64, Arc<AnyRules>)> {
    LAST.try_with(Cell::take).ok().flatten()
}

fn set_last(last: (u64, Arc<AnyRules>)) {
    // At the end of a thread they are dropped.
    let _ = LAST.try_with(|it| it.set(Some(last)));
}

/// Owns rules. Clones share them; they are dropped with the last one.
///
/// A thread keeps the rules that it has used last until it uses others or ends, even if nobody owns them any more.
#[derive(Debug, Clone)]
pub struct Rules<R>(Arc<Owned<R>>);

#[derive(Debug)]
struct Owned<R> {
    handle: RulesHandle<R>,
    /// What the weak entry of the table points to.
    rules: Arc<R>,
}

impl<R: Send + Sync + 'static> Rules<R> {
    /// Takes these rules.
    #[must_use]
    pub fn new(rules: R) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let rules = Arc::new(rules);
        let handle = RulesHandle(NEXT.fetch_add(1, Ordering::Relaxed), PhantomData);
        let weak = Arc::downgrade(&rules);
        ALIVE.write().unwrap_or_else(PoisonError::into_inner).insert(handle.0, weak);
        Self(Arc::new(Owned { handle, rules }))
    }

    /// The rules.
    #[must_use]
    pub fn get(&self) -> &R {
        &self.0.rules
    }

    /// The handle for positions.
    #[must_use]
    pub fn handle(&self) -> RulesHandle<R> {
        self.0.handle
    }
}

impl<R> Drop for Owned<R> {
    fn drop(&mut self) {
        ALIVE.write().unwrap_or_else(PoisonError::into_inner).remove(&self.handle.0);
        if let Some(last) = take_last()
            && last.0 != self.handle.0
        {
            set_last(last);
        }
    }
}

/// What a position has of its [rules](Rules): their number. No two rules of a process have the same one.
#[derive(Debug)]
pub struct RulesHandle<R>(u64, PhantomData<fn() -> R>);

impl<R: Send + Sync + 'static> RulesHandle<R> {
    /// Looks at the rules. `None` if they are gone: if nobody owns them any more, and this thread has used others
    /// since.
    ///
    /// It takes some nanoseconds on a thread that has used the same rules last.
    #[inline]
    pub fn with<T>(self, look: impl FnOnce(&R) -> T) -> Option<T> {
        // Taken out meanwhile, so that `look` may use other rules.
        let last = take_last().filter(|(number, _)| *number == self.0);
        let rules = if let Some((_, rules)) = last {
            rules
        } else {
            let alive = ALIVE.read().unwrap_or_else(PoisonError::into_inner);
            alive.get(&self.0)?.upgrade()?
        };
        let found = rules.downcast_ref().map(look);
        set_last((self.0, rules));
        found
    }
}

impl<R> Clone for RulesHandle<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for RulesHandle<R> {}

impl<R> PartialEq for RulesHandle<R> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<R> Eq for RulesHandle<R> {}

/// Adds nothing to a hash: handles differ from run to run, and the positions of a search have one.
impl<R> Hash for RulesHandle<R> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_live_as_long_as_their_owner() {
        let (one, two) = (Rules::new(vec![1]), Rules::new(vec![2, 2]));
        let (of_one, of_two) = (one.handle(), two.handle());
        assert_ne!(of_one, of_two);
        for _ in 0..2 {
            // Rules may be looked at while others are.
            let both = of_one.with(|one| of_two.with(|two| one.len() + two.len()));
            assert_eq!(both, Some(Some(3)));
        }
        let copy = one.clone();
        drop(one);
        assert_eq!((of_one.with(Vec::len), copy.get().len()), (Some(1), 1));
        drop(copy);
        assert_eq!((of_one.with(Vec::len), of_two.with(Vec::len)), (None, Some(2)));
        let elsewhere = std::thread::spawn(move || of_two.with(Vec::len)).join().expect("no panic");
        assert_eq!(elsewhere, Some(2));
    }

    /// Rules that own others.
    struct Outer(Option<Rules<Vec<i32>>>);

    #[test]
    fn a_thread_may_end_with_rules_that_own_others() {
        let outer = Rules::new(Outer(Some(Rules::new(vec![7]))));
        let handle = outer.handle();
        let (looked, wait) = (std::sync::Barrier::new(2), std::sync::Barrier::new(2));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                assert_eq!(handle.with(|outer| outer.0.as_ref().map(|it| it.get().len())), Some(Some(1)));
                looked.wait();
                wait.wait();
            });
            looked.wait();
            drop(outer);
            wait.wait();
        });
    }
}
