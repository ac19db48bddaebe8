//! Position strings: games read what they write, and their errors name the wrong part.

mod fuzz;
mod gomoku;
mod krk;
mod pentago;
mod quarto;
mod qubic;
mod round_trip;

use std::fmt::Debug;

use proptest::arbitrary::StrategyFor;
use proptest::collection::VecStrategy;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use quintet_core::game::Notation;

use crate::harness::legal_moves;

/// Asserts that `text` is refused, that one of `parts` is blamed, and that the reason contains all
/// of `words`.
///
/// If two parts contradict each other, either may be blamed. A part that is wrong by itself must be
/// blamed.
#[track_caller]
fn assert_refused<G: Notation>(text: &str, parts: &[&str], words: &[&str]) {
    let Err(error) = text.parse::<G>() else { panic!("{text:?} is accepted") };
    assert!(parts.contains(&error.part.as_str()), "{text:?} is blamed on {:?}, not on {parts:?}", error.part);
    for word in words {
        assert!(
            error.reason.contains(word),
            "{text:?}: the reason {:?} does not mention {word:?}",
            error.reason
        );
    }
    let message = error.to_string();
    assert!(message.contains(&error.part) && message.contains(&error.reason), "{message:?}");
    assert!(!message.contains('\n'), "a message of several lines: {message:?}");
}

/// Asserts that `text` is read, and written back unchanged.
#[track_caller]
fn assert_read<G: Notation>(text: &str) -> G {
    let state: G = text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"));
    assert_eq!(state.to_string(), text);
    state
}

/// What may be wrong with a value.
type Checked = Result<(), TestCaseError>;

/// Runs `test` on many values of `strategy`, the same ones each time. Neither depends on the game, so that the
/// runner is compiled once for all games.
fn run_fixed<S: Strategy>(cases: u32, strategy: &S, test: &dyn Fn(S::Value) -> Checked)
where
    S::Value: Debug,
{
    let config = Config {
        cases,
        rng_seed: RngSeed::Fixed(0x5eed_5712),
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config).run(strategy, test).unwrap_or_else(|error| panic!("{error}"));
}

/// Choices for a random game of at most so many plies, which stops at any point or ends.
fn choices(max_plies: usize) -> VecStrategy<StrategyFor<u16>> {
    prop::collection::vec(any::<u16>(), 0..=max_plies * 3 / 2)
}

/// The states of a game in which each choice selects a legal move.
fn states_along<G: Notation>(choices: &[u16]) -> Vec<G> {
    let mut states = vec![G::initial()];
    let mut state = G::initial();
    for &choice in choices {
        let moves = legal_moves(&state);
        if moves.is_empty() {
            break;
        }
        state.apply(moves[usize::from(choice) % moves.len()]);
        states.push(state);
    }
    states
}
