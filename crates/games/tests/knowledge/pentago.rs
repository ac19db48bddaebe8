//! Knowledge of Pentago against brute force.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;

use quintet_core::clock::{Clock, Deadline};
use quintet_core::game::{Game, Outcome, Side};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, SolveScope, Solved};
use quintet_games::pentago::Move;
use quintet_games::pentago::knowledge::PentagoKnowledge;
use quintet_games::{Ggp, Pentago, Ruleset, Spec};

use crate::after;
use crate::samples::moves_of;
use crate::samples::pentago::positions;

/// Whether the ply is a rotation.
fn rotates<R: Ruleset>(position: &Pentago<R>) -> bool {
    position.to_string().ends_with(" rotate")
}

/// The board in the position string.
fn board<R: Ruleset>(position: &Pentago<R>) -> String {
    position.to_string().split(' ').next().expect("the board comes first").to_owned()
}

fn empty<R: Ruleset>(position: &Pentago<R>) -> u32 {
    board(position).chars().filter_map(|content| content.to_digit(10)).sum()
}

/// Whether a stone of `side` in place of the one that `mv` places would complete a line.
fn completes_a_line<R: Ruleset>(position: &Pentago<R>, side: Side, mv: Move) -> bool {
    let color = if side == Side::First { 'r' } else { 'b' };
    let mut stones = HashSet::new();
    for (rank, y) in board(position).split('/').zip((0..6).rev()) {
        let mut x = 0;
        for content in rank.chars() {
            if content == color {
                stones.insert((x, y));
            }
            x += content.to_digit(10).map_or(1, |empty| empty as i8);
        }
    }
    let token = mv.to_string();
    let &[file, rank] = token.as_bytes() else { panic!("{mv} places no stone") };
    stones.insert(((file - b'a') as i8, (rank - b'1') as i8));
    stones.iter().any(|&(x, y)| {
        let is_line = |(dx, dy): (i8, i8)| (0..5).all(|i| stones.contains(&(x + i * dx, y + i * dy)));
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(is_line)
    })
}

/// Whether `side` can force a win within `plies` plies, by brute force.
fn forces<R: Ruleset>(position: &Pentago<R>, side: Side, plies: u32) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome == Outcome::Win(side);
    }
    let forces_after = |mv: &Move| forces(&after(position, *mv), side, plies - 1);
    plies > 0
        && if position.side_to_move() == side {
            moves_of(position).iter().any(forces_after)
        } else {
            moves_of(position).iter().all(forces_after)
        }
}

fn wins_are_those_of_brute_force<R: Ruleset>() {
    let mut wins = 0;
    for position in positions::<R>(250, 14..70) {
        let side = position.side_to_move();
        let turn = if R::IS_GGP && !rotates(&position) { 2 } else { 1 };
        let found = PentagoKnowledge.prove(&position) == Some(Outcome::Win(side));
        assert_eq!(found, forces(&position, side, turn), "{position}");
        wins += u32::from(found);
    }
    assert!(wins > 100, "{wins} are too few to tell");
}

#[test]
fn wins_at_once_are_those_of_brute_force() {
    wins_are_those_of_brute_force::<Spec>();
    wins_are_those_of_brute_force::<Ggp>();
}

fn proven_losses_are_lost<R: Ruleset>() {
    let mut losses = [0; 4];
    for position in positions::<R>(1200, 14..70) {
        let side = position.side_to_move();
        if PentagoKnowledge.prove(&position) == Some(Outcome::Win(side.opponent())) {
            assert!(forces(&position, side.opponent(), 3), "{position}");
            losses[2 * usize::from(side == Side::Second) + usize::from(rotates(&position))] += 1;
        }
    }
    let phases = if R::IS_GGP { [1, 3, 1, 3] } else { [0, 1, 2, 3] };
    assert!(phases.iter().all(|&phase| losses[phase] >= 5), "{losses:?} are too few to tell");
}

#[test]
fn positions_proven_lost_are_lost() {
    proven_losses_are_lost::<Spec>();
    proven_losses_are_lost::<Ggp>();
}

