//! The likelihood of a match's result at a given strength difference.
//!
//! A strength difference fixes only the mean (or the normalized mean) of the pairs' score
//! distribution. Its likelihood is therefore that of the likeliest distribution with this mean,
//! *p*ᵢ = *c*ᵢ/*n*/(1 + *x*·*v*ᵢ): *c*ᵢ of *n* pairs ended with the score *a*ᵢ, Σ *p*ᵢ·*v*ᵢ = 0 is
//! the condition on the mean, and *x* is a Lagrange multiplier (Van den Bergh, "A practical
//! introduction to the GSPRT", 2020; Owen, "Empirical Likelihood Ratio Confidence Intervals for a
//! Single Functional", 1988).

use super::score_of;

/// The count, in pairs, of a score that never occurred, as in fishtest. With 0 instead, a match
/// without a loss would be impossible between engines of equal strength.
const UNSEEN: f64 = 1e-3;

/// Returns the pair counts by score, with [`UNSEEN`] in place of 0.
pub(super) fn regularized(pairs: [u64; 5]) -> [f64; 5] {
    pairs.map(|count| if count == 0 { UNSEEN } else { count as f64 })
}

/// Returns the likeliest distribution with the mean `score`, above 0 and below 1.
pub(super) fn with_mean(counts: &[f64; 5], score: f64) -> [f64; 5] {
    tilted(counts, &std::array::from_fn(|i| score_of(i) - score))
}

/// Returns the likeliest distribution whose mean is `t` standard deviations above ½.
///
/// With *u* = *a* − ½, the condition is E\[*u*\] = *k*·√E\[*u*²\], where *k* = *t*/√(1 + *t*²).
/// √E\[*u*²\] is the minimum of (E\[*u*²\]/*r* + *r*)/2 over *r*, at *r* = √E\[*u*²\]. For a fixed
/// *r* the condition is linear in the distribution, and its solution gives the next *r*. The
/// iteration starts at *r* = ½, where a solution exists for every `t`, and each step guarantees a
/// solution for the next. At its fixed point, the likelihood is stationary among the distributions
/// of this `t`. It usually takes fewer than 20 steps; the maximum seen is 70.
pub(super) fn with_normalized_mean(counts: &[f64; 5], t: f64) -> [f64; 5] {
    if t < 0.0 {
        let mut counts = *counts;
        counts.reverse();
        let mut distribution = with_normalized_mean(&counts, -t);
        distribution.reverse();
        return distribution;
    }
    let k = t / (1.0 + t * t).sqrt();
    let mut r = 0.5;
    let mut distribution = *counts;
    for _ in 0..STEPS {
        let values = std::array::from_fn(|i| {
            let u = score_of(i) - 0.5;
            u - k * (u * u / r + r) / 2.0
        });
        distribution = tilted(counts, &values);
        let square: f64 = distribution.iter().enumerate().map(|(i, p)| p * (score_of(i) - 0.5).powi(2)).sum();
        let next = square.sqrt();
        // At the solution the likelihood hardly depends on r.
        if (next - r).abs() < 1e-8 {
            break;
        }
        r = next;
    }
    distribution
}

/// The maximum number of steps, more than a solution needs.
const STEPS: usize = 100;

