//! Least-squares lines, and means of estimates.

use quintet_arena::stats::Elo;

/// Returns the weights for which the weighted sum of values at `xs` is the slope of their
/// least-squares line: (*x* − *x̄*) / Σ(*x* − *x̄*)². At least two of `xs` must differ.
pub(super) fn slope_weights(xs: &[f64]) -> Vec<f64> {
    let mean = xs.iter().sum::<f64>() / xs.len() as f64;
    let squares: f64 = xs.iter().map(|x| (x - mean).powi(2)).sum();
    xs.iter().map(|x| (x - mean) / squares).collect()
}

/// Returns the mean of independent estimates; `None` if there are none.
pub(super) fn mean(estimates: impl IntoIterator<Item = Elo>) -> Option<Elo> {
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for Elo { mid, high, .. } in estimates {
        count += 1.0;
        sum += mid;
        squares += (high - mid).powi(2);
    }
    let (mid, error) = (sum / count, f64::sqrt(squares) / count);
    (count > 0.0).then_some(Elo { low: mid - error, mid, high: mid + error })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope(points: &[(f64, f64)]) -> f64 {
        let xs: Vec<f64> = points.iter().map(|point| point.0).collect();
        slope_weights(&xs).iter().zip(points).map(|(weight, point)| weight * point.1).sum()
    }

    #[test]
    fn points_on_a_line_have_its_slope() {
        assert!((slope(&[(10.0, 5.0), (12.0, 105.0), (14.0, 205.0), (16.0, 305.0)]) - 50.0).abs() < 1e-9);
        assert!((slope(&[(0.0, 3.0), (1.0, -4.0)]) + 7.0).abs() < 1e-12);
    }

    #[test]
    fn the_line_is_that_of_least_squares() {
        // By hand: mean (1, 2), Σdx·dy = 1·3 + 0 + 1·0 = 3 for y = −1, 5, 2; Σdx² = 2.
        assert!((slope(&[(0.0, -1.0), (1.0, 5.0), (2.0, 2.0)]) - 1.5).abs() < 1e-12);
        // The slope of a constant is 0, so the weights sum to 0.
        assert!(slope(&[(3.0, 7.0), (4.0, 7.0), (9.0, 7.0)]).abs() < 1e-12);
        assert_eq!(slope_weights(&[1.0, 2.0, 3.0]), [-0.5, 0.0, 0.5]);
    }

    #[test]
    fn the_error_of_a_mean_shrinks_with_the_root_of_its_count() {
        let estimate = |mid: f64, error: f64| Elo { low: mid - error, mid, high: mid + error };
        assert_eq!(mean([estimate(10.0, 30.0), estimate(30.0, 40.0)]), Some(estimate(20.0, 25.0)));
        assert_eq!(mean([]), None);
    }
}
