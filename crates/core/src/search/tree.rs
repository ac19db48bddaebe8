//! One search tree and the iterations that grow it.

use super::gained::Gained;
use super::joint_arms::JointArms;
use super::node::Node;
use super::pool::{Pool, ROOT};
use super::spans::Spans;
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
    /// The moves to choose from where the tree is asked; all if it is empty.
    pub(super) only: Vec<G::Move>,
    /// The position that a move is wanted for: the root, or one in the joint move that begins there.
    pub(super) asked: G,
    /// The choices of other roles between the root and that position.
    pub(super) choices_before: usize,
    pub(super) joint: JointArms,
    /// Proves positions that are visited often, if the knowledge has a prover and no thread has it.
    pub(super) prover: Option<Box<dyn Prover<G>>>,
    /// Its forks, but those that threads have.
    pub(super) forks: Vec<Box<dyn Prover<G>>>,
    /// Whether these have found something that they have not shared.
    pub(super) forks_know_more: bool,
    /// What grows from the leaves of the trunk; empty if the tree has none.
    pub(super) branches: Vec<Pool<G::Move>>,
    /// The number of nodes of all branches, with those that are promised to branches which grow.
    pub(super) branch_nodes: usize,
    /// The maximum number of nodes, those of the branches included.
    pub(super) max_nodes: usize,
    /// The bytes for the nodes in this run.
    pub(super) memory: usize,
    /// The plies from the root of the whole tree, while this tree is a branch that grows.
    pub(super) depth: usize,
    /// The turn in which the root of the branch was reached.
    pub(super) turn: Turn,
    /// The proofs that the prover owes since it was last asked, in the order of the visits; `None` if there is no
    /// prover, it is asked at once, or it was asked about all of them.
    pub(super) owed: Option<Vec<OwedProof<G>>>,
    /// The times of the batches, if they are measured.
    pub(super) spans: Option<Spans>,
    /// Whether it keeps the best line, as a search with knowledge does in a game for one player.
    pub(super) keeps_line: bool,
    /// The best line so far.
    pub(super) line: Option<Line<G::Move>>,
    /// What this tree has gained since it is a branch that grows.
    pub(super) gained: Gained,
    /// While this tree is a branch that grows: the score that a line must beat.
    pub(super) least_score: u8,
}

/// A node of a tree: one of the tree's own nodes, or one of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) branch: Option<usize>,
    pub(super) at: usize,
}

impl Place {
    /// The root of the tree.
    pub(super) const ROOT: Self = Self { branch: None, at: ROOT };
}

/// What PUCT needs of the moves of a turn that stand above a node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Turn {
    /// The visits of the position in which the turn began.
    pub(super) visits: u32,
    /// The product of the priors of its moves.
    pub(super) prior: f32,
}

/// Moves from a root to the end of the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line<M> {
    pub(super) score: u8,
    pub(super) moves: Vec<M>,
}

/// A position that a prover is to be asked about while the next batch grows.
#[derive(Debug, Clone)]
pub(super) struct OwedProof<G: Game> {
    /// The moves from the root of the tree, or of the branch while that grows.
    pub(super) moves: Vec<G::Move>,
    pub(super) position: G,
    /// The effort, in positions.
    pub(super) effort: u64,
}

/// The plies for which a tree has memory from the start: a game may have any maximum, and few come near it.
const LONGEST_PATH: usize = 1 << 14;

impl<G: Game> Tree<G> {
    /// An empty tree for positions of the game of `root`; `is_guided` if its iterations use knowledge.
    pub(super) fn new(root: &G, is_guided: bool) -> Self {
        Self {
            pool: Pool::new(is_guided),
            root: *root,
            rng: Rng::stream(0, 0),
            salt: 0,
            // The spare 128 bytes keep the next tree's path in other cache lines.
            path: Vec::with_capacity(root.max_plies().min(LONGEST_PATH) + 1 + 128 / size_of::<u32>()),
            remaining: 0,
            done: 0,
            not_owned: Vec::new(),
            only: Vec::new(),
            asked: *root,
            choices_before: 0,
            joint: JointArms::default(),
            prover: None,
            forks: Vec::new(),
            forks_know_more: false,
            branches: Vec::new(),
            branch_nodes: 0,
            max_nodes: 0,
            memory: 0,
            depth: 0,
            turn: Turn::default(),
            owed: None,
            spans: None,
            keeps_line: false,
            line: None,
            gained: Gained::default(),
            least_score: 0,
        }
    }

