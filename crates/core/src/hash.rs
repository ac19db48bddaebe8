//! The hashes that reach a file or steer a search. They are written out here, so that no update of
//! the standard library or of another crate changes a result.

use std::hash::{Hash, Hasher};

/// FNV-1a with 64 bits (Fowler, Noll and Vo): a checksum for texts and lists of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv1a {
    /// Adds bytes.
    pub fn bytes(&mut self, bytes: impl IntoIterator<Item = u8>) -> &mut Self {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
        self
    }

    /// Adds a text and a mark for its end, which no text contains.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.bytes().chain([0xFF]))
    }

    /// The hash of what has been added.
    #[must_use]
    pub fn hash(self) -> u64 {
        self.0
    }
}

/// Scrambles 64 bits; different numbers stay different. It is the finalizer of SplitMix64 (Steele,
/// Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
#[must_use]
#[inline]
pub const fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}

/// The hash of numbers in their order: each is added to the hash so far, and the sum is [mixed](mix).
#[must_use]
#[inline]
pub fn of_numbers(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0, |hash, number| mix(hash.wrapping_add(0x9E37_79B9_7F4A_7C15) ^ number))
}

/// The hash of a value by way of its `Hash`, which `#[derive(Hash)]` writes: all it says is fed to
/// [FNV-1a](Fnv1a) in little-endian order, and the end is [mixed](mix).
#[must_use]
#[inline]
pub fn of<T: Hash>(value: &T) -> u64 {
    struct Feed(Fnv1a);
    impl Hasher for Feed {
        fn write(&mut self, bytes: &[u8]) {
            self.0.bytes(bytes.iter().copied());
        }
        fn finish(&self) -> u64 {
            mix(self.0.hash())
        }
    }
    let mut feed = Feed(Fnv1a::default());
    value.hash(&mut feed);
    feed.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_published_ones() {
        // The test vectors of FNV's authors, and the first output of SplitMix64 with seed 0.
        assert_eq!(Fnv1a::default().hash(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fnv1a::default().bytes(*b"a").hash(), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fnv1a::default().bytes(*b"foobar").hash(), 0x8594_4171_f739_67e8);
        assert_eq!(mix(0x9E37_79B9_7F4A_7C15), 0xE220_A839_7B1D_CDAF);
    }

    #[test]
    fn the_order_and_number_of_parts_matter() {
        assert_ne!(of_numbers([1, 2]), of_numbers([2, 1]));
        assert_ne!(of_numbers([0]), of_numbers([0, 0]));
        let texts =
            |parts: &[&str]| parts.iter().fold(Fnv1a::default(), |mut hash, part| *hash.text(part)).hash();
        assert_ne!(texts(&["ab", "c"]), texts(&["a", "bc"]));
        assert_ne!(of(&(1_u8, 2_u8)), of(&(2_u8, 1_u8)));
    }
}
