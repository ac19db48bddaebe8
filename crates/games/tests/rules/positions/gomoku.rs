//! Gomoku's position strings.

use quintet_core::game::{Game as _, Outcome, Side};
use quintet_games::{Ggp, Gomoku, Ruleset, Spec};

use super::{assert_read, assert_refused};

/// A board with these ranks, all others empty.
fn board(ranks: &[(usize, &str)]) -> String {
    let rank = |y: usize| ranks.iter().find(|it| it.0 == y).map_or("11", |it| it.1);
    (1..=11).rev().map(rank).collect::<Vec<_>>().join("/")
}

/// Refused under both rulesets.
#[track_caller]
fn refused(text: &str, parts: &[&str], words: &[&str]) {
    assert_refused::<Gomoku<Spec>>(text, parts, words);
    assert_refused::<Gomoku<Ggp>>(text, parts, words);
}

const PLAYER: &str = "player to move";
const COLOR: &str = "color of player1";
const STEP: &str = "set-up step";

#[test]
fn the_start_is_read() {
    let text = format!("{} - 1 1", board(&[]));
    assert_eq!(assert_read::<Gomoku<Spec>>(&text), Gomoku::initial());
    assert_eq!(assert_read::<Gomoku<Ggp>>(&text), Gomoku::initial());
}

#[test]
fn four_fields_are_needed() {
    let board = board(&[]);
    for text in ["", &board, &format!("{board} - 1"), &format!("{board} - 1 1 1")] {
        refused(text, &["fields"], &["4", &text.split(' ').filter(|it| !it.is_empty()).count().to_string()]);
    }
}

#[test]
fn eleven_ranks_of_eleven_cells_are_needed() {
    refused("11/11/11/11/11/11/11/11/11/11 - 1 1", &["board"], &["11", "10"]);
    refused(&format!("{}/11 - 1 1", board(&[])), &["board"], &["11", "12"]);
    refused(&format!("{} - 1 1", board(&[(11, "10")])), &["rank 11"], &["11", "10"]);
    refused(&format!("{} - 1 1", board(&[(7, "12")])), &["rank 7"], &["11", "12"]);
    refused(&format!("{} - 1 2", board(&[(1, "b11")])), &["rank 1"], &["11", "12"]);
    refused(&format!("{} - 1 2", board(&[(1, "b0w9")])), &["rank 1"], &["0"]);
    refused(&format!("{} - 1 1", board(&[(2, "4294967307")])), &["rank 2"], &["11"]);
    refused(&format!("{} - 1 1", board(&[(2, "18446744073709551627")])), &["rank 2"], &["11"]);
    refused(&format!("{} - 1 1", board(&[(3, "")])), &["rank 3"], &["11", "0"]);
    refused(&format!("{} - 1 1", board(&[(3, "wwwwwwwwwwww")])), &["rank 3"], &["11", "12"]);
}

#[test]
fn only_stones_stand_on_the_board() {
    for wrong in ['x', '-', 'é', '♔', '１', '\u{301}'] {
        let text = format!("{} - 1 2", board(&[(5, &format!("5{wrong}5"))]));
        refused(&text, &["rank 5"], &[&format!("{wrong:?}")]);
    }
}

#[test]
fn the_set_up_goes_step_by_step() {
    let ranks = ["11", "b10", "bw9", "bwb8", "bwbw7", "bwbwb6"];
    let players = [1, 1, 1, 2, 2, 1];
    for (step, (rank, player)) in (1..).zip(ranks.into_iter().zip(players)) {
        let board = board(&[(6, rank)]);
        assert_read::<Gomoku<Spec>>(&format!("{board} - {player} {step}"));
        assert_read::<Gomoku<Ggp>>(&format!("{board} - {player} {step}"));
        refused(&format!("{board} - {} {step}", 3 - player), &[PLAYER], &[&player.to_string()]);
        // These stones belong to another step.
        let other = if step == 1 { 6 } else { step - 1 };
        let player = players[other - 1];
        refused(&format!("{board} - {player} {other}"), &["board", STEP], &[&other.to_string()]);
    }
    // The right number of stones, the wrong colors.
    refused(&format!("{} - 1 2", board(&[(6, "w10")])), &["board"], &["0 and 1"]);
    refused(&format!("{} - 2 4", board(&[(6, "bww8")])), &["board"], &["1 and 2"]);
}

