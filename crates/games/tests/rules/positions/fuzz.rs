//! Damaged position strings: reading them never panics, and what is accepted is a valid position.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::sample::Index;
use quintet_core::game::{Notation, Rng};

use super::{choices, run_fixed, states_along};
use crate::harness::{in_every_game, legal_moves};
use crate::named::Named;

/// A way to damage a string. Indices count modulo its length in characters.
#[derive(Debug, Clone)]
enum Edit {
    Delete(Index),
    Replace(Index, char),
    Insert(Index, char),
    /// Swaps two characters, which keeps all counts right.
    SwapCharacters(Index, Index),
    SwapFields(Index, Index),
    Truncate(Index),
    /// Repeats a piece of the string at its end.
    Repeat(Index, Index),
}

impl Edit {
    fn apply(&self, text: &str) -> String {
        let mut chars: Vec<char> = text.chars().collect();
        if chars.is_empty() {
            return String::new();
        }
        let length = chars.len();
        match self {
            Self::Delete(at) => {
                chars.remove(at.index(length));
            }
            Self::Replace(at, c) => chars[at.index(length)] = *c,
            Self::Insert(at, c) => chars.insert(at.index(length + 1), *c),
            Self::SwapCharacters(a, b) => chars.swap(a.index(length), b.index(length)),
            Self::SwapFields(a, b) => {
                let mut fields: Vec<&str> = text.split(' ').collect();
                let count = fields.len();
                fields.swap(a.index(count), b.index(count));
                return fields.join(" ");
            }
            Self::Truncate(at) => chars.truncate(at.index(length)),
            Self::Repeat(a, b) => {
                let (a, b) = (a.index(length), b.index(length));
                chars.extend_from_within(a.min(b)..a.max(b));
            }
        }
        chars.into_iter().collect()
    }
}

/// Characters with a meaning in some position string, and troublesome ones.
fn character() -> impl Strategy<Value = char> {
    let meaningful = "0123456789abcdefkKRrxoblcw./|- ";
    let trouble = "\0\t\n+,é\u{301}\u{202e}\u{a0}１♔😀";
    prop_oneof![
        4 => prop::sample::select(meaningful.chars().collect::<Vec<_>>()),
        1 => prop::sample::select(trouble.chars().collect::<Vec<_>>()),
    ]
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = any::<Index>;
    prop_oneof![
        2 => place().prop_map(Edit::Delete),
        4 => (place(), character()).prop_map(|(at, c)| Edit::Replace(at, c)),
        2 => (place(), character()).prop_map(|(at, c)| Edit::Insert(at, c)),
        12 => (place(), place()).prop_map(|(a, b)| Edit::SwapCharacters(a, b)),
        1 => (place(), place()).prop_map(|(a, b)| Edit::SwapFields(a, b)),
        1 => place().prop_map(Edit::Truncate),
        1 => (place(), place()).prop_map(|(a, b)| Edit::Repeat(a, b)),
    ]
}

/// An accepted string has a canonical form, which reads back as the same position.
fn check_round_trip<G: Notation>(state: &G, origin: &str) -> Result<(), TestCaseError> {
    let text = state.to_string();
    let again: G = text.parse().map_err(|error| {
        TestCaseError::fail(format!("{origin:?} gives {text:?}, which is refused: {error}"))
    })?;
    prop_assert_eq!(&again, state, "{:?} gives {:?}", origin, text);
    prop_assert_eq!(again.to_string(), text);
    Ok(())
}

/// From an accepted position the game can be played to its end.
fn check_playable<G: Notation>(mut state: G, origin: &str) -> Result<(), TestCaseError> {
    let mut rng = Rng::stream(0x5eed_f022, 0);
    for _ in 0..=G::MAX_PLIES {
        check_round_trip(&state, origin)?;
        let moves = legal_moves(&state);
        prop_assert_eq!(moves.is_empty(), state.outcome().is_some(), "{:?} leads to {}", origin, state);
        if moves.is_empty() {
            return Ok(());
        }
        prop_assert!(moves.len() <= G::MAX_BRANCHING, "{:?} leads to {}", origin, state);
        state.apply(moves[rng.below(moves.len())]);
    }
    Err(TestCaseError::fail(format!("{origin:?} leads to a game that is too long")))
}

fn damaged_strings_are_refused_or_read_well<G: Named>() {
    const CASES: u32 = 3_000;

    let accepted = Cell::new(0_u32);
    let strategy = (choices(G::MAX_PLIES), prop::collection::vec(edit(), 1..=2));
    run_fixed(CASES, &strategy, &|(choices, edits)| {
        let states = states_along::<G>(&choices);
        let mut text = states.last().expect("there is the start at least").to_string();
        for edit in &edits {
            text = edit.apply(&text);
        }
        match text.parse::<G>() {
            Ok(state) => {
                accepted.set(accepted.get() + 1);
                check_playable(state, &text)?;
            }
            Err(error) => {
                prop_assert!(!error.part.is_empty() && !error.reason.is_empty(), "{:?}", text);
                // The reason may quote the string, but its length is bounded.
                prop_assert!(error.to_string().len() <= 300 + 4 * text.len(), "{}", error);
            }
        }
        Ok(())
    });
    // Otherwise accepted strings were hardly tested.
    assert!(accepted.get() >= CASES / 20, "only {} damaged strings were accepted", accepted.get());
}

fn no_string_at_all_makes_reading_panic<G: Named>() {
    let long = 200_000;
    let mut texts: Vec<String> =
        ["", " ", "\0", "/", "///", "|||", "-", "- - -", "- - - -", "é", "é é é", "é é é é"]
            .map(str::to_owned)
            .to_vec();
    for unit in ["/", "|", "9", "0", "-", "é", " ", "a ", "4/", "k", "\u{301}"] {
        texts.push(unit.repeat(long));
    }
    // Each field in turn is far too long.
    let start = G::initial().to_string();
    let fields: Vec<&str> = start.split(' ').collect();
    for field in 0..fields.len() {
        for unit in ["1", "é", "w", "-", "/"] {
            let mut fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
            fields[field] = unit.repeat(long);
            texts.push(fields.join(" "));
        }
    }
    for text in texts {
        let start: String = text.chars().take(20).collect();
        assert!(text.parse::<G>().is_err(), "{start:?}… of {} bytes is accepted", text.len());
    }
}

fn any_string_is_refused_or_read_well<G: Named>() {
    run_fixed(1_000, &"\\PC{0,40}", &|text| {
        if let Ok(state) = text.parse::<G>() {
            check_playable(state, &text)?;
        }
        Ok(())
    });
}

in_every_game!(
    damaged_strings_are_refused_or_read_well,
    no_string_at_all_makes_reading_panic,
    any_string_is_refused_or_read_well,
);
