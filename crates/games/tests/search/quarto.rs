//! What the engine plays in Quarto, by its knowledge.

use quintet_core::game::{Game, Outcome, Rng, Side};
use quintet_core::search::SearchConfig;
use quintet_core::session::EngineConfig;
use quintet_games::{Ggp, Quarto, Ruleset, Spec};

use crate::catalog::{GameId, Rules};
use crate::player::Player;

/// The positions after all legal moves.
fn after_all<R: Ruleset>(position: &Quarto<R>) -> impl Iterator<Item = Quarto<R>> {
    let position = *position;
    position.move_list().into_iter().map(move |mv| position.after(mv))
}

/// Whether the side to move can win in this turn with at most two moves.
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

/// Whether the side that has just moved to `position` has given a win away: the other side is to
/// move and wins at once, or every further move of this turn lets it.
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

fn no_win_is_given_away<R: Ruleset>(rules: Rules) {
    let engine = EngineConfig::Quintet(SearchConfig::default());
    let mut player = Player::new(GameId::Quarto, rules, &engine);
    let (mut checked, mut tempted) = (0, 0);
    for index in 0.. {
        let mut rng = Rng::stream(51, index);
        let mut position = Quarto::<R>::initial();
        while position.outcome().is_none() {
            let mover = position.side_to_move();
            let giving = after_all(&position).filter(|next| gives_a_win(next, mover)).count();
            player.go_to(&position.to_string());
            let report = player.iterate(40);
            let best = &report.best().mv;
            let next = position.after(position.parse_move(best).expect("legal"));
            checked += 1;
            // If all moves are proven losses, none is better than another.
            let loss = Some(Outcome::Win(mover.opponent()));
            let is_lost = report.candidates.iter().all(|it| it.visits == 0 || it.proven == loss);
            if giving < position.move_count() && !is_lost {
                tempted += u32::from(giving > 0);
                assert!(!gives_a_win(&next, mover), "{position}: {best} gives a win away");
            }
            // Usually continues with a different safe move, to reach positions that the engine
            // would avoid.
            let mut safe: Vec<_> = after_all(&position).filter(|next| !gives_a_win(next, mover)).collect();
            if rng.below(20) == 0 || safe.is_empty() {
                safe = after_all(&position).collect();
            }
            position = safe[rng.below(safe.len())];
        }
        if checked >= 4_000 {
            break;
        }
    }
    assert!(tempted > 600, "only {tempted} of {checked} positions had a move that gives a win away");
}

#[test]
fn no_winning_piece_is_handed_over_while_a_safe_one_exists() {
    no_win_is_given_away::<Ggp>(Rules::Ggp);
}

#[test]
fn no_winning_piece_is_left_in_the_pool_while_that_can_be_helped() {
    no_win_is_given_away::<Spec>(Rules::Spec);
}
