//! The score of a match, and its estimates of the Elo difference.

use quintet_core::search::normal_cdf;

use super::{ELO, NORMALIZED_ELO, Z, expected_score, score_of};

/// Wins, draws and losses of one engine against another, with its pentanomial counts.
///
/// # Estimates
///
/// Let *n* be the number of pairs, and *m* the mean and *s*² the variance (dividing by *n*) of
/// their scores, 0 to 1. The standard error of *m* is *s*/√*n*, and the 95 % interval of the score
/// is *m* ± 1.96 standard errors. Elo maps the mean and both ends by 400·log₁₀(*x*/(1 − *x*)).
/// Normalized Elo measures *m* − ½ in standard deviations of one game, √2·*s*: it is 800/ln 10·(*m*
/// − ½)/(√2·*s*), with the standard error 800/ln 10/√(2*n*) (Van den Bergh, "Normalized Elo",
/// 2020). Both are what fishtest and fastchess print.
///
/// Two rules keep the numbers sensible if results are few or all alike:
///
/// * *s*² is at least max(*m*, 1 − *m*)²/*n*, as if a single pair were as far from the mean as
///   possible. Without this bound, a match of pairs that are all alike would have no error.
/// * A score of 0 or 1 has no finite Elo. The estimate stays half the smallest step, 1/(8*n*), away
///   from them, and the ends of the interval 1/(1000*n*).
///
/// If all pairs that were not won are alike, winning one more of them never lowers an end of an
/// interval. In other matches, a better result of one pair can lower an end, since it can widen the
/// interval by more than it moves the mean: by at most 0.0083 of the score in a match of 12 pairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MatchScore {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// The pairs with 0, ½, 1, 1½ and 2 points (the pentanomial counts).
    pub pairs: [u64; 5],
}

/// An estimate and its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The lower end of the interval.
    pub low: f64,
    /// The estimate.
    pub mid: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Estimate {
    /// Returns an estimate with a normally distributed error.
    pub(super) fn normal(mid: f64, variance: f64) -> Self {
        Self::with_error(mid, variance.sqrt())
    }

    /// Returns an estimate with a normally distributed error of this standard deviation.
    fn with_error(mid: f64, deviation: f64) -> Self {
        let error = Z * deviation;
        Self { low: mid - error, mid, high: mid + error }
    }

    /// Returns the estimate with infinite ends where it is not `bounded`.
    pub(super) fn open(self, [is_low, is_high]: [bool; 2]) -> Self {
        let Self { low, mid, high } = self;
        let low = if is_low { low } else { f64::NEG_INFINITY };
        Self { low, mid, high: if is_high { high } else { f64::INFINITY } }
    }
}

/// An Elo difference and its 95 % confidence interval.
pub type Elo = Estimate;

/// Returns the Elo difference at which the logistic model expects `score` (above 0, below 1) per
/// game.
fn elo_of(score: f64) -> f64 {
    ELO * (score / (1.0 - score)).ln()
}

/// The mean and the standard deviation of the pairs' scores.
struct Spread {
    pairs: f64,
    mean: f64,
    deviation: f64,
}

impl Spread {
    /// Returns the standard error of the mean.
    fn error(&self) -> f64 {
        self.deviation / self.pairs.sqrt()
    }

    /// Returns the mean and its interval, which may extend beyond 0 and 1.
    fn score(&self) -> Estimate {
        Estimate::with_error(self.mean, self.error())
    }
}

impl MatchScore {
    /// Adds a game: 2 half points for a win, 1 for a draw, 0 for a loss.
    pub fn add_game(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// Adds a complete pair with a total of `half_points` (0 to 4).
    ///
    /// # Panics
    /// If `half_points` is above 4.
    pub fn add_pair(&mut self, half_points: u8) {
        self.pairs[usize::from(half_points)] += 1;
    }

    /// Returns the number of games played.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the points per game, 0 to 1; `None` before the first game.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / games as f64)
    }

    /// Returns the points per game in the complete pairs, 0 to 1, with its interval; `None` before
    /// the first pair.
    #[must_use]
    pub fn score_estimate(&self) -> Option<Estimate> {
        let Estimate { low, mid, high } = self.spread()?.score();
        Some(Estimate { low: low.max(0.0), mid, high: high.min(1.0) })
    }

