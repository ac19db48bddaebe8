//! What is known of a game before a proof is begun, and what is proven of it.

use std::ops::Range;

use crate::gates::Lit;
use crate::goals::Ends;
use crate::limits::End;
use crate::net::Net;
use crate::prover::{Consequences, Exclusions, Prover};
use crate::samples::Samples;

/// The effort of one of many proofs.
pub(crate) const SMALL_EFFORT: usize = 20_000;

/// What is proven of a game.
#[derive(Debug)]
pub(crate) struct Proven {
    /// Whether at most one role has a choice at a time.
    pub(crate) is_in_turn: bool,
    /// At which ends the goals of the first two roles add up to 100.
    pub(crate) shares_100: Option<Ends>,
    /// The most steps of a game; `None` if it may have more, or come back to a position.
    pub(crate) max_steps: Option<usize>,
    /// The fluents of the counter that proves the most steps, of which one is always true; none if there is none.
    pub(crate) counter: Vec<usize>,
    /// The moves that are the only one of their role wherever they are legal.
    pub(crate) only: Vec<bool>,
    /// What follows if a move is legal.
    pub(crate) legal: Vec<Consequences>,
    pub(crate) exclusions: Exclusions,
}

/// What is known before a proof is begun.
pub(crate) struct Evidence<'a> {
    pub(crate) net: &'a Net,
    pub(crate) moves_of: &'a [Range<usize>],
    pub(crate) samples: &'a Samples,
    /// The terms of the fluents, as lists of symbols.
    pub(crate) fluents: &'a [Vec<&'a str>],
    pub(crate) end: &'a End,
}

/// Whether these are never true together while the game goes on.
pub(crate) fn never(prover: &mut Prover<'_>, mut lits: Vec<Lit>, effort: usize) -> bool {
    if prover.is_impossible(&lits, effort) {
        return true;
    }
    // The end is looked at last: it is rarely needed, and may have many cases.
    lits.insert(0, !prover.net.terminal);
    prover.is_impossible(&lits, effort)
}
