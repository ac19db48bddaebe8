use std::collections::HashSet;

use quintet_core::game::Rng;
use quintet_games::qubic::Qubic as Twin;
use quintet_games::{Ggp, Spec};

use super::*;
use crate::twins;

const START: &str = "4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x -";

#[test]
fn the_rules_are_those_of_quintet_games() {
    twins::the_rules_are_those_of::<Twin<Spec>>(&Qubic::new(false), 60);
    twins::the_rules_are_those_of::<Twin<Ggp>>(&Qubic::new(true), 60);
}

#[test]
fn there_are_76_lines() {
    let lines: HashSet<u64> = lines().into_iter().collect();
    assert!(lines.len() == 76 && lines.iter().all(|line| line.count_ones() == 4));
}

#[test]
fn there_are_192_symmetries_and_each_keeps_the_lines() {
    let game = Qubic::new(false);
    assert_eq!(game.symmetries.iter().collect::<HashSet<_>>().len(), 192);
    let lines: HashSet<u64> = game.lines.iter().copied().collect();
    for symmetry in 0..192 {
        assert_eq!(
            game.lines.iter().map(|line| game.image_of(symmetry, *line)).collect::<HashSet<_>>(),
            lines
        );
    }
}

#[test]
fn symmetric_positions_have_equal_keys() {
    let game = Qubic::new(true);
    let mut rng = Rng::stream(1, 0);
    for symmetry in 0..192 {
        twins::images_have_equal_keys(&game, &symmetry, START, &mut rng);
    }
}

#[test]
fn positions_that_are_not_symmetric_have_different_keys() {
    let game = Qubic::new(false);
    let keys =
        |marks: &[[u64; 2]]| marks.iter().map(|it| game.canonical(&Cube(*it)).0).collect::<HashSet<_>>();
    let first: Vec<[u64; 2]> = (0..64).map(|cell| [1 << cell, 0]).collect();
    assert_eq!(keys(&first).len(), 2);
    let second: Vec<[u64; 2]> = (1..64).map(|cell| [1, 1 << cell]).collect();
    assert_eq!(keys(&second).len(), 12, "replies to a corner");
}

/// A random position of a game that goes on, X to move.
fn random(game: &Qubic, rng: &mut Rng) -> Cube {
    loop {
        let mut cube = Cube([0; 2]);
        for _ in 0..2 * (5 + rng.below(15)) {
            let turns = game.turns(&cube);
            let turn = turns[rng.below(turns.len())];
            match game.play(&cube, turn) {
                Next::Position(next) => cube = next,
                Next::End(_) => break,
            }
        }
        if game.side(&cube) == 0 && cube.marked() >= 10 {
            return cube;
        }
    }
}

/// A win by threes straight from its definition.
fn wins_by_threes(game: &Qubic, marks: [u64; 2]) -> bool {
    let blank = !(marks[0] | marks[1]);
    let completes = |own: u64, cell: u8| game.has_line(own | 1 << cell);
    if bits(blank).any(|cell| completes(marks[0], cell)) {
        return true;
    }
    let threats: Vec<u8> = bits(blank).filter(|cell| completes(marks[1], *cell)).collect();
    bits(blank).any(|attack| {
        let own = marks[0] | 1 << attack;
        let replies: Vec<u8> = bits(blank & !(1 << attack)).filter(|cell| completes(own, *cell)).collect();
        threats.iter().all(|cell| *cell == attack)
            && match replies[..] {
                [] => false,
                [reply] => wins_by_threes(game, [own, marks[1] | 1 << reply]),
                _ => true,
            }
    })
}

#[test]
fn a_win_by_threes_is_found_if_there_is_one() {
    let game = Qubic::new(false);
    let mut rng = Rng::stream(2, 0);
    let mut found = [0; 2];
    for _ in 0..3_000 {
        let cube = random(&game, &mut rng);
        let [own, other] = cube.0;
        if completing(&game.lines, own, other) == 0 && completing(&game.lines, other, own) == 0 {
            let is_won = game.wins_by_threes(own, other, u64::MAX, &mut { MOST_ATTACKS });
            assert_eq!(is_won, wins_by_threes(&game, cube.0), "{}", game.write(&cube));
            found[usize::from(is_won)] += 1;
        }
    }
    assert!(found.iter().all(|count| *count > 100), "{found:?}");
}

#[test]
fn the_search_for_threes_gives_up() {
    let game = Qubic::new(false);
    let mut rng = Rng::stream(3, 0);
    let mut given_up = 0;
    for _ in 0..200 {
        let [own, other] = random(&game, &mut rng).0;
        if completing(&game.lines, own, other) == 0 && completing(&game.lines, other, own) == 0 {
            let mut left = 2;
            let is_won = game.wins_by_threes(own, other, u64::MAX, &mut left);
            given_up += u32::from(!is_won && left == 0);
        }
    }
    assert!(given_up > 10, "{given_up}");
}
