//! What the games ask the role to move to do.

use quintet_core::game::Notation;
use quintet_games::gomoku::Gomoku;
use quintet_games::krk::Krk;
use quintet_games::pentago::Pentago;
use quintet_games::quarto::Quarto;
use quintet_games::qubic::Qubic;
use quintet_games::{Ggp, Spec};

/// The task at the start and after each of `moves`.
fn tasks<G: Notation>(moves: &str) -> Vec<String> {
    let mut position = G::initial();
    let mut tasks = vec![position.task().expect("there is something to do")];
    for token in moves.split(' ') {
        position.apply(position.parse_move(token).expect("a legal move"));
        tasks.extend(position.task());
    }
    tasks
}

#[test]
fn quarto_says_who_has_to_place_the_piece() {
    let ggp = tasks::<Quarto<Ggp>>("0101 b2");
    assert_eq!(
        ggp,
        [
            "select the piece that black has to place",
            "place the piece 0101",
            "select the piece that white has to place"
        ]
    );
    let spec = tasks::<Quarto<Spec>>("0101 b2");
    assert_eq!(spec[1..], ["place the piece 0101", "select a piece, then place it"]);
}

#[test]
fn qubic_says_the_order_of_the_choices() {
    let ggp = tasks::<Qubic<Ggp>>("r1 c1 l1 r2 c1 l1");
    let first =
        ["choose a row, then a column and a level", "choose a column, then a level", "choose a level"];
    assert_eq!((&ggp[..3], &ggp[3..6]), (&first.map(str::to_owned)[..], &first.map(str::to_owned)[..]));
    assert_eq!(ggp[6], "choose a column, then a level and a row");
    assert_eq!(tasks::<Qubic<Spec>>("r1 c1 l1 r2 c1 l1")[6], first[0]);
}

#[test]
fn gomoku_leads_through_the_set_up() {
    let five = tasks::<Gomoku<Ggp>>("a1 b1 c1 d1 e1 white");
    let six = [
        "place a black stone, number 1 of 3 of the set-up",
        "place a white stone, number 2 of 3 of the set-up",
        "place a black stone, number 3 of 3 of the set-up",
        "pick your color, black or white, or place a white and a black stone and let player1 pick",
        "place a black stone; then player1 picks a color",
        "pick your color, black or white",
        "place a white stone",
    ];
    assert_eq!(five, six);
    assert_eq!(tasks::<Gomoku<Spec>>("a1 b1 c1 black")[4], "place a white stone");
}

#[test]
fn pentago_says_when_to_place_and_when_to_rotate() {
    let (place, rotate) = ("place a black stone", "rotate a quadrant, 1 to 4, cw or ccw");
    assert_eq!(tasks::<Pentago<Ggp>>("a1 1cw"), ["place a red stone", rotate, place]);
    assert_eq!(tasks::<Pentago<Spec>>("a1 b1"), ["place a red stone", place, rotate]);
}

#[test]
fn krk_counts_the_moves_that_the_side_to_move_has_left() {
    let last = |tasks: &[String]| tasks[tasks.len() - 1].clone();
    let moves = "Kc1-c2 ka4-a3";
    assert_eq!(last(&tasks::<Krk<Ggp>>(moves)), "move the king or the rook (4 moves left)");
    assert_eq!(tasks::<Krk<Spec>>(moves)[1], "move the king (5 moves left)");
}
