//! The choices of a joint move as the formula sees them.

use super::deal::{Arms, ByPuct, ByUcb1};
use super::guide::Formula;
use crate::game::{Rng, Side};
use crate::knowledge::Value;

/// The choices of a joint move as the formula sees them.
#[derive(Debug, Default)]
pub(super) struct JointArms {
    pub(super) choices: Vec<Choice>,
    /// How the joint moves that were visited went: the offsets of their moves come one after the other.
    pub(super) offsets: Vec<u16>,
    pub(super) results: Vec<(u32, u64)>,
    pub(super) path: Vec<u16>,
    pub(super) arms: Arms,
    /// The moves that are chosen in this visit, the next one last.
    pub(super) next: Vec<u16>,
}

/// The moves of a choice.
#[derive(Debug, Default, Clone)]
pub(super) struct Choice {
    pub(super) side: Option<Side>,
    /// The visits of each, and its rewards in steps of [`Value`].
    pub(super) sums: Vec<(u32, u64)>,
    /// The visits of all.
    visits: u32,
    pub(super) priors: Vec<f32>,
    /// The expectation of each against the policies of the others, with the weight of what is known of it.
    pub(super) expected: Vec<(f32, f32)>,
}

impl Choice {
    fn all_visits(&self) -> u32 {
        self.sums.iter().map(|it| it.0).sum()
    }

    /// The mean of a move, from 0 to 1; `None` if it was not tried.
    pub(super) fn mean(&self, offset: usize) -> Option<f32> {
        let (visits, steps) = self.sums[offset];
        match self.expected.get(offset) {
            Some(&(sum, weight)) if weight > 0.0 => Some(sum / weight),
            _ if visits == 0 => None,
            _ => Some(steps as f32 / visits as f32 / Value::WIN as f32),
        }
    }
}

/// One choice of so many goes by the formula. The others are drawn from the visits so far, which keeps the policy as it
/// is, and pairs the moves of the roles at random: by the formula alone they would go round in step, and the value of
/// the joint move would be that of a few pairs.
pub(super) const FORMULA_PART: usize = 2;

impl JointArms {
    /// A move drawn by its visits; `None` if a move was not tried.
    pub(super) fn drawn(&self, choice: usize, rng: &mut Rng) -> Option<usize> {
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
    pub(super) fn deal_choice(&mut self, choice: usize, visits: u32, formula: &Formula) {
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
    pub(super) fn expect(&mut self) {
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
