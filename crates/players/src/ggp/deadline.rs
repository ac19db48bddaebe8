//! When answers are due.

use std::time::{Duration, Instant};

/// When a search has to end, and when an answer is sent even if it has not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    pub(super) search: Instant,
    pub(super) answer: Instant,
}

impl Deadline {
    /// Leaves half the margin for a search that does not end at once, and half for the way of the
    /// answer. The margin is at most half the clock.
    pub(super) fn new(arrived: Instant, clock: Duration, margin: Duration) -> Self {
        let margin = margin.min(clock / 2);
        let search = arrived + clock.saturating_sub(margin);
        Self { search, answer: search + margin / 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_at_most_half_the_clock() {
        let arrived = Instant::now();
        let ms = Duration::from_millis;
        for (clock, margin, search, answer) in
            [(5000, 1000, 4000, 4500), (1000, 1000, 500, 750), (0, 1000, 0, 0)]
        {
            let deadline = Deadline::new(arrived, ms(clock), ms(margin));
            assert_eq!(deadline.search - arrived, ms(search));
            assert_eq!(deadline.answer - arrived, ms(answer));
        }
    }
}
