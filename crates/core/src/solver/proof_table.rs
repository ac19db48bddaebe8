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
    pub(super) const fn decides(self, is_or_node: bool) -> bool {
        if is_or_node { self.proof == 0 } else { self.disproof == 0 }
    }

    /// The number of what the side to move wants, then of what it does not.
    pub(super) const fn for_side_to_move(self, is_or_node: bool) -> (u32, u32) {
        if is_or_node { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    pub(super) const fn of_mover(is_or_node: bool, own: u32, other: u32) -> Self {
        if is_or_node { Self::new(own, other) } else { Self::new(other, own) }
    }
}

/// The entries among which a position is looked for.
const WAYS: usize = 4;
/// The table is doubled when more than this part of it, in eighths, is in use.
const FULL: usize = 6;
const FIRST_ENTRIES: usize = 1 << 10;

/// The positions met. Each has its place in one of the [`WAYS`] adjacent entries of its bucket; in a full bucket, it
/// takes the one with the least work behind it.
pub(super) struct ProofTable<G, N> {
    entries: Vec<Entry<G, N>>,
    /// What is known of the entries of each bucket without a look at them.
    buckets: Vec<Bucket>,
    used: usize,
    max: usize,
}

#[derive(Clone, Copy)]
struct Entry<G, N> {
    position: G,
    note: N,
    numbers: Numbers,
}

/// Small enough to stay in the caches: of a large table, only the entries of positions that are met again are read.
#[derive(Clone, Copy, Default)]
struct Bucket {
    /// Some bits of the key of each entry's position, or 0 if the entry is empty.
    tags: [u8; WAYS],
    /// The logarithm of the work behind each entry.
    work: [u8; WAYS],
}

/// Where the entries of a position may be.
#[derive(Clone, Copy)]
struct Place {
    bucket: usize,
    tag: u8,
}

impl<G: Game, N: Copy + Default> Entry<G, N> {
    /// An entry for any use.
    fn new() -> Self {
        Self { position: G::initial(), note: N::default(), numbers: Numbers::DISPROVEN }
    }
}

impl<G: Game, N: Copy + Default> ProofTable<G, N> {
    pub(super) fn new(memory: usize) -> Self {
        // While it grows, there are the old one and one twice as large.
        let bytes = size_of::<Entry<G, N>>() + size_of::<Bucket>() / WAYS;
        let max = (memory / bytes / 3 * 2).max(FIRST_ENTRIES);
        Self::with_entries(FIRST_ENTRIES, 1 << max.ilog2())
    }

    /// A table that stands in for another.
    pub(super) fn smallest() -> Self {
        Self::with_entries(2 * WAYS, 2 * WAYS)
    }

    fn with_entries(entries: usize, max: usize) -> Self {
        Self {
            entries: vec![Entry::new(); entries],
            buckets: vec![Bucket::default(); entries / WAYS],
            used: 0,
            max,
        }
    }

    #[inline]
    fn place(&self, key: u64) -> Place {
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        Place {
            bucket: (mixed >> (u64::BITS - self.buckets.len().trailing_zeros())) as usize,
            tag: (mixed as u8).max(1),
        }
    }

    /// The number of the position's entry.
    #[inline]
    fn index(&self, position: &G, Place { bucket, tag }: Place) -> Option<usize> {
        let tags = self.buckets[bucket].tags;
        let tagged = (0..WAYS).filter(|&way| tags[way] == tag);
        tagged.map(|way| WAYS * bucket + way).find(|&index| self.entries[index].position == *position)
    }

    pub(super) fn get(&self, position: &G, key: u64) -> Option<(Numbers, N)> {
        let found = &self.entries[self.index(position, self.place(key))?];
        Some((found.numbers, found.note))
    }

    pub(super) fn set(&mut self, position: &G, key: u64, numbers: Numbers, note: N, work: u64) {
        let work = 1 + (work | 1).ilog2() as u8;
        self.put(Entry { position: *position, note, numbers }, key, work);
    }

    /// Moves all entries to another table. What is decided there stays so, but a proof replaces a disproof: another
    /// search may prove what one found no proof of among the moves that it tried.
    pub(super) fn move_into(&mut self, other: &mut Self) {
        if self.used == 0 {
            return;
        }
        for (entries, bucket) in self.entries.chunks(WAYS).zip(&mut self.buckets) {
            let Bucket { tags, work } = std::mem::take(bucket);
            for (entry, (_, work)) in
                entries.iter().zip(tags.iter().zip(work)).filter(|(_, (tag, _))| **tag != 0)
            {
                let key = entry.position.key();
                let is_decided = |(numbers, _): (Numbers, N)| numbers.is_decided();
                if entry.numbers.proof == 0 || !other.get(&entry.position, key).is_some_and(is_decided) {
                    other.put(*entry, key, work);
                }
            }
        }
        self.used = 0;
    }

    fn put(&mut self, entry: Entry<G, N>, key: u64, work: u8) {
        if self.used > self.entries.len() / 8 * FULL && self.entries.len() < self.max {
            self.grow();
        }
        let place = self.place(key);
        match self.index(&entry.position, place) {
            Some(index) => {
                self.entries[index] = entry;
                self.buckets[index / WAYS].work[index % WAYS] = work;
            }
            None => self.add(entry, place, work),
        }
    }

    /// Adds an entry of a position that has none.
    fn add(&mut self, entry: Entry<G, N>, Place { bucket, tag }: Place, work: u8) {
        let Bucket { tags, work: works } = &mut self.buckets[bucket];
        let way = (0..WAYS).min_by_key(|&way| works[way]).unwrap_or(0);
        self.used += usize::from(tags[way] == 0);
        (tags[way], works[way]) = (tag, work);
        self.entries[WAYS * bucket + way] = entry;
    }

    pub(super) fn remove(&mut self, position: &G, key: u64) {
        if let Some(index) = self.index(position, self.place(key)) {
            let bucket = &mut self.buckets[index / WAYS];
            (bucket.tags[index % WAYS], bucket.work[index % WAYS]) = (0, 0);
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
        entries.resize(2 * self.entries.len(), Entry::new());
        let buckets = vec![Bucket::default(); 2 * self.buckets.len()];
        let old = std::mem::replace(&mut self.entries, entries);
        let of_old = std::mem::replace(&mut self.buckets, buckets);
        self.used = 0;
        let ways = of_old.iter().flat_map(|Bucket { tags, work }| tags.iter().zip(work));
        for (entry, (_, &work)) in old.into_iter().zip(ways).filter(|(_, (tag, _))| **tag != 0) {
            // A bucket of four becomes two, so there is room for all.
            self.add(entry, self.place(entry.position.key()), work);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nim::Nim;

    type Table = ProofTable<Nim<3>, u8>;

    /// A position of its own for each number.
    fn position(number: usize) -> Nim<3> {
        Nim::new(9, number)
    }

    fn set(table: &mut Table, number: usize, work: u64) {
        let numbers = Numbers::new(number as u32, INFINITE - 1);
        table.set(&position(number), position(number).key(), numbers, number as u8, work);
    }

    fn has(table: &Table, number: usize) -> bool {
        let found = table.get(&position(number), position(number).key());
        assert!(found.is_none_or(|it| it == (Numbers::new(number as u32, INFINITE - 1), number as u8)));
        found.is_some()
    }

    #[test]
    fn numbers_are_those_of_either_side() {
        let open = Numbers::new(3, 5);
        assert_eq!([Numbers::PROVEN, Numbers::DISPROVEN, open].map(Numbers::is_decided), [true, true, false]);
        assert_eq!(
            [Numbers::PROVEN, Numbers::DISPROVEN, open].map(|it| it.decides(true)),
            [true, false, false]
        );
        assert_eq!(
            [Numbers::PROVEN, Numbers::DISPROVEN, open].map(|it| it.decides(false)),
            [false, true, false]
        );
        assert_eq!((open.for_side_to_move(true), open.for_side_to_move(false)), ((3, 5), (5, 3)));
        assert_eq!(
            [true, false].map(|is_or_node| Numbers::of_mover(is_or_node, 3, 5)),
            [open, Numbers::new(5, 3)]
        );
    }

    #[test]
    fn what_is_set_is_found_until_it_is_removed() {
        let mut table = Table::new(0);
        assert_eq!(table.get(&position(1), 0), None);
        for (numbers, note, work) in [
            (Numbers::PROVEN, 1, 1),
            (Numbers::DISPROVEN, 2, u64::MAX),
            (Numbers::new(INFINITE - 1, 1), 3, 0),
            (Numbers::new(1, INFINITE - 1), 255, 1 << 40),
        ] {
            table.set(&position(1), 0, numbers, note, work);
            assert_eq!(table.get(&position(1), 0), Some((numbers, note)));
        }
        table.set(&position(2), 0, Numbers::PROVEN, 0, 1);
        table.remove(&position(3), 0);
        table.remove(&position(1), 0);
        assert_eq!(table.get(&position(1), 0), None, "it had one place only");
        assert_eq!(table.get(&position(2), 0), Some((Numbers::PROVEN, 0)));
    }

    #[test]
    fn in_full_places_the_least_work_is_lost() {
        let mut table = Table::new(0);
        for (number, work) in [(1, 1_000), (2, 10), (3, 1_000), (4, 5_000), (5, 100), (6, 100)] {
            table.set(&position(number), 7, Numbers::PROVEN, 0, work);
        }
        let has = |number| table.get(&position(number), 7).is_some();
        assert_eq!([1, 2, 3, 4, 5, 6].map(has), [true, false, true, true, false, true]);
    }

    #[test]
    fn the_table_grows_with_what_is_in_use() {
        let mut table = Table::new(1 << 20);
        // What is removed needs no place.
        for number in 0..10_000 {
            set(&mut table, number, 1);
            table.remove(&position(number), position(number).key());
        }
        assert_eq!(table.entries.len(), FIRST_ENTRIES);
        (0..700).for_each(|number| set(&mut table, number, 1));
        (0..700).for_each(|number| set(&mut table, number, 1));
        assert_eq!(table.entries.len(), FIRST_ENTRIES);
        (0..3_000).for_each(|number| set(&mut table, number, 1));
        assert_eq!(table.entries.len(), 4 * FIRST_ENTRIES);
        let found = (0..3_000).filter(|&number| has(&table, number)).count();
        assert!(found > 2_300, "{found}");
        let used = table.buckets.iter().flat_map(|it| it.tags).filter(|&it| it != 0).count();
        assert_eq!((found, table.used), (used, used));
        (0..100_000).for_each(|number| set(&mut table, number, 1));
        let bytes = table.entries.len() * size_of::<Entry<Nim<3>, u8>>();
        assert!(((1 << 20) / 3..(1 << 20) / 3 * 2 + 1).contains(&bytes), "{bytes}");
        let found = (90_000..100_000).filter(|&number| has(&table, number)).count();
        assert!(found > 3_000, "{found}");
    }
}
