//! The result of a match, and the difference in strength that it shows.

use super::{ELO, NORMALIZED_ELO, Z, expected_score, score_of};

/// Wins, draws and losses of one engine against another, and what its pairs came to.
///
/// # Estimates
///
/// With *n* pairs, *m* the mean and *s*² the variance of their scores (0 to 1, divided by *n*), the standard
/// error of *m* is *s*/√*n*, and 1.96 of them to either side are the 95 % interval of the score. Elo carries
/// the three numbers over by 400·log₁₀(*m*/(1 − *m*)). Normalized Elo measures *m* − ½ in standard deviations of
/// one game, √2·*s*: it is 800/ln 10·(*m* − ½)/(√2·*s*), and its standard error 800/ln 10/√(2*n*) (Van den Bergh,
/// "Normalized Elo", 2020). Both are what fishtest and fastchess print.
///
/// Two things keep the numbers sensible where results are few or all alike:
///
/// * The pairs spread at least as much as if just one of them had been as far from the mean as it could:
///   *s*² ≥ max(*m*, 1 − *m*)²/*n*. Without it, a match of equal pairs would have no error at all.
/// * A score of 0 or 1 has no finite Elo. The estimate is kept half the smallest step, 1/(8*n*), away from
///   them, and the ends of the interval 1/(1000*n*).
///
/// More won pairs in place of worse ones never lower an end of an interval. A single far outlier among other
/// results can, as it widens the interval by more than it moves the mean: by at most 0.0083 of the score in a
/// match of 12 pairs.
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
    /// An estimate with an error that is normally distributed.
    pub(super) fn normal(mid: f64, variance: f64) -> Self {
        let error = Z * variance.sqrt();
        Self { low: mid - error, mid, high: mid + error }
    }
}

/// An Elo difference and its 95 % confidence interval.
pub type Elo = Estimate;

/// The Elo difference at which the logistic model expects `score` (above 0, below 1) per game.
fn elo_of(score: f64) -> f64 {
    ELO * (score / (1.0 - score)).ln()
}

/// How the scores of a match's pairs are spread.
struct Spread {
    pairs: f64,
    mean: f64,
    deviation: f64,
}

impl Spread {
    /// The standard error of the mean.
    fn error(&self) -> f64 {
        self.deviation / self.pairs.sqrt()
    }

    /// The mean and its interval, which may reach beyond 0 and 1.
    fn score(&self) -> Estimate {
        let error = Z * self.error();
        Estimate { low: self.mean - error, mid: self.mean, high: self.mean + error }
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

    /// Notes that both games of a pair are in, with together this many half points (0 to 4).
    ///
    /// # Panics
    /// If there are more than 4.
    pub fn add_pair(&mut self, half_points: u8) {
        self.pairs[usize::from(half_points)] += 1;
    }

    /// The games played.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points per game, 0 to 1; `None` before the first game.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / games as f64)
    }

    /// Points per game in the complete pairs, 0 to 1, with its interval; `None` before the first pair.
    #[must_use]
    pub fn score_estimate(&self) -> Option<Estimate> {
        let Estimate { low, mid, high } = self.spread()?.score();
        Some(Estimate { low: low.max(0.0), mid, high: high.min(1.0) })
    }

    /// The Elo difference from the complete pairs; `None` before the first.
    #[must_use]
    pub fn elo(&self) -> Option<Elo> {
        let spread = self.spread()?;
        let Estimate { low, mid, high } = spread.score();
        let elo =
            |score: f64, margin: f64| elo_of(score.clamp(margin / spread.pairs, 1.0 - margin / spread.pairs));
        Some(Elo { low: elo(low, 0.001), mid: elo(mid, 0.125), high: elo(high, 0.001) })
    }

    /// The normalized Elo difference, per game, from the complete pairs; `None` before the first.
    ///
    /// The number of games that show a difference depends on it alone, however many of them are drawn.
    #[must_use]
    pub fn normalized_elo(&self) -> Option<Elo> {
        let spread = self.spread()?;
        let mid = NORMALIZED_ELO * (spread.mean - 0.5) / (2.0_f64.sqrt() * spread.deviation);
        let error = NORMALIZED_ELO * Z / (2.0 * spread.pairs).sqrt();
        Some(Elo { low: mid - error, mid, high: mid + error })
    }

