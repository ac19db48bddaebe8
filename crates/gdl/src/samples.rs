//! What random games show before anything is proven.

use std::ops::Range;

use quintet_core::game::Rng;

use crate::bits::{count_in, has_bit, set_bit};
use crate::limits::{End, Late};
use crate::machine::Machine;
use crate::terms::TermId;

/// The most games that are played.
const MAX_GAMES: usize = 2_000;
/// The most steps of a game that is played.
pub(crate) const MAX_STEPS: usize = 2_000;
/// The most states that are kept.
const MAX_STATES: usize = 4_096;

/// A state of a random game.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub(crate) state: Vec<u64>,
    /// The moves that were made, which lead to the next sample; empty at the end of a game.
    pub(crate) moves: Vec<u32>,
}

/// What random games have shown.
#[derive(Debug, Clone)]
pub(crate) struct Samples {
    /// Whether the goals of the first two roles always added up to 100.
    pub(crate) shares_100: bool,
    /// The moves that were the only one of their role while another role had a choice, and those that are called like
    /// one of these.
    pub(crate) idle: Vec<u64>,
    /// The most steps of a game, if all games ended.
    longest: Option<usize>,
    /// The games that came to their end.
    pub(crate) games: usize,
    /// Those of them that `terminal` did not end, by the first role without a legal move.
    pub(crate) stuck: Vec<usize>,
    /// The games that had no end within the most steps.
    pub(crate) endless: usize,
    /// The start first.
    pub(crate) states: Vec<Sample>,
}

impl Samples {
    /// Plays random games with so many operations in all. `names` are those of the moves, by number.
    pub(crate) fn new(
        machine: &Machine,
        moves_of: &[Range<usize>],
        names: &[TermId],
        initial: &[u64],
        operations: u64,
        end: &End,
    ) -> Result<Self, Late> {
        let mut rng = Rng::stream(0, 0);
        let move_words = moves_of.last().map_or(0, |it| it.end).div_ceil(64);
        let mut samples = Self {
            shares_100: true,
            idle: vec![0; move_words],
            longest: Some(0),
            games: 0,
            stuck: vec![0; moves_of.len()],
            endless: 0,
            states: Vec::new(),
        };
        // What a step takes beside its operations is about as much as so many.
        let cost = (machine.operations() + 2 * initial.len() * 64 + 4 * move_words * 64 + 200) as u64;
        let mut left = operations;
        for _ in 0..MAX_GAMES {
            if left < cost {
                break;
            }
            let mut state = initial.to_vec();
            for step in 0.. {
                end.look()?;
                left = left.saturating_sub(cost);
                let mut legal = vec![0; move_words];
                let is_end = machine.see(&state, |mv| set_bit(&mut legal, mv));
                let counts = moves_of.iter().map(|it| count_in(&legal, it.clone())).collect::<Vec<_>>();
                let stuck = counts.iter().position(|it| *it == 0).filter(|_| !is_end);
                let is_over = is_end || stuck.is_some();
                let is_cut = step == MAX_STEPS || left < cost;
                let mut moves = Vec::new();
                if is_over {
                    samples.games += 1;
                    if let Some(role) = stuck {
                        samples.stuck[role] += 1;
                    }
                    let [first, second, ..] = machine.goals(&state);
                    samples.shares_100 &= u16::from(first) + u16::from(second) == 100;
                    samples.longest = samples.longest.map(|it| it.max(step));
                } else if is_cut {
                    samples.longest = samples.longest.filter(|_| step < MAX_STEPS);
                    samples.endless += usize::from(step == MAX_STEPS);
                } else {
                    let has_choice = counts.iter().any(|it| *it > 1);
                    for (range, count) in moves_of.iter().zip(counts) {
                        let nth = if count > 1 { rng.below(count) } else { 0 };
                        let mut legal = range.clone().filter(|&it| has_bit(&legal, it));
                        let mv = legal.nth(nth).unwrap_or(range.start);
                        if count == 1 && has_choice {
                            set_bit(&mut samples.idle, mv);
                        }
                        moves.push(mv as u32);
                    }
                }
                let mut next = vec![0; state.len()];
                if !moves.is_empty() {
                    machine.next(&state, moves.iter().map(|&it| it as usize), &mut next);
                }
                let is_last = moves.is_empty();
                if samples.states.len() < MAX_STATES {
                    samples.states.push(Sample { state, moves });
                }
                if is_last {
                    break;
                }
                state = next;
            }
        }
        // A role waits by such a move, also if the role that it waits for never has a choice.
        let idle: Vec<TermId> =
            (0..names.len()).filter(|&it| has_bit(&samples.idle, it)).map(|it| names[it]).collect();
        (0..names.len())
            .filter(|&it| idle.contains(&names[it]))
            .for_each(|it| set_bit(&mut samples.idle, it));
        Ok(samples)
    }

    /// The steps after which a random game is cut off.
    pub(crate) fn max_steps(&self) -> usize {
        self.longest.filter(|_| self.games > 0).map_or(MAX_STEPS, |it| (8 * it).clamp(100, MAX_STEPS))
    }

    /// The same for a network in which only these fluents and moves are left.
    pub(crate) fn reduced(mut self, kept: &[usize], moves: &[usize]) -> Self {
        let bits = |from: &[u64], kept: &[usize]| {
            let mut bits = vec![0; kept.len().div_ceil(64)];
            kept.iter().enumerate().filter(|it| has_bit(from, *it.1)).for_each(|it| set_bit(&mut bits, it.0));
            bits
        };
        self.idle = bits(&self.idle, moves);
        for sample in &mut self.states {
            sample.state = bits(&sample.state, kept);
            sample
                .moves
                .iter_mut()
                .for_each(|it| *it = moves.partition_point(|mv| *mv < *it as usize) as u32);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::{Gates, Lit};
    use crate::net::Net;

    #[test]
    fn a_move_with_a_large_number_is_the_one_that_is_made() {
        const MOVES: usize = 70_000;
        let gates = Gates::new(1 + MOVES);
        let mut legal = vec![Lit::FALSE; MOVES];
        legal[MOVES - 1] = Lit::TRUE;
        let over = gates.input(0);
        let next = vec![gates.input(MOVES)];
        let net = Net { gates, next, legal, terminal: over, goals: vec![Vec::new(); 2] };
        let end = End::after(std::time::Duration::MAX / 4);
        let machine = Machine::new(&net, &end).expect("in time");
        let samples = Samples::new(&machine, std::slice::from_ref(&(0..MOVES)), &[], &[0], 100_000_000, &end)
            .expect("in time");
        let [first, second, ..] = &samples.states[..] else { panic!("the game is over after one move") };
        assert_eq!((&first.moves[..], &second.state[..]), (&[MOVES as u32 - 1][..], &[1][..]));
    }
}
