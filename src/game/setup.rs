//! From what somebody wrote to a position.

use super::{IllegalMove, Notation, PositionError};

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

/// The position that `moves` lead to from `position`, or from the start.
///
/// # Errors
/// [`SetUpError`], which names the part of the position or the move that is wrong.
pub fn set_up<'a, G: Notation>(
    position: Option<&str>,
    moves: impl IntoIterator<Item = &'a str>,
) -> Result<G, SetUpError> {
    let mut state = match position {
        Some(text) => text.parse()?,
        None => G::initial(),
    };
    for (index, token) in moves.into_iter().enumerate() {
        let mv = state.parse_move(token).map_err(|error| SetUpError::Move { ply: index + 1, error })?;
        state.apply(mv);
    }
    Ok(state)
}
