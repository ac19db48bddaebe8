//! Proves that things can't be true at once, by cases.
//!
//! It knows that a move that is made is legal, that a role makes one move, and which fluents exclude each other. It may
//! fail to find a proof, and never finds a wrong one.

use crate::bits::{bits, meet};
use crate::gates::{Gate, Lit};
use crate::limits::{End, Late};
use crate::net::Net;

/// Pairs of fluents that are never true together.
#[derive(Debug, Clone)]
pub(crate) struct Exclusions {
    words: usize,
    rows: Vec<u64>,
}

impl Exclusions {
    pub(crate) fn new(fluents: usize) -> Self {
        let words = fluents.div_ceil(64);
        Self { words, rows: vec![0; fluents * words] }
    }

    pub(crate) fn set(&mut self, a: usize, b: usize, excludes: bool) {
        for (a, b) in [(a, b), (b, a)] {
            let word = &mut self.rows[a * self.words + b / 64];
            *word = *word & !(1 << (b % 64)) | u64::from(excludes) << (b % 64);
        }
    }

    pub(crate) fn row(&self, fluent: usize) -> &[u64] {
        &self.rows[fluent * self.words..][..self.words]
    }
}

/// What follows at once from something: fluents that are true, and fluents that are false, among them those that the true
/// ones exclude.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Consequences {
    pub(crate) holds: Vec<u64>,
    pub(crate) holds_not: Vec<u64>,
    /// Whether it can't be true.
    pub(crate) is_impossible: bool,
}

impl Consequences {
    /// Whether two things that these follow from exclude each other.
    pub(crate) fn exclude(&self, other: &Self) -> bool {
        self.is_impossible
            || other.is_impossible
            || meet(&self.holds, &other.holds_not)
            || meet(&other.holds, &self.holds_not)
    }
}

/// The steps after which a proof looks whether it has to end.
const LOOK_AFTER: usize = 10_000;

pub(crate) struct Prover<'a> {
    pub(crate) net: &'a Net,
    pub(crate) exclusions: Exclusions,
    /// The role of each move.
    role_of: &'a [usize],
    /// What is assumed of each node.
    assumed: Vec<Option<bool>>,
    trail: Vec<usize>,
    /// The fluents that are assumed to be true, and to be false.
    holds: Vec<u64>,
    holds_not: Vec<u64>,
    /// What follows if a move is legal, once that is known.
    legal: Vec<Consequences>,
    /// The move that each role makes, if it is assumed.
    made: Vec<Option<usize>>,
    /// Gates that are false, with inputs that are not known.
    open: Vec<usize>,
    /// Whether a step is made, in which each role makes a move.
    moves_matter: bool,
    /// Whether the gate that became false last is taken apart first: so a proof stays with one thing.
    pub(crate) takes_last: bool,
    /// What may still be assumed before the proof is given up.
    effort: usize,
    /// The steps that are left for all proofs.
    pub(crate) left: u64,
    pub(crate) end: &'a End,
    /// The steps until it is looked at again, and whether it has come: then nothing is proven any more.
    until_look: usize,
    is_late: bool,
}

impl<'a> Prover<'a> {
    pub(crate) fn new(net: &'a Net, role_of: &'a [usize], roles: usize, left: u64, end: &'a End) -> Self {
        let fluents = net.next.len();
        Self {
            net,
            exclusions: Exclusions::new(fluents),
            role_of,
            assumed: vec![None; net.gates.len()],
            trail: Vec::new(),
            holds: vec![0; fluents.div_ceil(64)],
            holds_not: vec![0; fluents.div_ceil(64)],
            legal: Vec::new(),
            made: vec![None; roles],
            open: Vec::new(),
            moves_matter: false,
            takes_last: false,
            effort: 0,
            left,
            end,
            until_look: LOOK_AFTER,
            is_late: false,
        }
    }

