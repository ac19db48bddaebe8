//! Parts of a tournament.

use quintet_arena::tournament::merge;
use quintet_protocol::GameRecord;

use crate::harness::{played, tournament};

fn parts() -> [Vec<GameRecord>; 2] {
    let games = played(&tournament(&["krk", "quarto"], ["a=random", "b=random"], 2, 3));
    assert_eq!(games.len(), 8);
    let (first, second) = games.split_at(3);
    [first.to_vec(), second.to_vec()]
}

fn files(first: Vec<GameRecord>, second: Vec<GameRecord>) -> Vec<(String, Vec<GameRecord>)> {
    vec![("x".to_owned(), first), ("y".to_owned(), second)]
}

fn place(record: &GameRecord) -> (&str, usize, bool) {
    (&record.game, record.pair, record.seating() == [true, false])
}

#[test]
fn games_are_ordered_by_match_and_pair_and_taken_once() {
    let [first, second] = parts();
    let mut again = second.clone();
    again.reverse();
    again.extend_from_slice(&first[1..]);
    // What was thought may differ.
    for it in &mut again {
        it.thoughts.clear();
    }
    let merged = merge(files(again, first)).expect("parts");
    let places: Vec<_> = merged.iter().map(place).collect();
    let of = |game| [(game, 0, false), (game, 0, true), (game, 1, false), (game, 1, true)];
    // The reversed part begins with quarto.
    assert_eq!(places, [of("quarto"), of("krk")].concat());
    assert!(merge(Vec::new()).expect("nothing").is_empty());
}

#[test]
fn parts_of_other_tournaments_are_refused() {
    let [first, second] = parts();
    let error = |change: &dyn Fn(&mut GameRecord)| {
        let mut second = second.clone();
        change(&mut second[2]);
        merge(files(first.clone(), second)).expect_err("another tournament").to_string()
    };
    for (message, change) in [
        (
            "program: \"quintet 1\" in line 1 of x, \"other\" in line 3 of y",
            &(|it: &mut GameRecord| it.arena.program = "other".into()) as &dyn Fn(&mut GameRecord),
        ),
        ("seed: \"3\" in line 1 of x, \"4\" in line 3 of y", &|it| it.arena.seed = 4),
        ("openings: \"2 random plies\" in line 1 of x, \"none\" in line 3 of y", &|it| {
            it.arena.openings = "none".into();
        }),
        ("resign: \"none\" in line 1 of x, \"value=5,moves=3\" in line 3 of y", &|it| {
            it.arena.resign = Some("value=5,moves=3".into());
        }),
        ("draw: \"none\" in line 1 of x, \"value=5,moves=3\" in line 3 of y", &|it| {
            it.arena.draw = Some("value=5,moves=3".into());
        }),
        ("engine a: \"random\" in line 1 of x, \"uct\" in line 3 of y", &|it| {
            it.arena.engines["a"] = "uct".into();
        }),
    ] {
        assert_eq!(error(change), message);
    }
    let mut other = first.clone();
    other[1].moves.pop();
    let error = merge(files(first.clone(), other)).expect_err("another game").to_string();
    assert_eq!(
        error,
        "the game with opening 1 of a – b, krk spec, and white: b, black: a differs between x and y"
    );
}
