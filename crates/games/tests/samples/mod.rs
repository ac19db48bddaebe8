//! Positions for the tests of knowledge, inside the crate and in `tests`.

pub(crate) mod pentago;
pub(crate) mod quarto;

use quintet_core::game::{Game, MoveList};

pub(crate) fn moves_of<G: Game>(position: &G) -> MoveList<G::Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves
}

/// The positions after all legal moves.
pub(crate) fn after_all<G: Game>(position: &G) -> impl Iterator<Item = G> {
    let position = *position;
    moves_of(&position).into_iter().map(move |mv| position.play(mv).expect("legal"))
}