#[test]
fn the_step_is_one_of_six_until_a_color_is_picked() {
    for wrong in ["0", "7", "10", "256", "-", "-1", "x", "one", "é", "１"] {
        refused(&format!("{} - 1 {wrong}", board(&[])), &[STEP], &[wrong]);
    }
    for wrong in ["1", "4", "6", "0", "x", "--", "é"] {
        refused(&format!("{} b 1 {wrong}", board(&[])), &[STEP, COLOR], &[wrong]);
    }
}

#[test]
fn a_step_has_no_sign() {
    refused(&format!("{} - 1 +1", board(&[])), &[STEP], &["+1"]);
}

#[test]
fn letters_for_color_and_player_are_known_ones() {
    for wrong in ["x", "black", "bw", "é"] {
        refused(&format!("{} {wrong} 1 -", board(&[])), &[COLOR], &[wrong]);
    }
    for wrong in ["0", "3", "12", "p", "-", "b", "é"] {
        refused(&format!("{} b {wrong} -", board(&[])), &[PLAYER], &[wrong]);
    }
}

#[test]
fn a_pick_gives_the_turn_as_the_ruleset_says() {
    let early = board(&[(6, "bwb8")]);
    let late = board(&[(6, "bwbwb6")]);
    for board in [&early, &late] {
        // With white, player1 places first under both rulesets.
        assert_read::<Gomoku<Spec>>(&format!("{board} w 1 -"));
        assert_read::<Gomoku<Ggp>>(&format!("{board} w 1 -"));
        refused(&format!("{board} w 2 -"), &[PLAYER, "board"], &["black"]);
        // With black, player1 places first under `spec`, and player2 under `ggp`.
        assert_read::<Gomoku<Spec>>(&format!("{board} b 1 -"));
        assert_read::<Gomoku<Ggp>>(&format!("{board} b 2 -"));
        assert_refused::<Gomoku<Ggp>>(&format!("{board} b 1 -"), &[PLAYER, "board"], &["black"]);
    }
}

#[test]
fn a_game_without_set_up_is_read() {
    fn read<R: Ruleset>() {
        for (rank, black_to_move) in [("11", true), ("b10", false), ("bw9", true), ("bwb8", false)] {
            let player = if black_to_move { 1 } else { 2 };
            assert_read::<Gomoku<R>>(&format!("{} b {player} -", board(&[(6, rank)])));
            assert_read::<Gomoku<R>>(&format!("{} w {} -", board(&[(6, rank)]), 3 - player));
        }
        assert_refused::<Gomoku<R>>(&format!("{} b 2 -", board(&[])), &[PLAYER, "board"], &["white"]);
        assert_refused::<Gomoku<R>>(&format!("{} w 1 -", board(&[])), &[PLAYER, "board"], &["white"]);
    }
    read::<Spec>();
    read::<Ggp>();
    assert_eq!(
        Gomoku::<Spec>::without_setup(),
        format!("{} b 1 -", board(&[])).parse().expect("the game without set-up")
    );
}

/// Numbers of stones that are impossible whoever is to move.
fn refused_whoever_is_to_move(parts: &[&str]) {
    for rank in ["bbbb7", "w10", "bww8", "bbbbw6"] {
        for color in ["b", "w"] {
            for player in [1, 2] {
                refused(&format!("{} {color} {player} -", board(&[(6, rank)])), parts, &["black", "white"]);
            }
        }
    }
}

#[test]
fn stones_that_no_game_has_are_refused() {
    refused_whoever_is_to_move(&["board", PLAYER, COLOR]);
}

/// No player to move makes them possible, so the board gets the blame.
#[test]
fn stones_that_no_game_has_are_the_boards_fault() {
    refused_whoever_is_to_move(&["board"]);
}

