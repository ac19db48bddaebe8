//! The parts of a batch, which the threads of a crew do.

use super::gained::Gained;
use super::pool::Pool;
use super::spans::Times;
use super::technique::Techniques;
use super::tree::{Line, OwedProof, Turn};
use super::trunk::{Leaf, Parts};
use crate::effort::Effort;
use crate::game::{Bounds, Game, Outcome};
use crate::knowledge::Prover;

/// What the growth of a tree depends on besides its guide.
#[derive(Clone, Copy)]
pub(super) struct GrowOptions<'a> {
    pub(super) techniques: Techniques,
    /// When a batch is to be broken off.
    pub(super) effort: Effort<'a>,
    /// Whether jobs are timed.
    pub(super) is_timed: bool,
}

/// A part of a batch.
pub(super) struct Job<G: Game> {
    pub(super) work: Work<G>,
    pub(super) times: Times,
}

/// What is done.
pub(super) enum Work<G: Game> {
    /// In a box, for jobs are passed on from one to the next.
    Grow(Box<Task<G>>),
    Prove(Proofs<G>),
    /// Lets each of these forks of a prover share what it has found.
    Share(Vec<Box<dyn Prover<G>>>),
}

/// What one prover is asked in a batch.
pub(super) struct Proofs<G: Game> {
    pub(super) prover: Box<dyn Prover<G>>,
    pub(super) is_fork: bool,
    pub(super) owed: Vec<OwedProof<G>>,
    pub(super) found: Vec<Option<Outcome>>,
}

impl<G: Game> Proofs<G> {
    pub(super) fn new(prover: Box<dyn Prover<G>>, is_fork: bool, owed: Vec<OwedProof<G>>) -> Self {
        Self { prover, is_fork, owed, found: Vec::new() }
    }

    /// Asks the prover, each time with as many positions as are owed, until the effort is over.
    pub(super) fn prove(&mut self, effort: Effort<'_>) {
        for &OwedProof { ref position, effort: positions, .. } in &self.owed {
            if effort.is_over() {
                return;
            }
            self.found.push(self.prover.prove(position, Effort { positions, ..effort }));
        }
    }
}

/// What a branch does in a batch. It holds the branch while that grows.
pub(super) struct Task<G: Game> {
    /// Where it grows from.
    pub(super) leaf: Leaf<G>,
    /// The share of its parent.
    pub(super) share: usize,
    pub(super) branch: usize,
    pub(super) pool: Pool<G::Move>,
    pub(super) turn: Turn,
    pub(super) visits: u32,
    /// The number of nodes that the branch may add.
    pub(super) room: usize,
    pub(super) seed: u64,
    pub(super) owes_proofs: bool,
    pub(super) gained: Gained,
    /// The bounds of its root, and whether the game is over there: without bounds where each side has a score of its
    /// own.
    pub(super) bounds: Bounds,
    pub(super) is_over: bool,
    /// The number of nodes that it had before.
    pub(super) nodes: usize,
    /// The visits from which on it is split.
    pub(super) split_from: u32,
    /// What it is split into, if it is; it then keeps its root and the children alone.
    pub(super) parts: Parts<G::Move>,
    pub(super) owed: Vec<OwedProof<G>>,
    /// The best line of the branch that is better than this score, in a game for one player.
    pub(super) line: Option<Line<G::Move>>,
    pub(super) least_score: u8,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::nim::Nim;

    /// Sees whether it is stopped within a proof.
    #[derive(Debug)]
    struct IsStopped(Arc<AtomicBool>);

    impl Prover<Nim<3>> for IsStopped {
        fn prove(&mut self, _: &Nim<3>, effort: Effort) -> Option<Outcome> {
            assert_eq!(effort.positions, 7);
            self.0.store(true, Ordering::Relaxed);
            (!effort.is_over()).then_some(Outcome::Draw)
        }

        fn forget(&mut self) {}
    }

    #[test]
    fn a_stop_breaks_off_a_proof_that_has_begun() {
        let stop = Arc::new(AtomicBool::new(false));
        let owed = || OwedProof { moves: Vec::new(), position: Nim::new(9, 1), effort: 7 };
        let prover = Box::new(IsStopped(Arc::clone(&stop)));
        let mut proofs = Proofs::new(prover, false, vec![owed(), owed()]);
        proofs.prove(Effort { stop: Some(&stop), ..Effort::UNLIMITED });
        assert_eq!(proofs.found, [None]);
    }
}
