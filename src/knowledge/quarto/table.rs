//! What the solver knows of positions, by their keys.

/// What is known of a position's value, on the scale 0 (loss), 1 (draw), 2 (win) of the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    /// It is at least this.
    pub(super) lower: u8,
    /// It is at most this.
    pub(super) upper: u8,
}

/// A hash table of fixed size that forgets.
///
/// A key is scrambled by a function that can be undone. Its upper bits are the entry's place, and all but
/// those are stored, with the last of them, as an entry may also be in the place next to its own: no
/// position is ever taken for another.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<u64>,
    /// The size is 2 to this power.
    bits: u32,
}

/// The scrambled key of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place(u64);

impl Place {
    #[inline]
    pub(super) const fn of(key: u64) -> Self {
        let key = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Self((key ^ key >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93))
    }
}

/// An entry's lowest bits: in use, the bounds, and the logarithm of the positions that it took.
const IN_USE: u64 = 1;
const LOWER: u32 = 1;
const UPPER: u32 = 3;
const WORK: u32 = 5;
const DATA: u32 = 10;

impl Table {
    /// A table of 2 to the power of `bits` entries of 8 bytes; at least as many as leave
    /// room in an entry for its data.
    pub(super) fn new(bits: u32) -> Self {
        let bits = bits.max(DATA + 1);
        Self { entries: vec![0; 1 << bits], bits }
    }

    #[inline]
    fn slot(&self, place: Place) -> (usize, u64) {
        ((place.0 >> (64 - self.bits)) as usize, place.0 << (self.bits - 1))
    }

    #[inline]
    pub(super) fn get(&self, place: Place) -> Bounds {
        let (slot, tag) = self.slot(place);
        let mask = u64::MAX << (self.bits - 1);
        for slot in [slot, slot ^ 1] {
            let entry = self.entries[slot];
            if entry & mask == tag && entry & IN_USE != 0 {
                return Bounds { lower: (entry >> LOWER & 3) as u8, upper: (entry >> UPPER & 3) as u8 };
            }
        }
        Bounds { lower: 0, upper: 2 }
    }

    /// Stores what it took so many positions to find out. Of two places for it, it takes
    /// the one with what took less.
    #[inline]
    pub(super) fn set(&mut self, place: Place, found: Bounds, positions: u64) {
        let (slot, tag) = self.slot(place);
        let mask = u64::MAX << (self.bits - 1);
        let is_same = |entry: u64| entry & mask == tag && entry & IN_USE != 0;
        let work_of = |entry: u64| if entry & IN_USE == 0 { 0 } else { 1 + (entry >> WORK & 31) };
        let (first, second) = (self.entries[slot], self.entries[slot ^ 1]);
        let takes_second = !is_same(first) && (is_same(second) || work_of(second) < work_of(first));
        let slot = if takes_second { slot ^ 1 } else { slot };
        let bounds = u64::from(found.lower) << LOWER | u64::from(found.upper) << UPPER;
        self.entries[slot] = tag | u64::from((positions | 1).ilog2().min(31)) << WORK | bounds | IN_USE;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::game::Rng;

    #[test]
    fn neighbours_are_told_apart() {
        let mut table = Table::new(11);
        let bounds = Bounds { lower: 1, upper: 2 };
        for bit in 0..64 {
            table.set(Place(0x1234_5678_9ABC_DEF0), bounds, 1);
            let other = table.get(Place(0x1234_5678_9ABC_DEF0 ^ 1 << bit));
            assert_eq!(other, Bounds { lower: 0, upper: 2 }, "bit {bit}");
        }
    }

    #[test]
    fn the_table_may_forget_but_is_never_wrong() {
        let mut rng = Rng::stream(9, 0);
        let mut table = Table::new(11);
        let mut stored: HashMap<u64, Bounds> = HashMap::new();
        let mut found = 0;
        for _ in 0..50_000 {
            // Keys that differ in few bits, more than there is room for.
            let key = rng.bits() & 0x8001_0400_2000_0FF7;
            let bounds = table.get(Place::of(key));
            if bounds != (Bounds { lower: 0, upper: 2 }) {
                assert_eq!(Some(&bounds), stored.get(&key));
                found += 1;
            }
            let lower = rng.below(3) as u8;
            let bounds = Bounds { lower, upper: if lower == 0 { rng.below(2) as u8 } else { 2 } };
            table.set(Place::of(key), bounds, rng.bits() >> 40);
            assert_eq!(table.get(Place::of(key)), bounds);
            stored.insert(key, bounds);
        }
        assert!(found > 500, "{found}");
    }
}
