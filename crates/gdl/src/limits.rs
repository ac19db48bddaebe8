//! What compiling a rulesheet may take.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The deepest ground terms.
pub(crate) const MAX_DEPTH: u8 = 64;

/// The most roles.
pub(crate) const MAX_ROLES: usize = 8;

/// What compiling a rulesheet may take. What needs more ends with an [error](crate::Error) that names what grew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The time.
    pub time: Duration,
    /// The most facts of all relations, over all states that can come up, and the most arguments of them in tens.
    pub facts: usize,
    /// The most ground rules, and the most conditions of them in tens.
    pub rules: usize,
    /// The most gates of the network.
    pub gates: usize,
    /// The operations for random games that show what may be proven. Not a time, so that what is known of a game
    /// depends on no machine.
    pub sampling: u64,
    /// The steps of proofs, likewise.
    pub proving: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(20),
            facts: 1_000_000,
            rules: 6_000_000,
            gates: 2_000_000,
            sampling: 50_000_000,
            proving: 50_000_000,
        }
    }
}

impl Limits {
    /// Whether there are too many facts, or too many arguments of facts or terms.
    pub(crate) fn are_passed_by(&self, facts: usize, arguments: usize) -> bool {
        facts > self.facts || arguments > self.facts.saturating_mul(10)
    }
}

/// The time is up, or nobody waits any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Late;

/// When work has to end: at a time, or earlier if nobody waits for it any more.
#[derive(Clone)]
pub struct End {
    at: Instant,
    is_over: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl End {
    /// After this time.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self::after_or(time, || false)
    }

    /// After this time, or as soon as `is_over` says so, which is asked often.
    #[must_use]
    pub fn after_or(time: Duration, is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self::new(time, Arc::new(is_over))
    }

    pub(crate) fn new(time: Duration, is_over: Arc<dyn Fn() -> bool + Send + Sync>) -> Self {
        Self { at: Instant::now() + time, is_over }
    }

    pub(crate) fn has_come(&self) -> bool {
        Instant::now() >= self.at || (self.is_over)()
    }

    /// Looks whether work has to end.
    pub(crate) fn look(&self) -> Result<(), Late> {
        if self.has_come() { Err(Late) } else { Ok(()) }
    }

    /// Looks at every so many of these.
    pub(crate) fn look_at(&self, index: usize, every: usize) -> Result<(), Late> {
        if index.is_multiple_of(every) { self.look() } else { Ok(()) }
    }
}

impl fmt::Debug for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("End").field("at", &self.at).finish_non_exhaustive()
    }
}
