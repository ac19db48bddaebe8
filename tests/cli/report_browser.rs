//! `quintet arena report`: the page in a browser. Skipped if there is no
//! Chromium, unless `QUINTET_TESTS` is `all`.

use std::fs;
use std::process::Command;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use quintet_core::game::{EMPTY, Picture, Scene};
use quintet_core::registry::Variant;
use quintet_core::session::Session;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::harness::{lacks, quintet, run};
use crate::report::{path, small_arena};

/// A script that clicks through every game and writes what it saw into the page.
const USER: &str = include_str!("report_browser.js");

/// What the script saw of a game.
#[derive(Debug, Deserialize)]
struct Seen {
    number: usize,
    /// The pieces at each ply, sorted: place and code.
    plies: Vec<String>,
    /// The name of each ply in the list of moves.
    moves: Vec<String>,
    /// The status text of the last position.
    status: String,
    /// Whether the last position shows a line that won.
    lines: bool,
    /// The number of thoughts in the graph.
    thoughts: usize,
}

/// The name of the browser.
pub(crate) fn chromium() -> Option<&'static str> {
    // The first starts much sooner.
    let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
    names.into_iter().find(|name| Command::new(name).arg("--version").output().is_ok())
}

/// Returns the pieces to be shown before each move of a game and after the last.
fn expected(game: Variant, moves: &[String]) -> Vec<String> {
    let mut session = game.start();
    let mut seen = vec![pieces(&*session)];
    for token in moves {
        session.play(token).expect("a legal move");
        seen.push(pieces(&*session));
    }
    seen
}

/// Every other record gets thoughts, one of them unknown.
fn with_thoughts(mut record: Value, index: usize) -> Value {
    let count = record["moves"].as_array().expect("moves").len();
    let thoughts = (0..count).map(|ply| match ply {
        0 => Value::Null,
        _ => json!({ "value": ply % 100, "proven": null, "iterations": 1_000 * ply, "ms": ply }),
    });
    record["thoughts"] = if index.is_multiple_of(2) { thoughts.collect() } else { json!([]) };
    record
}

fn pieces(session: &dyn Session) -> String {
    let Picture::Scene(Scene { places, .. }) = session.picture() else {
        panic!("{} is drawn as text", session.position());
    };
    let there = places.iter().enumerate().filter(|(_, code)| **code != EMPTY);
    let mut there: Vec<String> = there.map(|(place, code)| format!("{place}={code}")).collect();
    there.sort();
    there.join(" ")
}

#[test]
fn the_viewer_shows_every_position_of_every_game() {
    let chromium = chromium();
    if lacks("Chromium", chromium.is_some()) {
        return;
    }
    let chromium = chromium.expect("it is there");
    let (directory, file) = small_arena();
    let records = fs::read_to_string(&file).expect("it has been written");
    let records = records.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    let records: Vec<Value> =
        records.enumerate().map(|(index, record)| with_thoughts(record, index)).collect();
    let lines: Vec<String> = records
        .iter()
        .map(|record| {
            format!(
                "{record}
"
            )
        })
        .collect();
    fs::write(&file, lines.concat()).expect("it can be written");
    let page = quintet(["arena", "report", &file]).succeeds_quietly().stdout;
    // The page's policy stays in force, and allows this script too.
    let hash = BASE64_STANDARD.encode(Sha256::digest(USER));
    let page = page.replace("script-src ", &format!("script-src 'sha256-{hash}' "));
    let page = page.replace("</body>", &format!("<script type=\"module\">{USER}</script></body>"));
    let page_file = path(&directory, "page.html");
    fs::write(&page_file, page).expect("it can be written");

    let mut command = Command::new(chromium);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--enable-logging=stderr"]);
    command.arg(format!("--user-data-dir={}", path(&directory, "profile")));
    command.arg(format!("file://{page_file}"));
    let browser = run(command, "").exits(0);
    assert!(!browser.stderr.contains(":CONSOLE"), "{browser}");
    let dom = browser.stdout;
    let seen = dom.split_once("<pre id=\"seen\">").expect("the user came to the end").1;
    let seen = seen.split_once("</pre>").expect("an end").0;
    let seen: Vec<Seen> = serde_json::from_str(seen).expect("JSON");

    assert_eq!(seen.len(), records.len());
    for seen in seen {
        let record = &records[seen.number - 1];
        let field = |name: &str| record[name].as_str().expect("text");
        let moves: Vec<String> = serde_json::from_value(record["moves"].clone()).expect("moves");
        let games = quintet_games::registry();
        let game = games.find(field("game"), Some(field("rules"))).expect("a game");
        assert_eq!(seen.plies, expected(game, &moves), "{record}");
        assert_eq!(seen.moves[0], "start");
        assert_eq!(seen.moves[1..], moves);
        let plies = moves.len();
        assert!(seen.status.starts_with(&format!("Ply {plies} of {plies}. ")), "{}", seen.status);
        let result = if record["scores"].as_object().expect("scores").values().all(|score| *score == 50) {
            "Draw."
        } else {
            "wins."
        };
        assert!(seen.status.ends_with(result), "{}", seen.status);
        let is_won = result == "wins." && field("game") != "krk";
        assert_eq!(seen.lines, is_won, "{record}");
        let thoughts = record["thoughts"].as_array().map_or(0, Vec::len);
        assert_eq!(seen.thoughts, thoughts.saturating_sub(1), "{record}");
    }
}
