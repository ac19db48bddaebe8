//! What the engine plays in Quarto.

use quintet_core::game::{Game, MoveList, Outcome, Rng, Side};
use quintet_core::search::{Budget, Search, SearchConfig};
use quintet_games::quarto::knowledge::QuartoKnowledge;
use quintet_games::{Ggp, Quarto, Ruleset, Spec};

fn after_all<R: Ruleset>(position: &Quarto<R>) -> impl Iterator<Item = Quarto<R>> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let position = *position;
    moves.into_iter().map(move |mv| position.play(mv).expect("legal"))
}

/// Whether the side to move can end the game with its turn, or must let the other side do so with the next,
/// as far as that depends on no more than one further choice.
fn wins_at_once<R: Ruleset>(position: &Quarto<R>) -> bool {
    let has_won = |position: &Quarto<R>| matches!(position.outcome(), Some(Outcome::Win(_)));
    let side = position.side_to_move();
    after_all(position).any(|next| {
        has_won(&next)
            || next.outcome().is_none()
                && next.side_to_move() == side
                && after_all(&next).any(|next| has_won(&next))
    })
}

/// Whether the side that has just moved to `position` has given a win away: the other side is to move and
/// wins at once, or all that is left to do in this turn lets it.
fn gives_a_win<R: Ruleset>(position: &Quarto<R>, mover: Side) -> bool {
    if position.outcome().is_some() {
        return false;
    }
    if position.side_to_move() == mover {
        !wins_at_once(position) && after_all(position).all(|next| gives_a_win(&next, mover))
    } else {
        wins_at_once(position)
    }
}

fn no_win_is_given_away<R: Ruleset>() {
    let mut search = Search::new(SearchConfig::default(), QuartoKnowledge::default()).expect("valid");
    let (mut checked, mut tempted) = (0, 0);
    for index in 0.. {
        let mut rng = Rng::stream(51, index);
        let mut position = Quarto::<R>::initial();
        while position.outcome().is_none() {
            let mover = position.side_to_move();
            let giving = after_all(&position).filter(|next| gives_a_win(next, mover)).count();
            let report = search.run(&position, Budget::iterations(40).expect("not 0")).expect("not over");
            let best = report.best().mv;
            let next = position.play(best).expect("legal");
            checked += 1;
            // Where all moves are proven to lose, none is better than another.
            let loss = Some(Outcome::Win(mover.opponent()));
            let is_lost = report.candidates.iter().all(|it| it.visits == 0 || it.proven == loss);
            if giving < position.move_count() && !is_lost {
                tempted += u32::from(giving > 0);
                assert!(!gives_a_win(&next, mover), "{position}: {best} gives a win away");
            }
            // Mostly on with another move, for positions that the engine would not come to.
            let mut safe: Vec<_> = after_all(&position).filter(|next| !gives_a_win(next, mover)).collect();
            if rng.below(20) == 0 || safe.is_empty() {
                safe = after_all(&position).collect();
            }
            position = safe[rng.below(safe.len())];
        }
        if checked >= 10_000 {
            break;
        }
    }
    assert!(tempted > 2_000, "only {tempted} of {checked} positions had a move that gives a win away");
}

#[test]
fn no_winning_piece_is_handed_over_while_a_safe_one_exists() {
    no_win_is_given_away::<Ggp>();
}

#[test]
fn no_winning_piece_is_left_in_the_pool_while_that_can_be_helped() {
    no_win_is_given_away::<Spec>();
}
