//! From what somebody wrote to a position.

use super::{IllegalMove, PositionError};

/// Why a position can't be set up from a position string and moves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetUpError {
    /// The position string is wrong.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// A move is wrong.
    #[error("ply {ply}: {error}")]
    Move {
        /// The place of the move, from 1.
        ply: usize,
        /// What is wrong with it.
        error: IllegalMove,
    },
}
