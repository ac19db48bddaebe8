//! The trunk of a large tree, and its branches.
//!
//! A tree that has been visited often enough gets a *trunk*: its own nodes are then those at the top alone,
//! and what is below each leaf of the trunk is a *branch*, with a pool of its own. Branches share nothing,
//! so they grow side by side, and each is so small that a processor keeps it at hand. A branch that is
//! visited more often than a stated part of the tree is split: its root becomes a node of the trunk, and what
//! is below each child a branch.

use super::pool::{Pool, ROOT};
use super::tree::{Place, Tree, drop_in_background, extend_hash};
use crate::game::{Bounds, Game, Outcome};

/// A branch is split when it has more than this part of the tree's visits.
const PARTS: u32 = 1024;

/// A branch with fewer visits than this is not split.
const MIN_VISITS: u32 = 128;

/// A branch that begins so many plies below the root is not split: its forced lines may be long.
const MAX_DEPTH: usize = 64;

/// A leaf of the trunk: its node, its position, and the hash and the length of its path.
#[derive(Clone, Copy)]
pub(super) struct Leaf<G> {
    pub(super) at: usize,
    pub(super) position: G,
    pub(super) path_hash: u64,
    pub(super) depth: usize,
}

impl<G: Game> Tree<G> {
    /// Sets the outcome of the position after these moves from the root, if the tree has it, and, if it
    /// `solves`, the bounds that follow from it.
    pub(super) fn set_proven(&mut self, moves: &[G::Move], outcome: Outcome, solves: bool) {
        // A branch's root comes after the leaf of the trunk that it grows from.
        let mut path = vec![Place::ROOT];
        for &mv in moves {
            let Place { branch, at } = path[path.len() - 1];
            let pool = self.pool_of(Place { branch, at });
            let Some(offset) = pool.children(at).iter().position(|child| child.mv() == mv) else { return };
            let child = Place { branch, at: pool.child(at, offset) };
            path.push(child);
            let entered = self.enter(child.branch, child.at);
            if entered != child {
                path.push(entered);
            }
        }
        let mut bounds = Some(Bounds::exactly(outcome));
        while let (Some(place), Some(proven)) = (path.pop(), bounds) {
            let pool = self.pool_of_mut(place);
            let node = pool.node_mut(place.at);
            let before = node.bounds();
            node.set_bounds(before.and(proven));
            let after = node.bounds();
            bounds = match path.last() {
                Some(leaf) if leaf.branch != place.branch => Some(after),
                Some(parent) if solves && pool.propagate_bounds(parent.at) => {
                    Some(pool.node(parent.at).bounds())
                }
                _ => None,
            };
        }
    }

    fn pool_of_mut(&mut self, place: Place) -> &mut Pool<G::Move> {
        match place.branch {
            Some(branch) => &mut self.branches[branch],
            None => &mut self.pool,
        }
    }

    /// Makes a trunk of the nodes at the top, and branches of what is below them. Returns `false` and
    /// changes nothing if there is no memory for that.
    pub(super) fn found_trunk(&mut self) -> bool {
        let Some(trunk) = self.pool.copy_alone(ROOT) else { return false };
        let whole = std::mem::replace(&mut self.pool, trunk);
        self.branches.push(whole);
        self.branch_nodes = self.branches[0].len();
        let root = Leaf { at: ROOT, position: self.root, path_hash: self.salt, depth: 0 };
        self.pool.allow(self.branch_nodes);
        self.split_if_large(0, root);
        let is_founded = self.pool.node(ROOT).child_count() > 0;
        if !is_founded {
            self.pool = self.branches.remove(0);
            self.branch_nodes = 0;
        }
        is_founded
    }

    /// Splits branch number `branch`, which grows from `leaf`, and what comes of it, as long as it is large.
    /// The trunk must have room.
    pub(super) fn split_if_large(&mut self, branch: usize, leaf: Leaf<G>) {
        let least = MIN_VISITS.max(self.pool.node(ROOT).visits / PARTS);
        let mut open = vec![(branch, leaf)];
        while let Some((branch, leaf)) = open.pop() {
            if self.branches[branch].node(ROOT).visits < least || !self.split(branch, leaf) {
                continue;
            }
            for offset in 0..self.pool.node(leaf.at).child_count() {
                let at = self.pool.child(leaf.at, offset);
                let child = self.pool.node(at);
                if let Some(branch) = child.branch() {
                    let position = leaf.position.after(child.mv());
                    let path_hash = extend_hash(leaf.path_hash, offset);
                    open.push((branch, Leaf { at, position, path_hash, depth: leaf.depth + 1 }));
                }
            }
        }
    }

