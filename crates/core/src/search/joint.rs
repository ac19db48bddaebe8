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

use super::deal::{Arms, ByPuct, ByUcb1};
use super::guide::{Formula, Guide};
use super::merged::{PositionStats, RankSlot, sum_children};
use super::node::Node;
use super::pool::ROOT;
use super::ranks::Ranks;
use super::report::{Candidate, Policy};
use super::technique::Techniques;
use super::tree::{Place, Tree};
use crate::game::{Game, Rng, Side, derive_seed, is_chance, is_independent};
use crate::hash;
use crate::knowledge::{Candidates, Knowledge, Value};

/// Whether other roles have chosen before the one to move, which does not see that. Chance comes after all of them, and
/// moves as elsewhere.
#[inline(always)]
pub(super) fn is_within_joint_move<G: Game>(position: &G) -> bool {
    position.kind().has_simultaneous_moves() && position.before_joint_move().is_some() && !is_chance(position)
}

/// What the role to move knows: the position, or that before the choices of others.
pub(super) fn known<G: Game>(position: &G) -> G {
    let before = if position.kind().has_simultaneous_moves() { position.before_joint_move() } else { None };
    before.unwrap_or(*position)
}

/// The positions in which the choices of the turn that begins here are made, each after any choices before it:
/// several if they are those of a joint move.
fn choices<G: Game>(start: &G) -> ArrayVec<G, MAX_CHOICES> {
    let mut all = ArrayVec::new();
    all.push(*start);
    let mut at = *start;
    while start.kind().has_simultaneous_moves() && at.outcome().is_none() {
        at = at.after(at.nth_move(0));
        if at.outcome().is_some() || !is_within_joint_move(&at) || all.try_push(at).is_err() {
            break;
        }
    }
    all
}

/// The maximum number of roles that take part in a joint move.
const MAX_CHOICES: usize = 16;

/// The choices of a joint move as the formula sees them.
#[derive(Debug, Default)]
pub(super) struct JointArms {
    choices: Vec<Choice>,
    /// How the joint moves that were visited went: the offsets of their moves come one after the other.
    offsets: Vec<u16>,
    results: Vec<(u32, u64)>,
    path: Vec<u16>,
    arms: Arms,
    /// The moves that are chosen in this visit, the next one last.
    next: Vec<u16>,
}

/// The moves of a choice.
#[derive(Debug, Default, Clone)]
struct Choice {
    side: Option<Side>,
    /// The visits of each, and its rewards in steps of [`Value`].
    sums: Vec<(u32, u64)>,
    /// The visits of all.
    visits: u32,
    priors: Vec<f32>,
    /// The expectation of each against the policies of the others, with the weight of what is known of it.
    expected: Vec<(f32, f32)>,
}

impl Choice {
    fn all_visits(&self) -> u32 {
        self.sums.iter().map(|it| it.0).sum()
    }

    /// The mean of a move, from 0 to 1; `None` if it was not tried.
    fn mean(&self, offset: usize) -> Option<f32> {
        let (visits, steps) = self.sums[offset];
        match self.expected.get(offset) {
            Some(&(sum, weight)) if weight > 0.0 => Some(sum / weight),
            _ if visits == 0 => None,
            _ => Some(steps as f32 / visits as f32 / Value::WIN as f32),
        }
    }
}

