//! The choices of a step, and how many moves may be legal at once.

use std::ops::Range;

use quintet_core::game::MAX_MOVES;

use crate::counts::{self, Count};
use crate::evidence::{Evidence, Proven};
use crate::lanes::Pool;
use crate::limits::{End, Late};
use crate::slots::Exclusive;

/// The choices of a step: one for all roles that move in turn, else one for each.
pub(crate) fn pools(proven: &Proven, moves_of: &[Range<usize>], end: &End) -> Result<Vec<Pool>, Late> {
    let exclusive = Exclusive { proven, denied: None, prover: None };
    let all: Vec<usize> = (0..moves_of.len()).collect();
    let groups: Vec<&[usize]> = if proven.is_in_turn { vec![&all] } else { all.chunks(1).collect() };
    let pool = |roles: &[usize]| {
        let moves = roles.iter().flat_map(|&role| moves_of[role].clone()).filter(|&it| !proven.only[it]);
        Ok(Pool { roles: roles.to_vec(), slots: exclusive.slots(moves, end)? })
    };
    groups.into_iter().map(pool).collect()
}

/// The most moves of a role that may be legal at once. Where there are too many slots, pieces are counted.
pub(crate) fn most_moves(
    evidence: &Evidence<'_>,
    proven: &Proven,
    pools: &[Pool],
) -> Result<(usize, Vec<Count>), Late> {
    let (mut most, mut counts) = (1, Vec::new());
    for pool in pools {
        for &role in &pool.roles {
            let is_own = |mv: &usize| evidence.moves_of[role].contains(mv);
            let mut own = pool.slots.iter().filter(|slot| slot.iter().any(is_own)).count();
            if own > MAX_MOVES
                && let Some((fewer, count)) = counts::most_moves(evidence, proven, role, &pool.slots)?
            {
                own = fewer;
                counts.push(count);
            }
            most = most.max(own);
        }
    }
    Ok((most, counts))
}
