//! The fit of engine strengths to match results.

use super::{ELO, Elo, score_of};

/// The weight of the prior: the number of games that each engine drew against a virtual engine of
/// strength 0.
const PRIOR: f64 = 0.5;

/// All pairs of games between two engines.
pub(super) struct Meeting {
    pub(super) engines: [usize; 2],
    /// The pentanomial counts, for the first engine.
    pub(super) pairs: [f64; 5],
}

impl Meeting {
    pub(super) fn games(&self) -> f64 {
        2.0 * self.pairs.iter().sum::<f64>()
    }

    /// Returns the points of `engine`, one of the two.
    pub(super) fn points(&self, engine: usize) -> f64 {
        let first: f64 = self.pairs.iter().enumerate().map(|(i, pairs)| 2.0 * score_of(i) * pairs).sum();
        if engine == self.engines[0] { first } else { self.games() - first }
    }

    /// Returns the sum of the squared residuals of the pairs, in points, if the first engine
    /// expects `score` per game. It has the lower bound that [`RatingList`](super::RatingList)
    /// describes.
    fn squared_residuals(&self, score: f64) -> f64 {
        let square = |i: usize| 4.0 * (score_of(i) - score).powi(2);
        let observed: f64 = self.pairs.iter().enumerate().map(|(i, pairs)| pairs * square(i)).sum();
        observed.max(square(0).max(square(4)).min(self.games() * score * (1.0 - score)))
    }
}

/// The strengths of one group of engines, up to a common constant.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    /// The engines in ascending order; the other fields use indices into this list.
    pub(super) members: Vec<usize>,
    /// The strengths, in units of 400 / ln 10 Elo.
    strength: Vec<f64>,
    /// The inverse of the observed information.
    inverse: Vec<Vec<f64>>,
    /// The indices of two engines that met, and the squared residuals of their pairs.
    residuals: Vec<([usize; 2], f64)>,
}

impl Fit {
    /// Fits the strengths of `members`, in ascending order, to the meetings between them.
    pub(super) fn new(members: Vec<usize>, meetings: &[Meeting]) -> Self {
        let place = |engine: &usize| members.binary_search(engine).ok();
        let own: Vec<([usize; 2], &Meeting)> = meetings
            .iter()
            .filter_map(|meeting| Some(([place(&meeting.engines[0])?, place(&meeting.engines[1])?], meeting)))
            .collect();
        let (strength, inverse) = likeliest(members.len(), &own);
        let squared_residuals = |&([a, b], meeting): &([usize; 2], &Meeting)| {
            ([a, b], meeting.squared_residuals(logistic(strength[a] - strength[b])))
        };
        let residuals = own.iter().map(squared_residuals).collect();
        Self { members, strength, inverse, residuals }
    }

    /// Returns the weighted sum of the strengths, in Elo, and its variance. The weights sum to 0.
    pub(super) fn moments(&self, weights: &[f64]) -> (f64, f64) {
        let influence: Vec<f64> = self.inverse.iter().map(|row| dot(row, weights)).collect();
        let variance: f64 = self
            .residuals
            .iter()
            .map(|&([a, b], residuals)| residuals * (influence[a] - influence[b]).powi(2))
            .sum();
        (ELO * dot(&self.strength, weights), ELO * ELO * variance)
    }

    /// Returns the weighted sum of the strengths, in Elo, with its interval.
    pub(super) fn weigh(&self, weights: &[f64]) -> Elo {
        let (mid, variance) = self.moments(weights);
        Elo::normal(mid, variance)
    }
}

/// The logistic function: the expected score at a strength difference.
fn logistic(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// Returns the likeliest strengths and the inverse of the observed information.
fn likeliest(count: usize, own: &[([usize; 2], &Meeting)]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut strength = vec![0.0; count];
    let mut inverse = Vec::new();
    for _ in 0..1_000 {
        let mut slope = vec![0.0; count];
        let mut information = vec![vec![0.0; count]; count];
        for (i, &strength) in strength.iter().enumerate() {
            let score = logistic(strength);
            slope[i] += PRIOR * (0.5 - score);
            information[i][i] += PRIOR * score * (1.0 - score);
        }
        for &([a, b], meeting) in own {
            let score = logistic(strength[a] - strength[b]);
            let more = meeting.points(meeting.engines[0]) - meeting.games() * score;
            let weight = meeting.games() * score * (1.0 - score);
            slope[a] += more;
            slope[b] -= more;
            information[a][a] += weight;
            information[b][b] += weight;
            information[a][b] -= weight;
            information[b][a] -= weight;
        }
        inverse = invert(information);
        let step: Vec<f64> = inverse.iter().map(|row| dot(row, &slope)).collect();
        let length = 2.0 * step.iter().fold(0.0, |length: f64, part| length.max(part.abs()));
        if length < 1e-12 {
            break;
        }
        // Newton's method, damped so that the likelihood always grows: Sun and Tran-Dinh,
        // "Generalized self-concordant functions", 2019, for the logistic function.
        let damping = length.ln_1p() / length;
        strength.iter_mut().zip(&step).for_each(|(strength, part)| *strength += damping * part);
    }
    (strength, inverse)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Inverts a symmetric, positive definite matrix by Gauss–Jordan elimination in place. Such a
/// matrix needs no pivoting.
fn invert(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for pivot in 0..matrix.len() {
        let scale = 1.0 / matrix[pivot][pivot];
        matrix[pivot][pivot] = 1.0;
        matrix[pivot].iter_mut().for_each(|cell| *cell *= scale);
        let row = matrix[pivot].clone();
        for (_, other) in matrix.iter_mut().enumerate().filter(|(index, _)| *index != pivot) {
            let factor = std::mem::take(&mut other[pivot]);
            other.iter_mut().zip(&row).for_each(|(cell, part)| *cell -= factor * part);
        }
    }
    matrix
}
