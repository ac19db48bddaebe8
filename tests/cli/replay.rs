//! `quintet replay`: valid records.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{VARIANTS, quintet, quintet_reading, replayed, trace_file, traces};

/// Returns the expected output of `replay --json` for the recorded games of a game and ruleset.
fn expected(game: &str, rules: &str) -> Vec<Value> {
    let answer = |trace: &crate::harness::Trace| {
        assert_eq!((trace.game.as_str(), trace.rules.as_str()), (game, rules));
        json!({ "game": game, "rules": rules, "ok": true, "steps": trace.steps })
    };
    traces(game, rules).iter().map(answer).collect()
}

#[test]
fn recorded_games_replay_to_the_letter() {
    for (game, rules) in VARIANTS {
        let run = quintet(["replay", "--json", &trace_file(game, rules)]).succeeds_quietly();
        let (lines, expected) = (run.json_lines(), expected(game, rules));
        assert_eq!(lines.len(), expected.len(), "{game} {rules}");
        for (index, (line, expected)) in lines.iter().zip(&expected).enumerate() {
            assert_eq!(line, expected, "{game} {rules}, line {}", index + 1);
        }
    }
}

#[test]
fn records_of_all_games_can_come_from_standard_input() {
    let read = |(game, rules)| fs::read_to_string(trace_file(game, rules)).expect("the traces are there");
    let all: String = VARIANTS.map(read).concat();
    let lines = quintet_reading(all, ["replay", "--json", "-"]).succeeds_quietly().json_lines();
    let expected: Vec<Value> = VARIANTS.into_iter().flat_map(|(game, rules)| expected(game, rules)).collect();
    assert!(lines == expected, "each line of output belongs to its line of input");
}

#[test]
fn right_records_are_one_line_of_text() {
    for (game, rules) in VARIANTS {
        let text = quintet(["replay", &trace_file(game, rules)]).succeeds_quietly().stdout;
        let traces = traces(game, rules);
        let plies: usize = traces.iter().map(|trace| trace.moves.len()).sum();
        let expected = format!("{} games, all correct; plies checked: {plies}\n", traces.len());
        assert_eq!(text.replace(',', ""), expected.replace(',', ""));
    }
}

#[test]
fn a_record_may_start_from_a_position() {
    let from_start = replayed(&json!({ "game": "krk", "moves": ["Kc1-b2", "ka4-b4", "Rd1-d4"] }));
    let position = "k3/4/1K2/3R b 2";
    let from_position =
        replayed(&json!({ "game": "krk", "position": position, "moves": ["KA4-b4", "rD1-d4"] }));
    let steps = from_start["steps"].as_array().expect("steps are an array");
    assert_eq!(from_position["steps"], Value::from(&steps[1..]));
}

#[test]
fn the_rules_are_spec_where_they_are_left_out_and_other_fields_do_not_matter() {
    let record = json!({ "game": "krk", "moves": ["Kc1-c2"], "players": { "white": "anna" } });
    assert_eq!(replayed(&record), replayed(&json!({ "game": "krk", "rules": "spec", "moves": ["Kc1-c2"] })));
}

#[test]
fn the_state_is_told_even_where_nothing_was_played() {
    let answer = replayed(&json!({ "game": "quarto", "rules": "ggp", "moves": [] }));
    assert_eq!(answer["steps"].as_array().map(Vec::len), Some(1), "{answer}");
    assert_eq!(answer["steps"][0]["to_move"], "white");
}

#[test]
fn no_records_are_no_error() {
    let run = quintet_reading("", ["replay", "--json", "-"]).succeeds_quietly();
    assert_eq!(run.stdout, "");
    let text = quintet_reading("", ["replay", "-"]).succeeds_quietly().stdout;
    assert_eq!(text, "0 games, all correct; plies checked: 0\n");
}

#[test]
fn line_ends_of_other_systems_are_fine() {
    let records = "{\"game\":\"krk\",\"moves\":[]}\r\n{\"game\":\"krk\",\"moves\":[\"Kc1-c2\"]}\r\n";
    assert_eq!(quintet_reading(records, ["replay", "--json", "-"]).succeeds_quietly().json_lines().len(), 2);
}
