//! The likeliest strengths of engines that have met, and how sure they are.

use super::{ELO, Elo, score_of};

/// The weight of the prior: the games that each engine has drawn against the imagined engine in the middle.
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

    /// The points of one of its engines.
    pub(super) fn points(&self, engine: usize) -> f64 {
        let first: f64 = self.pairs.iter().enumerate().map(|(i, pairs)| 2.0 * score_of(i) * pairs).sum();
        if engine == self.engines[0] { first } else { self.games() - first }
    }

    /// The sum of the squared surprises, in points, of pairs in which the first engine expects `score` a game.
    fn surprise(&self, score: f64) -> f64 {
        let surprise = |i: usize| 4.0 * (score_of(i) - score).powi(2);
        let observed: f64 = self.pairs.iter().enumerate().map(|(i, pairs)| pairs * surprise(i)).sum();
        observed.max(surprise(0).max(surprise(4)).min(self.games() * score * (1.0 - score)))
    }
}

/// The strengths of one group of engines, up to a common summand.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fit {
    /// The engines, rising; the rest goes by their places here.
    pub(super) members: Vec<usize>,
    /// The strengths, in natural units.
    strength: Vec<f64>,
    /// The inverse of the observed information.
    inverse: Vec<Vec<f64>>,
    /// Who met whom, and the squared surprises of their pairs.
    surprises: Vec<([usize; 2], f64)>,
}

impl Fit {
    /// Fits the strengths of `members`, which are rising, to those meetings that are between them.
    pub(super) fn new(members: Vec<usize>, meetings: &[Meeting]) -> Self {
        let place = |engine: &usize| members.binary_search(engine).ok();
        let own: Vec<([usize; 2], &Meeting)> = meetings
            .iter()
            .filter_map(|meeting| Some(([place(&meeting.engines[0])?, place(&meeting.engines[1])?], meeting)))
            .collect();
        let (strength, inverse) = likeliest(members.len(), &own);
        let surprise = |&([a, b], meeting): &([usize; 2], &Meeting)| {
            ([a, b], meeting.surprise(logistic(strength[a] - strength[b])))
        };
        let surprises = own.iter().map(surprise).collect();
        Self { members, strength, inverse, surprises }
    }

    /// The weighted sum of the strengths, in Elo, and its variance. The weights sum to 0.
    pub(super) fn moments(&self, weights: &[f64]) -> (f64, f64) {
        let influence: Vec<f64> = self.inverse.iter().map(|row| dot(row, weights)).collect();
        let variance: f64 = self
            .surprises
            .iter()
            .map(|&([a, b], surprise)| surprise * (influence[a] - influence[b]).powi(2))
            .sum();
        (ELO * dot(&self.strength, weights), ELO * ELO * variance)
    }

    /// The weighted sum of the strengths with its interval.
    pub(super) fn weigh(&self, weights: &[f64]) -> Elo {
        let (mid, variance) = self.moments(weights);
        Elo::normal(mid, variance)
    }
}

/// The logistic function: the expected score of a difference in natural units.
fn logistic(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// The likeliest strengths, and the inverse of the observed information.
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
        // Newton's method, damped so that the likelihood always grows: Sun and Tran-Dinh, "Generalized
        // self-concordant functions", 2019, for the logistic function.
        let damping = length.ln_1p() / length;
        strength.iter_mut().zip(&step).for_each(|(strength, part)| *strength += damping * part);
    }
    (strength, inverse)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The inverse of a symmetric, positive definite matrix, which needs no pivoting: Gauss–Jordan elimination in
/// place.
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
