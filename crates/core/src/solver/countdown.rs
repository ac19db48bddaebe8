//! What is left of an effort.

use crate::effort::Effort;

/// The number of positions between two checks of the clock.
const SLICE: u64 = 64;

/// Counts the positions of an effort down.
#[derive(Debug)]
pub(super) struct Countdown<'a> {
    left: u64,
    effort: Effort<'a>,
}

impl<'a> Countdown<'a> {
    pub(super) const fn new(effort: Effort<'a>) -> Self {
        Self { left: effort.positions, effort }
    }

    /// The number of positions that may still be visited.
    pub(super) const fn left(&self) -> u64 {
        self.left
    }

    /// Counts positions that were visited elsewhere; returns `None` once the effort is spent.
    pub(super) fn count_all(&mut self, positions: u64) -> Option<()> {
        self.left = if self.effort.is_over() { 0 } else { self.left.saturating_sub(positions) };
        (self.left > 0).then_some(())
    }

    /// Counts a position; returns `None` once the effort is spent.
    pub(super) fn count(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if self.left.is_multiple_of(SLICE) && self.effort.is_over() {
            self.left = 0;
            return None;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn positions_are_counted_down_and_a_stop_is_seen_soon() {
        let mut countdown = Countdown::new(Effort::positions(3));
        assert_eq!([(); 5].map(|()| countdown.count().is_some()), [true, true, true, false, false]);
        assert_eq!(countdown.left(), 0);
        let mut countdown = Countdown::new(Effort::positions(3));
        assert_eq!((countdown.left(), countdown.count(), countdown.left()), (3, Some(()), 2));
        let stop = AtomicBool::new(true);
        let mut countdown = Countdown::new(Effort { stop: Some(&stop), ..Effort::positions(1_000) });
        let counted = (0..1_000).take_while(|_| countdown.count().is_some()).count() as u64;
        assert!(counted < SLICE, "{counted}");
        assert_eq!((countdown.left(), countdown.count()), (0, None));
    }
}
