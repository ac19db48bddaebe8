//! Simultaneous moves, by decoupled UCT.
//!
//! The roles of a [joint move](Game::before_joint_move) choose one after the other, and none sees what the others have
//! chosen. A choice after the first has a node for each way in which the others may have chosen, and each way goes on
//! to a position of its own. A role knows nothing of that, so its moves are compared by what they are worth over all
//! these nodes (Finnsson and Björnsson, "Simulation-based approach to general game playing", 2008). A visit goes
//! through all choices of a joint move before it is evaluated.
//!
//! - *What a move is worth* is its mean against each way in which the others may choose, weighted by how often they do.
//!   The mean of its own visits is not that: all roles turn to the better move at the same time, and lead each
//!   other around in circles. With these weights it is fictitious play (Brown, "Iterative solution of games by
//!   fictitious play", 1951), whose policies converge if two sides share the score. If each side has a score of
//!   its own, nodes have no sums for it, and means are plain.
//! - *Pairing.* Half of the choices are drawn from the visits so far, and in a [batch](super::batch) the choices of each
//!   role are dealt out by themselves and paired at random.
//! - *The answer* is drawn from the visits, the mixed policy (Tak, Lanctot and Winands, "Monte Carlo tree search
//!   variants for simultaneous move games", 2014).
//!
//! To select a joint move takes a look at each way in which its roles may choose.

use arrayvec::ArrayVec;

use super::guide::{Formula, Guide};
use super::joint_arms::{Choice, FORMULA_PART, JointArms};
use super::node::Node;
use super::technique::Techniques;
use super::tree::{Tree, with_weights};
use crate::game::{Game, Rng, has_simultaneous_moves, is_chance, is_independent};
use crate::hash;
use crate::knowledge::{Candidates, Knowledge};

/// Whether other roles have chosen before the one to move, which does not see that. Chance comes after all of them, and
/// moves as elsewhere.
#[inline(always)]
pub(super) fn is_within_joint_move<G: Game>(position: &G) -> bool {
    has_simultaneous_moves(position) && position.before_joint_move().is_some() && !is_chance(position)
}

/// What the role to move knows: the position, or that before the choices of others.
pub(super) fn known<G: Game>(position: &G) -> G {
    let before = if has_simultaneous_moves(position) { position.before_joint_move() } else { None };
    before.unwrap_or(*position)
}

/// The positions in which the choices of the turn that begins here are made, each after any choices before it:
/// several if they are those of a joint move.
pub(super) fn choices<G: Game>(start: &G) -> ArrayVec<G, MAX_CHOICES> {
    let mut all = ArrayVec::new();
    all.push(*start);
    let mut at = *start;
    while has_simultaneous_moves(start) && at.outcome().is_none() {
        at = at.after(at.nth_move(0));
        if at.outcome().is_some() || !is_within_joint_move(&at) || all.try_push(at).is_err() {
            break;
        }
    }
    all
}

/// The maximum number of roles that take part in a joint move.
const MAX_CHOICES: usize = 16;

impl<G: Game> Tree<G> {
    /// Sets the position that the tree is asked about: the root, or one in the joint move that begins there.
    pub(super) fn ask(&mut self, position: &G) {
        self.asked = *position;
        if !has_simultaneous_moves(position) {
            return;
        }
        let role = position.role_to_move();
        let asked = choices(&self.root).iter().position(|it| it.role_to_move() == role);
        self.choices_before = if *position == self.root { 0 } else { asked.unwrap_or(0) };
    }

    /// Whether the root is a position in which a joint move begins.
    pub(super) fn begins_joint_move(&self) -> bool {
        choices(&self.root).len() > 1
    }

