//! Certificates that are right, and those that are not.

use std::fs;
use std::io::{self, BufReader, Read};

use quintet_verify::{Progress, Proven, Verified, VerifyError, verify};
use serde_json::{Value, json};

const SIDES: [&[&str]; 2] = [&["white"], &["black"]];

/// A deterministic random number below `most`.
fn random(state: &mut u64, most: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) % most as u64) as usize
}

/// Reads a certificate of `tests/data/certificates`.
fn certificate(name: &str) -> String {
    let path = format!("{}/../../tests/data/certificates/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(path).expect("the certificates are there")
}

fn check(text: impl AsRef<[u8]>) -> Result<Verified, VerifyError> {
    verify(&mut text.as_ref(), &mut |_| ())
}

fn lines(lines: &[Value]) -> String {
    lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n")
}

/// Checks that a text is refused in `line` with all of `parts` in the message.
#[track_caller]
fn refused(text: impl AsRef<[u8]>, line: usize, parts: &[&str]) {
    let error = check(text).expect_err("it is no proof");
    let message = error.to_string();
    assert_eq!(error.line(), line, "{message}");
    assert!(parts.iter().all(|part| message.contains(part)), "{message:?} lacks one of {parts:?}");
}

/// A first line of Quarto.
fn quarto(position: &str, role: &str, at_least: u8, search_from: u8) -> Value {
    let claim = json!({ role: { "at_least": at_least } });
    json!({
        "certificate": 1, "game": "quarto", "rules": "ggp", "position": position, "claim": claim,
        "search_from": search_from,
    })
}

/// A first line of Qubic with the rules `ggp`.
fn qubic(position: &str, role: &str) -> Value {
    let claim = json!({ role: { "at_least": 100 } });
    json!({ "certificate": 1, "game": "qubic", "rules": "ggp", "position": position, "claim": claim })
}

fn turn(position: &str, moves: &[&str]) -> Value {
    json!({ "position": position, "moves": moves })
}

#[test]
fn two_claims_make_a_draw() {
    let mut seen = Vec::new();
    let text = certificate("quarto");
    let verified = verify(&mut text.as_bytes(), &mut |it| seen.push(it)).expect("it is right");
    let [white, black] = &verified.certificates[..] else { panic!("{verified:?}") };
    assert_eq!((white.line, white.role.as_str(), white.at_least, white.lines), (1, "white", 50, 74));
    assert_eq!((black.line, black.role.as_str(), black.at_least, black.lines), (76, "black", 50, 37));
    assert!(white.positions > 74 && white.searched > 1_000 && black.positions > 37, "{verified:?}");
    let position = white.position.clone();
    let proven =
        Proven { game: "quarto".into(), rules: "ggp".into(), position, roles: SIDES, at_least: [50, 50] };
    assert_eq!(verified.proven, [proven]);
    assert_eq!(verified.proven[0].to_string(), format!("quarto ggp is a draw from {}", white.position));

    assert_eq!(seen.len(), 74 + 37, "each line is reached once");
    assert_eq!(seen[0], Progress { certificate: 1, certificates: 2, reached: 1, lines: 74 });
    assert_eq!(seen[110], Progress { certificate: 2, certificates: 2, reached: 37, lines: 37 });
}

#[test]
fn a_team_wins() {
    let verified = check(certificate("qubic")).expect("it is right");
    assert_eq!(verified.proven[0].at_least, [100, 0]);
    let text = verified.proven[0].to_string();
    assert!(text.starts_with("qubic ggp is a win of xrow, xcolumn and xlevel from "), "{text}");
}

#[test]
fn the_same_lines_prove_it_for_spec_in_the_order_of_its_roles() {
    let text = certificate("qubic");
    refused(text.replace("ggp", "spec"), 2, &["moves", "is no legal turn"]);
    let ordered = |line: &str| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        if let Some(moves) = line.get_mut("moves").and_then(Value::as_array_mut) {
            let place = |token: &Value| "rcl".find(&token.as_str().expect("a token")[..1]);
            moves.sort_by_key(place);
        }
        line.to_string().replace("ggp", "spec") + "\n"
    };
    assert!(check(text.lines().map(ordered).collect::<String>()).is_ok());
}

