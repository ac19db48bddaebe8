//! `quintet arena`: the files it reads and writes, and engine lists that make no match.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::harness::{Run, quintet};

const ENGINES: [&str; 4] = ["--engine", "quick=uct:iterations=20,threads=1", "--engine", "random"];

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory can be made")
}

fn arena(out: &Path) -> Run {
    let out = out.to_str().expect("the path is text");
    quintet([&["arena", "krk", "--games", "2", "--out", out], &ENGINES[..]].concat())
}

#[test]
fn records_go_to_a_new_or_an_empty_file() {
    let directory = directory();
    let file = directory.path().join("games.jsonl");
    arena(&file).exits(0);
    assert_eq!(fs::read_to_string(&file).expect("it has been written").lines().count(), 2);
    fs::write(&file, "").expect("it can be emptied");
    arena(&file).exits(0);
    assert_eq!(fs::read_to_string(&file).expect("it has been written").lines().count(), 2);
}

#[test]
fn a_file_with_content_is_left_as_it_is() {
    let directory = directory();
    let file = directory.path().join("thesis.txt");
    let content = b"years of work\n\xFF\x00";
    fs::write(&file, content).expect("it can be written");
    let message = arena(&file).refused();
    assert!(message.contains("thesis.txt") && message.contains("content"), "{message}");
    assert_eq!(fs::read(&file).expect("it is still there"), content);
}

#[test]
fn a_file_that_cannot_be_written_is_refused_before_a_game_is_played() {
    let directory = directory();
    let message = arena(&directory.path().join("missing").join("games.jsonl")).refused();
    assert!(message.contains("games.jsonl"), "{message}");
    let message = arena(directory.path()).refused();
    assert!(message.contains(&*directory.path().to_string_lossy()), "{message}");
    assert!(!directory.path().join("missing").exists());
    arena(Path::new("")).refused();
}

#[test]
fn a_refused_line_up_leaves_no_file_behind() {
    let directory = directory();
    let file = directory.path().join("games.jsonl");
    let out = file.to_str().expect("the path is text");
    quintet(["arena", "krk", "--engine", "random", "--out", out]).refused();
    quintet([&["arena", "krk", "--games", "3", "--out", out], &ENGINES[..]].concat()).refused();
    assert!(!file.exists());
}

#[test]
fn it_takes_two_engines_and_an_even_number_of_games() {
    for engines in [&[][..], &["--engine", "random"]] {
        let message = quintet([&["arena", "krk"], engines].concat()).refused();
        assert!(message.contains("two engines") && message.contains("--engine"), "{message}");
    }
    for games in ["1", "7"] {
        let message = quintet([&["arena", "krk", "--games", games], &ENGINES[..]].concat()).refused();
        assert!(message.contains("--games") && message.contains(games), "{message}");
    }
    for (flag, value) in
        [("--games", "0"), ("--concurrency", "0"), ("--games", "-2"), ("--opening-plies", "-1")]
    {
        quintet([&["arena", "krk", flag, value], &ENGINES[..]].concat()).refused();
    }
}

/// Runs an arena with the engines of a file with this content and those of `more`.
fn with_toml(content: impl AsRef<[u8]>, more: &[&str]) -> Run {
    let directory = directory();
    let file = directory.path().join("line-up.toml");
    fs::write(&file, content).expect("it can be written");
    let file = file.to_str().expect("the path is text");
    quintet([&["arena", "krk", "--games", "2", "--json", "--engines", file], more].concat())
}

const LINE_UP: &str = r#"
    [[engine]]
    name = "deep"
    kind = "uct"
    iterations = 50
    threads = 2
    c = 1
    memory = "1MiB"

    [[engine]]
    name = "hasty"
    kind = "quintet"
    time = "1ms"
    threads = 1

    [[engine]]
    name = "chance"
    kind = "random"
"#;

#[test]
fn engines_can_come_from_a_toml_file() {
    let results = with_toml(LINE_UP, &[]).exits(0).json()["results"].take();
    let names = |index: usize| (results[index]["a"].as_str(), results[index]["b"].as_str());
    let expected =
        [("deep", "hasty"), ("deep", "chance"), ("hasty", "chance")].map(|(a, b)| (Some(a), Some(b)));
    assert_eq!([names(0), names(1), names(2)], expected);
    assert_eq!(results.as_array().map(Vec::len), Some(3));
}

