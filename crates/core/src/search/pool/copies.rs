//! What is kept of a pool, and what goes into pools of its own.

use std::collections::TryReserveError;

use super::{Pool, ROOT, move_to_room};
use crate::search::node::Extras;

impl<M: Copy> Pool<M> {
    /// Makes the node `at` the root, keeps all nodes below it and drops the others. The pool then
    /// has room for `limit` nodes, or for as many as before if that is more. Returns `false` and
    /// changes no node if the system does not provide the memory, or if `at` is not the root
    /// already and the nodes fill more than half of that room.
    ///
    /// The pool must not have grown by [`expand_next`](Self::expand_next), which relies on spare
    /// room in its blocks: the blocks kept have none.
    pub(in crate::search) fn retain(&mut self, at: usize, limit: usize) -> bool {
        let limit = limit.max(self.limit);
        if at == ROOT {
            self.ran_out = false;
            return self.reserve(limit).is_ok();
        }
        if self.nodes.len() > limit / 2 || self.reserve(limit).is_err() {
            return false;
        }
        let Some(kept) = self.copy_below(at) else { return false };
        // Copy back to the old memory: the system would provide new memory page by page.
        self.nodes.clear();
        self.nodes.extend_from_slice(&kept.nodes);
        self.extras.clear();
        self.extras.extend_from_slice(&kept.extras);
        if self.is_guided {
            self.extras[ROOT] = Extras::new(1.0);
        }
        self.free = kept.free;
        self.ran_out = false;
        true
    }

    /// A pool with the node `at` as its root and all nodes below it, and no room for more; `None` if the
    /// system does not provide the memory.
    pub(in crate::search) fn copy_below(&self, at: usize) -> Option<Self> {
        let mut copy = Self::new(self.is_guided);
        copy.push_block(self, at, 1).ok()?;
        // Blocks are copied in the order in which their parents were.
        let mut parent = ROOT;
        while parent < copy.nodes.len() {
            let count = copy.nodes[parent].child_count();
            if count > 0 {
                let block = copy.nodes.len();
                copy.push_block(self, copy.nodes[parent].children as usize, count).ok()?;
                copy.nodes[parent].children = block as u32;
            }
            parent += 1;
        }
        copy.nodes.shrink_to_fit();
        copy.extras.shrink_to_fit();
        copy.limit = copy.nodes.len();
        Some(copy)
    }

    /// Appends `count` adjacent nodes of another pool.
    fn push_block(&mut self, from: &Self, at: usize, count: usize) -> Result<(), TryReserveError> {
        let room =
            if self.nodes.len() + count > self.nodes.capacity() { count + 2 * self.nodes.len() } else { 0 };
        move_to_room(&mut self.nodes, room)?;
        self.nodes.extend_from_slice(&from.nodes[at..at + count]);
        if self.is_guided {
            move_to_room(&mut self.extras, room)?;
            self.extras.extend_from_slice(&from.extras[at..at + count]);
        }
        Ok(())
    }

    /// A pool with a copy of the node `at` alone, without its children.
    pub(in crate::search) fn copy_alone(&self, at: usize) -> Option<Self> {
        let mut copy = Self::new(self.is_guided);
        copy.push_block(self, at, 1).ok()?;
        copy.nodes[ROOT] = copy.nodes[ROOT].without_children();
        copy.limit = 1;
        Some(copy)
    }

    /// Gives the node `at`, which has no children, those of the root of another pool, without what is
    /// below them; `None` if there is no memory.
    pub(in crate::search) fn copy_children(&mut self, at: usize, from: &Self) -> Option<()> {
        let root = &from.nodes[ROOT];
        let count = root.child_count();
        self.nodes[at] = self.nodes[at].without_children();
        self.widen_to(at, count)?;
        let (block, old) = (self.child(at, 0), from.child(ROOT, 0));
        for offset in 0..count {
            self.nodes[block + offset] = from.nodes[old + offset].without_children();
            self.extras[block + offset] = from.extras[old + offset];
        }
        self.nodes[at].count_children_of(root);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{moves, pool};
    use super::*;
    use crate::game::{Outcome, Side};
    use crate::search::node::Node;

    #[test]
    fn what_is_below_the_new_root_is_kept() {
        let mut pool = pool(true, 200);
        let add = |pool: &mut Pool<u16>, at, count: u16| {
            pool.widen_to(at, usize::from(count)).expect("there is room");
            for mv in 0..count {
                pool.add(at, usize::from(count), Node::new(mv, Side::First), f32::from(mv) + 0.5);
            }
        };
        add(&mut pool, ROOT, 3);
        let kept = pool.child(ROOT, 1);
        add(&mut pool, kept, 5);
        let below = pool.child(kept, 4);
        add(&mut pool, below, 2);
        pool.add_value(below, Outcome::Win(Side::First).into());
        let dropped = pool.child(ROOT, 2);
        add(&mut pool, dropped, 9);
        assert!(pool.retain(kept, 10));
        // The root with five children and two below the last.
        assert_eq!((pool.len(), moves(&pool, ROOT), pool.node(ROOT).mv()), (8, vec![0, 1, 2, 3, 4], 1));
        let below = pool.child(ROOT, 4);
        assert_eq!((pool.node(below).visits, moves(&pool, below)), (1, vec![0, 1]));
        assert!((pool.prior(below) - 4.5).abs() < 1e-6 && (pool.reward(below) - 2.0).abs() < 1e-6);
        // More than half of the room is in use.
        let child = pool.child(ROOT, 0);
        add(&mut pool, child, 95);
        assert!(!pool.retain(child, 100));
        assert_eq!(pool.len(), 103);
        assert!(pool.retain(ROOT, 500));
        assert_eq!(pool.len(), 103);
        let child = pool.child(ROOT, 0);
        assert!(pool.retain(child, 100));
        assert_eq!(pool.len(), 96);
    }
}
