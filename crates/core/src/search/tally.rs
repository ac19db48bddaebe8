//! Sums over ranks for which nobody waits.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use super::ranks::Ranks;

/// The numbers of all ranks in a search that time limits.
///
/// Every rank [posts](Self::post) its numbers, works on while they are added up, and posts again once
/// it has the sums. So nobody waits for a rank that is slow or far away: what is known of the others
/// is what they had posted by the last sums. The leader decides alone when the search is over, and
/// just leaves; the others learn it from its last post and go with it.
pub(super) struct Tally {
    ranks: Ranks,
    /// What this rank has posted, and where the sums will come.
    open: Option<(Vec<u64>, Receiver<Vec<u64>>)>,
    /// The last sums, without the numbers of this rank.
    others: Vec<u64>,
    /// Whether sums have come.
    pub(super) is_known: bool,
    /// The leader has gone, or the connection has.
    pub(super) is_over: bool,
}

/// How long a rank waits at a time that has nothing else to do.
const LONG: Duration = Duration::from_secs(1);

/// The places of a tally's own numbers: whether the leader has gone, and how many ranks can't search.
const OVER: usize = 0;
const FAILED: usize = 1;
const OWN: usize = 2;

impl Tally {
    /// A tally of `count` numbers.
    pub(super) fn new(ranks: Ranks, count: usize) -> Self {
        Self { ranks, open: None, others: vec![0; OWN + count], is_known: false, is_over: false }
    }

    pub(super) fn is_leader(&self) -> bool {
        self.ranks.is_leader()
    }

    /// Whether sums are on their way.
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Whether another rank can't search.
    pub(super) fn has_failed(&self) -> bool {
        self.others[FAILED] > 0
    }

    /// Adds what is known of the others.
    pub(super) fn add_others(&self, numbers: &mut [u64]) {
        for (number, others) in numbers.iter_mut().zip(&self.others[OWN..]) {
            *number = number.wrapping_add(*others);
        }
    }

    /// Posts these numbers, unless sums are on their way.
    pub(super) fn post(&mut self, numbers: &[u64]) {
        self.post_with(0, numbers);
    }

    fn post_with(&mut self, failed: u64, numbers: &[u64]) {
        if self.open.is_none() && !self.is_over {
            let mut own = vec![0, failed];
            own.extend_from_slice(numbers);
            own.resize(self.others.len(), 0);
            let sums = self.ranks.begin_sum(own.clone());
            self.open = Some((own, sums));
        }
    }

    /// Takes in the sums that are on their way if they come within `timeout`; returns whether it has.
    pub(super) fn take(&mut self, timeout: Duration) -> bool {
        let Some((own, sums)) = &self.open else { return false };
        match sums.recv_timeout(timeout) {
            Ok(sums) => {
                self.is_known = true;
                self.others = sums.iter().zip(own).map(|(sum, own)| sum.wrapping_sub(*own)).collect();
                self.is_over = self.others[OVER] > 0;
            }
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => self.is_over = true,
        }
        self.open = None;
        true
    }

    /// Tells the leader that this rank can't search, until it leaves.
    pub(super) fn fail(&mut self) {
        while !self.is_leader() && !self.is_over {
            self.post_with(1, &[]);
            self.take(LONG);
        }
    }
}

impl Drop for Tally {
    /// The leader leaves: the others need not grow their trees any more. What they have posted before
    /// that is added up without it.
    fn drop(&mut self) {
        if !self.is_leader() {
            return;
        }
        self.ranks.stop();
        let mut last = vec![0; self.others.len()];
        last[OVER] = 1;
        // Nobody here needs the sums.
        let _ = self.ranks.begin_sum(last);
    }
}
