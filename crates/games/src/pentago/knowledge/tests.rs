use std::collections::HashMap;

use quintet_core::clock::{Clock, Deadline};

use super::*;
use crate::pentago::{LINES, turned};
use crate::{Ggp, Spec};
use quintet_core::bits::bits;

/// Positions of random games in which obvious wins are now and then left, none of them over.
fn positions<R: Ruleset>(games: u64, plies: std::ops::Range<usize>) -> Vec<Pentago<R>> {
    let mut found = Vec::new();
    for game in 0..games {
        let mut rng = Rng::stream(31, game);
        let mut position = Pentago::<R>::initial();
        for ply in 0..plies.end {
            // A move that does not end the game, if a few tries find one, so that boards fill up.
            let mut next = position;
            for _ in 0..20 {
                next = position;
                next.apply(position.random_move(&mut rng));
                if next.outcome().is_none() {
                    break;
                }
            }
            position = next;
            if position.outcome().is_some() {
                break;
            }
            if plies.contains(&(ply + 1)) && rng.below(4) == 0 {
                found.push(position);
            }
        }
    }
    found
}

fn moves_of<R: Ruleset>(position: &Pentago<R>) -> MoveList<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves
}

fn after<R: Ruleset>(position: &Pentago<R>, mv: Move) -> Pentago<R> {
    let mut next = *position;
    next.apply(mv);
    next
}

/// Whether `side` can force a win within so many plies, by trying everything.
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
        let turn = if R::IS_GGP && position.ply.is_multiple_of(2) { 2 } else { 1 };
        let board = PentagoBoard::new(position.stones);
        let found = wins_at_once::<R>(&board, position.ply);
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
            losses[usize::from(position.ply % 4)] += 1;
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

/// The half points of the first side under perfect play, by the rules alone or by proofs and candidates.
fn value<R: Ruleset>(position: &Pentago<R>, is_wise: bool, known: &mut HashMap<Pentago<R>, u8>) -> u8 {
    if let Some(outcome) = position.outcome() {
        return outcome.half_points(Side::First);
    }
    if let Some(&value) = known.get(position) {
        return value;
    }
    if is_wise && let Some(outcome) = PentagoKnowledge.prove(position) {
        return outcome.half_points(Side::First);
    }
    let mut moves = Candidates::new();
    if is_wise {
        PentagoKnowledge.candidates(position, &mut moves);
    } else {
        moves.extend(moves_of(position).into_iter().map(|mv| (mv, 1.0)));
    }
    let values = moves.iter().map(|(mv, _)| value(&after(position, *mv), is_wise, known));
    let best = match position.side_to_move() {
        Side::First => values.max(),
        Side::Second => values.min(),
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
        values[usize::from(expected)] += 1;
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

/// A rollout move by move: a win at once is taken, else any move, but under `ggp` a rotation that loses at once
/// only if all do, until the lines are judged.
fn slow_rollout<R: Ruleset>(mut position: Pentago<R>, rng: &mut Rng) -> Outcome {
    let mut cut = None;
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome;
        }
        let board = PentagoBoard::new(position.stones);
        let most = position.stones.map(u64::count_ones).into_iter().max().expect("two colors");
        if cut.is_none() && position.ply.is_multiple_of(4) {
            cut = Some(u32::from(position.ply) + 4 * (4_u32.saturating_sub(most) + rollout::ROUNDS as u32));
        }
        if cut == Some(u32::from(position.ply)) {
            let balance = f64::from(priors::balance(&board, 0));
            let chance = balance.abs() / (balance.abs() + f64::from(rollout::EVEN));
            let is_even = (rng.bits() as f64) >= chance * 2_f64.powi(64);
            return if is_even { Outcome::Draw } else { WIN[usize::from(balance < 0.0)] };
        }
        let side = position.side_to_move();
        if wins_at_once::<R>(&board, position.ply) {
            return Outcome::Win(side);
        }
        if R::IS_GGP && Pentago::<R>::phase(position.ply).1 {
            let first = rng.below(PentagoBoard::ROTATIONS);
            let mut rotations =
                (0..PentagoBoard::ROTATIONS).map(|step| (first + 3 * step) % PentagoBoard::ROTATIONS);
            match rotations.find(|&it| !loses_by_rotation::<R>(&board, position.ply, it)) {
                Some(rotation) => position.apply(moves_of(&position)[rotation]),
                None => return Outcome::Win(side.opponent()),
            }
        } else {
            position.apply(position.random_move(rng));
        }
    }
}

