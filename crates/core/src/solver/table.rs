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

// The slot of a position that is a number; smaller where such numbers take less alignment.
const _: () = assert!(size_of::<Option<Slot<u64>>>() <= 16);
