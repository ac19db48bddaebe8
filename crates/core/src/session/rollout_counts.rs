//! How many rollouts ended, and after how many moves.

use crate::game::{Rollout, Side};

/// The results of many rollouts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RolloutCounts {
    /// The number of rollouts in which the first side got more than any other.
    pub first_wins: u64,
    /// The number of rollouts in which several sides got the most.
    pub draws: u64,
    /// The number of rollouts in which another side got more than any other.
    pub second_wins: u64,
    /// The number of moves of all rollouts.
    pub plies: u64,
}

impl RolloutCounts {
    /// The number of rollouts.
    #[must_use]
    pub fn rollouts(&self) -> u64 {
        self.first_wins + self.draws + self.second_wins
    }

    /// Counts one rollout.
    #[inline]
    pub fn count(&mut self, rollout: Rollout) {
        match rollout.outcome.winner() {
            Some(Side::First) => self.first_wins += 1,
            None => self.draws += 1,
            Some(_) => self.second_wins += 1,
        }
        self.plies += u64::from(rollout.plies);
    }
}

/// Adds the counts.
impl std::ops::Add for RolloutCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            first_wins: self.first_wins + other.first_wins,
            draws: self.draws + other.draws,
            second_wins: self.second_wins + other.second_wins,
            plies: self.plies + other.plies,
        }
    }
}
