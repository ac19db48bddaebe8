//! King and rook against king, checked exhaustively.

use std::collections::{HashMap, HashSet};

use quintet_core::game::Game as _;
use quintet_games::{Ggp, Krk, Ruleset, Spec};

use crate::catalog::Rules;
use crate::harness::{View, legal_moves};
use crate::twins::Twin as _;
use crate::twins::krk::{Cell, KrkTwin, adjacent, all_cells};

/// The step at which the game always ends.
const fn last_step(rules: Rules) -> u32 {
    match rules {
        Rules::Spec => 11,
        Rules::Ggp => 10,
    }
}

/// The cells of white king, rook and black king: all different, the kings not next to each other.
fn placements() -> Vec<[Cell; 3]> {
    let mut found = Vec::new();
    for king in all_cells() {
        for rook in all_cells() {
            for black in all_cells() {
                if king != rook && rook != black && king != black && !adjacent(king, black) {
                    found.push([king, rook, black]);
                }
            }
        }
    }
    assert_eq!(found.len(), 156 * 14, "156 ways to keep two kings apart, and a rook on any other cell");
    found
}

fn everywhere<R: Ruleset>(mut check: impl FnMut(&KrkTwin, Krk<R>)) {
    for pieces in placements() {
        for whites_turn in [true, false] {
            for step in 1..=last_step(Rules::of::<R>()) {
                let twin = KrkTwin::at(Rules::of::<R>(), pieces, whites_turn, step);
                let text = twin.position();
                let state: Krk<R> = text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"));
                assert_eq!(state.to_string(), text, "a position string is written as it was read");
                check(&twin, state);
            }
        }
    }
}

fn agrees_with_twin<R: Ruleset>() {
    everywhere::<R>(|twin, state| {
        assert_eq!(View::of_game(&state), View::of_twin(twin), "crate and twin at {state}");
    });
}

/// The rules in words say so.
#[test]
fn no_side_is_without_a_move_and_no_king_is_checked_by_the_other() {
    everywhere::<Spec>(|_, state| {
        if state.outcome().is_some() {
            return;
        }
        let moves = legal_moves(&state);
        assert!(!moves.is_empty(), "{state}");
        for mv in moves {
            let next = state.play(mv).expect("legal").to_string();
            assert!(next.parse::<Krk<Spec>>().is_ok(), "the kings of {next} are next to each other");
        }
    });
}

#[test]
fn every_placement_agrees_with_the_twin_spec() {
    agrees_with_twin::<Spec>();
}

#[test]
fn every_placement_agrees_with_the_twin_ggp() {
    agrees_with_twin::<Ggp>();
}

/// The states reachable from the start, with their steps; the twin finds them by their strings.
fn reachable(rules: Rules) -> HashMap<String, KrkTwin> {
    let start = KrkTwin::new(rules);
    let mut seen = HashMap::from([(start.position(), start)]);
    let mut rest = vec![start];
    while let Some(twin) = rest.pop() {
        for token in twin.legal() {
            let mut next = twin;
            next.apply(&token);
            if seen.insert(next.position(), next).is_none() {
                rest.push(next);
            }
        }
    }
    seen
}

/// The same by the crate's game.
fn reachable_in_crate<R: Ruleset>() -> HashSet<Krk<R>> {
    let mut seen = HashSet::from([Krk::initial()]);
    let mut rest = vec![Krk::initial()];
    while let Some(state) = rest.pop() {
        for mv in legal_moves(&state) {
            let mut next = state;
            next.apply(mv);
            if seen.insert(next) {
                rest.push(next);
            }
        }
    }
    seen
}

fn crate_reaches_what_the_twin_reaches<R: Ruleset>() {
    let by_crate: HashSet<String> = reachable_in_crate::<R>().iter().map(ToString::to_string).collect();
    let by_twin: HashSet<String> = reachable(Rules::of::<R>()).into_keys().collect();
    assert!(by_crate == by_twin, "{} states and {}", by_crate.len(), by_twin.len());
}

#[test]
fn crate_reaches_what_the_twin_reaches_spec() {
    crate_reaches_what_the_twin_reaches::<Spec>();
}

#[test]
fn crate_reaches_what_the_twin_reaches_ggp() {
    crate_reaches_what_the_twin_reaches::<Ggp>();
}

/// The description that `spec` follows states the number of positions, and the number of those in
/// which white has lost because black has no move and is not in check: 34 with black to move, 26
/// with white to move.
#[test]
fn stuck_counts_whoever_is_to_move() {
    let states = reachable(Rules::Spec);
    assert_eq!(states.len(), 5_790);
    let lost = |mover: &str| {
        states.iter().filter(|(text, it)| text.contains(mover) && it.is_stuck() && !it.is_checkmate()).count()
    };
    assert_eq!((lost(" b "), lost(" w ")), (34, 26));
}

/// Under `ggp` a side without a move does not end the game, so a side that is not stuck must have a
/// move, or the game hangs.
fn no_side_is_left_without_a_move<R: Ruleset>() {
    let check = |state: &Krk<R>| {
        let stopped = legal_moves(state).is_empty();
        assert_eq!(stopped, state.outcome().is_some(), "{state}");
    };
    everywhere::<R>(|_, state| check(&state));
    reachable_in_crate::<R>().iter().for_each(check);
}

#[test]
fn no_side_is_left_without_a_move_spec() {
    no_side_is_left_without_a_move::<Spec>();
}

#[test]
fn no_side_is_left_without_a_move_ggp() {
    no_side_is_left_without_a_move::<Ggp>();
}

/// The twin's `ggp` rules end the game only when black is stuck or at step 10, so a game that hangs
/// would show.
#[test]
fn white_always_has_a_move_while_black_has_one() {
    let check = |twin: &KrkTwin| {
        assert_eq!(twin.to_move().is_some(), !twin.legal().is_empty(), "{}", twin.position());
    };
    everywhere::<Ggp>(|twin, _| check(twin));
    reachable(Rules::Ggp).values().for_each(check);
}
