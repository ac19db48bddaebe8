//! Qubic's position strings.

use quintet_core::game::{Game as _, Notation, Outcome, Side};
use quintet_games::{Ggp, Qubic, Spec};

use super::{assert_read, assert_refused};

const EMPTY: &str = "4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4";
/// One mark of each team.
const ONE_EACH: &str = "x3/4/4/4|4/4/4/3o|4/4/4/4|4/4/4/4";

/// Refused under both rulesets.
#[track_caller]
fn refused(text: &str, parts: &[&str], words: &[&str]) {
    assert_refused::<Qubic<Spec>>(text, parts, words);
    assert_refused::<Qubic<Ggp>>(text, parts, words);
}

#[test]
fn the_start_is_read() {
    let text = format!("{EMPTY} x -");
    assert_eq!(assert_read::<Qubic<Spec>>(&text), Qubic::initial());
    assert_eq!(assert_read::<Qubic<Ggp>>(&text), Qubic::initial());
}

/// The string lists levels, in them rows, and in them columns, as documented.
#[test]
fn marks_are_where_the_string_has_them() {
    fn plays_to<G: Notation>(tokens: &str, text: &str) {
        let mut state = G::initial();
        for token in tokens.split(' ') {
            state.apply(state.parse_move(token).unwrap_or_else(|error| panic!("{error}")));
        }
        assert_eq!(state.to_string(), text);
    }
    let text = "4/4/4/4|4/2x1/4/4|4/4/4/4|o3/4/4/4 x -";
    plays_to::<Qubic<Spec>>("r2 c3 l2 r1 c1 l4", text);
    plays_to::<Qubic<Ggp>>("r2 c3 l2 r1 c1 l4", text);
}

#[test]
fn three_fields_are_needed() {
    for text in ["", EMPTY, &format!("{EMPTY} x"), &format!("{EMPTY} x - -")] {
        refused(text, &["fields"], &["3", &text.split(' ').filter(|it| !it.is_empty()).count().to_string()]);
    }
}

#[test]
fn four_levels_of_four_rows_of_four_columns_are_needed() {
    refused("4/4/4/4|4/4/4/4|4/4/4/4 x -", &["board"], &["4", "3", "level"]);
    refused(&format!("{EMPTY}|4/4/4/4 x -"), &["board"], &["4", "5", "level"]);
    refused("4/4/4/4|4/4/4|4/4/4/4|4/4/4/4 x -", &["level 2"], &["4", "3"]);
    refused("4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4/4 x -", &["level 4"], &["4", "5"]);
    refused("4/4/4/4|4/4/3/4|4/4/4/4|4/4/4/4 x -", &["level 2 row 3"], &["4", "3"]);
    refused("5/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x -", &["level 1 row 1"], &["4", "5"]);
    refused("4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4x x -", &["level 4 row 4"], &["4", "5"]);
    refused("04/4/4/4|4/4/4/4|4/4/4/4|4/4/4/04o x -", &["level 4 row 4"], &["4", "5"]);
    refused("4/0x3/4/4|4/4/4/4|4/4/4/4|4/4/4/4 o -", &["level 1 row 2"], &["0"]);
    refused("4/4/4/99999999999999999999|4/4/4/4|4/4/4/4|4/4/4/4 x -", &["level 1 row 4"], &["4"]);
}

#[test]
fn only_marks_stand_on_the_board() {
    for wrong in ['b', '-', 'é', '♔', '１', '\u{301}'] {
        let text = format!("4/4/4/4|4/4/4/4|4/1{wrong}2/4/4|4/4/4/4 x -");
        refused(&text, &["level 3 row 2"], &[&format!("{wrong:?}")]);
    }
}

#[test]
fn the_teams_mark_in_turn() {
    refused("xx2/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 o -", &["board"], &["2", "0"]);
    refused("o3/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x -", &["board"], &["0", "1"]);
    refused(&format!("{EMPTY} o -"), &["team to move"], &["x", "o"]);
    refused("x3/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x -", &["team to move"], &["x", "o"]);
    for wrong in ["-", "xo", "é"] {
        refused(&format!("{EMPTY} {wrong} -"), &["team to move"], &[wrong]);
    }
}

#[test]
fn choices_are_legal_and_in_order() {
    assert_read::<Qubic<Spec>>(&format!("{EMPTY} x r4"));
    assert_read::<Qubic<Spec>>(&format!("{EMPTY} x r4c1"));
    for wrong in [
        "r0", "r5", "c1", "l1", "r", "4", "r1r1", "r1l1", "r1c", "r1c5", "-r1", "r1-", "--", "é", "r1é",
        "r1,c1",
    ] {
        refused(&format!("{EMPTY} x {wrong}"), &["choices"], &[]);
    }
    refused(&format!("{EMPTY} x r1c1l1"), &["choices"], &["two", "r1c1l1"]);
    // Team X's second turn begins with its column under `ggp`.
    assert_read::<Qubic<Spec>>(&format!("{ONE_EACH} x r2c2"));
    assert_read::<Qubic<Ggp>>(&format!("{ONE_EACH} x c2l2"));
    assert_refused::<Qubic<Spec>>(&format!("{ONE_EACH} x c2l2"), &["choices"], &["c2"]);
    assert_refused::<Qubic<Ggp>>(&format!("{ONE_EACH} x r2c2"), &["choices"], &["r2"]);
}

#[test]
fn choices_leave_a_blank_cell() {
    // Row 1, column 1 is marked on all four levels, but the row and the column each have blank
    // cells.
    let board = "x3/4/4/4|o3/4/4/4|x3/4/4/4|o3/4/4/4";
    assert_read::<Qubic<Spec>>(&format!("{board} x r1c2"));
    assert_refused::<Qubic<Spec>>(&format!("{board} x r1c1"), &["choices"], &["c1", "c2 c3 c4"]);
}

#[test]
fn a_line_ends_the_game() {
    let won = "xxxx/4/ooo1/4|4/4/4/4|4/4/4/4|4/4/4/4";
    let text = format!("{won} o -");
    assert_eq!(assert_read::<Qubic<Spec>>(&text).outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(assert_read::<Qubic<Ggp>>(&text).outcome(), Some(Outcome::Win(Side::First)));
    assert_refused::<Qubic<Spec>>(&format!("{won} o r4"), &["choices"], &["over"]);
    // The other team has marked again, or marked last without having the line.
    refused("xxxx/4/ooo1/3o|4/4/4/4|4/4/4/4|4/4/4/4 x -", &["board"], &["line"]);
    refused("oooo/4/xxx1/3x|3x/4/4/4|4/4/4/4|4/4/4/4 o -", &["board"], &["line"]);
}

#[test]
fn one_mark_makes_all_lines_at_once() {
    // A row, and a column through its first cell: seven marks.
    let both = "xxxx/x3/x3/x3|ooo1/1ooo/4/4|4/4/4/4|4/4/4/4 o -";
    assert_eq!(assert_read::<Qubic<Spec>>(both).outcome(), Some(Outcome::Win(Side::First)));
    // Two rows side by side: the game ended with the first of them.
    refused("xxxx/xxxx/4/4|ooo1/ooo1/o3/4|4/4/4/4|4/4/4/4 o -", &["board"], &["line"]);
    // A line of each team.
    refused("xxxx/oooo/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x -", &["board"], &["line"]);
    refused("xxxx/oooo/4/x3|4/4/4/4|4/4/4/4|4/4/4/4 o -", &["board"], &["line"]);
}
