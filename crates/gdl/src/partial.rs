//! A network of which not all inputs are known, in lanes: what its nodes may be.

use std::ops::Range;

use crate::bits::bits;
use crate::gates::{Gate, Lit};
use crate::net::Net;
use crate::prover::Consequences;

/// What is known of the moves of a step.
#[derive(Clone, Copy)]
pub(crate) struct Step<'a> {
    pub(crate) net: &'a Net,
    pub(crate) moves_of: &'a [Range<usize>],
    /// What follows if a move is legal, and more fluents that are false then.
    pub(crate) legal: &'a [Consequences],
    pub(crate) denied: &'a [Vec<u64>],
    /// The gates of what is legal.
    pub(crate) legal_gates: &'a [u32],
}

/// For each node the lanes in which it may be false, and those in which it may be true.
pub(crate) struct Partial(Vec<[u64; 2]>);

impl Partial {
    /// One of these moves of a role is made in each lane, and the other roles make any that are allowed and may be legal
    /// besides. Returns also the lanes in which each of them has one.
    pub(crate) fn of_moves(
        step: &Step<'_>,
        made: &[usize],
        is_allowed: &dyn Fn(usize) -> bool,
    ) -> (Self, u64) {
        let net = step.net;
        let mut known = Self(vec![[u64::MAX; 2]; net.gates.len()]);
        known.0[0] = [u64::MAX, 0];
        for (lane, &mv) in made.iter().enumerate() {
            let legal = &step.legal[mv];
            let denied = legal.holds_not.iter().zip(&step.denied[mv]).map(|(a, b)| a | b);
            for fluent in bits(legal.holds.iter().copied()) {
                known.set(net.fluent(fluent), lane, true);
            }
            for fluent in bits(denied).filter(|it| *it < net.next.len()) {
                known.set(net.fluent(fluent), lane, false);
            }
        }
        known.compute(net, step.legal_gates);
        let possible = known.make_moves(net, step.moves_of, made, is_allowed);
        (known, possible)
    }

    /// Says what an input is in a lane.
    fn set(&mut self, input: Lit, lane: usize, value: bool) {
        self.0[input.node()][usize::from(!value)] &= !(1 << lane);
    }

    /// The lanes in which this may be true.
    pub(crate) fn may_be_true(&self, lit: Lit) -> u64 {
        self.of(lit)[1]
    }

    fn of(&self, lit: Lit) -> [u64; 2] {
        let [is_false, is_true] = self.0[lit.node()];
        if lit.is_complement() { [is_true, is_false] } else { [is_false, is_true] }
    }

    /// Finds what these gates may be, which come after what they depend on.
    pub(crate) fn compute(&mut self, net: &Net, gates: &[u32]) {
        for &node in gates {
            self.0[node as usize] = match net.gates.gate(node as usize) {
                Gate::And(a, b) => {
                    let ([a0, a1], [b0, b1]) = (self.of(a), self.of(b));
                    [a0 | b0, a1 & b1]
                }
                Gate::Xor(a, b) => {
                    let ([a0, a1], [b0, b1]) = (self.of(a), self.of(b));
                    [a0 & b0 | a1 & b1, a0 & b1 | a1 & b0]
                }
                Gate::False | Gate::Input => continue,
            };
        }
    }

    /// Lets a role make the moves `made`, one in each lane, and the others any that are allowed and, as far as is computed,
    /// may be legal.
    fn make_moves(
        &mut self,
        net: &Net,
        moves_of: &[Range<usize>],
        made: &[usize],
        is_allowed: &dyn Fn(usize) -> bool,
    ) -> u64 {
        let mut possible = u64::MAX;
        for moves in moves_of {
            let is_acting = made.first().is_some_and(|it| moves.contains(it));
            let may_be_made = |mv: usize| {
                if is_acting {
                    made.iter().position(|&it| it == mv).map_or(0, |lane| 1 << lane)
                } else if is_allowed(mv) {
                    self.of(net.legal[mv])[1]
                } else {
                    0
                }
            };
            let may_be_made: Vec<u64> = moves.clone().map(may_be_made).collect();
            // The lanes in which one of the moves may be made, and in which several may be.
            let count = |(one, several), &it: &u64| (one | it, several | one & it);
            let (one, several) = may_be_made.iter().fold((0, 0), count);
            for (mv, may_be_made) in moves.clone().zip(may_be_made) {
                self.0[net.done(mv).node()] = [!may_be_made | several, may_be_made];
            }
            possible &= one;
        }
        possible
    }

