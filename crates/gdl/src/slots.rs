//! Moves that exclude each other share a slot: of each slot one is legal at most.

use crate::bits::meet;
use crate::evidence::Proven;
use crate::limits::{End, Late};

/// Tells which moves exclude each other.
pub(crate) struct Exclusive<'a> {
    pub(crate) proven: &'a Proven,
    /// What else can't be true if a move is legal, if that is known.
    pub(crate) denied: Option<&'a [Vec<u64>]>,
}

impl Exclusive<'_> {
    fn denies(&self, a: usize, b: usize) -> bool {
        self.denied.is_some_and(|it| meet(&it[a], &self.proven.legal[b].holds))
    }

    fn exclude(&self, a: usize, b: usize) -> bool {
        let legal = &self.proven.legal;
        legal[a].exclude(&legal[b]) || self.denies(a, b) || self.denies(b, a)
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
