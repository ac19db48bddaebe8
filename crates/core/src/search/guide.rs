//! What guides the iterations of all trees: knowledge and the selection formula.

use super::puct::Puct;
use super::technique::{Technique, Techniques};
use super::ucb1::Ucb1;
use crate::game::{Game, Outcome, Rng};
use crate::knowledge::{Candidates, Knowledge, NewPosition, Selection, Value};

/// The knowledge and the selection formula. Each search says which techniques it uses besides.
#[derive(Debug)]
pub(super) struct Guide<K> {
    pub(super) knowledge: K,
    pub(super) formula: Formula,
    pub(super) batch: BatchRule,
}

/// The selection formula, with its tables.
#[derive(Debug)]
pub(super) enum Formula {
    Ucb1(Ucb1),
    Puct(Puct),
}

/// How many visits a batch has.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchRule {
    /// A batch has this part of the visits that the tree has had.
    pub(super) divisor: u32,
    /// But at most this many visits.
    pub(super) most: u32,
    /// With fewer than this it is not worth its overhead.
    pub(super) least: u32,
}

impl BatchRule {
    /// The visits of a tree before it grows in batches; before that, they come one after the other.
    pub(super) fn first(self) -> u32 {
        if self.most == 1 { u32::MAX } else { self.divisor.saturating_mul(self.least) }
    }

    /// The visits of a batch for a tree that has had this many.
    pub(super) fn size(self, visits: u32) -> u32 {
        (visits / self.divisor).clamp(1, self.most)
    }
}

impl Formula {
    /// The formula, with the exploration of the root as [`Knowledge::ROOT_EXPLORATION`].
    pub(super) fn new(selection: Selection, root_exploration: f32) -> Self {
        match selection {
            Selection::Ucb1 { c } => Self::Ucb1(Ucb1::new(c)),
            Selection::Puct { c } => Self::Puct(Puct::new(c, root_exploration)),
        }
    }
}

impl<K> Guide<K> {
    #[inline]
    pub(super) fn evaluate<G: Game>(&self, position: &G, rng: &mut Rng, techniques: Techniques) -> Value
    where
        K: Knowledge<G>,
    {
        if techniques.contains(Technique::Rollouts) {
            self.knowledge.evaluate(position, rng)
        } else {
            position.rollout(rng).outcome.into()
        }
    }

    /// A line to a score above `above` that the evaluation of a position has come across.
    pub(super) fn line<G: Game>(
        &self,
        position: &G,
        above: u8,
        techniques: Techniques,
    ) -> Option<Vec<G::Move>>
    where
        K: Knowledge<G>,
    {
        if techniques.contains(Technique::Rollouts) { self.knowledge.line(position, above) } else { None }
    }

    /// Sets the values of new positions.
    pub(super) fn evaluate_all<G: Game>(&self, positions: &mut [NewPosition<'_, G>], techniques: Techniques)
    where
        K: Knowledge<G>,
    {
        if techniques.contains(Technique::Rollouts) {
            return self.knowledge.evaluate_all(positions);
        }
        for NewPosition { position, rng, value } in positions {
            *value = position.rollout(rng).outcome.into();
        }
    }

    #[inline]
    pub(super) fn prove<G: Game>(&self, position: &G, techniques: Techniques) -> Option<Outcome>
    where
        K: Knowledge<G>,
    {
        if techniques.contains(Technique::Proofs) { self.knowledge.prove(position) } else { None }
    }

    /// The visits after which the priors of the moves of `position` are refined.
    #[inline]
    pub(super) fn refined_at<G: Game>(&self, position: &G, techniques: Techniques) -> Option<u32>
    where
        K: Knowledge<G>,
    {
        let is_used = techniques.contains(Technique::Priors) && techniques.contains(Technique::Rollouts);
        if is_used { self.knowledge.refined_at(position) } else { None }
    }

    /// Appends the candidate moves and their weights to the empty list `moves`.
    pub(super) fn candidates<G: Game>(
        &self,
        position: &G,
        moves: &mut Candidates<G::Move>,
        techniques: Techniques,
    ) where
        K: Knowledge<G>,
    {
        if techniques.contains(Technique::Pruning) {
            self.knowledge.candidates(position, moves);
        } else {
            self.knowledge.all_moves(position, moves);
        }
        if !techniques.contains(Technique::Priors) {
            moves.iter_mut().for_each(|(_, weight)| *weight = 1.0);
        }
    }
}
