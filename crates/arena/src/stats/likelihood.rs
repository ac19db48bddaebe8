//! The likelihood of a match's result at a given strength difference.
//!
//! A strength difference fixes only the mean (or the normalized mean) of the groups' score
//! distribution. Its likelihood is therefore that of the likeliest distribution with this mean,
//! *p*ᵢ = *c*ᵢ/*n*/(1 + *x*·*v*ᵢ): *c*ᵢ of *n* groups ended with the score *a*ᵢ, Σ *p*ᵢ·*v*ᵢ = 0 is
//! the condition on the mean, and *x* is a Lagrange multiplier (Van den Bergh, "A practical
//! introduction to the GSPRT", 2020; Owen, "Empirical Likelihood Ratio Confidence Intervals for a
//! Single Functional", 1988).

use super::groups::{Groups, score_of};

/// The count, in groups, of all scores together if none occurred. Each of the five scores of a pair then has a
/// thousandth, as in fishtest. With 0 instead, a match without a loss would be impossible between engines of
/// equal strength.
const UNSEEN: f64 = 5e-3;

/// Returns the counts of groups by score, with a share of [`UNSEEN`] in place of 0.
pub(super) fn regularized(groups: &Groups) -> Vec<f64> {
    let weights = groups.weights();
    let unseen = UNSEEN / weights.len() as f64;
    weights.into_iter().map(|weight| if weight == 0.0 { unseen } else { weight }).collect()
}

/// Returns `value` for each score of a distribution of so many.
fn of_scores(count: usize, value: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..count).map(|i| value(score_of(i, count - 1))).collect()
}

/// Returns the likeliest distribution with the mean `score`, above 0 and below 1.
pub(super) fn with_mean(counts: &[f64], score: f64) -> Vec<f64> {
    tilted(counts, &of_scores(counts.len(), |it| it - score))
}

/// Returns the likeliest distribution whose mean is `t` standard deviations above ½.
///
/// With *u* = *a* − ½, the condition is E\[*u*\] = *k*·√E\[*u*²\], where *k* = *t*/√(1 + *t*²).
/// √E\[*u*²\] is the minimum of (E\[*u*²\]/*r* + *r*)/2 over *r*, at *r* = √E\[*u*²\]. For a fixed
/// *r* the condition is linear in the distribution, and its solution gives the next *r*. The
/// iteration starts at *r* = ½, where a solution exists for every `t`, and each step guarantees a
/// solution for the next. At its fixed point, the likelihood is stationary among the distributions
/// of this `t`. It usually takes fewer than 20 steps; the maximum seen is 70.
pub(super) fn with_normalized_mean(counts: &[f64], t: f64) -> Vec<f64> {
    if t < 0.0 {
        let mut counts = counts.to_vec();
        counts.reverse();
        let mut distribution = with_normalized_mean(&counts, -t);
        distribution.reverse();
        return distribution;
    }
    let k = t / (1.0 + t * t).sqrt();
    let mut r = 0.5;
    let squares = of_scores(counts.len(), |it| (it - 0.5).powi(2));
    let mut distribution = counts.to_vec();
    for _ in 0..STEPS {
        let values = of_scores(counts.len(), |it| {
            let u = it - 0.5;
            u - k * (u * u / r + r) / 2.0
        });
        distribution = tilted(counts, &values);
        let square: f64 = distribution.iter().zip(&squares).map(|(p, square)| p * square).sum();
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
fn tilted(counts: &[f64], values: &[f64]) -> Vec<f64> {
    let groups: f64 = counts.iter().sum();
    // No probability is above 1, so 1 + x·v is at least c/n.
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (count, &value) in counts.iter().zip(values) {
        let bound = (count / groups - 1.0) / value;
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
    counts.iter().zip(values).map(|(count, value)| count / groups / (1.0 + x * value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results() -> Vec<Groups> {
        let pairs = [
            [0, 0, 6, 0, 6],
            [1, 0, 0, 0, 0],
            [0, 0, 0, 0, 1_000],
            [0, 0, 1_000_000, 0, 0],
            [5, 40, 100, 50, 9],
            [0, 3, 0, 0, 0],
            [100, 0, 0, 0, 100],
            [0, 1, 0, 0, 999_999],
        ];
        // Games for one player, three and seven sides.
        let others = [(2, 1), (6, 12), (14, 168)].into_iter().flat_map(|(games, comparisons)| {
            [vec![0], vec![1, 1, 1], vec![1, comparisons, 2 * comparisons]].map(|results| {
                let mut groups = Groups::of(games, comparisons);
                for it in results {
                    groups.add(it);
                }
                groups
            })
        });
        pairs.map(Groups::from).into_iter().chain(others).collect()
    }

    /// Σ p, mean and standard deviation.
    fn moments(distribution: &[f64]) -> (f64, f64, f64) {
        let weigh = |value: &dyn Fn(f64) -> f64| -> f64 {
            distribution.iter().enumerate().map(|(i, p)| p * value(score_of(i, distribution.len() - 1))).sum()
        };
        let mean = weigh(&|score| score);
        (weigh(&|_| 1.0), mean, weigh(&|score| (score - mean).powi(2)).sqrt())
    }

    #[test]
    fn distributions_have_the_mean_that_was_asked_for() {
        for result in results() {
            for score in [0.003, 0.4, 0.5, 0.75, 0.997] {
                let found = with_mean(&regularized(&result), score);
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
        for result in results() {
            for t in [-4.1, -0.5, 0.0, 0.01, 0.2, 1.0, 4.1] {
                let found = with_normalized_mean(&regularized(&result), t);
                let (total, mean, deviation) = moments(&found);
                assert!((total - 1.0).abs() < 1e-6, "{result:?} {t}: {found:?}");
                assert!((mean - 0.5 - t * deviation).abs() < 1e-5, "{result:?} {t}: {found:?}");
                assert!(found.iter().all(|&p| p > 0.0), "{result:?} {t}: {found:?}");
            }
        }
    }

    #[test]
    fn no_other_distribution_of_that_mean_is_likelier() {
        let counts = regularized(&[5, 40, 100, 50, 9].into());
        let likelihood = |p: &[f64]| -> f64 { counts.iter().zip(p).map(|(c, p)| c * p.ln()).sum() };
        let best = with_mean(&counts, 0.5);
        // Steps that keep the sum and the mean.
        for direction in [[1.0, -2.0, 1.0, 0.0, 0.0], [0.0, 1.0, -2.0, 1.0, 0.0], [0.0, 0.0, 1.0, -2.0, 1.0]]
        {
            for size in [-1e-3, 1e-3] {
                let other: Vec<f64> = best.iter().zip(direction).map(|(p, by)| p + size * by).collect();
                assert!(likelihood(&other) < likelihood(&best), "{direction:?}");
            }
        }
    }

    #[test]
    fn two_outcomes_leave_no_choice() {
        // Almost: the other three count a thousandth of a pair each.
        let found = with_mean(&regularized(&[100, 0, 0, 0, 300].into()), 0.5);
        assert!((found[0] - 0.5).abs() < 1e-4 && (found[4] - 0.5).abs() < 1e-4, "{found:?}");
    }
}
