//! Cells in random order, for rollouts that need only the order in which stones are placed.

use quintet_core::bits::SELECT_IN_BYTE;
use quintet_core::game::Rng;

/// The cells that are drawn at a time.
pub(super) const CHUNK: usize = 8;

/// Room for the 36 cells and one chunk.
const ROOM: usize = 64;

/// A list of cells that is shuffled a few at a time, as needed.
#[derive(Debug, Clone)]
pub(super) struct Shuffle {
    cells: [u8; ROOM],
    len: usize,
}

impl Shuffle {
    /// Lists the cells of a mask, given as its bytes, lowest first.
    #[inline(always)]
    pub(super) fn new(mask: [u8; 8]) -> Self {
        let mut cells = [0; ROOM];
        let mut len = 0;
        for (index, byte) in mask.into_iter().enumerate() {
            // Always write eight cells; the next byte overwrites the surplus.
            let base = 8 * index as u64 * 0x0101_0101_0101_0101;
            let found = u64::from_le_bytes(SELECT_IN_BYTE[usize::from(byte)]) + base;
            cells[len..len + 8].copy_from_slice(&found.to_le_bytes());
            len += byte.count_ones() as usize;
        }
        Self { cells, len }
    }

    /// The number of cells.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The cell at index `n`; final once [`draw`](Self::draw) has passed it.
    #[inline]
    pub(super) fn cell(&self, n: usize) -> u8 {
        self.cells[n % ROOM]
    }

    /// Shuffles the `CHUNK` places from `from` on: every order of the remaining cells is equally
    /// likely.
    ///
    /// This is the Fisher-Yates shuffle with several draws from one random number:
    /// Brackett-Rozinsky and Lemire, "Batched ranged random integer generation", 2024. Multiplying
    /// a random word by a bound leaves the draw in the high half and a new random word in the low
    /// half. The word is rejected if the final low half is below 2^64 modulo the product of the
    /// bounds, so every combination of draws is exactly equally likely.
    #[inline(always)]
    pub(super) fn draw(&mut self, from: usize, rng: &mut Rng) {
        let left = self.len - from;
        let mut draws = [0; CHUNK];
        let mut word = if left >= CHUNK {
            multiply(rng.bits(), |i| left - i, &mut draws)
        } else {
            multiply(rng.bits(), |i| left.saturating_sub(i).max(1), &mut draws)
        };
        let product = PRODUCTS[left];
        while word < product && word < product.wrapping_neg() % product {
            word = multiply(rng.bits(), |i| left.saturating_sub(i).max(1), &mut draws);
        }
        for (i, draw) in draws.into_iter().enumerate() {
            let (a, b) = ((from + i) % ROOM, (from + i + draw) % ROOM);
            self.cells.swap(a, b);
        }
    }
}

/// The product of the bounds of the draws, by the number of remaining cells.
const PRODUCTS: [u64; ROOM] = {
    let mut table = [1; ROOM];
    const_for!(0..ROOM, |left| {
        const_for!(0..if left < CHUNK { left } else { CHUNK }, |i| {
            table[left] *= (left - i) as u64;
        });
    });
    table
};

/// Takes draws with these bounds from `word` and returns the remaining word.
#[inline]
fn multiply(mut word: u64, bound: impl Fn(usize) -> usize, draws: &mut [usize; CHUNK]) -> u64 {
    for (i, draw) in draws.iter_mut().enumerate() {
        let wide = u128::from(word) * u128::from(bound(i) as u64);
        *draw = (wide >> 64) as usize;
        word = wide as u64;
    }
    word
}