#[test]
fn engines_of_the_file_and_of_the_command_line_play_each_other() {
    let more = ["--engine", "quick=uct:iterations=10,threads=1"];
    let results = with_toml(LINE_UP, &more).exits(0).json()["results"].take();
    let results = results.as_array().expect("results are an array");
    assert_eq!(results.len(), 6);
    assert!(results.iter().all(|result| result["a"] != result["b"]), "{results:?}");
}

#[test]
fn a_mistake_in_the_toml_file_is_refused_with_file_and_place() {
    let engine = "[[engine]]\nname = \"x\"\nkind = \"uct\"\n";
    let cases = [
        ("[[engine]\n".to_owned(), "line 1"),
        ("engine = 5\n".to_owned(), "line 1"),
        ("[[engine]]\nkind = \"uct\"\n".to_owned(), "name"),
        ("[[engine]]\nname = \"x\"\n".to_owned(), "kind"),
        ("[[engine]]\nname = \"x\"\nkind = \"ucd\"\n".to_owned(), "line 3"),
        (format!("{engine}depth = 3\n"), "line 4"),
        (format!("{engine}threads = 0\n"), "line 4"),
        (format!("{engine}iterations = -1\n"), "line 4"),
        (format!("{engine}iterations = \"many\"\n"), "line 4"),
        (format!("{engine}time = \"5\"\n"), "line 4"),
        (format!("{engine}time = 5\n"), "line 4"),
        (format!("{engine}memory = \"big\"\n"), "line 4"),
        (format!("{engine}c = \"x\"\n"), "line 4"),
        (format!("{engine}c = 1\nc = 2\n"), "line 5"),
        (format!("{engine}\n[engines]\n"), "line 5"),
        (String::new(), "engine"),
    ];
    for (content, part) in cases {
        let message = with_toml(&content, &ENGINES).refused();
        assert!(message.contains("line-up.toml") && message.contains(part), "{content}: {message}");
    }
    let message = with_toml(b"\xFF\xFE", &ENGINES).refused();
    assert!(message.contains("line-up.toml"), "{message}");
}

#[test]
fn settings_out_of_range_are_refused_with_the_name_of_the_engine() {
    for setting in ["iterations = 0", "time = \"0s\"", "c = -1", "c = nan", "memory = \"1KiB\""] {
        let content = format!("[[engine]]\nname = \"crooked\"\nkind = \"uct\"\n{setting}\n");
        let message = with_toml(content, &ENGINES).refused();
        assert!(message.contains("crooked"), "{setting}: {message}");
    }
}

#[test]
fn an_engine_without_a_name_is_refused() {
    with_toml("[[engine]]\nname = \"\"\nkind = \"random\"\n", &ENGINES).refused();
    let message = quintet([&["arena", "krk", "--engine", "=uct"], &ENGINES[..]].concat()).refused();
    assert!(message.contains("name"), "{message}");
}

#[test]
fn a_name_with_control_characters_is_refused() {
    for name in ["a\u{1b}[31m", "a\nb", "\u{202e}a"] {
        let engine = format!("{name}=random");
        let message = quintet([&["arena", "krk", "--engine", &engine], &ENGINES[..]].concat()).refused();
        assert!(message.contains("control character"), "{message:?}");
        let quoted = serde_json::to_string(name).expect("a text");
        let toml = format!("[[engine]]\nname = {quoted}\nkind = \"random\"\n");
        let message = with_toml(toml, &ENGINES).refused();
        assert!(message.contains("control character") && !message.contains(name), "{message:?}");
    }
}

#[test]
fn a_toml_file_that_cannot_be_read_is_refused() {
    let directory = directory();
    let missing = directory.path().join("missing.toml");
    for path in [directory.path(), &missing] {
        let path = path.to_str().expect("the path is text");
        let message = quintet([&["arena", "krk", "--engines", path], &ENGINES[..]].concat()).refused();
        assert!(message.contains(path), "{message}");
    }
}