    /// A prover for another network with the same fluents and moves, of states alone: at the end of a game nobody has to
    /// have a move, so nothing follows from moves.
    pub(crate) fn for_states<'b>(&self, net: &'b Net) -> Prover<'b>
    where
        'a: 'b,
    {
        let exclusions = self.exclusions.clone();
        Prover { exclusions, ..Prover::new(net, self.role_of, self.made.len(), self.left, self.end) }
    }

    /// The same of states in which each role makes a move.
    pub(crate) fn for_steps<'b>(&self, net: &'b Net) -> Result<Prover<'b>, Late>
    where
        'a: 'b,
    {
        let mut prover = self.for_states(net);
        prover.look_at_moves()?;
        Ok(prover)
    }

    /// Finds out what follows if a move is legal.
    pub(crate) fn look_at_moves(&mut self) -> Result<&[Consequences], Late> {
        let mut legal = Vec::with_capacity(self.net.legal.len());
        for &it in &self.net.legal {
            legal.push(self.consequences(it));
            if self.is_late {
                return Err(Late);
            }
        }
        self.legal = legal;
        Ok(&self.legal)
    }

    /// Whether it is proven, with this effort, that these can't all be true.
    pub(crate) fn is_impossible(&mut self, lits: &[Lit], effort: usize) -> bool {
        if self.is_late {
            return false;
        }
        self.effort = effort;
        self.moves_matter = !self.legal.is_empty();
        let proven = self.refutes(lits.to_vec());
        self.undo(0);
        self.open.clear();
        proven
    }

    /// What follows from `lit` without cases.
    pub(crate) fn consequences(&mut self, lit: Lit) -> Consequences {
        self.effort = usize::MAX;
        let is_impossible = !self.assume(vec![lit]) || self.units() == Units::Impossible;
        let fluents = self.net.next.len();
        let mut found =
            Consequences { holds: self.holds.clone(), holds_not: vec![0; self.holds.len()], is_impossible };
        for fluent in 0..fluents {
            if self.assumed[self.net.fluent(fluent).node()] == Some(false) {
                found.holds_not[fluent / 64] |= 1 << (fluent % 64);
            }
        }
        self.undo(0);
        self.open.clear();
        found
    }

    fn undo(&mut self, length: usize) {
        while self.trail.len() > length
            && let Some(node) = self.trail.pop()
        {
            let was = self.assumed[node].take();
            let fluents = self.net.next.len();
            let Some(input) = node.checked_sub(1) else { continue };
            if input < fluents {
                let set = if was == Some(true) { &mut self.holds } else { &mut self.holds_not };
                set[input / 64] &= !(1 << (input % 64));
            } else if was == Some(true)
                && let Some(&role) = self.role_of.get(input - fluents)
            {
                self.made[role] = self.made[role].filter(|&it| it != input - fluents);
            }
        }
    }

    /// Assumes these and what follows at once; `false` if that is impossible.
    fn assume(&mut self, mut to_do: Vec<Lit>) -> bool {
        let fluents = self.net.next.len();
        while let Some(lit) = to_do.pop() {
            let (node, value) = (lit.node(), !lit.is_complement());
            match self.assumed[node] {
                Some(known) if known == value => continue,
                Some(_) => return false,
                None => {}
            }
            self.spend(1);
            self.assumed[node] = Some(value);
            self.trail.push(node);
            match self.net.gates.gate(node) {
                Gate::False if value => return false,
                Gate::And(a, b) if value => to_do.extend([a, b]),
                Gate::And(..) => self.open.push(node),
                Gate::Input if value => {
                    let input = node - 1;
                    if input < fluents {
                        self.holds[input / 64] |= 1 << (input % 64);
                        let row = self.exclusions.row(input);
                        let excluded = bits(row.iter().copied());
                        to_do.extend(excluded.map(|it| !self.net.fluent(it)));
                    } else if let Some(&role) = self.role_of.get(input - fluents) {
                        if self.made[role].is_some() {
                            return false;
                        }
                        self.made[role] = Some(input - fluents);
                        to_do.push(self.net.legal[input - fluents]);
                    }
                }
                Gate::Input if node <= fluents => self.holds_not[(node - 1) / 64] |= 1 << ((node - 1) % 64),
                _ => {}
            }
        }
        true
    }

    /// Whether a move may be legal, for all that is assumed.
    fn may_be_made(&self, mv: usize) -> bool {
        let fluents = self.net.next.len();
        let is_denied = |lit: Lit| self.value(lit) == Some(false);
        if is_denied(Lit::of(1 + fluents + mv)) || is_denied(self.net.legal[mv]) {
            return false;
        }
        let Some(legal) = self.legal.get(mv) else { return true };
        !(legal.is_impossible || meet(&legal.holds, &self.holds_not) || meet(&legal.holds_not, &self.holds))
    }

    /// Each role makes a move: if only one is left, that. What is drawn from it leaves assumptions on the trail.
    fn forced(&mut self) -> Units {
        let mut start = 0;
        for role in 0..self.made.len() {
            let moves = start..self.role_of.partition_point(|&it| it <= role);
            self.spend(moves.len() / 4);
            start = moves.end;
            if self.made[role].is_some() || moves.is_empty() {
                continue;
            }
            let mut left = moves.clone().filter(|&mv| self.may_be_made(mv));
            let (first, second) = (left.next(), left.next());
            match (first, second) {
                (None, _) => return Units::Impossible,
                (Some(only), None) => {
                    let done = Lit::of(1 + self.net.next.len() + only);
                    if !self.assume(vec![done]) {
                        return Units::Impossible;
                    }
                    match self.units() {
                        Units::Done => {}
                        other => return other,
                    }
                }
                _ => {}
            }
        }
        Units::Done
    }

    /// Takes steps from what is left.
    fn spend(&mut self, steps: usize) {
        self.effort = self.effort.saturating_sub(steps);
        self.left = self.left.saturating_sub(steps as u64);
        if self.left == 0 {
            self.effort = 0;
        }
        if steps < self.until_look {
            self.until_look -= steps;
            return;
        }
        self.until_look = LOOK_AFTER;
        if self.end.has_come() {
            (self.is_late, self.left, self.effort) = (true, 0, 0);
        }
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.assumed[lit.node()].map(|it| it != lit.is_complement())
    }

    /// Draws conclusions from gates that are false until there are none.
    fn units(&mut self) -> Units {
        loop {
            self.spend(1 + self.open.len() / 4);
            let mut is_new = false;
            let mut index = 0;
            while index < self.open.len() {
                let Gate::And(a, b) = self.net.gates.gate(self.open[index]) else {
                    index += 1;
                    continue;
                };
                let (first, second) = (self.value(a), self.value(b));
                let follows = match (first, second) {
                    (Some(true), Some(true)) => return Units::Impossible,
                    (Some(true), None) => !b,
                    (None, Some(true)) => !a,
                    _ => {
                        index += 1;
                        continue;
                    }
                };
                if self.effort == 0 {
                    return Units::GivenUp;
                }
                if !self.assume(vec![follows]) {
                    return Units::Impossible;
                }
                is_new = true;
                index += 1;
            }
            if !is_new {
                return Units::Done;
            }
        }
    }

    /// Whether these are refuted on top of what is assumed. It leaves its assumptions on the trail.
    fn refutes(&mut self, lits: Vec<Lit>) -> bool {
        if !self.assume(lits) {
            return true;
        }
        let units = match self.units() {
            Units::Done if self.moves_matter => self.forced(),
            other => other,
        };
        match units {
            Units::Impossible => return true,
            Units::GivenUp => return false,
            Units::Done => {}
        }
        if self.effort == 0 {
            return false;
        }
        // Two cases of a gate that is false and whose inputs are not known.
        let unknown = |&node: &usize| match self.net.gates.gate(node) {
            Gate::And(a, b) if self.value(a).is_none() && self.value(b).is_none() => Some((a, b)),
            _ => None,
        };
        let unknown = if self.takes_last {
            self.open.iter().rev().find_map(unknown)
        } else {
            self.open.iter().find_map(unknown)
        };
        let Some((a, b)) = unknown else { return false };
        let (trail, open) = (self.trail.len(), self.open.len());
        for case in [vec![!a], vec![!b]] {
            let is_refuted = self.refutes(case);
            self.undo(trail);
            self.open.truncate(open);
            if !is_refuted {
                return false;
            }
        }
        true
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Units {
    Done,
    Impossible,
    GivenUp,
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::gates::Gates;

    #[test]
    fn what_is_impossible_is_proven_by_cases() {
        // Three fluents and two moves of one role, the first of which needs the first fluent.
        let mut gates = Gates::new(5);
        let [a, b, c, one, other] = [0, 1, 2, 3, 4].map(|it| gates.input(it));
        let either = gates.or(a, b);
        let neither_nor = gates.and(!a, !c);
        let both = gates.and(neither_nor, either);
        let odd = gates.xor(a, b);
        let net = Net {
            gates,
            next: vec![a, b, c],
            legal: vec![a, Lit::TRUE],
            terminal: Lit::FALSE,
            goals: vec![],
        };
        let end = End::after(Duration::MAX / 4);
        let mut prover = Prover::new(&net, &[0, 0], 1, 1_000, &end);
        assert!(prover.is_impossible(&[either, !a, !b], 100));
        assert!(!prover.is_impossible(&[both], 100));
        assert!(prover.is_impossible(&[both, !b], 100) && prover.is_impossible(&[both, one], 100));
        assert!(prover.is_impossible(&[one, other], 100) && !prover.is_impossible(&[other, b], 100));
        assert!(!prover.is_impossible(&[odd, a, b], 100), "it is not proven");
        prover.exclusions.set(1, 2, true);
        assert!(prover.is_impossible(&[b, c], 100) && !prover.is_impossible(&[a, c], 100));
        prover.exclusions.set(0, 2, true);
        assert!(prover.is_impossible(&[c, either], 100));
        let found = prover.consequences(one);
        assert_eq!((found.holds, found.holds_not, found.is_impossible), (vec![1], vec![4], false));
        assert!(prover.consequences(neither_nor).holds_not == [0b101]);
    }
}
