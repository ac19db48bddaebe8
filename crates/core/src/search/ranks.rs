//! Searches whose trees grow in several processes.
//!
//! Every process (*rank*) grows trees of its own. Under a budget of iterations the ranks are in *lockstep*:
//! each takes every decision itself, from numbers that are summed over all ranks, so all decide alike and
//! find what one process with all the trees finds. If time limits a search, it is *asynchronous*: rank 0
//! decides, and nobody waits for sums; see [`Tally`](super::tally::Tally).

use std::fmt;
use std::sync::mpsc::{self, Receiver};

use super::error::SearchError;
use crate::game::{Outcome, Side};

#[cfg(test)]
mod tests;

/// How the ranks of a search add up their numbers: over a network, or between threads.
///
/// All ranks search the same position with the same settings, so they call [`sum`](Self::sum)
/// and [`begin_sum`](Self::begin_sum) equally often, in the same order, and with as many numbers.
pub trait Exchange: fmt::Debug + Send + Sync {
    /// The number of this rank, from 0. Rank 0 is the leader: its clock counts.
    fn rank(&self) -> usize;

    /// The number of ranks, 1 to [`Ranks::MAX`].
    fn ranks(&self) -> usize;

    /// Replaces each number by the sum over all ranks, modulo 2⁶⁴. Waits for the slowest rank.
    fn sum(&self, numbers: &mut [u64]);

    /// Begins to add up these numbers, as [`sum`](Self::sum) does, and returns at once. The sums come
    /// when all ranks have begun; if the receiver is gone by then, they are dropped. It counts as a
    /// call of `sum` for the order of all calls.
    fn begin_sum(&self, numbers: Vec<u64>) -> Receiver<Vec<u64>>;

    /// Makes the searches of the other ranks stop growing their trees, as the leader's is stopped. It
    /// need not wait until they do.
    fn stop(&self);
}

/// The ranks that search together; one alone by default.
#[derive(Clone, Copy, Default)]
pub struct Ranks(Option<&'static dyn Exchange>);

impl Ranks {
    /// The maximum number of ranks.
    pub const MAX: usize = u16::MAX as usize;

    /// One rank, which has nobody to talk to.
    pub const ALONE: Self = Self(None);

    /// The ranks that are connected by `exchange`.
    ///
    /// # Errors
    /// [`SearchError::TooManyRanks`] if there are too many of them.
    pub fn of(exchange: &'static dyn Exchange) -> Result<Self, SearchError> {
        match exchange.ranks() {
            1 => Ok(Self::ALONE),
            2..=Self::MAX => Ok(Self(Some(exchange))),
            ranks => Err(SearchError::TooManyRanks { ranks, most: Self::MAX }),
        }
    }

    /// The number of ranks.
    #[must_use]
    pub fn count(self) -> usize {
        self.0.map_or(1, Exchange::ranks)
    }

    /// The number of this rank, from 0.
    pub(super) fn index(self) -> usize {
        self.0.map_or(0, Exchange::rank)
    }

    pub(super) fn is_alone(self) -> bool {
        self.0.is_none()
    }

    pub(super) fn is_leader(self) -> bool {
        self.index() == 0
    }

    /// Replaces each number by the sum over all ranks.
    pub(super) fn sum(self, numbers: &mut [u64]) {
        if let Some(exchange) = self.0 {
            exchange.sum(numbers);
        }
    }

    /// Begins to add up over all ranks.
    pub(super) fn begin_sum(self, numbers: Vec<u64>) -> Receiver<Vec<u64>> {
        if let Some(exchange) = self.0 {
            return exchange.begin_sum(numbers);
        }
        let (sums, summed) = mpsc::channel();
        // The other end is here.
        let _ = sums.send(numbers);
        summed
    }

    /// Whether all ranks say yes.
    pub(super) fn agree(self, yes: bool) -> bool {
        let mut no = [u64::from(!yes)];
        self.sum(&mut no);
        no == [0]
    }

    /// Sends all ranks the numbers of the first rank that has some (`own`), at most `most`. `None` if no
    /// rank has.
    pub(super) fn first(self, own: Option<Vec<u64>>, most: usize) -> Option<Vec<u64>> {
        if self.is_alone() {
            return own;
        }
        let mut speaks = vec![0; self.count()];
        speaks[self.index()] = u64::from(own.is_some());
        self.sum(&mut speaks);
        let first = speaks.iter().position(|&it| it > 0)?;
        let own = own.filter(|_| first == self.index()).unwrap_or_default();
        let mut numbers = vec![own.len() as u64];
        numbers.extend(own);
        numbers.resize(most + 1, 0);
        self.sum(&mut numbers);
        let length = usize::try_from(numbers[0]).unwrap_or(most);
        Some(numbers.into_iter().skip(1).take(length).collect())
    }

    /// The outcome that the leader finds. The others wait for it.
    pub(super) fn outcome_of_leader(self, find: impl FnOnce() -> Option<Outcome>) -> Option<Outcome> {
        let own = if self.is_leader() { find() } else { None };
        let found = self.first(own.map(|outcome| vec![outcome.score(Side::First).into()]), 1)?;
        Some(Outcome::of_score(Side::First, *found.first()? as u8))
    }

    /// Stops the other ranks.
    pub(super) fn stop(self) {
        if let Some(exchange) = self.0 {
            exchange.stop();
        }
    }
}

/// Whether they are connected alike.
impl PartialEq for Ranks {
    fn eq(&self, other: &Self) -> bool {
        let address = |it: &Self| it.0.map(|it| std::ptr::from_ref(it).addr());
        address(self) == address(other)
    }
}

impl fmt::Debug for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ranks({} of {})", self.index(), self.count())
    }
}
