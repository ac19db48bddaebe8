//! The nodes of a search tree, in one pool.
//!
//! The children of a [node](super::node) are adjacent in a block. In plain UCT a move enters the tree when it is first
//! tried, not when its parent is expanded, so a block starts small and doubles as moves are tried; the old block goes
//! to a free list. With knowledge the eight most promising moves enter first, and the block doubles when one of the
//! others may be next. So a game with many moves per position pays only for those in the tree.

mod copies;

use std::collections::TryReserveError;

use super::gained::Gained;
use super::node::{Extras, Node};
use crate::game::{Bounds, MAX_SCORE, Outcome, Side};
use crate::knowledge::Value;
use crate::order::{ascending, descending};

/// The nodes of a tree. The root is node 0.
#[derive(Debug)]
pub(super) struct Pool<M> {
    nodes: Vec<Node<M>>,
    /// The maximum number of nodes; the vector has room for them from the start.
    limit: usize,
    /// `free[i]` is the head of the list of free blocks of 2 << i nodes; 0 ends a list, since the
    /// root is never free.
    free: [u32; 9],
    ran_out: bool,
    /// What a search with knowledge needs of each node; empty without knowledge.
    extras: Vec<Extras>,
    is_guided: bool,
}

pub(super) const ROOT: usize = 0;

/// A pool that is refused memory for fewer nodes than this gives up.
const MIN_LIMIT: usize = 1 << 16;

impl<M: Copy> Pool<M> {
    pub(super) fn new(is_guided: bool) -> Self {
        Self { nodes: Vec::new(), limit: 0, free: [0; 9], ran_out: false, extras: Vec::new(), is_guided }
    }

    /// Drops all nodes and starts over with the root alone, with room for `limit` nodes, or for
    /// fewer if the system provides less. Returns for how many.
    ///
    /// Fails if the system provides too little memory.
    pub(super) fn reset(&mut self, root: Node<M>, limit: usize) -> Result<usize, TryReserveError> {
        self.nodes.clear();
        self.extras.clear();
        self.reserve(limit)?;
        if self.is_guided {
            self.extras.push(Extras::new(1.0));
        }
        self.nodes.push(root);
        self.free = [0; 9];
        self.ran_out = false;
        Ok(self.limit)
    }

    /// Reserves memory for `limit` nodes in all, or for fewer if the system provides less.
    fn reserve(&mut self, limit: usize) -> Result<(), TryReserveError> {
        let mut limit = limit.min(u32::MAX as usize);
        // The limit is seldom reached, so less memory may be enough.
        while let Err(error) = self.reserve_exactly(limit) {
            if limit < MIN_LIMIT {
                return Err(error);
            }
            limit /= 2;
            // The memory of the nodes is for the extras too.
            self.nodes.shrink_to(limit);
        }
        self.limit = limit;
        Ok(())
    }

    fn reserve_exactly(&mut self, limit: usize) -> Result<(), TryReserveError> {
        self.nodes.try_reserve_exact(limit.saturating_sub(self.nodes.len()))?;
        let extras = if self.is_guided { limit } else { 0 };
        self.extras.try_reserve_exact(extras.saturating_sub(self.extras.len()))
    }

    /// Forgets that the memory was used up.
    pub(super) fn clear_ran_out(&mut self) {
        self.ran_out = false;
    }

    /// Lets the pool grow by this many nodes. Their memory is reserved as they come.
    pub(super) fn allow(&mut self, more: usize) {
        self.limit = self.nodes.len().saturating_add(more).min(u32::MAX as usize);
    }

    /// The size of a node in bytes, with its prior if there are any.
    pub(super) fn node_bytes(&self) -> usize {
        size_of::<Node<M>>() + if self.is_guided { size_of::<Extras>() } else { 0 }
    }

    /// The bytes that are reserved for nodes.
    #[cfg(test)]
    pub(super) fn reserved(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<M>>() + self.extras.capacity() * size_of::<Extras>()
    }

    /// Whether nodes have priors.
    pub(super) fn is_guided(&self) -> bool {
        self.is_guided
    }

