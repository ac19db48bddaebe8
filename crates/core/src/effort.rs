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

    /// The same in half of the time left.
    #[must_use]
    pub fn in_half_the_time(self) -> Self {
        Self { deadline: self.deadline.map(|deadline| deadline.halfway()), ..self }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::Clock;

    #[test]
    fn an_effort_is_over_at_its_deadline_or_when_it_is_stopped() {
        let (clock, stop) = (Clock::manual(), AtomicBool::new(false));
        let deadline = Some(Deadline::new(clock.now() + Duration::from_secs(2), &clock));
        let timed = Effort { deadline, ..Effort::positions(30) };
        let stoppable = Effort { stop: Some(&stop), ..Effort::UNLIMITED };
        assert!(!timed.is_over() && !stoppable.is_over() && !Effort::positions(0).is_over());
        assert_eq!([1.5, 15.0, 100.0].map(|per_second| timed.positions_in_time(per_second)), [3, 30, 30]);
        assert_eq!(Effort::positions(30).positions_in_time(1.0), 30);
        clock.advance(Duration::from_secs(2));
        stop.store(true, Ordering::Relaxed);
        assert!(timed.is_over() && stoppable.is_over());
        assert_eq!(timed.positions_in_time(100.0), 0);
    }
}
