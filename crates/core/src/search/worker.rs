//! What one thread does of a batch: branches that grow, and proofs.

use super::gained::Gained;
use super::guide::Guide;
use super::guided::{Descent, owed_effort};
use super::jobs::{GrowOptions, Job, Task, Work};
use super::pool::ROOT;
use super::spans::Stopwatch;
use super::tree::{OwedProof, Tree};
use super::trunk::{Leaf, parts_of, top_of};
use crate::game::{Game, Outcome, Rng, is_independent};
use crate::knowledge::{Knowledge, NewPosition, Value};

/// What a thread needs for its jobs: trees without nodes of their own, each of which becomes a branch while
/// that grows.
pub(super) struct Worker<G: Game> {
    trees: Vec<Tree<G>>,
}

/// A branch that waits for the value of a new position.
struct Waiting<'a, G: Game> {
    task: &'a mut Task<G>,
    tree: Tree<G>,
    descent: Descent<G>,
    /// The visits of the branch's root when the last proof could be owed.
    before: u32,
}

/// A branch looks at the clock after so many visits.
const BETWEEN_LOOKS: u64 = 8;

impl<G: Game> Worker<G> {
    pub(super) fn new(root: &G) -> Self {
        Self { trees: vec![Tree::new(root, true)] }
    }

    /// Does these jobs.
    pub(super) fn work<K: Knowledge<G>>(
        &mut self,
        jobs: &mut [Job<G>],
        guide: &Guide<K>,
        options: GrowOptions<'_>,
    ) {
        let (mut tasks, mut weight) = (Vec::new(), 0);
        let mut watch = Stopwatch::start(options.is_timed);
        for Job { work, times } in &mut *jobs {
            match work {
                Work::Grow(task) => {
                    if const { K::POSITIONS_AT_ONCE > 1 } {
                        weight += times.weight;
                        tasks.push(&mut **task);
                    } else {
                        self.grow_alone(task, guide, options);
                    }
                }
                Work::Prove(proofs) => proofs.prove(options.effort),
                Work::Share(forks) => forks.iter_mut().for_each(|fork| fork.share()),
            }
            times.took = watch.lap();
        }
        if const { K::POSITIONS_AT_ONCE > 1 } {
            self.grow_side_by_side(tasks, guide, options);
            let took = watch.lap();
            for Job { times, .. } in jobs.iter_mut().filter(|job| !job.times.is_proof) {
                times.took = took.mul_f64(times.weight as f64 / weight as f64);
            }
        }
    }

    /// Does the visits of one branch, each value as soon as it is needed.
    fn grow_alone<K: Knowledge<G>>(
        &mut self,
        task: &mut Task<G>,
        guide: &Guide<K>,
        options: GrowOptions<'_>,
    ) {
        let tree = &mut self.trees[0];
        tree.become_branch(task);
        if tree.pool.node(ROOT).visits == 0 && tree.may_visit(options) {
            let mut descent = tree.arrive_at_root(guide, options.techniques);
            tree.finish(&mut descent, guide, options.techniques);
            tree.remaining -= 1;
        }
        while tree.may_visit(options) {
            let before = tree.pool.node(ROOT).visits;
            tree.grow_one_by_one(tree.remaining.min(BETWEEN_LOOKS), guide, options.techniques);
            tree.owe_proof_of_root(before);
        }
        tree.end_branch(task);
    }

    /// Does the visits of several branches in turn, so that the knowledge gets the new positions of all of
    /// them at once. Each branch ends up as if it had grown alone.
    fn grow_side_by_side<'a, K: Knowledge<G>>(
        &mut self,
        tasks: Vec<&'a mut Task<G>>,
        guide: &Guide<K>,
        options: GrowOptions<'_>,
    ) where
        G: 'a,
    {
        let mut waiting: Vec<Waiting<'a, G>> = Vec::with_capacity(K::POSITIONS_AT_ONCE);
        let mut tasks = tasks.into_iter();
        loop {
            while waiting.len() < K::POSITIONS_AT_ONCE
                && let Some(task) = tasks.next()
            {
                let mut tree = self.trees.pop().unwrap_or_else(|| Tree::new(&task.leaf.position, true));
                tree.become_branch(task);
                let mut before = tree.pool.node(ROOT).visits.max(1);
                if let Some(descent) = tree.next_new_position(guide, options, &mut before) {
                    waiting.push(Waiting { task, tree, descent, before });
                } else {
                    tree.end_branch(task);
                    self.trees.push(tree);
                }
            }
            if waiting.is_empty() {
                return;
            }
            let rngs: Vec<Option<Rng>> = waiting.iter().map(|it| it.tree.rng_for_line()).collect();
            let new = waiting.iter_mut().map(|Waiting { tree, descent, .. }| NewPosition {
                position: descent.position,
                rng: &mut tree.rng,
                value: Outcome::Draw.into(),
            });
            let mut new: Vec<NewPosition<'_, G>> = new.collect();
            guide.evaluate_all(&mut new, options.techniques);
            let values: Vec<Value> = new.into_iter().map(|it| it.value).collect();
            for ((it, value), rng) in waiting.iter_mut().zip(values).zip(rngs) {
                it.tree.note_line(&mut it.descent, value, rng, guide, options.techniques);
                it.tree.back_up(&it.descent, value, options.techniques);
            }
            let mut index = 0;
            while let Some(Waiting { tree, descent, before, .. }) = waiting.get_mut(index) {
                if let Some(next) = tree.next_new_position(guide, options, before) {
                    *descent = next;
                    index += 1;
                } else {
                    let Waiting { task, mut tree, .. } = waiting.swap_remove(index);
                    tree.end_branch(task);
                    self.trees.push(tree);
                }
            }
        }
    }
}