    /// Adds an iteration with this value to the node `at`.
    #[inline]
    pub(super) fn add_value(&mut self, at: usize, value: Value) {
        let (node, extras) = (&mut self.nodes[at], &mut self.extras[at]);
        let before = if node.visits == 0 { 0 } else { extras.part() };
        let steps = before + value.steps(node.moved_by());
        node.visits += 1;
        node.reward += steps / Value::HALF_POINT;
        extras.set_part(steps % Value::HALF_POINT);
    }

    /// Adds to the node `at` what it has gained in a batch.
    pub(super) fn add_gained(&mut self, at: usize, gained: &Gained) {
        let (node, extras) = (&mut self.nodes[at], &mut self.extras[at]);
        let before = if node.visits == 0 { 0 } else { extras.part() };
        let steps = u64::from(before) + gained.steps(node.moved_by());
        node.visits += gained.visits;
        node.reward += (steps / u64::from(Value::HALF_POINT)) as u32;
        extras.set_part((steps % u64::from(Value::HALF_POINT)) as u32);
    }

    /// The sum of the rewards for the side that moved to the node `at`, in steps of [`Value`].
    pub(super) fn reward_steps(&self, at: usize) -> u64 {
        let has_part = self.is_guided && self.nodes[at].visits > 0;
        let part = if has_part { self.extras[at].part() } else { 0 };
        u64::from(self.nodes[at].reward) * u64::from(Value::HALF_POINT) + u64::from(part)
    }

    /// The sum of the rewards for the side that moved to the node `at`, in half points.
    #[inline]
    pub(super) fn reward(&self, at: usize) -> f32 {
        self.extras[at].reward(&self.nodes[at])
    }

    /// The proven bounds of the position of the node `at`. Without [`Extras`] they are not known until the game
    /// is over.
    #[inline]
    pub(super) fn bounds(&self, at: usize) -> Bounds {
        if self.is_guided {
            return self.extras[at].bounds();
        }
        self.nodes[at].known_outcome().map_or(Bounds::UNKNOWN, Bounds::exactly)
    }

    /// The outcome of the node `at`, if the game is over there or the outcome is proven.
    #[inline]
    pub(super) fn proven(&self, at: usize) -> Option<Outcome> {
        if self.nodes[at].is_known() { self.bounds(at).outcome() } else { None }
    }

    /// Sets the bounds of the position of the node `at`, which must have [`Extras`].
    #[inline]
    pub(super) fn set_bounds(&mut self, at: usize, bounds: Bounds) {
        self.extras[at].set_bounds(bounds);
        self.nodes[at].set_is_known(bounds.lower == bounds.upper);
    }

    /// Narrows the bounds of the node `at`, which must have [`Extras`], by others, and returns what they are then.
    pub(super) fn narrow(&mut self, at: usize, bounds: Bounds) -> Bounds {
        let narrowed = self.bounds(at).and(bounds);
        self.set_bounds(at, narrowed);
        narrowed
    }

    /// Notes that the game is over at the node `at`. Its outcome is not stored.
    #[inline]
    pub(super) fn set_over(&mut self, at: usize) {
        self.nodes[at].set_is_known(true);
    }

    /// Updates the bounds of `at` from those of its children, and returns whether they changed.
    pub(super) fn propagate_bounds(&mut self, at: usize) -> bool {
        let node = self.node(at);
        let side = self.children(at)[0].moved_by();
        if side == Side::Chance {
            return self.propagate_expectation(at);
        }
        // The bounds for the side to move.
        let mut best = Bounds { lower: 0, upper: if node.is_fully_expanded() { 0 } else { MAX_SCORE } };
        for child in self.extras(at) {
            let child = child.bounds().of(side);
            best = Bounds { lower: best.lower.max(child.lower), upper: best.upper.max(child.upper) };
        }
        let before = self.bounds(at);
        self.narrow(at, best.of(side)) != before
    }

