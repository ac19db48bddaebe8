//! How the trunk of a tree shares the visits of a batch out.

use super::crew::Crew;
use super::deal::{Arms, ByPuct, ByUcb1};
use super::gained::Gained;
use super::guide::{Formula, Guide};
use super::jobs::{Job, Task, Work};
use super::joint::is_within_joint_move;
use super::node::Cutoff;
use super::pool::{Pool, ROOT};
use super::root_splitting::NOT_OWNED_SHARE;
use super::spans::Times;
use super::technique::Techniques;
use super::tree::{Tree, Turn, extend_hash};
use super::trunk::Leaf;
use crate::game::{Bounds, Game, Side, has_chance, is_independent};
use crate::hash;
use crate::knowledge::{Knowledge, Value};
use crate::order::{ascending, descending};

/// A branch does at most this part of a batch, so that other threads need not wait for it, or this many
/// visits.
const BATCH_PARTS: u32 = 64;
const LEAST_PART: u32 = 32;

/// The crew gets so many tasks at once, or more: each time, its threads may have to wait for each other.
const GIVEN_AT_ONCE: usize = 16;

/// What a node of the trunk does in a batch.
pub(super) struct Share<G> {
    pub(super) node: Leaf<G>,
    /// The share of its parent; its own for the root.
    pub(super) parent: usize,
    pub(super) turn: Turn,
    pub(super) visits: u32,
    pub(super) gained: Gained,
    /// Within a joint move: for each choice that is still to be made, the offsets of its moves, one for each visit.
    pub(super) choices: Vec<Vec<u16>>,
}

/// A batch while it is dealt out. The crew gets the tasks as they come.
pub(super) struct Deal<'a, G: Game> {
    pub(super) shares: Vec<Share<G>>,
    arms: Arms,
    owes_proofs: bool,
    /// The visits that have not gone to a task.
    left: u32,
    /// What a branch does at most.
    most: u32,
    /// The visits from which on a branch is split.
    split_from: u32,
    /// Tasks that the crew is to get next, each with its weight.
    ready: Vec<(Job<G>, u64)>,
    crew: &'a Crew<Job<G>>,
}

impl<'a, G: Game> Deal<'a, G> {
    /// A batch of `visits` visits for the root of a tree.
    pub(super) fn new(tree: &Tree<G>, visits: u32, owes_proofs: bool, crew: &'a Crew<Job<G>>) -> Self {
        let node = Leaf { at: ROOT, position: tree.root, path_hash: tree.salt, depth: 0 };
        let root = Share {
            node,
            parent: 0,
            turn: Turn::default(),
            visits,
            gained: Gained::default(),
            choices: Vec::new(),
        };
        let most = (visits / BATCH_PARTS).max(LEAST_PART);
        let (split_from, arms) = (tree.split_from(), Arms::default());
        Self {
            shares: vec![root],
            arms,
            owes_proofs,
            left: visits,
            most,
            split_from,
            ready: Vec::new(),
            crew,
        }
    }

    /// Deals the visits out to the branches.
    pub(super) fn deal_out<K: Knowledge<G>>(
        &mut self,
        tree: &mut Tree<G>,
        guide: &Guide<K>,
        techniques: Techniques,
    ) {
        let mut next = 0;
        while next < self.shares.len() {
            self.deal_to_children(next, tree, guide, techniques);
            next += 1;
            if self.ready.len() >= GIVEN_AT_ONCE {
                self.crew.give(&mut self.ready);
            }
        }
        self.crew.give(&mut self.ready);
    }

