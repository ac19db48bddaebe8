//! Errors in setting up a position from text.

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
        /// The number of the move, from 1.
        ply: usize,
        /// Why it is illegal.
        error: IllegalMove,
    },
}
