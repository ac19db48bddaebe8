//! Sets of cells as bit masks.

/// `SELECT_IN_BYTE[byte][n]`: the position of the `n`-th set bit of `byte`; 0 if there is none.
pub static SELECT_IN_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][n] = bit as u8;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Returns the position of the `n`-th set bit of `mask`, from 0. `mask` must have more than
/// `n` set bits.
///
/// Counts the bits of all bytes in parallel, sums the counts along the word, and compares each sum
/// with `n` to find the byte; a table finds the bit in it (after Vigna, "Broadword implementation
/// of rank/select queries", 2008).
#[inline]
#[must_use]
pub fn nth_bit(mask: u64, n: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    debug_assert!(n < mask.count_ones() as usize);
    let n = n as u64;
    let pairs = mask - (mask >> 1 & 0x5555_5555_5555_5555);
    let nibbles = (pairs & 0x3333_3333_3333_3333) + (pairs >> 2 & 0x3333_3333_3333_3333);
    let bytes = (nibbles + (nibbles >> 4)) & 0x0F0F_0F0F_0F0F_0F0F;
    let sums = bytes.wrapping_mul(ONES);
    let passed = ((n.wrapping_mul(ONES) | HIGHS) - sums) & HIGHS;
    let shift = (passed >> 7).wrapping_mul(ONES) >> 53 & 0x38;
    let before = (sums << 8) >> shift & 0xFF;
    let byte = mask >> shift & 0xFF;
    shift as usize + usize::from(SELECT_IN_BYTE[byte as usize][(n - before) as usize & 7])
}

/// Returns the position of the `n`-th set bit of a 128-bit `mask`, which must have more than
/// `n` set bits.
#[inline]
#[must_use]
pub fn nth_bit_wide(mask: u128, n: usize) -> usize {
    let low = mask as u64;
    let in_low = low.count_ones() as usize;
    if n < in_low { nth_bit(low, n) } else { 64 + nth_bit((mask >> 64) as u64, n - in_low) }
}

/// Iterates over the positions of the set bits, ascending.
#[inline]
pub fn bits(mask: impl Into<u64>) -> impl Iterator<Item = u8> {
    let mut rest: u64 = mask.into();
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let bit = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            bit
        })
    })
}

/// Iterates over the positions of the set bits of a 128-bit mask, ascending.
#[inline]
pub fn bits_wide(mask: u128) -> impl Iterator<Item = u8> {
    bits(mask as u64).chain(bits((mask >> 64) as u64).map(|bit| 64 + bit))
}
