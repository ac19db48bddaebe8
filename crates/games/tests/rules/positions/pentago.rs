//! Pentago's position strings.

use quintet_core::game::{Game as _, Outcome, Side};
use quintet_games::{Ggp, Pentago, Spec};

use super::{assert_read, assert_refused};

const EMPTY: &str = "6/6/6/6/6/6";
/// 18 stones each and no five in a row.
const FULL: &str = "rrbbrr/bbrrbb/rrbbrr/bbrrbb/rrbbrr/bbrrbb";

const COLOR: &str = "color to move";
const ACTION: &str = "place or rotate";

/// Refused under both rulesets.
#[track_caller]
fn refused(text: &str, parts: &[&str], words: &[&str]) {
    assert_refused::<Pentago<Spec>>(text, parts, words);
    assert_refused::<Pentago<Ggp>>(text, parts, words);
}

#[test]
fn the_start_is_read() {
    let text = format!("{EMPTY} r place");
    assert_eq!(assert_read::<Pentago<Spec>>(&text), Pentago::initial());
    assert_eq!(assert_read::<Pentago<Ggp>>(&text), Pentago::initial());
}

#[test]
fn three_fields_are_needed() {
    for text in ["", EMPTY, &format!("{EMPTY} r"), &format!("{EMPTY} r place 1")] {
        refused(text, &["fields"], &["3", &text.split(' ').filter(|it| !it.is_empty()).count().to_string()]);
    }
}

#[test]
fn six_ranks_of_six_cells_are_needed() {
    refused("6/6/6/6/6 r place", &["board"], &["6", "5"]);
    refused("6/6/6/6/6/6/6 r place", &["board"], &["6", "7"]);
    refused("5/6/6/6/6/6 r place", &["rank 6"], &["6", "5"]);
    refused("6/6/6/6/7/6 r place", &["rank 2"], &["6", "7"]);
    refused("6/6/6/6/6/6r b place", &["rank 1"], &["6", "7"]);
    refused("6/6/6/r0b4/6/6 r place", &["rank 3"], &["0"]);
    refused("6/6/6/4294967302/6/6 r place", &["rank 3"], &["6"]);
}

#[test]
fn only_stones_stand_on_the_board() {
    for wrong in ['w', '-', 'é', '♔', '１', '\u{301}'] {
        refused(&format!("6/2{wrong}3/6/6/6/6 r place"), &["rank 5"], &[&format!("{wrong:?}")]);
    }
}

#[test]
fn color_and_action_are_known_words() {
    for wrong in ["w", "red", "-", "é"] {
        refused(&format!("{EMPTY} {wrong} place"), &[COLOR], &[wrong]);
    }
    for wrong in ["turn", "-", "r", "é"] {
        refused(&format!("{EMPTY} r {wrong}"), &[ACTION], &[wrong]);
    }
}

#[test]
fn color_and_action_follow_from_the_stones() {
    refused(&format!("{EMPTY} b place"), &["board", COLOR], &["\"b\""]);
    refused(&format!("{EMPTY} r rotate"), &["board", ACTION], &["rotate"]);
    // After red's first stone black places under `spec`; under `ggp` red rotates, then black
    // places.
    let one = "6/6/6/6/2r3/6";
    assert_read::<Pentago<Spec>>(&format!("{one} b place"));
    assert_refused::<Pentago<Spec>>(&format!("{one} r rotate"), &["board", COLOR, ACTION], &["rotate"]);
    assert_read::<Pentago<Ggp>>(&format!("{one} b place"));
    assert_read::<Pentago<Ggp>>(&format!("{one} r rotate"));
    refused(&format!("{one} r place"), &["board", COLOR], &["place"]);
    refused(&format!("{one} b rotate"), &["board", COLOR, ACTION], &["rotate"]);
    // With one stone each, any of three actions may be next under `spec`.
    let two = "6/6/6/6/2r3/b5";
    for turn in ["r rotate", "b rotate", "r place"] {
        assert_read::<Pentago<Spec>>(&format!("{two} {turn}"));
    }
    for turn in ["b rotate", "r place"] {
        assert_read::<Pentago<Ggp>>(&format!("{two} {turn}"));
    }
    assert_refused::<Pentago<Ggp>>(&format!("{two} r rotate"), &["board", COLOR, ACTION], &["rotate"]);
}

