//! One search tree and the iterations that grow it.

use super::pool::{Node, Pool, ROOT};
use super::{Budget, SearchError};
use crate::game::{Bounds, Game, Rng};
use crate::knowledge::{Candidates, Prover};

/// A tree, its random stream, and the iterations that it still has to do.
///
/// Trees are adjacent in memory and different threads write to them all the time, so no two may
/// share a cache line, or the pair of lines that is fetched together.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Tree<G: Game> {
    pub(super) pool: Pool<G::Move>,
    pub(super) root: G,
    pub(super) rng: Rng,
    /// The start of every path hash, so that each tree tries moves in its own order.
    pub(super) salt: u64,
    /// The nodes of the current iteration, root first.
    pub(super) path: Vec<u32>,
    /// The iterations left of this tree's share.
    pub(super) remaining: u64,
    /// The iterations done in this run.
    pub(super) done: u64,
    /// For each child of the root, whether another tree owns it; empty if the trees do not split
    /// the moves.
    pub(super) not_owned: Vec<bool>,
    /// The moves of the root to choose from; all if it is empty.
    pub(super) only: Vec<G::Move>,
    /// Proves positions that are visited often, if the knowledge has a prover.
    pub(super) prover: Option<Box<dyn Prover<G>>>,
}

impl<G: Game> Tree<G> {
    /// An empty tree; `is_guided` if its iterations use knowledge.
    pub(super) fn new(is_guided: bool) -> Self {
        Self {
            pool: Pool::new(is_guided),
            root: G::initial(),
            rng: Rng::stream(0, 0),
            salt: 0,
            // The spare 128 bytes keep the next tree's path in other cache lines.
            path: Vec::with_capacity(G::MAX_PLIES + 1 + 128 / size_of::<u32>()),
            remaining: 0,
            done: 0,
            not_owned: Vec::new(),
            only: Vec::new(),
            prover: None,
        }
    }

    /// Sets the root, the random stream and the share; keeps the nodes.
    fn start(&mut self, root: &G, (seed, index): (u64, u64), iterations: u64) {
        self.root = *root;
        self.rng = Rng::stream(seed, index);
        self.salt = self.rng.bits();
        self.remaining = iterations.min(Budget::MAX_ITERATIONS_PER_TREE);
        self.done = 0;
        self.not_owned.clear();
        self.only.clear();
    }

    /// Makes `root`, the position after `moves` from the present root, the new root, and keeps the
    /// nodes below it. The other parameters are those of [`reset`](Self::reset). Returns `false` if
    /// that is impossible; the tree must then be reset.
    pub(super) fn advance(
        &mut self,
        root: &G,
        moves: &[G::Move],
        stream: (u64, u64),
        iterations: u64,
        memory: usize,
    ) -> bool {
        let mut at = ROOT;
        for mv in moves {
            match self.pool.children(at).iter().position(|child| child.mv() == *mv) {
                Some(offset) => at = self.pool.child(at, offset),
                None => return false,
            }
        }
        // The counters of a node hold no more than the maximum, earlier visits included.
        let visits = u64::from(self.pool.node(at).visits);
        let iterations = iterations.min(Budget::MAX_ITERATIONS_PER_TREE - visits);
        let limit = self.limit(iterations).saturating_add(self.pool.len());
        let limit = limit.min(memory / self.pool.node_bytes());
        if self.pool.node(at).expanded() == 0 || !self.pool.retain(at, limit) {
            return false;
        }
        // A prover may have proven this position, but none of its moves.
        self.pool.node_mut(ROOT).set_bounds(Bounds::UNKNOWN);
        self.propagate_bounds(ROOT);
        self.start(root, stream, iterations);
        true
    }

    /// Searches the tree for `position`, breadth first, and returns the moves that lead to it from
    /// the root.
    pub(super) fn moves_to(&self, position: &G) -> Option<Vec<G::Move>> {
        /// The maximum number of positions visited.
        const MOST: usize = 20_000;
        let mut queue = std::collections::VecDeque::from([(ROOT, self.root, None::<usize>)]);
        // Every position visited: the move to it, and the index of the one before it.
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

    /// Starts over from `root`, with random stream `index` of `seed`, for `iterations` iterations
    /// in at most `memory` bytes.
    pub(super) fn reset(
        &mut self,
        root: &G,
        (seed, index): (u64, u64),
        iterations: u64,
        memory: usize,
    ) -> Result<(), SearchError> {
        self.start(root, (seed, index), iterations);
        if let Some(prover) = &mut self.prover {
            prover.forget();
        }
        let node_bytes = self.pool.node_bytes();
        let limit = self.limit(self.remaining).min(memory / node_bytes);
        let any_move = root.nth_move(0);
        self.pool
            .reset(Node::new(any_move, root.side_to_move()), limit)
            .map_err(|_| SearchError::OutOfMemory(limit * node_bytes))
    }

    /// Restricts the root to the moves `only`; call it before the tree has grown.
    pub(super) fn restrict(&mut self, only: &[G::Move]) {
        self.only.extend_from_slice(only);
    }

    /// Whether the root is not restricted to other moves.
    pub(super) fn may_choose(&self, mv: G::Move) -> bool {
        self.only.is_empty() || self.only.contains(&mv)
    }

    /// Replaces the candidates of the root by the moves that it is restricted to. One that was no
    /// candidate gets the least weight.
    pub(super) fn restrict_candidates(&self, moves: &mut Candidates<G::Move>) {
        if self.only.is_empty() {
            return;
        }
        let least = moves.iter().map(|(_, weight)| *weight).fold(f32::INFINITY, f32::min);
        let weight = |mv| moves.iter().find(|it| it.0 == mv).map_or(least, |it| it.1);
        *moves = self.only.iter().map(|&mv| (mv, weight(mv))).collect();
    }

    /// The maximum number of nodes that `iterations` iterations need.
    fn limit(&self, iterations: u64) -> usize {
        // A plain iteration adds at most one node, a guided one at most all children of a node, and
        // all blocks that a node has had are together less than four times as large as the used
        // part of the last.
        let expanded = if self.pool.is_guided() { G::MAX_BRANCHING as u64 } else { 1 };
        usize::try_from(iterations.saturating_mul(4 * expanded)).unwrap_or(usize::MAX).saturating_add(4)
    }
}

/// Extends the hash of a path by one step.
#[inline]
pub(super) fn extend_hash(hash: u64, offset: usize) -> u64 {
    (hash ^ (offset as u64 + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}
