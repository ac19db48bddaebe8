//! Random numbers that are the same on every machine and in every release.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// The generator behind every random choice in the crate: xoshiro256++ (Blackman and Vigna,
/// "Scrambled linear pseudorandom number generators", 2021).
///
/// Ranges are drawn by the code here, and a test pins the stream of the generator to reference values, so an
/// update of a dependency cannot change a result unnoticed.
#[derive(Debug, Clone)]
pub struct Rng(Xoshiro256PlusPlus);

impl Rng {
    /// Stream number `index` of `seed`.
    ///
    /// Different (seed, index) pairs give unrelated streams. If each part of some work uses its own
    /// index, the result is the same on any number of threads.
    #[must_use]
    pub fn stream(seed: u64, index: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(derive_seed(seed, index)))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniformly random number in `0..n` (Lemire, "Fast random integer generation in an
    /// interval", 2019).
    ///
    /// # Panics
    /// In debug builds, if `n` is 0.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        debug_assert!(n > 0, "the range is empty");
        let n = n as u64;
        let (mut low, mut high) = widening_mul(self.bits(), n);
        if low < n {
            // Draw again while the low word is below 2^64 mod n, so that all results are equally
            // likely.
            let surplus = n.wrapping_neg() % n;
            while low < surplus {
                (low, high) = widening_mul(self.bits(), n);
            }
        }
        high as usize // less than n, which was a usize
    }
}

/// A seed derived from `seed` and `index`, unrelated to those of neighbouring pairs.
#[must_use]
pub fn derive_seed(seed: u64, index: u64) -> u64 {
    let scrambled = SplitMix64::seed_from_u64(seed).next_u64();
    SplitMix64::seed_from_u64(scrambled.wrapping_add(index)).next_u64()
}

/// The low and the high word of the 128-bit product.
#[inline]
fn widening_mul(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix;

    #[test]
    fn seeds_and_streams_are_those_of_the_named_generators() {
        // SplitMix64 mixes multiples of this, added to the seed.
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        for (seed, index) in [(0, 0), (1, 2), (u64::MAX, u64::MAX)] {
            let scrambled = mix(GOLDEN.wrapping_add(seed));
            let derived = mix(scrambled.wrapping_add(index).wrapping_add(GOLDEN));
            assert_eq!(derive_seed(seed, index), derived);
            // xoshiro256++ starts with four numbers of SplitMix64.
            let mut state = [1, 2, 3, 4].map(|n: u64| mix(derived.wrapping_add(GOLDEN.wrapping_mul(n))));
            let mut rng = Rng::stream(seed, index);
            for _ in 0..3 {
                let [a, b, c, d] = state;
                assert_eq!(rng.bits(), a.wrapping_add(d).rotate_left(23).wrapping_add(a));
                let (c, d) = (c ^ a, d ^ b);
                state = [a ^ d, b ^ c, c ^ b << 17, d.rotate_left(45)];
            }
        }
    }

    #[test]
    fn numbers_below_any_bound_are_equally_likely() {
        let mut rng = Rng::stream(3, 0);
        // For the last, a quarter of all random words has to be drawn again.
        for n in [1, 2, 6, 3 << 62] {
            let parts = n.min(6);
            let mut counts = vec![0_u32; parts];
            for _ in 0..6_000 {
                let drawn = rng.below(n);
                assert!(drawn < n);
                counts[drawn % parts] += 1;
            }
            let expected = 6_000 / parts as u32;
            assert!(counts.iter().all(|it| it.abs_diff(expected) <= expected / 6), "{n}: {counts:?}");
        }
    }
}
