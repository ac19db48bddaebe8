//! The trunk of a large tree, and its branches.
//!
//! A tree that has been visited often enough gets a *trunk*: its own nodes are then those at the top alone,
//! and what is below each leaf of the trunk is a *branch*, with a pool of its own. Branches share nothing,
//! so they grow side by side, and each is so small that a processor keeps it at hand. A branch that is
//! visited as often as a stated part of the tree, or more, is split: its root becomes a node of the trunk, and what
//! is below each child a branch.

use super::joint::is_within_joint_move;
use super::pool::{Pool, ROOT};
use super::tree::{Place, Tree, drop_in_background, extend_hash};
use crate::game::{Bounds, Game, Outcome};

/// A branch is split when it has this part of the tree's visits.
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

/// What is below the children of a branch's root: pools, each with the offset of the child.
pub(super) type Parts<M> = Vec<(usize, Pool<M>)>;

/// The parts into which a branch that begins `depth` plies below the root is split; none if it has too few visits
/// for that, or there is no memory.
pub(super) fn parts_of<M: Copy>(branch: &Pool<M>, depth: usize) -> Parts<M> {
    let root = branch.node(ROOT);
    if root.visits < MIN_VISITS || depth > MAX_DEPTH || root.is_known() {
        return Vec::new();
    }
    all_parts_of(branch).unwrap_or_default()
}

/// The parts into which a branch is split; `None` if there is no memory.
fn all_parts_of<M: Copy>(branch: &Pool<M>) -> Option<Parts<M>> {
    let grown = branch.children(ROOT).iter().enumerate().filter(|(_, child)| child.child_count() > 0);
    let parts = grown.map(|(offset, _)| Some((offset, branch.copy_below(branch.child(ROOT, offset))?)));
    parts.collect()
}

/// The number of nodes of all parts.
pub(super) fn nodes_of<M: Copy>(parts: &Parts<M>) -> usize {
    parts.iter().map(|(_, part)| part.len()).sum()
}

