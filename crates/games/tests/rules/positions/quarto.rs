//! Quarto's position strings.

use quintet_core::game::{Game as _, Outcome, Side};
use quintet_games::{Ggp, Quarto, Spec};

use super::{assert_read, assert_refused};

const EMPTY: &str = "..../..../..../....";

/// Refused under both rulesets.
#[track_caller]
fn refused(text: &str, parts: &[&str], words: &[&str]) {
    assert_refused::<Quarto<Spec>>(text, parts, words);
    assert_refused::<Quarto<Ggp>>(text, parts, words);
}

#[test]
fn the_start_is_read() {
    let text = format!("{EMPTY} - w");
    assert_eq!(assert_read::<Quarto<Spec>>(&text), Quarto::initial());
    assert_eq!(assert_read::<Quarto<Ggp>>(&text), Quarto::initial());
}

#[test]
fn three_fields_are_needed() {
    for text in ["", EMPTY, &format!("{EMPTY} -"), &format!("{EMPTY} - w 1")] {
        refused(text, &["fields"], &["3", &text.split(' ').filter(|it| !it.is_empty()).count().to_string()]);
    }
}

#[test]
fn four_ranks_of_four_cells_are_needed() {
    refused("..../..../.... - w", &["board"], &["4", "3"]);
    refused("..../..../..../..../.... - w", &["board"], &["4", "5"]);
    refused(".../..../..../.... - w", &["rank 4"], &["4", "3"]);
    refused("..../..../...../.... - w", &["rank 2"], &["4", "5"]);
    refused("..../..../..../ - w", &["rank 1"], &["4", "0"]);
    // A digit is a piece here, never a number of empty cells.
    refused("4/4/4/4 - w", &["rank 4"], &["4", "1"]);
}

#[test]
fn only_pieces_stand_on_the_board() {
    for wrong in ['g', '-', 'é', '♔', '１', '\u{301}'] {
        refused(&format!("..../..{wrong}./..../.... - w"), &["rank 3"], &[&format!("{wrong:?}")]);
    }
}

#[test]
fn no_piece_is_there_twice() {
    refused("5.../..../..../...5 - w", &["rank 1"], &["0101", "twice"]);
    refused("..../.cc./..../.... - w", &["rank 3"], &["1100", "twice"]);
    assert_refused::<Quarto<Spec>>("5.../..../..../.... 5 b", &["piece in hand"], &["0101", "twice"]);
    assert_refused::<Quarto<Ggp>>("5.../..../..../.... 5 w", &["piece in hand"], &["0101", "twice"]);
}

#[test]
fn the_hand_holds_one_piece_or_none() {
    for wrong in ["g", ".", "55", "--", "é", "0101"] {
        refused(&format!("{EMPTY} {wrong} w"), &["piece in hand"], &[wrong]);
    }
}

#[test]
fn the_side_to_move_follows_from_the_pieces() {
    refused(&format!("{EMPTY} - b"), &["side to move"], &["b"]);
    for wrong in ["white", "-", "x", "é"] {
        refused(&format!("{EMPTY} - {wrong}"), &["side to move"], &[wrong]);
    }
    refused("5.../..../..../.... - w", &["side to move"], &["w"]);
    // After selecting, white places under `spec` and hands over under `ggp`.
    assert_read::<Quarto<Spec>>(&format!("{EMPTY} 3 w"));
    assert_read::<Quarto<Ggp>>(&format!("{EMPTY} 3 b"));
    assert_refused::<Quarto<Spec>>(&format!("{EMPTY} 3 b"), &["side to move"], &["b"]);
    assert_refused::<Quarto<Ggp>>(&format!("{EMPTY} 3 w"), &["side to move"], &["w"]);
}

#[test]
fn a_line_ends_the_game() {
    // The last bit is set in all four pieces. Black placed the fourth under `spec`, white under
    // `ggp`.
    let text = "1357/..../..../.... - w";
    assert_eq!(assert_read::<Quarto<Spec>>(text).outcome(), Some(Outcome::Win(Side::Second)));
    assert_eq!(assert_read::<Quarto<Ggp>>(text).outcome(), Some(Outcome::Win(Side::First)));
    assert_refused::<Quarto<Spec>>("1357/..../..../.... 0 w", &["piece in hand"], &["line"]);
    assert_refused::<Quarto<Ggp>>("1357/..../..../.... 0 b", &["piece in hand"], &["line"]);
    // These four pieces share no bit.
    let text = "1248/..../..../.... - w";
    assert_eq!(assert_read::<Quarto<Spec>>(text).outcome(), None);
}

#[test]
fn one_piece_makes_all_lines_at_once() {
    // A rank and a file that meet: the seventh piece, in the corner, completes both.
    let text = "1357/9.../b.../d... - b";
    assert_eq!(assert_read::<Quarto<Spec>>(text).outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(assert_read::<Quarto<Ggp>>(text).outcome(), Some(Outcome::Win(Side::Second)));
    // Two ranks have no piece in common: the game ended with the first of them.
    refused("1357/..../..../0246 - w", &["board"], &["line"]);
    // Two files and a rank across them: no piece is in all three.
    refused("1357/9..6/b..e/d..2 - w", &["board"], &["line"]);
}