    /// Sets the root, the random stream and the share; keeps the nodes.
    fn start(&mut self, root: &G, (seed, index): (u64, u64), iterations: u64) {
        (self.root, self.asked, self.choices_before) = (*root, *root, 0);
        self.rng = Rng::stream(seed, index);
        self.salt = self.rng.bits();
        self.remaining = iterations.min(Budget::MAX_ITERATIONS_PER_TREE);
        self.done = 0;
        self.not_owned.clear();
        self.only.clear();
        self.owed = None;
        self.line = None;
    }

    /// The pool of this node.
    pub(super) fn pool_of(&self, place: Place) -> &Pool<G::Move> {
        place.branch.map_or(&self.pool, |branch| &self.branches[branch])
    }

    /// The node there.
    pub(super) fn node_of(&self, place: Place) -> &Node<G::Move> {
        self.pool_of(place).node(place.at)
    }

    /// The children of a node, in the order in which they were expanded.
    pub(super) fn children_of(&self, place: Place) -> impl Iterator<Item = (Place, &Node<G::Move>)> {
        let pool = self.pool_of(place);
        let children = pool.children(place.at).iter().enumerate();
        children.map(move |(offset, child)| (self.enter(place.branch, pool.child(place.at, offset)), child))
    }

    /// The child of a node after the move `mv`.
    pub(super) fn child_of(&self, place: Place, mv: G::Move) -> Option<Place> {
        self.children_of(place).find(|(_, child)| child.mv() == mv).map(|(place, _)| place)
    }

    /// The place of the node `at` of a pool: if a branch begins there, its root.
    pub(super) fn enter(&self, branch: Option<usize>, at: usize) -> Place {
        let begins = if branch.is_none() && self.has_trunk() { self.pool.node(at).branch() } else { None };
        begins.map_or(Place { branch, at }, |begins| Place { branch: Some(begins), at: ROOT })
    }

    /// Whether the tree has a trunk.
    pub(super) fn has_trunk(&self) -> bool {
        !self.branches.is_empty()
    }

    /// The number of nodes, those of the branches included.
    pub(super) fn node_count(&self) -> usize {
        self.pool.len() + self.branch_nodes
    }

    /// The nodes that the tree may still add.
    pub(super) fn free_nodes(&self) -> usize {
        self.max_nodes.saturating_sub(self.pool.len() + self.branch_nodes)
    }

    /// Promises a branch that gets `visits` of the `left` visits of a batch its part of the free nodes, so that
    /// no branch takes what another one gets. Returns how many those are; they count as taken.
    pub(super) fn promise(&mut self, visits: u32, left: u32) -> usize {
        let room = self.free_nodes() as u128 * u128::from(visits) / u128::from(left.max(1));
        self.branch_nodes += room as usize;
        self.pool.allow(self.free_nodes());
        room as usize
    }

    /// Whether a node could not be added because the memory was used up.
    pub(super) fn ran_out(&self) -> bool {
        self.pool.ran_out() || self.branches.iter().any(Pool::ran_out)
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
        let mut place = Place::ROOT;
        for &mv in moves {
            match self.child_of(place, mv) {
                Some(child) => place = child,
                None => return false,
            }
        }
        // The counters of a node hold no more than the maximum, earlier visits included.
        self.memory = memory;
        let node = self.node_of(place);
        let iterations = iterations.min(Budget::MAX_ITERATIONS_PER_TREE - u64::from(node.visits));
        let limit = self.limit(iterations).saturating_add(self.node_count()).min(self.room());
        if node.child_count() == 0 || !self.retain(place, limit) {
            return false;
        }
        // A prover may have proven this position, but none of its moves.
        self.pool.set_bounds(ROOT, Bounds::UNKNOWN);
        self.pool.propagate_bounds(ROOT);
        self.share_proofs();
        self.start(root, stream, iterations);
        true
    }