    /// Deals the visits of a share out to the children of its node.
    fn deal_to_children<K: Knowledge<G>>(
        &mut self,
        index: usize,
        tree: &mut Tree<G>,
        guide: &Guide<K>,
        techniques: Techniques,
    ) {
        let Share { node: Leaf { at, position, path_hash, depth }, turn, .. } = self.shares[index];
        let mut arms = std::mem::take(&mut self.arms);
        let mut choices = std::mem::take(&mut self.shares[index].choices);
        if const { G::KIND.has_simultaneous_moves() }
            && position.kind().has_simultaneous_moves()
            && choices.is_empty()
        {
            let visits = self.shares[index].visits;
            choices = tree.deal_joint_move(at, &position, visits, path_hash, &guide.formula);
        }
        let in_flight = loop {
            if const { G::KIND.has_simultaneous_moves() }
                && let Some(choice) = choices.first()
            {
                break tree.arms_of_choice(&self.shares[index], choice, &mut arms);
            }
            let (is_final, in_flight) = tree.arms_of(&self.shares[index], &guide.formula, &mut arms);
            if is_final || tree.expand(at, &position, path_hash, guide, techniques).is_none() {
                break in_flight;
            }
        };
        if arms.is_empty() {
            // All children are settled, but there is no memory for others.
            arms.give(0, self.shares[index].visits);
        }
        let continues = at != ROOT && tree.pool.children(at)[0].moved_by() == tree.pool.node(at).moved_by();
        for (offset, visits) in arms.dealt() {
            let child = tree.pool.child(at, offset);
            let mut node = *tree.pool.node(child);
            if let Some(value) = tree.known_value(child, &position) {
                let gained = Gained::of(value, visits);
                tree.pool.add_gained(child, &gained);
                if let Some(branch) = node.branch() {
                    tree.branches[branch].add_gained(ROOT, &gained);
                }
                self.shares[index].gained.add(gained);
                continue;
            }
            let prior = tree.pool.prior(child);
            let turn = if continues {
                Turn { prior: turn.prior * prior, ..turn }
            } else {
                Turn { visits: in_flight, prior }
            };
            let position = position.after(node.mv());
            let is_within = is_within_joint_move(&position);
            if is_within && node.child_count() == 0 && node.branch().is_none() {
                // No branch begins within a joint move: it would not know what else the others may choose.
                tree.expand_choices(child, &position, guide, techniques);
                node = *tree.pool.node(child);
            }
            let leaf =
                Leaf { at: child, position, path_hash: extend_hash(path_hash, offset), depth: depth + 1 };
            let branch = if node.child_count() > 0 || is_within { None } else { tree.branch_from(child) };
            let is_split = branch.is_some_and(|branch| visits > self.most && tree.split(branch, leaf));
            if node.child_count() > 0 || is_split {
                self.shares.push(Share {
                    node: leaf,
                    parent: index,
                    turn,
                    visits,
                    gained: Gained::default(),
                    choices: choices_after(&choices, offset),
                });
            } else if let Some(branch) = branch {
                let visits = visits.min(self.most);
                let pool = std::mem::replace(&mut tree.branches[branch], Pool::new(true));
                let task = Box::new(Task {
                    leaf,
                    share: index,
                    branch,
                    nodes: pool.len(),
                    pool,
                    turn,
                    visits,
                    room: tree.promise(visits, self.left),
                    seed: hash::of_numbers([tree.salt, leaf.path_hash, node.visits.into()]),
                    owes_proofs: self.owes_proofs,
                    gained: Gained::default(),
                    bounds: Bounds::UNKNOWN,
                    is_over: false,
                    split_from: self.split_from,
                    parts: Vec::new(),
                    owed: Vec::new(),
                    line: None,
                    least_score: tree.line.as_ref().map_or(0, |line| line.score),
                });
                self.left -= visits;
                let weight = visits.into();
                let times = Times { weight, ..Times::default() };
                self.ready.push((Job { work: Work::Grow(task), times }, weight));
            } else {
                // There is no memory for a branch: evaluate its root again.
                let value = tree.evaluate(child, &position, guide, techniques);
                let gained = Gained::of(value, visits);
                tree.pool.add_gained(child, &gained);
                if let Some(branch) = node.branch() {
                    tree.branches[branch].add_gained(ROOT, &gained);
                }
                self.shares[index].gained.add(gained);
            }
        }
        self.arms = arms;
    }
}

/// What is left of the choices of a joint move for the visits in which the first is the move at this offset.
fn choices_after(choices: &[Vec<u16>], offset: usize) -> Vec<Vec<u16>> {
    let Some((made, left)) = choices.split_first() else { return Vec::new() };
    let of_visits = |choice: &Vec<u16>| {
        let of_all = made.iter().zip(choice).filter(|(made, _)| usize::from(**made) == offset);
        of_all.map(|(_, next)| *next).collect()
    };
    left.iter().map(of_visits).collect()
}

impl<G: Game> Tree<G> {
    /// The value of the child `at` of a position, if the game is over there or it is proven.
    fn known_value(&self, at: usize, before: &G) -> Option<Value> {
        let child = self.pool.node(at);
        if is_independent(before) && child.is_known() {
            return before.after(child.mv()).outcome().map(Value::from);
        }
        self.pool.proven(at).map(Value::from)
    }

