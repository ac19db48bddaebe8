//! Fitting a model to positions.
//!
//! The values follow the gradient of the logistic loss ([`values`](super::values)). The weights of moves
//! go down the gradient of the cross entropy with the shares of visits after each position, at a rate of their
//! own that falls with the gradients so far (Duchi, Hazan and Singer, "Adaptive subgradient methods for online
//! learning and stochastic optimization", 2011). All operations are ones that every machine rounds alike, and
//! their order is fixed.

use super::model::{Model, UNIT, power_and_part};
use super::network::Network;
use super::values::ValueTrainer;

/// A position of a game, and what a model should say about it.
#[derive(Debug, Clone)]
pub struct Sample {
    /// The features of the position; without any only the moves are learned.
    pub features: Vec<u32>,
    /// The expected score of the side to move, 0 to 1.
    pub score: f32,
    /// How much it counts beside others, 0 to 1.
    pub share: f32,
    /// The candidates; without any only the value is learned. The shares add up to 1.
    pub moves: Vec<SampleMove>,
}

/// A candidate of a [`Sample`].
#[derive(Debug, Clone)]
pub struct SampleMove {
    /// The weight without a model.
    pub weight: f32,
    /// The share of the visits, 0 to 1.
    pub share: f32,
    /// The features of the move.
    pub features: Vec<u32>,
}

/// A table of weights that are being fitted, in [units](UNIT).
#[derive(Debug)]
struct Table {
    weights: Vec<f32>,
    /// The sum of the squares of all gradients so far.
    squares: Vec<f32>,
}

/// The step of a sum of weights after the first gradient, in parts of the gradient. The features share
/// it, whatever their number.
const RATE: f32 = 0.5;
/// The squares before the first gradient.
const FIRST_SQUARES: f32 = 1.0;

impl Table {
    fn new(weights: &[i16]) -> Self {
        let weights: Vec<f32> = weights.iter().map(|&it| f32::from(it) / UNIT as f32).collect();
        Self { squares: vec![FIRST_SQUARES; weights.len()], weights }
    }

    fn sum(&self, features: &[u32]) -> f32 {
        features.iter().map(|&it| self.weights[it as usize]).sum()
    }

    fn step(&mut self, features: &[u32], gradient: f32) {
        let rate = RATE / features.len() as f32;
        for &feature in features {
            let squares = &mut self.squares[feature as usize];
            *squares += gradient * gradient;
            self.weights[feature as usize] -= rate * gradient / squares.sqrt();
        }
    }

    fn quantized(&self) -> Vec<i16> {
        // The conversion saturates.
        self.weights.iter().map(|it| (it * UNIT as f32).round() as i16).collect()
    }
}

/// The mean; 0 of nothing.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    sum / f64::from(count.max(1))
}

/// A model that is being fitted.
#[derive(Debug)]
pub struct Trainer {
    positions: ValueTrainer,
    moves: Table,
}

