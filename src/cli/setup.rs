//! From what the user wrote to a position.

use quintet::game::Notation;

/// Why a position can't be set up from a position string and moves.
#[derive(Debug, thiserror::Error)]
pub(super) enum SetupError {
    #[error(transparent)]
    Position(#[from] quintet::game::PositionError),
    #[error("ply {ply}: {error}")]
    Move { ply: usize, error: quintet::game::IllegalMove },
}

/// The position that `moves` lead to from `position`, or from the start. Plies are counted from 1 in errors.
pub(super) fn set_up<'a, G: Notation>(
    position: Option<&str>,
    moves: impl IntoIterator<Item = &'a str>,
) -> Result<G, SetupError> {
    let mut state = match position {
        Some(text) => text.parse()?,
        None => G::initial(),
    };
    for (index, token) in moves.into_iter().enumerate() {
        let mv = state.parse_move(token).map_err(|error| SetupError::Move { ply: index + 1, error })?;
        state.apply(mv);
    }
    Ok(state)
}