fn rollouts_are_the_same<R: Ruleset>() {
    const COUNT: u32 = 3000;
    for position in positions::<R>(6, 0..70).into_iter().step_by(5) {
        let mut tallies = [[0_i32; 3]; 2];
        let mut rng = Rng::stream(32, 0);
        for _ in 0..COUNT {
            let outcomes = [PentagoKnowledge.rollout(&position, &mut rng), slow_rollout(position, &mut rng)];
            for (tally, outcome) in tallies.iter_mut().zip(outcomes) {
                tally[usize::from(outcome.half_points(Side::First))] += 1;
            }
        }
        let [fast, slow] = tallies;
        for (a, b) in fast.into_iter().zip(slow) {
            assert!((a - b).pow(2) <= 25 * (a + b + 1), "{position}: {fast:?} {slow:?}");
        }
    }
}

#[test]
fn rollouts_come_out_as_move_by_move() {
    rollouts_are_the_same::<Spec>();
    rollouts_are_the_same::<Ggp>();
}

#[test]
fn labels_turn_with_their_quadrant() {
    for position in positions::<Ggp>(40, 1..70) {
        let board = PentagoBoard::new(position.stones);
        for rotation in 0..PentagoBoard::ROTATIONS {
            let turned = position.stones.map(|it| turned(it, rotation / 2, rotation % 2));
            for color in [0, 1] {
                let expected = crate::pentago::has_line(turned[color]);
                assert_eq!(board.rotated(rotation).has_line(color), expected, "{position}");
                assert_eq!(
                    board.rotated(rotation).wins_by_placing(color),
                    PentagoBoard::new(turned).wins_by_placing(color),
                    "{position}"
                );
            }
        }
    }
    assert_eq!(label(35), 1 << 56);
}

/// All moves that are listed have their exact values, and none is worth more than the first.
fn check_solution<R: Ruleset>(
    position: &Pentago<R>,
    solved: &[Solved<Move>],
    known: &mut HashMap<Pentago<R>, u8>,
) {
    let side = position.side_to_move();
    for it in solved {
        let next = after(position, it.mv);
        assert_eq!(it.outcome.half_points(Side::First), value(&next, false, known), "{position}: {}", it.mv);
        assert_eq!(it.plies, next.outcome().map(|_| 1), "{position}: {}", it.mv);
    }
    let points: Vec<_> = solved.iter().map(|it| it.outcome.half_points(side)).collect();
    assert!(points.is_sorted_by(|a, b| a >= b), "{position}: {points:?}");
    assert_eq!(solved[0].outcome.half_points(Side::First), value(position, false, known), "{position}");
}

