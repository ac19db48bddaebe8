//! Clocks and deadlines.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The clock of a search: the system's monotonic clock, or one that a test sets.
#[derive(Debug, Clone, Default)]
pub struct Clock(Option<Arc<Manual>>);

#[derive(Debug)]
struct Manual {
    start: Instant,
    nanoseconds: AtomicU64,
}

impl Clock {
    /// A clock that moves only by [`advance`](Self::advance). Clones show the same time.
    #[must_use]
    pub fn manual() -> Self {
        Self(Some(Arc::new(Manual { start: Instant::now(), nanoseconds: AtomicU64::new(0) })))
    }

    /// The current time.
    #[must_use]
    #[inline]
    pub fn now(&self) -> Instant {
        match &self.0 {
            None => Instant::now(),
            Some(it) => it.start + Duration::from_nanos(it.nanoseconds.load(Ordering::Relaxed)),
        }
    }

    /// Advances a [manual](Self::manual) clock; does nothing to the system's.
    pub fn advance(&self, time: Duration) {
        if let Some(it) = &self.0 {
            it.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        }
    }
}

/// Two clocks are equal if they always show the same time.
impl PartialEq for Clock {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

/// The time by which something must be done.
#[derive(Debug, Clone, Copy)]
pub struct Deadline<'a> {
    at: Instant,
    clock: &'a Clock,
}

impl<'a> Deadline<'a> {
    /// The deadline that passes when `clock` shows `at`.
    #[must_use]
    pub fn new(at: Instant, clock: &'a Clock) -> Self {
        Self { at, clock }
    }

    /// Whether the deadline has passed.
    #[must_use]
    #[inline]
    pub fn has_passed(&self) -> bool {
        self.clock.now() >= self.at
    }

    /// The deadline that passes after half the time that is left.
    #[must_use]
    pub fn halfway(&self) -> Self {
        Self { at: self.clock.now() + self.left() / 2, ..*self }
    }

    /// The time left; zero if the deadline has passed.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.at.saturating_duration_since(self.clock.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_it_is_told() {
        let (clock, second) = (Clock::manual(), Duration::from_secs(1));
        let start = clock.now();
        clock.clone().advance(second);
        assert_eq!(clock.now() - start, second);
        assert_eq!(clock, clock.clone());
        assert_ne!(clock, Clock::manual());
        assert_ne!(clock, Clock::default());
        assert_eq!(Clock::default(), Clock::default());
        let before = Instant::now();
        Clock::default().advance(10_000 * second);
        assert!(Clock::default().now() - before < 10_000 * second);
        assert!(Clock::default().now() >= before);
    }

    #[test]
    fn a_deadline_passes_at_its_time() {
        let (clock, second) = (Clock::manual(), Duration::from_secs(1));
        let deadline = Deadline::new(clock.now() + 8 * second, &clock);
        clock.advance(2 * second);
        assert_eq!((deadline.left(), deadline.halfway().left()), (6 * second, 3 * second));
        assert!(!deadline.has_passed());
        clock.advance(6 * second);
        assert!(deadline.has_passed() && deadline.left().is_zero());
        clock.advance(second);
        assert!(deadline.has_passed() && deadline.left().is_zero() && deadline.halfway().left().is_zero());
    }
}
