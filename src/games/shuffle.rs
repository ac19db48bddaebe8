//! Cells in random order, for rollouts that need to know only which stone comes when.

use super::bits::SELECT_IN_BYTE;
use crate::game::Rng;

/// Room for the cells of the largest board and for a whole chunk beyond them.
const ROOM: usize = 128;

/// A list of cells that is put in random order a few at a time, as far as it is needed.
#[derive(Debug, Clone)]
pub(super) struct Shuffle {
    cells: [u8; ROOM],
    len: usize,
}

/// The number of set bits of each byte: quicker looked up than counted on a processor without an instruction
/// for it.
static BITS_IN_BYTE: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = (byte as u8).count_ones() as u8;
        byte += 1;
    }
    table
};

impl Shuffle {
    /// The cells of a mask.
    #[inline]
    pub(super) fn new(mask: u128) -> Self {
        let mut cells = [0; ROOM];
        let mut len = 0;
        for (index, byte) in mask.to_le_bytes().into_iter().enumerate() {
            if byte == 0 {
                continue;
            }
            // All eight are written, and those too many overwritten by the next.
            let base = 8 * index as u64 * 0x0101_0101_0101_0101;
            let found = u64::from_le_bytes(SELECT_IN_BYTE[usize::from(byte)]) + base;
            cells[len..len + 8].copy_from_slice(&found.to_le_bytes());
            len += usize::from(BITS_IN_BYTE[usize::from(byte)]);
        }
        Self { cells, len }
    }

    /// The number of cells.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The cell at place `n` of the order; final once [`draw`](Self::draw) has gone past it.
    #[inline]
    pub(super) fn cell(&self, n: usize) -> u8 {
        self.cells[n % ROOM]
    }

    /// Puts the next `CHUNK` places from `from` on in order: every order of the cells that are left is
    /// equally likely.
    ///
    /// This is the shuffle of Fisher and Yates with several draws from one random number: Brackett-Rozinsky
    /// and Lemire, "Batched ranged random integer generation", 2024. Multiplying a random word by a bound
    /// leaves the draw in the high half and a new random word in the low half; the word is rejected as a
    /// whole if what is left at the end is below 2^64 modulo the product of the bounds, so every combination
    /// of draws is exactly equally likely.
    #[inline]
    pub(super) fn draw<const CHUNK: usize>(&mut self, from: usize, rng: &mut Rng) {
        let left = self.len - from;
        let mut draws = [0; CHUNK];
        if left >= CHUNK {
            let word = multiply(rng.bits(), |i| left - i, &mut draws);
            // No bound is above 2^7, so neither is the product above that to the power of the draws: mostly,
            // a comparison with a constant rules a rejection out.
            const { assert!(7 * CHUNK < 64 && ROOM <= 1 << 7) };
            if word >> (7 * CHUNK) == 0 {
                Self::reject(word, left, &mut draws, rng);
            }
        } else {
            let word = multiply(rng.bits(), |i| left.saturating_sub(i).max(1), &mut draws);
            Self::reject(word, left, &mut draws, rng);
        }
        for (i, draw) in draws.into_iter().enumerate() {
            let (a, b) = ((from + i) % ROOM, (from + i + draw) % ROOM);
            self.cells.swap(a, b);
        }
    }

    /// Draws anew as long as what is left of the word says that the draws are not fair.
    #[cold]
    fn reject<const CHUNK: usize>(mut word: u64, left: usize, draws: &mut [usize; CHUNK], rng: &mut Rng) {
        let product: u64 = (0..CHUNK).map(|i| left.saturating_sub(i).max(1) as u64).product();
        while word < product && word < product.wrapping_neg() % product {
            word = multiply(rng.bits(), |i| left.saturating_sub(i).max(1), draws);
        }
    }
}

/// Takes draws with these bounds from `word`, and returns the word that is left.
#[inline]
fn multiply<const CHUNK: usize>(
    mut word: u64,
    bound: impl Fn(usize) -> usize,
    draws: &mut [usize; CHUNK],
) -> u64 {
    for (i, draw) in draws.iter_mut().enumerate() {
        let wide = u128::from(word) * u128::from(bound(i) as u64);
        *draw = (wide >> 64) as usize;
        word = wide as u64;
    }
    word
}