/// Black moves twice in a row only after the set-up, which leaves at least two black stones and one
/// white stone.
#[test]
fn black_moves_twice_running_only_after_a_set_up() {
    assert_refused::<Gomoku<Spec>>(
        &format!("{} b 1 -", board(&[(6, "b10")])),
        &["board", PLAYER],
        &["1", "0"],
    );
    assert_refused::<Gomoku<Spec>>(
        &format!("{} b 2 -", board(&[(6, "bb9")])),
        &["board", PLAYER],
        &["2", "0"],
    );
}

type Cell = (usize, usize);

/// The board with these black and white stones, by file and rank from 1.
fn stones(black: &[Cell], white: &[Cell]) -> String {
    let rank = |y: usize| {
        let mut text = String::new();
        let mut empty = 0;
        for x in 1..=11 {
            let stone = match (black.contains(&(x, y)), white.contains(&(x, y))) {
                (true, _) => "b",
                (_, true) => "w",
                _ => {
                    empty += 1;
                    continue;
                }
            };
            if empty > 0 {
                text += &empty.to_string();
            }
            empty = 0;
            text += stone;
        }
        if empty > 0 { text + &empty.to_string() } else { text }
    };
    (1..=11).rev().map(rank).collect::<Vec<_>>().join("/")
}

/// A run along rank `y` from file a.
fn across(y: usize, length: usize) -> Vec<Cell> {
    (1..=length).map(|x| (x, y)).collect()
}

/// `count` cells on ranks 1, 3 and 5, no two of them neighbors.
fn scattered(count: usize) -> Vec<Cell> {
    [1, 3, 5].into_iter().flat_map(|y| (0..5).map(move |i| (2 + 2 * i, y))).take(count).collect()
}

const fn winning<R: Ruleset>() -> usize {
    if R::IS_GGP { 5 } else { 6 }
}

fn a_line_of_the_right_length_ends_the_game<R: Ruleset>() {
    for length in 4..=8 {
        let ended = length == winning::<R>();
        let black = stones(&across(9, length), &scattered(length - 1));
        let state = assert_read::<Gomoku<R>>(&format!("{black} b 2 -"));
        assert_eq!(state.outcome(), ended.then_some(Outcome::Win(Side::First)), "{length} in a row");
        let white = stones(&scattered(length), &across(9, length));
        let state = assert_read::<Gomoku<R>>(&format!("{white} b 1 -"));
        assert_eq!(state.outcome(), ended.then_some(Outcome::Win(Side::Second)), "{length} in a row");
        if ended {
            // The other color can't have moved after the end.
            let late = stones(&across(9, length), &scattered(length));
            assert_refused::<Gomoku<R>>(&format!("{late} b 1 -"), &["board"], &["black", "line"]);
        }
    }
}

fn one_stone_makes_all_lines_at_once<R: Ruleset>() {
    let length = winning::<R>();
    // Two ranks have no stone in common.
    let apart = stones(&[across(9, length), across(11, length)].concat(), &scattered(2 * length - 1));
    assert_refused::<Gomoku<R>>(&format!("{apart} b 2 -"), &["board"], &["line"]);
    // A rank and a file share their corner.
    let up = (12 - length..11).map(|y| (1, y)).collect();
    let crossing = stones(&[across(11, length), up].concat(), &scattered(2 * length - 2));
    let state = assert_read::<Gomoku<R>>(&format!("{crossing} b 2 -"));
    assert_eq!(state.outcome(), Some(Outcome::Win(Side::First)));
    // A line of each color.
    let both = stones(&across(9, length), &across(7, length));
    assert_refused::<Gomoku<R>>(&format!("{both} b 1 -"), &["board"], &["line"]);
}

#[test]
fn lines_spec() {
    a_line_of_the_right_length_ends_the_game::<Spec>();
    one_stone_makes_all_lines_at_once::<Spec>();
}

#[test]
fn lines_ggp() {
    a_line_of_the_right_length_ends_the_game::<Ggp>();
    one_stone_makes_all_lines_at_once::<Ggp>();
}