#[test]
fn stones_that_no_game_has_are_refused_whoever_is_to_move() {
    for board in ["rr4/6/6/6/6/6", "b5/6/6/6/6/6", "rbb3/6/6/6/6/6", "rrr3/b5/6/6/6/6"] {
        for turn in ["r place", "b place", "r rotate", "b rotate"] {
            refused(&format!("{board} {turn}"), &["board"], &["red", "black"]);
        }
    }
}

#[test]
fn a_line_ends_the_game() {
    let won = "rrrrr1/6/bb1bb1/6/6/6";
    let state = assert_read::<Pentago<Spec>>(&format!("{won} b place"));
    assert_eq!(state.outcome(), Some(Outcome::Win(Side::First)));
    let state = assert_read::<Pentago<Ggp>>(&format!("{won} r rotate"));
    assert_eq!(state.outcome(), Some(Outcome::Win(Side::First)));
    // Six in a row win too; four do not.
    let state = assert_read::<Pentago<Spec>>("rrrrrr/6/bb1bb1/6/6/b5 b place");
    assert_eq!(state.outcome(), Some(Outcome::Win(Side::First)));
    let state = assert_read::<Pentago<Spec>>("rrrr2/6/bb1b2/6/6/6 b place");
    assert_eq!(state.outcome(), None);
    // The last stone was black's, so red's line was there before it.
    let late = "rrrrr1/6/bb1bb1/6/6/5b";
    assert_refused::<Pentago<Spec>>(&format!("{late} r rotate"), &["board"], &["line", "placement"]);
    assert_refused::<Pentago<Ggp>>(&format!("{late} b rotate"), &["board"], &["line", "placement"]);
}

#[test]
fn a_rotation_may_make_lines_of_both() {
    // Turning quadrant 2 back breaks both lines.
    let both = "rrrrr1/6/bbbbb1/6/6/6";
    for turn in ["r place", "b rotate"] {
        let state = assert_read::<Pentago<Spec>>(&format!("{both} {turn}"));
        assert_eq!(state.outcome(), Some(Outcome::Draw));
    }
    let state = assert_read::<Pentago<Ggp>>(&format!("{both} r place"));
    assert_eq!(state.outcome(), Some(Outcome::Draw));
    // A stone makes lines of one color only.
    assert_refused::<Pentago<Spec>>(&format!("{both} r rotate"), &["board"], &["line", "placement"]);
    assert_refused::<Pentago<Ggp>>(&format!("{both} b rotate"), &["board"], &["line", "placement"]);
}

#[test]
fn one_action_makes_all_lines_at_once() {
    // Two ranks that meet in no stone.
    let apart = "rrrrr1/6/bb1bb1/b1bb1b/b5/rrrrr1";
    assert_refused::<Pentago<Spec>>(&format!("{apart} b place"), &["board"], &["line", "placement"]);
    assert_refused::<Pentago<Ggp>>(&format!("{apart} r rotate"), &["board"], &["line", "placement"]);
    // The ranks share no quadrant either.
    let apart = "rrrrr1/6/bb1bb1/b1bb1b/b4b/rrrrr1";
    for turn in ["r place", "b rotate"] {
        assert_refused::<Pentago<Spec>>(&format!("{apart} {turn}"), &["board"], &["line", "rotation"]);
    }
    assert_refused::<Pentago<Ggp>>(&format!("{apart} r place"), &["board"], &["line", "rotation"]);
    // A rank and a file that meet.
    let crossing = "rrrrr1/r5/r1b1bb/r1b1bb/r1b1b1/6";
    let state = assert_read::<Pentago<Spec>>(&format!("{crossing} b place"));
    assert_eq!(state.outcome(), Some(Outcome::Win(Side::First)));
}

#[test]
fn a_full_board_ends_the_game() {
    let state = assert_read::<Pentago<Spec>>(&format!("{FULL} r rotate"));
    assert_eq!(state.outcome(), Some(Outcome::Draw));
    let state = assert_read::<Pentago<Ggp>>(&format!("{FULL} b rotate"));
    assert_eq!(state.outcome(), Some(Outcome::Draw));
    // There is no rotation after the last stone.
    for turn in ["b rotate", "r place"] {
        assert_refused::<Pentago<Spec>>(&format!("{FULL} {turn}"), &["board", COLOR, ACTION], &["full"]);
    }
    assert_refused::<Pentago<Ggp>>(&format!("{FULL} r place"), &["board", COLOR, ACTION], &["full"]);
}
