//! The transposition table: proven bounds of positions.

use std::num::NonZeroU8;

use crate::game::Bounds;

/// A hash table of fixed size that overwrites old entries.
///
/// `P` is the position, or a number unique to it: entries hold it whole, so no position is ever
/// taken for another. Each position has two adjacent slots.
#[derive(Debug)]
pub struct TranspositionTable<P> {
    slots: Vec<Option<Slot<P>>>,
}

#[derive(Debug, Clone, Copy)]
struct Slot<P> {
    position: P,
    bounds: Bounds,
    /// One more than the binary logarithm of the work that the bounds took. `NonZero` saves eight
    /// bytes per slot.
    work: NonZeroU8,
}

impl<P: Copy + Eq> TranspositionTable<P> {
    /// A table with 2 to the power of `bits` slots.
    ///
    /// # Panics
    /// If there is not enough memory.
    #[must_use]
    pub fn new(bits: u32) -> Self {
        Self { slots: vec![None; 1 << bits.max(1)] }
    }

    #[inline]
    fn slot(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.slots.len().trailing_zeros())) as usize
    }

    /// The bounds stored for a position with this hash; the upper bits of the hash choose the slot.
    #[must_use]
    #[inline]
    pub fn get(&self, position: &P, hash: u64) -> Bounds {
        let slot = self.slot(hash);
        for slot in [slot, slot ^ 1] {
            if let Some(entry) = &self.slots[slot]
                && entry.position == *position
            {
                return entry.bounds;
            }
        }
        Bounds::UNKNOWN
    }

    /// Stores bounds that took `work` to prove, in any unit. They go to the slot with the same
    /// position, else to the one of the two that took less work.
    #[inline]
    pub fn set(&mut self, position: &P, hash: u64, bounds: Bounds, work: u64) {
        let slot = self.slot(hash);
        let is_same = |slot: &Option<Slot<P>>| slot.as_ref().is_some_and(|it| it.position == *position);
        let work_of = |slot: &Option<Slot<P>>| slot.as_ref().map_or(0, |it| it.work.get());
        let (first, second) = (&self.slots[slot], &self.slots[slot ^ 1]);
        let takes_second = !is_same(first) && (is_same(second) || work_of(second) < work_of(first));
        let slot = if takes_second { slot ^ 1 } else { slot };
        let work = NonZeroU8::MIN.saturating_add((work | 1).ilog2().min(31) as u8);
        self.slots[slot] = Some(Slot { position: *position, bounds, work });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::game::Rng;
    use crate::hash::mix;

    #[test]
    fn the_table_may_forget_but_is_never_wrong() {
        let mut rng = Rng::stream(9, 0);
        let mut table = TranspositionTable::new(11);
        let mut stored: HashMap<u64, Bounds> = HashMap::new();
        let mut found = 0;
        for _ in 0..50_000 {
            // Keys that differ in few bits, more than the table has slots.
            let key = rng.bits() & 0x8001_0400_2000_0FF7;
            let bounds = table.get(&key, mix(key));
            if bounds != Bounds::UNKNOWN {
                assert_eq!(Some(&bounds), stored.get(&key));
                found += 1;
            }
            let lower = rng.below(3) as u8;
            let bounds = Bounds { lower, upper: if lower == 0 { rng.below(2) as u8 } else { 2 } };
            table.set(&key, mix(key), bounds, rng.bits() >> 40);
            assert_eq!(table.get(&key, mix(key)), bounds);
            stored.insert(key, bounds);
        }
        assert!(found > 500, "{found}");
    }

    #[test]
    fn a_slot_with_a_number_takes_sixteen_bytes() {
        assert_eq!(size_of::<Option<Slot<u64>>>(), 16);
    }

    #[test]
    fn what_took_more_work_stays_longer() {
        let mut table = TranspositionTable::new(1);
        let bounds = Bounds { lower: 1, upper: 1 };
        table.set(&1, 0, bounds, 1_000);
        table.set(&2, 0, bounds, 10);
        table.set(&3, 0, bounds, 10);
        assert_eq!([1, 2, 3].map(|key| table.get(&key, 0) == bounds), [true, false, true]);
    }
}
