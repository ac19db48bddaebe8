use std::collections::HashMap;

use super::board::{Board, label};
use super::*;
use crate::games::{Ggp, Spec};

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
        let board = Board::new(position.stones);
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
        if Threats.prove(&position) == Some(Outcome::Win(side.opponent())) {
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
        Threats.candidates(&position, &mut kept);
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
fn value<R: Ruleset>(position: &Pentago<R>, knows: bool, known: &mut HashMap<Pentago<R>, u8>) -> u8 {
    if let Some(outcome) = position.outcome() {
        return outcome.half_points(Side::First);
    }
    if let Some(&value) = known.get(position) {
        return value;
    }
    if knows && let Some(outcome) = Threats.prove(position) {
        return outcome.half_points(Side::First);
    }
    let mut moves = Candidates::new();
    if knows {
        Threats.candidates(position, &mut moves);
    } else {
        moves.extend(moves_of(position).into_iter().map(|mv| (mv, 1.0)));
    }
    let values = moves.iter().map(|(mv, _)| value(&after(position, *mv), knows, known));
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

/// A rollout move by move: a win at once is taken, else any move.
fn slow_rollout<R: Ruleset>(mut position: Pentago<R>, rng: &mut Rng) -> Outcome {
    loop {
        if let Some(outcome) = position.outcome() {
            return outcome;
        }
        if wins_at_once::<R>(&Board::new(position.stones), position.ply) {
            return Outcome::Win(position.side_to_move());
        }
        position.apply(position.random_move(rng));
    }
}

fn rollouts_are_the_same<R: Ruleset>() {
    const COUNT: u32 = 3000;
    for position in positions::<R>(6, 0..70).into_iter().step_by(5) {
        let mut tallies = [[0_i32; 3]; 2];
        let mut rng = Rng::stream(32, 0);
        for _ in 0..COUNT {
            let outcomes = [Threats.rollout(&position, &mut rng), slow_rollout(position, &mut rng)];
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
        let board = Board::new(position.stones);
        for rotation in 0..Board::ROTATIONS {
            let turned = position
                .stones
                .map(|stones| crate::games::pentago::turned(stones, rotation / 2, rotation % 2));
            for color in [0, 1] {
                let expected = crate::games::pentago::has_line(turned[color]);
                assert_eq!(board.rotated(rotation).has_line(color), expected, "{position}");
                assert_eq!(
                    board.rotated(rotation).wins_by_placing(color),
                    Board::new(turned).wins_by_placing(color),
                    "{position}"
                );
            }
        }
    }
    assert_eq!(label(35), 1 << 56);
}
