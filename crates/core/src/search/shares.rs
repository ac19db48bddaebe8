//! How the trunk of a tree shares the visits of a batch out.

use super::deal::{Arms, ByPuct, ByUcb1};
use super::guide::{Formula, Guide};
use super::pool::{Pool, ROOT};
use super::root_splitting::NOT_OWNED_SHARE;
use super::technique::Techniques;
use super::tree::{OwedProof, Tree, Turn, extend_hash};
use super::trunk::Leaf;
use crate::game::{Game, Side};
use crate::hash;
use crate::knowledge::{Knowledge, Value};

/// A branch does at most this part of a batch, so that other threads need not wait for it, or this many
/// visits.
const BATCH_PARTS: u32 = 16;
const LEAST_PART: u32 = 16;

/// What a node of the trunk does in a batch.
pub(super) struct Share<G> {
    pub(super) node: Leaf<G>,
    /// The share of its parent; its own for the root.
    pub(super) parent: usize,
    pub(super) turn: Turn,
    pub(super) visits: u32,
    pub(super) gained: Gained,
}

/// What a branch does in a batch. It holds the branch while that grows.
pub(super) struct Task<G: Game> {
    /// Where it grows from.
    pub(super) leaf: Leaf<G>,
    /// The share of its parent.
    pub(super) share: usize,
    pub(super) branch: usize,
    pub(super) pool: Pool<G::Move>,
    pub(super) turn: Turn,
    pub(super) visits: u32,
    /// The number of nodes that the branch may add.
    pub(super) room: usize,
    pub(super) seed: u64,
    pub(super) owes_proofs: bool,
    pub(super) gained: Gained,
    /// The number of nodes that the branch has added.
    pub(super) grown: usize,
    pub(super) owed: Vec<OwedProof<G>>,
}

/// What a node has gained in a batch.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gained {
    pub(super) visits: u32,
    /// The sum of the values for the first side, in steps of [`Value`].
    pub(super) steps: u64,
}

impl Gained {
    pub(super) fn add(&mut self, other: Self) {
        self.visits += other.visits;
        self.steps += other.steps;
    }

    /// As many visits that each had this value.
    pub(super) fn of(value: Value, visits: u32) -> Self {
        Self { visits, steps: u64::from(value.steps(Side::First)) * u64::from(visits) }
    }
}

impl<G: Game> Tree<G> {
    /// Deals the visits of a share out to the children of its node.
    pub(super) fn deal_share<K: Knowledge<G>>(
        &mut self,
        index: usize,
        shares: &mut Vec<Share<G>>,
        tasks: &mut Vec<Task<G>>,
        arms: &mut Arms,
        guide: &Guide<K>,
        techniques: Techniques,
    ) {
        let Share { node: Leaf { at, position, path_hash, depth }, turn, .. } = shares[index];
        let in_flight = loop {
            let (is_final, in_flight) = self.deal_to_children(&shares[index], &guide.formula, arms);
            if is_final || self.expand(at, &position, path_hash, guide, techniques).is_none() {
                break in_flight;
            }
        };
        if arms.is_empty() {
            // All children are settled, but there is no memory for others.
            arms.give(0, shares[index].visits);
        }
        let most = (shares[0].visits / BATCH_PARTS).max(LEAST_PART);
        let continues = at != ROOT && self.pool.children(at)[0].moved_by() == self.pool.node(at).moved_by();
        for (offset, visits) in arms.dealt() {
            let child = self.pool.child(at, offset);
            let node = *self.pool.node(child);
            if let Some(outcome) = node.proven() {
                let gained = Gained::of(outcome.into(), visits);
                self.pool.add_values(child, gained.visits, gained.steps);
                if let Some(branch) = node.branch() {
                    self.branches[branch].add_values(ROOT, gained.visits, gained.steps);
                }
                shares[index].gained.add(gained);
                continue;
            }
            let prior = self.pool.prior(child);
            let turn = if continues {
                Turn { prior: turn.prior * prior, ..turn }
            } else {
                Turn { visits: in_flight, prior }
            };
            let position = position.after(node.mv());
            let leaf =
                Leaf { at: child, position, path_hash: extend_hash(path_hash, offset), depth: depth + 1 };
            let gained = Gained::default();
            let branch = if node.child_count() > 0 { None } else { self.branch_from(child) };
            let is_split = branch.is_some_and(|branch| visits > most && self.split(branch, leaf));
            if node.child_count() > 0 || is_split {
                shares.push(Share { node: leaf, parent: index, turn, visits, gained });
            } else if let Some(branch) = branch {
                tasks.push(Task {
                    leaf,
                    share: index,
                    branch,
                    pool: Pool::new(true),
                    turn,
                    visits: visits.min(most),
                    room: 0,
                    seed: hash::of_numbers([self.salt, leaf.path_hash, node.visits.into()]),
                    owes_proofs: false,
                    gained,
                    grown: 0,
                    owed: Vec::new(),
                });
            } else {
                // There is no memory for a branch: evaluate its root again.
                let value = self.evaluate(child, &position, guide, techniques);
                let gained = Gained::of(value, visits);
                self.pool.add_values(child, gained.visits, gained.steps);
                shares[index].gained.add(gained);
            }
        }
    }

    /// Deals the visits of a share out to the children of its node. Returns whether no move that is not
    /// expanded comes before one of them, and the visits of the node, those in flight included.
    fn deal_to_children(&self, share: &Share<G>, formula: &Formula, arms: &mut Arms) -> (bool, u32) {
        let at = share.node.at;
        let node = self.pool.node(at);
        let (children, extras) = (self.pool.children(at), self.pool.extras(at));
        let side = children[0].moved_by();
        let least = node.bounds().of(side).lower;
        let in_flight = node.visits + share.visits - 1;
        arms.clear();
        let of_all = children.iter().zip(extras).enumerate();
        let open = of_all.filter(|(_, (child, _))| child.bounds().of(side).upper > least);
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
                let scale = if at != ROOT && node.moved_by() == side {
                    of_node.min(puct.scale(share.turn.visits) * share.turn.prior)
                } else {
                    of_node
                };
                for (offset, (child, extras)) in open {
                    let visits = child.visits as f32;
                    let mean = extras.reward(child) / (2.0 * visits);
                    let mean = if child.visits == 0 { first_play_urgency } else { mean };
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
