//! Workers in other processes.

use std::fmt::Debug;
use std::num::NonZeroUsize;

use quintet_core::visible;
use quintet_protocol::GameRecord;

use super::error::ArenaError;

use super::record;
use super::schedule::{ScheduledGame, Tournament};

/// Workers in other processes, which play games of the same tournament. Each of those processes has
/// the same schedule and plays with a [`Worker`](super::Worker) for every game that it plays at a time.
///
/// Nobody can watch their games: a game is known when it has ended.
pub trait RemoteWorkers: Debug + Sync {
    /// Returns the number of workers, over all processes: the number of games played at a time.
    fn count(&self) -> NonZeroUsize;

    /// Lets a worker play the game with this `index` in the whole schedule, and waits for it. `worker`
    /// is from 0 and less than [`count`](Self::count); no worker gets a game before its last one has
    /// ended. Returns what [`Worker::play`](super::Worker::play) returned in the other process.
    ///
    /// Returns `None` soon after `stopped` has become true, and sees to it that the other process
    /// stops too. `stopped` never becomes false again.
    ///
    /// # Errors
    /// What went wrong, in words for people, with the name of the other process if it has one.
    fn play(
        &self,
        worker: usize,
        index: usize,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Vec<u8>>, String>;
}

/// Lets a worker of another process play a game, whose index is `index`. `None` if it was stopped.
pub(super) fn play(
    workers: &dyn RemoteWorkers,
    worker: usize,
    (index, scheduled): (usize, &ScheduledGame),
    tournament: &Tournament,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Option<GameRecord>, ArenaError> {
    if stopped() {
        return Ok(None);
    }
    let failed = |error: String| ArenaError::Other(format!("in another process: {}", visible(&error)));
    let Some(bytes) = workers.play(worker, index, stopped).map_err(failed)? else {
        let was_asked = stopped();
        return if was_asked { Ok(None) } else { Err(failed("a game was stopped".to_owned())) };
    };
    let record = decoded(&bytes, scheduled, tournament).map_err(|message| {
        let ScheduledGame { game, group, .. } = scheduled;
        let text = "this is not what another process has played";
        ArenaError::Other(format!("{game}, opening {}: {text}: {message}", group + 1))
    })?;
    Ok(Some(record))
}

/// Returns the record of a game, which must be the one that was to be played.
fn decoded(bytes: &[u8], scheduled: &ScheduledGame, tournament: &Tournament) -> Result<GameRecord, String> {
    let record: GameRecord = quintet_protocol::read(quintet_protocol::object(bytes)?)?;
    tournament.check_record(scheduled, &record)?;
    record::check(&record, &scheduled.game)?;
    Ok(record)
}
