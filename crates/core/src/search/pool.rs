//! The nodes of one search tree, in one pool.
//!
//! A node is 16 bytes (for moves of up to two bytes), and the children of a node lie side by side in a block.
//! In plain UCT a move enters the tree when it is first tried, not when its parent is expanded, so a block
//! starts small and doubles as moves are tried; the old block goes to a list of free ones. With knowledge the
//! eight most promising moves enter first, and as many again when one of those left out may be next. A game with
//! many moves per position pays only for these.

use crate::game::{Bounds, Outcome, Side};

/// One move of the tree, and the position it leads to.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Node<M> {
    /// The number of iterations through this node.
    pub(super) visits: u32,
    /// The sum of their rewards for the mover, in half points.
    pub(super) reward: u32,
    /// The first of the children's block; the next free block's, if this node starts a free block.
    children: u32,
    /// The bits of [`EXPANDED`] and so on.
    flags: u16,
    /// The move that leads here; without meaning in the root.
    mv: M,
}

/// The number of children in use.
const EXPANDED: u16 = 0x03FF;
/// All moves have been expanded: the legal ones, or those worth a look.
const FULLY_EXPANDED: u16 = 0x0400;
/// The mover is the second side.
const SECOND: u16 = 0x0800;
/// The lower bound of [`Bounds`].
const LOWER_SHIFT: u32 = 12;
/// What the upper bound of [`Bounds`] is below its most.
const UPPER_SHIFT: u32 = 14;

impl<M: Copy> Node<M> {
    pub(super) fn new(mv: M, mover: Side) -> Self {
        let flags = if mover == Side::Second { SECOND } else { 0 };
        Self { visits: 0, reward: 0, children: 0, flags, mv }
    }

    /// The move that leads to this node.
    #[inline]
    pub(super) fn mv(&self) -> M {
        self.mv
    }

    /// The side that made the move that leads to this node.
    #[inline]
    pub(super) fn mover(&self) -> Side {
        if self.flags & SECOND == 0 { Side::First } else { Side::Second }
    }

    /// What is proven of the position.
    #[inline]
    pub(super) fn bounds(&self) -> Bounds {
        let bits = self.flags >> LOWER_SHIFT;
        Bounds { lower: (bits & 3) as u8, upper: 2 - (bits >> 2) as u8 }
    }

    /// The outcome, if the game is over here or it has been proved.
    #[inline]
    pub(super) fn proven(&self) -> Option<Outcome> {
        if self.flags >> LOWER_SHIFT == 0 { None } else { self.bounds().outcome() }
    }

    pub(super) fn set_bounds(&mut self, bounds: Bounds) {
        let bits = u16::from(bounds.lower) << LOWER_SHIFT | u16::from(2 - bounds.upper) << UPPER_SHIFT;
        self.flags = self.flags & !(0xF << LOWER_SHIFT) | bits;
    }

    /// The number of moves from here that are in the tree.
    #[inline]
    pub(super) fn expanded(&self) -> usize {
        usize::from(self.flags & EXPANDED)
    }

    /// Whether every legal move, or every one worth a look, is in the tree.
    #[inline]
    pub(super) fn is_fully_expanded(&self) -> bool {
        self.flags & FULLY_EXPANDED != 0
    }

    /// Adds one iteration that ended with `outcome`.
    #[inline]
    pub(super) fn update(&mut self, outcome: Outcome) {
        self.visits += 1;
        self.reward += u32::from(outcome.half_points(self.mover()));
    }
}

/// The nodes of a tree. The root is node 0.
#[derive(Debug)]
pub(super) struct Pool<M> {
    nodes: Vec<Node<M>>,
    /// The most nodes there may be; the vector has room for them from the start.
    limit: usize,
    /// `free[i]` starts the list of free blocks of 2 << i nodes; 0 is the end, since the root is never free.
    free: [u32; 9],
    ran_out: bool,
    /// The prior of each node, from 0 to 1, if the search has any use for it; else empty.
    priors: Vec<f32>,
    has_priors: bool,
}

pub(super) const ROOT: usize = 0;

/// A pool that is refused less than this gives up.
const MIN_LIMIT: usize = 1 << 16;

impl<M: Copy> Pool<M> {
    pub(super) fn new(has_priors: bool) -> Self {
        Self { nodes: Vec::new(), limit: 0, free: [0; 9], ran_out: false, priors: Vec::new(), has_priors }
    }

