//! What compiling a rulesheet may take.

use std::time::Duration;

/// The deepest ground terms.
pub(crate) const MAX_DEPTH: u8 = 64;

/// The most roles.
pub(crate) const MAX_ROLES: usize = 8;

/// What compiling a rulesheet may take. What needs more ends with an [error](crate::Error) that names what grew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The time.
    pub time: Duration,
    /// The most facts of all relations, over all states that can come up.
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
