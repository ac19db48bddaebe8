//! What guides a proof-number search.

use std::fmt::Debug;

use super::claim::Claim;
use crate::game::Game;

/// What is known of a new position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafStatus<N> {
    /// The claim is true.
    Proven,
    /// The claim is false, or not provable with the [successors](ProofHeuristic::successors) of this heuristic.
    Disproven,
    /// Neither is known.
    Open {
        /// The first guess of the proof number, at least 1: how many positions have to be proven to
        /// prove this one.
        proof: u32,
        /// The same for the disproof.
        disproof: u32,
        /// What the heuristic needs to know when it lists the successors.
        note: N,
    },
}

/// A position after a move.
#[derive(Debug, Clone, Copy)]
pub struct Successor<G, N> {
    /// The position, or one that has the same value.
    pub position: G,
    /// Its status, if the heuristic has it already.
    pub status: Option<LeafStatus<N>>,
}

/// The knowledge that a [proof](super::DfPn) is guided by.
///
/// A proof is sound if every position called [`Proven`](LeafStatus::Proven) is, and if the successors of a
/// position with the *other* side to move have a best reply among them. A disproof is sound if every
/// position called `Disproven` is, and if the successors of a position with the claiming side to move have
/// a best move among them.
pub trait ProofHeuristic<G: Game> {
    /// What the status of a position finds out that the list of successors needs. It is stored with the position.
    type Note: Copy + Default + Debug;

    /// Judges a position that was not met before, or was forgotten.
    fn leaf_status(&mut self, position: &G, claim: Claim) -> LeafStatus<Self::Note>;

    /// Adds the positions after the moves that matter to the empty list `successors`. Without any, the
    /// claim is disproven if the claiming side is to move, and proven otherwise. A changed note is stored.
    fn successors(
        &mut self,
        position: &G,
        claim: Claim,
        note: &mut Self::Note,
        successors: &mut Vec<Successor<G, Self::Note>>,
    );
}
