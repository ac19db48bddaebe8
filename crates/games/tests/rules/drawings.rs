//! What positions look like in a terminal.

use quintet_core::game::Notation;
use quintet_games::{Ggp, Gomoku, Krk, Pentago, Quarto, Qubic, Spec};

/// The drawing of a position after some moves, with a legal move marked.
fn drawn<G: Notation>(moves: &str, mark: &str) -> String {
    let mut position = G::initial();
    for token in moves.split_whitespace() {
        position.apply(position.parse_move(token).expect("a legal move"));
    }
    position.draw(Some(position.parse_move(mark).expect("a legal move")))
}

#[test]
fn quarto_shows_the_pool_and_the_piece_in_hand() {
    let board = " 4  ....  ....  ....  ....
 3  ....  ....  ....  ....
 2  ....  0101  ....  ....
 1  ....  ....  .... [....]
     a     b     c     d
   pool: 0000  0001  0010  0011  0100  0110  0111  1000
         1001  1010  1011  1101  1110  1111
   in hand: 1100
";
    assert_eq!(drawn::<Quarto<Ggp>>("0101 b2 1100", "d1"), board);
    let pool = "         1001  1010  1011  1101  1110 [1111]\n";
    assert!(drawn::<Quarto<Ggp>>("0101 b2 1100 a4", "1111").ends_with(pool));
}

#[test]
fn qubic_shows_its_levels_side_by_side() {
    let board = "        level 1          level 2          level 3          level 4
     c1 c2 c3 c4      c1 c2 c3 c4      c1 c2 c3 c4      c1 c2 c3 c4
r1   x  .  .  .       .  .  . [.]      .  .  .  .       .  .  .  .
r2   o  .  .  .       .  .  . [.]      .  .  .  .       .  .  .  .
r3   .  .  .  .       .  .  . [.]      .  .  .  .       .  .  .  .
r4   .  .  .  .       .  .  . [.]      .  .  .  .       .  .  .  .
";
    assert_eq!(drawn::<Qubic<Ggp>>("r1 c1 l1 r2 c1 l1 c4", "l2"), board);
}

#[test]
fn gomoku_shows_both_colors_and_the_pick() {
    let picked = drawn::<Gomoku<Ggp>>("a1 k11 f6", "black");
    let lines: Vec<&str> = picked.lines().collect();
    assert_eq!(lines[0], "11  .  .  .  .  .  .  .  .  .  .  w");
    assert_eq!(lines[5], " 6  .  .  .  .  .  b  .  .  .  .  .");
    assert_eq!(lines[10], " 1  b  .  .  .  .  .  .  .  .  .  .");
    assert_eq!(lines[11..], ["    a  b  c  d  e  f  g  h  i  j  k", "   pick: [black] white"]);
    let placed = drawn::<Gomoku<Spec>>("a1 k11 f6", "b2");
    let lines: Vec<&str> = placed.lines().collect();
    assert_eq!(lines[9], " 2  . [.] .  .  .  .  .  .  .  .  .");
    assert_eq!(lines[12..], ["   pick:  black  white"]);
    assert!(!drawn::<Gomoku<Ggp>>("a1 k11", "f6").contains("pick"));
}

#[test]
fn pentago_shows_its_quadrants_apart() {
    let board = " 6  .  .  .   .  .  .
 5  .  .  .   .  .  .
 4  .  .  .   .  b  .

 3  r  .  .  [.] .  .
 2  .  .  .   .  .  .
 1  .  .  .   .  .  .
    a  b  c   d  e  f
";
    assert_eq!(drawn::<Pentago<Ggp>>("a1 3cw f5 1cw", "d3"), board);
    let rotated = drawn::<Pentago<Ggp>>("a1 1cw f5", "3ccw");
    assert_eq!(rotated.matches('[').count(), 9);
    assert!(rotated.contains(" 1 [r][.][.]  .  .  .\n"), "{rotated}");
}

#[test]
fn krk_shows_where_a_piece_goes() {
    let board = " 4 [k][.] .  .
 3  .  .  .  .
 2  .  .  K  .
 1  .  .  .  R
    a  b  c  d
";
    assert_eq!(drawn::<Krk<Spec>>("Kc1-c2", "ka4-b4"), board);
}
