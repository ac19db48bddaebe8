//! Hash tables whose order and speed do not depend on a random key.
//!
//! Numbers are mixed by a full 64-bit mixer. A rulesheet that makes them collide slows its own compilation down, which
//! has a limit of time.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use quintet_core::hash::mix;

/// A hasher of numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut all = [0; 8];
            all[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(all));
        }
    }
    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
    fn write_u64(&mut self, number: u64) {
        self.0 = mix((self.0.rotate_left(23) ^ number).wrapping_add(0x9E37_79B9_7F4A_7C15));
    }
}

pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<NumberHasher>>;
pub(crate) type FastSet<K> = HashSet<K, BuildHasherDefault<NumberHasher>>;

/// The hash of some numbers.
pub(crate) fn of(numbers: impl Iterator<Item = u32>) -> u64 {
    let mut hasher = NumberHasher::default();
    numbers.for_each(|it| hasher.write_u32(it));
    hasher.finish()
}
