//! The score of a match, and its estimates of the Elo difference.

use quintet_core::search::normal_cdf;

use super::groups::{Groups, Spread};
use super::{ELO, NORMALIZED_ELO, Z, expected_score};

/// Wins, draws and losses of one engine against another, with the scores of its groups of games.
///
/// # Estimates
///
/// Let *n* be the number of groups that are not [repeated](Groups::repeated), each of *g* games, and *m* the mean and
/// *s*² the variance of the scores of all groups, 0 to 1. The standard error of *m* is *s*/√*n*, and the 95 % interval of
/// the score is *m* ± 1.96 standard errors. Elo maps the mean and both ends by 400·log₁₀(*x*/(1 − *x*)).
/// Normalized Elo measures *m* − ½ in standard deviations of one game, √*g*·*s*: it is 800/ln 10·(*m*
/// − ½)/(√*g*·*s*), with the standard error 800/ln 10/√(*g*·*n*) (Van den Bergh, "Normalized Elo",
/// 2020). Where groups are pairs, both are what fishtest and fastchess print.
///
/// Two rules keep the numbers sensible if results are few or all alike:
///
/// * *s*² is at least 2/*g*·max(*m*, 1 − *m*)²/*n*. For pairs it is as if a single one were as far from the mean as
///   possible; a larger group scatters less, as the mean of *g*/2 pairs does. Without this bound, a match of groups
///   that are all alike would have no error.
/// * A score of 0 or 1 has no finite Elo. The estimate stays half the smallest step, which is 1/(8*n*) for pairs,
///   away from them, and the ends of the interval 1/(1000*n*).
///
/// If all groups that were not won are alike, winning one more of them never lowers an end of an
/// interval. In other matches, a better result of one group can lower an end, since it can widen the
/// interval by more than it moves the mean: by at most 0.0083 of the score in a match of 12 pairs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MatchScore {
    /// Comparisons won: where two sides play, games.
    pub wins: u64,
    /// Comparisons in which both got the same: where two sides play, games drawn.
    pub draws: u64,
    /// Comparisons lost: where two sides play, games.
    pub losses: u64,
    /// The complete groups, by their scores.
    pub groups: Groups,
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

/// Returns the mean and its interval, which may extend beyond 0 and 1.
fn score(spread: &Spread) -> Estimate {
    Estimate::with_error(spread.mean, spread.error())
}

impl MatchScore {
    /// Adds a comparison: 2 half points for a win, 1 for a draw, 0 for a loss.
    pub fn add_comparison(&mut self, half_points: u8) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// Returns the number of comparisons: where two sides play, of games.
    #[must_use]
    pub fn comparisons(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Returns the points per comparison, 0 to 1; `None` before the first.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let comparisons = self.comparisons();
        (comparisons > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / comparisons as f64)
    }

    /// Returns the mean score of the complete groups, 0 to 1, with its interval; `None` before
    /// the first.
    #[must_use]
    pub fn score_estimate(&self) -> Option<Estimate> {
        let Estimate { low, mid, high } = score(&self.groups.spread()?);
        Some(Estimate { low: low.max(0.0), mid, high: high.min(1.0) })
    }

    /// Returns the Elo difference from the complete groups; `None` before the first.
    #[must_use]
    pub fn elo(&self) -> Option<Elo> {
        let spread = self.groups.spread()?;
        let Estimate { low, mid, high } = score(&spread);
        let elo =
            |score: f64, margin: f64| elo_of(score.clamp(margin / spread.count, 1.0 - margin / spread.count));
        let half_step = 0.5 / self.groups.steps() as f64;
        Some(Elo { low: elo(low, 0.001), mid: elo(mid, half_step), high: elo(high, 0.001) })
    }

    /// Whether the complete groups bound the Elo difference from below and from above. The end of an
    /// interval that reaches a score of 0 or 1 is no bound: no Elo is too low or too high for it.
    #[must_use]
    pub fn bounds_elo(&self) -> [bool; 2] {
        self.groups.spread().map_or([false; 2], |spread| {
            let score = score(&spread);
            [score.low > 0.0, score.high < 1.0]
        })
    }

    /// Returns the Elo difference as tables show it, with infinite values where the complete groups
    /// leave it open: an end that is [no bound](Self::bounds_elo), and the estimate if every comparison
    /// of every group was won, or lost. `None` before the first group.
    #[must_use]
    pub fn open_elo(&self) -> Option<Elo> {
        let elo = self.elo()?;
        let mid = match self.groups.only() {
            Some(0) => f64::NEG_INFINITY,
            Some(all) if all == self.groups.steps() => f64::INFINITY,
            _ => elo.mid,
        };
        Some(Elo { mid, ..elo.open(self.bounds_elo()) })
    }

    /// Whether all groups in the matches of a game were split evenly, most not by draws: whoever had the better seat of
    /// an opening won from there. Matches of which most is drawn are not counted, nor are repeated groups, and fewer than
    /// 5 may be chance.
    #[must_use]
    pub fn are_split_evenly(matches: &[Self]) -> bool {
        /// Fewer groups may be split by chance.
        const FEWEST: u64 = 5;
        let split = |score: &Self| {
            let groups = &score.groups;
            let is_split = groups.count() == 0 || groups.only() == Some(groups.steps() / 2);
            let is_decided = score.wins.min(score.losses) * 4 > score.comparisons();
            is_split.then(|| if is_decided { groups.count() - groups.repeated() } else { 0 })
        };
        matches.iter().map(split).sum::<Option<u64>>().is_some_and(|groups| groups >= FEWEST)
    }

    /// Returns the normalized Elo difference, per game, from the complete groups; `None` before the
    /// first.
    ///
    /// The number of games needed to show a difference depends on it alone, whatever the share of
    /// draws.
    #[must_use]
    pub fn normalized_elo(&self) -> Option<Elo> {
        let spread = self.groups.spread()?;
        let games = self.groups.games() as f64;
        let mid = NORMALIZED_ELO * (spread.mean - 0.5) / (games.sqrt() * spread.deviation);
        let error = NORMALIZED_ELO * Z / (games * spread.count).sqrt();
        Some(Elo { low: mid - error, mid, high: mid + error })
    }

    /// Returns the likelihood of superiority (LOS): the probability, 0 to 1, that the engine is the
    /// stronger one, without prior knowledge. `None` before the first complete group.
    ///
    /// It is Φ((*m* − ½)·√*n*/*s*), where Φ is the standard normal distribution function.
    #[must_use]
    pub fn los(&self) -> Option<f64> {
        let spread = self.groups.spread()?;
        let errors = (spread.mean - 0.5) / spread.error();
        Some(normal_cdf(errors))
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
