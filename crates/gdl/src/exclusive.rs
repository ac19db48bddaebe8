//! Fluents that are never true together.

use crate::bits::{bits, has_bit, meet, set_bit};
use crate::evidence::{Evidence, SMALL_EFFORT, never};
use crate::follows::{Input, denied_by, denied_fluents, following};
use crate::gates::Gate;
use crate::hash::FastMap;
use crate::limits::Late;
use crate::net::Net;
use crate::partial::{Partial, Step, gates_of};
use crate::prover::{Exclusions, Prover};

/// The most fluents of a name that are compared with those of others.
const MAX_RARE: usize = 8;
/// The most moves of a role for which it is not proven at once that fluents stay apart.
const MAX_OPEN: usize = 8;
/// The most pairs for each of which it is noted after which moves both may be true.
const MAX_PAIRS: usize = 1 << 17;
/// The most gates that are noted for all fluents of the pairs, four bytes each.
const MAX_OWN_GATES: usize = 1 << 25;
/// How many gates for 64 moves count as a step of a proof.
const GATES_A_STEP: usize = 8;

/// Pairs of fluents that are never true together. Those are tried that differ in one symbol and were never seen
/// together.
///
/// The prover knows of them afterwards, and of what follows from moves with them.
pub(crate) fn exclusive_fluents(
    evidence: &Evidence<'_>,
    prover: &mut Prover<'_>,
) -> Result<Exclusions, Late> {
    let count = evidence.fluents.len();
    let mut columns = vec![vec![0_u64; evidence.samples.states.len().div_ceil(64)]; count];
    for (index, sample) in evidence.samples.states.iter().enumerate() {
        for (fluent, column) in columns.iter_mut().enumerate() {
            column[index / 64] |= u64::from(has_bit(&sample.state, fluent)) << (index % 64);
        }
    }
    let mut groups: FastMap<(usize, Vec<&str>), Vec<usize>> = FastMap::default();
    for (fluent, symbols) in evidence.fluents.iter().enumerate() {
        for place in 1..symbols.len() {
            let mut rest = symbols.clone();
            rest.remove(place);
            groups.entry((place, rest)).or_default().push(fluent);
        }
    }
    // Such as `(place red)` and `(rotate black)`, which tell whose turn it is for what.
    let mut named: FastMap<&str, Vec<usize>> = FastMap::default();
    evidence
        .fluents
        .iter()
        .enumerate()
        .for_each(|(it, symbols)| named.entry(symbols[0]).or_default().push(it));
    let rare = named.into_values().filter(|it| it.len() <= MAX_RARE).flatten();
    groups.insert((0, Vec::new()), rare.collect());
    let mut pairs = Vec::new();
    for group in groups.values() {
        for (index, &one) in group.iter().enumerate() {
            evidence.end.look_at(index, 16)?;
            for &other in &group[index + 1..] {
                if columns[one].iter().zip(&columns[other]).all(|(a, b)| a & b == 0) {
                    pairs.push((one.min(other), one.max(other)));
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let apart = Apart::new(evidence, &pairs)?;
    let by_moves = apart.by_moves(prover, pairs.clone())?;
    if by_moves.len() < pairs.len() {
        // By cases, too. If that takes all steps in vain, half as many are for other proofs.
        let kept = prover.left / 2;
        if !apart.by_cases(prover, pairs)? {
            prover.exclusions = exclusions_of(count, &by_moves);
            prover.left = kept;
            prover.look_at_moves()?;
        }
    }
    Ok(prover.exclusions.clone())
}

fn exclusions_of(fluents: usize, pairs: &[(usize, usize)]) -> Exclusions {
    let mut exclusions = Exclusions::new(fluents);
    for &(a, b) in pairs {
        exclusions.set(a, b, true);
    }
    exclusions
}

/// Proves that pairs of fluents stay apart.
struct Apart<'a> {
    evidence: &'a Evidence<'a>,
    legal_gates: Vec<u32>,
    next_gates: Vec<u32>,
    /// The gates through which each fluent of the pairs depends on itself.
    own_gates: Vec<Option<Vec<u32>>>,
    /// The steps that a round takes.
    steps: u64,
}

impl<'a> Apart<'a> {
    fn new(evidence: &'a Evidence<'a>, pairs: &[(usize, usize)]) -> Result<Self, Late> {
        let net = evidence.net;
        let legal_gates = gates_of(net, net.legal.iter().copied());
        let next_gates = gates_of(net, net.next.iter().copied());
        let unseen = vec![usize::MAX; net.gates.len()];
        let mut loops = Loops { net, seen: unseen.clone(), depends: unseen };
        let mut own_gates = vec![None; net.next.len()];
        let mut work = legal_gates.len() + next_gates.len();
        for &fluent in pairs.iter().flat_map(|(a, b)| [a, b]) {
            if own_gates[fluent].is_none() {
                evidence.end.look()?;
                let gates = loops.of(fluent);
                work += gates.len();
                if work > MAX_OWN_GATES {
                    return Ok(Self {
                        evidence,
                        legal_gates,
                        next_gates,
                        own_gates: Vec::new(),
                        steps: u64::MAX,
                    });
                }
                own_gates[fluent] = Some(gates);
            }
        }
        let words: usize = evidence.moves_of.iter().map(|it| it.len().div_ceil(64)).sum();
        let steps = ((work + pairs.len()) * words / GATES_A_STEP) as u64;
        Ok(Self { evidence, legal_gates, next_gates, own_gates, steps })
    }

    /// Which of these pairs stay apart as far as single moves show. The prover knows of them.
    fn by_moves(
        &self,
        prover: &mut Prover<'_>,
        mut pairs: Vec<(usize, usize)>,
    ) -> Result<Vec<(usize, usize)>, Late> {
        loop {
            prover.exclusions = exclusions_of(self.evidence.net.next.len(), &pairs);
            let mut stay = self.stay(prover, &pairs)?.into_iter();
            let before = pairs.len();
            pairs.retain(|_| stay.next() == Some(true));
            if pairs.len() == before {
                return Ok(pairs);
            }
        }
    }

    /// Leaves the prover with those of these pairs that stay apart, as far as it can prove it; `false` if it has no steps
    /// left.
    fn by_cases(&self, prover: &mut Prover<'_>, mut pairs: Vec<(usize, usize)>) -> Result<bool, Late> {
        let next = &self.evidence.net.next;
        loop {
            prover.exclusions = exclusions_of(next.len(), &pairs);
            let mut stay = self.stay(prover, &pairs)?;
            for (&(a, b), stays) in pairs.iter().zip(&mut stay) {
                self.evidence.end.look()?;
                *stays = *stays || never(prover, vec![next[a], next[b]], SMALL_EFFORT);
                if prover.left == 0 {
                    return Ok(false);
                }
            }
            let before = pairs.len();
            let mut stay = stay.into_iter();
            pairs.retain(|_| stay.next() == Some(true));
            if pairs.len() == before {
                return Ok(true);
            }
        }
    }

    /// Whether pairs of fluents, all of which are apart now, are apart after each step. Looked at is what each of a pair
    /// needs, and what each role does by itself, whatever the others do; so that is proven of fluents which do not depend on
    /// more than one move. Nothing is proven if it would take too long.
    fn stay(&self, prover: &mut Prover<'_>, pairs: &[(usize, usize)]) -> Result<Vec<bool>, Late> {
        let (net, moves_of) = (self.evidence.net, self.evidence.moves_of);
        let end = self.evidence.end;
        let legal = prover.look_at_moves()?.to_vec();
        let nothing = Ok(vec![false; pairs.len()]);
        let (fluents, exclusions) = (net.next.len(), &prover.exclusions);
        let Some(denied) = denied_fluents(net, exclusions) else { return nothing };
        let needs = following(net, &net.next, fluents, |input, found| match input {
            Input::Fluent(fluent, true) => set_bit(found, fluent),
            Input::Move(mv) => found.copy_from_slice(&legal[mv].holds),
            Input::Fluent(..) => {}
        });
        let denies = following(net, &net.next, fluents, |input, found| match input {
            Input::Move(mv) => found.copy_from_slice(&denied[mv]),
            Input::Fluent(..) => denied_by(exclusions, input, found),
        });
        let (Some(needs), Some(denies)) = (needs, denies) else { return nothing };
        if self.steps > prover.left / 8 || pairs.len() > MAX_PAIRS {
            return nothing;
        }
        prover.left -= self.steps;
        let step = Step { net, moves_of, legal: &legal, denied: &denied, legal_gates: &self.legal_gates };
        // For each pair the roles with the moves after which both may be true.
        let mut open: Vec<Vec<Vec<usize>>> = vec![vec![Vec::new(); moves_of.len()]; pairs.len()];
        for (role, moves) in moves_of.iter().enumerate() {
            let moves: Vec<usize> = moves.clone().filter(|&it| !legal[it].is_impossible).collect();
            for moves in moves.chunks(64) {
                end.look()?;
                let (mut known, possible) = Partial::of_moves(&step, moves, &|_| true);
                known.compute(net, &self.next_gates);
                let next: Vec<u64> = net.next.iter().map(|&it| known.may_be_true(it) & possible).collect();
                let mut becomes = vec![0; fluents];
                for (fluent, gates) in self.own_gates.iter().enumerate() {
                    end.look_at(fluent, 64)?;
                    if let Some(gates) = gates {
                        becomes[fluent] = known.may_become_true(net, gates, &[fluent]);
                    }
                }
                for (&(a, b), open) in pairs.iter().zip(&mut open) {
                    // One of them is false now.
                    let both = becomes[a] & next[b] | next[a] & becomes[b];
                    let left = MAX_OPEN + 1 - open[role].len();
                    open[role].extend(bits([both].into_iter()).map(|lane| moves[lane]).take(left));
                }
            }
        }
        let exclude = |one: &[usize], other: &[usize]| {
            one.len().max(other.len()) <= MAX_OPEN
                && one.iter().all(|&a| other.iter().all(|&b| legal[a].exclude(&legal[b])))
        };
        let stays = |(&(a, b), open): (&(usize, usize), Vec<Vec<usize>>)| {
            meet(&needs[a], &denies[b])
                || meet(&needs[b], &denies[a])
                || open.iter().any(Vec::is_empty)
                || (1..open.len()).any(|index| open[..index].iter().any(|other| exclude(&open[index], other)))
        };
        Ok(pairs.iter().zip(open).map(stays).collect())
    }
}

/// Finds the gates through which fluents depend on themselves.
struct Loops<'a> {
    net: &'a Net,
    /// The last fluent for which a node was looked at, and for which it was found to depend on it.
    seen: Vec<usize>,
    depends: Vec<usize>,
}

impl Loops<'_> {
    /// These gates, in order.
    fn of(&mut self, fluent: usize) -> Vec<u32> {
        let gates = &self.net.gates;
        let mut nodes = Vec::new();
        let mut to_do = vec![self.net.next[fluent].node()];
        while let Some(node) = to_do.pop() {
            if std::mem::replace(&mut self.seen[node], fluent) != fluent
                && let Gate::And(a, b) | Gate::Xor(a, b) = gates.gate(node)
            {
                nodes.push(node as u32);
                to_do.extend([a.node(), b.node()]);
            }
        }
        nodes.sort_unstable();
        self.depends[self.net.fluent(fluent).node()] = fluent;
        nodes.retain(|&node| {
            let (Gate::And(a, b) | Gate::Xor(a, b)) = gates.gate(node as usize) else { return false };
            let depends = self.depends[a.node()] == fluent || self.depends[b.node()] == fluent;
            if depends {
                self.depends[node as usize] = fluent;
            }
            depends
        });
        nodes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compiled, Limits};

    /// Two sides move a stone each to any other cell, and capture what stands there.
    const CAPTURE: &str =
        "(role w) (role b) (init (cell 1 w)) (init (cell 2 b)) (init (control w)) (init (step 1))
        (index 1) (index 2) (index 3) (index 4) (index 5) (index 6) (index 7)
        (after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6)
        (<= (legal ?p (move ?x ?y)) (true (control ?p)) (true (cell ?x ?p)) (index ?y) (distinct ?x ?y))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))
        (<= (next (control w)) (true (control b))) (<= (next (control b)) (true (control w)))
        (<= (next (step ?n)) (true (step ?m)) (after ?m ?n)) (<= terminal (true (step 6)))
        (<= (next (cell ?y ?piece)) (does ?p (move ?x ?y)) (true (cell ?x ?piece)))
        (<= moves-to ?y) (<= (touched ?x) (does ?p (move ?x ?y))) (<= (touched ?y) (does ?p (move ?x ?y)))
        (<= (next (cell ?x ?piece)) (true (cell ?x ?piece)) (not (touched ?x)))
        (<= (goal ?p 100) (role ?p) (true (cell 7 ?p))) (<= (goal ?p 0) (role ?p) (not (true (cell 7 ?p))))";

    fn exclude(text: &str, one: &str, other: &str) -> bool {
        // Few games, and too few steps for proofs by cases.
        let limits = Limits { sampling: 100_000, proving: 20_000, ..Limits::default() };
        let compiled = Compiled::new(text, limits).expect("it is right");
        let bit = |term: &str| {
            let fluent = compiled.fluent_of[term];
            compiled.kept.iter().position(|&it| it == fluent).expect("it changes")
        };
        has_bit(compiled.exclusions.row(bit(one)), bit(other))
    }

    #[test]
    fn what_no_move_brings_together_stays_apart() {
        let text = CAPTURE.replace("(<= moves-to ?y)", "");
        for cell in 1..=7 {
            assert!(exclude(&text, &format!("(cell {cell} w)"), &format!("(cell {cell} b)")), "{cell}");
        }
        assert!(exclude(&text, "(step 2)", "(step 5)"));
        // On one cell a stone stays that is moved to, which few games show.
        let text = CAPTURE.replace(
            "(<= moves-to ?y)",
            "(<= (next (cell 6 w)) (true (cell 6 w)) (does b (move 5 6)) (true (step 4)))",
        );
        assert!(!exclude(&text, "(cell 6 w)", "(cell 6 b)") && exclude(&text, "(step 2)", "(step 5)"));
    }
}