    /// Searches the tree for `position`, breadth first, and returns the moves that lead to it from
    /// the root.
    pub(super) fn moves_to(&self, position: &G) -> Option<Vec<G::Move>> {
        /// The maximum number of positions visited.
        const MOST: usize = 20_000;
        let mut queue = std::collections::VecDeque::from([(Place::ROOT, self.root, None::<usize>)]);
        // Every position visited: the move to it, and the index of the one before it.
        let mut seen: Vec<(Option<G::Move>, Option<usize>)> = Vec::new();
        while let Some((at, here, before)) = queue.pop_front() {
            let place = seen.len();
            seen.push(((at != Place::ROOT).then(|| self.node_of(at).mv()), before));
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
            for (child_at, child) in self.children_of(at) {
                if child.visits > 0 && seen.len() + queue.len() < MOST {
                    queue.push_back((child_at, here.after(child.mv()), Some(place)));
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
        (self.forks, self.forks_know_more) = (Vec::new(), false);
        self.prover.iter_mut().for_each(|prover| prover.forget());
        drop_in_background(std::mem::take(&mut self.branches));
        self.branch_nodes = 0;
        let node_bytes = self.pool.node_bytes();
        self.memory = memory;
        let limit = self.limit(self.remaining).min(self.room());
        let any_move = root.nth_move(0);
        let most = self.pool.reset(Node::new(any_move, root.side_to_move()), limit);
        self.max_nodes = most.map_err(|_| SearchError::OutOfMemory(limit * node_bytes))?;
        Ok(())
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
        *moves = with_weights(&self.only, moves);
    }

    /// The number of nodes for which there is memory. The branches of a guided tree reserve up to a quarter more than
    /// they have.
    pub(super) fn room(&self) -> usize {
        let room = self.memory / self.pool.node_bytes();
        if self.pool.is_guided() { room - room.div_ceil(5) } else { room }
    }

    /// The maximum number of nodes that `iterations` iterations need.
    fn limit(&self, iterations: u64) -> usize {
        // A plain iteration adds at most one node, a guided one at most all children of a node, and
        // all blocks that a node has had are together less than four times as large as the used
        // part of the last.
        // The children of a guided root are there before any iteration.
        let (expanded, expansions) = if self.pool.is_guided() {
            (self.root.max_branching() as u64, iterations.saturating_add(1))
        } else {
            (1, iterations)
        };
        usize::try_from(expansions.saturating_mul(4 * expanded)).unwrap_or(usize::MAX).saturating_add(4)
    }
}

/// These moves, with their weights in a list; one that is not there gets the least.
pub(super) fn with_weights<M: Copy + PartialEq>(moves: &[M], known: &Candidates<M>) -> Candidates<M> {
    let least = known.iter().map(|(_, weight)| *weight).fold(f32::INFINITY, f32::min);
    let weight = |mv| known.iter().find(|it| it.0 == mv).map_or(least, |it| it.1);
    moves.iter().map(|&mv| (mv, weight(mv))).collect()
}

/// The moves along a path of nodes from the root.
pub(super) fn moves_of<M: Copy>(path: &[u32], pool: &Pool<M>) -> Vec<M> {
    path[1..].iter().map(|&at| pool.node(at as usize).mv()).collect()
}

/// Drops what may be large without waiting for it.
pub(super) fn drop_in_background<T: Send + 'static>(large: Vec<T>) {
    if !large.is_empty() {
        // If no thread can be had, the closure is dropped here, and the branches with it.
        let _ = std::thread::Builder::new().spawn(move || drop(large));
    }
}

/// Extends the hash of a path by one step.
#[inline]
pub(super) fn extend_hash(hash: u64, offset: usize) -> u64 {
    (hash ^ (offset as u64 + 1)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Selection;
    use crate::nim::{Expert, Three};
    use crate::search::drawn::Drawn;
    use crate::search::{Search, SearchConfig};

    /// A tree of some iterations from a position with eleven sticks.
    fn grown() -> Tree<Three> {
        let selection = Some(Selection::Ucb1 { c: 0.7 });
        let config = SearchConfig { selection, ..SearchConfig::default() };
        let mut search = Search::new(config, Expert).expect("valid");
        let budget = Budget::iterations(400).expect("not zero");
        search.run(&Three::new(11, 0), budget).expect("a report");
        search.trees.swap_remove(0)
    }

    #[test]
    fn a_position_of_the_tree_is_found_with_the_moves_to_it() {
        let tree = grown();
        assert_eq!(tree.moves_to(&Three::new(11, 0)), Some(vec![]));
        assert_eq!(tree.moves_to(&Three::new(9, 1)), Some(vec![2]));
        // Of several ways the one whose moves were listed first.
        let moves = tree.moves_to(&Three::new(7, 0)).expect("it was visited");
        assert_eq!((moves.len(), moves.iter().sum::<u8>()), (2, 4));
        for nowhere in [Three::new(11, 1), Three::new(12, 0), Three::new(10, 0)] {
            assert_eq!(tree.moves_to(&nowhere), None);
        }
    }

    #[test]
    fn a_tree_goes_on_from_a_position_that_it_has() {
        let memory = 1 << 20;
        let mut tree = grown();
        let child = |tree: &Tree<Three>, mv| {
            let offset = tree.pool.children(ROOT).iter().position(|it| it.mv() == mv).expect("a child");
            tree.pool.node(tree.pool.child(ROOT, offset)).visits
        };
        let visits = child(&tree, 1);
        assert!(visits > 1);
        assert!(tree.advance(&Three::new(10, 1), &[1], (3, 4), u64::MAX, memory));
        assert_eq!((tree.pool.node(ROOT).visits, tree.root, tree.done), (visits, Three::new(10, 1), 0));
        assert_eq!(tree.remaining, Budget::MAX_ITERATIONS_PER_TREE - u64::from(visits));
        let fresh = {
            let mut fresh = Tree::new(&Three::initial(), true);
            fresh.reset(&Three::new(10, 1), (3, 4), 7, memory).expect("there is memory");
            assert_eq!((fresh.remaining, fresh.pool.len()), (7, 1));
            fresh
        };
        assert_eq!(tree.salt, fresh.salt, "of the stream");
        let mut unlike = Tree::new(&Three::initial(), true);
        unlike.reset(&Three::new(10, 1), (3, 5), 7, memory).expect("there is memory");
        assert_ne!(tree.salt, unlike.salt);
        // No such move, and a node without children.
        assert!(!tree.advance(&Three::new(6, 0), &[4], (0, 0), 1, memory));
        assert!(!unlike.advance(&Three::new(10, 1), &[], (0, 0), 1, memory));
    }

    #[test]
    fn a_restricted_root_has_the_moves_to_choose_from_with_their_weights() {
        let candidates = || [(1, 4.0), (2, 2.0)].into_iter().collect::<Candidates<u8>>();
        let mut tree = Tree::new(&Three::initial(), true);
        let restricted = |tree: &Tree<Three>| {
            let mut moves = candidates();
            tree.restrict_candidates(&mut moves);
            moves.iter().map(|&(mv, weight)| (mv, weight.to_bits())).collect::<Vec<_>>()
        };
        let bits = |moves: &[(u8, f32)]| moves.iter().map(|it| (it.0, it.1.to_bits())).collect::<Vec<_>>();
        assert_eq!(restricted(&tree), bits(&[(1, 4.0), (2, 2.0)]));
        assert!(tree.may_choose(1) && tree.may_choose(3));
        tree.restrict(&[3, 1]);
        assert_eq!(restricted(&tree), bits(&[(3, 2.0), (1, 4.0)]));
        assert_eq!([1, 2, 3].map(|mv| tree.may_choose(mv)), [true, false, true]);
    }

    #[test]
    fn a_tree_has_room_for_what_its_iterations_need() {
        let limits = |iterations| [true, false].map(|it| Tree::new(&Drawn::new(5, 9), it).limit(iterations));
        assert_eq!(limits(0), [24, 4]);
        assert_eq!(limits(10), [224, 44]);
        assert_eq!(limits(u64::MAX), [usize::MAX; 2]);
    }

    #[test]
    fn hashes_of_paths_differ_by_every_step() {
        let paths = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [0, 2]];
        let hash = |salt: u64, path: &[usize]| path.iter().fold(salt, |hash, &step| extend_hash(hash, step));
        let mut hashes: Vec<u64> =
            paths.iter().flat_map(|path| [hash(7 << 40, path), hash(9 << 50, path)]).collect();
        hashes.extend([hash(7 << 40, &[]), hash(7 << 40, &[0]), hash(7 << 40, &[1])]);
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 15);
    }
}