    /// The same where chance is to move: the bounds of the expectation, rounded to whole scores.
    fn propagate_expectation(&mut self, at: usize) -> bool {
        /// What rounding may change in a sum.
        const ERROR: f32 = 1e-3;
        let children = self.extras(at);
        let sum = |score: fn(Bounds) -> u8| -> (f32, bool) {
            let first = score(children[0].bounds());
            let sum = children.iter().map(|it| it.prior * f32::from(score(it.bounds()))).sum();
            (sum, children.iter().all(|it| score(it.bounds()) == first))
        };
        let (lower, upper) = (sum(|it| it.lower), sum(|it| it.upper));
        let rounded =
            |(sum, is_sure): (f32, bool), error: f32| if is_sure { sum.round() } else { sum + error };
        let expected = Bounds {
            lower: rounded(lower, -ERROR).floor() as u8,
            upper: (rounded(upper, ERROR).ceil() as u8).min(MAX_SCORE),
        };
        let before = self.bounds(at);
        self.node(at).is_fully_expanded() && self.narrow(at, expected) != before
    }

    /// The prior of the node `at`.
    #[inline]
    pub(super) fn prior(&self, at: usize) -> f32 {
        self.extras[at].prior
    }

    /// The number of nodes, including those in free blocks.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether a node could not be added because the memory was used up.
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

    /// The children of `at`, in the order in which they were expanded.
    #[inline]
    pub(super) fn children(&self, at: usize) -> &[Node<M>] {
        let node = &self.nodes[at];
        let first = node.children as usize;
        &self.nodes[first..first + node.child_count()]
    }

    /// The index of the child of `at` at `offset`.
    #[inline]
    pub(super) fn child(&self, at: usize, offset: usize) -> usize {
        self.nodes[at].children as usize + offset
    }

    /// Adds the next child of `at`, which has `moves` legal moves, and returns its index; `None` if
    /// there is no memory left.
    ///
    /// This may move the children of `at`, but no other node.
    #[inline]
    pub(super) fn expand_next(&mut self, at: usize, moves: usize, child: Node<M>) -> Option<usize> {
        let expanded = self.nodes[at].child_count();
        debug_assert!(expanded < moves, "every move is expanded");
        // Blocks have room for 2, 4, 8, … nodes, but not for more than there are moves.
        let is_grown = expanded == 0 || expanded >= 2 && expanded.is_power_of_two();
        if is_grown {
            self.widen_to(at, if expanded == 0 { 2 } else { 2 * expanded }.min(moves))?;
        }
        let index = self.child(at, expanded);
        self.nodes[index] = child;
        self.nodes[at].add_child(moves);
        Some(index)
    }

    /// Makes room for more children of `at`, which has `moves` candidates: for 8, 16, 32, … in all,
    /// but not for more than `moves`. Returns that number; `None` if there is no memory left. This
    /// may move the children.
    pub(super) fn widen(&mut self, at: usize, moves: usize) -> Option<usize> {
        const FIRST: usize = 8;
        let expanded = self.nodes[at].child_count();
        let size = if expanded == 0 { FIRST } else { 2 * expanded }.min(moves);
        self.widen_to(at, size)?;
        Some(size)
    }

    /// Adds a child to `at`, which must have [room](Self::widen) for it.
    pub(super) fn add(&mut self, at: usize, moves: usize, child: Node<M>, prior: f32) {
        let expanded = self.nodes[at].child_count();
        let index = self.child(at, expanded);
        self.nodes[index] = child;
        if self.is_guided {
            self.extras[index] = Extras::new(prior);
        }
        self.nodes[at].add_child(moves);
    }

    /// Clears the extras of the node `at`.
    pub(super) fn clear_extras(&mut self, at: usize) {
        self.extras[at] = Extras::new(0.0);
    }

    /// The extras of the children of `at`.
    #[inline]
    pub(super) fn extras(&self, at: usize) -> &[Extras] {
        let first = self.child(at, 0);
        &self.extras[first..first + self.nodes[at].child_count()]
    }