fn left_out_moves_are_no_better<R: Ruleset>() {
    let mut left_out = 0;
    for position in positions::<R>(60, 6..70) {
        let side = position.side_to_move();
        let mut kept = Candidates::new();
        PentagoKnowledge.candidates(&position, &mut kept);
        assert!(!kept.is_empty() && kept.iter().all(|(_, weight)| *weight > 0.0), "{position}");
        let has_win = kept.iter().any(|(mv, _)| forces(&after(&position, *mv), side, 1));
        for mv in moves_of(&position) {
            if has_win || kept.iter().any(|(other, _)| *other == mv) {
                continue;
            }
            left_out += 1;
            let next = after(&position, mv);
            let is_twin = kept.iter().any(|(other, _)| after(&position, *other) == next);
            assert!(is_twin || forces(&next, side.opponent(), 3), "{position}: {mv}");
        }
    }
    assert!(left_out > 1000, "{left_out} are too few to tell");
}

#[test]
fn moves_left_out_are_no_better_than_those_kept() {
    left_out_moves_are_no_better::<Spec>();
    left_out_moves_are_no_better::<Ggp>();
}

/// The score of the first side under perfect play, by the rules alone or with proofs and
/// candidates.
fn value<R: Ruleset>(position: &Pentago<R>, uses_knowledge: bool, known: &mut HashMap<Pentago<R>, u8>) -> u8 {
    if let Some(outcome) = position.outcome() {
        return outcome.score(Side::First);
    }
    if let Some(&value) = known.get(position) {
        return value;
    }
    if uses_knowledge && let Some(outcome) = PentagoKnowledge.prove(position) {
        return outcome.score(Side::First);
    }
    let mut moves = Candidates::new();
    if uses_knowledge {
        PentagoKnowledge.candidates(position, &mut moves);
    } else {
        moves.extend(moves_of(position).into_iter().map(|mv| (mv, 1.0)));
    }
    let values = moves.iter().map(|(mv, _)| value(&after(position, *mv), uses_knowledge, known));
    let best = match position.side_to_move() {
        Side::First => values.max(),
        _ => values.min(),
    };
    let best = best.expect("a move");
    known.insert(*position, best);
    best
}

fn knowledge_keeps_values<R: Ruleset>() {
    let (mut by_rules, mut by_knowledge) = (HashMap::new(), HashMap::new());
    let mut values = [0; 3];
    for position in positions::<R>(600, 66..72) {
        let expected = value(&position, false, &mut by_rules);
        assert_eq!(value(&position, true, &mut by_knowledge), expected, "{position}");
        values[usize::from(expected / 50)] += 1;
        by_rules.clear();
        by_knowledge.clear();
    }
    assert!(values.iter().all(|&count| count > 10), "{values:?} are too few to tell");
}

#[test]
fn late_positions_have_the_same_value_with_knowledge() {
    knowledge_keeps_values::<Spec>();
    knowledge_keeps_values::<Ggp>();
}

/// Checks that all listed moves have their exact values and that the first has the value of the
/// position.
fn check_solution<R: Ruleset>(
    position: &Pentago<R>,
    solved: &[Solved<Move>],
    known: &mut HashMap<Pentago<R>, u8>,
) {
    let side = position.side_to_move();
    for it in solved {
        let next = after(position, it.mv);
        assert_eq!(it.outcome.score(Side::First), value(&next, false, known), "{position}: {}", it.mv);
        assert_eq!(it.plies, next.outcome().map(|_| 1), "{position}: {}", it.mv);
    }
    let points: Vec<_> = solved.iter().map(|it| it.outcome.score(side)).collect();
    assert!(points.is_sorted_by(|a, b| a >= b), "{position}: {points:?}");
    assert_eq!(solved[0].outcome.score(Side::First), value(position, false, known), "{position}");
}

fn solved_values_are_exact<R: Ruleset>() {
    let effort = Effort { positions: 1 << 16, deadline: None, stop: None };
    let mut wins_at_last = 0;
    for position in positions::<R>(300, 62..72).into_iter().step_by(3) {
        let solved = PentagoKnowledge
            .solve(&position, SolveScope::All, effort)
            .expect("the effort is enough for late positions");
        assert_eq!(solved.len(), position.move_count(), "{position}");
        let mut known = HashMap::new();
        check_solution(&position, &solved, &mut known);
        let best = PentagoKnowledge
            .solve(&position, SolveScope::Best, effort)
            .expect("the effort is enough for the best move");
        check_solution(&position, &best, &mut known);
        let side = position.side_to_move();
        if solved.iter().any(|it| it.plies == Some(1) && it.outcome == Outcome::Win(side)) {
            assert_eq!(
                [solved[0].plies, best[0].plies],
                [Some(1); 2],
                "{position}: a win at once is not the first"
            );
            wins_at_last += 1;
        }
    }
    assert!(wins_at_last > 5, "{wins_at_last} are too few to tell");
}