    /// The lanes in which one of these fluents may be true next, which these gates tell.
    pub(crate) fn may_be_true_next(&mut self, net: &Net, gates: &[u32], fluents: &[usize]) -> u64 {
        self.compute(net, gates);
        fluents.iter().map(|&it| self.may_be_true(net.next[it])).fold(0, |all, it| all | it)
    }

    /// The same if all of them are false now. What was known before stays.
    pub(crate) fn may_become_true(&mut self, net: &Net, gates: &[u32], fluents: &[usize]) -> u64 {
        let inputs = fluents.iter().map(|&it| net.fluent(it).node());
        let nodes: Vec<usize> = inputs.clone().chain(gates.iter().map(|&it| it as usize)).collect();
        let before: Vec<[u64; 2]> = nodes.iter().map(|&it| self.0[it]).collect();
        inputs.for_each(|it| self.0[it] = [u64::MAX, 0]);
        let found = self.may_be_true_next(net, gates, fluents);
        for (&node, before) in nodes.iter().zip(before) {
            self.0[node] = before;
        }
        found
    }
}

/// The gates that these depend on, in order.
pub(crate) fn gates_of(net: &Net, lits: impl IntoIterator<Item = Lit>) -> Vec<u32> {
    let cone = net.gates.cone(lits);
    let is_gate = |it: &usize| cone[*it] && matches!(net.gates.gate(*it), Gate::And(..) | Gate::Xor(..));
    (0..cone.len()).filter(is_gate).map(|it| it as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gates::Gates;

    #[test]
    fn what_is_not_known_may_be_both() {
        // A fluent, two moves of a role, the first of which needs the fluent, and the two of another role.
        let mut gates = Gates::new(5);
        let [fluent, one, two, three] = [0, 1, 2, 3].map(|it| gates.input(it));
        let both = gates.and(one, three);
        let odd = gates.xor(fluent, two);
        let net = Net {
            next: vec![gates.or(both, odd)],
            gates,
            legal: vec![fluent, Lit::TRUE, !fluent, Lit::TRUE],
            terminal: Lit::FALSE,
            goals: vec![],
        };
        let known = |holds, holds_not| Consequences {
            holds: vec![holds],
            holds_not: vec![holds_not],
            is_impossible: false,
        };
        let legal = [known(1, 0), known(0, 0), known(0, 1), known(0, 0)];
        let denied = vec![vec![0]; 4];
        let (moves_of, legal_gates) = ([0..2, 2..4], gates_of(&net, net.legal.iter().copied()));
        let step = Step {
            net: &net,
            moves_of: &moves_of,
            legal: &legal,
            denied: &denied,
            legal_gates: &legal_gates,
        };
        let (mut known, possible) = Partial::of_moves(&step, &[0, 1], &|_| true);
        let next = gates_of(&net, net.next.iter().copied());
        assert_eq!(possible, 0b11);
        assert_eq!(known.may_be_true_next(&net, &next, &[0]) & 0b11, 0b11);
        // With the first move the fluent holds, and so the third one can't be made.
        assert_eq!([known.may_be_true(three), known.may_be_true(both)].map(|it| it & 0b11), [0b10, 0]);
        assert_eq!(known.may_become_true(&net, &next, &[0]) & 0b11, 0b10);
        assert_eq!(known.of(fluent).map(|it| it & 0b11), [0b10, 0b11], "it is as it was before");
        // A move that is not allowed.
        let (_, possible) = Partial::of_moves(&step, &[0, 1], &|mv| mv == 2);
        assert_eq!(possible & 0b11, 0b10);
    }
}
