//! The nodes of one search tree, in one pool.
//!
//! A node is 16 bytes (for moves of up to two bytes), and the children of a node lie side by side in a block.
//! A move enters the tree when it is first tried, not when its parent is expanded, so a block starts small
//! and doubles as moves are tried; the old block goes to a list of free ones. A game with many moves per
//! position pays only for those tried.

use crate::game::{Outcome, Side};

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
    /// The bits of [`OPENED`] and so on.
    flags: u16,
    /// The move that leads here; without meaning in the root.
    mv: M,
}

/// The number of children in use.
const OPENED: u16 = 0x03FF;
/// All legal moves have been opened.
const FULL: u16 = 0x0400;
/// The mover is the second side.
const SECOND: u16 = 0x0800;
/// The proven outcome in half points of the first side, plus 1; 0 if none is known.
const PROVEN_SHIFT: u32 = 12;

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

    /// The outcome, if the game is over here or it has been proved.
    #[inline]
    pub(super) fn proven(&self) -> Option<Outcome> {
        match self.flags >> PROVEN_SHIFT {
            0 => None,
            1 => Some(Outcome::Win(Side::Second)),
            2 => Some(Outcome::Draw),
            _ => Some(Outcome::Win(Side::First)),
        }
    }

    pub(super) fn set_proven(&mut self, outcome: Outcome) {
        self.flags |= (u16::from(outcome.half_points(Side::First)) + 1) << PROVEN_SHIFT;
    }

    /// The number of moves that have been tried from here.
    #[inline]
    pub(super) fn opened(&self) -> usize {
        usize::from(self.flags & OPENED)
    }

    /// Whether every legal move has been tried.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.flags & FULL != 0
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
}

pub(super) const ROOT: usize = 0;

/// A pool that is refused less than this gives up.
const LEAST_LIMIT: usize = 1 << 16;

impl<M: Copy> Pool<M> {
    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), limit: 0, free: [0; 9], ran_out: false }
    }

    /// Forgets all nodes and starts anew with the root alone, with room for `limit` nodes.
    ///
    /// Fails if the system does not give the memory.
    pub(super) fn reset(
        &mut self,
        root: Node<M>,
        limit: usize,
    ) -> Result<(), std::collections::TryReserveError> {
        let mut limit = limit.min(u32::MAX as usize);
        self.nodes.clear();
        // A limit is seldom used up: where the system gives less, that may still do.
        while let Err(error) = self.nodes.try_reserve_exact(limit) {
            if limit < LEAST_LIMIT {
                return Err(error);
            }
            limit /= 2;
        }
        self.nodes.push(root);
        self.limit = limit;
        self.free = [0; 9];
        self.ran_out = false;
        Ok(())
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

    /// The children of `at` that are in use, in the order in which they were opened.
    #[inline]
    pub(super) fn children(&self, at: usize) -> &[Node<M>] {
        let node = &self.nodes[at];
        let first = node.children as usize;
        &self.nodes[first..first + node.opened()]
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
    pub(super) fn open(&mut self, at: usize, moves: usize, child: Node<M>) -> Option<usize> {
        let opened = self.nodes[at].opened();
        debug_assert!(opened < moves, "every move is open");
        // Blocks have room for 2, 4, 8, … nodes, but never for more than there are moves.
        let is_grown = opened == 0 || opened >= 2 && opened.is_power_of_two();
        if is_grown {
            let size = if opened == 0 { 2 } else { 2 * opened };
            let Some(block) = self.allocate(size.min(moves)) else {
                self.ran_out = true;
                return None;
            };
            let old = self.nodes[at].children as usize;
            self.nodes.copy_within(old..old + opened, block);
            if opened > 0 {
                self.release(old, opened);
            }
            self.nodes[at].children = block as u32;
        }
        let index = self.child(at, opened);
        self.nodes[index] = child;
        let node = &mut self.nodes[at];
        node.flags += 1;
        if opened + 1 == moves {
            node.flags |= FULL;
        }
        Some(index)
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
        Some(block)
    }

    /// Puts a block of `size` nodes, a power of two, on its free list.
    fn release(&mut self, block: usize, size: usize) {
        let head = &mut self.free[size.trailing_zeros() as usize - 1];
        self.nodes[block].children = *head;
        *head = block as u32;
    }
}
