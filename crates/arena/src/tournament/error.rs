//! Why a tournament ends before its end.

use quintet_core::{Quoted, visible};

use super::opening::NoOpening;
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
    /// The program of an external engine starts, but never gets ready for a game.
    #[error("engine {}: never ready for a game: {what}", Quoted(.name))]
    NeverReady {
        /// The engine's name.
        name: String,
        /// What it did the last time.
        what: String,
    },
    /// The system does not let the arena start another process.
    #[error("can't start an engine: {0} (ulimit -n, -u and -v limit the arena)")]
    Shortage(std::io::Error),
    /// No opening was found.
    #[error("{game}: {error}")]
    Opening {
        /// The names of the game and its ruleset.
        game: String,
        /// What is wrong.
        error: NoOpening,
    },
    /// The threads of the searches can't be started.
    #[error("can't start the threads: {0} (ulimit -u and -v limit them)")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The thread of a game can't be started.
    #[error("can't start a thread for each game: {0} (ulimit -u and -v limit them)")]
    Worker(std::io::Error),
    /// The schedule has no game of this index.
    #[error("there is no game {index} in a schedule of {games} games, counted from 0")]
    NoGame {
        /// The index that was asked for.
        index: usize,
        /// The number of games in the schedule.
        games: usize,
    },
    /// A game failed in another process.
    #[error("in another process: {}", visible(.0))]
    Remote(String),
    /// Another process passed on something else than a record of the game that it was to play.
    #[error("{game}, pair {}: this is not what another process has played: {message}", .pair + 1)]
    RemoteRecord {
        /// The names of the game and its ruleset.
        game: String,
        /// The number of the pair in its match, from 0.
        pair: usize,
        /// What is wrong with the record.
        message: String,
    },
}
