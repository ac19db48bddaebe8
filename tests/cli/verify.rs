//! `quintet verify`

use std::fs;

use quintet_protocol::{CertificateStart, CertificateTurn};
use serde_json::{Value, json};

use crate::harness::{fields, quintet, quintet_reading};

const QUARTO: &str = "tests/data/certificates/quarto.jsonl";
const QUBIC: &str = "tests/data/certificates/qubic.jsonl";

#[test]
fn two_certificates_prove_a_draw() {
    let text = quintet(["verify", QUARTO]).succeeds_quietly().stdout;
    let lines: Vec<&str> = text.lines().collect();
    let [white, black, proven] = lines[..] else { panic!("{text}") };
    let position = "c.3./0.ad/.7../.... f b";
    let starts = |line: &str, start: String| assert!(line.starts_with(&start), "{line}");
    starts(
        white,
        format!("line 1: quarto ggp, white gets at least 50 from {position}: 74 turns, 149 positions "),
    );
    starts(
        black,
        format!("line 76: quarto ggp, black gets at least 50 from {position}: 37 turns, 605 positions "),
    );
    assert_eq!(proven, format!("Proven: quarto ggp is a draw from {position}."));
}

#[test]
fn an_answer_in_json_has_the_certificates_and_what_they_prove() {
    let lines = quintet(["verify", "--json", QUARTO]).succeeds_quietly().json_lines();
    assert_eq!(lines.len(), 3, "{lines:?}");
    let names = "at_least game line lines ok position positions role rules searched";
    for (line, (number, role)) in lines.iter().zip([(1, "white"), (76, "black")]) {
        assert_eq!(fields(line), names);
        assert_eq!((&line["ok"], &line["line"], &line["role"]), (&json!(true), &json!(number), &json!(role)));
        assert_eq!(line["at_least"], 50);
        assert!(line["searched"].as_u64().is_some_and(|it| it > 1_000), "{line}");
    }
    let position = "c.3./0.ad/.7../.... f b";
    let proven = json!({ "white": [50, 50], "black": [50, 50] });
    let expected =
        json!({ "ok": true, "game": "quarto", "rules": "ggp", "position": position, "proven": proven });
    assert_eq!(lines[2], expected);
}

#[test]
fn certificates_may_come_from_standard_input() {
    let text = fs::read_to_string(QUBIC).expect("it is there");
    let run = quintet_reading(text, ["verify", "--json", "-"]).succeeds_quietly();
    assert_eq!(run.stdout, quintet(["verify", "--json", QUBIC]).succeeds_quietly().stdout);
    let lines = run.json_lines();
    let expected = json!({
        "xrow": [100, 100], "xcolumn": [100, 100], "xlevel": [100, 100],
        "orow": [0, 0], "ocolumn": [0, 0], "olevel": [0, 0],
    });
    assert_eq!(lines[1]["proven"], expected);
}

#[test]
fn one_claim_bounds_both_sides() {
    let text = fs::read_to_string(QUARTO).expect("it is there");
    let half: String = text.lines().take(75).map(|line| line.to_owned() + "\n").collect();
    let lines = quintet_reading(half.clone(), ["verify", "--json", "-"]).succeeds_quietly().json_lines();
    assert_eq!(lines[1]["proven"], json!({ "white": [50, 100], "black": [0, 50] }));
    let text = quintet_reading(half, ["verify", "-"]).succeeds_quietly().stdout;
    assert!(
        text.contains("\nProven: quarto ggp gives white at least 50 from c.3./0.ad/.7../.... f b.\n"),
        "{text}"
    );
}

