//! Random numbers that are the same on every machine and in every release.

use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

/// The generator behind every random choice in the crate: xoshiro256++ (Blackman and Vigna,
/// "Scrambled linear pseudorandom number generators", 2021).
///
/// The algorithm and its streams are fixed, and numbers are drawn by the code here, so an update of
/// a dependency cannot change a result.
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
#[expect(clippy::cast_possible_truncation, reason = "the product is split into its words")]
fn widening_mul(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}