/// The root of a branch with its children, without what is below them; `None` if there is no memory.
pub(super) fn top_of<M: Copy>(branch: &Pool<M>) -> Option<Pool<M>> {
    let mut top = branch.copy_alone(ROOT)?;
    top.allow(2 * branch.node(ROOT).child_count());
    top.copy_children(ROOT, branch)?;
    Some(top)
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
            let after = pool.narrow(place.at, proven);
            bounds = match path.last() {
                Some(leaf) if leaf.branch != place.branch => Some(after),
                Some(parent) if solves && pool.propagate_bounds(parent.at) => Some(pool.bounds(parent.at)),
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
        let is_founded = self.split(0, root);
        if is_founded {
            self.split_large_children(root);
        } else {
            self.pool = self.branches.remove(0);
            self.branch_nodes = 0;
        }
        is_founded
    }

    /// The visits from which on a branch is split.
    pub(super) fn split_from(&self) -> u32 {
        MIN_VISITS.max(self.pool.node(ROOT).visits / PARTS)
    }

    /// Splits the branches that grow from the children of `leaf`, and what comes of them, as long as they are
    /// large. The trunk must have room.
    pub(super) fn split_large_children(&mut self, leaf: Leaf<G>) {
        let least = self.split_from();
        let mut open = vec![leaf];
        while let Some(leaf) = open.pop() {
            for offset in 0..self.pool.node(leaf.at).child_count() {
                let at = self.pool.child(leaf.at, offset);
                let child = *self.pool.node(at);
                let Some(branch) = child.branch().filter(|_| child.visits >= least) else { continue };
                let position = leaf.position.after(child.mv());
                let path_hash = extend_hash(leaf.path_hash, offset);
                let child = Leaf { at, position, path_hash, depth: leaf.depth + 1 };
                if self.split(branch, child) {
                    open.push(child);
                }
            }
        }
    }

    /// Splits branch number `branch`, which grows from `leaf`, if it has enough visits for that and there is
    /// memory; returns whether it has.
    pub(super) fn split(&mut self, branch: usize, leaf: Leaf<G>) -> bool {
        let whole = &self.branches[branch];
        // Each child may get a root of its own.
        if self.free_nodes() < 2 * whole.node(ROOT).child_count() {
            return false;
        }
        let parts = parts_of(whole, leaf.depth);
        if parts.is_empty() {
            return false;
        }
        self.branch_nodes += nodes_of(&parts);
        self.split_into(parts, branch, leaf)
    }

    /// Splits branch number `branch`, which grows from `leaf`, into these parts, which are counted among the
    /// nodes of the branches: gives `leaf` the children of the branch's root, and lets the parts grow from them.
    /// Returns `false`, and drops the parts, if there is no memory.
    pub(super) fn split_into(&mut self, parts: Parts<G::Move>, branch: usize, leaf: Leaf<G>) -> bool {
        let whole = std::mem::replace(&mut self.branches[branch], Pool::new(true));
        self.branch_nodes -= whole.len();
        self.pool.allow(self.free_nodes());
        if self.pool.copy_children(leaf.at, &whole).is_none() {
            self.pool.node_mut(leaf.at).set_branch(branch);
            self.branch_nodes = self.branch_nodes + whole.len() - nodes_of(&parts);
            self.branches[branch] = whole;
            return false;
        }
        let mut free = Some(branch);
        for (offset, part) in parts {
            let number = free.take().unwrap_or(self.branches.len());
            let child = self.pool.child(leaf.at, offset);
            self.pool.node_mut(child).set_branch(number);
            if number < self.branches.len() {
                self.branches[number] = part;
            } else {
                self.branches.push(part);
            }
        }
        if const { G::KIND.has_simultaneous_moves() } && leaf.position.kind().has_simultaneous_moves() {
            self.split_within_joint_move(leaf);
        }
        true
    }

    /// Splits the branches that grow from the children of `leaf` if they begin within a joint move: there they would
    /// not know what else the others may choose.
    fn split_within_joint_move(&mut self, leaf: Leaf<G>) {
        for offset in 0..self.pool.node(leaf.at).child_count() {
            let at = self.pool.child(leaf.at, offset);
            let child = *self.pool.node(at);
            let position = leaf.position.after(child.mv());
            if let Some(branch) = child.branch()
                && is_within_joint_move(&position)
                && let Some(parts) = all_parts_of(&self.branches[branch])
            {
                let path_hash = extend_hash(leaf.path_hash, offset);
                self.branch_nodes += nodes_of(&parts);
                self.split_into(parts, branch, Leaf { at, position, path_hash, depth: leaf.depth + 1 });
            }
        }
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
        let is_kept = if let Some(branch) = place.branch {
            self.pool = std::mem::replace(&mut self.branches[branch], Pool::new(true));
            drop_in_background(std::mem::take(&mut self.branches));
            self.branch_nodes = 0;
            self.pool.retain(place.at, limit)
        } else if let Some(trunk) = self.pool.copy_below(place.at) {
            self.pool = trunk;
            self.keep_branches();
            true
        } else {
            false
        };
        if !self.has_trunk() {
            return is_kept && self.pool.retain(ROOT, limit);
        }
        self.make_room();
        is_kept && self.node_count() <= self.max_nodes / 2
    }

    /// Drops the branches that do not grow from the trunk, and counts those that do from 0, in their order.
    fn keep_branches(&mut self) {
        /// A branch that is dropped.
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; self.branches.len()];
        for at in 0..self.pool.len() {
            if let Some(branch) = self.pool.node(at).branch() {
                numbers[branch] = 0;
            }
        }
        let mut kept = 0;
        for (branch, number) in numbers.iter_mut().enumerate().filter(|(_, number)| **number != NONE) {
            *number = kept as u32;
            self.branches.swap(kept, branch);
            kept += 1;
        }
        for at in 0..self.pool.len() {
            if let Some(branch) = self.pool.node(at).branch() {
                self.pool.node_mut(at).set_branch(numbers[branch] as usize);
            }
        }
        drop_in_background(self.branches.split_off(kept));
        self.branch_nodes = self.branches.iter().map(Pool::len).sum();
    }

    /// Lets the trunk grow by all nodes that there is memory for, at the start of a run.
    fn make_room(&mut self) {
        self.pool.allow(self.free_nodes());
        self.pool.clear_ran_out();
        self.branches.iter_mut().for_each(Pool::clear_ran_out);
    }
}
