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
    #[must_use]
    pub fn sum(&self) -> Accumulator<'_> {
        Accumulator { network: self, linear: 0, hidden: self.biases.map(i32::from) }
    }

    /// The weights of the `N` features from `first` on.
    ///
    /// # Panics
    /// If the network does not have so many.
    #[must_use]
    pub fn adjacent<const N: usize>(&self, first: usize) -> AdjacentFeatures<N> {
        AdjacentFeatures {
            linear: std::array::from_fn(|n| self.linear[first + n]),
            hidden: std::array::from_fn(|unit| std::array::from_fn(|n| self.hidden[first + n][unit])),
        }
    }

    /// How many features can be summed in 16 bits, at least 1.
    #[must_use]
    pub fn at_once(&self) -> usize {
        let weights = self.hidden.as_flattened().iter();
        let largest = weights.map(|weight| weight.unsigned_abs()).max().unwrap_or(0);
        usize::from(i16::MAX as u16 / largest.max(1)).max(1)
    }
}

/// The sums over the features of a position that were seen so far.
#[derive(Debug)]
pub struct Accumulator<'a> {
    network: &'a Network,
    linear: i32,
    hidden: [i32; HIDDEN],
}

impl Accumulator<'_> {
    /// Adds a feature.
    ///
    /// # Panics
    /// If the network has no such feature.
    #[inline(always)]
    pub fn add(&mut self, feature: usize) {
        self.linear += i32::from(self.network.linear[feature]);
        // By index: iterators side by side are not inlined here, and the sums leave the registers.
        for (unit, weight) in self.network.hidden[feature].iter().enumerate() {
            self.hidden[unit] += i32::from(*weight);
        }
    }

    /// Adds features, `at_once` of them in 16 bits: at most [`Network::at_once`], and not 0.
    ///
    /// # Panics
    /// If the network has no such feature.
    #[inline(always)]
    pub fn add_all(&mut self, features: &[u16], at_once: usize) {
        for some in features.chunks(at_once) {
            let mut sums = [0_i16; HIDDEN];
            for &feature in some {
                self.linear += i32::from(self.network.linear[usize::from(feature)]);
                for (unit, weight) in self.network.hidden[usize::from(feature)].iter().enumerate() {
                    sums[unit] = sums[unit].wrapping_add(*weight);
                }
            }
            for (unit, sum) in sums.iter().enumerate() {
                self.hidden[unit] += i32::from(*sum);
            }
        }
    }

    /// Adds adjacent features of the network, each as many times as `times` says.
    #[inline(always)]
    pub fn add_adjacent<const N: usize>(&mut self, features: &AdjacentFeatures<N>, times: &[i16; N]) {
        self.linear += dot_product(&features.linear, times);
        for (unit, weights) in features.hidden.iter().enumerate() {
            self.hidden[unit] += dot_product(weights, times);
        }
    }

    /// The points of the position.
    #[inline(always)]
    #[must_use]
    pub fn points(&self) -> i32 {
        let mut of_units = 0;
        for (unit, output) in self.network.outputs.iter().enumerate() {
            of_units += self.hidden[unit].clamp(0, HIDDEN_UNIT) * i32::from(*output);
        }
        self.linear + of_units / HIDDEN_UNIT
    }
}

#[inline(always)]
fn dot_product<const N: usize>(a: &[i16; N], b: &[i16; N]) -> i32 {
    let mut sum = 0;
    for n in 0..N {
        sum += i32::from(a[n]) * i32::from(b[n]);
    }
    sum
}

/// The weights of `N` adjacent features, for positions that have most of them, and several times. They are
/// stored unit by unit, so that a SIMD multiply-add reads adjacent weights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdjacentFeatures<const N: usize> {
    linear: [i16; N],
    hidden: [[i16; N]; HIDDEN],
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network whose units differ, with weights of up to `largest` in its hidden layer.
    fn network(features: usize, largest: i16) -> Network {
        let mut rng = Rng::stream(2, 0);
        let mut weight = |_| (rng.below(2 * largest as usize + 1) as i32 - i32::from(largest)) as i16;
        Network {
            linear: (0..features).map(|feature| 7 * feature as i16 - 30).collect(),
            hidden: (0..features).map(|_| [0; HIDDEN].map(&mut weight)).collect(),
            biases: std::array::from_fn(|unit| 200 * unit as i16 - 3000),
            outputs: std::array::from_fn(|unit| 40 * unit as i16 - 600),
        }
    }

    /// The points of a position that has each feature so many times, by the formula.
    fn expected(network: &Network, times: &[i32]) -> i32 {
        let sum = |weight: &dyn Fn(usize) -> i16| -> i32 {
            times.iter().enumerate().map(|(feature, times)| times * i32::from(weight(feature))).sum()
        };
        let of_unit = |unit: usize| {
            let sum = i32::from(network.biases[unit]) + sum(&|feature| network.hidden[feature][unit]);
            sum.clamp(0, 1024) * i32::from(network.outputs[unit])
        };
        sum(&|feature| network.linear[feature]) + (0..HIDDEN).map(of_unit).sum::<i32>() / 1024
    }

    #[test]
    fn points_are_those_of_the_formula() {
        let (mut rng, features) = (Rng::stream(3, 0), 9);
        for largest in [1, 300, 8_000, i16::MAX] {
            let network = network(features, largest);
            for first in 0..=features - 6 {
                let single = rng.below(features);
                let times: [i16; 6] = std::array::from_fn(|_| rng.below(40) as i16);
                let mut all = vec![0; features];
                for (all, times) in all[first..].iter_mut().zip(&times) {
                    *all += i32::from(*times);
                }
                all[single] += 1;
                let expected = expected(&network, &all);
                let mut sum = network.sum();
                sum.add(single);
                sum.add_adjacent(&network.adjacent(first), &times);
                assert_eq!(sum.points(), expected);
                let one_by_one = (0..features).flat_map(|it| (0..all[it]).map(move |_| it as u16));
                let one_by_one: Vec<u16> = one_by_one.collect();
                let mut sum = network.sum();
                for &feature in &one_by_one {
                    sum.add(feature.into());
                }
                assert_eq!(sum.points(), expected);
                for at_once in [1, network.at_once()] {
                    let mut sum = network.sum();
                    sum.add_all(&one_by_one, at_once);
                    assert_eq!(sum.points(), expected, "{largest}: {at_once} at once");
                }
            }
        }
    }

    #[test]
    fn as_many_features_are_summed_in_16_bits_as_fit() {
        for (weight, fit) in [(0, 32_767), (1, 32_767), (-2_000, 16), (i16::MAX, 1), (i16::MIN, 1)] {
            let network = Network { hidden: vec![[weight; HIDDEN]], ..network(1, 1) };
            assert_eq!(network.at_once(), fit, "{weight}");
        }
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
            sum.add_adjacent(&network.adjacent(0), &[1000]);
            assert_eq!(sum.points(), (1000 + HIDDEN as i32) * i32::from(weight));
        }
    }
}
