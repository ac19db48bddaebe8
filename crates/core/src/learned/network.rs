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
        let mut hidden = [0; HIDDEN];
        for (unit, bias) in self.biases.iter().enumerate() {
            hidden[unit] = i32::from(*bias);
        }
        Accumulator { network: self, linear: 0, hidden }
    }

    /// The weights of the [`ADJACENT`] features from `first` on.
    ///
    /// # Panics
    /// If the network does not have so many.
    #[must_use]
    pub fn adjacent(&self, first: usize) -> AdjacentFeatures {
        let all = &self.hidden[first..][..ADJACENT];
        AdjacentFeatures {
            linear: self.linear[first..][..ADJACENT].as_chunks().0.to_vec(),
            hidden: (0..ADJACENT / 2)
                .map(|step| {
                    let weight =
                        |unit: usize, n: usize| all[(2 * (step + unit % GROUP) + n) % ADJACENT][unit];
                    std::array::from_fn(|group| std::array::from_fn(|n| weight(GROUP * group + n / 2, n % 2)))
                })
                .collect(),
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
#[derive(Debug, Clone)]
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

    /// Adds what the weights of some features sum up to: at most [`Network::at_once`], as the hidden layer was summed
    /// in 16 bits.
    #[inline(always)]
    pub fn add_sums(&mut self, linear: i32, hidden: &[i16; HIDDEN]) {
        self.linear += linear;
        for (unit, sum) in hidden.iter().enumerate() {
            self.hidden[unit] += i32::from(*sum);
        }
    }

    /// Adds how the sums over the features change: by the points, and by what goes to the hidden layer.
    #[inline(always)]
    pub fn add_changes(&mut self, linear: i32, hidden: &[i32; HIDDEN]) {
        self.linear += linear;
        for (unit, change) in hidden.iter().enumerate() {
            self.hidden[unit] += change;
        }
    }

    /// Adds [`ADJACENT`] features of the network, each as many times as `twice` says: a list of numbers, and
    /// the same list again.
    ///
    /// # Panics
    /// If `twice` is too short.
    #[inline(always)]
    pub fn add_adjacent(&mut self, features: &AdjacentFeatures, twice: &[i16]) {
        let mut sums = [0; GROUP];
        let mut rest = twice;
        for weights in &features.linear {
            multiply_add(&mut sums, weights, chunk(rest));
            rest = &rest[2 * GROUP..];
        }
        for sum in sums {
            self.linear += sum;
        }
        let mut sums = [[0; GROUP]; HIDDEN / GROUP];
        let mut rest = twice;
        for weights in &features.hidden {
            for group in 0..HIDDEN / GROUP {
                multiply_add(&mut sums[group], &weights[group], chunk(rest));
            }
            rest = &rest[2..];
        }
        for unit in 0..HIDDEN {
            self.hidden[unit] += sums[unit / GROUP][unit % GROUP];
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

/// The number of features in [`AdjacentFeatures`].
pub const ADJACENT: usize = 64;

/// How many units are summed side by side: 512 bits of products.
const GROUP: usize = 16;

/// The weights of [`ADJACENT`] features, for positions that have most of them, and several times.
///
/// A SIMD multiply-add multiplies pairs of weights by pairs of times and adds the two products. In each step
/// the units of a group take adjacent pairs of features, unit *u* the pair number step + *u*, so that the
/// pairs of times are adjacent in memory, too. After as many steps as there are pairs, each unit had all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdjacentFeatures {
    linear: Vec<[i16; 2 * GROUP]>,
    /// By step.
    hidden: Vec<[[i16; 2 * GROUP]; HIDDEN / GROUP]>,
}

#[inline(always)]
fn chunk(numbers: &[i16]) -> &[i16; 2 * GROUP] {
    numbers.first_chunk().expect("there are enough numbers")
}

/// Adds the products of pairs to `sums`. Compilers make one instruction for eight pairs or sixteen of it.
#[inline(always)]
fn multiply_add(sums: &mut [i32; GROUP], a: &[i16; 2 * GROUP], b: &[i16; 2 * GROUP]) {
    let mut products = [0; 2 * GROUP];
    for n in 0..2 * GROUP {
        products[n] = i32::from(a[n]) * i32::from(b[n]);
    }
    for n in 0..GROUP {
        sums[n] += products[2 * n] + products[2 * n + 1];
    }
}

#[cfg(test)]
mod tests {
    use quintet_cpu::{Cpu, Work};

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

    struct Adding<'a> {
        network: &'a Network,
        single: usize,
        features: AdjacentFeatures,
        twice: Vec<i16>,
    }

    impl Work for Adding<'_> {
        type Output = i32;

        #[inline(always)]
        fn run(self) -> i32 {
            let mut sum = self.network.sum();
            sum.add(self.single);
            sum.add_adjacent(&self.features, &self.twice);
            sum.points()
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
        let (mut rng, features) = (Rng::stream(3, 0), ADJACENT + 3);
        for largest in [1, 300, 8_000, i16::MAX] {
            let network = network(features, largest);
            for first in 0..=features - ADJACENT {
                let single = rng.below(features);
                let times: [i16; ADJACENT] = std::array::from_fn(|_| rng.below(4) as i16);
                let mut all = vec![0; features];
                for (all, times) in all[first..].iter_mut().zip(&times) {
                    *all += i32::from(*times);
                }
                all[single] += 1;
                let expected = expected(&network, &all);
                for cpu in Cpu::all() {
                    let features = network.adjacent(first);
                    let adding = Adding { network: &network, single, features, twice: [times; 2].concat() };
                    assert_eq!(cpu.run(adding), expected);
                }
                let one_by_one = (0..features).flat_map(|it| (0..all[it]).map(move |_| it as u16));
                let one_by_one: Vec<u16> = one_by_one.collect();
                let mut sum = network.sum();
                for &feature in &one_by_one {
                    sum.add(feature.into());
                }
                assert_eq!(sum.points(), expected);
                let mut sum = network.sum();
                for some in one_by_one.chunks(network.at_once()) {
                    let linear = some.iter().map(|it| i32::from(network.linear[usize::from(*it)])).sum();
                    let hidden = std::array::from_fn(|unit| {
                        some.iter().map(|it| network.hidden[usize::from(*it)][unit]).sum()
                    });
                    sum.add_sums(linear, &hidden);
                }
                assert_eq!(sum.points(), expected, "{largest}");
            }
        }
    }

    #[test]
    fn changes_lead_from_the_sum_of_some_features_to_that_of_others() {
        let network = network(9, 8_000);
        let sum_of = |features: [usize; 4]| {
            let mut sum = network.sum();
            for feature in features {
                sum.add(feature);
            }
            sum
        };
        let mut changed = sum_of([1, 2, 2, 5]);
        let change = |unit: usize| {
            let [gone, new] = [2, 8].map(|feature: usize| i32::from(network.hidden[feature][unit]));
            new - gone
        };
        let [gone, new] = [2, 8].map(|feature: usize| i32::from(network.linear[feature]));
        changed.add_changes(new - gone, &std::array::from_fn(change));
        assert_eq!(changed.points(), sum_of([1, 2, 5, 8]).points());
        assert_ne!(changed.points(), sum_of([1, 2, 2, 5]).points());
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
                linear: vec![weight; ADJACENT],
                hidden: vec![[i16::MAX; HIDDEN]; ADJACENT],
                biases: [i16::MAX; HIDDEN],
                outputs: [weight; HIDDEN],
            };
            let mut sum = network.sum();
            sum.add_adjacent(&network.adjacent(0), &[1000; 2 * ADJACENT]);
            assert_eq!(sum.points(), (1000 * ADJACENT as i32 + HIDDEN as i32) * i32::from(weight));
        }
    }
}
