//! Playing games for the tournament of another process.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc;
use std::thread;

use super::error::ArenaError;
use super::schedule::{ScheduledGame, Tournament};
use super::worker::Worker;

/// Deals out the games of an arena, as a process that follows sees it. Its workers are numbered from
/// 0; each waits for a game, plays it, answers and waits for the next one.
pub trait GameSource: Sync {
    /// Says that this process is set up and has this number of workers. It is called once, before any
    /// other.
    fn announce_workers(&self, count: NonZeroUsize);

    /// Waits for the next game of a worker, an index in the schedule; `None` if it is to end.
    fn next_game(&self, worker: usize) -> Option<usize>;

    /// Passes on how the last game of a worker ended: what
    /// [`RemoteWorkers::play`](super::RemoteWorkers::play) is to return there.
    fn ended(&self, worker: usize, game: Result<Option<Vec<u8>>, String>);
}

/// Plays the games that are dealt out, `count` at a time, until all workers are told to end. `stop` stops games
/// before their end.
///
/// # Errors
/// [`ArenaError`] if there are no threads, or an external engine can't be started: the leader has not heard of
/// this process then.
pub fn follow(
    tournament: &Tournament,
    schedule: &[ScheduledGame],
    count: NonZeroUsize,
    stop: &AtomicBool,
    source: &dyn GameSource,
) -> Result<(), ArenaError> {
    let workers = Worker::several(count.get(), tournament, schedule, 0..schedule.len())?;
    thread::scope(|scope| {
        let mut starts = Vec::new();
        for (number, mut worker) in workers.into_iter().enumerate() {
            let (start, started) = mpsc::channel();
            let games = move || {
                // If another thread can't be started, none starts.
                if started.recv().is_err() {
                    return;
                }
                while let Some(index) = source.next_game(number) {
                    source.ended(number, worker.play(index, stop).map_err(|error| error.to_string()));
                }
                worker.quit();
            };
            let thread = thread::Builder::new().spawn_scoped(scope, games);
            thread.map_err(|error| ArenaError::no_thread(&error))?;
            starts.push(start);
        }
        source.announce_workers(count);
        for start in starts {
            // The thread waits for it.
            let _ = start.send(());
        }
        Ok(())
    })
}
