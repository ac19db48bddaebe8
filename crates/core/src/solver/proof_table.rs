//! The positions that a proof-number search has met, with their numbers.

use crate::game::Game;

/// Stands for a number that nothing can reach.
pub(super) const INFINITE: u32 = (1 << 28) - 1;

/// A proof number and a disproof number, up to [`INFINITE`]. A position is proven if the first is 0,
/// and disproven if the second is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) proof: u32,
    pub(super) disproof: u32,
}

impl Numbers {
    pub(super) const PROVEN: Self = Self::new(0, INFINITE);
    pub(super) const DISPROVEN: Self = Self::new(INFINITE, 0);

    pub(super) const fn new(proof: u32, disproof: u32) -> Self {
        Self { proof, disproof }
    }

    pub(super) const fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// Whether a successor with these numbers decides a position: for the claiming side a proven
    /// one, for the other a disproven one.
    pub(super) const fn decides(self, is_own: bool) -> bool {
        if is_own { self.proof == 0 } else { self.disproof == 0 }
    }

    /// The number of what the side to move wants, then of what it does not.
    pub(super) const fn for_mover(self, is_own: bool) -> (u32, u32) {
        if is_own { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    pub(super) const fn of_mover(is_own: bool, own: u32, other: u32) -> Self {
        if is_own { Self::new(own, other) } else { Self::new(other, own) }
    }
}

/// The entries among which a position is looked for.
const WAYS: usize = 4;
/// The table is doubled when more than this part of it, in eighths, is in use.
const FULL: usize = 6;
const FIRST_ENTRIES: usize = 1 << 10;

/// The positions met. Each has its place in one of [`WAYS`] adjacent entries; in a full table, it
/// takes the one with the least work behind it.
pub(super) struct ProofTable<G, N> {
    entries: Vec<Entry<G, N>>,
    used: usize,
    max: usize,
}

#[derive(Clone, Copy)]
struct Entry<G, N> {
    position: G,
    note: N,
    /// Proof number, disproof number and the logarithm of the work; 0 if the entry is empty.
    packed: u64,
}

impl<G: Game, N: Copy + Default> Entry<G, N> {
    fn new(position: G, numbers: Numbers, note: N, work: u64) -> Self {
        let work = 1 + u64::from((work | 1).ilog2());
        let packed = u64::from(numbers.proof) << 36 | u64::from(numbers.disproof) << 8 | work;
        Self { position, note, packed }
    }

    fn empty() -> Self {
        Self { position: G::initial(), note: N::default(), packed: 0 }
    }

    fn numbers(&self) -> Numbers {
        Numbers::new((self.packed >> 36) as u32, (self.packed >> 8) as u32 & INFINITE)
    }

    fn work(&self) -> u8 {
        self.packed as u8
    }
}

impl<G: Game, N: Copy + Default> ProofTable<G, N> {
    pub(super) fn new(memory: usize) -> Self {
        // While it grows, there are the old one and one twice as large.
        let max = (memory / size_of::<Entry<G, N>>() / 3 * 2).max(FIRST_ENTRIES);
        let max = 1 << max.ilog2();
        Self { entries: vec![Entry::empty(); FIRST_ENTRIES], used: 0, max }
    }

    fn bucket(&self, key: u64) -> usize {
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (u64::BITS - self.entries.len().trailing_zeros())) as usize & !(WAYS - 1)
    }

    pub(super) fn get(&self, position: &G, key: u64) -> Option<(Numbers, N)> {
        let bucket = self.bucket(key);
        let found = self.entries[bucket..bucket + WAYS]
            .iter()
            .find(|it| it.packed != 0 && it.position == *position)?;
        Some((found.numbers(), found.note))
    }

    pub(super) fn set(&mut self, position: &G, key: u64, numbers: Numbers, note: N, work: u64) {
        if self.used > self.entries.len() / 8 * FULL && self.entries.len() < self.max {
            self.grow();
        }
        let bucket = self.bucket(key);
        let entries = &mut self.entries[bucket..bucket + WAYS];
        let same = entries.iter().position(|it| it.packed != 0 && it.position == *position);
        let index = same.unwrap_or_else(|| (0..WAYS).min_by_key(|&way| entries[way].work()).unwrap_or(0));
        self.used += usize::from(entries[index].packed == 0);
        entries[index] = Entry::new(*position, numbers, note, work);
    }

    pub(super) fn remove(&mut self, position: &G, key: u64) {
        let bucket = self.bucket(key);
        let entries = &mut self.entries[bucket..bucket + WAYS];
        if let Some(entry) = entries.iter_mut().find(|it| it.packed != 0 && it.position == *position) {
            *entry = Entry::empty();
            self.used -= 1;
        }
    }

    fn grow(&mut self) {
        let mut entries = Vec::new();
        if entries.try_reserve_exact(2 * self.entries.len()).is_err() {
            // The system has no more.
            self.max = self.entries.len();
            return;
        }
        entries.resize(2 * self.entries.len(), Entry::empty());
        let old = std::mem::replace(&mut self.entries, entries);
        self.used = 0;
        for entry in old.into_iter().filter(|it| it.packed != 0) {
            let bucket = self.bucket(entry.position.key());
            let entries = &mut self.entries[bucket..bucket + WAYS];
            // A bucket of four becomes two, so there is room for all.
            if let Some(free) = entries.iter_mut().find(|it| it.packed == 0) {
                *free = entry;
                self.used += 1;
            }
        }
    }
}
