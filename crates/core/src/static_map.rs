//! A map that holds only the values, in about 1.25 times their bits, for tables that are compiled
//! in.
//!
//! A value is the XOR of three entries, whose places follow from the hash of its key (Bloomier
//! filter; Chazelle et al. 2004). So there is no telling a key that is not in the map: it gets a
//! value too, which means nothing.

use std::fmt;

/// A map from numbers to values of a few bits.
#[derive(Clone, Copy)]
pub struct StaticMap<'a> {
    seed: u64,
    /// The number of entries of each third.
    third: u64,
    bits: u32,
    entries: &'a [u8],
}

impl fmt::Debug for StaticMap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaticMap")
            .field("bits", &self.bits)
            .field("third", &self.third)
            .finish_non_exhaustive()
    }
}

/// The bytes before the entries: the seed, the number of entries of a third, the bits of a value.
const HEADER: usize = 6;

impl<'a> StaticMap<'a> {
    /// The map that [`build`](Self::build) returned as `bytes`.
    ///
    /// # Panics
    /// If the bytes are not those of a map.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        let (header, entries) = bytes.split_at(HEADER);
        let third =
            header[1] as u64 | (header[2] as u64) << 8 | (header[3] as u64) << 16 | (header[4] as u64) << 24;
        let bits = header[5] as u32;
        assert!(
            bits >= 1 && bits <= 8 && entries.len() as u64 == bytes_of(third, bits),
            "these bytes are no map"
        );
        Self { seed: header[0] as u64, third, bits, entries }
    }

    /// The value of `key`, or any value if it is not in the map.
    #[must_use]
    pub fn get(&self, key: u64) -> u8 {
        places(key, self.seed, self.third).into_iter().fold(0, |value, place| value ^ self.entry(place))
    }

    fn entry(&self, place: u64) -> u8 {
        let bit = place * u64::from(self.bits);
        let at = (bit / 8) as usize;
        // The last byte of all is there for this.
        let pair = u16::from_le_bytes([self.entries[at], self.entries[at + 1]]);
        (pair >> (bit % 8)) as u8 & mask(self.bits)
    }

    /// The bytes of a map with these keys and values.
    ///
    /// # Panics
    /// If a key occurs twice, or a value does not fit into `bits`, 1 to 8.
    #[must_use]
    pub fn build(pairs: &[(u64, u8)], bits: u32) -> Vec<u8> {
        assert!(
            (1..=8).contains(&bits) && pairs.iter().all(|&(_, value)| value <= mask(bits)),
            "{bits} bits"
        );
        let third = (pairs.len() as u64 * 123 / 300).max(4) + 8;
        // Each seed succeeds with a good chance.
        let order = (0..=u8::MAX).find_map(|seed| Some((seed, peel(pairs, u64::from(seed), third)?)));
        let (seed, order) = order.unwrap_or_else(|| panic!("a key occurs twice"));
        let mut values = vec![0; 3 * third as usize];
        for (index, place) in order.into_iter().rev() {
            let (key, value) = pairs[index];
            let others = places(key, u64::from(seed), third).into_iter().filter(|&it| it != place);
            values[place as usize] = others.fold(value, |value, other| value ^ values[other as usize]);
        }
        let mut bytes = vec![seed];
        bytes.extend_from_slice(&(third as u32).to_le_bytes());
        bytes.push(bits as u8);
        bytes.resize(HEADER + bytes_of(third, bits) as usize, 0);
        for (place, value) in values.into_iter().enumerate() {
            let bit = place * bits as usize;
            let shifted = u16::from(value) << (bit % 8);
            bytes[HEADER + bit / 8] |= shifted as u8;
            bytes[HEADER + bit / 8 + 1] |= (shifted >> 8) as u8;
        }
        bytes
    }
}

const fn mask(bits: u32) -> u8 {
    u8::MAX >> (8 - bits)
}

const fn bytes_of(third: u64, bits: u32) -> u64 {
    (3 * third * bits as u64).div_ceil(8) + 1
}

/// The places of the entries of a key, one in each third.
fn places(key: u64, seed: u64, third: u64) -> [u64; 3] {
    let mixed = (key ^ seed.wrapping_mul(0xA076_1D64_78BD_642F)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    let mixed = mixed ^ mixed >> 32;
    [0, 1, 2].map(|part| {
        let random = mixed.rotate_left(21 * part as u32) & u64::from(u32::MAX);
        part * third + ((random * third) >> 32)
    })
}

/// The keys, by index, in an order in which each has a place that no later key has, and that place.
/// `None` if there is no such order with this seed.
fn peel(pairs: &[(u64, u8)], seed: u64, third: u64) -> Option<Vec<(usize, u64)>> {
    // The number of keys at each place, and the XOR of their indices.
    let mut at = vec![(0_u32, 0_usize); 3 * third as usize];
    for (index, &(key, _)) in pairs.iter().enumerate() {
        for place in places(key, seed, third) {
            at[place as usize].0 += 1;
            at[place as usize].1 ^= index;
        }
    }
    let mut open: Vec<u64> = (0..3 * third).filter(|&place| at[place as usize].0 == 1).collect();
    let mut order = Vec::with_capacity(pairs.len());
    while let Some(place) = open.pop() {
        let (1, index) = at[place as usize] else { continue };
        order.push((index, place));
        for other in places(pairs[index].0, seed, third) {
            at[other as usize].0 -= 1;
            at[other as usize].1 ^= index;
            if at[other as usize].0 == 1 {
                open.push(other);
            }
        }
    }
    (order.len() == pairs.len()).then_some(order)
}
