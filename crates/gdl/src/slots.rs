//! Moves that exclude each other share a slot: of each slot one is legal at most.

use std::cell::RefCell;

use crate::bits::meet;
use crate::evidence::Proven;
use crate::limits::{End, Late};
use crate::prover::Prover;

/// The effort of a proof by cases that two moves exclude each other.
const EFFORT: usize = 500;

/// Tells which moves exclude each other.
pub(crate) struct Exclusive<'a> {
    pub(crate) proven: &'a Proven,
    /// What else can't be true if a move is legal, if that is known.
    pub(crate) denied: Option<&'a [Vec<u64>]>,
    /// What proves by cases that moves exclude each other, if that is to be tried.
    pub(crate) prover: Option<RefCell<Prover<'a>>>,
}

impl Exclusive<'_> {
    fn denies(&self, a: usize, b: usize) -> bool {
        self.denied.is_some_and(|it| meet(&it[a], &self.proven.legal[b].holds))
    }

    fn exclude(&self, a: usize, b: usize) -> bool {
        let legal = &self.proven.legal;
        legal[a].exclude(&legal[b])
            || self.denies(a, b)
            || self.denies(b, a)
            || self.prover.as_ref().is_some_and(|prover| {
                let mut prover = prover.borrow_mut();
                let legal = [a, b].map(|it| prover.net.legal[it]);
                prover.left > 0 && prover.is_impossible(&legal, EFFORT)
            })
    }

    /// Puts moves into slots.
    pub(crate) fn slots(
        &self,
        moves: impl Iterator<Item = usize>,
        end: &End,
    ) -> Result<Vec<Vec<usize>>, Late> {
        let mut slots: Vec<Vec<usize>> = Vec::new();
        for mv in moves.filter(|&it| !self.proven.legal[it].is_impossible) {
            end.look()?;
            match slots.iter_mut().find(|slot| slot.iter().all(|&other| self.exclude(mv, other))) {
                Some(slot) => slot.push(mv),
                None => slots.push(vec![mv]),
            }
        }
        Ok(slots)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::gates::{Gates, Lit};
    use crate::net::Net;
    use crate::prover::{Consequences, Exclusions};

    #[test]
    fn moves_that_need_different_pieces_on_a_cell_share_a_slot() {
        // On one cell a rook or a knight, of white or of black. White moves a knight, or a rook.
        let mut gates = Gates::new(6);
        let [rook, knight, black_rook, black_knight] = [0, 1, 2, 3].map(|it| gates.input(it));
        let any = |gates: &mut Gates, lits: &[Lit]| gates.any(lits.to_vec());
        let (white, knights) = (any(&mut gates, &[rook, knight]), any(&mut gates, &[knight, black_knight]));
        let rooks = any(&mut gates, &[rook, black_rook]);
        let legal = vec![gates.and(white, knights), gates.and(white, rooks)];
        let next = vec![rook, knight, black_rook, black_knight];
        let net = Net { gates, next, legal, terminal: Lit::FALSE, goals: vec![] };
        let mut exclusions = Exclusions::new(4);
        for (one, other) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            exclusions.set(one, other, true);
        }
        let unknown = Consequences { holds: vec![0], holds_not: vec![0], is_impossible: false };
        let proven = Proven {
            is_in_turn: true,
            shares_100: None,
            max_steps: None,
            counter: vec![],
            only: vec![false; 2],
            legal: vec![unknown; 2],
            exclusions: exclusions.clone(),
        };
        let end = End::after(Duration::MAX / 4);
        let slots = |steps: Option<u64>| {
            let prover = steps.map(|steps| {
                let mut prover = Prover::new(&net, &[0, 0], 1, steps, &end);
                prover.exclusions = exclusions.clone();
                RefCell::new(prover)
            });
            Exclusive { proven: &proven, denied: None, prover }.slots(0..2, &end).map(|it| it.len())
        };
        assert_eq!([slots(None), slots(Some(0)), slots(Some(1_000))], [Ok(2), Ok(2), Ok(1)]);
    }
}
