//! What the results of a match say about the strength of the engines.
//!
//! Games come in pairs: one opening, played once from each seat. The two games of a pair are not independent,
//! pairs are, so all errors are computed from pairs.

/// Wins, draws and losses of one engine against another, and what its pairs came to.
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

/// An Elo difference and its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elo {
    /// The lower end of the interval.
    pub low: f64,
    /// The estimate.
    pub mid: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// The 97.5 % quantile of the normal distribution: two of them enclose 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// The Elo difference at which the logistic model expects `score` (above 0, below 1) per game.
fn elo_of(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
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

    /// The Elo difference from the complete pairs; `None` before the first.
    ///
    /// The interval is the normal one for the mean score of a pair, carried over to Elo. Two cases need more:
    ///
    /// * If all *n* pairs came out alike, their spread says nothing. A different result then has a
    ///   probability below *p* = 1 − 0.025^(1/n) (exact binomial bound), and the interval is where it could
    ///   move the mean.
    /// * A perfect score has no finite Elo. Scores are kept a quarter of a game's point, on one game more
    ///   than were played, away from 0 and 1, so the numbers stay finite and grow with the match.
    #[must_use]
    pub fn elo(&self) -> Option<Elo> {
        let count: u64 = self.pairs.iter().sum();
        if count == 0 {
            return None;
        }
        let n = count as f64;
        let score_of = |index: usize| index as f64 / 4.0;
        let weigh = |value: &dyn Fn(f64) -> f64| -> f64 {
            self.pairs.iter().enumerate().map(|(i, &pairs)| value(score_of(i)) * pairs as f64 / n).sum()
        };
        let mean = weigh(&|score| score);
        let (low, high) = if self.pairs.contains(&count) {
            let unseen = 1.0 - 0.025_f64.powf(1.0 / n);
            (mean * (1.0 - unseen), mean * (1.0 - unseen) + unseen)
        } else {
            let error = Z * (weigh(&|score| (score - mean).powi(2)) / n).sqrt();
            (mean - error, mean + error)
        };
        let margin = 0.25 / (2.0 * n + 1.0);
        let finite = |score: f64| elo_of(score.clamp(margin, 1.0 - margin));
        Some(Elo { low: finite(low), mid: finite(mean), high: finite(high) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elo(pairs: [u64; 5]) -> Elo {
        MatchScore { pairs, ..MatchScore::default() }.elo().expect("there are pairs")
    }

    #[test]
    fn agrees_with_an_established_arena_program() {
        // 18 wins and 6 losses in 12 pairs: 190.85 ± 144.57.
        let elo = elo([0, 0, 6, 0, 6]);
        assert!((elo.mid - 190.85).abs() < 0.005, "{elo:?}");
        assert!(((elo.high - elo.low) / 2.0 - 144.57).abs() < 0.005, "{elo:?}");
    }

    #[test]
    fn a_one_sided_match_has_finite_numbers_that_grow_with_it() {
        let (short, long) = (elo([0, 0, 0, 0, 5]), elo([0, 0, 0, 0, 500]));
        assert!(short.mid.is_finite() && short.low < short.mid && short.mid <= short.high, "{short:?}");
        assert!(long.low > short.low && long.mid > short.mid, "{long:?}");
        let lost = elo([5, 0, 0, 0, 0]);
        assert!((lost.mid + short.mid).abs() < 1e-9 && (lost.low + short.high).abs() < 1e-9, "{lost:?}");
    }

    #[test]
    fn even_pairs_give_an_interval_around_zero() {
        let elo = elo([0, 0, 10, 0, 0]);
        assert!(elo.mid.abs() < 1e-9 && elo.low < -10.0 && (elo.low + elo.high).abs() < 1e-9, "{elo:?}");
    }

    #[test]
    fn a_match_without_games_has_no_numbers() {
        assert_eq!(MatchScore::default().elo(), None);
        assert_eq!(MatchScore::default().score(), None);
    }
}
