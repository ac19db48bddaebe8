//! Matches between engines.
//!
//! A [`Tournament`] lists its games; [`run`] plays them, several at a time, and hands each finished one over
//! as a [`GameRecord`]. [`MatchScore`], [`Sprt`] and [`RatingList`] tell what the results are worth.

mod log;
mod merge;
mod opening;
mod record;
mod results;
mod schedule;
mod standings;
mod stats;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use indexmap::IndexMap;

use opening::Opening;

pub use log::{GameLog, LogError, read_games};
pub use merge::{MergeError, merge};
pub use opening::{Book, BookError, NoOpening, Openings};
pub use record::{Conditions, End, GameRecord};
pub use results::MatchResults;
pub use schedule::{Assignment, Foreign, Format, Shard, Tournament};
pub use standings::{GameRatings, Match, Standings};
pub use stats::{
    Elo, EloModel, Estimate, Hypothesis, MatchScore, Rating, RatingError, RatingList, Sprt, SprtError,
    pairs_to_resolve,
};

use crate::catalog::Visitor;
use crate::engine::Engine;
use crate::game::{Side, derive_seed};
use crate::knowledge::Known;
use crate::search::SearchError;

/// Why a game can't be played.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// An engine can't be set up, or could not go on.
    #[error("engine {name:?}: {error}")]
    Engine {
        /// The engine's name.
        name: String,
        /// What is wrong.
        error: SearchError,
    },
    /// No opening could be drawn.
    #[error("{game} {rules}: {error}")]
    Opening {
        /// The game.
        game: crate::catalog::GameId,
        /// Its ruleset.
        rules: crate::games::Rules,
        /// What is wrong.
        error: NoOpening,
    },
    /// The threads can't be started.
    #[error("can't start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Plays those games of `schedule`, which belong to `tournament`, that are `wanted` when their turn comes,
/// `concurrency` at a time, and hands each one over as it ends.
///
/// Ends early, without an error, when `stop` becomes true or `on_game` returns false; games under way are
/// then dropped.
///
/// # Errors
/// [`ArenaError`] if a game can't be played; the games that ended before it have been handed over.
pub fn run(
    tournament: &Tournament,
    schedule: &[Assignment],
    concurrency: NonZeroUsize,
    stop: &AtomicBool,
    wanted: impl Fn(&Assignment) -> bool + Sync,
    mut on_game: impl FnMut(&Assignment, GameRecord) -> bool,
) -> Result<(), ArenaError> {
    let next = AtomicUsize::new(0);
    let abort = AtomicBool::new(false);
    let stopped = || stop.load(Ordering::Relaxed) || abort.load(Ordering::Relaxed);
    // Each worker has threads of its own for the trees of its engines, so that no search waits for
    // another game's. Trees beyond the number of cores take turns on them.
    let threads = tournament.trees().min(rayon::current_num_threads());
    let pools = (0..concurrency.get().min(schedule.len()))
        .map(|_| rayon::ThreadPoolBuilder::new().num_threads(threads).build())
        .collect::<Result<Vec<_>, _>>()?;
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for pool in &pools {
            let sender = sender.clone();
            let (next, stopped, wanted) = (&next, &stopped, &wanted);
            scope.spawn(move || {
                while let Some(assignment) = schedule.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !wanted(assignment) {
                        continue;
                    }
                    let play = Play { tournament, assignment, stopped };
                    let (game, rules) = assignment.game;
                    let played = pool.install(|| game.visit(rules, play)).transpose();
                    // No message without a result; and nobody listens any more once the run has been aborted.
                    let Some(played) = played else { return };
                    if sender.send((assignment, played)).is_err() {
                        return;
                    }
                }
            });
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

/// Plays one game; `None` if it was stopped.
struct Play<'a, S> {
    tournament: &'a Tournament,
    assignment: &'a Assignment,
    stopped: &'a S,
}

impl<S: Fn() -> bool + Sync> Visitor for Play<'_, S> {
    type Output = Result<Option<GameRecord>, ArenaError>;

    fn visit<G: Known>(self) -> Self::Output {
        let Self { tournament, assignment, stopped } = self;
        let (game, rules) = assignment.game;
        let opening: Opening<G> = tournament
            .openings
            .draw(assignment.game, assignment.pair, assignment.opening_seed, tournament.undecided)
            .map_err(|error| ArenaError::Opening { game, rules, error })?;
        let specs = assignment.seats().map(|engine| &tournament.engines[engine]);
        let name_of = |side: Side| specs[side as usize].name.clone();
        let failed = |side| move |error| ArenaError::Engine { name: name_of(side), error };
        let set_up =
            |side: Side| Engine::<G>::new(specs[side as usize], &tournament.defaults).map_err(failed(side));
        let mut engines = [set_up(Side::First)?, set_up(Side::Second)?];

        let mut position = opening.start;
        let mut moves = Vec::new();
        for &mv in &opening.moves {
            position.apply(mv);
            moves.push(mv.to_string());
        }
        while position.outcome().is_none() {
            if stopped() {
                return Ok(None);
            }
            let side = position.side_to_move();
            let seed = derive_seed(assignment.seed, moves.len() as u64);
            let report = engines[side as usize].think(&position, seed).map_err(failed(side))?;
            let mv = report.best().mv;
            position.apply(mv);
            moves.push(mv.to_string());
        }

        Ok(Some(GameRecord {
            game,
            rules,
            pair: assignment.pair,
            position: opening.position,
            opening: opening.moves.iter().map(ToString::to_string).collect(),
            moves,
            seats: by_role::<G, _>(name_of),
            scores: by_role::<G, _>(|side| position.score(side)),
            seed: assignment.seed,
            end: End::Rules,
            fault: None,
            arena: tournament.conditions(assignment.engines),
        }))
    }
}

fn by_role<G: Known, T>(value: impl Fn(Side) -> T) -> IndexMap<String, T> {
    G::ROLES.iter().map(|role| (role.name.to_owned(), value(role.side))).collect()
}