#[test]
fn the_two_sides_may_be_in_two_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(QUARTO).expect("it is there");
    let lines: Vec<&str> = text.lines().collect();
    let [white, black] = [("white", &lines[..75]), ("black", &lines[75..])].map(|(name, lines)| {
        let path = folder.path().join(name);
        fs::write(&path, lines.join("\n")).expect("written");
        path.to_str().expect("text").to_owned()
    });
    let text = quintet(["verify", &white, &black]).succeeds_quietly().stdout;
    let start = format!("{white}, line 1: quarto ggp, white gets at least 50 from ");
    assert!(
        text.starts_with(&start) && text.contains(&format!("\n{black}, line 1: quarto ggp, black gets ")),
        "{text}"
    );
    assert!(text.ends_with("\nProven: quarto ggp is a draw from c.3./0.ad/.7../.... f b.\n"), "{text}");
    let lines = quintet(["verify", "--json", &white, &black]).succeeds_quietly().json_lines();
    assert_eq!((&lines[0]["file"], &lines[1]["file"]), (&json!(white), &json!(black)));
    assert_eq!(lines[2]["proven"], json!({ "white": [50, 50], "black": [50, 50] }));
    // What one file proves does not stand if another one is wrong.
    let torn = folder.path().join("torn");
    fs::write(&torn, "{").expect("written");
    let torn = torn.to_str().expect("text");
    let run = quintet(["verify", "--json", &white, torn]).exits(1);
    assert_eq!((run.json_lines().len(), &run.json()["error"]["file"]), (1, &json!(torn)));
    let run = quintet(["verify", &white, torn]).exits(1);
    assert!(run.stdout.is_empty() && run.stderr.contains("torn proves nothing: line 1: "), "{run}");
}

#[test]
fn a_file_that_proves_nothing_is_an_error_that_names_the_line() {
    let text = fs::read_to_string(QUBIC).expect("it is there");
    let lines: Vec<&str> = text.lines().collect();
    let missing = [&lines[..5], &lines[6..]].concat().join("\n");
    for (input, line, part) in [
        ("", 1, "the file is empty"),
        ("{\"certificate\":1", 1, "EOF"),
        ("{\"game\":\"krk\"}\n", 1, "unknown field `game`"),
        (missing.as_str(), 2, "no entry, no forced block and no win by threes"),
    ] {
        let run = quintet_reading(input, ["verify", "-"]).exits(1);
        assert_eq!(run.stdout, "", "{run}");
        assert!(run.stderr.starts_with(&format!("error: - proves nothing: line {line}: ")), "{run}");
        assert!(run.stderr.contains(part), "{run}");

        let run = quintet_reading(input, ["verify", "--json", "-"]).exits(1);
        assert_eq!(run.stderr, "", "{run}");
        let answer = run.json();
        assert_eq!(fields(&answer), "error ok");
        assert_eq!((&answer["ok"], &answer["error"]["line"]), (&json!(false), &json!(line)), "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|it| it.contains(part)), "{answer}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let folder = tempfile::tempdir().expect("a folder");
    let missing = folder.path().join("missing.jsonl");
    let error = quintet(["verify".as_ref(), missing.as_os_str()]).refused();
    assert!(error.contains("can't open") && error.contains("missing.jsonl"), "{error}");
    let error = quintet(["verify".as_ref(), folder.path().as_os_str()]).refused();
    assert!(error.contains("can't read") || error.contains("can't open"), "{error}");
}

#[test]
fn the_types_of_the_protocol_write_what_is_read() {
    for file in [QUARTO, QUBIC] {
        for line in fs::read_to_string(file).expect("it is there").lines() {
            let value: Value = serde_json::from_str(line).expect("JSON");
            let written = if value["certificate"].is_null() {
                serde_json::from_str::<CertificateTurn>(line).map(|it| serde_json::to_string(&it))
            } else {
                serde_json::from_str::<CertificateStart>(line).map(|it| serde_json::to_string(&it))
            };
            assert_eq!(written.expect("a line of a certificate").expect("text"), line);
        }
    }
}

#[test]
fn the_document_shows_what_the_command_prints() {
    let document = fs::read_to_string("docs/certificates.md").expect("it is there");
    let printed = quintet(["verify", QUARTO]).succeeds_quietly().stdout;
    assert!(document.contains(&printed), "{printed}");
}
