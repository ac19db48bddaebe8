//! Places and scores of an engine in games that have more results than wins, draws and losses.

use super::half_points;

/// The places and the scores of an engine, added up over all seats that it held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Places {
    seats: u64,
    /// The sum of the places in halves of one, as places may be halves.
    in_halves: u64,
    scores: u64,
    best: u8,
}

impl Places {
    /// Adds a seat with the score `own`, in a game whose seats have these `scores`, its own included.
    pub fn add(&mut self, own: u8, scores: &[u8]) {
        // Seats with the same score share the mean of their places.
        self.seats += 1;
        self.in_halves += 1 + scores.iter().map(|&score| u64::from(half_points(score, own))).sum::<u64>();
        self.scores += u64::from(own);
        self.best = self.best.max(own);
    }

    /// The number of seats, over all games.
    #[must_use]
    pub fn seats(&self) -> u64 {
        self.seats
    }

    /// The mean place, from 1 to the number of seats of a game; `None` without a seat.
    #[must_use]
    pub fn mean_place(&self) -> Option<f64> {
        (self.seats > 0).then(|| self.in_halves as f64 / 2.0 / self.seats as f64)
    }

    /// The mean score, 0 to 100; `None` without a seat.
    #[must_use]
    pub fn mean_score(&self) -> Option<f64> {
        (self.seats > 0).then(|| self.scores as f64 / self.seats as f64)
    }

    /// The greatest score, 0 to 100; `None` without a seat.
    #[must_use]
    pub fn best_score(&self) -> Option<u8> {
        (self.seats > 0).then_some(self.best)
    }
}
