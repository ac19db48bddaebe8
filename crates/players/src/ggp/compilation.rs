//! Rulesheets that are compiled while their matches go on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use quintet_arena::locked;
use quintet_core::registry::Variant;
use quintet_gdl::{Compiled, End, Limits, variant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

/// The longest that compiling goes on.
const LONGEST: Duration = Duration::from_secs(120);
/// How long it goes on, on each thread, while others wait for this.
const SHARES: [Duration; COMPILERS] = [Duration::from_secs(1), Duration::from_secs(20)];
/// The threads that compile rules.
pub(super) const COMPILERS: usize = 2;
/// How often whoever waits looks whether to go on.
const LOOK: Duration = Duration::from_millis(5);

/// The game of a rulesheet, or why it can't be compiled.
pub(super) type Outcome = Result<Variant, String>;

/// A rulesheet that is being compiled. That ends when it is dropped.
#[derive(Debug)]
pub(super) struct Compilation {
    pub(super) rules: String,
    outcome: Mutex<Option<Outcome>>,
    is_done: Condvar,
}

/// The threads that compile rules. Those that take long do not hold up the others: on the first thread they end when
/// another one waits for it, and begin again on the second.
#[derive(Debug)]
pub(super) struct Compilers([Thread; COMPILERS]);

/// A thread that compiles rules.
#[derive(Debug)]
struct Thread {
    free: Arc<Semaphore>,
    waiting: Mutex<Vec<Weak<Compilation>>>,
}

impl Compilers {
    pub(super) fn new() -> Arc<Self> {
        let thread = || Thread { free: Arc::new(Semaphore::new(1)), waiting: Mutex::default() };
        Arc::new(Self(std::array::from_fn(|_| thread())))
    }

    /// The number of a thread that has nothing to do.
    fn free(&self) -> Option<usize> {
        self.0.iter().position(|it| it.free.available_permits() > 0)
    }
}

impl Thread {
    /// Waits until it has nothing else to do.
    async fn permit(&self, it: &Weak<Compilation>) -> Option<OwnedSemaphorePermit> {
        locked(&self.waiting).push(Weak::clone(it));
        let permit = Arc::clone(&self.free).acquire_owned().await;
        locked(&self.waiting).retain(|other| !other.ptr_eq(it));
        permit.ok()
    }

    /// Whether there are rules that somebody needs and that wait for it.
    fn is_waited_for(&self) -> bool {
        locked(&self.waiting).iter().any(|it| it.strong_count() > 0)
    }
}

impl Compilation {
    pub(super) fn new(rules: String) -> Arc<Self> {
        Arc::new(Self { rules, outcome: Mutex::default(), is_done: Condvar::new() })
    }

    /// Compiles it on one of the threads.
    pub(super) async fn run(it: Weak<Self>, compilers: Arc<Compilers>) {
        let mut number = compilers.free().unwrap_or(0);
        loop {
            let Some(permit) = compilers.0[number].permit(&it).await else { return };
            let (owner, all) = (Weak::clone(&it), Arc::clone(&compilers));
            let compiled = spawn_blocking(move || {
                let _permit = permit;
                Self::compile(&owner, all, number)
            });
            let Ok(outcome) = compiled.await else { return };
            number += 1;
            if outcome.is_some() || number == COMPILERS {
                let others = || Err("the rules of others wait to be compiled, too".to_owned());
                if let Some(it) = it.upgrade() {
                    it.finish(outcome.unwrap_or_else(others));
                }
                return;
            }
        }
    }

    /// Compiles it on this thread; `None` if that took so long that another one is to have the thread.
    fn compile(it: &Weak<Self>, compilers: Arc<Compilers>, number: usize) -> Option<Outcome> {
        let rules = it.upgrade()?.rules.clone();
        let gives_way = Arc::<AtomicBool>::default();
        let (owner, told, begin) = (Weak::clone(it), Arc::clone(&gives_way), Instant::now());
        let end = End::after_or(LONGEST, move || {
            if begin.elapsed() > SHARES[number] && compilers.0[number].is_waited_for() {
                told.store(true, Ordering::Relaxed);
            }
            owner.strong_count() == 0 || told.load(Ordering::Relaxed)
        });
        let compile = || Compiled::until(&rules, Limits::default(), &end);
        match catch_unwind(AssertUnwindSafe(compile)) {
            Ok(Ok(compiled)) => Some(Ok(variant("rulesheet".to_owned(), compiled))),
            Ok(Err(_)) if gives_way.load(Ordering::Relaxed) => None,
            Ok(Err(error)) => Some(Err(error.to_string())),
            Err(_) => Some(Err("the compiler has failed".to_owned())),
        }
    }

    pub(super) fn finish(&self, outcome: Outcome) {
        *locked(&self.outcome) = Some(outcome);
        self.is_done.notify_all();
    }

    /// Whether there is a game.
    pub(super) fn is_ready(&self) -> bool {
        matches!(*locked(&self.outcome), Some(Ok(_)))
    }

    /// How it ended; waits for that until a time, unless `stop` becomes true.
    pub(super) fn outcome(&self, until: Instant, stop: &AtomicBool) -> Option<Outcome> {
        let mut outcome = locked(&self.outcome);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if outcome.is_some() || left.is_zero() || stop.load(Ordering::Relaxed) {
                return outcome.clone();
            }
            outcome =
                self.is_done.wait_timeout(outcome, left.min(LOOK)).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_take_long_give_way_to_others_and_end_when_nobody_needs_them() {
        let game = "(role a) (init x) (legal a go) (legal a stay) (<= terminal (true y)) (goal a 0)";
        let numbers = (0..40).map(|it| format!("(n {it})")).collect::<Vec<_>>().concat();
        // Four billion cases, of which none holds.
        let slow = |number| {
            Compilation::new(format!(
                "{game} {numbers} (<= (next (q {number})) (n ?a) (n ?b) (n ?c) (n ?d) (n ?e) (n ?f)
                 (distinct (t ?a ?b ?c ?d ?e ?f) (t ?a ?b ?c ?d ?e ?f)))"
            ))
        };
        let slow = [slow(0), slow(1), slow(2)];
        let good = Compilation::new(format!("{game} (<= (next y) (does a go))"));
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let compilers = Compilers::new();
        let run = |it: &Arc<Compilation>| {
            runtime.spawn(Compilation::run(Arc::downgrade(it), Arc::clone(&compilers)))
        };
        let left: Vec<_> = slow.iter().map(run).collect();
        runtime.block_on(run(&good)).expect("it has not failed");
        assert!(good.is_ready());
        assert!(slow.iter().all(|it| locked(&it.outcome).is_none()));
        drop(slow);
        for it in left {
            runtime.block_on(it).expect("it has not failed");
        }
    }
}
