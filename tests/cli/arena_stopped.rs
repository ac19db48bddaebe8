//! `quintet arena`, interrupted: finished games are not lost.

#![cfg(unix)]

use std::fs;

use serde_json::Value;

use crate::harness::{Run, command, quintet};
use crate::running::interrupted_after_a_game;

/// Interrupts a match after its first game, and returns the finished run and the records.
fn interrupted(flags: &[&str]) -> (Run, Vec<Value>) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("games.jsonl");
    let mut command = command();
    command.args([
        "arena",
        "krk,quarto",
        "--engine",
        "quick=uct:iterations=500,threads=1",
        "--engine",
        "random",
    ]);
    command.args(["--games", "100000", "--concurrency", "2", "--out"]).arg(&file).args(flags);
    let run = interrupted_after_a_game(command, &file);

    let path = file.to_str().expect("the path is text");
    assert!(quintet(["replay", path]).succeeds_quietly().stdout.contains(", all correct; "));
    let content = fs::read_to_string(&file).expect("the records are there");
    assert!(content.ends_with('\n'), "the last line is complete");
    let records =
        content.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect();
    (run, records)
}

#[test]
fn an_interrupted_match_keeps_its_games_and_prints_their_table() {
    let (run, records) = interrupted(&[]);
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..5], ["game", "rules", "engine", "against", "games"], "{run}");
    assert_eq!(rows[1][..4], ["krk", "spec", "quick", "random"], "{run}");
    assert_eq!(rows[1][4], records.len().to_string(), "{run}");
    assert_eq!(run.stdout.matches("quick").count(), 1, "no row of a match without a game: {run}");
    let said = format!("interrupted after {} of 200000 games; to continue, add --resume\n", records.len());
    assert!(run.stderr.ends_with(&said), "{run}");
}

#[test]
fn an_interrupted_match_has_json_results_too() {
    let (run, records) = interrupted(&["--json"]);
    let results = run.json()["results"].take();
    assert_eq!(results[0]["games"], records.len(), "{run}");
    assert!(results[1]["score"].is_null() && results[1]["elo"].is_null(), "{run}");
}
