//! Fitting the network that gives positions their values.
//!
//! The weights follow the gradient of the logistic loss over batches of positions, by Adam (Kingma and Ba,
//! "Adam: a method for stochastic optimization", 2015), at a rate that falls to 0. All operations are ones
//! that every machine rounds alike, and their order is fixed.

use super::model::UNIT;
use super::network::{HIDDEN, HIDDEN_UNIT, Network};

/// The rate at the start.
const RATE: f32 = 0.005;
/// The positions of a batch.
const BATCH: u32 = 256;
/// How much of the mean of the gradients is kept from one batch to the next, and of that of their squares.
const KEPT: [f32; 2] = [0.9, 0.999];
/// The share of the gradient that a unit gets beyond its range if it leads back there, so that no unit
/// is lost.
const BEYOND: f32 = 0.01;

/// The weights of a feature, and their layout in a row: the linear one, then those of the hidden layer.
const ROW: usize = 1 + HIDDEN;

/// A weight that is being fitted.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    value: f32,
    /// The sum of the gradients of this batch.
    gradient: f32,
    /// The means of gradients and of their squares over the last batches.
    means: [f32; 2],
}

impl Weight {
    fn new(value: i16, unit: i32) -> Self {
        Self { value: f32::from(value) / unit as f32, ..Self::default() }
    }

    fn quantized(self, unit: i32) -> i16 {
        // The conversion saturates.
        (self.value * unit as f32).round() as i16
    }
}

/// A network that is being fitted.
#[derive(Debug)]
pub(super) struct ValueTrainer {
    features: Vec<[Weight; ROW]>,
    biases: [Weight; HIDDEN],
    outputs: [Weight; HIDDEN],
    /// The positions of this batch so far.
    seen: u32,
    /// The powers of [`KEPT`] by the number of batches.
    powers: [f32; 2],
}

/// What a network makes of a position.
struct Activation {
    /// The sums of the hidden layer.
    sums: [f32; HIDDEN],
    /// The sum of all, in [units](UNIT) of points.
    x: f32,
}

/// The expected score for a sum.
fn score(x: f32) -> f32 {
    f32::midpoint(1.0, x / (1.0 + x * x).sqrt())
}

impl ValueTrainer {
    pub(super) fn new(network: &Network) -> Self {
        let row = |(linear, hidden): (&i16, &[i16; HIDDEN])| {
            std::array::from_fn(|index| match index {
                0 => Weight::new(*linear, UNIT),
                _ => Weight::new(hidden[index - 1], HIDDEN_UNIT),
            })
        };
        Self {
            features: network.linear.iter().zip(&network.hidden).map(row).collect(),
            biases: network.biases.map(|it| Weight::new(it, HIDDEN_UNIT)),
            outputs: network.outputs.map(|it| Weight::new(it, UNIT)),
            seen: 0,
            powers: [1.0; 2],
        }
    }

    pub(super) fn quantized(&self) -> Network {
        let hidden = |row: &[Weight; ROW]| std::array::from_fn(|unit| row[1 + unit].quantized(HIDDEN_UNIT));
        Network {
            linear: self.features.iter().map(|row| row[0].quantized(UNIT)).collect(),
            hidden: self.features.iter().map(hidden).collect(),
            biases: self.biases.map(|it| it.quantized(HIDDEN_UNIT)),
            outputs: self.outputs.map(|it| it.quantized(UNIT)),
        }
    }

    fn make(&self, features: &[u32]) -> Activation {
        let mut sums = self.biases.map(|it| it.value);
        let mut x = 0.0;
        for &feature in features {
            let [linear, hidden @ ..] = &self.features[feature as usize];
            x += linear.value;
            for (sum, weight) in sums.iter_mut().zip(hidden) {
                *sum += weight.value;
            }
        }
        for (sum, output) in sums.iter().zip(&self.outputs) {
            x += sum.clamp(0.0, 1.0) * output.value;
        }
        Activation { sums, x }
    }

    /// The expected score of a position with these features, 0 to 1.
    pub(super) fn score(&self, features: &[u32]) -> f32 {
        score(self.make(features).x)
    }

