//! What is proven of a game: that roles move in turn, which moves exclude each other, and that no position comes twice.

use crate::bits::has_bit;
use crate::evidence::{Evidence, Proven, SMALL_EFFORT, never};
use crate::exclusive::exclusive_fluents;
use crate::gates::Lit;
use crate::goals::shares_100;
use crate::limits::Late;
use crate::net::Net;
use crate::prover::{Consequences, Prover};

/// The effort of a proof that much depends on.
const EFFORT: usize = 3_000_000;

/// The most fluents that a move may change for good.
const MAX_CHANGES: usize = 40;

impl Evidence<'_> {
    pub(crate) fn prove(&self, steps: u64) -> Result<Proven, Late> {
        let mut role_of = Vec::new();
        for (role, moves) in self.moves_of.iter().enumerate() {
            role_of.resize(moves.end, role);
        }
        let mut net = self.net.clone();
        // For each role: it has a choice.
        let mut only = vec![false; role_of.len()];
        let idle: Vec<usize> = (0..role_of.len()).filter(|&it| has_bit(&self.samples.idle, it)).collect();
        let others: Vec<Lit> = idle
            .iter()
            .map(|&mv| {
                let others = self.moves_of[role_of[mv]].clone().filter(|&it| it != mv);
                let others = others.map(|it| net.legal[it]).collect();
                net.gates.any(others)
            })
            .collect();
        let mut excluded = Prover::new(&net, &role_of, self.moves_of.len(), steps, self.end);
        let exclusions = exclusive_fluents(self, &mut excluded)?;
        // Also where a role has no move: lanes tell by this that the game is over there.
        let mut states = excluded.for_states(&net);
        for (&mv, &others) in idle.iter().zip(&others) {
            self.end.look()?;
            only[mv] = never(&mut states, vec![net.legal[mv], others], EFFORT);
        }
        for moves in self.moves_of.iter().filter(|it| it.len() == 1) {
            only[moves.start] = true;
        }
        let left = states.left;
        let (mut with_choices, mut net) = (Vec::new(), net.clone());
        for moves in self.moves_of {
            let choices = moves.clone().filter(|&it| !only[it]);
            let choices = choices.map(|it| net.legal[it]).collect();
            with_choices.push(net.gates.any(choices));
        }
        let mut prover = Prover::new(&net, &role_of, self.moves_of.len(), left, self.end);
        prover.exclusions = exclusions.clone();
        let legal: Vec<Consequences> = prover.look_at_moves()?.to_vec();
        let mut is_in_turn = true;
        for (index, &one) in with_choices.iter().enumerate() {
            for (&other, others) in with_choices[index + 1..].iter().zip(&self.moves_of[index + 1..]) {
                let exclude = |a: usize, b: usize| only[a] || only[b] || legal[a].exclude(&legal[b]);
                let mut all_exclude = is_in_turn;
                for a in self.moves_of[index].clone() {
                    self.end.look()?;
                    all_exclude = all_exclude && others.clone().all(|b| exclude(a, b));
                }
                is_in_turn = is_in_turn && (all_exclude || never(&mut prover, vec![one, other], EFFORT));
            }
        }
        // At least one of two roles has no choice.
        let cases =
            if is_in_turn { with_choices.iter().take(2).map(|&it| !it).collect() } else { vec![Lit::TRUE] };
        let shares_100 =
            if self.samples.shares_100 { shares_100(&prover, self.moves_of, &cases)? } else { None };
        let counter = self.counter(&mut prover)?;
        let counted = counter.len().checked_sub(1);
        let max_steps = match counted {
            Some(steps) => Some(steps),
            None => self.progress(&mut prover, &net, &role_of)?,
        };
        // What could not be proven in time is not taken for what can't be proven.
        self.end.look()?;
        Ok(Proven { is_in_turn, shares_100, max_steps, counter, only, legal, exclusions })
    }

    /// A counter that ends the game: fluents each of which is true one step after another one, from one that is true at
    /// the start to one that ends the game. Of several the shortest; none if there is none.
    fn counter(&self, prover: &mut Prover<'_>) -> Result<Vec<usize>, Late> {
        let net = self.net;
        let count = net.next.len();
        let mut after = vec![None; count];
        for fluent in 0..count {
            let from = net.next[fluent];
            if let Some(before) = (0..count).find(|&it| net.fluent(it) == from) {
                after[before] = Some(fluent);
            }
        }
        let initial = &self.samples.states[0].state;
        let mut best: Vec<usize> = Vec::new();
        for start in (0..count).filter(|&it| has_bit(initial, it) && net.next[it] == Lit::FALSE) {
            self.end.look()?;
            let mut chain = vec![start];
            while let Some(next) = after[chain[chain.len() - 1]]
                && !has_bit(initial, next)
            {
                chain.push(next);
            }
            let last = net.fluent(chain[chain.len() - 1]);
            let is_shorter = best.is_empty() || chain.len() < best.len();
            if is_shorter && prover.is_impossible(&[last, !net.terminal], SMALL_EFFORT) {
                best = chain;
            }
        }
        Ok(best)
    }

    /// The steps of a game in which each step changes for good a fluent that changes once at most.
    fn progress(&self, prover: &mut Prover<'_>, net: &Net, role_of: &[usize]) -> Result<Option<usize>, Late> {
        let count = net.next.len();
        let mut one_way = vec![None; count];
        for (fluent, one_way) in one_way.iter_mut().enumerate() {
            self.end.look()?;
            let (now, next) = (net.fluent(fluent), net.next[fluent]);
            for grows in [true, false] {
                if one_way.is_none() && never(prover, vec![now.xor(!grows), next.xor(grows)], SMALL_EFFORT) {
                    *one_way = Some(grows);
                }
            }
            if prover.left == 0 {
                return Ok(None);
            }
        }
        let goes: Vec<usize> = (0..count).filter(|&it| one_way[it].is_some()).collect();
        // What was seen to change when a move was made.
        let mut changed: Vec<Vec<usize>> = vec![Vec::new(); role_of.len()];
        for pair in self.samples.states.windows(2) {
            let [now, next] = pair else { continue };
            for &mv in &now.moves {
                let known = &mut changed[mv as usize];
                let flips =
                    |it: &usize| has_bit(&now.state, *it) != has_bit(&next.state, *it) && !known.contains(it);
                let new: Vec<usize> = goes.iter().copied().filter(flips).collect();
                known.extend(new);
            }
        }
        let mut all = net.clone();
        let mut stays = vec![Lit::TRUE; count];
        for &fluent in &goes {
            let grows = one_way[fluent] == Some(true);
            let (now, next) = (net.fluent(fluent).xor(!grows), net.next[fluent].xor(!grows));
            stays[fluent] = !all.gates.and(!now, next);
        }
        let mut steps = Prover::new(&all, role_of, self.moves_of.len(), prover.left, self.end);
        steps.exclusions = prover.exclusions.clone();
        steps.look_at_moves()?;
        let mut is_progress = vec![false; role_of.len()];
        for (mv, seen) in changed.into_iter().enumerate() {
            self.end.look()?;
            let mut changes = |changed: Vec<usize>| {
                // The move is looked at first.
                let lits = changed.iter().map(|&it| stays[it]).chain([net.done(mv)]).collect();
                (1..=MAX_CHANGES).contains(&changed.len()) && never(&mut steps, lits, SMALL_EFFORT)
            };
            // Some changes are rare, such as those of a move that is one of many in one of the first steps only: then all
            // that the move may change, in one direction at a time as there are fewer cases.
            is_progress[mv] = changes(seen) || {
                let dependents = net.gates.dependents(net.done(mv));
                let rare = |grows: bool| {
                    let all = goes.iter().copied().filter(|&it| one_way[it] == Some(grows));
                    all.filter(|&it| dependents[net.next[it].node()]).collect()
                };
                changes(rare(false)) || changes(rare(true))
            };
            if steps.left == 0 {
                return Ok(None);
            }
        }
        let left = steps.left;
        // Not all roles make a move that is none.
        let mut all = net.clone();
        let idle: Vec<Lit> = self
            .moves_of
            .iter()
            .map(|moves| {
                let idle = moves.clone().filter(|&it| !is_progress[it]).map(|it| net.legal[it]).collect();
                all.gates.any(idle)
            })
            .collect();
        let mut last = Prover::new(&all, role_of, self.moves_of.len(), left, self.end);
        last.exclusions = prover.exclusions.clone();
        Ok(never(&mut last, idle, EFFORT).then_some(goes.len()))
    }
}
