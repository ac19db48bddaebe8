//! `quintet arena report`: the page, and the errors.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{VARIANTS, quintet, variants};

/// Plays two games in every game and ruleset, and returns the file of their records.
pub(crate) fn small_arena() -> (TempDir, String) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = path(&directory, "games.jsonl");
    let engines = ["--engine", "tea & <b>=uct:iterations=10,threads=1", "--engine", "random"];
    let flags = ["arena", "all", "--rules", "both", "--games", "2", "--out", &file];
    quintet([&flags[..], &engines[..]].concat()).exits(0);
    (directory, file)
}

pub(crate) fn path(directory: &TempDir, name: &str) -> String {
    directory.path().join(name).to_str().expect("the path is text").to_owned()
}

/// Sets the day on which a file was last changed, so that no test depends on the date.
fn set_day(file: &str) {
    let file = fs::File::options().append(true).open(file).expect("it is there");
    let day = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 * 20_000);
    file.set_modified(day).expect("it can be set");
}

fn lines(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("it has been written");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Writes `records` to a new file, checks that its report is refused, and returns the message.
#[track_caller]
fn refused(records: &[Value]) -> String {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = path(&directory, "games.jsonl");
    let text: Vec<String> = records.iter().map(|record| format!("{record}\n")).collect();
    fs::write(&file, text.concat()).expect("it can be written");
    let page = path(&directory, "page.html");
    let message = quintet(["arena", "report", &file, "--out", &page]).refused();
    assert!(!Path::new(&page).exists(), "a page of wrong games");
    message.replace(&file, "FILE")
}

#[test]
fn the_page_has_every_game_and_engine() {
    let (directory, file) = small_arena();
    set_day(&file);
    let page = quintet(["arena", "report", &file]).succeeds_quietly().stdout;
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"));
    let games = "quarto, qubic, gomoku, pentago, krk";
    let title = format!("<title>{games}: tea &amp; &lt;b&gt; against random, 2024-10-04</title>");
    assert!(page.contains(&title), "{title}");
    assert!(page.contains(&format!("<strong>{} games</strong>", 2 * variants().len())));
    for (game, rules) in VARIANTS {
        assert!(page.contains(&format!("<h2>{game} ({rules})</h2>")), "{game} {rules}");
    }
    for name in ["tea &amp; &lt;b&gt;", "random", "uct:iterations=10,threads=1", "2 random plies"] {
        assert!(page.replace("<wbr>", "").contains(name), "{name}");
    }
    for record in lines(&file) {
        let moves: Vec<&str> =
            record["moves"].as_array().expect("moves").iter().filter_map(Value::as_str).collect();
        assert!(page.contains(&format!("\"moves\":\"{}\"", moves.join(" "))), "{record}");
    }

    let out = path(&directory, "page.html");
    fs::write(&out, "an older page").expect("it can be written");
    let said = quintet(["arena", "report", &file, "--out", &out]).succeeds_quietly().stdout;
    assert_eq!(said, format!("{out} has the report; games: {}\n", 2 * variants().len()));
    assert_eq!(fs::read_to_string(&out).expect("it has been written"), page);
}

#[test]
fn the_page_and_the_terminal_tell_the_same() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = path(&directory, "games.jsonl");
    let engines = ["--engine", "better=uct:iterations=200,threads=1", "--engine", "random"];
    let flags = ["arena", "quarto", "--rules", "both", "--games", "10", "--out", &file];
    let terminal = quintet([&flags[..], &engines[..]].concat()).exits(0).stdout;
    let page = quintet(["arena", "report", &file]).succeeds_quietly().stdout.replace("<wbr>", "");
    let cells = |row: &str| {
        let cells = row.split("  ").map(str::trim).filter(|cell| !cell.is_empty());
        cells.map(|cell| cell.replace('-', "−")).collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = terminal.lines().map(cells).collect();
    let matches: Vec<_> =
        rows.iter().filter(|row| row[..].first().is_some_and(|it| it == "quarto")).collect();
    assert_eq!(matches.len(), 2, "{terminal}");
    for row in matches {
        let [elo, interval] = [&row[9], &row[10]];
        assert!(interval.starts_with('≥'), "{terminal}");
        let shown = format!("<td class=\"number\">{elo}</td><td class=\"number\">{interval}</td>");
        assert!(page.contains(&shown), "{shown}");
    }
    let pooled = rows.iter().position(|row| row.first().is_some_and(|it| it.starts_with("all games")));
    for row in rows.iter().skip(pooled.expect("the pooled list") + 1).take(2) {
        let [name, games, score, elo, interval] = [0, 1, 2, 3, 4].map(|cell| &row[cell]);
        let shown = format!(
            "<span class=\"name\">{name}</span></th><td class=\"number\">{elo}</td><td class=\"number\">{interval}</td><td class=\"number\">{games}</td>"
        );
        assert!(page.contains(&shown), "{shown}");
        assert!(page.contains(&format!("<td class=\"number\">{score}</td>")), "{score}");
    }
}

#[test]
fn several_files_are_read_as_one() {
    let (directory, file) = small_arena();
    let all = lines(&file);
    let parts = [("one.jsonl", &all[..7]), ("two.jsonl", &all[7..])].map(|(name, records)| {
        let part = path(&directory, name);
        let text: Vec<String> = records.iter().map(|record| format!("{record}\n")).collect();
        fs::write(&part, text.concat()).expect("it can be written");
        set_day(&part);
        part
    });
    set_day(&file);
    let of_one = quintet(["arena", "report", &file]).succeeds_quietly().stdout;
    let of_two = quintet(["arena", "report", &parts[0], &parts[1]]).succeeds_quietly().stdout;
    assert!(of_one == of_two, "the pages differ");
    // A game in two files counts once.
    let overlapping = quintet(["arena", "report", &file, &parts[1]]).succeeds_quietly().stdout;
    assert!(of_one == overlapping, "the pages differ");
}

#[test]
fn a_torn_line_at_the_end_is_passed_over() {
    let (directory, file) = small_arena();
    let torn = path(&directory, "torn.jsonl");
    let content = fs::read_to_string(&file).expect("the games are there");
    fs::write(&torn, &content[..content.len() - 9]).expect("it can be written");
    let page = quintet(["arena", "report", &torn]).succeeds_quietly().stdout;
    assert!(page.contains(&format!("<strong>{} games</strong>", 2 * variants().len() - 1)));
}

fn right() -> Value {
    json!({
        "game": "krk", "rules": "spec", "pair": 0, "opening": [], "moves": ["Kc1-c2"], "seed": 17_403_090_890_601_140_584_u64,
        "seats": { "white": "a", "black": "b" }, "scores": { "white": 0, "black": 100 },
        "end": "crash", "fault": "gone",
        "arena": { "seed": 0, "openings": "none", "engines": { "a": "uct", "b": "random" } },
    })
}

#[test]
fn a_wrong_line_is_named_with_its_file_and_what_is_wrong() {
    let with = |field: &str, value: Value| {
        let mut record = right();
        record[field] = value;
        record
    };
    for (wrong, message) in [
        (json!([1]), "FILE, line 2: not a JSON object"),
        (
            with("moves", json!(["Kc1-c2", "ka4-a4"])),
            "FILE, line 2: ply 2: illegal move \"ka4-a4\"; legal here: ",
        ),
        (with("moves", json!("Kc1-c2")), "FILE, line 2: moves: invalid type: string"),
        (with("game", json!("go")), "FILE, line 2: unknown game \"go\"; known: quarto"),
        (with("end", json!("rules")), "FILE, line 2: end: the game goes on after these moves"),
        (with("scores", json!({ "white": 100, "black": 100 })), "FILE, line 2: scores: not 100 and 0"),
    ] {
        let error = refused(&[right(), wrong, right()]);
        assert!(error.starts_with(&format!("error: {message}")), "{error}");
    }
}

#[test]
fn a_page_needs_a_game_and_a_place_of_its_own() {
    assert!(refused(&[]).contains("there is no game in FILE"));
    assert!(quintet(["arena", "report"]).refused().contains("<FILE>"));
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let missing = path(&directory, "missing.jsonl");
    assert!(quintet(["arena", "report", &missing]).refused().contains("missing.jsonl"));

    let file = path(&directory, "games.jsonl");
    let games = format!("{}\n", right());
    fs::write(&file, &games).expect("it can be written");
    let same = format!("{}/./games.jsonl", directory.path().display());
    let message = quintet(["arena", "report", &file, "--out", &same]).refused();
    assert!(message.contains("is a file of games"), "{message}");
    assert_eq!(fs::read_to_string(&file).expect("it is still there"), games);

    // A failed write is not a usage error.
    let nowhere = path(&directory, "missing/page.html");
    let run = quintet(["arena", "report", &file, "--out", &nowhere]).exits(1);
    assert!(run.stderr.contains("can't write"), "{run}");
}

#[cfg(unix)]
#[test]
fn games_under_another_name_are_not_overwritten() {
    let (directory, file) = small_arena();
    let link = path(&directory, "link.html");
    fs::hard_link(&file, &link).expect("it can be made");
    let games = fs::read(&file).expect("they are there");
    let message = quintet(["arena", "report", &file, "--out", &link]).refused();
    assert!(message.contains("link.html is a file of games: name another file"), "{message}");
    assert_eq!(fs::read(&file).expect("they are there"), games);
}
