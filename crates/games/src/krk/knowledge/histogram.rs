//! How many placements are won, and in how many plies.

use std::collections::BTreeMap;

/// How many placements of a table are mate in how many plies, and how many are not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    /// The number of placements by the plies to mate; 0 where black is mated already.
    pub mate_in: BTreeMap<u32, u32>,
    /// The placements where black is stuck, but not in check.
    pub stuck: u32,
    /// The other placements where white can't force mate.
    pub escapes: u32,
}

impl Histogram {
    /// Counts a placement: the plies to mate from it, and whether black is stuck there.
    pub(super) fn add(&mut self, mate_in: Option<u32>, is_stuck: bool) {
        match mate_in {
            Some(plies) => *self.mate_in.entry(plies).or_default() += 1,
            None if is_stuck => self.stuck += 1,
            None => self.escapes += 1,
        }
    }

    /// The number of placements that are mate, now or later.
    #[must_use]
    pub fn won(&self) -> u32 {
        self.mate_in.values().sum()
    }

    /// The number of all placements.
    #[must_use]
    pub fn placements(&self) -> u32 {
        self.won() + self.stuck + self.escapes
    }
}
