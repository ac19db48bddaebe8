//! Moves that win by threats.

use quintet_core::game::{Game, Outcome};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, Solved};

use super::PentagoKnowledge;
use super::vct::{VCT_MEMORY, VctSearch};
use crate::pentago::Move;
use crate::{Pentago, Ruleset};

/// A search for a VCT may take the effort divided by this: positions, and the time by halving it three times.
const VCT_DIVISOR: u64 = 8;

/// A move that wins by a VCT, but not at once. A search with a part of the effort finds those that the
/// tree takes long to find.
pub(super) fn by_threats<R: Ruleset>(position: &Pentago<R>, effort: Effort) -> Option<Vec<Solved<Move>>> {
    if !R::IS_GGP || position.outcome().is_some() {
        return None;
    }
    let side = position.side_to_move();
    let eighth = effort.in_half_the_time().in_half_the_time().in_half_the_time();
    let effort = Effort { positions: effort.positions / VCT_DIVISOR, ..eighth };
    let mut search = VctSearch::new(VCT_MEMORY);
    let mv = if Pentago::<R>::phase(position.ply).1 {
        let mut rotations = Candidates::new();
        PentagoKnowledge.candidates(position, &mut rotations);
        rotations.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut left = effort.positions;
        let is_win = |&(mv, _): &(Move, f32)| {
            let after = position.after(mv);
            let before = search.wins.of(side).positions();
            let half = Effort { positions: left.min(effort.positions / 2), ..effort.in_half_the_time() };
            let is_win = search.wins.proves_win(&after, side, half);
            left = left.saturating_sub(search.wins.of(side).positions() - before);
            is_win
        };
        rotations.iter().copied().find(is_win)?.0
    } else if search.wins.proves_win(position, side, effort) {
        search.first(position)?
    } else {
        return None;
    };
    Some(vec![Solved { mv, outcome: Outcome::Win(side), plies: None }])
}

#[cfg(test)]
mod tests {
    use quintet_core::game::Rng;
    use quintet_core::knowledge::SolveScope;

    use super::super::exact::exactly;
    use super::*;
    use crate::Ggp;

    #[test]
    fn wins_by_threats_are_wins() {
        let mut moves = 0;
        for seed in 0..100 {
            let mut rng = Rng::stream(30, seed);
            let mut position = Pentago::<Ggp>::initial();
            while position.outcome().is_none() {
                position.apply(position.random_move(&mut rng));
                if position.ply < 46 || PentagoKnowledge.prove(&position).is_some() {
                    continue;
                }
                let Some(solved) = by_threats(&position, Effort::positions(50_000)) else { continue };
                let side = position.side_to_move();
                let after = position.after(solved[0].mv);
                assert_eq!(solved[0].outcome, Outcome::Win(side));
                let exact = after
                    .outcome()
                    .or_else(|| Some(exactly(&after, SolveScope::Best, Effort::UNLIMITED)?[0].outcome));
                assert_eq!(exact, Some(Outcome::Win(side)), "{position} {:?}", solved[0].mv);
                moves += 1;
            }
        }
        assert!(moves > 20, "{moves}");
    }

    #[test]
    fn a_long_vct_is_found_and_played_to_the_end() {
        let start: Pentago<Ggp> = "6/3b2/3brr/1brrr1/b2r2/r2bbb r place".parse().expect("a position");
        let side = start.side_to_move();
        for seed in 0..5 {
            let mut rng = Rng::stream(31, seed);
            let mut position = start;
            let mut plies = 0;
            while position.outcome().is_none() {
                let mv = if position.side_to_move() == side {
                    let moves = position.move_list();
                    // What wins at once is not searched for.
                    let wins = |mv: &Move| {
                        position.play(*mv).ok().and_then(|it| PentagoKnowledge.prove(&it).or(it.outcome()))
                            == Some(Outcome::Win(side))
                    };
                    let solved =
                        PentagoKnowledge.solve(&position, SolveScope::Best, Effort::positions(1 << 20));
                    solved.map(|moves| moves[0].mv).or_else(|| moves.into_iter().find(wins)).expect("a win")
                } else {
                    position.random_move(&mut rng)
                };
                position.apply(mv);
                plies += 1;
            }
            assert_eq!(position.outcome(), Some(Outcome::Win(side)), "{plies}");
        }
    }
}