impl<G: Game> Tree<G> {
    /// Becomes the branch of a task, whose nodes it takes.
    fn become_branch(&mut self, task: &mut Task<G>) {
        let Leaf { position, path_hash, depth, .. } = task.leaf;
        (self.root, self.salt, self.depth, self.turn) = (position, path_hash, depth, task.turn);
        self.rng = Rng::stream(task.seed, 0);
        self.remaining = task.visits.into();
        self.owed = task.owes_proofs.then(Vec::new);
        (self.line, self.least_score) = (None, task.least_score);
        self.gained = Gained::default();
        let root = task.pool.node(ROOT);
        task.gained = Gained::of_two_sides(root.moved_by(), root.visits, task.pool.reward_steps(ROOT));
        task.pool.allow(task.room);
        std::mem::swap(&mut self.pool, &mut task.pool);
    }

    /// Gives the nodes of the branch back, what it has gained, and its parts if it is to be split.
    fn end_branch(&mut self, task: &mut Task<G>) {
        std::mem::swap(&mut self.pool, &mut task.pool);
        task.owed = self.owed.take().unwrap_or_default();
        task.line = self.line.take();
        let root = *task.pool.node(ROOT);
        let steps = task.pool.reward_steps(ROOT) - task.gained.steps(root.moved_by());
        task.gained = if is_independent(&task.leaf.position) {
            self.gained
        } else {
            Gained::of_two_sides(root.moved_by(), root.visits - task.gained.visits, steps)
        };
        task.bounds = task.pool.bounds(ROOT);
        task.is_over = root.is_known();
        // The trunk needs room for the children.
        let has_room = task.pool.len() + 2 * root.child_count() <= task.nodes + task.room;
        if root.visits >= task.split_from && has_room {
            task.parts = parts_of(&task.pool, task.leaf.depth);
            if !task.parts.is_empty()
                && let Some(top) = top_of(&task.pool)
            {
                task.pool = top;
            }
        }
    }

    /// Whether the branch has visits left, is not proven, and the effort is not over.
    fn may_visit(&self, options: GrowOptions<'_>) -> bool {
        self.remaining > 0 && !self.pool.node(ROOT).is_known() && !options.effort.is_over()
    }

    /// Notes the proof of the branch's root that is due since it had `before` visits.
    fn owe_proof_of_root(&mut self, before: u32) {
        let effort = owed_effort(self.depth, before, self.pool.node(ROOT).visits - before);
        if effort > 0
            && let Some(owed) = &mut self.owed
        {
            owed.push(OwedProof { moves: Vec::new(), position: self.root, effort });
        }
    }

    /// Does visits until one of them comes to a position whose value has to be found; `None` if the branch
    /// is done before that. `before` are the visits of the root when its last proof could be owed.
    fn next_new_position<K: Knowledge<G>>(
        &mut self,
        guide: &Guide<K>,
        options: GrowOptions<'_>,
        before: &mut u32,
    ) -> Option<Descent<G>> {
        loop {
            let may_visit = self.may_visit(options);
            let visits = self.pool.node(ROOT).visits;
            if visits > *before && (!may_visit || u64::from(visits - *before) == BETWEEN_LOOKS) {
                self.owe_proof_of_root(*before);
                *before = visits;
            }
            if !may_visit {
                return None;
            }
            self.remaining -= 1;
            let mut descent = if visits == 0 {
                self.arrive_at_root(guide, options.techniques)
            } else {
                self.descend(guide, options.techniques)
            };
            let Some(value) = descent.value else { return Some(descent) };
            let rng = self.rng_for_line();
            self.note_line(&mut descent, value, rng, guide, options.techniques);
            self.back_up(&descent, value, options.techniques);
        }
    }
}
