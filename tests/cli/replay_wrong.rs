//! `quintet replay`: wrong records are reported with their line, and the next lines are still
//! checked.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Run, fields, quintet, quintet_reading};

const RIGHT: &str = r#"{"game":"krk","rules":"spec","moves":["Kc1-c2"]}"#;

/// Replays `wrong` between two valid records, and returns the error.
#[track_caller]
fn error_of(wrong: &[u8]) -> Value {
    let input = [RIGHT.as_bytes(), b"\n", wrong, b"\n", RIGHT.as_bytes(), b"\n"].concat();
    let run = quintet_reading(input.clone(), ["replay", "--json", "-"]).exits(1);
    let lines = run.json_lines();
    assert_eq!(lines.len(), 3, "{run}");
    assert!(lines[0]["ok"] == true && lines[0] == lines[2], "{run}");
    assert_eq!(fields(&lines[1]), "error ok");
    assert_eq!((&lines[1]["ok"], &lines[1]["error"]["line"]), (&json!(false), &json!(2)), "{}", lines[1]);
    assert!(lines[1]["error"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{}", lines[1]);

    let text = quintet_reading(input, ["replay", "-"]).exits(1).stdout;
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows.len() == 2 && rows[0].starts_with("line 2: WRONG: "), "{text}");
    assert!(rows[1].starts_with("3 games, 2 correct, 1 wrong; plies checked: "), "{text}");
    lines[1]["error"].clone()
}

#[track_caller]
fn message_of(wrong: impl AsRef<[u8]>) -> String {
    let error = error_of(wrong.as_ref());
    assert_eq!(fields(&error), "line message");
    error["message"].as_str().expect("checked above").to_owned()
}

#[test]
fn an_illegal_move_is_reported_with_line_ply_token_and_the_legal_moves() {
    let error = error_of(br#"{"game":"pentago","rules":"ggp","moves":["c4","1cw","z9"]}"#);
    assert_eq!((&error["line"], &error["ply"], &error["token"]), (&json!(2), &json!(3), &json!("z9")));
    assert!(error["message"].as_str().is_some_and(|it| it.contains("z9") && it.contains("a1 a2")), "{error}");
}

#[test]
fn a_move_after_the_end_is_reported_as_one() {
    let error = error_of(br#"{"game":"krk","moves":["Kc1-b2","ka4-b4","Rd1-d4","kb4-a4"]}"#);
    assert_eq!((&error["ply"], &error["token"]), (&json!(4), &json!("kb4-a4")));
    assert!(error["message"].as_str().is_some_and(|it| it.contains("over")), "{error}");
}

#[test]
fn a_move_that_only_the_other_rules_allow_is_illegal() {
    let error = error_of(br#"{"game":"pentago","rules":"spec","moves":["c4","1cw"]}"#);
    assert_eq!((&error["ply"], &error["token"]), (&json!(2), &json!("1cw")));
}

#[test]
fn tokens_are_taken_literally_but_for_their_case() {
    for token in ["Kc2", "Kc1c2", " Kc1-c2", "Kc1-c2 ", "", "Kc1-c2\u{0}", "Kc1–c2", "noop"] {
        let error = error_of(json!({ "game": "krk", "moves": [token] }).to_string().as_bytes());
        assert_eq!((&error["ply"], &error["token"]), (&json!(1), &json!(token)));
    }
}

#[test]
fn unknown_names_and_wrong_positions_are_reported() {
    assert!(message_of(r#"{"game":"chess","moves":[]}"#).contains("chess"));
    assert!(message_of(r#"{"game":"krk","rules":"house","moves":[]}"#).contains("house"));
    let message = message_of(r#"{"game":"krk","position":"k3/4/4/2KR x 1","moves":[]}"#);
    assert!(message.contains("side to move"), "{message}");
}

#[test]
fn what_is_no_record_is_reported() {
    for wrong in [
        "nonsense",
        "{",
        "5",
        "null",
        "\"krk\"",
        "[]",
        "{}",
        r#"{"game":"krk"}"#,
        r#"{"moves":[]}"#,
        r#"{"game":5,"moves":[]}"#,
        r#"{"game":"krk","rules":5,"moves":[]}"#,
        r#"{"game":"krk","moves":"a b"}"#,
        r#"{"game":"krk","moves":["Kc1-c2",5]}"#,
        r#"{"game":"krk","moves":null}"#,
        r#"{"game":"krk","position":5,"moves":[]}"#,
        r#"{"game":"krk","moves":[]} {"game":"krk","moves":[]}"#,
        r#"{"game":"krk","moves":[],}"#,
    ] {
        message_of(wrong);
    }
}

#[test]
fn an_array_is_no_record_even_with_the_right_items() {
    message_of(r#"["krk","spec",null,["Kc1-c2"]]"#);
}

#[test]
fn binary_garbage_is_reported() {
    for wrong in [
        &b"\xFF\xFE\x00\x01"[..],
        b"\x00",
        b"{\"game\":\"kr\xFF\",\"moves\":[]}",
        b"\x1F\x8B\x08\x00\x80\xE2\x28",
    ] {
        message_of(wrong);
    }
    let nested = "[".repeat(100_000);
    message_of(nested);
}

#[test]
fn a_torn_last_line_is_reported_after_the_whole_ones() {
    for torn in [r#"{"game":"krk","moves":["Kc1"#, r#"{"game":"krk","moves":["Kc1-c2"]"#, "{"] {
        let run = quintet_reading(format!("{RIGHT}\n{torn}"), ["replay", "--json", "-"]).exits(1);
        let lines = run.json_lines();
        assert_eq!(lines.len(), 2, "{run}");
        assert!(lines[0]["ok"] == true && lines[1]["ok"] == false && lines[1]["error"]["line"] == 2, "{run}");
    }
}

#[test]
fn a_last_line_without_its_end_is_fine() {
    assert_eq!(quintet_reading(RIGHT, ["replay", "--json", "-"]).succeeds_quietly().json()["ok"], true);
}

#[test]
fn an_empty_line_counts_as_a_line() {
    let run = quintet_reading(format!("{RIGHT}\n\nwrong\n"), ["replay", "--json", "-"]).exits(1);
    assert_eq!(run.json_lines().last().map(|line| &line["error"]["line"]), Some(&json!(3)), "{run}");
}

#[test]
fn an_extremely_long_line_is_reported_and_the_next_one_is_done() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("long.jsonl");
    let replay = |content: Vec<u8>| -> Run {
        fs::write(&file, content).expect("the file can be written");
        quintet(["replay".as_ref(), "--json".as_ref(), file.as_os_str()]).exits(1)
    };
    let mut long = vec![b'a'; 20 << 20];
    let run = replay(long.clone());
    assert_eq!((&run.json()["ok"], &run.json()["error"]["line"]), (&json!(false), &json!(1)));
    long.extend(format!("\n{RIGHT}\n").into_bytes());
    let lines = replay(long).json_lines();
    assert!(lines.len() == 2 && lines[0]["ok"] == false && lines[1]["ok"] == true, "{lines:?}");
}

#[test]
fn a_long_token_is_not_repeated_in_full_in_the_message() {
    let token = "x".repeat(100_000);
    let error = error_of(json!({ "game": "krk", "moves": [token] }).to_string().as_bytes());
    assert!(error["message"].as_str().is_some_and(|it| it.len() < 1_000), "{}", error["message"]);
}

#[test]
fn a_file_that_cannot_be_read_is_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let missing = directory.path().join("missing.jsonl");
    for path in [directory.path(), &missing] {
        let message = quintet(["replay".as_ref(), path.as_os_str()]).refused();
        assert!(message.contains(&*path.to_string_lossy()), "{message}");
        quintet(["replay".as_ref(), path.as_os_str(), "--json".as_ref()]).refused();
    }
}
