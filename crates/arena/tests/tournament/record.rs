//! Records that contradict the rules of their games, or themselves.

use indexmap::IndexMap;
use quintet_arena::tournament::record::check_game;
use quintet_protocol::{Conditions, End, GameRecord, Thought};

/// A game of KRK that ended by a timeout after its first move.
fn timed_out() -> GameRecord {
    let [white, black] = ["white", "black"].map(str::to_owned);
    GameRecord {
        game: "krk".to_owned(),
        rules: "spec".to_owned(),
        pair: 0,
        position: None,
        opening: vec!["Kc1-c2".to_owned()],
        moves: vec!["Kc1-c2".to_owned()],
        seats: [(white.clone(), "a".to_owned()), (black.clone(), "b".to_owned())].into(),
        scores: [(white, 100), (black, 0)].into(),
        seed: 0,
        end: End::Time,
        fault: Some("no answer".to_owned()),
        thoughts: Vec::new(),
        times: IndexMap::new(),
        arena: Conditions {
            program: String::new(),
            seed: 1,
            openings: "by hand".to_owned(),
            resign: None,
            draw: None,
            rulesheet: None,
            models: IndexMap::new(),
            engines: IndexMap::new(),
        },
    }
}

fn thought(value: f64, proven: Option<u8>) -> Thought {
    Thought { value: Some(value), proven, iterations: None, depth: None, ms: 7, cpu_ms: None }
}

#[test]
fn a_wrong_record_is_refused_with_what_is_wrong() {
    type Break = fn(&mut GameRecord);
    let cases: [(&str, Break); 14] = [
        ("bad position: fields: expected 3 fields", |it| it.position = Some("k3".to_owned())),
        ("ply 1: illegal move \"Kc1-c9\"; legal here: ", |it| {
            it.moves = vec!["Kc1-c9".to_owned()];
            it.opening.clear();
        }),
        ("opening: these are not the first moves of the game", |it| it.opening = vec!["Rd1-d2".to_owned()]),
        ("seats: expected the roles white, black", |it| {
            it.seats.insert("red".to_owned(), "c".to_owned());
        }),
        ("seats: expected the roles white, black", |it| {
            it.seats.shift_remove("black");
        }),
        ("seats: \"a\" plays against itself", |it| {
            it.seats.insert("black".to_owned(), "a".to_owned());
        }),
        ("scores: expected the roles white, black", |it| it.scores.clear()),
        ("scores: an engine lost by a fault, so it has 0", |it| {
            it.scores.insert("black".to_owned(), 100);
        }),
        ("scores: an engine lost by a fault, so it has 0", |it| {
            it.scores.insert("white".to_owned(), 255);
        }),
        ("thoughts: 2, but there are 1 moves", |it| it.thoughts = vec![None, None]),
        ("thoughts: entry 1: the value is not from 0 to 100", |it| {
            it.thoughts = vec![Some(thought(100.5, None))];
        }),
        ("thoughts: entry 1: the game can't end with what is proven", |it| {
            it.thoughts = vec![Some(thought(1.0, Some(1)))];
        }),
        ("end: the game goes on after these moves, by its rules", |it| it.end = End::Rules),
        // Black is stuck and in check: white has won.
        ("scores: by the rules white has 100, not 0", |it| {
            it.position = Some("k1K1/4/4/R3 b 3".to_owned());
            it.moves.clear();
            it.opening.clear();
            it.scores = [("white".to_owned(), 0), ("black".to_owned(), 100)].into_iter().collect();
            it.end = End::Rules;
        }),
    ];
    for (wanted, damage) in cases {
        let mut record = timed_out();
        damage(&mut record);
        let error = check_game(&record, &quintet_games::registry()).expect_err(wanted);
        assert!(error.starts_with(wanted), "{error}");
    }
}
