//! What the trees of a search have proven, by position.

use std::hash::{BuildHasher, BuildHasherDefault};

use rustc_hash::FxHasher;

use crate::game::{Game, Outcome};

/// A table of proven outcomes, of fixed size: a newer entry takes the place of an older one.
///
/// Trees read it while they grow, and write into it between rounds only, in their order: so what a tree finds
/// there does not depend on which of them was quicker. Entries hold whole positions: no proof is ever taken
/// for that of another.
#[derive(Debug)]
pub(super) struct Proofs<G> {
    entries: Vec<Option<Entry<G>>>,
    /// Which search this is; entries of others don't count.
    search: u32,
}

#[derive(Debug, Clone, Copy)]
struct Entry<G> {
    position: G,
    outcome: Outcome,
    search: u32,
}

impl<G: Game> Proofs<G> {
    /// The number of entries, a power of two.
    const SIZE: usize = 1 << 15;

    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), search: 0 }
    }

    /// Forgets everything.
    pub(super) fn reset(&mut self) {
        self.search = self.search.wrapping_add(1);
        if self.search == 0 || self.entries.is_empty() {
            self.entries.clear();
            self.entries.resize(Self::SIZE, None);
        }
    }

    /// What is proven of `position`.
    #[inline]
    pub(super) fn get(&self, position: &G) -> Option<Outcome> {
        let entry = self.entries.get(Self::slot(position))?.as_ref()?;
        (entry.search == self.search && entry.position == *position).then_some(entry.outcome)
    }

    pub(super) fn insert(&mut self, position: G, outcome: Outcome) {
        self.entries[Self::slot(&position)] = Some(Entry { position, outcome, search: self.search });
    }

    fn slot(position: &G) -> usize {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one(position);
        (hash >> 32) as usize & (Self::SIZE - 1)
    }
}
