//! Whether what is drawn has the distribution that it should have: chi-square tests (Pearson, 1900).

use std::collections::{BTreeMap, BTreeSet};

use crate::game::{DRAW_SCORE, Rollout, Side};

/// How many rollouts ended with each score of the second side after so many plies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Endings(BTreeMap<(u8, u32), u64>);

impl Endings {
    /// Counts so many rollouts.
    pub(super) fn of(rollouts: u32, mut rollout: impl FnMut() -> Rollout) -> Self {
        let mut endings = Self::default();
        for _ in 0..rollouts {
            let Rollout { outcome, plies } = rollout();
            *endings.0.entry((outcome.score(Side::Second), plies)).or_default() += 1;
        }
        endings
    }

    /// How far two samples are apart. Neighboring lengths are one cell until it has at least 40 rollouts.
    pub(super) fn distance_to(&self, other: &Self) -> Distance {
        const FEWEST: u64 = 40;
        let rollouts = |it: &Self| it.0.values().sum::<u64>() as f64;
        let scale = (rollouts(other) / rollouts(self)).sqrt();
        let (mut statistic, mut cells, mut counts) = (0.0, 0_u32, (0, 0));
        let keys: BTreeSet<_> = self.0.keys().chain(other.0.keys()).collect();
        let last = keys.len();
        for (index, key) in (1..).zip(keys) {
            counts.0 += self.0.get(key).copied().unwrap_or(0);
            counts.1 += other.0.get(key).copied().unwrap_or(0);
            if counts.0 + counts.1 >= FEWEST || index == last {
                let difference = counts.0 as f64 * scale - counts.1 as f64 / scale;
                statistic += difference.powi(2) / (counts.0 + counts.1) as f64;
                cells += 1;
                counts = (0, 0);
            }
        }
        Distance { statistic, freedom: cells.saturating_sub(1) }
    }

    /// The mean length, and the shares of the two sides' wins, for people.
    pub(super) fn summary(&self) -> String {
        let all = self.0.values().sum::<u64>().max(1) as f64;
        let plies: u64 = self.0.iter().map(|(&(_, plies), &count)| u64::from(plies) * count).sum();
        let percent = |is_won: fn(u8) -> bool| {
            let won = self.0.iter().filter(|((score, _), _)| is_won(*score));
            100.0 * won.map(|(_, &count)| count).sum::<u64>() as f64 / all
        };
        format!(
            "{:.2} plies, {:.1} % and {:.1} % won",
            plies as f64 / all,
            percent(|score| score < DRAW_SCORE),
            percent(|score| score > DRAW_SCORE)
        )
    }
}

/// How far a sample is from what is expected, or another sample.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Distance {
    /// Chi-square.
    statistic: f64,
    /// Its degrees of freedom.
    freedom: u32,
}

impl Distance {
    /// The distance of these counts from those that these probabilities lead to expect.
    pub(super) fn from_expected(counts: &[u64], probabilities: &[f32]) -> Self {
        let all = counts.iter().sum::<u64>() as f64;
        let expected = probabilities.iter().map(|&it| f64::from(it) * all);
        let statistic =
            counts.iter().zip(expected).map(|(&it, expected)| (it as f64 - expected).powi(2) / expected);
        Self { statistic: statistic.sum(), freedom: counts.len() as u32 - 1 }
    }

    /// Whether chance is this far off less than once in 100,000 times.
    pub(super) fn is_no_chance(self) -> bool {
        let freedom = f64::from(self.freedom);
        self.statistic > freedom + 6.0 * (2.0 * freedom).sqrt() + 12.0
    }
}

/// Adds independent samples.
impl std::ops::AddAssign for Distance {
    fn add_assign(&mut self, other: Self) {
        self.statistic += other.statistic;
        self.freedom += other.freedom;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Outcome;
    use crate::game::Rng;

    #[test]
    fn chances_are_told_from_others() {
        let mut rng = Rng::stream(1, 0);
        let mut counts = [0; 10];
        for _ in 0..4_000 {
            counts[rng.below(10)] += 1;
        }
        let is_no_chance = |counts: &[u64]| Distance::from_expected(counts, &[0.1; 10]).is_no_chance();
        assert!(!is_no_chance(&counts), "{counts:?}");
        counts[3] *= 2;
        assert!(is_no_chance(&counts), "{counts:?}");
        assert!(!Distance::from_expected(&[300, 700], &[0.3, 0.7]).is_no_chance());
        assert!(Distance::from_expected(&[500, 500], &[0.3, 0.7]).is_no_chance());
    }

    #[test]
    fn lengths_and_results_are_compared() {
        let sample = |stream, longest: usize, wins: usize| {
            let mut rng = Rng::stream(2, stream);
            Endings::of(3_000, || {
                let outcome = if rng.below(10) < wins { Outcome::Win(Side::First) } else { Outcome::Draw };
                Rollout { outcome, plies: rng.below(longest) as u32 }
            })
        };
        let one = sample(0, 20, 5);
        assert!(!one.distance_to(&sample(1, 20, 5)).is_no_chance());
        assert!(one.distance_to(&sample(2, 22, 5)).is_no_chance());
        assert!(one.distance_to(&sample(3, 20, 6)).is_no_chance());
        assert!(one.summary().ends_with(" % and 0.0 % won"), "{}", one.summary());
    }
}
