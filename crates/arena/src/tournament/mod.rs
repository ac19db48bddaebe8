//! Matches between engines.
//!
//! A [`Tournament`] lists its games; [`run`] plays them, several at a time, and passes on a
//! [`GameRecord`] of each. A [`GameLog`] stores the records, and [`Standings`] add up their
//! results.

mod adjudication;
mod external;
mod log;
mod merge;
mod opening;
mod play;
mod playing;
mod results;
mod schedule;
mod standings;
mod summary;
mod watch;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use external::Players;
use play::GameToPlay;
use quintet_core::Quoted;
use quintet_core::registry::Variant;
use quintet_protocol::GameRecord;

pub use adjudication::{Adjudication, Agreement};
pub use log::{GameLog, LogError, read_games};
pub use merge::{MergeError, merge};
pub use opening::{Book, BookError, NoOpening, Openings};
pub use playing::Playing;
pub use results::MatchResults;
pub(crate) use schedule::seed_of;
pub use schedule::{Assignment, Format, Mismatch, Shard, Tournament};
pub use standings::{GameRatings, Match, Standings, VariantName};
pub use summary::{WrongGame, summary};
pub use watch::{News, Watch};

use crate::engine::EngineSetUpError;

/// Why a game can't be played.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// An engine can't be set up, or failed during a game.
    #[error("engine {}: {error}", Quoted(.name))]
    Engine {
        /// The engine's name.
        name: String,
        /// What is wrong.
        error: EngineSetUpError,
    },
    /// The program of an external engine can't be started.
    #[error("engine {}: can't start {}: {error}", Quoted(.name), Quoted(.command))]
    Start {
        /// The engine's name.
        name: String,
        /// Its command.
        command: String,
        /// The system's error.
        error: std::io::Error,
    },
    /// The system does not let the arena start another process.
    #[error("can't start an engine: {0} (ulimit -n, -u and -v limit the arena)")]
    Shortage(std::io::Error),
    /// No opening was found.
    #[error("{game}: {error}")]
    Opening {
        /// The game and its ruleset.
        game: Variant,
        /// What is wrong.
        error: NoOpening,
    },
    /// The threads of the searches can't be started.
    #[error("can't start the threads: {0} (ulimit -u and -v limit them)")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The thread of a game can't be started.
    #[error("can't start a thread for each game: {0} (ulimit -u and -v limit them)")]
    Worker(std::io::Error),
}

/// Plays the games of a tournament's `schedule`, `concurrency` at a time, and passes each one to
/// `on_game` when it ends. Skips games for which `wanted` returns false when their turn comes.
/// `playing`, if any, shows the games under way.
///
/// Stops early, without an error, when `stop` becomes true or `on_game` returns false. It then
/// drops the games in progress and kills the external engines.
///
/// An external engine loses a game by an illegal move, a timeout or a crash. Each worker has its
/// own process for each external engine it meets.
///
/// # Errors
/// [`ArenaError`] if a game can't be played; games that ended earlier have been passed on. An
/// external engine whose program can't be started is reported before the first game.
pub fn run(
    tournament: &Tournament,
    schedule: &[Assignment],
    concurrency: NonZeroUsize,
    stop: &AtomicBool,
    playing: Option<&Playing<'_>>,
    wanted: impl Fn(&Assignment) -> bool + Sync,
    mut on_game: impl FnMut(&Assignment, GameRecord) -> bool,
) -> Result<(), ArenaError> {
    let next = AtomicUsize::new(0);
    let abort = AtomicBool::new(false);
    let stopped = || stop.load(Ordering::Relaxed) || abort.load(Ordering::Relaxed);
    // Each worker has its own thread pool for its engines' trees, so that no search waits for
    // another game. Trees beyond the number of cores share threads.
    let threads = tournament.trees().min(rayon::current_num_threads());
    let pools = (0..concurrency.get().min(schedule.len()))
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(threads).build())
        .collect::<Result<Vec<_>, _>>()?;
    let mut first = Players::new(tournament);
    first.start(schedule)?;
    let others = std::iter::repeat_with(|| Players::new(tournament));
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for (number, (pool, mut players)) in
            pools.iter().zip(std::iter::once(first).chain(others)).enumerate()
        {
            let sender = sender.clone();
            let seat = playing.and_then(|it| it.seat(number));
            let (next, stopped, wanted) = (&next, &stopped, &wanted);
            let worker = std::thread::Builder::new().spawn_scoped(scope, move || {
                while let Some(assignment) = schedule.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !wanted(assignment) {
                        continue;
                    }
                    let (players, seat) = (&mut players, seat.as_ref());
                    let play = GameToPlay { tournament, assignment, players, stopped, stop, seat };
                    let played = pool.install(|| play.run()).transpose();
                    // A stopped game has no result, and an aborted run has no receiver.
                    let Some(played) = played else { return };
                    if sender.send((assignment, played)).is_err() {
                        return;
                    }
                }
                players.quit();
            });
            if let Err(error) = worker {
                abort.store(true, Ordering::Relaxed);
                return Err(ArenaError::Worker(error));
            }
        }
        drop(sender);
        for (assignment, played) in receiver {
            let goes_on = match played {
                Ok(record) => on_game(assignment, record),
                Err(error) => {
                    abort.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            };
            if !goes_on {
                abort.store(true, Ordering::Relaxed);
                break;
            }
        }
        Ok(())
    })
}
