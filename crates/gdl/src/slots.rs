//! Moves that exclude each other share a slot: of each slot one is legal at most.

use std::ops::Range;

use quintet_core::game::MAX_MOVES;

use crate::bits::meet;
use crate::counts::{self, Count};
use crate::lanes::Pool;
use crate::proofs::{Evidence, Proven};

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
    pub(crate) fn slots(&self, moves: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
        let mut slots: Vec<Vec<usize>> = Vec::new();
        for mv in moves.filter(|&it| !self.proven.legal[it].is_impossible) {
            match slots.iter_mut().find(|slot| slot.iter().all(|&other| self.exclude(mv, other))) {
                Some(slot) => slot.push(mv),
                None => slots.push(vec![mv]),
            }
        }
        slots
    }
}

/// The choices of a step: one for all roles that move in turn, else one for each.
pub(crate) fn pools(proven: &Proven, moves_of: &[Range<usize>]) -> Vec<Pool> {
    let exclusive = Exclusive { proven, denied: None };
    let all: Vec<usize> = (0..moves_of.len()).collect();
    let groups: Vec<&[usize]> = if proven.is_in_turn { vec![&all] } else { all.chunks(1).collect() };
    let pool = |roles: &[usize]| {
        let moves = roles.iter().flat_map(|&role| moves_of[role].clone()).filter(|&it| !proven.only[it]);
        Pool { roles: roles.to_vec(), slots: exclusive.slots(moves) }
    };
    groups.into_iter().map(pool).collect()
}

/// The most moves of a role that may be legal at once. Where there are too many slots, pieces are counted.
pub(crate) fn most_moves(evidence: &Evidence<'_>, proven: &Proven, pools: &[Pool]) -> (usize, Vec<Count>) {
    let (mut most, mut counts) = (1, Vec::new());
    for pool in pools {
        for &role in &pool.roles {
            let is_own = |mv: &usize| evidence.moves_of[role].contains(mv);
            let mut own = pool.slots.iter().filter(|slot| slot.iter().any(is_own)).count();
            if own > MAX_MOVES
                && let Some((fewer, count)) = counts::most_moves(evidence, proven, role, &pool.slots)
            {
                own = fewer;
                counts.push(count);
            }
            most = most.max(own);
        }
    }
    (most, counts)
}
