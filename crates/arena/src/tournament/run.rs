//! Playing games of a tournament, several at a time.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use quintet_protocol::GameRecord;

use super::error::ArenaError;
use super::playing::{GameSlot, Playing};
use super::remote::{self, RemoteWorkers};
use super::schedule::{ScheduledGame, Tournament};
use super::worker::{self, Worker};

/// The games to play, and who plays them.
#[derive(Debug, Clone, Copy)]
pub struct Plan<'a> {
    /// The tournament.
    pub tournament: &'a Tournament,
    /// All of its games, or all of a shard.
    pub schedule: &'a [ScheduledGame],
    /// The indices in `schedule` of the games to play, in this order.
    pub indices: &'a [usize],
    /// Who plays them.
    pub workers: Workers<'a>,
    /// Becomes true to stop early.
    pub stop: &'a AtomicBool,
}

/// Who plays the games of a [`Plan`]. Each worker plays one game at a time.
#[derive(Debug, Clone, Copy)]
pub enum Workers<'a> {
    /// Workers of this process.
    Local {
        /// How many there are.
        count: NonZeroUsize,
        /// Shows the games under way.
        playing: Option<&'a Playing>,
    },
    /// Workers of other processes. This one plays no game.
    Remote(&'a dyn RemoteWorkers),
}

/// A worker of a run.
enum AnyWorker<'a> {
    Local { worker: Worker<'a>, slot: Option<GameSlot<'a>> },
    Remote { workers: &'a dyn RemoteWorkers, number: usize },
}

impl<'a> AnyWorker<'a> {
    /// Returns the workers of a plan, at most one for each game.
    fn all(plan: &Plan<'a>) -> Result<Vec<Self>, ArenaError> {
        let Plan { tournament, schedule, indices, .. } = *plan;
        match plan.workers {
            Workers::Local { count, playing } => {
                let count = count.get().min(indices.len());
                let workers = Worker::several(count, tournament, schedule, indices.iter().copied())?;
                let local = |(number, worker)| {
                    let slot = playing.and_then(|it| it.slot(number));
                    Self::Local { worker, slot }
                };
                Ok(workers.into_iter().enumerate().map(local).collect())
            }
            Workers::Remote(workers) => {
                let count = workers.count().get().min(indices.len());
                Ok((0..count).map(|number| Self::Remote { workers, number }).collect())
            }
        }
    }

    /// Plays the game with this index in the schedule; `None` if it was stopped.
    fn play(
        &mut self,
        plan: &Plan<'_>,
        (index, scheduled): (usize, &ScheduledGame),
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<GameRecord>, ArenaError> {
        match self {
            Self::Local { worker, slot } => worker.game(scheduled, plan.stop, stopped, slot.as_ref()),
            Self::Remote { workers, number } => {
                remote::play(*workers, *number, (index, scheduled), plan.tournament, stopped)
            }
        }
    }

    /// Ends when there are no more games.
    fn quit(self) {
        if let Self::Local { worker, .. } = self {
            worker.quit();
        }
    }
}

/// Plays the games of a plan, several at a time, and passes each one to `on_game` when it ends. Skips
/// games for which `wanted` returns false when their turn comes.
///
/// Stops early, without an error, when the plan's `stop` becomes true or `on_game` returns false. It
/// then drops the games in progress and kills the external engines.
///
/// An external engine loses a game by an illegal move, a timeout or a crash. Each worker has its
/// own process for each external engine it meets.
///
/// A game of another process is checked: it must be the one that was to be played, and its record must
/// be right by the rules.
///
/// # Errors
/// [`ArenaError`] if a game can't be played; games that ended earlier have been passed on. An
/// external engine of this process whose program can't be started is reported before the first game.
pub fn run(
    plan: &Plan<'_>,
    wanted: impl Fn(&ScheduledGame) -> bool + Sync,
    mut on_game: impl FnMut(&ScheduledGame, GameRecord) -> bool,
) -> Result<(), ArenaError> {
    let game = |&index: &usize| Ok((index, worker::scheduled(plan.schedule, index)?));
    let games: Vec<(usize, &ScheduledGame)> =
        plan.indices.iter().map(game).collect::<Result<_, ArenaError>>()?;
    let workers = AnyWorker::all(plan)?;
    let next = AtomicUsize::new(0);
    let abort = AtomicBool::new(false);
    let stopped = || plan.stop.load(Ordering::Relaxed) || abort.load(Ordering::Relaxed);
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for mut worker in workers {
            let sender = sender.clone();
            let (games, next, stopped, wanted) = (&games, &next, &stopped, &wanted);
            let thread = std::thread::Builder::new().spawn_scoped(scope, move || {
                while let Some(&game) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (_, scheduled) = game;
                    if !wanted(scheduled) {
                        continue;
                    }
                    let played = worker.play(plan, game, stopped).transpose();
                    // A stopped game has no result, an aborted run has no receiver, and an error ends
                    // the run.
                    let Some(played) = played else { return };
                    let is_last = played.is_err();
                    if sender.send((scheduled, played)).is_err() || is_last {
                        return;
                    }
                }
                worker.quit();
            });
            if let Err(error) = thread {
                abort.store(true, Ordering::Relaxed);
                return Err(ArenaError::no_thread(&error));
            }
        }
        drop(sender);
        for (scheduled, played) in receiver {
            let goes_on = match played {
                Ok(record) => on_game(scheduled, record),
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
