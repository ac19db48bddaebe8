//! One search tree and the iterations that grow it.

use super::pool::{Node, Pool, ROOT};
use super::select::Ucb1;
use super::{Budget, SearchError};
use crate::cpu::{Cpu, Work};
use crate::game::{Game, MoveList, Outcome, Rng};
use crate::knowledge::Knowledge;

/// A tree, its random stream, and how much it still has to do.
#[derive(Debug)]
pub(super) struct Tree<G: Game> {
    pub(super) pool: Pool<G::Move>,
    root: G,
    rng: Rng,
    /// Starts the hash of each path, so that every tree tries moves in an order of its own.
    salt: u64,
    /// The nodes of the iteration under way, root first.
    path: Vec<u32>,
    /// The iterations left of this tree's share.
    pub(super) remaining: u64,
}

/// What the iterations of all trees of a search go by.
#[derive(Debug)]
pub(super) struct Policy<K> {
    pub(super) knowledge: K,
    pub(super) ucb1: Ucb1,
    pub(super) cpu: Cpu,
}

/// Iterations as work to be compiled for several processors.
struct Iterations<'a, G: Game, K> {
    tree: &'a mut Tree<G>,
    iterations: u64,
    policy: &'a Policy<K>,
}

impl<G: Game, K: Knowledge<G>> Work for Iterations<'_, G, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for _ in 0..self.iterations {
            self.tree.iterate(self.policy);
        }
    }
}

impl<G: Game> Tree<G> {
    pub(super) fn new() -> Self {
        Self {
            pool: Pool::new(),
            root: G::initial(),
            rng: Rng::stream(0, 0),
            salt: 0,
            path: Vec::with_capacity(G::MAX_PLIES + 1),
            remaining: 0,
        }
    }

    /// Starts anew from `root`, with random stream `index` of `seed`, for `iterations` with at most `memory`
    /// bytes.
    pub(super) fn reset(
        &mut self,
        root: &G,
        (seed, index): (u64, u64),
        iterations: u64,
        memory: usize,
    ) -> Result<(), SearchError> {
        self.root = *root;
        self.rng = Rng::stream(seed, index);
        self.salt = self.rng.bits();
        self.remaining = iterations.min(Budget::MOST_ITERATIONS_PER_TREE);
        // An iteration opens one node at most, and the blocks a node has had are together less than four
        // times as large as what is open in the last.
        let needed = usize::try_from(self.remaining * 4 + 4).unwrap_or(usize::MAX);
        let limit = needed.min(memory / size_of::<Node<G::Move>>());
        let any_move = root.nth_move(0);
        self.pool
            .reset(Node::new(any_move, root.side_to_move()), limit)
            .map_err(|_| SearchError::OutOfMemory(limit * size_of::<Node<G::Move>>()))
    }

    /// Does `iterations` iterations, fewer if fewer remain.
    pub(super) fn run<K: Knowledge<G>>(&mut self, iterations: u64, policy: &Policy<K>) {
        let iterations = iterations.min(self.remaining);
        self.remaining -= iterations;
        policy.cpu.run(Iterations { tree: self, iterations, policy });
    }

    /// Selects a leaf, expands the tree by one node, plays a rollout from it, and backs the outcome up.
    #[expect(clippy::inline_always, reason = "else it is not compiled for the instructions of the policy")]
    #[inline(always)]
    fn iterate<K: Knowledge<G>>(&mut self, policy: &Policy<K>) {
        let knowledge = &policy.knowledge;
        let mut position = self.root;
        let mut path_hash = self.salt;
        let mut at = ROOT;
        self.path.clear();
        self.path.push(ROOT as u32);
        let outcome = loop {
            let node = self.pool.node(at);
            if let Some(outcome) = node.proven() {
                break outcome;
            }
            if !node.is_full()
                && let Some(child) = self.open(at, &position, path_hash, knowledge)
            {
                position.apply(self.pool.node(child).mv());
                self.path.push(child as u32);
                break self.evaluate_new(child, &position, knowledge);
            }
            if self.pool.node(at).opened() == 0 {
                // There is no memory to expand this node: sample it again.
                break knowledge.rollout(&position, &mut self.rng).outcome;
            }
            let offset = policy.ucb1.select(self.pool.children(at), self.pool.node(at).visits);
            path_hash = extend_hash(path_hash, offset);
            at = self.pool.child(at, offset);
            position.apply(self.pool.node(at).mv());
            self.path.push(at as u32);
        };
        for &at in &self.path {
            self.pool.node_mut(at as usize).update(outcome);
        }
    }

    /// Opens the next child of the node `at`, whose position is `position`; `None` if the memory is used up.
    #[inline]
    fn open<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        path_hash: u64,
        knowledge: &K,
    ) -> Option<usize> {
        let moves = position.move_count();
        debug_assert!(moves > 0, "no legal move, but the game is not over");
        let mv = if K::HAS_PRIOR {
            self.most_promising(at, position, knowledge)
        } else {
            position.nth_move(scrambled(self.pool.node(at).opened(), moves, path_hash))
        };
        self.pool.open(at, moves, Node::new(mv, position.side_to_move()))
    }

    /// The move with the highest prior among those not yet opened; the first such in list order.
    fn most_promising(&self, at: usize, position: &G, knowledge: &impl Knowledge<G>) -> G::Move {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        moves.retain(|mv| self.pool.children(at).iter().all(|child| child.mv() != *mv));
        let mut best = moves[0];
        let mut best_prior = f32::NEG_INFINITY;
        for mv in moves {
            let prior = knowledge.prior(position, mv);
            if prior > best_prior {
                (best, best_prior) = (mv, prior);
            }
        }
        best
    }

    /// The first value of a node that has just been opened.
    #[inline]
    fn evaluate_new(&mut self, at: usize, position: &G, knowledge: &impl Knowledge<G>) -> Outcome {
        if let Some(outcome) = position.outcome().or_else(|| knowledge.prove(position)) {
            self.pool.node_mut(at).set_proven(outcome);
            return outcome;
        }
        knowledge.rollout(position, &mut self.rng).outcome
    }
}

/// The hash of a path, one step on.
#[inline]
fn extend_hash(hash: u64, offset: usize) -> u64 {
    (hash ^ (offset as u64 + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

/// The `n`-th of `moves` moves in an order that depends on `hash`.
///
/// Moves lie in the list by their place on the board. A node with fewer visits than moves would see one part
/// of the board only if it tried them in list order, so it starts at a random move and goes on in steps of a
/// prime larger than any number of moves, which meets each move once.
#[inline]
fn scrambled(n: usize, moves: usize, hash: u64) -> usize {
    const STEP: usize = 521;
    const { assert!(STEP > crate::game::MAX_MOVES) };
    let start = (((hash >> 32) * moves as u64) >> 32) as usize;
    (start + n * STEP) % moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scrambled_order_meets_every_move_once() {
        for moves in 1..=crate::game::MAX_MOVES {
            let hash = extend_hash(7, moves);
            let mut met = vec![false; moves];
            for n in 0..moves {
                let index = scrambled(n, moves, hash);
                assert!(!met[index], "move {index} of {moves} comes twice");
                met[index] = true;
            }
        }
    }
}
