//! `quintet arena report`: the page, and the errors.

use std::fs;
use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{VARIANTS, quintet, quintet_reading, variants};

/// Plays two games in every game and ruleset, and returns the file of their records.
fn small_arena() -> (TempDir, String) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = path(&directory, "games.jsonl");
    let engines = ["--engine", "tea & <b>=uct:iterations=10,threads=1", "--engine", "random"];
    let flags = ["arena", "all", "--rules", "both", "--games", "2", "--out", &file];
    quintet([&flags[..], &engines[..]].concat()).exits(0);
    (directory, file)
}

fn path(directory: &TempDir, name: &str) -> String {
    directory.path().join(name).to_str().expect("the path is text").to_owned()
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

/// What a page holds: its head, and the records and the steps of its games.
struct Recording {
    head: Value,
    records: Vec<Value>,
    steps: Vec<Value>,
}

/// Reads what is in a page, as the page does.
fn recording(page: &str) -> Recording {
    let unpacked = |text: &Value| -> Value {
        let bytes = BASE64_STANDARD.decode(text.as_str().expect("text")).expect("Base64");
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(&bytes).expect("compressed");
        serde_json::from_slice(&bytes).expect("JSON")
    };
    let (_, data) = page.split_once("id=\"recording\">").expect("the games");
    let data: Value = serde_json::from_str(data.split_once('<').expect("an end").0).expect("JSON");
    let blocks = data[1].as_array().expect("blocks");
    let parts = |part: usize| {
        let lists = blocks.iter().map(|block| unpacked(&block[part]));
        lists.flat_map(|list| list.as_array().expect("a list").clone()).collect()
    };
    Recording { head: unpacked(&data[0]), records: parts(0), steps: parts(1) }
}

#[test]
fn the_page_has_every_game_its_positions_and_the_results() {
    let (directory, file) = small_arena();
    let page = quintet(["arena", "report", &file]).succeeds_quietly().stdout;
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    let Recording { head, records, steps } = recording(&page);
    assert_eq!(head["file"], "games.jsonl");
    assert_eq!(records, lines(&file));
    assert_eq!(head["summary"], quintet(["arena", "merge", "--json", &file]).exits(0).json());
    let listed: Vec<_> =
        head["games"].as_array().expect("games").iter().map(|it| fields(it, ["game", "rules"])).collect();
    assert_eq!(listed, VARIANTS.map(|(game, rules)| [game, rules].map(Value::from)));
    let text = fs::read_to_string(&file).expect("it is there");
    let replayed = quintet_reading(text, ["replay", "--json", "-"]).succeeds_quietly().json_lines();
    assert_eq!(steps.len(), replayed.len());
    for (steps, replayed) in steps.iter().zip(&replayed) {
        let known = |steps: &Value| -> Vec<_> {
            let steps = steps.as_array().expect("steps").iter();
            steps.map(|it| fields(it, ["to_move", "terminal", "scores"])).collect()
        };
        assert_eq!(known(steps), known(&replayed["steps"]));
    }

    let out = path(&directory, "page.html");
    fs::write(&out, "an older page").expect("it can be written");
    let said = quintet(["arena", "report", &file, "--out", &out]).succeeds_quietly().stdout;
    assert_eq!(said, format!("{out} has the report; games: {}\n", 2 * variants().len()));
    assert_eq!(fs::read_to_string(&out).expect("it has been written"), page);
}

#[test]
fn records_that_no_arena_played_make_a_page_without_results() {
    let (directory, arena) = small_arena();
    let write = |name: &str, lines: &[Value]| {
        let file = path(&directory, name);
        let text: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&file, text.concat()).expect("it can be written");
        file
    };
    let played = json!({
        "game": "krk", "rules": "standard", "moves": ["Kc1-c2"], "seats": { "white": "you", "black": "casual" },
        "end": "unfinished",
    });
    let bare = json!({ "game": "gomoku", "moves": ["F6"] });
    let files = [write("played", std::slice::from_ref(&played)), write("bare", std::slice::from_ref(&bare))];
    let page = quintet(["arena", "report", &files[0], &files[1]]).succeeds_quietly().stdout;
    let Recording { head, records, steps } = recording(&page);
    assert_eq!((&head["file"], &head["summary"]["results"]), (&json!("played, bare"), &json!([])));
    assert_eq!(
        fields(&records[0], ["rules", "seats", "end"]),
        [json!("ggp"), played["seats"].clone(), json!("unfinished")]
    );
    assert_eq!(records[1], json!({ "game": "gomoku", "rules": "spec", "moves": ["f6"] }));
    assert_eq!(steps.iter().map(|it| it.as_array().map(Vec::len)).collect::<Vec<_>>(), [Some(2); 2]);

    let of_arena = lines(&arena).remove(0);
    let wrong = json!({ "game": "krk", "moves": ["Kc1-c4"] });
    for (records, part) in [
        (vec![bare.clone(), wrong], "line 2: ply 1: illegal move \"Kc1-c4\""),
        (
            vec![bare.clone(), of_arena.clone()],
            "line 2: it is a record of an arena, and the first line is none",
        ),
        (vec![of_arena, bare.clone()], "line 2: missing field"),
        (vec![bare, json!([])], "line 2: not a JSON object"),
    ] {
        let message = refused(&records);
        assert!(message.contains(part), "{message}");
    }
}

fn fields<const N: usize>(object: &Value, names: [&str; N]) -> [Value; N] {
    names.map(|name| object[name].clone())
}

#[test]
fn several_files_are_the_parts_of_one_tournament() {
    let (directory, file) = small_arena();
    let all = lines(&file);
    let write = |name: &str, records: &[Value]| {
        let part = path(&directory, name);
        let text: Vec<String> = records.iter().map(|record| format!("{record}\n")).collect();
        fs::write(&part, text.concat()).expect("it can be written");
        part
    };
    let [one, two] = [write("one.jsonl", &all[..7]), write("two.jsonl", &all[7..])];
    let merged = path(&directory, "merged.jsonl");
    quintet(["arena", "merge", &two, &one, "--out", &merged]).exits(0);
    let read = |files: &[&str]| {
        let page = quintet([&["arena", "report"], files].concat()).succeeds_quietly().stdout;
        recording(&page)
    };
    // A game in two files counts once.
    let report = read(&[&two, &one, &one]);
    assert_eq!(report.records, lines(&merged));
    assert_eq!(report.head["file"], "two.jsonl, one.jsonl, one.jsonl");
    assert_eq!(report.head["summary"], read(&[&merged]).head["summary"]);

    let other = path(&directory, "other.jsonl");
    let arena = ["arena", "krk", "--engine", "random", "--engine", "uct:iterations=5,threads=1"];
    quintet([&arena[..], &["--games", "2", "--seed", "5", "--out", &other]].concat()).exits(0);
    let message = quintet(["arena", "report", &one, &other]).refused();
    assert!(
        message.contains(&format!("seed: \"0\" in line 1 of {one}, \"5\" in line 1 of {other}")),
        "{message}"
    );
}

#[test]
fn a_torn_line_at_the_end_is_passed_over() {
    let (directory, file) = small_arena();
    let torn = path(&directory, "torn.jsonl");
    let content = fs::read_to_string(&file).expect("the games are there");
    fs::write(&torn, &content[..content.len() - 9]).expect("it can be written");
    let page = quintet(["arena", "report", &torn]).succeeds_quietly().stdout;
    let all = lines(&file);
    assert_eq!(recording(&page).records, all[..all.len() - 1]);
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
        (
            with("scores", json!({ "white": 100, "black": 100 })),
            "FILE, line 2: scores: an engine lost by a fault",
        ),
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
