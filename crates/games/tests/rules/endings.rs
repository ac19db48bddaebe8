//! How the games say that they ended.

use quintet_core::game::Notation;
use quintet_games::gomoku::Gomoku;
use quintet_games::krk::Krk;
use quintet_games::pentago::Pentago;
use quintet_games::quarto::Quarto;
use quintet_games::qubic::Qubic;
use quintet_games::{Ggp, Spec};

/// How the game ended that is over in a position.
fn ending<G: Notation>(position: &str) -> String {
    let position: G = position.parse().expect("a position");
    assert!(position.outcome().is_some(), "{position} goes on");
    position.ending().expect("the games have words for it")
}

#[test]
fn quarto_says_what_the_pieces_of_a_line_have_in_common() {
    assert_eq!(ending::<Quarto<Ggp>>("1357/..../..../.... - w"), "four light hollow pieces, a4 to d4");
    let two = "four light hollow pieces, a4 to d4; four hollow pieces, a1 to a4";
    assert_eq!(ending::<Quarto<Spec>>("1357/9.../b.../f... - b"), two);
}

#[test]
fn gomoku_says_how_many_stones_a_line_has() {
    let over = "11/11/11/11/11/3bbbbb3/11/11/11/11/wwww7 b 2 -";
    assert_eq!(ending::<Gomoku<Ggp>>(over), "five black stones in a row, d6 to h6");
}

#[test]
fn qubic_and_pentago_say_whose_line_it_is() {
    let empty = "|4/4/4/4|4/4/4/4|4/4/4/4";
    let row = "four X in a row, r1 c1 level 1 to r1 c4 level 1";
    assert_eq!(ending::<Qubic>(&format!("xxxx/ooo1/4/4{empty} o -")), row);
    let file = "5b/r4b/r4b/r4b/r5/r5 r rotate";
    assert_eq!(ending::<Pentago<Ggp>>(file), "five red marbles in a row, a1 to a5");
}

#[test]
fn krk_tells_mate_stalemate_and_the_last_move() {
    assert_eq!(ending::<Krk<Ggp>>("k3/2K1/4/R3 b 4"), "checkmate");
    assert_eq!(ending::<Krk<Ggp>>("k3/1RK1/4/4 b 4"), "stalemate: black has no move");
    let late = "the moves ran out: all 9 are made, and black is not mated";
    assert_eq!(ending::<Krk<Ggp>>("k3/4/4/2KR b 10"), late);
    assert_eq!(ending::<Krk<Spec>>("k3/4/4/2KR w 11"), late.replace('9', "10"));
}