#[test]
fn claims_about_different_positions_stay_apart() {
    let win = quarto("..../..../..../f.ed c w", "white", 100, 4);
    let other = quarto("f.ed/..../..../.... c w", "white", 50, 4);
    // A whole number may have a point.
    let text = lines(&[win.clone(), other, win]).replace(":100", ":100.0").replace(":1,", ":1.0,");
    let verified = check(text).expect("a piece completes the line");
    let least: Vec<_> = verified.proven.iter().map(|it| it.at_least).collect();
    assert_eq!(least, [[100, 0], [50, 0]]);
    assert!(verified.proven[0].to_string().contains("is a win of white"));
    assert!(verified.proven[1].to_string().contains("gives white at least 50"));
}

#[test]
fn a_line_stands_for_all_symmetric_positions() {
    // The certificate goes through two symmetric positions after different replies if its first
    // position is symmetric; with its lines turned around it must hold all the same.
    let text = certificate("quarto");
    let (first, rest) = text.split_once('\n').expect("lines");
    let turned = rest.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        if let Some(moves) = line.get_mut("moves").and_then(Value::as_array_mut) {
            // Ranks from the other end, and the first bit inverted.
            for token in moves {
                let text = token.as_str().expect("a token");
                *token = match text.as_bytes() {
                    [file, rank] => format!("{}{}", *file as char, (b'1' + b'4' - rank) as char).into(),
                    _ => format!("{:04b}", u8::from_str_radix(text, 2).expect("a piece") ^ 8).into(),
                };
            }
            let position = line["position"].as_str().expect("a position");
            let fields: Vec<&str> = position.split(' ').collect();
            let piece = |text: &str| -> String {
                let inverted =
                    |c: char| c.to_digit(16).map_or(c, |it| char::from_digit(it ^ 8, 16).expect("a piece"));
                text.chars().map(inverted).collect()
            };
            let ranks: Vec<&str> = fields[0].split('/').rev().collect();
            line["position"] =
                format!("{} {} {}", piece(&ranks.join("/")), piece(fields[1]), fields[2]).into();
        }
        line
    });
    let turned: Vec<Value> = turned.collect();
    assert!(turned[0]["position"].as_str().is_some_and(|it| !rest.contains(it)), "it was turned");
    let result = check(format!("{first}\n{}", lines(&turned)));
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn the_form_is_checked() {
    let start = "..../..../..../.... - w";
    let first = quarto(start, "white", 50, 4);
    refused("", 1, &["the file is empty"]);
    refused("\n", 1, &["is empty"]);
    refused(format!("{first}\n\n"), 2, &["is empty"]);
    refused("{", 1, &["EOF", "column 1"]);
    refused("[1]", 1, &["not a JSON object"]);
    refused(b"\xff\xfe", 1, &["not a JSON object"]);
    refused(b"{\"position\":\"\xff\"}", 1, &["invalid unicode"]);
    refused(format!("{{\"a\":{}", "[".repeat(4_000)), 1, &["EOF"]);
    refused("x".repeat(5_000), 1, &["longer than 4096 bytes"]);
    refused(format!("{first}\n{}", "x".repeat(5_000)), 2, &["longer than 4096 bytes"]);
    refused(lines(&[turn(start, &["0000"])]), 1, &["no certificate begins"]);
    refused(lines(&[first.clone(), json!({ "position": start })]), 2, &["missing field `moves`"]);
    refused(lines(&[first.clone(), json!({ "position": start, "moves": [1] })]), 2, &["invalid type"]);
    let more = json!({ "position": start, "moves": [], "score": 1 });
    refused(lines(&[first.clone(), more]), 2, &["unknown field `score`"]);
    refused(lines(&[first.clone(), turn(start, &["a1"; 4])]), 2, &["has 4 moves: a turn has at most 3"]);
    // A wrong game is told before anything is read on.
    let mut chess = first.clone();
    chess["game"] = json!("chess");
    refused(format!("{chess}\n{{"), 1, &["no certificates are known for the game"]);
    for (field, value, part) in [
        ("certificate", json!(2), "only version 1"),
        ("certificate", json!("1"), "invalid type"),
        ("game", json!("chess"), "no certificates are known for the game \"chess\""),
        ("rules", json!("spec"), "quarto with the rules \"spec\""),
        ("rules", json!("chess"), "quarto with the rules \"chess\""),
        ("position", json!(1), "invalid type"),
        ("position", json!("..../..../..../.... - b"), "..../..../..../.... - w would be one"),
        ("position", json!("5/..../..../.... - w"), "no position"),
        ("position", json!("..../..../..../.... 0 w"), "no position"),
        ("position", json!("..../..../..../...00 b"), "no position"),
        ("position", json!("..../..../..../.00. 1 b"), "no position"),
        ("position", json!("..../..../..../fedc - w"), "end of a game"),
        ("position", json!("..../..../..../f... - b"), "beginning of a turn"),
        ("position", json!("é".repeat(500)), "…"),
        ("claim", json!({}), "an object with one entry"),
        (
            "claim",
            json!({ "white": { "at_least": 50 }, "black": { "at_least": 50 } }),
            "an object with one entry",
        ),
        ("claim", json!({ "xrow": { "at_least": 50 } }), "quarto has no role \"xrow\""),
        ("claim", json!({ "white": { "at_least": 51 } }), "at_least is 51, and quarto has 50 or 100"),
        ("claim", json!({ "white": { "at_least": 0 } }), "at_least is 0"),
        ("claim", json!({ "white": { "at_least": 300 } }), "300"),
        ("claim", json!({ "white": { "at_most": 50 } }), "\"at_most\" instead of at_least"),
        ("claim", json!({ "white": [50] }), "an object with one entry"),
        ("claim", json!([["white"]]), "an object with one entry"),
        ("search_from", json!(null), "search_from"),
        ("search_from", json!(0), "from 1 to 16"),
        ("search_from", json!(17), "from 1 to 16"),
        ("search_from", json!(-1), "-1 is no whole number"),
    ] {
        let mut changed = first.clone();
        changed[field] = value;
        refused(lines(&[changed]), 1, &[part]);
    }
    let first = qubic("4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x -", "xrow");
    for (field, value, part) in [
        ("rules", json!("standard"), "qubic with the rules \"standard\""),
        ("search_from", json!(4), "search_from"),
        ("claim", json!({ "xrow": { "at_least": 50 } }), "at_least is 50, and qubic has 100"),
        ("position", json!("4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 o -"), "is not written as"),
        ("position", json!("4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x r1"), "is not written as"),
        ("position", json!("22/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x -"), "is not written as"),
        ("position", json!("xx2/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x -"), "2 marks of x and 0 of o"),
        ("position", json!("xxxx/ooo1/4/4|4/4/4/4|4/4/4/4|4/4/4/4 o -"), "end of a game"),
        ("position", json!("x".repeat(4_000)), "64 marks of x"),
    ] {
        let mut changed = first.clone();
        changed[field] = value;
        refused(lines(&[changed]), 1, &[part]);
    }
}