impl Trainer {
    /// Begins with the weights of a model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self { positions: ValueTrainer::new(model.of_positions()), moves: Table::new(model.of_moves()) }
    }

    /// The weight of each move, with the derivative of its logarithm, and the sum of the weights.
    fn move_weights(&self, sample: &Sample) -> (Vec<(f32, f32)>, f32) {
        let weigh = |it: &SampleMove| {
            let (power, part) = power_and_part(self.moves.sum(&it.features));
            (it.weight * power * part, 1.0 / part)
        };
        let weights: Vec<(f32, f32)> = sample.moves.iter().map(weigh).collect();
        let sum = weights.iter().map(|(weight, _)| weight).sum();
        (weights, sum)
    }

    /// Learns from a sample, `progress` of the fit done, from 0 to 1.
    pub fn learn(&mut self, sample: &Sample, progress: f32) {
        // The network is not asked about a position without features.
        if !sample.features.is_empty() {
            self.positions.learn(&sample.features, sample.score, sample.share, progress);
        }
        let (weights, sum) = self.move_weights(sample);
        for ((weight, slope), it) in weights.into_iter().zip(&sample.moves) {
            self.moves.step(&it.features, sample.share * slope * (weight / sum - it.share));
        }
    }

    /// How well the weights fit samples that they were not fitted to: the mean square of the error of a
    /// position's score, from 0 to 1, over those with features, and the share of positions whose heaviest move is the
    /// most visited one, over those with moves.
    #[must_use]
    pub fn test(&self, samples: &[Sample]) -> [f64; 2] {
        let valued = samples.iter().filter(|sample| !sample.features.is_empty());
        let error = |it: &Sample| f64::from(self.positions.score(&it.features) - it.score).powi(2);
        let agrees = |sample: &Sample| {
            let (weights, _) = self.move_weights(sample);
            // Of several that are heaviest, the first.
            let heavier =
                |best: usize, index: usize| if weights[index].0 > weights[best].0 { index } else { best };
            let heaviest = (0..weights.len()).fold(0, heavier);
            let most = sample.moves.iter().map(|it| it.share).fold(0.0, f32::max);
            f64::from(u8::from(sample.moves[heaviest].share >= most))
        };
        let weighed = samples.iter().filter(|sample| !sample.moves.is_empty());
        [mean(valued.map(error)), mean(weighed.map(agrees))]
    }

    /// The weights so far: those of the features of positions, and of moves.
    #[must_use]
    pub fn weights(&self) -> (Network, Vec<i16>) {
        (self.positions.quantized(), self.moves.quantized())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learned::weight;

    #[test]
    fn weights_of_moves_approach_the_shares_of_visits() {
        let network = Network::start(1, 0);
        let model = Model::new(["test", "spec"], "a test", (1.0, 0), network, vec![0; 2]);
        let mut trainer = Trainer::new(&model);
        let of_move = |weight, share, feature| SampleMove { weight, share, features: vec![feature] };
        let moves = vec![of_move(3.0, 0.1, 0), of_move(1.0, 0.9, 1)];
        let sample = Sample { features: vec![0], score: 0.75, share: 1.0, moves };
        for _ in 0..3_000 {
            trainer.learn(&sample, 0.0);
        }
        let (_, weights) = trainer.weights();
        let ratio = weight(weights[1].into()) / (3.0 * weight(weights[0].into()));
        assert!((ratio - 9.0).abs() < 1.0, "{ratio}");
        let [error, agreement] = trainer.test(&[sample]);
        assert!(error < 0.01, "{error}");
        assert!(agreement > 0.99, "{agreement}");
    }

    #[test]
    fn a_sample_teaches_and_tests_what_it_has_alone() {
        let model = Model::new(["test", "spec"], "a test", (1.0, 0), Network::start(1, 0), vec![0; 2]);
        let mut trainer = Trainer::new(&model);
        let moves = [(3.0, 0.0, 0), (1.0, 1.0, 1)];
        let moves =
            moves.map(|(weight, share, feature)| SampleMove { weight, share, features: vec![feature] });
        let valued = Sample { features: vec![0], score: 1.0, share: 1.0, moves: Vec::new() };
        let weighed = Sample { features: Vec::new(), score: 1.0, share: 1.0, moves: moves.to_vec() };
        let bits = |trainer: &Trainer, samples: &[&Sample]| {
            let samples: Vec<Sample> = samples.iter().map(|&it| it.clone()).collect();
            trainer.test(&samples).map(f64::to_bits)
        };
        let [error, agreement] = bits(&trainer, &[&valued]);
        assert_eq!(agreement, 0);
        assert_eq!(bits(&trainer, &[&valued, &weighed]), [error, 0]);
        assert_eq!(bits(&trainer, &[&weighed]), [0; 2]);
        let first = trainer.weights();
        trainer.learn(&valued, 0.0);
        assert_eq!(trainer.weights().1, first.1);
        let mut trainer = Trainer::new(&model);
        for _ in 0..300 {
            trainer.learn(&weighed, 0.0);
        }
        assert_eq!(trainer.weights().0, first.0);
        assert_eq!(bits(&trainer, &[&weighed, &valued]), [error, 1.0_f64.to_bits()]);
    }
}
