//! The fit of engine strengths to match results.

use super::groups::{Groups, score_of};
use super::{ELO, Elo};

/// The weight of the prior: the number of games that each engine drew against a virtual engine of
/// strength 0.
const PRIOR: f64 = 0.5;

/// All groups of games between two engines.
pub(super) struct Meeting {
    pub(super) engines: [usize; 2],
    /// The groups, for the first engine: those of each game.
    pub(super) groups: Vec<Groups>,
}

impl Meeting {
    /// Returns the weighted sum of what `value` returns for each group, from its games and its score.
    fn sum(&self, value: impl Fn(f64, f64) -> f64) -> f64 {
        let of = |groups: &Groups| -> f64 {
            let value = |i| value(groups.games() as f64, score_of(i, groups.steps()));
            groups.weights().iter().enumerate().map(|(i, weight)| weight * value(i)).sum()
        };
        self.groups.iter().map(of).sum()
    }

    /// Returns what the games weigh.
    pub(super) fn games(&self) -> f64 {
        self.sum(|games, _| games)
    }

    /// Returns the weighted points of `engine`, one of the two: a game has one.
    pub(super) fn points(&self, engine: usize) -> f64 {
        let first = self.sum(|games, score| games * score);
        if engine == self.engines[0] { first } else { self.games() - first }
    }

    /// Returns the sum of the squared residuals of the groups, in points, if the first engine
    /// expects `score` per game. It has the lower bound that [`RatingList`](super::RatingList)
    /// describes.
    fn squared_residuals(&self, score: f64) -> f64 {
        let square = |games: f64, of: f64| (games * (of - score)).powi(2);
        let most = self.groups.iter().map(Groups::games).max().unwrap_or(0) as f64;
        let surprise = most / 2.0 * square(2.0, 0.0).max(square(2.0, 1.0));
        self.sum(square).max(surprise.min(self.games() * score * (1.0 - score)))
    }
}

/// The strengths of one group of engines, up to a common constant.
///
/// An engine is its index among the members of the group.
pub(super) struct Fit {
    /// The strengths, in units of 400 / ln 10 Elo.
    strength: Vec<f64>,
    information: Information,
    /// Two engines that met, and the squared residuals of their groups of games.
    residuals: Vec<([usize; 2], f64)>,
}

impl Fit {
    /// Fits the strengths of `members`, in ascending order, to `meetings`, all of which are between them.
    pub(super) fn new(members: &[usize], meetings: &[&Meeting]) -> Self {
        let place = |engine: usize| members.binary_search(&engine).unwrap_or_default();
        let own: Vec<([usize; 2], &Meeting)> =
            meetings.iter().map(|meeting| (meeting.engines.map(place), *meeting)).collect();
        let (strength, information) = likeliest(members.len(), &own);
        let squared_residuals = |&([a, b], meeting): &([usize; 2], &Meeting)| {
            ([a, b], meeting.squared_residuals(logistic(strength[a] - strength[b])))
        };
        let residuals = own.iter().map(squared_residuals).collect();
        Self { strength, information, residuals }
    }

    /// Returns the weighted sum of the strengths, in Elo, with its interval. The weights sum to 0.
    pub(super) fn weigh(&self, weights: &[f64]) -> Elo {
        let influence = self.information.solve(weights);
        let variance: f64 = self
            .residuals
            .iter()
            .map(|&([a, b], residuals)| residuals * (influence[a] - influence[b]).powi(2))
            .sum();
        Elo::normal(ELO * dot(&self.strength, weights), ELO * ELO * variance)
    }
}

/// The logistic function: the expected score at a strength difference.
fn logistic(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

/// Returns the likeliest strengths and the observed information there.
fn likeliest(count: usize, own: &[([usize; 2], &Meeting)]) -> (Vec<f64>, Information) {
    let mut strength = vec![0.0; count];
    let mut information = Information { own: Vec::new(), common: Vec::new() };
    for _ in 0..1_000 {
        let mut slope = vec![0.0; count];
        information = Information { own: vec![0.0; count], common: Vec::with_capacity(own.len()) };
        for (i, &strength) in strength.iter().enumerate() {
            let score = logistic(strength);
            slope[i] += PRIOR * (0.5 - score);
            information.own[i] += PRIOR * score * (1.0 - score);
        }
        for &([a, b], meeting) in own {
            let score = logistic(strength[a] - strength[b]);
            let more = meeting.points(meeting.engines[0]) - meeting.games() * score;
            slope[a] += more;
            slope[b] -= more;
            information.common.push(([a, b], meeting.games() * score * (1.0 - score)));
        }
        let step = information.solve(&slope);
        let length = 2.0 * step.iter().fold(0.0, |length: f64, part| length.max(part.abs()));
        if length < 1e-12 {
            break;
        }
        // Newton's method, damped so that the likelihood always grows: Sun and Tran-Dinh,
        // "Generalized self-concordant functions", 2019, for the logistic function.
        let damping = length.ln_1p() / length;
        strength.iter_mut().zip(&step).for_each(|(strength, part)| *strength += damping * part);
    }
    (strength, information)
}

/// The observed information about strengths, as a symmetric, positive definite matrix.
struct Information {
    /// What is known of each strength by itself.
    own: Vec<f64>,
    /// What is known of differences: each adds its weight to two elements on the diagonal, and takes it
    /// from the two elements that the engines have in common.
    common: Vec<([usize; 2], f64)>,
}

impl Information {
    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = self.own.iter().zip(vector).map(|(own, x)| own * x).collect();
        for &([a, b], weight) in &self.common {
            let part = weight * (vector[a] - vector[b]);
            product[a] += part;
            product[b] -= part;
        }
        product
    }

    /// Returns the vector whose product is `wanted`, by conjugate gradients (Hestenes and Stiefel, "Methods
    /// of conjugate gradients for solving linear systems", 1952) with the diagonal as preconditioner. A step
    /// takes time for each two engines that met; where engines meet many others, a few steps are enough.
    fn solve(&self, wanted: &[f64]) -> Vec<f64> {
        /// The length of what is left, in shares of what is wanted.
        const LEFT: f64 = 1e-13;
        let mut diagonal = self.own.clone();
        for &([a, b], weight) in &self.common {
            diagonal[a] += weight;
            diagonal[b] += weight;
        }
        let scaled = |left: &[f64]| -> Vec<f64> { left.iter().zip(&diagonal).map(|(x, d)| x / d).collect() };
        let mut found = vec![0.0; wanted.len()];
        let mut left = wanted.to_vec();
        let mut direction = scaled(&left);
        let mut length = dot(&left, &direction);
        let enough = length * LEFT * LEFT;
        // Without rounding, as many steps as there are engines would do.
        for _ in 0..2 * wanted.len() + 20 {
            if length <= enough {
                break;
            }
            let product = self.times(&direction);
            let step = length / dot(&direction, &product);
            found.iter_mut().zip(&direction).for_each(|(x, part)| *x += step * part);
            left.iter_mut().zip(&product).for_each(|(x, part)| *x -= step * part);
            let next = scaled(&left);
            let before = std::mem::replace(&mut length, dot(&left, &next));
            let again = length / before;
            direction.iter_mut().zip(&next).for_each(|(x, part)| *x = part + again * *x);
        }
        found
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