    /// Adds all legal moves to `at`, whose position is `position`, in their order; `None` if there is no memory.
    pub(super) fn expand_choices<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        guide: &Guide<K>,
        techniques: Techniques,
    ) -> Option<()> {
        let mut moves = Candidates::new();
        guide.candidates(position, &mut moves, techniques);
        let is_asked = known(position) == self.root && position.role_to_move() == self.asked.role_to_move();
        let only = if is_asked { self.only.as_slice() } else { &[] };
        let listed = position.move_list();
        let all = if only.is_empty() { listed.as_slice() } else { only };
        let moves = with_weights(all, &moves);
        self.pool.widen_to(at, moves.len())?;
        let sum: f32 = moves.iter().map(|(_, weight)| weight).sum();
        let side = position.side_to_move();
        for &(mv, weight) in &moves {
            self.pool.add(at, moves.len(), Node::new(mv, side), weight / sum);
        }
        Some(())
    }

    /// The offset of the move at the end of the path, where games have simultaneous moves; `None` if there is no memory
    /// for any.
    pub(super) fn select_with_joint_moves<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        path_hash: u64,
        guide: &Guide<K>,
        techniques: Techniques,
    ) -> Option<usize> {
        if !is_within_joint_move(position) {
            let choices = choices(position);
            if choices.len() == 1 {
                return self.select(at, position, path_hash, guide, techniques);
            }
            self.joint.next.clear();
            if self.pool.node(at).child_count() == 0 {
                self.expand_choices(at, position, guide, techniques)?;
            }
            let mut joint = std::mem::take(&mut self.joint);
            self.look_at_joint_move(at, &choices, &mut joint);
            for choice in (0..choices.len()).rev() {
                let drawn =
                    if self.rng.below(FORMULA_PART) > 0 { joint.drawn(choice, &mut self.rng) } else { None };
                let offset = drawn.unwrap_or_else(|| {
                    joint.deal_choice(choice, 1, &guide.formula);
                    joint.arms.dealt().next().map_or(0, |dealt| dealt.0)
                });
                joint.next.push(offset as u16);
            }
            self.joint = joint;
        } else if self.pool.node(at).child_count() == 0 {
            self.expand_choices(at, position, guide, techniques)?;
        }
        let Some(offset) = self.joint.next.pop() else {
            // More roles than a joint move may have.
            return self.select(at, position, path_hash, guide, techniques);
        };
        Some(usize::from(offset).min(self.pool.node(at).child_count() - 1))
    }

    /// Collects what is known of the joint move that begins at the node `at`, in which these choices are made.
    pub(super) fn look_at_joint_move(&self, at: usize, choices: &[G], joint: &mut JointArms) {
        joint.choices.resize_with(choices.len(), Choice::default);
        for (choice, position) in joint.choices.iter_mut().zip(choices) {
            choice.side = Some(position.side_to_move());
            choice.sums.clear();
            choice.priors.clear();
            choice.expected.clear();
            choice.sums.resize(position.move_count(), (0, 0));
        }
        joint.offsets.clear();
        joint.results.clear();
        joint.path.clear();
        self.collect(at, joint);
        if !is_independent(&self.root) {
            joint.expect();
        }
    }

    /// The moves of the choice that is made `level` choices below `at`, in their order; empty if none was.
    pub(super) fn moves_of_choice(&self, at: usize, level: usize) -> Vec<G::Move> {
        if level == 0 {
            return self.pool.children(at).iter().map(Node::mv).collect();
        }
        let below = (0..self.pool.node(at).child_count())
            .map(|offset| self.moves_of_choice(self.pool.child(at, offset), level - 1));
        below.max_by_key(Vec::len).unwrap_or_default()
    }

    /// Collects what is known of the choices below `at`, which follow those of the joint move's path.
    fn collect(&self, at: usize, joint: &mut JointArms) {
        let level = joint.path.len();
        let count = self.pool.node(at).child_count();
        let choice = &mut joint.choices[level];
        if choice.priors.is_empty() && count > 0 {
            choice.priors.extend(self.pool.extras(at).iter().map(|it| it.prior));
            choice.sums.truncate(count);
        }
        for offset in 0..count.min(choice.sums.len()) {
            let child = self.pool.child(at, offset);
            let visits = self.pool.node(child).visits;
            if visits == 0 {
                continue;
            }
            let steps = self.pool.reward_steps(child);
            let sum = &mut joint.choices[level].sums[offset];
            *sum = (sum.0 + visits, sum.1 + steps);
            joint.path.push(offset as u16);
            if joint.path.len() < joint.choices.len() {
                self.collect(child, joint);
            } else {
                joint.offsets.extend_from_slice(&joint.path);
                joint.results.push((visits, steps));
            }
            joint.path.pop();
        }
    }

    /// Deals `visits` visits out to the moves of each choice of the joint move that begins at the node `at`, and pairs
    /// them at random: for each choice the offsets of its moves, one for each visit. Empty if no joint move begins
    /// there.
    pub(super) fn deal_joint_move(
        &mut self,
        at: usize,
        position: &G,
        visits: u32,
        path_hash: u64,
        formula: &Formula,
    ) -> Vec<Vec<u16>> {
        let choices = choices(position);
        if choices.len() == 1 {
            return Vec::new();
        }
        let mut joint = JointArms::default();
        self.look_at_joint_move(at, &choices, &mut joint);
        let seed = hash::of_numbers([self.salt, path_hash, self.pool.node(at).visits.into()]);
        let mut rng = Rng::stream(seed, 0);
        let of_choice = |choice| {
            joint.deal_choice(choice, visits, formula);
            let mut offsets = Vec::with_capacity(visits as usize);
            for (offset, count) in joint.arms.dealt() {
                offsets.extend(std::iter::repeat_n(offset as u16, count as usize));
            }
            for last in (1..offsets.len()).rev() {
                offsets.swap(last, rng.below(last + 1));
            }
            offsets
        };
        (0..choices.len()).map(of_choice).collect()
    }
}
