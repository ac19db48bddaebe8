//! What engines thought, in the records of `quintet arena`, and games that end because they agree.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Run, quintet, strings};

fn arena(args: &[&str], file: &Path) -> Run {
    let out = file.to_str().expect("the path is text");
    quintet([&["arena"], args, &["--concurrency", "1", "--out", out]].concat())
}

fn records(file: &Path) -> Vec<Value> {
    let content = fs::read_to_string(file).expect("the records are there");
    content.lines().map(|line| serde_json::from_str(line).expect("a record is JSON")).collect()
}

#[test]
fn every_move_of_an_engine_has_a_thought() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games.jsonl");
    let args = ["all", "--rules", "both", "--games", "2", "--opening-plies", "3", "--threads", "1"];
    let engines = ["--engine", "q=quintet:iterations=30", "--engine", "r=random"];
    arena(&[&args[..], &engines].concat(), &file).exits(0);
    let mut seen = 0;
    for record in records(&file) {
        let (moves, thoughts) = (strings(&record["moves"]), record["thoughts"].as_array().expect("a list"));
        assert_eq!(thoughts.len(), moves.len());
        let (given, own) = thoughts.split_at(3);
        assert!(given.iter().all(Value::is_null), "{record}");
        for thought in own {
            assert!(thought["ms"].is_u64(), "{thought}");
            // Only quintet has an opinion.
            let value = thought["value"].as_f64();
            assert!(value.is_none_or(|value| (0.0..=100.0).contains(&value)), "{thought}");
            let is_proven = !thought["proven"].is_null();
            assert!(!is_proven || value == thought["proven"].as_f64(), "{thought}");
            seen += usize::from(value.is_some());
        }
    }
    assert!(seen > 100, "{seen}");
}

const AGREEING: [&str; 12] = [
    "pentago",
    "--rules",
    "ggp",
    "--games",
    "6",
    "--engine",
    "a=uct:iterations=400,threads=1",
    "--engine",
    "b=uct:iterations=300,threads=1",
    "--resign",
    "value=35,moves=1",
    "--draw=value=1,moves=2",
];

#[test]
fn games_end_when_both_engines_agree() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games.jsonl");
    let table = arena(&AGREEING, &file).exits(0);
    let games = records(&file);
    let is_agreed = |record: &Value| record["end"] == "adjudication";
    let agreed: Vec<&Value> = games.iter().filter(|it| is_agreed(it)).collect();
    assert!(!agreed.is_empty(), "{games:?}");
    assert!(!table.stdout.contains(" lost ") && !table.stderr.contains("loses a game"), "{table}");
    for record in &agreed {
        assert!(record.get("fault").is_none(), "{record}");
        assert_eq!(record["arena"]["resign"], "value=35,moves=1");
    }
    let out = file.to_str().expect("the path is text");
    quintet(["replay", out]).succeeds_quietly();
    quintet(["arena", "report", out]).exits(0);
    // Played again, the games are the same; under other conditions they are not continued.
    let again = [&AGREEING[..], &["--resume"]].concat();
    arena(&again, &file).exits(0);
    assert_eq!(records(&file), games);
    let other: Vec<&str> =
        again.iter().map(|it| it.strip_prefix("value=35,").map_or(*it, |_| "value=9,moves=1")).collect();
    let message = arena(&other, &file).refused();
    assert!(message.contains("resign: value=35,moves=1 there; value=9,moves=1 here"), "{message}");

    // What the engines did not agree on is not believed.
    let is_won = |record: &&&Value| record["scores"].to_string().contains("100");
    let mut changed = (*agreed.iter().find(is_won).expect("not all are drawn")).clone();
    for score in changed["scores"].as_object_mut().expect("scores").values_mut() {
        *score = (100 - score.as_u64().expect("a number")).into();
    }
    let text = format!("{changed}\n");
    fs::write(&file, text).expect("it can be written");
    let run = quintet(["replay", out]).exits(1);
    assert!(run.stdout.contains("the engines do not agree on this result"), "{run}");
}

#[test]
fn agreements_are_given_whole() {
    for wrong in ["5", "value=5", "value=51,moves=1", "value=5,moves=0"] {
        let flag = format!("--resign={wrong}");
        let message = quintet(["arena", "krk", "--engine", "a=uct", "--engine", "b=uct", &flag]).refused();
        assert!(message.contains("value=5,moves=3"), "{message}");
    }
}
