//! `quintet bench`: speeds, and a signature that is independent of them.

use serde_json::Value;

use crate::harness::{fields, quintet, strings, variants};

fn bench(more: &[&str]) -> Vec<Value> {
    quintet([&["bench", "--json"], more].concat()).succeeds_quietly().json_lines()
}

#[test]
fn every_game_and_ruleset_has_a_line_with_the_fields_that_programs_rely_on() {
    let lines = bench(&["--seconds", "0.01"]);
    let listed: Vec<_> = lines.iter().map(|line| (line["game"].as_str(), line["rules"].as_str())).collect();
    let expected: Vec<_> = variants().into_iter().map(|(game, rules)| (Some(game), Some(rules))).collect();
    assert_eq!(listed, expected);
    for line in &lines {
        let expected = "bytes_per_iteration bytes_per_node draws first_wins game iterations_per_s \
                        plies_per_rollout quintet_signatures rollouts_per_s rules signature";
        assert_eq!(fields(line), expected);
        let number = |key: &str| line[key].as_f64().unwrap_or_else(|| panic!("{key} of {line}"));
        for key in [
            "bytes_per_iteration",
            "bytes_per_node",
            "iterations_per_s",
            "plies_per_rollout",
            "rollouts_per_s",
        ] {
            assert!(number(key) > 0.0, "{key} of {line}");
        }
        assert!(number("first_wins") > 0.0 && number("draws") >= 0.0, "{line}");
        assert!(number("first_wins") + number("draws") < 1.0, "{line}");
        assert!(line["signature"].as_str().is_some_and(|text| !text.is_empty()), "{line}");
    }
}

#[test]
fn the_signature_is_the_same_in_every_run_and_another_for_another_game() {
    let signatures = |args: &[&str]| -> Vec<Value> {
        bench(args)
            .into_iter()
            .flat_map(|mut line| [line["signature"].take(), line["quintet_signatures"].take()])
            .collect()
    };
    let first = signatures(&["--game", "quarto", "--seconds", "0.05"]);
    assert_eq!(first.len(), 4);
    assert_eq!(first[1].as_array().map(Vec::len), Some(2));
    assert_eq!(signatures(&["--game", "quarto", "--seconds", "0.02"]), first);
    assert!(first[0] != first[2] && first[1] != first[3], "{first:?}");
    assert_eq!(signatures(&["--game", "quarto", "--rules", "ggp", "--seconds", "0.02"]), first[2..]);
}

#[test]
fn the_text_is_a_table_with_the_same_signature() {
    let args = ["--game", "krk", "--rules", "spec", "--seconds", "0.02"];
    let text = quintet([&["bench"], &args[..]].concat()).succeeds_quietly().stdout;
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 6, "{text}");
    assert_eq!((rows[0][0], rows[0][1], rows[2][0], rows[2][1]), ("game", "rules", "krk", "spec"), "{text}");
    assert_eq!(rows[1], ["M/s", "%", "%", "M/s", "bytes", "bytes"], "units are said once: {text}");
    assert!(rows[2][2..].iter().all(|cell| cell.parse::<f64>().is_ok_and(|it| it >= 0.0)), "{text}");
    let line = &bench(&args)[0];
    assert_eq!(rows[5][2], line["signature"], "{text}");
    assert_eq!(rows[5][3..], strings(&line["quintet_signatures"]), "{text}");
}

#[test]
fn the_span_says_how_much_more_threads_would_help() {
    let args = ["--game", "pentago", "--rules", "ggp", "--span", "24k"];
    let line = &bench(&args)[0];
    assert_eq!(fields(line), "game iterations proofs rules seconds speed_ups threads");
    assert_eq!(line["iterations"], 24_000);
    let speed_ups: Vec<f64> =
        line["speed_ups"].as_array().expect("a list").iter().filter_map(Value::as_f64).collect();
    assert!(speed_ups[0] > 1.0 && speed_ups.is_sorted(), "a little of it is done in batches: {line}");
    let text = quintet([&["bench"], &args[..]].concat()).succeeds_quietly().stdout;
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((rows[0][6], rows[0][11], rows[1][2]), ("×2", "×64", "24000"), "{text}");
    let message = quintet(["bench", "--span", "0"]).refused();
    assert!(message.contains("--span"), "{message}");
}

#[test]
fn seconds_that_are_no_time_are_refused() {
    for seconds in ["0", "-1", "nan", "inf", "1e300", "soon", ""] {
        let message = quintet(["bench", "--game", "krk", "--seconds", seconds]).refused();
        assert!(message.contains("--seconds") || message.contains(seconds), "{message}");
    }
}