/// The effort is enough for the best move, but not for all.
fn some_solved_values_are_exact<R: Ruleset>() {
    let mut partial = 0;
    for position in positions::<R>(400, 56..62) {
        let effort = Effort { positions: 3 << (empty(&position) + 2), deadline: None, stop: None };
        let Some(solved) = PentagoKnowledge.solve(&position, SolveScope::All, effort) else { continue };
        if solved.len() < position.move_count() {
            check_solution(&position, &solved, &mut HashMap::new());
            partial += 1;
        }
    }
    assert!(partial > 5, "{partial} are too few to tell");
}

#[test]
fn solved_values_are_those_of_brute_force() {
    solved_values_are_exact::<Spec>();
    solved_values_are_exact::<Ggp>();
    some_solved_values_are_exact::<Spec>();
    some_solved_values_are_exact::<Ggp>();
}

#[test]
fn a_solution_keeps_to_its_effort() {
    // With ten empty cells.
    let position: Pentago<Spec> = "r1brbr/b1rrr1/bbb1br/1br1b1/rbrbr1/rr2bb r place".parse().expect("valid");
    let is_solved = |positions, deadline, stop: bool| {
        let stop = AtomicBool::new(stop);
        let effort = Effort { positions, deadline, stop: Some(&stop) };
        PentagoKnowledge.solve(&position, SolveScope::Best, effort).is_some()
    };
    let clock = Clock::manual();
    let now = Deadline::new(clock.now(), &clock);
    assert!(!is_solved(10, None, false) && !is_solved(u64::MAX, Some(now), false), "it is not started");
    assert!(!is_solved(3 << 12, None, false) && !is_solved(u64::MAX, None, true), "it is given up");
    assert!(is_solved(1 << 20, None, false));
    let effort = Effort { positions: u64::MAX, deadline: None, stop: None };
    assert_eq!(PentagoKnowledge.solve(&Pentago::<Ggp>::initial(), SolveScope::All, effort), None);
}

fn explanations_hold<R: Ruleset>() {
    let mut met = HashMap::new();
    for position in positions::<R>(150, 14..72) {
        let side = position.side_to_move();
        for mv in moves_of(&position) {
            let Some(why) = PentagoKnowledge.explain(&position, mv) else { continue };
            let kind = why.split(" as ").next().unwrap_or_default().to_owned();
            *met.entry(kind).or_insert(0) += 1;
            let next = after(&position, mv);
            let holds = match why.as_str() {
                "wins at once" => next.outcome() == Some(Outcome::Win(side)),
                "loses at once" => next.outcome() == Some(Outcome::Win(side.opponent())),
                "lines of both colors: a draw" | "fills the board: a draw" => {
                    next.outcome() == Some(Outcome::Draw)
                }
                "wins with the next rotation" => next.side_to_move() == side && forces(&next, side, 1),
                "lets the opponent win at once" => {
                    next.side_to_move() != side && forces(&next, side.opponent(), 2)
                }
                "loses whatever rotation follows" => {
                    next.side_to_move() == side && forces(&next, side.opponent(), 3)
                }
                "wins by force" => forces(&next, side, 3),
                "blocks a line" => completes_a_line(&position, side.opponent(), mv),
                "changes nothing" => board(&next) == board(&position),
                why => {
                    let rest = ["makes the same board as ", "changes nothing, same as "];
                    let first = rest.iter().find_map(|start| why.strip_prefix(start)).expect("known words");
                    let first = position.parse_move(first).expect("it names a legal move");
                    let is_same = first != mv && board(&after(&position, first)) == board(&next);
                    is_same && (why.starts_with("makes") || board(&next) == board(&position))
                }
            };
            assert!(holds, "{position}: {mv} {why}");
        }
    }
    let kinds = if R::IS_GGP { 9 } else { 7 };
    assert!(met.len() >= kinds && met.values().all(|&count| count > 3), "{met:?}");
}

#[test]
fn explanations_are_facts() {
    explanations_hold::<Spec>();
    explanations_hold::<Ggp>();
}
