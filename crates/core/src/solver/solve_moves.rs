//! Solving a late position: the best move first, then the others.

use crate::game::{MAX_SCORE, Outcome, Side};
use crate::knowledge::{SolveScope, Solved};
use crate::order::ascending;

const LOSS: u8 = 0;
const WIN: u8 = MAX_SCORE;

/// Solves `moves` of `side` and returns their values, best first: the value of the best move and,
/// if [all](SolveScope::All) are wanted, those of the others as far as `value_of` gives them. `None` if
/// it does not give enough for the best.
///
/// `value_of(mv, floor)` returns the score of `side` after a move, 0 to 100, and, where known, the plies to the
/// end; `None` once the effort is spent. The score must be exact if it is above `floor` or the plies are
/// known; otherwise it is an upper bound. So most moves need only be shown to be no
/// better than the best so far. Earlier moves are tried first. No move gets more than `most`, so once
/// one has that, the others don't matter for the best.
pub fn solve_moves<M: Copy>(
    side: Side,
    moves: &[M],
    wanted: SolveScope,
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
        let (score, plies) = value_of(mv, best)?;
        if score > best || score == LOSS || plies.is_some() {
            best = best.max(score);
            known.push((mv, score, plies));
        } else {
            others.push(mv);
        }
    }
    if wanted == SolveScope::All {
        for mv in others {
            let Some((score, plies)) = value_of(mv, LOSS) else { break };
            known.push((mv, score, plies));
        }
    }
    // Among equal scores, a win with known plies comes first, a loss or draw with known plies last.
    let key = |&(_, score, plies): &(M, u8, Option<u32>)| {
        let by_plies = match plies {
            None => 1,
            Some(_) if score == WIN => 0,
            Some(_) => 2,
        };
        u64::from(WIN - score) << 2 | by_plies
    };
    let keys: Vec<u64> = known.iter().map(key).collect();
    let solved = |(mv, score, plies)| Solved { mv, outcome: Outcome::of_score(side, score), plies };
    Some(ascending(&keys).into_iter().map(|index| solved(known[index])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = Vec<(u8, u8, Option<u32>)>;

    /// The moves with their half points and plies, best first, and what was asked: a move and the floor. A
    /// move is worth 50 times what `points` say by its number, and an end after it is known if that is above 10.
    fn solve(points: &[u8], wanted: SolveScope, most: u8, answers: usize) -> (Option<Found>, Vec<(u8, u8)>) {
        let moves: Vec<u8> = (0..points.len() as u8).collect();
        let mut asked = Vec::new();
        let solved = solve_moves(Side::Second, &moves, wanted, 50 * most, |mv, floor| {
            asked.push((mv, floor / 50));
            let points = points[usize::from(mv)];
            (asked.len() <= answers).then_some((50 * (points % 10), (points >= 10).then_some(1)))
        });
        let found = |it: &Solved<u8>| (it.mv, it.outcome.score(Side::Second) / 50, it.plies);
        (solved.map(|it| it.iter().map(found).collect()), asked)
    }

    #[test]
    fn later_moves_are_only_compared_with_the_best() {
        let (found, asked) = solve(&[0, 1, 1, 2], SolveScope::Best, 2, 9);
        // Whether move 2 is a draw or a loss is not known.
        assert_eq!(found, Some(vec![(3, 2, None), (1, 1, None), (0, 0, None)]));
        assert_eq!(asked, [(0, 0), (1, 0), (2, 1), (3, 1)]);
        let (found, asked) = solve(&[0, 1, 1, 2], SolveScope::All, 2, 9);
        assert_eq!(found, Some(vec![(3, 2, None), (1, 1, None), (2, 1, None), (0, 0, None)]));
        assert_eq!(asked[4..], [(2, 0)]);
    }

    #[test]
    fn moves_after_one_that_can_not_be_beaten_do_not_matter_for_the_best() {
        let (found, asked) = solve(&[2, 2, 0], SolveScope::Best, 2, 9);
        assert_eq!((found, asked.len()), (Some(vec![(0, 2, None)]), 1));
        let (found, asked) = solve(&[1, 0, 1], SolveScope::All, 1, 9);
        assert_eq!(found, Some(vec![(0, 1, None), (2, 1, None), (1, 0, None)]));
        assert_eq!(asked, [(0, 0), (1, 0), (2, 0)]);
        // Where nothing but a loss is possible, the first move is asked about all the same.
        let (found, asked) = solve(&[0, 0], SolveScope::Best, 0, 9);
        assert_eq!((found, asked.len()), (Some(vec![(0, 0, None)]), 1));
    }

    #[test]
    fn if_the_effort_is_spent_the_best_may_be_unknown() {
        assert_eq!(solve(&[0, 1, 2], SolveScope::All, 2, 2).0, None);
        assert_eq!(solve(&[2, 1, 0], SolveScope::All, 2, 2).0, Some(vec![(0, 2, None), (1, 1, None)]));
    }

    #[test]
    fn quick_wins_come_first_and_known_ends_of_others_last() {
        let found = solve(&[10, 0, 11, 1, 2, 12], SolveScope::All, 3, 99).0.expect("enough effort");
        assert_eq!(found.iter().map(|it| it.0).collect::<Vec<_>>(), [5, 4, 3, 2, 1, 0]);
    }
}
