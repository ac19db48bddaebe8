//! `quintet bench strength`: ladders from a file, results in a folder.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::harness::{Run, command, fields, quintet, run, without_times};

/// Two tiny ladders.
const LADDERS: &str = r#"
seed = 3
opening-plies = 2
games-per-meeting = 4
games = ["krk", "quarto"]
rules = ["spec"]

[[ladder]]
name = "up"
title = "Up"
base = "random"
kinds = ["uct", "quintet"]
steps = [{ iterations = 20, trees = 1 }, { iterations = 40, trees = 1 }]

[[ladder]]
name = "wide"
title = "Wide"
kinds = ["uct"]
steps = [{ iterations = 20, trees = 1 }, { iterations = 20, trees = 2 }]
"#;

/// The meetings of "up" in one game and ruleset: 2 with the base, 1 within each kind, 2 between the
/// kinds.
const MEETINGS: usize = 6;

fn strength(folder: &Path, ladders: &str, more: &[&str]) -> Run {
    let config = folder.join("ladders.toml");
    fs::write(&config, ladders).expect("written");
    let path = |path: &Path| path.to_str().expect("the path is text").to_owned();
    let args = ["bench", "strength", "--config", &path(&config), "--out", &path(&folder.join("out"))];
    quintet([&args[..], more].concat())
}

fn read(folder: &Path, name: &str) -> String {
    let path = folder.join("out").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn results_are_written_and_the_ratings_are_those_of_the_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = strength(folder.path(), LADDERS, &["--json"]).exits(0);
    let lines = run.json_lines();
    assert_eq!(read(folder.path(), "ladder.jsonl"), run.stdout);
    assert_eq!(fields(&lines[0]), "command figure games_per_meeting opening_plies revision seed");
    // Two games; "up" has five engines, "wide" two.
    assert_eq!(lines.len(), 1 + 2 * (5 + 2));
    for line in &lines[1..] {
        assert_eq!(line["figure"], "rating");
        assert_eq!(
            fields(line),
            "bounded elo engine figure game games group iterations kind ladder rules score trees"
        );
        let elo: Vec<f64> = serde_json::from_value(line["elo"].clone()).expect("three numbers");
        assert!(elo[0] <= elo[1] && elo[1] <= elo[2], "{line}");
        if line["engine"] == "uct 20" {
            assert_eq!(elo, [0.0; 3], "the first step of the first kind is where ratings have their 0");
        }
    }
    let page = read(folder.path(), "ladder.md");
    assert!(page.contains("\n## Up\n") && page.contains("\n## Wide\n"), "{page}");
    // A row for each rating.
    let rows = page
        .lines()
        .filter(|line| line.starts_with("| krk | spec |") || line.starts_with("| quarto | spec |"));
    assert_eq!(rows.count(), 2 * (5 + 2), "{page}");
    // The records are valid.
    let games = folder.path().join("out/games/up.jsonl");
    quintet(["replay", games.to_str().expect("text")]).exits(0);
}

#[test]
fn the_same_command_goes_on_and_plays_nothing_twice() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = strength(folder.path(), LADDERS, &["--json"]).exits(0);
    let log = folder.path().join("out/games/up.jsonl");
    let whole = fs::read_to_string(&log).expect("the games are there");
    let record = |line: &str| without_times(serde_json::from_str(line).expect("a record is JSON"));
    let sorted = |text: &str| -> BTreeSet<String> { text.lines().map(|it| record(it).to_string()).collect() };
    assert_eq!((whole.lines().count(), sorted(&whole).len()), (2 * 4 * MEETINGS, 2 * 4 * MEETINGS));

    assert_eq!(strength(folder.path(), LADDERS, &["--json"]).exits(0).stdout, first.stdout);
    assert_eq!(fs::read_to_string(&log).expect("there"), whole, "nothing was missing");

    let half: String = whole.split_inclusive('\n').take(20).collect();
    fs::write(&log, &half).expect("written");
    assert_eq!(strength(folder.path(), LADDERS, &["--json"]).exits(0).stdout, first.stdout);
    let again = fs::read_to_string(&log).expect("there");
    assert!(again.starts_with(&half));
    assert_eq!((again.lines().count(), sorted(&again)), (whole.lines().count(), sorted(&whole)));
}