    /// Sets the [urgencies](Extras::set_urgency) of the children of `at` that have no visits, in the order of all.
    pub(super) fn set_urgencies(&mut self, at: usize, urgencies: &[f32]) {
        let first = self.child(at, 0);
        let block = first..first + self.nodes[at].child_count();
        let children = self.nodes[block.clone()].iter().zip(&mut self.extras[block]);
        for ((_, extras), &urgency) in children.zip(urgencies).filter(|((child, _), _)| child.visits == 0) {
            extras.set_urgency(urgency);
        }
    }

    /// Sets the priors of the children of `at`, in their order, and sorts the children: the visited ones, then
    /// the others, each group by falling priors.
    pub(super) fn set_priors(&mut self, at: usize, priors: &[f32]) {
        let first = self.child(at, 0);
        let block = first..first + self.nodes[at].child_count();
        let children: Vec<Node<M>> = self.nodes[block.clone()].to_vec();
        let extras: Vec<Extras> =
            self.extras(at).iter().zip(priors).map(|(it, &prior)| it.with_prior(prior)).collect();
        let key = |(child, extras): (&Node<M>, &Extras)| {
            u64::from(child.visits == 0) << 32 | descending(extras.prior)
        };
        let keys: Vec<u64> = children.iter().zip(&extras).map(key).collect();
        for (index, from) in block.zip(ascending(&keys)) {
            (self.nodes[index], self.extras[index]) = (children[from], extras[from]);
        }
    }

