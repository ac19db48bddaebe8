//! Workers: each plays one game at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use quintet_protocol::GameRecord;

use super::error::ArenaError;
use super::external::{ExternalEngines, FailedStarts};
use super::log::json;
use super::play::GameToPlay;
use super::playing::GameSlot;
use super::schedule::{ScheduledGame, Tournament};

/// A worker of this process. It has threads of its own for its engines' trees, so that no search
/// waits for another game, and a process of its own for each external engine it meets.
///
/// [`run`](super::run()) has such workers. A process that plays games for the [`run`](super::run()) of
/// another one makes its own.
#[derive(Debug)]
pub struct Worker<'a> {
    tournament: &'a Tournament,
    schedule: &'a [ScheduledGame],
    pool: rayon::ThreadPool,
    externals: ExternalEngines<'a>,
}

impl<'a> Worker<'a> {
    /// Creates workers for the games of a `schedule`. Starts the external engines of the `games`, which
    /// are indices in the schedule, for the first worker, so that a program that can't be started is
    /// known before the first game. Otherwise an engine starts with its first game, which it loses if
    /// it can't be started.
    ///
    /// # Errors
    /// [`ArenaError`] if the threads or an engine can't be started, or the schedule has no such game.
    pub fn several(
        count: usize,
        tournament: &'a Tournament,
        schedule: &'a [ScheduledGame],
        games: impl IntoIterator<Item = usize>,
    ) -> Result<Vec<Self>, ArenaError> {
        let threads = tournament.threads().min(rayon::current_num_threads());
        let failed_starts: FailedStarts = tournament.engines.iter().map(|_| AtomicU32::new(0)).collect();
        let worker = |_| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
                ArenaError::Other(format!("can't start the threads: {error} (ulimit -u and -v limit them)"))
            })?;
            let externals = ExternalEngines::new(tournament, Arc::clone(&failed_starts));
            Ok(Self { tournament, schedule, pool, externals })
        };
        let mut workers = (0..count).map(worker).collect::<Result<Vec<_>, ArenaError>>()?;
        if let Some(first) = workers.first_mut() {
            for index in games {
                first.externals.start(scheduled(schedule, index)?)?;
            }
        }
        Ok(workers)
    }

    /// Plays the game with this index in the schedule and returns its record as JSON, which
    /// [`RemoteWorkers::play`](super::RemoteWorkers::play) passes on. `None` if `stop` became true
    /// before its end.
    ///
    /// # Errors
    /// [`ArenaError`] if the game can't be played, or the schedule has no such game.
    pub fn play(&mut self, index: usize, stop: &AtomicBool) -> Result<Option<Vec<u8>>, ArenaError> {
        let scheduled = scheduled(self.schedule, index)?;
        let record = self.game(scheduled, stop, &|| stop.load(Ordering::Relaxed), None)?;
        Ok(record.map(|record| json(&record).into_bytes()))
    }

    /// Plays a game and shows it on `slot`. `stop` ends the search of a move, and `stopped` says that
    /// the game is to end. `None` if it was stopped.
    pub(super) fn game(
        &mut self,
        scheduled: &ScheduledGame,
        stop: &AtomicBool,
        stopped: &(dyn Fn() -> bool + Sync),
        slot: Option<&GameSlot<'_>>,
    ) -> Result<Option<GameRecord>, ArenaError> {
        let Self { tournament, pool, externals, .. } = self;
        pool.install(|| GameToPlay { tournament, scheduled, externals, stopped, stop, slot }.run())
    }

    /// Asks the external engines to quit, and kills those that do not end soon. A worker that is
    /// dropped kills them at once.
    pub fn quit(self) {
        self.externals.quit();
    }
}

/// Returns the game with this index in the schedule.
pub(super) fn scheduled(schedule: &[ScheduledGame], index: usize) -> Result<&ScheduledGame, ArenaError> {
    schedule.get(index).ok_or_else(|| {
        let games = schedule.len();
        ArenaError::Other(format!("there is no game {index} in a schedule of {games} games, counted from 0"))
    })
}