    /// Splits branch number `branch`, which grows from `leaf`, if it has enough visits for that; returns
    /// whether it has. The trunk must have room.
    pub(super) fn split(&mut self, branch: usize, leaf: Leaf<G>) -> bool {
        let root = self.branches[branch].node(ROOT);
        // Each child may get a root of its own.
        let has_room = self.free_nodes() >= 2 * root.child_count();
        if root.visits < MIN_VISITS || leaf.depth > MAX_DEPTH || root.proven().is_some() || !has_room {
            return false;
        }
        let whole = std::mem::replace(&mut self.branches[branch], Pool::new(true));
        let is_split = self.graft(leaf.at, &whole, branch);
        if is_split {
            self.branch_nodes -= whole.len();
        } else {
            self.pool.node_mut(leaf.at).set_branch(branch);
            self.branches[branch] = whole;
        }
        is_split
    }

    /// Gives `at`, a leaf of the trunk, the children of the root of `whole`, and lets branches grow from
    /// those that have children; the first of them takes the number `free`. Returns `false` if no child has
    /// children, or there is no memory; `at` has then no children.
    fn graft(&mut self, at: usize, whole: &Pool<G::Move>, free: usize) -> bool {
        let mut branches = Vec::new();
        for (offset, child) in whole.children(ROOT).iter().enumerate() {
            if child.child_count() > 0 {
                let Some(branch) = whole.copy_below(whole.child(ROOT, offset)) else { return false };
                branches.push((offset, branch));
            }
        }
        if branches.is_empty() || self.pool.copy_children(at, whole).is_none() {
            return false;
        }
        let mut free = Some(free);
        for (offset, branch) in branches {
            self.branch_nodes += branch.len();
            let number = free.take().unwrap_or(self.branches.len());
            let child = self.pool.child(at, offset);
            self.pool.node_mut(child).set_branch(number);
            if number < self.branches.len() {
                self.branches[number] = branch;
            } else {
                self.branches.push(branch);
            }
        }
        true
    }

    /// The number of the branch that grows from the leaf `at` of the trunk. `None` if there is none and no
    /// memory for one.
    pub(super) fn branch_from(&mut self, at: usize) -> Option<usize> {
        if let Some(branch) = self.pool.node(at).branch() {
            return Some(branch);
        }
        if self.free_nodes() == 0 {
            return None;
        }
        let number = self.branches.len();
        self.branches.push(self.pool.copy_alone(at)?);
        self.pool.node_mut(at).set_branch(number);
        self.branch_nodes += 1;
        Some(number)
    }

    /// Makes the node at `place` the root, keeps what is below it and drops the rest. The tree then has
    /// room for `limit` nodes, or for as many as before if that is more. Returns `false` if there is no
    /// memory, or half of that room is in use; the tree must then be reset.
    pub(super) fn retain(&mut self, place: Place, limit: usize) -> bool {
        self.max_nodes = limit.max(self.max_nodes);
        if !self.has_trunk() {
            return self.pool.retain(place.at, limit);
        }
        if place == Place::ROOT {
            self.make_room();
            return true;
        }
        let mut dropped = std::mem::take(&mut self.branches);
        self.branch_nodes = 0;
        let is_kept = if let Some(branch) = place.branch {
            self.pool = std::mem::replace(&mut dropped[branch], Pool::new(true));
            self.pool.retain(place.at, limit)
        } else if let Some(trunk) = self.pool.copy_below(place.at) {
            self.pool = trunk;
            // The copy has the numbers that the branches had before.
            for at in 0..self.pool.len() {
                if let Some(branch) = self.pool.node(at).branch() {
                    let kept = std::mem::replace(&mut dropped[branch], Pool::new(true));
                    self.pool.node_mut(at).set_branch(self.branches.len());
                    self.branch_nodes += kept.len();
                    self.branches.push(kept);
                }
            }
            true
        } else {
            false
        };
        drop_in_background(dropped);
        if !self.has_trunk() {
            return is_kept && self.pool.retain(ROOT, limit);
        }
        self.make_room();
        is_kept && self.node_count() <= self.max_nodes / 2
    }

    /// Lets the trunk grow by all nodes that there is memory for, at the start of a run.
    fn make_room(&mut self) {
        self.pool.allow(self.free_nodes());
        self.pool.clear_ran_out();
        self.branches.iter_mut().for_each(Pool::clear_ran_out);
    }
}
