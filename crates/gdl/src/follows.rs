//! What follows from something in a network, whatever the case: of `or`, what follows from both parts.

use crate::bits::set_bit;
use crate::gates::{Gate, Lit};
use crate::net::Net;
use crate::prover::Exclusions;

/// The most words for what follows from the nodes of a network.
const MAX_WORDS: usize = 7 << 20;

/// An input of a network.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Input {
    /// Of a fluent, what it is.
    Fluent(usize, bool),
    /// A move is made.
    Move(usize),
}

/// What follows if each of `lits` is true, of `count` things of which `of_input` tells which follow from an input. `None` if
/// the network is too large.
pub(crate) fn following(
    net: &Net,
    lits: &[Lit],
    count: usize,
    of_input: impl Fn(Input, &mut [u64]),
) -> Option<Vec<Vec<u64>>> {
    let words = count.div_ceil(64);
    if net.gates.len() * 2 * words > MAX_WORDS {
        return None;
    }
    let mut found = vec![0_u64; net.gates.len() * 2 * words];
    let range = |lit: Lit| {
        let start = (2 * lit.node() + usize::from(lit.is_complement())) * words;
        start..start + words
    };
    for fluent in 0..net.next.len() {
        for is_true in [false, true] {
            let lit = net.fluent(fluent).xor(!is_true);
            of_input(Input::Fluent(fluent, is_true), &mut found[range(lit)]);
        }
    }
    for mv in 0..net.legal.len() {
        of_input(Input::Move(mv), &mut found[range(net.done(mv))]);
    }
    // From what is never true all follows.
    found[range(Lit::FALSE)].fill(u64::MAX);
    for node in 0..net.gates.len() {
        let Gate::And(a, b) = net.gates.gate(node) else { continue };
        let own = Lit::of(node);
        for word in 0..words {
            let of = |lit: Lit| found[range(lit).start + word];
            let (both, either) = (of(a) | of(b), of(!a) & of(!b));
            found[range(own).start + word] = both;
            found[range(!own).start + word] = either;
        }
    }
    Some(lits.iter().map(|&it| found[range(it)].to_vec()).collect())
}

/// The fluents that are false because of an input.
pub(crate) fn denied_by(exclusions: &Exclusions, input: Input, found: &mut [u64]) {
    match input {
        Input::Fluent(fluent, true) => found.copy_from_slice(exclusions.row(fluent)),
        Input::Fluent(fluent, false) => set_bit(found, fluent),
        Input::Move(_) => {}
    }
}

/// For each move the fluents that are false where it is legal.
pub(crate) fn denied_fluents(net: &Net, exclusions: &Exclusions) -> Option<Vec<Vec<u64>>> {
    following(net, &net.legal, net.next.len(), |input, found| denied_by(exclusions, input, found))
}
