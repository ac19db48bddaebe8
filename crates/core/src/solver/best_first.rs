//! The best move first, and then the others: how late positions are solved.

use crate::game::{Outcome, Side};
use crate::knowledge::{Solved, Wanted};

const LOSS: u8 = 0;
const WIN: u8 = 2;

/// The values of `moves` for `side`, which makes them, best first: that of the best move, and those of the others, if
/// they are wanted, as far as `value_of` tells them. `None` if it does not tell enough for the best.
///
/// `value_of` gives the half points of a move and the plies to the end where it knows them, or `None` once the effort is
/// spent. The half points must be exact if they are above its second argument or the plies are known; if not, they
/// are at most that. So most moves need only be shown to be no better than the best so far. Earlier moves are tried first.
pub fn solve_best_first<M: Copy>(
    side: Side,
    moves: &[M],
    wanted: Wanted,
    mut value_of: impl FnMut(M, u8) -> Option<(u8, Option<u32>)>,
) -> Option<Vec<Solved<M>>> {
    let mut known = Vec::with_capacity(moves.len());
    let mut others = Vec::new();
    let mut best = LOSS;
    for &mv in moves {
        if best == WIN {
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
    // Among equals, a win whose end is in sight comes first, and such a loss or draw last.
    known.sort_by_key(|&(_, points, plies)| {
        let by_plies = match plies {
            None => 0,
            Some(_) if points == WIN => -1,
            Some(_) => 1,
        };
        (WIN - points, by_plies)
    });
    let solved = |(mv, points, plies)| {
        let outcome = match points {
            LOSS => Outcome::Win(side.opponent()),
            WIN => Outcome::Win(side),
            _ => Outcome::Draw,
        };
        Solved { mv, outcome, plies }
    };
    Some(known.into_iter().map(solved).collect())
}
