//! Rulesheets that are compiled while their matches go on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use quintet_arena::locked;
use quintet_core::registry::Variant;
use quintet_gdl::{Compiled, End, Limits, variant};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// The longest that compiling goes on.
const LONGEST: Duration = Duration::from_secs(120);
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

impl Compilation {
    pub(super) fn new(rules: String) -> Arc<Self> {
        Arc::new(Self { rules, outcome: Mutex::default(), is_done: Condvar::new() })
    }

    /// Compiles it on a thread of its own as soon as one of `threads` is free.
    pub(super) async fn run(it: Weak<Self>, threads: Arc<Semaphore>) {
        let Ok(permit) = threads.acquire_owned().await else { return };
        spawn_blocking(move || {
            let _permit = permit;
            let Some(rules) = it.upgrade().map(|it| it.rules.clone()) else { return };
            let owner = Weak::clone(&it);
            let end = End::after_or(LONGEST, move || owner.strong_count() == 0);
            let compile = || Compiled::until(&rules, Limits::default(), &end);
            let outcome = match catch_unwind(AssertUnwindSafe(compile)) {
                Ok(Ok(compiled)) => Ok(variant("rulesheet".to_owned(), compiled)),
                Ok(Err(error)) => Err(error.to_string()),
                Err(_) => Err("the compiler has failed".to_owned()),
            };
            if let Some(it) = it.upgrade() {
                it.finish(outcome);
            }
        });
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