    /// Fills `arms` with the children of a share's node, where chance is to move, and the visits that each gets.
    /// Returns the visits of the node, those in flight included.
    fn deal_by_chance(&self, share: &Share<G>, arms: &mut Arms) -> u32 {
        let at = share.node.at;
        let (children, extras) = (self.pool.children(at), self.pool.extras(at));
        let visits = (share.visits + children.iter().map(|it| it.visits).sum::<u32>()) as f32;
        let lacks: Vec<f32> = children
            .iter()
            .zip(extras)
            .map(|(child, extras)| (extras.prior * visits - child.visits as f32).max(0.0))
            .collect();
        arms.clear();
        let mut left = share.visits;
        // Each gets what it lacks, rounded down; what is left goes to those that then lack the most.
        let mut counts: Vec<u32> = Vec::with_capacity(lacks.len());
        for &lack in &lacks {
            let count = (lack as u32).min(left);
            left -= count;
            counts.push(count);
        }
        let keys: Vec<u64> = lacks.iter().map(|lack| descending(lack.fract())).collect();
        for place in ascending(&keys).into_iter().cycle().take(left as usize) {
            counts[place] += 1;
        }
        for (offset, count) in counts.into_iter().enumerate() {
            arms.give(offset, count);
        }
        self.pool.node(at).visits + share.visits - 1
    }

    /// Fills `arms` with the moves of a choice for which visits were dealt out where the joint move began. Returns the
    /// visits of the node, those in flight included.
    fn arms_of_choice(&self, share: &Share<G>, choice: &[u16], arms: &mut Arms) -> u32 {
        arms.clear();
        let mut counts = vec![0; self.pool.node(share.node.at).child_count()];
        for &offset in choice {
            if let Some(count) = counts.get_mut(usize::from(offset)) {
                *count += 1;
            }
        }
        counts.into_iter().enumerate().for_each(|(offset, count)| arms.give(offset, count));
        self.pool.node(share.node.at).visits + share.visits - 1
    }

    /// Fills `arms` with the children of a share's node and the visits that each gets. Returns whether no move
    /// that is not expanded comes before one of them, and the visits of the node, those in flight included.
    pub(super) fn arms_of(&self, share: &Share<G>, formula: &Formula, arms: &mut Arms) -> (bool, u32) {
        let at = share.node.at;
        let node = self.pool.node(at);
        let (children, extras) = (self.pool.children(at), self.pool.extras(at));
        let side = children[0].moved_by();
        if has_chance(&self.root) && side == Side::Chance {
            return (true, self.deal_by_chance(share, arms));
        }
        let cutoff = Cutoff::of(self.pool.bounds(at), side);
        let in_flight = node.visits + share.visits - 1;
        arms.clear();
        let of_all = children.iter().zip(extras).enumerate();
        let open = of_all.filter(|(_, (_, extras))| !extras.is_cut(cutoff));
        let is_final = match formula {
            Formula::Ucb1(ucb1) => {
                let scale = ucb1.scale(in_flight);
                let mut untried = 0;
                for (offset, (child, extras)) in open {
                    if child.visits == 0 {
                        // Each comes before all that have been tried.
                        if untried < share.visits {
                            arms.give(offset, 1);
                            untried += 1;
                        }
                        continue;
                    }
                    let is_not_owned = at == ROOT && self.not_owned.get(offset) == Some(&true);
                    let scale = if is_not_owned { scale * NOT_OWNED_SHARE } else { scale };
                    let visits = child.visits as f32;
                    arms.push(offset, extras.reward(child) / visits, scale, visits);
                }
                let left = share.visits - untried;
                arms.deal::<ByUcb1>(left);
                left == 0 || node.is_fully_expanded()
            }
            Formula::Puct(puct) => {
                let first_play_urgency = self.first_play_urgency(at, side);
                let of_node = puct.scale(in_flight);
                let scale = if at == ROOT {
                    puct.scale_at_root(in_flight)
                } else if node.moved_by() == side {
                    of_node.min(puct.scale(share.turn.visits) * share.turn.prior)
                } else {
                    of_node
                };
                for (offset, (child, extras)) in open {
                    let visits = child.visits as f32;
                    let mean = extras.reward(child) / (2.0 * visits);
                    let urgency = extras.reward(child);
                    let urgency = if urgency > 0.0 { urgency } else { first_play_urgency };
                    let mean = if child.visits == 0 { urgency } else { mean };
                    arms.push(offset, mean, scale * extras.prior, visits);
                }
                let lowest = arms.deal::<ByPuct>(share.visits);
                // Moves that are not expanded have no larger priors than the last child.
                let bound = first_play_urgency + scale * extras[extras.len() - 1].prior;
                node.is_fully_expanded() || lowest >= bound
            }
        };
        (is_final, in_flight)
    }
}
