//! One search tree and the iterations that grow it.

use super::pool::{Bounds, Node, Pool, ROOT};
use super::proofs::Proofs;
use super::technique::{Technique, Techniques};
use super::ucb1::Ucb1;
use super::{Budget, SearchError};
use crate::cpu::{Cpu, Work};
use crate::game::{Game, MoveList, Outcome, Rng};
use crate::knowledge::{Candidates, Knowledge, Selection};

/// A tree, its random stream, and how much it still has to do.
///
/// Trees lie side by side and are written to all the time by different threads, so none may share a cache
/// line, or the pair of lines that is fetched together, with the next.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Tree<G: Game> {
    pub(super) pool: Pool<G::Move>,
    pub(super) root: G,
    pub(super) rng: Rng,
    /// Starts the hash of each path, so that every tree tries moves in an order of its own.
    pub(super) salt: u64,
    /// The nodes of the iteration under way, root first.
    pub(super) path: Vec<u32>,
    /// The iterations left of this tree's share, and those done.
    pub(super) remaining: u64,
    pub(super) done: u64,
    /// What has been proven since the last round.
    pub(super) found: Vec<(G, Outcome)>,
    /// For each child of the root whether it is above all for another tree to look at; empty where the trees do
    /// not split the moves.
    pub(super) others: Vec<bool>,
}

/// A tree notes so many proofs a round; further ones stay in the tree alone.
pub(super) const MOST_FOUND: usize = 1024;

/// What the iterations of all trees of a search go by.
#[derive(Debug)]
pub(super) struct Policy<K> {
    pub(super) knowledge: K,
    pub(super) techniques: Techniques,
    pub(super) selection: Selection,
    pub(super) ucb1: Ucb1,
    pub(super) cpu: Cpu,
}

impl<K> Policy<K> {
    /// Whether this is plain UCT.
    pub(super) fn is_plain(&self) -> bool {
        self.techniques == Techniques::NONE && matches!(self.selection, Selection::Ucb1 { .. })
    }

    #[inline]
    pub(super) fn rollout<G: Game>(&self, position: &G, rng: &mut Rng) -> Outcome
    where
        K: Knowledge<G>,
    {
        if self.techniques.contains(Technique::Rollouts) {
            self.knowledge.rollout(position, rng)
        } else {
            position.rollout(rng).outcome
        }
    }

    #[inline]
    pub(super) fn prove<G: Game>(&self, position: &G) -> Option<Outcome>
    where
        K: Knowledge<G>,
    {
        if self.techniques.contains(Technique::Proofs) { self.knowledge.prove(position) } else { None }
    }

    /// The moves worth a look.
    pub(super) fn candidates<G: Game>(&self, position: &G, moves: &mut Candidates<G::Move>)
    where
        K: Knowledge<G>,
    {
        self.knowledge.candidates(position, moves);
        if !self.techniques.contains(Technique::Pruning) {
            let least = moves.iter().map(|(_, weight)| *weight).fold(f32::INFINITY, f32::min);
            let mut legal = MoveList::new();
            position.legal_moves(&mut legal);
            for mv in legal {
                if moves.iter().all(|(other, _)| *other != mv) {
                    moves.push((mv, least));
                }
            }
        }
        if !self.techniques.contains(Technique::Priors) {
            moves.iter_mut().for_each(|(_, weight)| *weight = 1.0);
        }
    }
}

/// Plain iterations as work to be compiled for several processors.
struct Iterations<'a, G: Game> {
    tree: &'a mut Tree<G>,
    count: u64,
    ucb1: &'a Ucb1,
}

impl<G: Game> Work for Iterations<'_, G> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for _ in 0..self.count {
            self.tree.iterate(self.ucb1);
        }
    }
}

/// Iterations with knowledge, likewise.
struct GuidedIterations<'a, G: Game, K> {
    tree: &'a mut Tree<G>,
    count: u64,
    policy: &'a Policy<K>,
    proofs: &'a Proofs<G>,
}

