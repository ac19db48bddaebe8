//! Solving a late position: the best move first, then the others.

use crate::game::{Outcome, Side};
use crate::knowledge::{Solved, Wanted};
use crate::order::ascending;

const LOSS: u8 = 0;
const WIN: u8 = 2;

/// Solves `moves` of `side` and returns their values, best first: the value of the best move and,
/// if [all](Wanted::All) are wanted, those of the others as far as `value_of` gives them. `None` if
/// it does not give enough for the best.
///
/// `value_of(mv, floor)` returns the half points of a move and, where known, the plies to the end;
/// `None` once the effort is spent. The half points must be exact if they are above `floor` or the
/// plies are known; otherwise they are an upper bound. So most moves need only be shown to be no
/// better than the best so far. Earlier moves are tried first. No move gets more than `most`, so once
/// one has that, the others don't matter for the best.
pub fn solve_best_first<M: Copy>(
    side: Side,
    moves: &[M],
    wanted: Wanted,
    most: u8,
    mut value_of: impl FnMut(M, u8) -> Option<(u8, Option<u32>)>,
) -> Option<Vec<Solved<M>>> {
    let mut known = Vec::with_capacity(moves.len());
    let mut others = Vec::new();
    let mut best = LOSS;
    for &mv in moves {
        if best == most && !known.is_empty() {
            others.push(mv);
            continue;
        }
        let (points, plies) = value_of(mv, best)?;
        if points > best || points == LOSS || plies.is_some() {
            best = best.max(points);
            known.push((mv, points, plies));
        } else {
            others.push(mv);
        }
    }
    if wanted == Wanted::All {
        for mv in others {
            let Some((points, plies)) = value_of(mv, LOSS) else { break };
            known.push((mv, points, plies));
        }
    }
    // Among equal points, a win with known plies comes first, a loss or draw with known plies last.
    let key = |&(_, points, plies): &(M, u8, Option<u32>)| {
        let by_plies = match plies {
            None => 1,
            Some(_) if points == WIN => 0,
            Some(_) => 2,
        };
        u64::from(WIN - points) << 2 | by_plies
    };
    let keys: Vec<u64> = known.iter().map(key).collect();
    let solved = |(mv, points, plies)| {
        let outcome = match points {
            LOSS => Outcome::Win(side.opponent()),
            WIN => Outcome::Win(side),
            _ => Outcome::Draw,
        };
        Solved { mv, outcome, plies }
    };
    Some(ascending(&keys).into_iter().map(|index| solved(known[index])).collect())
}
