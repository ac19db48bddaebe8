//! Matches between simulated engines.

use std::f64::consts::LN_10;

use quintet_arena::stats::MatchScore;
use quintet_core::game::Rng;

/// The score per game that the logistic model expects of `elo`.
pub(crate) fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

/// The probabilities of a pair's half points, 0 to 4, if the better seat adds `bias` to the
/// expected score, and games are drawn with the probability `draws`. The mean is `score` whatever
/// the bias, but the two games of a pair tend to differ.
pub(crate) fn pair_distribution(score: f64, bias: f64, draws: f64) -> [f64; 5] {
    let game = |score: f64| [1.0 - score - draws / 2.0, draws, score - draws / 2.0];
    let (first, second) = (game(score + bias), game(score - bias));
    let mut pair = [0.0; 5];
    for (i, p) in first.iter().enumerate() {
        for (j, q) in second.iter().enumerate() {
            assert!(*p >= 0.0 && *q >= 0.0, "no such engines");
            pair[i + j] += p * q;
        }
    }
    pair
}

/// The distribution for engines that differ by this normalized Elo.
pub(crate) fn of_normalized_elo(elo: f64, bias: f64, draws: f64) -> [f64; 5] {
    /// Normalized Elo per standard deviation of a game.
    const NORMALIZED_ELO: f64 = 800.0 / LN_10;
    let (mut low, mut high) = (bias + draws / 2.0, 1.0 - bias - draws / 2.0);
    for _ in 0..60 {
        let score = f64::midpoint(low, high);
        let distribution = pair_distribution(score, bias, draws);
        let square: f64 =
            distribution.iter().enumerate().map(|(i, p)| p * (i as f64 / 4.0 - score).powi(2)).sum();
        if NORMALIZED_ELO * (score - 0.5) / (2.0 * square).sqrt() < elo { low = score } else { high = score }
    }
    pair_distribution(low, bias, draws)
}

/// Plays a pair.
pub(crate) fn play_pair(distribution: &[f64; 5], rng: &mut Rng, score: &mut MatchScore) {
    let mut left = (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    for (half_points, p) in (0..).zip(&distribution[..4]) {
        if left < *p {
            return score.groups.add(half_points);
        }
        left -= p;
    }
    score.groups.add(4);
}