    /// Forgets all nodes and starts anew with the root alone, with room for `limit` nodes.
    ///
    /// Fails if the system does not give the memory.
    pub(super) fn reset(
        &mut self,
        root: Node<M>,
        limit: usize,
    ) -> Result<(), std::collections::TryReserveError> {
        self.nodes.clear();
        self.priors.clear();
        self.reserve(limit)?;
        if self.has_priors {
            self.priors.push(1.0);
        }
        self.nodes.push(root);
        self.free = [0; 9];
        self.ran_out = false;
        Ok(())
    }

    /// Gets the memory for `limit` nodes in all.
    fn reserve(&mut self, limit: usize) -> Result<(), std::collections::TryReserveError> {
        let mut limit = limit.min(u32::MAX as usize);
        // A limit is seldom used up: where the system gives less, that may still do.
        while let Err(error) = self.nodes.try_reserve_exact(limit.saturating_sub(self.nodes.len())) {
            if limit < MIN_LIMIT {
                return Err(error);
            }
            limit /= 2;
        }
        if self.has_priors {
            self.priors.try_reserve_exact(limit.saturating_sub(self.priors.len()))?;
        }
        self.limit = limit;
        Ok(())
    }

    /// Moves the node `at`, with all that is below it, to the root of an otherwise empty pool with room for
    /// `limit` nodes or for as many as now, if that is more; `false`, and no node is changed, if both pools
    /// together would need more than that, or the system does not give the memory.
    ///
    /// The blocks of all nodes must have been made by [`widen`](Self::widen).
    pub(super) fn retain(&mut self, at: usize, limit: usize) -> bool {
        let limit = limit.max(self.limit);
        if self.nodes.len() > limit / 2 || self.reserve(limit).is_err() {
            return false;
        }
        let mut kept = Self::new(self.has_priors);
        if kept.reset(self.nodes[at], self.nodes.len()).is_err() {
            return false;
        }
        let mut open = vec![(at, ROOT)];
        while let Some((from, to)) = open.pop() {
            let count = self.nodes[from].expanded();
            if count == 0 {
                continue;
            }
            let old = self.nodes[from].children as usize;
            let Some(block) = kept.allocate(count) else { return false };
            kept.nodes[block..block + count].copy_from_slice(&self.nodes[old..old + count]);
            if self.has_priors {
                kept.priors[block..block + count].copy_from_slice(&self.priors[old..old + count]);
            }
            kept.nodes[to].children = block as u32;
            open.extend((0..count).map(|offset| (old + offset, block + offset)));
        }
        // Back to the memory there has been: that of a new pool would have to be got from the system page by
        // page.
        self.nodes.clear();
        self.nodes.extend_from_slice(&kept.nodes);
        self.priors.clear();
        self.priors.extend_from_slice(&kept.priors);
        self.free = kept.free;
        self.ran_out = false;
        true
    }

    /// The bytes that a node takes, with its prior where there are any.
    pub(super) fn node_bytes(&self) -> usize {
        size_of::<Node<M>>() + if self.has_priors { size_of::<f32>() } else { 0 }
    }

    /// Whether nodes have priors.
    pub(super) fn has_priors(&self) -> bool {
        self.has_priors
    }

    /// The number of nodes in use, those in free blocks included.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether a node could not be added for want of memory.
    pub(super) fn ran_out(&self) -> bool {
        self.ran_out
    }

    #[inline]
    pub(super) fn node(&self, at: usize) -> &Node<M> {
        &self.nodes[at]
    }

    #[inline]
    pub(super) fn node_mut(&mut self, at: usize) -> &mut Node<M> {
        &mut self.nodes[at]
    }

    /// The children of `at` that are in use, in the order in which they were expanded.
    #[inline]
    pub(super) fn children(&self, at: usize) -> &[Node<M>] {
        let node = &self.nodes[at];
        let first = node.children as usize;
        &self.nodes[first..first + node.expanded()]
    }

    /// The index of the child of `at` at `offset`.
    #[inline]
    pub(super) fn child(&self, at: usize, offset: usize) -> usize {
        self.nodes[at].children as usize + offset
    }

