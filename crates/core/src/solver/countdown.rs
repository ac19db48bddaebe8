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
