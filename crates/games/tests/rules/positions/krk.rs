//! The position strings of king and rook against king. Another test checks that every legal
//! placement is read.

use quintet_core::game::{Game as _, Outcome, Side};
use quintet_games::{Ggp, Krk, Spec};

use super::{assert_read, assert_refused};

/// Refused under both rulesets.
#[track_caller]
fn refused(text: &str, parts: &[&str], words: &[&str]) {
    assert_refused::<Krk<Spec>>(text, parts, words);
    assert_refused::<Krk<Ggp>>(text, parts, words);
}

#[test]
fn the_start_is_read() {
    let text = "k3/4/4/2KR w 1";
    assert_eq!(assert_read::<Krk<Spec>>(text), Krk::initial());
    assert_eq!(assert_read::<Krk<Ggp>>(text), Krk::initial());
}

#[test]
fn three_fields_are_needed() {
    for text in ["", "k3/4/4/2KR", "k3/4/4/2KR w", "k3/4/4/2KR w - 1"] {
        refused(text, &["fields"], &["3", &text.split(' ').filter(|it| !it.is_empty()).count().to_string()]);
    }
}

#[test]
fn four_ranks_of_four_cells_are_needed() {
    refused("k3/4/2KR w 1", &["board"], &["4", "3"]);
    refused("k3/4/4/4/2KR w 1", &["board"], &["4", "5"]);
    refused("k2/4/4/2KR w 1", &["rank 4"], &["4", "3"]);
    refused("k3/5/4/2KR w 1", &["rank 3"], &["4", "5"]);
    refused("k3/4/22/2KR1 w 1", &["rank 2"], &["4", "22"]);
    refused("k3/4/4/2KR1 w 1", &["rank 1"], &["4", "5"]);
    refused("k3/4/4/4KR w 1", &["rank 1"], &["4", "6"]);
    refused("k3/04/0k4/2KR w 1", &["rank 2"], &["0"]);
    refused("k3/99999999999999999999/4/2KR w 1", &["rank 3"], &["4"]);
    refused("k3/4//2KR w 1", &["rank 2"], &["4", "0"]);
}

#[test]
fn only_the_three_pieces_stand_on_the_board() {
    for wrong in ['r', 'Q', '-', 'é', '♔', '１', '\u{301}'] {
        refused(&format!("k3/2{wrong}1/4/2KR w 1"), &["rank 3"], &[&format!("{wrong:?}")]);
    }
}

#[test]
fn each_piece_is_there_once() {
    refused("k3/4/4/2K1 w 1", &["board"], &["R", "missing"]);
    refused("k3/4/4/3R w 1", &["board"], &["K", "missing"]);
    refused("4/4/4/2KR w 1", &["board"], &["k", "missing"]);
    refused("4/4/4/4 w 1", &["board"], &["missing"]);
    refused("k3/4/K3/2KR w 1", &["rank 1"], &["K", "twice"]);
    refused("k3/3R/4/2KR w 1", &["rank 1"], &["R", "twice"]);
    refused("k2k/4/4/2KR w 1", &["rank 4"], &["k", "twice"]);
}

#[test]
fn the_kings_keep_apart() {
    for board in ["kK2/4/4/3R", "k3/K3/4/3R", "k3/1K2/4/3R", "4/1kK1/4/3R", "4/4/2k1/1K1R"] {
        for side in ["w", "b"] {
            refused(&format!("{board} {side} 1"), &["board"], &["king"]);
        }
    }
    // The end of one rank is not next to the start of another.
    assert_read::<Krk<Spec>>("4/k3/3K/3R w 1");
}

#[test]
fn the_side_to_move_is_a_known_letter() {
    for wrong in ["white", "x", "-", "é", "1"] {
        refused(&format!("k3/4/4/2KR {wrong} 1"), &["side to move"], &[wrong]);
    }
}

#[test]
fn the_step_is_one_that_a_game_comes_to() {
    for wrong in ["0", "12", "256", "257", "-1", "1.5", "x", "é", "１", "99999999999999999999"] {
        refused(&format!("k3/4/4/2KR w {wrong}"), &["step"], &[wrong]);
    }
    // The last step is 11 under `spec` and 10 under `ggp`; then the game is over, and black has
    // won.
    let state = assert_read::<Krk<Spec>>("k3/4/4/2KR w 11");
    assert_eq!(state.outcome(), Some(Outcome::Win(Side::Second)));
    assert_eq!(assert_read::<Krk<Spec>>("k3/4/4/2KR b 10").outcome(), None);
    let state = assert_read::<Krk<Ggp>>("k3/4/4/2KR b 10");
    assert_eq!(state.outcome(), Some(Outcome::Win(Side::Second)));
    assert_refused::<Krk<Ggp>>("k3/4/4/2KR w 11", &["step"], &["11", "10"]);
}

#[test]
fn a_step_has_no_sign() {
    refused("k3/4/4/2KR w +1", &["step"], &["+1"]);
}

#[test]
fn the_end_is_judged_when_a_position_is_read() {
    // Mate on the back rank, and the same with white to move.
    for side in ["w", "b"] {
        let mate = format!("k2R/4/K3/4 {side} 3");
        assert_eq!(assert_read::<Krk<Spec>>(&mate).outcome(), Some(Outcome::Win(Side::First)));
        assert_eq!(assert_read::<Krk<Ggp>>(&mate).outcome(), Some(Outcome::Win(Side::First)));
        // Stalemate: the rook guards b4, the white king the rest.
        let stuck = format!("k3/1R2/1K2/4 {side} 3");
        assert_eq!(assert_read::<Krk<Spec>>(&stuck).outcome(), Some(Outcome::Win(Side::Second)));
        assert_eq!(assert_read::<Krk<Ggp>>(&stuck).outcome(), Some(Outcome::Win(Side::Second)));
        // One file further away the rook guards nothing.
        let free = format!("k3/2R1/1K2/4 {side} 3");
        assert_eq!(assert_read::<Krk<Spec>>(&free).outcome(), None);
        assert_eq!(assert_read::<Krk<Ggp>>(&free).outcome(), None);
    }
}
