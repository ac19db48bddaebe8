//! Counts of placements by plies to mate.

use std::collections::BTreeMap;

/// The placements of a table, counted by plies to mate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    /// The number of placements by plies to mate, 0 where black is already mated.
    pub mate_in: BTreeMap<u32, u32>,
    /// The number of placements where black is stuck but not in check.
    pub stuck: u32,
    /// The number of other placements where white can't force mate.
    pub escapes: u32,
}

impl Histogram {
    /// The number of placements that are mate or where white can force it.
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
