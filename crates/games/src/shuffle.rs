//! Cells in random order, for rollouts that need to know only which stone comes when.

use quintet_core::bits::SELECT_IN_BYTE;
use quintet_core::game::Rng;

/// Room for the cells of the largest board and for a whole chunk beyond them.
const ROOM: usize = 128;

/// A list of cells that is put in random order a few at a time, as far as it is needed.
#[derive(Debug, Clone)]
pub(crate) struct Shuffle {
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
    /// The cells of a mask, given by its bytes, the lowest first.
    #[inline(always)]
    pub(crate) fn new<const BYTES: usize>(mask: [u8; BYTES]) -> Self {
        let mut cells = [0; ROOM];
        let mut len = 0;
        for (index, byte) in mask.into_iter().enumerate() {
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
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The cell at place `n` of the order; final once [`draw`](Self::draw) has gone past it.
    #[inline]
    pub(crate) fn cell(&self, n: usize) -> u8 {
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
    #[inline(always)]
    pub(crate) fn draw<const CHUNK: usize>(&mut self, from: usize, rng: &mut Rng) {
        let left = self.len - from;
        let mut draws = [0; CHUNK];
        let mut word = if left >= CHUNK {
            multiply(rng.bits(), |i| left - i, &mut draws)
        } else {
            multiply(rng.bits(), |i| left.saturating_sub(i).max(1), &mut draws)
        };
        let product = Products::<CHUNK>::OF[left];
        while word < product && word < product.wrapping_neg() % product {
            word = multiply(rng.bits(), |i| left.saturating_sub(i).max(1), &mut draws);
        }
        for (i, draw) in draws.into_iter().enumerate() {
            let (a, b) = ((from + i) % ROOM, (from + i + draw) % ROOM);
            self.cells.swap(a, b);
        }
    }
}

/// The product of the bounds of so many draws.
struct Products<const CHUNK: usize>;

impl<const CHUNK: usize> Products<CHUNK> {
    /// For each number of cells that are left; 0, which nobody looks up, where it does not fit.
    const OF: [u64; ROOM] = {
        let mut table = [0; ROOM];
        let mut left = 0;
        while left < ROOM {
            let mut product = 1_u64;
            let mut i = 0;
            while i < CHUNK && i < left {
                product = match product.checked_mul((left - i) as u64) {
                    Some(product) => product,
                    None => 0,
                };
                i += 1;
            }
            table[left] = product;
            left += 1;
        }
        table
    };
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