    /// Opens the next child of `at`, which has `moves` legal moves, and returns its index; `None` if there is
    /// no memory left.
    ///
    /// The children of `at` may move; no other node does.
    #[inline]
    pub(super) fn expand_next(&mut self, at: usize, moves: usize, child: Node<M>) -> Option<usize> {
        let expanded = self.nodes[at].expanded();
        debug_assert!(expanded < moves, "every move is open");
        // Blocks have room for 2, 4, 8, … nodes, but never for more than there are moves.
        let is_grown = expanded == 0 || expanded >= 2 && expanded.is_power_of_two();
        if is_grown {
            self.widen_to(at, if expanded == 0 { 2 } else { 2 * expanded }.min(moves))?;
        }
        let index = self.child(at, expanded);
        self.nodes[index] = child;
        let node = &mut self.nodes[at];
        node.flags += 1;
        if expanded + 1 == moves {
            node.flags |= FULLY_EXPANDED;
        }
        Some(index)
    }

    /// Makes room for more children of `at`, which has `moves` moves worth a look, in steps of 8, 16, 32, …,
    /// and returns how many there is room for; `None` if there is no memory left. The children may move.
    pub(super) fn widen(&mut self, at: usize, moves: usize) -> Option<usize> {
        const FIRST: usize = 8;
        let expanded = self.nodes[at].expanded();
        let size = if expanded == 0 { FIRST } else { 2 * expanded }.min(moves);
        self.widen_to(at, size)?;
        Some(size)
    }

    /// Adds a child to `at`, which there is [room](Self::widen) for.
    pub(super) fn add(&mut self, at: usize, moves: usize, child: Node<M>, prior: f32) {
        let expanded = self.nodes[at].expanded();
        let index = self.child(at, expanded);
        self.nodes[index] = child;
        if self.has_priors {
            self.priors[index] = prior;
        }
        let node = &mut self.nodes[at];
        node.flags += 1;
        if expanded + 1 == moves {
            node.flags |= FULLY_EXPANDED;
        }
    }

    /// The priors of the children of `at` that are in use.
    #[inline]
    pub(super) fn priors(&self, at: usize) -> &[f32] {
        let first = self.child(at, 0);
        &self.priors[first..first + self.nodes[at].expanded()]
    }

    /// Sets the priors of the children of `at` by their moves, and puts those that have been visited first, the
    /// others by falling priors.
    pub(super) fn set_priors(&mut self, at: usize, prior: impl Fn(M) -> f32) {
        let first = self.child(at, 0);
        let block = first..first + self.nodes[at].expanded();
        let mut children: Vec<_> =
            self.nodes[block.clone()].iter().map(|child| (*child, prior(child.mv()))).collect();
        children.sort_by(|a, b| {
            let [a_is_untried, b_is_untried] = [a, b].map(|(child, _)| child.visits == 0);
            a_is_untried.cmp(&b_is_untried).then(b.1.total_cmp(&a.1))
        });
        for (index, (child, prior)) in block.zip(children) {
            (self.nodes[index], self.priors[index]) = (child, prior);
        }
    }

    /// Gives `at` a block for `size` children, into which those it has move; `None` if there is no memory left.
    #[inline]
    pub(super) fn widen_to(&mut self, at: usize, size: usize) -> Option<()> {
        let Some(block) = self.allocate(size) else {
            self.ran_out = true;
            return None;
        };
        let (old, expanded) = (self.nodes[at].children as usize, self.nodes[at].expanded());
        self.nodes.copy_within(old..old + expanded, block);
        if self.has_priors {
            self.priors.copy_within(old..old + expanded, block);
        }
        if expanded > 1 && expanded.is_power_of_two() {
            self.release(old, expanded);
        }
        self.nodes[at].children = block as u32;
        Some(())
    }

    #[inline]
    fn allocate(&mut self, size: usize) -> Option<usize> {
        if size.is_power_of_two() && size > 1 {
            let head = &mut self.free[size.trailing_zeros() as usize - 1];
            if *head != 0 {
                let block = *head as usize;
                *head = self.nodes[block].children;
                return Some(block);
            }
        }
        let block = self.nodes.len();
        if block + size > self.limit {
            return None;
        }
        let filler = self.nodes[ROOT];
        self.nodes.resize(block + size, filler);
        if self.has_priors {
            self.priors.resize(block + size, 0.0);
        }
        Some(block)
    }

    /// Puts a block of `size` nodes, a power of two, on its free list.
    fn release(&mut self, block: usize, size: usize) {
        let head = &mut self.free[size.trailing_zeros() as usize - 1];
        self.nodes[block].children = *head;
        *head = block as u32;
    }
}