#[cfg(unix)]
#[test]
fn interrupted_it_keeps_the_games_and_writes_no_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("ladders.toml");
    let long = LADDERS.replacen("games-per-meeting = 4", "games-per-meeting = 4000", 1);
    fs::write(&config, long).expect("written");
    let out = folder.path().join("out");
    let mut command = crate::harness::command();
    command.args(["bench", "strength", "--config"]).arg(&config).arg("--out").arg(&out);
    let run = crate::running::interrupted_after_a_game(command, &out.join("games/up.jsonl"));
    assert!(run.stderr.contains("interrupted: the same command resumes it"), "{run}");
    assert_eq!(run.stdout, "", "{run}");
    assert!(read(folder.path(), "games/up.jsonl").ends_with('\n'));
    assert!(!out.join("ladder.md").exists());
}

#[test]
fn the_games_of_other_ladders_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    strength(folder.path(), LADDERS, &[]).exits(0);
    let games = read(folder.path(), "games/up.jsonl");
    let other = LADDERS.replace("seed = 3", "seed = 4");
    let message = strength(folder.path(), &other, &[]);
    assert!(
        message.stderr.contains("up.jsonl, line 1: a game of another tournament: seed: 3 there; 4 here"),
        "{message}"
    );
    message.exits(2);
    assert_eq!(read(folder.path(), "games/up.jsonl"), games);
}

#[test]
fn a_wrong_file_is_refused_with_the_place_and_nothing_is_made() {
    let folder = tempfile::tempdir().expect("a folder");
    for (from, to, parts) in [
        ("seed = 3", "seeds = 3", &["ladders.toml", "line 2", "unknown field `seeds`"][..]),
        ("\"quarto\"]", "\"chess\"]", &["ladders.toml", "line 5", "unknown game \"chess\""]),
        ("[\"uct\"]", "[\"deep\"]", &["ladders.toml", "line 18", "\"deep\" is not an engine"]),
        ("trees = 2", "trees = 1", &["ladders.toml", "ladder \"wide\"", "uct 20", "two of this name"]),
        ("trees = 2", "trees = 21", &["ladders.toml", "ladder \"wide\"", "more trees than iterations"]),
        (
            "games-per-meeting = 4",
            "games-per-meeting = 5",
            &["ladders.toml", "games-per-meeting = 5", "even"],
        ),
    ] {
        assert!(LADDERS.contains(from), "{from}");
        let message = strength(folder.path(), &LADDERS.replacen(from, to, 1), &[]).refused();
        for part in parts {
            assert!(message.contains(part), "{to}: no {part:?} in {message}");
        }
    }
    assert!(!folder.path().join("out").exists());
    let message = quintet(["bench", "strength", "--config", "nowhere.toml"]).refused();
    assert!(message.contains("can't read nowhere.toml"), "{message}");
}

#[test]
fn without_a_file_the_built_in_ladders_are_played() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut elsewhere = command();
    // The results can't be written there, which is found out after the ladders have been read.
    elsewhere.args(["bench", "strength", "--out", "file/out"]).current_dir(folder.path());
    fs::write(folder.path().join("file"), "").expect("written");
    let message = run(elsewhere, "").refused();
    assert!(message.contains("can't create the folder file/out"), "{message}");
}

#[test]
fn a_row_of_engines_has_ratings_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let (head, _) = LADDERS.split_once("[[ladder]]").expect("there is a ladder");
    let engines = r#"["random", "a=uct:iterations=5,threads=1", "b=uct:iterations=50,threads=1"]"#;
    let row = format!("{head}[[ladder]]\nname = \"row\"\ntitle = \"Row\"\nengines = {engines}\n");
    let lines = strength(folder.path(), &row, &["--json"]).exits(0).json_lines();
    let (run, ratings) = lines.split_first().expect("there are lines");
    assert_eq!(run["games_per_meeting"], 4);
    assert_eq!(ratings.len(), 2 * 3);
    for rating in ratings {
        assert_eq!(rating["figure"], "rating");
        // Each engine has met both others.
        assert_eq!(rating["games"], 8);
        let expected = match rating["engine"].as_str() {
            Some("random") => {
                assert_eq!(rating["elo"], serde_json::json!([0.0, 0.0, 0.0]));
                "random"
            }
            Some("a") => "uct:iterations=5,threads=1",
            _ => "uct:iterations=50,threads=1",
        };
        assert_eq!(rating["kind"], expected);
    }
    let page = read(folder.path(), "ladder.md");
    assert!(page.contains("\n| krk | spec | a | 8 | "), "{page}");
}