#[test]
fn a_byte_order_mark_and_a_missing_line_end_do_not_matter() {
    let text = certificate("qubic");
    assert_eq!(check(format!("\u{feff}{}", text.trim_end())).ok(), check(text).ok());
}

#[test]
fn lines_are_checked() {
    let text = certificate("quarto");
    let all: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let with = |line: usize, value: Value| {
        let mut changed = all.clone();
        changed[line - 1] = value;
        lines(&changed)
    };
    let position = all[1]["position"].as_str().expect("a position");
    refused(with(2, turn(position, &[])), 2, &["\"\" is no legal turn, as "]);
    refused(with(2, turn(position, &["b1"])), 2, &["\"b1\" is no legal turn"]);
    refused(with(2, turn(position, &["b2", "0100"])), 2, &["is no legal turn"]);
    refused(with(2, turn(position, &["b1", "1100"])), 2, &["is no legal turn"]);
    refused(with(2, turn("c.3./0.ad/.7../.... f b", &["b1", "0100"])), 2, &["it is not the turn of white"]);
    let mut twice = all.clone();
    twice.insert(3, turn("f.../.7../0.ad/c.3. 1 w", &["b4", "0100"]));
    refused(lines(&twice), 4, &["the position is that of line 2, or symmetric to it"]);
    let mut more = all.clone();
    more.insert(75, turn("..../..../..../...f 0 b", &["b1", "0001"]));
    more[75]["position"] = json!("..../..../..../..ef 0 b");
    refused(lines(&more), 76, &["it is not the turn of white"]);
    more[75] = turn("..../..../..../...f 0 w", &["b1", "0001"]);
    refused(lines(&more), 76, &["the position is never reached"]);
}

