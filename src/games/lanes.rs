//! Random numbers for many games at once.

#![expect(clippy::inline_always, reason = "must be compiled for the same instructions as its caller")]

use crate::game::Rng;

/// The number of words that are drawn side by side: as many as the widest registers hold.
pub(super) const WORDS: usize = 8;

/// A generator like [`Rng`] for each word, side by side.
#[derive(Debug)]
pub(super) struct LanesRng([[u64; WORDS]; 4]);

impl LanesRng {
    /// Generators whose states are drawn from `rng`.
    #[inline(always)]
    pub(super) fn new(rng: &mut Rng) -> Self {
        Self(std::array::from_fn(|_| std::array::from_fn(|_| rng.bits())))
    }

    /// 64 random bits from the generator of word `word`.
    #[inline(always)]
    pub(super) fn bits(&mut self, word: usize) -> u64 {
        let [s0, s1, s2, s3] = self.0.each_mut().map(|state| &mut state[word]);
        let bits = s0.wrapping_add(*s3).rotate_left(23).wrapping_add(*s0);
        let shifted = *s1 << 17;
        *s2 ^= *s0;
        *s3 ^= *s1;
        *s1 ^= *s2;
        *s0 ^= *s3;
        *s2 ^= shifted;
        *s3 = s3.rotate_left(45);
        bits
    }
}