    /// Learns that a position with these features has this score, `progress` of the fit done, from 0 to 1.
    /// Its `share` is how much it counts beside others, 0 to 1.
    pub(super) fn learn(&mut self, features: &[u32], target: f32, share: f32, progress: f32) {
        let Activation { sums, x } = self.make(features);
        // Of the logistic loss.
        let slope = share * 2.0 * (score(x) - target) / (1.0 + x * x).sqrt();
        let mut slopes = [0.0; HIDDEN];
        for (unit, (&sum, slope_of_unit)) in sums.iter().zip(&mut slopes).enumerate() {
            let here = slope * self.outputs[unit].value;
            let leads_back = if sum <= 0.0 { here < 0.0 } else { here > 0.0 };
            *slope_of_unit = match sum {
                0.0..1.0 => here,
                _ if leads_back => BEYOND * here,
                _ => 0.0,
            };
            self.outputs[unit].gradient += slope * sum.clamp(0.0, 1.0);
            self.biases[unit].gradient += *slope_of_unit;
        }
        for &feature in features {
            let [linear, hidden @ ..] = &mut self.features[feature as usize];
            linear.gradient += slope;
            for (weight, slope) in hidden.iter_mut().zip(&slopes) {
                weight.gradient += slope;
            }
        }
        self.seen += 1;
        if self.seen == BATCH {
            self.step(RATE * (1.0 - progress));
        }
    }

    /// Ends a batch.
    fn step(&mut self, rate: f32) {
        /// Keeps the steps of weights finite whose gradients are 0.
        const LEAST: f32 = 1e-8;
        for (power, kept) in self.powers.iter_mut().zip(KEPT) {
            *power *= kept;
        }
        let [rest, rest_of_squares] = self.powers.map(|power| 1.0 - power);
        let all =
            self.features.as_flattened_mut().iter_mut().chain(&mut self.biases).chain(&mut self.outputs);
        for weight in all {
            let gradient = weight.gradient / BATCH as f32;
            weight.gradient = 0.0;
            let [mean, square] = &mut weight.means;
            *mean = KEPT[0] * *mean + (1.0 - KEPT[0]) * gradient;
            *square = KEPT[1] * *square + (1.0 - KEPT[1]) * gradient * gradient;
            weight.value -= rate * (*mean / rest) / ((*square / rest_of_squares).sqrt() + LEAST);
        }
        self.seen = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_learns_what_no_sum_can_say() {
        // A position has a feature some times; it is won if that is neither often nor never.
        let mut values = ValueTrainer::new(&Network::start(1, 1));
        let [never, some, more, often] = [0, 20, 40, 60].map(|times| vec![0; times]);
        let positions = [(&never, 0.0), (&some, 1.0), (&more, 1.0), (&often, 0.0)];
        for round in 0..40_000 {
            let (features, target) = positions[round % 4];
            values.learn(features, target, 1.0, round as f32 / 40_000.0);
        }
        let mut fitted = ValueTrainer::new(&values.quantized());
        for (features, target) in positions {
            assert!(
                (fitted.score(features) - target).abs() < 0.3,
                "{features:?}: {}",
                fitted.score(features)
            );
        }
        // Whole numbers give the same values as the floats that they were rounded from.
        let again = fitted.quantized();
        assert_eq!(again, values.quantized());
        fitted.learn(&never, 1.0, 1.0, 0.0);
        assert_eq!(fitted.quantized(), again, "a batch is not over");
    }

    #[test]
    fn positions_count_by_their_shares() {
        let expected = |shares: [f32; 2]| {
            let mut values = ValueTrainer::new(&Network { outputs: [0; HIDDEN], ..Network::start(1, 1) });
            for round in 0..40_000 {
                let at = round % 2;
                values.learn(&[0], at as f32, shares[at], round as f32 / 40_000.0);
            }
            values.score(&[0])
        };
        for (shares, mean) in [([1.0, 1.0], 0.5), ([0.25, 0.75], 0.75), ([1.0, 0.25], 0.2)] {
            assert!((expected(shares) - mean).abs() < 0.02, "{shares:?}: {}", expected(shares));
        }
    }

    #[test]
    fn the_engine_sees_the_same_value() {
        let network = Network::start(10, 3);
        let values = ValueTrainer::new(&network);
        for features in [&[0, 3, 3, 9][..], &[], &[5, 6, 7, 8, 9]] {
            let mut sum = network.sum();
            for &feature in features {
                sum.add(feature as usize);
            }
            let expected = crate::learned::model::expectation(sum.points());
            assert!((2.0 * values.score(features) - 1.0 - expected).abs() < 0.01);
        }
    }
}
