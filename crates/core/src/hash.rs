//! Hashes that are written to files or steer a search. They are implemented here, so that no update
//! of the standard library or of another crate changes a result.

use std::hash::{Hash, Hasher};

/// 64-bit FNV-1a (Fowler, Noll and Vo): a checksum for texts and lists of numbers.
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

    /// Adds a text and an end mark, which no text contains.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.bytes().chain([0xFF]))
    }

    /// The hash of what has been added.
    #[must_use]
    pub fn hash(self) -> u64 {
        self.0
    }
}

/// Mixes 64 bits; different numbers stay different. This is the finalizer of `SplitMix64` (Steele,
/// Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
#[must_use]
#[inline]
pub const fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ number >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ number >> 31
}

/// The hash of a sequence of numbers: each is combined with the hash so far and [mixed](mix).
#[must_use]
#[inline]
pub fn of_numbers(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers.into_iter().fold(0, |hash, number| mix(hash.wrapping_add(0x9E37_79B9_7F4A_7C15) ^ number))
}

/// The hash of a value by its `Hash` (as `#[derive(Hash)]` writes it): [FNV-1a](Fnv1a) over the
/// bytes, [mixed](mix) at the end. It is the same on every little-endian 64-bit machine.
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