impl<G: Game, K: Knowledge<G>> Work for GuidedIterations<'_, G, K> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for _ in 0..self.count {
            // Once the root is proven there is nothing left to find.
            if self.tree.pool.node(ROOT).proven().is_some() {
                return;
            }
            self.tree.iterate_guided(self.policy, self.proofs);
            self.tree.done += 1;
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
            // With a cache line or two to spare, which no path ever reaches, before the next tree's path begins.
            path: Vec::with_capacity(G::MAX_PLIES + 1 + 128 / size_of::<u32>()),
            remaining: 0,
            done: 0,
            found: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Sets root, random stream and share; the nodes stay.
    fn start(&mut self, root: &G, (seed, index): (u64, u64), iterations: u64) {
        self.root = *root;
        self.rng = Rng::stream(seed, index);
        self.salt = self.rng.bits();
        self.remaining = iterations.min(Budget::MOST_ITERATIONS_PER_TREE);
        self.done = 0;
        self.others.clear();
    }

    /// Goes on from `root`, which the tree knows by `moves` from the root it has had so far, with what it
    /// knows of it, otherwise as [`reset`](Self::reset); `false` if that can't be done, and then the tree has to
    /// be reset.
    pub(super) fn advance(
        &mut self,
        root: &G,
        moves: &[G::Move],
        stream: (u64, u64),
        iterations: u64,
        memory: usize,
        is_plain: bool,
    ) -> bool {
        let mut at = ROOT;
        for mv in moves {
            match self.pool.children(at).iter().position(|child| child.mv() == *mv) {
                Some(offset) => at = self.pool.child(at, offset),
                None => return false,
            }
        }
        // The counts of a node have room for so many visits.
        let visits = u64::from(self.pool.node(at).visits);
        let iterations = iterations.min(Budget::MOST_ITERATIONS_PER_TREE - visits);
        let limit = Self::limit(iterations, is_plain).saturating_add(self.pool.len());
        let limit = limit.min(memory / Self::node_bytes(is_plain));
        if self.pool.node(at).opened() == 0 || !self.pool.retain(at, limit) {
            return false;
        }
        self.found.clear();
        self.start(root, stream, iterations);
        true
    }

    /// The moves that lead from the root to `position`, if the tree knows it and it is not far.
    pub(super) fn moves_to(&self, position: &G) -> Option<Vec<G::Move>> {
        /// Positions that are looked at.
        const MOST: usize = 20_000;
        let mut queue = std::collections::VecDeque::from([(ROOT, self.root, None::<usize>)]);
        // Every position looked at: the move to it, and the place of the one before.
        let mut seen: Vec<(Option<G::Move>, Option<usize>)> = Vec::new();
        while let Some((at, here, before)) = queue.pop_front() {
            let place = seen.len();
            seen.push(((at != ROOT).then(|| self.pool.node(at).mv()), before));
            if here == *position {
                let mut moves = Vec::new();
                let mut next = Some(place);
                while let Some(place) = next {
                    moves.extend(seen[place].0);
                    next = seen[place].1;
                }
                moves.reverse();
                return Some(moves);
            }
            for (offset, child) in self.pool.children(at).iter().enumerate() {
                if child.visits > 0 && seen.len() + queue.len() < MOST {
                    let mut next = here;
                    next.apply(child.mv());
                    queue.push_back((self.pool.child(at, offset), next, Some(place)));
                }
            }
        }
        None
    }

    /// Starts anew from `root`, with random stream `index` of `seed`, for `iterations` with at most `memory`
    /// bytes.
    pub(super) fn reset(
        &mut self,
        root: &G,
        (seed, index): (u64, u64),
        iterations: u64,
        memory: usize,
        is_plain: bool,
    ) -> Result<(), SearchError> {
        self.start(root, (seed, index), iterations);
        let node_bytes = Self::node_bytes(is_plain);
        let limit = Self::limit(self.remaining, is_plain).min(memory / node_bytes);
        self.found.clear();
        if !is_plain {
            self.found.reserve(MOST_FOUND);
        }
        let any_move = root.nth_move(0);
        self.pool
            .reset(Node::new(any_move, root.side_to_move()), limit, !is_plain)
            .map_err(|_| SearchError::OutOfMemory(limit * node_bytes))
    }

    /// The most nodes that so many iterations need.
    fn limit(iterations: u64, is_plain: bool) -> usize {
        // A plain iteration opens one node at most, a guided one all children of a node, and the blocks a node
        // has had are together less than four times as large as what is open in the last.
        let opened = if is_plain { 1 } else { G::MAX_BRANCHING as u64 };
        usize::try_from(iterations.saturating_mul(4 * opened)).unwrap_or(usize::MAX).saturating_add(4)
    }

    /// The bytes that a node takes, with its prior where there are any.
    pub(super) fn node_bytes(is_plain: bool) -> usize {
        size_of::<Node<G::Move>>() + if is_plain { 0 } else { size_of::<f32>() }
    }

    /// Does `iterations` iterations, fewer if fewer remain.
    pub(super) fn run<K: Knowledge<G>>(&mut self, iterations: u64, policy: &Policy<K>, proofs: &Proofs<G>) {
        let iterations = iterations.min(self.remaining);
        self.remaining -= iterations;
        if policy.is_plain() {
            policy.cpu.run(Iterations { tree: self, count: iterations, ucb1: &policy.ucb1 });
            self.done += iterations;
        } else {
            policy.cpu.run(GuidedIterations { tree: self, count: iterations, policy, proofs });
        }
    }

    /// Plain UCT: selects a leaf, expands the tree by one node, plays a rollout from it, and backs the outcome
    /// up.
    #[inline(always)]
    fn iterate(&mut self, ucb1: &Ucb1) {
        let mut position = self.root;
        let mut path_hash = self.salt;
        let mut at = ROOT;
        self.path.clear();
        self.path.push(ROOT as u32);
        let outcome = loop {
            if !self.pool.node(at).is_full()
                && let Some(child) = self.open(at, &position, path_hash)
            {
                position.apply(self.pool.node(child).mv());
                self.path.push(child as u32);
                break self.evaluate_new(child, &position);
            }
            if self.pool.node(at).opened() == 0 {
                // There is no memory to expand this node: sample it again.
                break position.rollout(&mut self.rng).outcome;
            }
            let offset = ucb1.select(self.pool.children(at), self.pool.node(at).visits);
            path_hash = extend_hash(path_hash, offset);
            at = self.pool.child(at, offset);
            self.path.push(at as u32);
            let child = self.pool.node(at);
            if let Some(outcome) = child.proven() {
                break outcome;
            }
            position.apply_ongoing(child.mv());
        };
        for &at in &self.path {
            self.pool.node_mut(at as usize).update(outcome);
        }
    }

    /// Opens the next child of the node `at`, whose position is `position`; `None` if the memory is used up.
    #[inline(always)]
    fn open(&mut self, at: usize, position: &G, path_hash: u64) -> Option<usize> {
        let moves = position.move_count();
        debug_assert!(moves > 0, "no legal move, but the game is not over");
        let mv = position.nth_move(scrambled(self.pool.node(at).opened(), moves, path_hash));
        self.pool.open(at, moves, Node::new(mv, position.side_to_move()))
    }

    /// The first value of a node that has just been opened.
    #[inline(always)]
    fn evaluate_new(&mut self, at: usize, position: &G) -> Outcome {
        if let Some(outcome) = position.outcome() {
            self.pool.node_mut(at).set_bounds(Bounds::exactly(outcome));
            return outcome;
        }
        position.rollout(&mut self.rng).outcome
    }
}

/// The hash of a path, one step on.
#[inline]
pub(super) fn extend_hash(hash: u64, offset: usize) -> u64 {
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
