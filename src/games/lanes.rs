//! Many games at once, one in each bit of a [`Lanes`].

use crate::game::Rng;

/// The number of games in a [`Lanes`].
pub(super) const LANES: usize = 512;

/// One bit for each of [`LANES`] games: as wide as the widest registers.
pub(super) type Lanes = [u64; LANES / 64];

/// Random bits for [`LANES`] games at once: xoshiro256++ in each word of a [`Lanes`], side by side.
#[derive(Debug)]
pub(super) struct LanesRng([Lanes; 4]);

impl LanesRng {
    /// Generators whose states are drawn from `rng`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled for the instructions of the caller")]
    pub(super) fn new(rng: &mut Rng) -> Self {
        Self(std::array::from_fn(|_| std::array::from_fn(|_| rng.bits())))
    }

    /// A word of random bits from the generator of word `i`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "compiled for the instructions of the caller")]
    pub(super) fn word(&mut self, i: usize) -> u64 {
        let [s0, s1, s2, s3] = self.0.each_mut().map(|it| &mut it[i]);
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
