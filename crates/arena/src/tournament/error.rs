//! Why a tournament ends before its end.

use std::io;

/// Why a game can't be played.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// The system does not let the arena start another process.
    #[error("can't start an engine: {0} (ulimit -n, -u and -v limit the arena)")]
    Shortage(io::Error),
    /// Anything else: an engine, an opening, the threads, or another process.
    #[error("{0}")]
    Other(String),
}

impl ArenaError {
    /// The thread of a game can't be started.
    pub(super) fn no_thread(error: &io::Error) -> Self {
        Self::Other(format!("can't start a thread for each game: {error} (ulimit -u and -v limit them)"))
    }
}
