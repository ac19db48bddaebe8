//! The results of records that come one by one, of one tournament.

use std::sync::atomic::{AtomicBool, Ordering};

use quintet_core::registry::Registry;
use quintet_protocol::{ArenaResults, GameRecord};

use super::merge::SharedConditions;
use super::record::checked;
use super::standings::Standings;

/// Returns the results and ratings of the games of one tournament, as `arena --json` prints them.
/// Matches are in the order in which they first appear. If `stop` becomes true, what comes after that is left
/// out.
///
/// # Errors
/// What is wrong if a record contradicts the rules of its game, a game is there twice, or two were played
/// under different conditions.
pub fn summary(
    records: impl IntoIterator<Item = GameRecord>,
    registry: &Registry,
    stop: &AtomicBool,
) -> Result<ArenaResults, String> {
    let mut tally = RunningResults::default();
    for (index, record) in records.into_iter().enumerate() {
        let number = index + 1;
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let added = checked(record, registry)
            .and_then(|record| tally.add(&record, registry, &format!("record {number}")));
        added.map_err(|message| format!("record {number}: {message}"))?;
    }
    Ok(tally.standings.summary_until(None, stop))
}

/// The results of checked records.
#[derive(Debug, Default)]
pub(super) struct RunningResults {
    conditions: SharedConditions,
    pub(super) standings: Standings,
}

impl RunningResults {
    /// Adds a game of the `registry`; `place` says where its record is.
    pub(super) fn add(
        &mut self,
        record: &GameRecord,
        registry: &Registry,
        place: &str,
    ) -> Result<(), String> {
        let same = self.conditions.check(record, place);
        same.map_err(|error| format!("a game of another tournament: {error}"))?;
        if self.standings.add_any(record, registry) {
            Ok(())
        } else {
            Err("this game is there already".to_owned())
        }
    }
}
