//! `quintet suite`: engines on positions with known best moves.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Run, quintet, quintet_reading};

fn suite(problem: &Value) -> Run {
    let folder = tempfile::tempdir().expect("created");
    let file = folder.path().join("own.jsonl");
    fs::write(&file, problem.to_string()).expect("written");
    let file = file.to_str().expect("the path is text");
    quintet(["suite", file, "--iterations", "2000", "--threads", "1", "--json"])
}

#[test]
fn a_position_without_rules_is_one_of_the_games_first_ruleset() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suites/quarto-spec.jsonl");
    let text = fs::read_to_string(path).expect("a suite");
    // The best move wins under spec and draws under ggp.
    let line = text.lines().nth(3).expect("there are more");
    let mut problem: Value = serde_json::from_str(line).expect("JSON");
    problem["rules"] = json!("ggp");
    assert!(suite(&problem).exits(1).stderr.contains("proven to score 50, not 100"));
    problem.as_object_mut().expect("an object").shift_remove("rules");
    let score = suite(&problem).succeeds_quietly().json();
    assert_eq!([&score["right"], &score["proven"]], [1, 1], "{score}");
}

#[test]
fn a_problem_that_contradicts_the_rules_is_refused() {
    for (problem, part) in [
        (json!({ "best": [] }), "line 1: best: there is no move"),
        (json!({ "best": ["Kc1-c2"], "position": "z9" }), "line 1: bad position: fields"),
        (json!({ "best": ["z9"] }), "line 1: best: \"z9\" is not legal here"),
        (json!({ "best": ["Kc1-c2"], "unknown": ["z9"] }), "line 1: unknown: \"z9\" is not legal here"),
        (json!({ "best": ["Kc1-c2"], "value": 7 }), "line 1: value: no game ends with the score 7"),
        (json!({ "best": ["Kc1-c2"], "moves": ["z9"] }), "line 1: ply 1: illegal move \"z9\""),
    ] {
        let mut whole = json!({ "game": "krk", "moves": [] });
        whole.as_object_mut().expect("an object").extend(problem.as_object().expect("an object").clone());
        let message = suite(&whole).refused();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_problem_may_start_from_a_position() {
    let position = "k3/4/1K2/3R w 1";
    let score = suite(&json!({ "game": "krk", "position": position, "moves": [], "best": ["z9"] }));
    assert!(score.refused().contains("best: \"z9\" is not legal here"));
    let found = quintet(["suggest", "krk", "--position", position, "--iterations", "100", "--json"]).exits(0);
    let best = found.json()["move"].clone();
    let problem = json!({ "game": "krk", "position": position, "moves": [], "best": [best] });
    assert_eq!(suite(&problem).succeeds_quietly().json()["right"], 1);
}

#[test]
fn a_proof_of_another_value_is_an_error_and_not_counted() {
    // White wins.
    let run = suite(&json!({ "game": "krk", "moves": [], "best": ["Kc1-b2"], "value": 0 })).exits(1);
    assert!(
        run.stderr.contains("proven to score 100, not 0") || run.stderr.contains("worth 100, not 0"),
        "{run}"
    );
    assert_eq!(run.json()["proven"], 0, "{run}");
}

#[test]
fn a_file_without_positions_is_refused() {
    let folder = tempfile::tempdir().expect("created");
    let file = folder.path().join("empty.jsonl");
    fs::write(&file, "").expect("written");
    let message = quintet(["suite", file.to_str().expect("the path is text")]).refused();
    assert!(message.contains("empty.jsonl has no positions"), "{message}");
}

#[test]
fn positions_come_from_standard_input_once() {
    let line = "{\"game\":\"krk\",\"moves\":[],\"best\":[\"Rd1-d3\"]}\n";
    let score =
        quintet_reading(line, ["suite", "-", "--json", "--iterations", "1"]).succeeds_quietly().json();
    assert_eq!((&score["suite"], &score["scored"]), (&json!("-"), &json!(1)), "{score}");
    for command in ["suite", "verify", "convert"] {
        let message = quintet_reading(line, [command, "-", "-"]).refused();
        assert!(message.contains("standard input, -, is given 2 times"), "{message}");
    }
}

#[test]
fn an_engine_that_plays_in_the_arena_only_is_refused_before_any_position() {
    let folder = tempfile::tempdir().expect("created");
    let file = folder.path().join("own.jsonl");
    fs::write(&file, json!({ "game": "krk", "moves": [], "best": ["Kc1-c2"] }).to_string()).expect("written");
    let file = file.to_str().expect("the path is text");
    let message = quintet(["suite", file, "--engine", "ugi:command=none", "--iterations", "9"]).refused();
    assert_eq!(
        message,
        "error: engine \"ugi:command=none\": external engines (ugi) play in the arena only\n"
    );
}

#[test]
fn engines_of_the_same_name_are_refused() {
    let engines = ["--engine", "x=uct", "--engine", "x=random"];
    let message = quintet([&["suite", "tests/suites/krk-spec.jsonl"][..], &engines].concat()).refused();
    let expected = "error: two engines have the name \"x\": name one of them, as in --engine other=random\n";
    assert_eq!(message, expected);
}

#[test]
fn a_line_with_an_unknown_name_or_without_a_game_is_refused() {
    for (problem, part) in [
        (json!({ "game": "krk", "rules": "five" }), "line 1: unknown ruleset \"five\""),
        (json!({ "game": "chess" }), "line 1: unknown game \"chess\""),
        (json!({}), "line 1: missing field `game`"),
    ] {
        let mut problem = problem;
        (problem["moves"], problem["best"]) = (json!([]), json!([]));
        let message = suite(&problem).refused();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn the_table_counts_proofs_among_known_values_and_says_what_is_not_scored() {
    let folder = tempfile::tempdir().expect("created");
    let file = folder.path().join("own.jsonl");
    let problem = json!({ "game": "krk", "moves": ["Kc1-b2", "ka4-b4"], "best": ["Kb2-b1"], "value": 100 });
    let mut unknown = problem.clone();
    unknown["unknown"] = json!(["Rd1-d4"]);
    fs::write(&file, format!("{problem}\n{unknown}\n")).expect("written");
    let file = file.to_str().expect("the path is text");
    let run = quintet(["suite", file, "--iterations", "2000", "--threads", "1", "--wrong"]).exits(0);
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(run.stdout.starts_with("own, quintet: line 1: played Rd1-d4, best Kb2-b1\n"), "{run}");
    assert_eq!(rows[2][..7], ["own", "quintet", "0", "1", "0.0", "%", "2/2"], "{run}");
    let note = "own, quintet: 1 position is not scored: nobody knows if the move played is best\n";
    assert!(run.stdout.ends_with(note), "{run}");
}

#[test]
fn levels_see_the_threats_that_a_person_of_their_strength_sees() {
    let levels = quintet_reading(r#"{"action":"levels"}"#, ["analyze"]).succeeds_quietly().json();
    let levels = levels["levels"].as_array().expect("levels");
    let engine_of = |name: &str| {
        let level = levels.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("no level {name}"));
        level["engine"].as_str().expect("an engine").to_owned()
    };
    let suite = |turns: u32| format!("{}/tests/suites/forced-{turns}.jsonl", env!("CARGO_MANIFEST_DIR"));
    for (name, turns) in [("novice", 1), ("beginner", 2), ("casual", 4), ("expert", 4)] {
        let files: Vec<String> = (1..=turns).map(suite).collect();
        let engine = engine_of(name);
        let args =
            ["suite", "--json", "--engine", &engine].into_iter().chain(files.iter().map(String::as_str));
        let run = quintet(args).succeeds_quietly();
        for line in run.stdout.lines() {
            let score: Value = serde_json::from_str(line).expect("JSON");
            let [right, scored] = ["right", "scored"].map(|key| score[key].as_f64().expect("a number"));
            assert!(scored > 100.0 && right >= 0.95 * scored, "{name}: {score}");
        }
    }
}
