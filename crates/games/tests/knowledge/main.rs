//! Tests that the knowledge of the games is right.

mod gomoku;
mod krk;
mod pentago;
mod quarto;
mod qubic;
#[path = "../samples/mod.rs"]
mod samples;

use quintet_core::game::Game;

/// The position after a legal move.
fn after<G: Game>(position: &G, mv: G::Move) -> G {
    let mut next = *position;
    next.apply(mv);
    next
}
