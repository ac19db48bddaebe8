//! The value of a position: a linear part and one hidden layer.

use crate::game::Rng;

/// The units of the hidden layer.
pub const HIDDEN: usize = 32;

/// What stands for 1 in the hidden layer.
pub const HIDDEN_UNIT: i32 = 1024;

/// The weights of the features of positions, as whole numbers.
///
/// The points of a position with the features *f* are
/// ∑ `linear[f]` + ∑ `outputs[u]` · clamp(`biases[u]` + ∑ `hidden[f][u]`, 0, 1024) / 1024: the first and
/// the last sum over the features, the other over the units *u* of the hidden layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// The points of each feature.
    pub linear: Vec<i16>,
    /// What each feature adds to each unit of the hidden layer, in 1/1024.
    pub hidden: Vec<[i16; HIDDEN]>,
    /// What each unit has without any feature, in 1/1024.
    pub biases: [i16; HIDDEN],
    /// The points of each unit.
    pub outputs: [i16; HIDDEN],
}

impl Network {
    /// A network that knows nothing, from which a fit can start: small random weights of the hidden layer
    /// make its units differ.
    #[must_use]
    pub fn start(features: usize, seed: u64) -> Self {
        let mut rng = Rng::stream(seed, 0);
        let mut small = || rng.below(63) as i16 - 31;
        Self {
            linear: vec![0; features],
            hidden: (0..features).map(|_| std::array::from_fn(|_| small())).collect(),
            biases: [HIDDEN_UNIT as i16 / 2; HIDDEN],
            outputs: std::array::from_fn(|unit| if unit % 2 == 0 { 128 } else { -128 }),
        }
    }

    /// The sum for a position whose features are still to be seen.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for each processor level")]
    #[must_use]
    pub fn sum(&self) -> Sum<'_> {
        Sum { network: self, linear: 0, hidden: self.biases.map(i32::from) }
    }
}

/// The sums over the features of a position that were seen so far.
#[derive(Debug)]
pub struct Sum<'a> {
    network: &'a Network,
    linear: i32,
    hidden: [i32; HIDDEN],
}

impl Sum<'_> {
    /// Adds a feature that the position has `times` times.
    ///
    /// # Panics
    /// If the network has no such feature.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for each processor level")]
    pub fn add(&mut self, feature: usize, times: i32) {
        self.add_each(feature, &[times]);
    }

    /// Adds the features from `first` on, each as many times as `times` says.
    ///
    /// # Panics
    /// If the network does not have so many features.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for each processor level")]
    pub fn add_each<const N: usize>(&mut self, first: usize, times: &[i32; N]) {
        let linear = &self.network.linear[first..first + N];
        let hidden = &self.network.hidden[first..first + N];
        // By index: iterators side by side are not inlined here, and the sums leave the registers.
        for (index, &times) in times.iter().enumerate() {
            self.linear += times * i32::from(linear[index]);
            for (unit, weight) in hidden[index].iter().enumerate() {
                self.hidden[unit] += times * i32::from(*weight);
            }
        }
    }

    /// The points of the position.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "only inlined code is compiled for each processor level")]
    #[must_use]
    pub fn points(&self) -> i32 {
        let mut of_units = 0;
        for (unit, output) in self.network.outputs.iter().enumerate() {
            of_units += self.hidden[unit].clamp(0, HIDDEN_UNIT) * i32::from(*output);
        }
        self.linear + of_units / HIDDEN_UNIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_those_of_the_formula() {
        let mut network = Network::start(3, 1);
        network.linear = vec![5, -7, 100];
        network.outputs = std::array::from_fn(|unit| 40 * unit as i16 - 600);
        network.biases = std::array::from_fn(|unit| 200 * unit as i16 - 3000);
        let mut sum = network.sum();
        sum.add(0, 1);
        sum.add(2, 30);
        sum.add(0, 1);
        let of_unit = |unit: usize| {
            let weight = |feature: usize| i32::from(network.hidden[feature][unit]);
            let sum = i32::from(network.biases[unit]) + 2 * weight(0) + 30 * weight(2);
            sum.clamp(0, 1024) * i32::from(network.outputs[unit])
        };
        let units: i32 = (0..HIDDEN).map(of_unit).sum();
        assert_eq!(sum.points(), 2 * 5 + 30 * 100 + units / 1024);
    }

    #[test]
    fn the_largest_weights_do_not_overflow() {
        for weight in [i16::MIN, i16::MAX] {
            let network = Network {
                linear: vec![weight],
                hidden: vec![[i16::MAX; HIDDEN]],
                biases: [i16::MAX; HIDDEN],
                outputs: [weight; HIDDEN],
            };
            let mut sum = network.sum();
            sum.add(0, 1000);
            assert_eq!(sum.points(), (1000 + HIDDEN as i32) * i32::from(weight));
        }
    }
}