#[test]
fn a_failure_says_where_it_is_and_how_to_get_there() {
    let text = certificate("quarto");
    let all: Vec<&str> = text.lines().collect();
    let without = |line: usize| {
        let kept = all.iter().enumerate().filter(|(index, _)| index + 1 != line);
        kept.map(|(_, line)| *line).collect::<Vec<_>>().join("\n")
    };
    // A missing line belongs to the line that led there, here the first one.
    refused(without(2), 1, &["after a1 0001: c.3./0.ad/.7../f... 1 w: no entry"]);
    // A higher claim fails at the first position that the search refutes.
    let higher = text.replacen("50", "100", 1);
    refused(higher, 2, &["after a1 0001, b1 0100: ", "the search finds that the claim does not hold here"]);
    // The other side completes a line.
    let given = [
        quarto("..../..../.4../.5.7 6 w", "white", 50, 16),
        turn("..../..../.4../.5.7 6 w", &["c1", "1100"]),
    ];
    refused(lines(&given), 2, &["after c1 1100, a1: the game is over, and white gets 0 instead of 50"]);
    let start = "4/4/4/4|4/4/4/4|4/4/4/4|4/4/4/4 x -";
    refused(lines(&[qubic(start, "xrow")]), 1, &["no entry, no forced block and no win by threes"]);
    let first = [qubic(start, "xrow"), turn(start, &["r1", "c1", "l1"])];
    refused(lines(&first), 2, &["after r1 c1 l1, r1 c2 l1: xo2/4/4/4|", "no win by threes"]);
    let two = "xxx1/4/4/4|xxx1/4/4/4|oo2/2oo/o3/4|4/4/4/4 o -";
    refused(lines(&[qubic(two, "orow")]), 1, &["the other team completes a line"]);
    let none = "xxx1/4/4/4|4/4/4/4|oo2/4/4/4|4/4/4/4 o -";
    refused(lines(&[qubic(none, "olevel")]), 1, &["after l1 r1 c4, ", "no win by threes"]);
    let elsewhere = turn(none, &["l4", "r4", "c4"]);
    let over = "after l4 r4 c4, r1 c4 l1: the game is over, and olevel gets 0 instead of 100";
    refused(lines(&[qubic(none, "olevel"), elsewhere]), 2, &[over]);
}

#[test]
fn a_reader_that_fails_is_an_error() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("no disk"))
        }
    }
    let text = certificate("qubic");
    let first = text.lines().next().expect("a line").to_owned() + "\n";
    let mut input = BufReader::new(first.as_bytes().chain(Broken));
    let error = verify(&mut input, &mut |_| ()).expect_err("it can't be read");
    assert_eq!(error.to_string(), "line 2: can't be read: no disk");
}

#[test]
fn no_bytes_make_it_panic() {
    let mut state = 2;
    for name in ["qubic", "quarto"] {
        let text = certificate(name).into_bytes();
        for _ in 0..200 {
            let mut changed = text.clone();
            for _ in 0..=random(&mut state, 4) {
                let at = random(&mut state, changed.len());
                match random(&mut state, 3) {
                    0 => changed[at] = random(&mut state, 256) as u8,
                    1 => _ = changed.drain(at..(at + random(&mut state, 30)).min(changed.len())),
                    _ => changed.insert(at, b"{}[]\",:0x/|-"[random(&mut state, 12)]),
                }
            }
            // Most are refused; some changes make no difference.
            let _ = check(&changed);
        }
    }
}
