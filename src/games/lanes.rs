//! Many games at once, each in a bit of its own.
//!
//! What is written as a loop over the words of [`Lanes`], without branches, the compiler turns into
//! instructions for as many of them as the registers hold.

use std::ops::{Index, IndexMut};

use crate::game::Rng;

/// The number of words in a [`Lanes`].
pub(super) const WORDS: usize = 8;

/// One bit for each of 512 games: as wide as the widest registers, and aligned like them, for a load across
/// two cache lines takes twice the time.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Lanes(pub(super) [u64; WORDS]);

impl Lanes {
    /// No game.
    pub(super) const NONE: Self = Self([0; WORDS]);

    /// The number of games.
    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Keeps as many of the games as `limit`.
    pub(super) fn truncate(&mut self, mut limit: u64) {
        for word in &mut self.0 {
            while u64::from(word.count_ones()) > limit {
                *word &= *word - 1;
            }
            limit -= u64::from(word.count_ones());
        }
    }
}

impl Index<usize> for Lanes {
    type Output = u64;

    #[inline(always)]
    fn index(&self, word: usize) -> &u64 {
        &self.0[word]
    }
}

impl IndexMut<usize> for Lanes {
    #[inline(always)]
    fn index_mut(&mut self, word: usize) -> &mut u64 {
        &mut self.0[word]
    }
}

/// Random bits for all the games: a generator like [`Rng`] for each word, side by side.
#[derive(Debug)]
pub(super) struct LanesRng([Lanes; 4]);

impl LanesRng {
    /// Generators whose states are drawn from `rng`.
    #[inline(always)]
    pub(super) fn new(rng: &mut Rng) -> Self {
        Self(std::array::from_fn(|_| Lanes(std::array::from_fn(|_| rng.bits()))))
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

/// The bits of `b` where `choice` is set, and those of `a` elsewhere.
#[inline(always)]
pub(super) const fn mux(choice: u64, b: u64, a: u64) -> u64 {
    (choice & b) | (!choice & a)
}

/// All bits set, or none.
#[inline(always)]
pub(super) const fn splat(bit: bool) -> u64 {
    if bit { u64::MAX } else { 0 }
}

#[cfg(test)]
mod tests {
    use rand::Rng as _;
    use rand::SeedableRng as _;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn each_word_has_a_generator_of_the_known_kind() {
        let mut seeds = Rng::stream(1, 0);
        let mut lanes = LanesRng::new(&mut seeds.clone());
        let states: [[u64; WORDS]; 4] = std::array::from_fn(|_| std::array::from_fn(|_| seeds.bits()));
        for word in 0..WORDS {
            let mut seed = [0; 32];
            for (bytes, state) in seed.chunks_exact_mut(8).zip(states) {
                bytes.copy_from_slice(&state[word].to_le_bytes());
            }
            let mut alone = Xoshiro256PlusPlus::from_seed(seed);
            for _ in 0..100 {
                assert_eq!(lanes.bits(word), alone.next_u64());
            }
        }
    }

    #[test]
    fn truncate_keeps_some_of_the_games() {
        let mut rng = Rng::stream(2, 0);
        for limit in [0, 1, 63, 64, 100, 200, 511, 512] {
            let all = Lanes(std::array::from_fn(|_| rng.bits()));
            let mut some = all;
            some.truncate(limit);
            assert_eq!(some.count(), all.count().min(limit));
            assert!((0..WORDS).all(|word| some[word] & !all[word] == 0));
        }
    }
}