impl<G: Game> Tree<G> {
    /// Sets the position that the tree is asked about: the root, or one in the joint move that begins there.
    pub(super) fn ask(&mut self, position: &G) {
        self.asked = *position;
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
    fn look_at_joint_move(&self, at: usize, choices: &[G], joint: &mut JointArms) {
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
    fn moves_of_choice(&self, at: usize, level: usize) -> Vec<G::Move> {
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

/// One choice of so many goes by the formula. The others are drawn from the visits so far, which keeps the policy as it
/// is, and pairs the moves of the roles at random: by the formula alone they would go round in step, and the value of
/// the joint move would be that of a few pairs.
const FORMULA_PART: usize = 2;

impl JointArms {
    /// A move drawn by its visits; `None` if a move was not tried.
    fn drawn(&self, choice: usize, rng: &mut Rng) -> Option<usize> {
        let choice = &self.choices[choice];
        if choice.sums.iter().any(|it| it.0 == 0) {
            return None;
        }
        let mut left = rng.below(choice.all_visits() as usize) as u32;
        choice.sums.iter().position(|&(visits, _)| {
            let is_here = left < visits;
            left = left.saturating_sub(visits);
            is_here
        })
    }

    /// Deals visits out to the moves of a choice.
    fn deal_choice(&mut self, choice: usize, visits: u32, formula: &Formula) {
        let Self { choices, arms, .. } = self;
        let choice = &choices[choice];
        let all = choice.all_visits();
        let in_flight = (all + visits - 1).max(1);
        let moves = choice.sums.iter().enumerate().map(|(offset, sum)| (offset, sum.0, choice.mean(offset)));
        arms.clear();
        match formula {
            Formula::Ucb1(ucb1) => {
                let scale = ucb1.scale(in_flight);
                let mut left = visits;
                for (offset, tried, mean) in moves {
                    match mean {
                        Some(mean) if tried > 0 => arms.push(offset, 2.0 * mean, scale, tried as f32),
                        _ if left > 0 => {
                            arms.give(offset, 1);
                            left -= 1;
                        }
                        _ => {}
                    }
                }
                arms.deal::<ByUcb1>(left);
            }
            Formula::Puct(puct) => {
                let scale = puct.scale(in_flight);
                let steps = choice.sums.iter().map(|it| it.1).sum::<u64>() as f32;
                let first_play_urgency = if all == 0 { 0.5 } else { steps / all as f32 / Value::WIN as f32 };
                let uniform = 1.0 / choice.sums.len() as f32;
                for (offset, tried, mean) in moves {
                    let prior = choice.priors.get(offset).copied().unwrap_or(uniform);
                    arms.push(offset, mean.unwrap_or(first_play_urgency), scale * prior, tried as f32);
                }
                arms.deal::<ByPuct>(visits);
            }
        }
    }

    /// Computes what each move is worth against the policies of the other roles. Its own mean is not that, for what the
    /// others choose depends on the same visits: all roles turn to the better move at the same time, and the
    /// means that they see in turn lead them around in circles.
    fn expect(&mut self) {
        let count = self.choices.len();
        for choice in &mut self.choices {
            choice.expected.resize(choice.sums.len(), (0.0, 0.0));
        }
        for choice in &mut self.choices {
            choice.visits = choice.all_visits();
        }
        let last = self.choices[count - 1].side;
        for (offsets, &(visits, steps)) in self.offsets.chunks_exact(count).zip(&self.results) {
            let of_last = steps as f32 / visits as f32 / Value::WIN as f32;
            for own in 0..count {
                let share = |other: usize| {
                    let choice = &self.choices[other];
                    choice.sums[usize::from(offsets[other])].0 as f32 / choice.visits as f32
                };
                let weight: f32 = (0..count).filter(|&other| other != own).map(share).product();
                let choice = &mut self.choices[own];
                let value = if choice.side == last { of_last } else { 1.0 - of_last };
                let expected = &mut choice.expected[usize::from(offsets[own])];
                *expected = (expected.0 + weight * value, expected.1 + weight);
            }
        }
    }
}

/// These moves, with their weights in a list; one that is not there gets the least.
pub(super) fn with_weights<M: Copy + PartialEq>(moves: &[M], known: &Candidates<M>) -> Candidates<M> {
    let least = known.iter().map(|(_, weight)| *weight).fold(f32::INFINITY, f32::min);
    let weight = |mv| known.iter().find(|it| it.0 == mv).map_or(least, |it| it.1);
    moves.iter().map(|&mv| (mv, weight(mv))).collect()
}

/// What the trees know of the moves of a choice, `before` choices after the root, whose position is `position`. In a
/// joint move nothing is proven, and values are those against the policies of the others.
pub(super) fn sum_of_choice<G: Game>(
    trees: &[Tree<G>],
    before: usize,
    position: &G,
) -> PositionStats<G::Move> {
    let choices = choices(&trees[0].root);
    if choices.len() == 1 {
        let nodes: Vec<_> = (0..trees.len()).map(|tree| (tree, Place::ROOT)).collect();
        return sum_children(trees, &nodes, position);
    }
    let mut sums = PositionStats::unknown(position);
    for tree in trees.iter().filter(|tree| tree.pool.len() > 0) {
        let mut joint = JointArms::default();
        tree.look_at_joint_move(ROOT, &choices, &mut joint);
        let choice = &joint.choices[before];
        for (offset, mv) in tree.moves_of_choice(ROOT, before).into_iter().enumerate() {
            let (visits, _) = choice.sums[offset];
            if let Some(mean) = choice.mean(offset)
                && let Some(sum) = sums.moves.iter_mut().find(|sum| sum.mv == mv)
            {
                sum.visits += u64::from(visits);
                sum.reward += (f64::from(mean) * f64::from(visits) * f64::from(Value::WIN)) as u64;
            }
        }
    }
    sums
}

/// A move with fewer than one in so many visits of the most visited one is not in the policy: its visits were to find
/// out what it is worth.
const LEAST_PART: u64 = 20;

/// The mixed policies of all roles of the joint move that begins at the root of the trees; none if it is no joint
/// move. `of_asked` is what all ranks know of the moves of the role that is asked for.
pub(super) fn policies<G: Game>(
    trees: &[Tree<G>],
    ranks: Ranks,
    of_asked: &PositionStats<G::Move>,
) -> Vec<Policy<G::Move>> {
    let all = choices(&trees[0].root);
    if all.len() == 1 {
        return Vec::new();
    }
    let policy = |(before, position): (usize, &G)| {
        let mut sums = sum_of_choice(trees, before, position);
        sums.over(RankSlot::of(ranks), &mut [], |numbers| ranks.sum(numbers));
        let sums = if before == trees[0].choices_before { of_asked } else { &sums };
        let most = sums.moves.iter().map(|sum| sum.visits).max().unwrap_or(0);
        let of_policy = |visits: u64| if visits < most / LEAST_PART { 0 } else { visits };
        let all = sums.moves.iter().map(|sum| of_policy(sum.visits)).sum::<u64>().max(1) as f64;
        let moves = sums.moves.iter().map(|sum| (sum.mv, of_policy(sum.visits) as f64 / all)).collect();
        Policy { role: position.role_to_move(), moves }
    };
    all.iter().enumerate().map(policy).collect()
}

/// Puts a candidate first that is drawn from a policy, with a random stream of `seed` and of what the role knows.
pub(super) fn draw_first<G: Game>(
    candidates: &mut [Candidate<G::Move>],
    policy: &Policy<G::Move>,
    known: &G,
    seed: u64,
) {
    // Each role draws by itself.
    let mut rng = Rng::stream(derive_seed(seed, policy.role as u64), hash::of(known));
    let mut left = (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    let drawn = policy.moves.iter().find(|(_, share)| {
        left -= share;
        left < 0.0
    });
    // Rounding may leave a little: then it is the most visited one.
    let place = drawn.and_then(|(mv, _)| candidates.iter().position(|it| it.mv == *mv));
    candidates[..=place.unwrap_or(0)].rotate_right(1);
}