    /// The likelihood of superiority: the probability, 0 to 1, that the engine is the stronger one, if nothing
    /// was known before. `None` before the first complete pair.
    ///
    /// It is Φ((*m* − ½)·√*n*/*s*), with Φ the normal distribution.
    #[must_use]
    pub fn los(&self) -> Option<f64> {
        let spread = self.spread()?;
        let errors = (spread.mean - 0.5) / spread.error();
        Some(libm::erfc(-errors / 2.0_f64.sqrt()) / 2.0)
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
        let least = mean.max(1.0 - mean).powi(2) / pairs;
        let variance = weigh(&|score| (score - mean).powi(2)).max(least);
        Some(Spread { pairs, mean, deviation: variance.sqrt() })
    }
}

/// The pairs of games after which the 95 % interval is expected to leave out 0, for engines that are `elo` Elo
/// apart and pairs whose score (0 to 1) has the standard deviation `deviation`: about 0.35 where no game is
/// drawn, less with draws. `None` for a difference of 0.
///
/// This is (1.96·*s*/(*m* − ½))². Half of all matches of this length show the difference.
#[must_use]
pub fn pairs_to_resolve(elo: f64, deviation: f64) -> Option<u64> {
    let pairs = (Z * deviation / (expected_score(elo) - 0.5)).powi(2).ceil();
    pairs.is_finite().then_some(pairs as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(pairs: [u64; 5]) -> MatchScore {
        MatchScore { pairs, ..MatchScore::default() }
    }

    fn elo(pairs: [u64; 5]) -> Elo {
        score(pairs).elo().expect("there are pairs")
    }

    fn normalized(pairs: [u64; 5]) -> Elo {
        score(pairs).normalized_elo().expect("there are pairs")
    }

    /// The number and half its interval's width, as programs print them.
    fn printed(it: Estimate) -> String {
        format!("{:.2} ± {:.2}", it.mid, (it.high - it.low) / 2.0)
    }

    /// Every result of a match of `pairs` pairs.
    fn all_results(pairs: u64) -> Vec<[u64; 5]> {
        let mut found = Vec::new();
        for a in 0..=pairs {
            for b in 0..=pairs - a {
                for c in 0..=pairs - a - b {
                    for d in 0..=pairs - a - b - c {
                        found.push([a, b, c, d, pairs - a - b - c - d]);
                    }
                }
            }
        }
        found
    }

    #[test]
    fn agrees_with_an_established_arena_program() {
        // 18 wins and 6 losses in 12 pairs.
        let pairs = [0, 0, 6, 0, 6];
        assert_eq!(printed(elo(pairs)), "190.85 ± 144.57");
        assert_eq!(printed(normalized(pairs)), "245.67 ± 139.00");
        let superiority = score(pairs).los().expect("there are pairs");
        assert_eq!(format!("{:.2}", 100.0 * superiority), "99.97");
        let estimate = score(pairs).score_estimate().expect("there are pairs");
        assert_eq!(printed(estimate), "0.75 ± 0.14");
    }

    #[test]
    fn every_result_has_finite_numbers_in_their_order() {
        for result in (1..=6).flat_map(all_results) {
            let it = score(result);
            let scores = it.score_estimate().expect("there are pairs");
            assert!(0.0 <= scores.low && scores.high <= 1.0, "{result:?}: {scores:?}");
            for estimate in [scores, elo(result), normalized(result)] {
                let Estimate { low, mid, high } = estimate;
                assert!(low.is_finite() && high.is_finite(), "{result:?}: {estimate:?}");
                assert!(low <= mid && mid <= high && low < high, "{result:?}: {estimate:?}");
            }
            let superiority = it.los().expect("there are pairs");
            assert!((0.0..=1.0).contains(&superiority), "{result:?}: {superiority}");
        }
    }

    #[test]
    fn the_other_engine_has_the_opposite_numbers() {
        for mut result in all_results(5) {
            let (elo_here, normalized_here) = (elo(result), normalized(result));
            result.reverse();
            for (here, there) in [(elo_here, elo(result)), (normalized_here, normalized(result))] {
                let sums = [here.low + there.high, here.mid + there.mid, here.high + there.low];
                assert!(sums.iter().all(|sum| sum.abs() < 1e-6), "{result:?}: {here:?}, {there:?}");
            }
        }
    }

    /// All numbers of a result, each of which grows with the strength that was shown.
    fn numbers(result: [u64; 5]) -> [f64; 10] {
        let it = score(result);
        let scores = it.score_estimate().expect("there are pairs");
        let (elo, normalized) = (elo(result), normalized(result));
        let superiority = it.los().expect("there are pairs");
        [
            scores.low,
            scores.mid,
            scores.high,
            elo.low,
            elo.mid,
            elo.high,
            normalized.low,
            normalized.mid,
            normalized.high,
            superiority,
        ]
    }

    #[test]
    fn more_won_pairs_never_lower_a_number() {
        // The other pairs were all lost, were drawn once, came out even, or were won by a point.
        for other in 0..4 {
            for pairs in 1..=30 {
                let result = |won: u64| {
                    let mut result = [0; 5];
                    result[other] = pairs - won;
                    result[4] = won;
                    result
                };
                for won in 1..=pairs {
                    let (worse, better) = (numbers(result(won - 1)), numbers(result(won)));
                    let grows = worse.iter().zip(better).all(|(worse, better)| better >= worse - 1e-9);
                    assert!(grows, "{:?} {worse:?}, {:?} {better:?}", result(won - 1), result(won));
                }
            }
        }
    }

    #[test]
    fn a_better_result_hardly_ever_lowers_the_interval() {
        let low = |result| score(result).score_estimate().expect("there are pairs").low;
        let mut worst: f64 = 0.0;
        for result in all_results(12) {
            for half_points in (0..4).filter(|&half_points| result[half_points] > 0) {
                let mut better = result;
                better[half_points] -= 1;
                better[half_points + 1] += 1;
                worst = worst.max(low(result) - low(better));
            }
        }
        assert_eq!(format!("{worst:.4}"), "0.0083");
    }

    #[test]
    fn a_perfect_match_is_worth_more_than_a_nearly_perfect_one() {
        assert_eq!(printed(elo([0, 0, 0, 0, 12])), "791.09 ± 673.93");
        let (nearly, perfect) = (elo([1, 0, 0, 0, 11]), elo([0, 0, 0, 0, 12]));
        assert!(perfect.low > nearly.low + 50.0 && perfect.mid > nearly.mid, "{nearly:?}, {perfect:?}");
        let long = elo([0, 0, 0, 0, 500]);
        assert!(long.low > perfect.low && long.mid > perfect.mid, "{long:?}");
    }

    #[test]
    fn even_pairs_give_an_interval_around_zero_that_shrinks() {
        let widths = [1, 2, 5, 50].map(|pairs| {
            let elo = elo([0, 0, pairs, 0, 0]);
            assert!(elo.mid.abs() < 1e-9 && (elo.low + elo.high).abs() < 1e-6, "{elo:?}");
            elo.high
        });
        assert!(widths.is_sorted_by(|a, b| a > b) && widths[3] > 10.0, "{widths:?}");
        assert_eq!(score([0, 0, 9, 0, 0]).los(), Some(0.5));
    }

    #[test]
    fn a_match_without_pairs_has_no_numbers() {
        let mut it = MatchScore::default();
        assert_eq!(it.score(), None);
        it.add_game(2);
        assert_eq!(it.score(), Some(1.0));
        assert_eq!((it.score_estimate(), it.elo(), it.normalized_elo()), (None, None, None));
        assert_eq!(it.los(), None);
    }

    #[test]
    fn small_differences_need_many_pairs() {
        // 10 Elo are a score of 0.51439: (1.96 · 0.35355 / 0.01439)² pairs.
        assert_eq!(pairs_to_resolve(10.0, 0.125_f64.sqrt()), Some(2_320));
        assert_eq!(pairs_to_resolve(-10.0, 0.125_f64.sqrt()), Some(2_320));
        assert_eq!(pairs_to_resolve(0.0, 0.3), None);
    }
}