fn solved_values_are_exact<R: Ruleset>() {
    let effort = Effort { positions: 1 << 16, deadline: None, stop: None };
    let mut wins_at_last = 0;
    for position in positions::<R>(300, 62..72).into_iter().step_by(3) {
        let solved = PentagoKnowledge
            .solve(&position, Wanted::All, effort)
            .expect("late positions are quickly solved");
        assert_eq!(solved.len(), position.move_count(), "{position}");
        let mut known = HashMap::new();
        check_solution(&position, &solved, &mut known);
        let best = PentagoKnowledge.solve(&position, Wanted::Best, effort).expect("as quickly");
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

/// Where the effort is enough for the best move, but not for all.
fn some_solved_values_are_exact<R: Ruleset>() {
    let mut partial = 0;
    for position in positions::<R>(400, 56..62) {
        let effort =
            Effort { positions: 3 << (position.empty().count_ones() + 2), deadline: None, stop: None };
        let Some(solved) = PentagoKnowledge.solve(&position, Wanted::All, effort) else { continue };
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
    let position: Pentago<Spec> = "rrr1br/1brr2/rbbbrb/br2br/b2brb/r1bbrr b place".parse().expect("valid");
    let is_solved = |positions, deadline, stop: bool| {
        let stop = std::sync::atomic::AtomicBool::new(stop);
        let effort = Effort { positions, deadline, stop: Some(&stop) };
        PentagoKnowledge.solve(&position, Wanted::Best, effort).is_some()
    };
    let clock = Clock::manual();
    let now = Deadline::new(clock.now(), &clock);
    assert!(!is_solved(10, None, false) && !is_solved(u64::MAX, Some(now), false), "it isn't begun");
    assert!(!is_solved(3 << 12, None, false) && !is_solved(u64::MAX, None, true), "it is given up");
    assert!(is_solved(1 << 20, None, false));
    let effort = Effort { positions: u64::MAX, deadline: None, stop: None };
    assert_eq!(PentagoKnowledge.solve(&Pentago::<Ggp>::initial(), Wanted::All, effort), None);
}

fn reasons_are_facts<R: Ruleset>() {
    let mut met = HashMap::new();
    for position in positions::<R>(150, 14..72) {
        let side = position.side_to_move();
        for mv in moves_of(&position) {
            let Some(why) = PentagoKnowledge.explain(&position, mv) else { continue };
            *met.entry(why.clone()).or_insert(0) += 1;
            let next = after(&position, mv);
            let holds = match why.as_str() {
                "wins at once" => next.outcome() == Some(Outcome::Win(side)),
                "loses at once" => next.outcome() == Some(Outcome::Win(side.opponent())),
                "lines of both colors: a draw" | "fills the board: a draw" => {
                    next.outcome() == Some(Outcome::Draw)
                }
                "wins with a rotation after it" => next.side_to_move() == side && forces(&next, side, 1),
                "lets the opponent win at once" => {
                    next.side_to_move() != side && forces(&next, side.opponent(), 2)
                }
                "loses whatever rotation follows" => {
                    next.side_to_move() == side && forces(&next, side.opponent(), 3)
                }
                "wins by force" => forces(&next, side, 3),
                "blocks a line" => {
                    let mut theirs = position;
                    let (color, _) = Pentago::<R>::phase(position.ply);
                    theirs.stones[1 - color] |= 1 << mv.0;
                    crate::pentago::has_line(theirs.stones[1 - color])
                }
                "changes nothing" => next.stones == position.stones,
                _ => false,
            };
            assert!(holds, "{position}: {mv} {why}");
        }
    }
    let kinds = if R::IS_GGP { 9 } else { 7 };
    assert!(met.len() >= kinds && met.values().all(|&count| count > 3), "{met:?}");
}

#[test]
fn what_is_said_of_moves_is_so() {
    reasons_are_facts::<Spec>();
    reasons_are_facts::<Ggp>();
}

#[test]
fn open_lines_are_counted_right() {
    for position in positions::<Spec>(40, 1..72) {
        let board = PentagoBoard::new(position.stones);
        for rotation in 0..PentagoBoard::ROTATIONS {
            let turned = position.stones.map(|it| turned(it, rotation / 2, rotation % 2));
            let mut expected = [[0; 5]; 2];
            for (line, cells) in LINES.into_iter().enumerate() {
                let counts = turned.map(|stones| (stones & cells).count_ones() as usize);
                for color in [0, 1] {
                    if counts[1 - color] == 0 && counts[color] < 5 {
                        expected[color][counts[color]] |= 1 << line;
                    }
                }
            }
            assert_eq!(priors::open_lines(&board.rotated(rotation)), expected, "{position}");
        }
    }
}

fn points_are_those_of_lines_after_every_rotation(worth: &[priors::Worth; CELLS + 1]) {
    let quadrants_of = |line: u64| (0..4).filter(|&it| quadrant_of(line, it) != 0).collect::<Vec<_>>();
    for position in positions::<Spec>(40, 1..72) {
        let board = PentagoBoard::new(position.stones);
        for color in [0, 1] {
            let points = priors::placements(&board, color, worth);
            let worth = worth[(position.stones[0] | position.stones[1]).count_ones() as usize];
            for cell in bits(position.empty()) {
                let mut expected = 0;
                for rotation in 0..=PentagoBoard::ROTATIONS {
                    let is_still = rotation == PentagoBoard::ROTATIONS;
                    let after = |it| if is_still { it } else { turned(it, rotation / 2, rotation % 2) };
                    let [mine, theirs] = [color, 1 - color].map(|it| after(position.stones[it]));
                    for line in LINES.into_iter().filter(|line| line & after(1 << cell) != 0) {
                        let quadrants = quadrants_of(line);
                        let counts = [mine, theirs].map(|it| (it & line).count_ones() as usize);
                        expected += match counts {
                            _ if is_still && quadrants.len() > 2 => 0,
                            _ if !is_still && !quadrants.contains(&(rotation / 2)) => 0,
                            [count, 0] => worth[0].get(count).copied().unwrap_or(0),
                            [0, count] => worth[1].get(count).copied().unwrap_or(0),
                            _ => 0,
                        };
                    }
                }
                assert_eq!(points[usize::from(cell)], expected, "{position} {cell}");
            }
        }
    }
}

#[test]
fn points_of_a_placement_are_those_of_its_lines_after_every_rotation() {
    points_are_those_of_lines_after_every_rotation(&priors::SPEC);
    points_are_those_of_lines_after_every_rotation(&priors::GGP);
}

#[test]
fn lines_are_worth_more_while_there_are_few_stones() {
    let three_of_its_own = [2, 3, 10, 36].map(|stones| priors::GGP[stones][0][3]);
    assert_eq!(three_of_its_own, [49 + 135, 49 + 90, 49 + 27, 49 + 7]);
    assert_eq!(priors::GGP[0], priors::GGP[2]);
    assert_eq!(priors::SPEC[36][1][2], -5 + 5);
}

#[test]
fn weights_grow_with_points() {
    let weights: Vec<_> = (-700..700).map(|points| priors::weight(points, 32)).collect();
    assert!(weights.iter().all(|weight| weight.is_finite() && *weight > 0.0));
    assert!(weights.is_sorted());
    assert_eq!((priors::weight(32, 32), priors::weight(-64, 32), priors::weight(16, 32)), (2.0, 0.25, 1.5));
}