/// Returns the likeliest distribution in which the mean of `values` is 0. `values` has positive and
/// negative elements.
fn tilted(counts: &[f64; 5], values: &[f64; 5]) -> [f64; 5] {
    let pairs: f64 = counts.iter().sum();
    // No probability is above 1, so 1 + x·v is at least c/n.
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (count, &value) in counts.iter().zip(values) {
        let bound = (count / pairs - 1.0) / value;
        if value > 0.0 {
            low = low.max(bound);
        } else if value < 0.0 {
            high = high.min(bound);
        }
    }
    // Newton's method for the decreasing function Σ c·v/(1 + x·v), with bisection where it would
    // leave the bracket.
    let mut x = 0.0;
    for _ in 0..STEPS {
        let (mut mean, mut slope) = (0.0, 0.0);
        for (count, value) in counts.iter().zip(values) {
            let part = value / (1.0 + x * value);
            mean += count * part;
            slope += count * part * part;
        }
        if mean > 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x + mean / slope;
        let next = if low < newton && newton < high { newton } else { f64::midpoint(low, high) };
        let step = (next - x).abs();
        x = next;
        if step <= f64::EPSILON * x.abs() {
            break;
        }
    }
    std::array::from_fn(|i| counts[i] / pairs / (1.0 + x * values[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULTS: [[u64; 5]; 8] = [
        [0, 0, 6, 0, 6],
        [1, 0, 0, 0, 0],
        [0, 0, 0, 0, 1_000],
        [0, 0, 1_000_000, 0, 0],
        [5, 40, 100, 50, 9],
        [0, 3, 0, 0, 0],
        [100, 0, 0, 0, 100],
        [0, 1, 0, 0, 999_999],
    ];

    /// Σ p, mean and standard deviation.
    fn moments(distribution: &[f64; 5]) -> (f64, f64, f64) {
        let weigh = |value: &dyn Fn(f64) -> f64| -> f64 {
            distribution.iter().enumerate().map(|(i, p)| p * value(score_of(i))).sum()
        };
        let mean = weigh(&|score| score);
        (weigh(&|_| 1.0), mean, weigh(&|score| (score - mean).powi(2)).sqrt())
    }

    #[test]
    fn distributions_have_the_mean_that_was_asked_for() {
        for result in RESULTS {
            for score in [0.003, 0.4, 0.5, 0.75, 0.997] {
                let found = with_mean(&regularized(result), score);
                let (total, mean, _) = moments(&found);
                assert!(
                    (total - 1.0).abs() < 1e-6 && (mean - score).abs() < 1e-6,
                    "{result:?} {score}: {found:?}"
                );
                assert!(found.iter().all(|&p| p > 0.0), "{result:?} {score}: {found:?}");
            }
        }
    }

    #[test]
    fn distributions_have_the_normalized_mean_that_was_asked_for() {
        for result in RESULTS {
            for t in [-4.1, -0.5, 0.0, 0.01, 0.2, 1.0, 4.1] {
                let found = with_normalized_mean(&regularized(result), t);
                let (total, mean, deviation) = moments(&found);
                assert!((total - 1.0).abs() < 1e-6, "{result:?} {t}: {found:?}");
                assert!((mean - 0.5 - t * deviation).abs() < 1e-5, "{result:?} {t}: {found:?}");
                assert!(found.iter().all(|&p| p > 0.0), "{result:?} {t}: {found:?}");
            }
        }
    }

    #[test]
    fn no_other_distribution_of_that_mean_is_likelier() {
        let counts = regularized([5, 40, 100, 50, 9]);
        let likelihood = |p: &[f64; 5]| -> f64 { counts.iter().zip(p).map(|(c, p)| c * p.ln()).sum() };
        let best = with_mean(&counts, 0.5);
        // Steps that keep the sum and the mean.
        for direction in [[1.0, -2.0, 1.0, 0.0, 0.0], [0.0, 1.0, -2.0, 1.0, 0.0], [0.0, 0.0, 1.0, -2.0, 1.0]]
        {
            for size in [-1e-3, 1e-3] {
                let other = std::array::from_fn(|i| best[i] + size * direction[i]);
                assert!(likelihood(&other) < likelihood(&best), "{direction:?}");
            }
        }
    }

    #[test]
    fn two_outcomes_leave_no_choice() {
        // Almost: the other three count a thousandth of a pair each.
        let found = with_mean(&regularized([100, 0, 0, 0, 300]), 0.5);
        assert!((found[0] - 0.5).abs() < 1e-4 && (found[4] - 0.5).abs() < 1e-4, "{found:?}");
    }
}
