//! The positions that several proof-number searches for one claim have met.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::proof_table::{Numbers, ProofTable};
use crate::game::Game;

/// What all searches know. It only changes while none of them is at work.
type Common<G, N> = Arc<Mutex<Arc<ProofTable<G, N>>>>;

/// The table of one search, which may have forks. These look into the table of the first search and keep what they find
/// in tables of their own, so that they can work side by side and nothing depends on which is faster.
pub(super) struct SharedTable<G, N> {
    /// Of a fork, what it has found since it last shared that. The first search has all that is known while it is at
    /// work or has no forks.
    own: ProofTable<G, N>,
    common: Option<Common<G, N>>,
    /// What is known to all, while a fork is at work.
    seen: Option<Arc<ProofTable<G, N>>>,
    is_fork: bool,
}

impl<G: Game, N: Copy + Default> SharedTable<G, N> {
    pub(super) fn new(memory: usize) -> Self {
        Self { own: ProofTable::new(memory), common: None, seen: None, is_fork: false }
    }

    /// The table of a fork, with so much memory for what it finds until it shares that.
    pub(super) fn fork(&mut self, memory: usize) -> Self {
        let own = &mut self.own;
        let common = self.common.get_or_insert_with(|| {
            Arc::new(Mutex::new(Arc::new(std::mem::replace(own, ProofTable::smallest()))))
        });
        Self { own: ProofTable::new(memory), common: Some(Arc::clone(common)), seen: None, is_fork: true }
    }

    /// Begins to look up and to set positions.
    pub(super) fn begin(&mut self) {
        match &self.common {
            Some(common) if self.is_fork => self.seen = Some(Arc::clone(&lock(common))),
            _ => self.swap_with_common(),
        }
    }

    /// Ends that.
    pub(super) fn end(&mut self) {
        if self.is_fork {
            self.seen = None;
        } else {
            self.swap_with_common();
        }
    }

    fn swap_with_common(&mut self) {
        if let Some(common) = &self.common
            && let Some(table) = Arc::get_mut(&mut lock(common))
        {
            std::mem::swap(table, &mut self.own);
        }
    }

    /// Lets the others know what this fork has found.
    pub(super) fn share(&mut self) {
        if let Some(common) = &self.common
            && self.is_fork
            && let Some(table) = Arc::get_mut(&mut lock(common))
        {
            self.own.move_into(table);
        }
    }

    /// What is known of a position between [`begin`](Self::begin) and [`end`](Self::end).
    #[inline]
    pub(super) fn get(&self, position: &G, key: u64) -> Option<(Numbers, N)> {
        self.own.get(position, key).or_else(|| self.seen.as_ref()?.get(position, key))
    }

    /// What is known of a position at other times.
    pub(super) fn look_up(&self, position: &G, key: u64) -> Option<(Numbers, N)> {
        self.own.get(position, key).or_else(|| lock(self.common.as_ref()?).get(position, key))
    }

    #[inline]
    pub(super) fn set(&mut self, position: &G, key: u64, numbers: Numbers, note: N, work: u64) {
        self.own.set(position, key, numbers, note, work);
    }

    /// Removes a position; not to be called between [`begin`](Self::begin) and [`end`](Self::end).
    pub(super) fn remove(&mut self, position: &G, key: u64) {
        self.own.remove(position, key);
        if let Some(common) = &self.common
            && let Some(table) = Arc::get_mut(&mut lock(common))
        {
            table.remove(position, key);
        }
    }
}

fn lock<T>(common: &Mutex<T>) -> MutexGuard<'_, T> {
    common.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nim::Nim;

    type Table = SharedTable<Nim<3>, u8>;

    fn set(table: &mut Table, number: usize, numbers: Numbers) {
        let position = Nim::new(9, number);
        table.set(&position, position.key(), numbers, 0, 1);
    }

    fn get(table: &Table, number: usize) -> Option<Numbers> {
        let position = Nim::new(9, number);
        table.get(&position, position.key()).map(|(numbers, _)| numbers)
    }

    fn look_up(table: &Table, number: usize) -> Option<Numbers> {
        let position = Nim::new(9, number);
        table.look_up(&position, position.key()).map(|(numbers, _)| numbers)
    }

    #[test]
    fn forks_know_what_was_known_before_and_learn_the_rest_when_it_is_shared() {
        let open = Numbers::new(3, 4);
        let mut first = Table::new(1 << 20);
        first.begin();
        set(&mut first, 1, Numbers::PROVEN);
        first.end();
        let mut forks = [first.fork(1 << 16), first.fork(1 << 16)];
        forks.iter_mut().for_each(Table::begin);
        set(&mut forks[0], 2, Numbers::PROVEN);
        set(&mut forks[0], 3, Numbers::PROVEN);
        set(&mut forks[1], 3, open);
        set(&mut forks[1], 1, open);
        set(&mut forks[0], 5, Numbers::PROVEN);
        set(&mut forks[1], 5, Numbers::DISPROVEN);
        set(&mut forks[0], 6, Numbers::DISPROVEN);
        set(&mut forks[1], 6, Numbers::PROVEN);
        let known = |table: &Table| [1, 2, 3].map(|number| get(table, number));
        assert_eq!(known(&forks[0]), [Some(Numbers::PROVEN); 3]);
        assert_eq!(known(&forks[1]), [Some(open), None, Some(open)]);
        // While one is at work, nothing is shared.
        forks[0].end();
        forks[0].share();
        assert_eq!(look_up(&first, 2), None);
        forks[1].end();
        forks.iter_mut().for_each(Table::share);
        // What is proven stays so.
        for table in forks.iter().chain([&first]) {
            assert_eq!([1, 2, 3, 5, 6].map(|number| look_up(table, number)), [Some(Numbers::PROVEN); 5]);
        }
        // The first search goes on with all of it, and so do the forks.
        first.begin();
        assert_eq!(known(&first), [Some(Numbers::PROVEN); 3]);
        set(&mut first, 4, open);
        first.end();
        forks[1].begin();
        assert_eq!(get(&forks[1], 4), Some(open));
        forks[1].end();
        let position = Nim::new(9, 4);
        first.remove(&position, position.key());
        assert_eq!([look_up(&first, 4), look_up(&forks[1], 4)], [None; 2]);
    }
}
