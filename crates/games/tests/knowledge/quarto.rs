//! Knowledge of Quarto against full search.

use quintet_core::game::{Game, Outcome, Rng, Side};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, SolveScope};
use quintet_games::quarto::Move;
use quintet_games::quarto::knowledge::{QuartoKnowledge, solve};
use quintet_games::{Ggp, Quarto, Ruleset, Spec};

use crate::samples::after_all;
use crate::samples::quarto::positions;

const WITHOUT_LIMIT: Effort = Effort { positions: u64::MAX, deadline: None, stop: None };

/// The value for the first side in score, by the rules of the game alone.
fn minimax<R: Ruleset>(position: &Quarto<R>) -> u8 {
    if let Some(outcome) = position.outcome() {
        return outcome.score(Side::First);
    }
    let is_first = position.side_to_move() == Side::First;
    let (mut best, most) = if is_first { (0, 100) } else { (100, 0) };
    for next in after_all(position) {
        let value = minimax(&next);
        best = if is_first { best.max(value) } else { best.min(value) };
        if best == most {
            break;
        }
    }
    best
}

fn solver_agrees_with_minimax<R: Ruleset>() {
    let mut counts = [0; 3];
    for position in positions::<R>(11..=15, 150) {
        let moves = solve(&position, SolveScope::All, WITHOUT_LIMIT).expect("no limit");
        assert_eq!(moves.len(), position.move_count());
        let mut last = 100;
        for solved in moves {
            let next = position.play(solved.mv).expect("legal");
            let value = solved.outcome.score(Side::First);
            assert_eq!(value, minimax(&next), "{position} {}", solved.mv);
            let value = solved.outcome.score(position.side_to_move());
            assert!(value <= last, "{position}: not best first");
            last = value;
            counts[usize::from(value / 50)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 20), "{counts:?}");
}

#[test]
fn the_solver_agrees_with_minimax() {
    solver_agrees_with_minimax::<Spec>();
    solver_agrees_with_minimax::<Ggp>();
}

/// If the effort is enough for the best move only, or only that is wanted, no move is worth
/// more than the listed best, and the listed moves have the same values as among all moves.
fn the_best_move_is_known_first<R: Ruleset>() {
    let mut counts = [0; 3];
    for position in positions::<R>(7..=9, 150) {
        let all = solve(&position, SolveScope::All, WITHOUT_LIMIT).expect("no limit");
        let few = Effort { positions: 300, ..WITHOUT_LIMIT };
        let attempts = [
            solve(&position, SolveScope::Best, WITHOUT_LIMIT),
            solve(&position, SolveScope::Best, few),
            solve(&position, SolveScope::All, few),
        ];
        assert!(attempts[0].is_some());
        assert_eq!(attempts[1].is_some(), attempts[2].is_some());
        for (moves, count) in attempts.into_iter().zip(&mut counts) {
            let Some(moves) = moves else { continue };
            assert_eq!((moves[0].outcome, moves[0].plies), (all[0].outcome, all[0].plies), "{position}");
            for mv in &moves {
                assert!(all.contains(mv), "{position}: {}", mv.mv);
            }
            *count += usize::from(moves.len() < all.len());
        }
    }
    assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
}

#[test]
fn the_best_move_is_known_first_in_both() {
    the_best_move_is_known_first::<Spec>();
    the_best_move_is_known_first::<Ggp>();
}

#[test]
fn the_first_player_of_spec_loses() {
    let start = Quarto::<Spec>::initial();
    let moves = solve(&start, SolveScope::All, Effort { positions: 50_000_000, deadline: None, stop: None })
        .expect("enough");
    assert_eq!(moves.len(), 16);
    assert!(moves.iter().all(|solved| solved.outcome == Outcome::Win(Side::Second)));
}

fn proofs_are_right_and_pruning_is_sound<R: Ruleset>() {
    let knowledge = QuartoKnowledge::default();
    let (mut proven, mut left_out) = (0, 0);
    for position in positions::<R>(8..=15, 1_500) {
        let moves = solve(&position, SolveScope::All, WITHOUT_LIMIT).expect("no limit");
        let value = moves[0].outcome;
        if let Some(outcome) = knowledge.prove(&position) {
            assert_eq!(outcome, value, "{position}");
            proven += 1;
        }
        let mut kept = Candidates::new();
        knowledge.candidates(&position, &mut kept);
        assert!(kept.iter().all(|(_, weight)| *weight > 0.0));
        let outcome_of = |mv: Move| moves.iter().find(|solved| solved.mv == mv).expect("legal").outcome;
        assert!(kept.iter().any(|(mv, _)| outcome_of(*mv) == value), "{position}");
        left_out += moves.len() - kept.len();
    }
    assert!(proven > 500 && left_out > 500, "{proven} {left_out}");
}

#[test]
fn proofs_are_right_and_pruning_is_sound_in_spec() {
    proofs_are_right_and_pruning_is_sound::<Spec>();
}

#[test]
fn proofs_are_right_and_pruning_is_sound_in_ggp() {
    proofs_are_right_and_pruning_is_sound::<Ggp>();
}

/// The positions at which the turn of the side to move can end.
fn turn_ends<R: Ruleset>(position: &Quarto<R>) -> Vec<Quarto<R>> {
    let side = position.side_to_move();
    let mut ends = Vec::new();
    for next in after_all(position) {
        if next.outcome().is_none() && next.side_to_move() == side {
            ends.extend(turn_ends(&next));
        } else {
            ends.push(next);
        }
    }
    ends
}

/// The possible results of play that takes wins and gives none away if possible: a bit for each of loss, draw
/// and win of the first side.
fn sensible_results<R: Ruleset>(position: &Quarto<R>) -> u8 {
    let bit = |outcome: Outcome| 1 << (outcome.score(Side::First) / 50);
    let side = position.side_to_move();
    let ends = turn_ends(position);
    let has_won = |end: &Quarto<R>| matches!(end.outcome(), Some(Outcome::Win(_)));
    if ends.iter().any(has_won) {
        return bit(Outcome::Win(side));
    }
    let safe = ends.iter().filter(|end| end.outcome().is_some() || !turn_ends(end).iter().any(has_won));
    let results = safe.fold(0, |all, end| all | end.outcome().map_or_else(|| sensible_results(end), bit));
    if results == 0 { bit(Outcome::Win(side.opponent())) } else { results }
}

fn rollouts_are_sensible<R: Ruleset>() {
    let (mut wanted, mut seen) = (0, 0);
    for position in positions::<R>(12..=15, 400) {
        let mut rng = Rng::stream(43, 0);
        let results = (0..200).fold(0, |all, _| {
            let value = QuartoKnowledge::default().evaluate(&position, &mut rng);
            all | 1_u8 << (value.score(Side::First) / 50.0) as u8
        });
        let sensible = sensible_results(&position);
        assert_eq!(results & !sensible, 0, "{position}");
        wanted += sensible.count_ones();
        seen += results.count_ones();
    }
    assert!(seen * 100 > wanted * 95, "{seen} of {wanted}");
}

#[test]
fn rollouts_are_sensible_in_both() {
    rollouts_are_sensible::<Spec>();
    rollouts_are_sensible::<Ggp>();
}

#[test]
fn explanations_are_right() {
    fn why<R: Ruleset>(position: &str, mv: &str) -> Option<String> {
        let position: Quarto<R> = position.parse().expect("valid");
        QuartoKnowledge::default().explain(&position, position.parse_move(mv).expect("legal"))
    }
    assert_eq!(why::<Spec>("..../..../..../.... - w", "0000"), None);
    assert_eq!(why::<Spec>("..../..../..../.... - w", "1011").as_deref(), Some("symmetric to 0000"));
    assert_eq!(
        why::<Ggp>("..../..../..../.... 0 b", "d4").as_deref(),
        Some("leaves no winning piece, symmetric to a1")
    );
    // All pieces on the first rank have bit 0 set.
    assert_eq!(why::<Ggp>("..../..../..../135. - b", "0111").as_deref(), Some("hands over a winning piece"));
    assert_eq!(why::<Ggp>("..../..../..../135. - b", "1010"), None);
    assert_eq!(why::<Ggp>("..../..../..../135. 7 w", "d1").as_deref(), Some("completes a line"));
    // Bit 3 is clear in all three too, so of the remaining pieces only a, c and e are safe.
    let nine = "leaves 9 winning pieces";
    assert_eq!(why::<Ggp>("..../..../..../135. 8 w", "a4").as_deref(), Some(nine));
    assert_eq!(why::<Ggp>("..../..../..../135. 8 w", "d1").as_deref(), Some("leaves no winning piece"));
    assert_eq!(why::<Spec>("..../..../..../135. - b", "0111").as_deref(), Some("completes a line"));
    assert_eq!(why::<Spec>("..../..../..../135. 8 b", "a4").as_deref(), Some(nine));
}