    /// Gives `at` a block for `size` children and moves its children there; `None` if there is no
    /// memory left.
    #[inline]
    pub(super) fn widen_to(&mut self, at: usize, size: usize) -> Option<()> {
        let Some(block) = self.allocate(size) else {
            self.ran_out = true;
            return None;
        };
        let (old, expanded) = (self.nodes[at].children as usize, self.nodes[at].child_count());
        self.nodes.copy_within(old..old + expanded, block);
        if self.is_guided {
            self.extras.copy_within(old..old + expanded, block);
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
        let extras = if self.is_guided { self.extras.capacity() } else { usize::MAX };
        let capacity = self.nodes.capacity().min(extras);
        if block + size > self.limit || block + size > capacity && self.grow(size).is_err() {
            return None;
        }
        let filler = self.nodes[ROOT];
        self.nodes.resize(block + size, filler);
        if self.is_guided {
            self.extras.resize(block + size, Extras::new(0.0));
        }
        Some(block)
    }

    /// Reserves memory for `size` more nodes, and for some that may come after them.
    #[cold]
    fn grow(&mut self, size: usize) -> Result<(), TryReserveError> {
        let more = size.max(self.nodes.len() / 4).min(self.limit - self.nodes.len());
        let room = self.nodes.len() + more;
        move_to_room(&mut self.nodes, room)?;
        move_to_room(&mut self.extras, if self.is_guided { room } else { 0 })
    }

    /// Puts a block of `size` nodes, a power of two, into its free list.
    fn release(&mut self, block: usize, size: usize) {
        let head = &mut self.free[size.trailing_zeros() as usize - 1];
        self.nodes[block].children = *head;
        *head = block as u32;
    }
}

/// Moves items to memory with room for this many, unless they have it. `realloc` would do, but glibc copies in
/// it under a lock that other threads wait for.
fn move_to_room<T: Copy>(items: &mut Vec<T>, room: usize) -> Result<(), TryReserveError> {
    if items.capacity() < room {
        let mut moved = Vec::new();
        moved.try_reserve_exact(room)?;
        moved.extend_from_slice(items);
        *items = moved;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::node::{Cutoff, half_points};

    pub(super) fn pool(is_guided: bool, limit: usize) -> Pool<u16> {
        let mut pool = Pool::new(is_guided);
        pool.reset(Node::new(0, Side::First), limit).expect("there is memory");
        pool
    }

    pub(super) fn moves(pool: &Pool<u16>, at: usize) -> Vec<u16> {
        pool.children(at).iter().map(Node::mv).collect()
    }

    /// Expands moves of `at`, which has `all` moves, one by one.
    fn expand(pool: &mut Pool<u16>, at: usize, new: std::ops::Range<u16>, all: usize) {
        for mv in new {
            let index = pool.expand_next(at, all, Node::new(mv, Side::Second)).expect("there is room");
            assert_eq!(pool.node(index).mv(), mv);
        }
    }

    #[test]
    fn a_child_that_can_not_improve_on_what_is_proven_is_cut() {
        let mut pool = pool(true, 100);
        let scores = [0, 30, 50, 70, 100];
        let all = scores.into_iter().flat_map(|lower| scores.map(|upper| Bounds { lower, upper }));
        let all: Vec<Bounds> = all.filter(|it| it.lower <= it.upper).collect();
        for &of_child in &all {
            pool.set_bounds(ROOT, of_child);
            for side in [Side::First, Side::Second] {
                for &bounds in &all {
                    let cannot_improve = of_child.of(side).upper <= bounds.of(side).lower;
                    assert_eq!(pool.extras[ROOT].is_cut(Cutoff::of(bounds, side)), cannot_improve);
                }
            }
        }
    }

    #[test]
    fn a_node_has_bounds_and_a_mover_beside_its_children() {
        let all: Vec<Bounds> =
            (0..=100).flat_map(|lower| (lower..=100).map(move |upper| Bounds { lower, upper })).collect();
        for mover in [Side::First, Side::Second] {
            let mut pool = pool(true, 100);
            *pool.node_mut(ROOT) = Node::new(7, mover);
            assert_eq!(pool.bounds(ROOT), Bounds::UNKNOWN);
            expand(&mut pool, ROOT, 0..3, 3);
            pool.add_value(ROOT, Value::expected(mover, 0.99));
            let reward = pool.reward_steps(ROOT);
            for &bounds in &all {
                pool.set_bounds(ROOT, bounds);
                let node = pool.node(ROOT);
                assert_eq!((pool.bounds(ROOT), pool.proven(ROOT)), (bounds, bounds.outcome()));
                assert_eq!((pool.reward_steps(ROOT), pool.prior(ROOT)), (reward, 1.0));
                assert_eq!((node.moved_by(), node.child_count(), node.mv()), (mover, 3, 7));
                assert!(node.is_fully_expanded());
            }
        }
    }

    #[test]
    fn visits_and_rewards_are_added_up_for_the_mover() {
        let mut node = Node::new(0_u16, Side::Second);
        for outcome in [Outcome::Win(Side::Second), Outcome::Draw, Outcome::Win(Side::First)] {
            node.update(half_points(outcome));
        }
        assert_eq!((node.visits, node.reward), (3, 3));
        let mut pool = pool(true, 100);
        *pool.node_mut(ROOT) = Node::new(0, Side::Second);
        for expectation in [0.75, -0.5, 0.875] {
            pool.add_value(ROOT, Value::expected(Side::Second, expectation));
        }
        let reward = 1.75 + 0.5 + 1.875;
        assert_eq!(pool.node(ROOT).visits, 3);
        assert!((pool.reward(ROOT) - reward).abs() < 1e-3, "{}", pool.reward(ROOT));
        assert_eq!(pool.reward_steps(ROOT), (reward * Value::HALF_POINT as f32) as u64);
    }

    #[test]
    fn an_urgency_is_gone_with_the_first_visit() {
        let mut pool = pool(true, 100);
        pool.widen_to(ROOT, 4).expect("there is room");
        for mv in 0..4 {
            pool.add(ROOT, 4, Node::new(mv, Side::First), 1.0);
        }
        let children = [0, 1, 2, 3].map(|offset| pool.child(ROOT, offset));
        pool.add_value(children[3], Outcome::Draw.into());
        pool.set_urgencies(ROOT, &[0.25, 0.75, -0.1, 0.5]);
        let rewards = |pool: &Pool<u16>| children.map(|at| (pool.reward(at) * 1e4).round() as u32);
        assert_eq!(rewards(&pool), [2_500, 7_500, 0, 10_000]);
        assert!(pool.reward(children[2]) > 0.0, "it has one");
        // They are no rewards.
        assert_eq!(children.map(|at| pool.reward_steps(at)), [0, 0, 0, u64::from(Value::HALF_POINT)]);
        pool.add_value(children[0], Outcome::Draw.into());
        pool.add_gained(children[1], &Gained::of(Outcome::Win(Side::First).into(), 3));
        assert_eq!(rewards(&pool), [10_000, 60_000, 0, 10_000]);
    }

    #[test]
    fn children_stay_in_order_while_their_block_grows() {
        let mut pool = pool(false, 1_000);
        expand(&mut pool, ROOT, 0..2, 21);
        let other = pool.child(ROOT, 1);
        expand(&mut pool, other, 100..105, 5);
        assert!(pool.node(other).is_fully_expanded() && !pool.node(ROOT).is_fully_expanded());
        expand(&mut pool, ROOT, 2..21, 21);
        assert_eq!(moves(&pool, ROOT), (0..21).collect::<Vec<_>>());
        assert!(pool.node(ROOT).is_fully_expanded());
        assert_eq!(moves(&pool, pool.child(ROOT, 1)), (100..105).collect::<Vec<_>>());
        // What the root left is enough for others.
        let before = pool.len();
        for (child, count) in [(2, 4), (3, 2)] {
            let at = pool.child(ROOT, child);
            expand(&mut pool, at, 0..count, 9);
        }
        assert_eq!(pool.len(), before);
        assert_eq!([2, 3].map(|child| moves(&pool, pool.child(ROOT, child))), [vec![0, 1, 2, 3], vec![0, 1]]);
    }

    #[test]
    fn without_room_nothing_is_added() {
        // The root, a block of two and one of four.
        let mut pool = pool(false, 7);
        expand(&mut pool, ROOT, 0..4, 9);
        assert!(!pool.ran_out());
        assert_eq!(pool.expand_next(ROOT, 9, Node::new(4, Side::First)), None);
        assert!(pool.ran_out());
        assert_eq!(moves(&pool, ROOT), [0, 1, 2, 3]);
        pool.reset(Node::new(0, Side::First), 7).expect("there is memory");
        assert!(!pool.ran_out() && pool.len() == 1 && pool.children(ROOT).is_empty());
    }

    #[test]
    fn guided_nodes_are_widened_by_eight_and_then_twice_as_far() {
        let mut pool = pool(true, 1_000);
        let mut room = Vec::new();
        while let Some(size) = pool.widen(ROOT, 21) {
            room.push(size);
            while pool.node(ROOT).child_count() < size {
                let mv = pool.node(ROOT).child_count() as u16;
                pool.add(ROOT, 21, Node::new(mv, Side::First), f32::from(mv));
            }
            if pool.node(ROOT).is_fully_expanded() {
                break;
            }
        }
        assert_eq!(room, [8, 16, 21]);
        assert_eq!(moves(&pool, ROOT), (0..21).collect::<Vec<_>>());
        let priors =
            |pool: &Pool<u16>| pool.extras(ROOT).iter().map(|it| it.prior as u16).collect::<Vec<_>>();
        assert_eq!(priors(&pool), moves(&pool, ROOT));
        assert_eq!(pool.prior(pool.child(ROOT, 5)) as u16, 5);
        // The visited ones come first, each group by falling priors.
        for visited in [3, 9] {
            let at = pool.child(ROOT, visited);
            pool.add_value(at, Outcome::Draw.into());
        }
        let prior = |mv: u16| f32::from(if mv < 10 { mv } else { 30 - mv });
        pool.set_priors(ROOT, &moves(&pool, ROOT).into_iter().map(prior).collect::<Vec<_>>());
        let sorted = [9, 3, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 8, 7, 6, 5, 4, 2, 1, 0];
        assert_eq!(moves(&pool, ROOT), sorted);
        assert_eq!(pool.reward_steps(pool.child(ROOT, 1)), u64::from(Value::HALF_POINT));
        assert_eq!(priors(&pool)[..4], [9, 3, 20, 19]);
    }
}
