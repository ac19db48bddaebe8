//! How much a proof may take.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::clock::Deadline;

/// The limits of a proof: it is given up at whichever comes first.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    /// The maximum number of positions to visit.
    pub positions: u64,
    /// When to stop.
    pub deadline: Option<Deadline<'a>>,
    /// Becomes true when the caller wants the proof to stop.
    pub stop: Option<&'a AtomicBool>,
}

impl Effort<'_> {
    /// No limit.
    pub const UNLIMITED: Self = Self::positions(u64::MAX);

    /// At most this many positions, with no other limit.
    #[must_use]
    pub const fn positions(positions: u64) -> Self {
        Self { positions, deadline: None, stop: None }
    }

    /// Whether the deadline has passed or the caller wants the proof to stop.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| deadline.has_passed())
    }

    /// The number of positions that can be visited at `per_second`: at most `positions`, and as
    /// many as there is time for until the deadline.
    #[must_use]
    pub fn positions_in_time(&self, per_second: f64) -> u64 {
        let in_time =
            self.deadline.map_or(f64::INFINITY, |deadline| deadline.left().as_secs_f64() * per_second);
        self.positions.min(in_time as u64)
    }
}
