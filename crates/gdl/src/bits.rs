//! Sets of numbers as bits, and bits for lanes.

use std::ops::Range;

/// The games of a word.
pub(crate) const GAMES: usize = 64;

/// The words of all lanes.
pub(crate) const WORDS: usize = 8;

/// A bit for each lane.
pub(crate) type Mask = [u64; WORDS];

pub(crate) fn has_bit(bits: &[u64], index: usize) -> bool {
    bits[index / 64] >> (index % 64) & 1 == 1
}

pub(crate) fn set_bit(bits: &mut [u64], index: usize) {
    bits[index / 64] |= 1 << (index % 64);
}

/// Whether two sets have something in common.
pub(crate) fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// The number of these moves in a set.
pub(crate) fn count_in(set: &[u64], moves: Range<usize>) -> usize {
    let mut count = 0;
    let words = moves.start / 64..moves.end.div_ceil(64);
    for (word, bits) in words.clone().zip(&set[words]) {
        let low = moves.start.saturating_sub(64 * word).min(64);
        let high = (moves.end - 64 * word).min(64);
        let mask = if high == 64 { u64::MAX } else { (1 << high) - 1 };
        count += (bits & mask & u64::MAX << low).count_ones() as usize;
    }
    count
}

/// The numbers of the bits that are set.
pub(crate) fn bits(words: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    words.enumerate().flat_map(|(index, mut word)| {
        std::iter::from_fn(move || {
            let bit = word.trailing_zeros() as usize;
            word &= word.wrapping_sub(1);
            (bit < 64).then_some(64 * index + bit)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_of_a_role_are_counted_across_words() {
        let mut set = [0; 16];
        for &it in &[0, 63, 64, 127, 128, 200] {
            set_bit(&mut set, it);
        }
        for (range, expected) in
            [(0..1, 1), (0..64, 2), (1..64, 1), (63..65, 2), (64..129, 3), (129..1024, 1), (5..5, 0)]
        {
            assert_eq!(count_in(&set, range.clone()), expected, "{range:?}");
        }
    }
}
