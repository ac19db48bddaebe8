//! Tests that the knowledge of the games is right and that the engine plays by it.

mod chess;
mod gomoku;
mod krk;
mod pentago;
mod quarto;
mod qubic;

use quintet_core::game::{Game, MoveList};

fn moves_of<G: Game>(position: &G) -> MoveList<G::Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves
}

/// The position after a legal move.
fn after<G: Game>(position: &G, mv: G::Move) -> G {
    let mut next = *position;
    next.apply(mv);
    next
}

/// The positions after all legal moves.
fn after_all<G: Game>(position: &G) -> impl Iterator<Item = G> {
    let position = *position;
    moves_of(&position).into_iter().map(move |mv| position.play(mv).expect("legal"))
}
