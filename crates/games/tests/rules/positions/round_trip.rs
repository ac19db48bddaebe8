//! Every state that occurs in play is read back unchanged from its string.

use std::cell::Cell;

use proptest::prelude::*;

use super::{choices, run_fixed, states_along};
use crate::catalog::GameId;
use crate::harness::{View, in_every_game};
use crate::named::Named;

fn states_come_back_from_their_strings<G: Named>() {
    let ended = Cell::new(0);
    run_fixed(400, &choices(G::MAX_PLIES), &|choices| {
        for state in states_along::<G>(&choices) {
            let text = state.to_string();
            let read: G = text.parse().map_err(|error| TestCaseError::fail(format!("{text:?}: {error}")))?;
            prop_assert_eq!(read, state, "{:?}", text);
            prop_assert_eq!(read.to_string(), text);
            prop_assert_eq!(View::of_game(&read), View::of_game(&state), "{}", state);
            ended.set(ended.get() + u32::from(state.outcome().is_some()));
        }
        Ok(())
    });
    assert!(ended.get() >= 20, "only {} of the games were played to their end", ended.get());
}

fn strings_are_read_in_any_case<G: Named>() {
    run_fixed(50, &choices(G::MAX_PLIES), &|choices| {
        for state in states_along::<G>(&choices) {
            let text = state.to_string();
            let (board, others) = text.split_once(' ').expect("several fields");
            // The case of a piece of chess is its color.
            let board = if G::GAME == GameId::Krk { board.to_owned() } else { board.to_uppercase() };
            let written = format!("{board} {}", others.to_uppercase());
            prop_assert_eq!(written.parse(), Ok(state), "{:?}", written);
        }
        Ok(())
    });
}

fn strings_are_one_clean_line<G: Named>() {
    run_fixed(50, &choices(G::MAX_PLIES), &|choices| {
        for state in states_along::<G>(&choices) {
            let text = state.to_string();
            prop_assert!(text.is_ascii() && !text.contains(['\n', '\t', '"', '\\']), "{:?}", text);
            let fields: Vec<&str> = text.split(' ').collect();
            prop_assert!(fields.iter().all(|field| !field.is_empty()), "{:?}", text);
        }
        Ok(())
    });
}

in_every_game!(states_come_back_from_their_strings, strings_are_read_in_any_case, strings_are_one_clean_line,);