    /// Returns the Elo difference from the complete pairs; `None` before the first.
    #[must_use]
    pub fn elo(&self) -> Option<Elo> {
        let spread = self.spread()?;
        let Estimate { low, mid, high } = spread.score();
        let elo =
            |score: f64, margin: f64| elo_of(score.clamp(margin / spread.pairs, 1.0 - margin / spread.pairs));
        Some(Elo { low: elo(low, 0.001), mid: elo(mid, 0.125), high: elo(high, 0.001) })
    }

    /// Whether the complete pairs bound the Elo difference from below and from above. The end of an
    /// interval that reaches a score of 0 or 1 is no bound: no Elo is too low or too high for it.
    #[must_use]
    pub fn bounds_elo(&self) -> [bool; 2] {
        self.spread().map_or([false; 2], |spread| {
            let score = spread.score();
            [score.low > 0.0, score.high < 1.0]
        })
    }

    /// Returns the Elo difference as tables show it, with infinite values where the complete pairs
    /// leave it open: an end that is [no bound](Self::bounds_elo), and the estimate if every pair
    /// was won, or lost, with both games. `None` before the first pair.
    #[must_use]
    pub fn open_elo(&self) -> Option<Elo> {
        let mid = match self.pairs {
            [0, 0, 0, 0, _] => f64::INFINITY,
            [_, 0, 0, 0, 0] => f64::NEG_INFINITY,
            _ => self.elo()?.mid,
        };
        Some(Elo { mid, ..self.elo()?.open(self.bounds_elo()) })
    }

    /// Returns the number of pairs in the matches of a game if all of them were split evenly, though
    /// not by draws alone: whoever had the better seat of an opening won from there. Matches of draws
    /// alone are not counted. `None` if a pair was not split, or if there are fewer than 5, which may
    /// be chance.
    #[must_use]
    pub fn evenly_split(matches: &[Self]) -> Option<u64> {
        /// Fewer pairs may be split by chance.
        const FEWEST: u64 = 5;
        let split = |score: &Self| match score.pairs {
            [0, 0, split, 0, 0] => Some(if score.wins > 0 { split } else { 0 }),
            _ => None,
        };
        matches.iter().map(split).sum::<Option<u64>>().filter(|&pairs| pairs >= FEWEST)
    }

    /// Returns the normalized Elo difference, per game, from the complete pairs; `None` before the
    /// first.
    ///
    /// The number of games needed to show a difference depends on it alone, whatever the share of
    /// draws.
    #[must_use]
    pub fn normalized_elo(&self) -> Option<Elo> {
        let spread = self.spread()?;
        let mid = NORMALIZED_ELO * (spread.mean - 0.5) / (2.0_f64.sqrt() * spread.deviation);
        let error = NORMALIZED_ELO * Z / (2.0 * spread.pairs).sqrt();
        Some(Elo { low: mid - error, mid, high: mid + error })
    }

    /// Returns the likelihood of superiority (LOS): the probability, 0 to 1, that the engine is the
    /// stronger one, without prior knowledge. `None` before the first complete pair.
    ///
    /// It is Φ((*m* − ½)·√*n*/*s*), where Φ is the standard normal distribution function.
    #[must_use]
    pub fn los(&self) -> Option<f64> {
        let spread = self.spread()?;
        let errors = (spread.mean - 0.5) / spread.error();
        Some(normal_cdf(errors))
    }

    fn spread(&self) -> Option<Spread> {
        let pairs: f64 = self.pairs.iter().map(|&pairs| pairs as f64).sum();
        if pairs == 0.0 {
            return None;
        }
        let weigh = |value: &dyn Fn(f64) -> f64| -> f64 {
            self.pairs.iter().enumerate().map(|(i, &count)| value(score_of(i)) * count as f64 / pairs).sum()
        };
        let mean = weigh(&|score| score);
        let min_variance = mean.max(1.0 - mean).powi(2) / pairs;
        let variance = weigh(&|score| (score - mean).powi(2)).max(min_variance);
        Some(Spread { pairs, mean, deviation: variance.sqrt() })
    }
}

/// Returns the number of pairs after which the 95 % interval is expected to exclude 0, for engines
/// that are `elo` Elo apart; `None` for a difference of 0. `deviation` is the standard deviation of
/// a pair's score (0 to 1): about 0.35 without draws, less with draws.
///
/// This is (1.96·*s*/(*m* − ½))². Half of all matches of this length show the difference.
#[must_use]
pub fn pairs_to_resolve(elo: f64, deviation: f64) -> Option<u64> {
    let pairs = (Z * deviation / (expected_score(elo) - 0.5)).powi(2).ceil();
    pairs.is_finite().then_some(pairs as u64)
}
