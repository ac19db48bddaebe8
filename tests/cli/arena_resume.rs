//! `quintet arena`: resuming after any stop, sharding a tournament, and merging it.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rand::RngExt as _;
use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::Value;

use crate::harness::{Run, TIMEOUT, command, quintet, without_times};

const ENGINES: [&str; 4] = ["--engine", "a=uct:iterations=20,threads=1", "--engine", "b=random"];

fn arena(args: &[&str], out: &Path) -> Run {
    let out = out.to_str().expect("the path is text");
    quintet([&["arena"], args, &["--out", out]].concat())
}

/// Returns the lines of a file, sorted: games may end in any order.
fn sorted(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("the games are there");
    let record = |line| without_times(serde_json::from_str(line).expect("a record is JSON"));
    let mut lines: Vec<String> = text.lines().map(|line| record(line).to_string()).collect();
    lines.sort();
    lines
}

#[test]
fn killed_at_any_moment_it_goes_on_with_what_is_missing() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let [whole, broken] = ["whole", "broken"].map(|name| directory.path().join(name));
    let args =
        [&["quarto,krk,pentago", "--rules", "both", "--games", "100", "--seed", "5"], &ENGINES[..]].concat();
    arena(&args, &whole).exits(0);

    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut before = String::new();
    for _ in 0..40 {
        let mut killed = command()
            .args([&["arena"], &args[..], &["--resume", "--out"]].concat())
            .arg(&broken)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        // Some are killed before they open the file, most in the middle of writing.
        let enough = before.len() + rng.random_range(0..8_000);
        let start = Instant::now();
        while (fs::metadata(&broken).map_or(0, |file| file.len()) as usize) < enough {
            assert!(start.elapsed() < TIMEOUT, "nothing happens");
            std::thread::sleep(Duration::from_micros(rng.random_range(0..2_000)));
        }
        killed.kill().expect("it can be killed");
        killed.wait().expect("it ends");
        let now = fs::read_to_string(&broken).unwrap_or_default();
        let safe = before.rfind('\n').map_or(0, |end| end + 1);
        assert!(now.starts_with(&before[..safe]), "a game that was on disk is gone");
        let whole_lines = now.rfind('\n').map_or("", |end| &now[..end]);
        for line in whole_lines.lines() {
            assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
        }
        before = now;
    }
    arena(&[&args[..], &["--resume"]].concat(), &broken).exits(0);
    assert_eq!(sorted(&broken), sorted(&whole));
    // No games are missing.
    let content = fs::read(&broken).expect("the games are there");
    arena(&[&args[..], &["--resume"]].concat(), &broken).exits(0);
    assert_eq!(fs::read(&broken).expect("the games are there"), content);
}

#[test]
fn a_torn_last_line_is_mended_wherever_it_is_torn() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let [whole, torn] = ["whole", "torn"].map(|name| directory.path().join(name));
    let args = [&["quarto", "--games", "6"], &ENGINES[..]].concat();
    arena(&args, &whole).exits(0);
    let content = fs::read(&whole).expect("the games are there");
    let last = content[..content.len() - 1].iter().rposition(|&byte| byte == b'\n').expect("lines") + 1;
    for cut in
        [last + 1, last + 9, usize::midpoint(last, content.len()), content.len() - 2, content.len() - 1]
    {
        fs::write(&torn, &content[..cut]).expect("it can be written");
        arena(&[&args[..], &["--resume"]].concat(), &torn).exits(0);
        assert_eq!(sorted(&torn), sorted(&whole), "cut at {cut}");
    }
}

#[test]
fn another_tournament_is_refused_with_what_differs() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("games");
    let args = [&["quarto", "--games", "4", "--seed", "1"], &ENGINES[..]].concat();
    arena(&args, &file).exits(0);
    let content = fs::read(&file).expect("the games are there");
    let replaced =
        |from: &str, to: &str| -> Vec<String> { args.iter().map(|arg| arg.replace(from, to)).collect() };
    let cases = [
        (
            replaced("iterations=20", "iterations=30"),
            "engine a: uct:iterations=20,threads=1 there; uct:iterations=30",
        ),
        (replaced("b=random", "c=random"), "engine: b there; a, c here"),
        (replaced("quarto", "krk"), "game: quarto spec there; krk spec here"),
        (replaced("4", "2"), "games in a match: more than 2 there; 2 here"),
        (
            ["quarto", "--games", "4", "--seed", "1", "--engine", ENGINES[3], "--engine", ENGINES[1]]
                .map(str::to_owned)
                .into(),
            "match: a – b there; b – a here",
        ),
        (
            [&args[..5], &["--gauntlet", "--engine", "c=random"], &ENGINES[..]]
                .concat()
                .iter()
                .map(ToString::to_string)
                .collect(),
            "match: a – b there; they do not meet here",
        ),
        (
            [&args[..], &["--shard", "2/2"]].concat().iter().map(ToString::to_string).collect(),
            "shard: opening 2 of a – b there; other openings here",
        ),
        (
            [&args[..], &["--opening-plies", "3"]].concat().iter().map(ToString::to_string).collect(),
            "openings: 2 random plies there; 3 random plies here",
        ),
        (
            [&args[..4], &["2"], &ENGINES[..]].concat().iter().map(ToString::to_string).collect(),
            "seed: 1 there; 2 here",
        ),
    ];
    for (args, message) in cases {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let found = arena(&[&args[..], &["--resume"]].concat(), &file).refused();
        assert!(found.contains(message) && found.contains(", line "), "{message:?} is not in {found}");
        assert_eq!(fs::read(&file).expect("it is still there"), content);
    }
    // With more games it is still the same tournament.
    let more: Vec<String> = replaced("4", "8");
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    arena(&[&more[..], &["--resume"]].concat(), &file).exits(0);
    let all = fs::read(&file).expect("the games are there");
    assert!(all.starts_with(&content) && sorted(&file).len() == 8);
}

#[test]
fn games_that_another_version_played_are_refused() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let [file, old] = ["games", "old"].map(|name| directory.path().join(name));
    let args = [&["quarto", "--games", "4", "--seed", "1"], &ENGINES[..]].concat();
    arena(&args, &file).exits(0);
    let content = fs::read_to_string(&file).expect("the games are there");
    let version = concat!("quintet ", env!("CARGO_PKG_VERSION"));
    for (program, name) in [("\"program\":\"quintet 0.0.1\",", "quintet 0.0.1"), ("", "unknown")] {
        let changed = content.replace(&format!("\"program\":\"{version}\","), program);
        assert_ne!(changed, content);
        fs::write(&old, &changed).expect("it can be written");
        let message = arena(&[&args[..], &["--resume"]].concat(), &old).refused();
        let expected = format!("program: {name} there; {version} here");
        assert!(message.contains(&expected), "{expected:?} is not in {message}");
        let files = [&file, &old].map(|file| file.to_str().expect("a name"));
        let message = quintet(["arena", "merge", files[0], files[1], "--out", "/dev/null"]).refused();
        assert!(message.contains(&format!("program: \"{version}\" in line 1 of {}", files[0])), "{message}");
    }
}

#[test]
fn a_file_of_something_else_is_not_mended() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("notes");
    for content in ["notes", "{\"a\":1}", "\n", "{\"game\":1}\n"] {
        fs::write(&file, content).expect("it can be written");
        let args = [&["quarto", "--games", "2", "--resume"], &ENGINES[..]].concat();
        let message = arena(&args, &file).refused();
        assert!(message.contains("line 1"), "{content:?}: {message}");
        assert_eq!(fs::read_to_string(&file).expect("it is still there"), content);
    }
}

#[test]
fn shards_put_together_are_the_whole() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = |name: &str| directory.path().join(name);
    let args =
        [&["quarto,krk", "--rules", "both", "--games", "10", "--engine", "c=random"], &ENGINES[..]].concat();
    let whole = arena(&[&args[..], &["--json"]].concat(), &path("whole")).exits(0).json();
    let parts: Vec<String> = (1..=3)
        .map(|shard| {
            let part = path(&format!("part-{shard}"));
            let shard = format!("{shard}/3");
            arena(&[&args[..], &["--shard", &shard]].concat(), &part).exits(0);
            part.to_str().expect("the path is text").to_owned()
        })
        .collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    assert!(parts.iter().all(|part| sorted(Path::new(part)).len() < sorted(&path("whole")).len() / 2));
    let merged = path("merged");
    let out = merged.to_str().expect("the path is text");
    // One part is given twice.
    let again = [&["arena", "merge", "--json", "--out", out, parts[0]], &parts[..]].concat();
    let run = quintet(again).exits(0);
    assert_eq!(sorted(&merged), sorted(&path("whole")));
    assert_eq!(run.json(), whole);
    // The whole can be resumed from the merged file: no games are missing.
    arena(&[&args[..], &["--resume"]].concat(), &merged).exits(0);
    assert_eq!(sorted(&merged), sorted(&path("whole")));
    // A missing part is reported.
    let gap = quintet(["arena", "merge", parts[0], parts[2]]).exits(0);
    assert_eq!(run.stderr, "", "nothing is missing from the whole");
    assert!(gap.stderr.contains("quarto spec: c – a: games missing up to the last opening: 2\n"), "{gap}");
    // A file with content is not overwritten, and parts of another tournament are refused.
    let message = quintet([&["arena", "merge", "--out", out], &parts[..]].concat()).refused();
    assert!(message.contains("already has content: name another file"), "{message}");
    let empty = path("empty");
    fs::write(&empty, "").expect("it can be written");
    let message = quintet(["arena", "merge", empty.to_str().expect("text")]).refused();
    assert!(message.contains("there is no game in") && message.contains("empty"), "{message}");
    let other = path("other");
    arena(&[&args[..], &["--seed", "9"]].concat(), &other).exits(0);
    let message = quintet(["arena", "merge", parts[0], other.to_str().expect("text")]).refused();
    assert!(message.contains("seed: \"0\" in") && message.contains("\"9\" in"), "{message}");
    // The same game, lost by a timeout before the last move.
    let games = fs::read_to_string(parts[0]).expect("the games are there");
    let mut records =
        games.lines().map(|line| serde_json::from_str::<Value>(line).expect("a record is JSON"));
    let is_won = |record: &Value| record["scores"].to_string().contains("100");
    let mut changed = records.find(is_won).expect("not all are drawn");
    for list in ["moves", "thoughts"] {
        changed[list].as_array_mut().expect("a list").pop();
    }
    changed["end"] = "time".into();
    changed["fault"] = "late".into();
    fs::write(&other, format!("{changed}\n")).expect("it can be written");
    let message = quintet(["arena", "merge", parts[0], other.to_str().expect("text")]).refused();
    assert!(message.contains("differs between"), "{message}");
    for (shard, with) in [("0/3", "i/n"), ("4/3", "i/n"), ("x", "i/n")] {
        let message = quintet([&["arena", "--shard", shard], &args[..]].concat()).refused();
        assert!(message.contains(with), "{message}");
    }
}

#[test]
fn openings_come_from_a_file() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let [book, games] = ["book", "games"].map(|name| directory.path().join(name));
    let lines = [
        r#"{"game":"pentago","rules":"ggp","moves":["c4","1cw","a1"]}"#,
        r#"{"game":"pentago","rules":"ggp","moves":["c4","1cw","a1"],"opening":["b2"]}"#,
        r#"{"game":"krk","rules":"ggp","position":"k3/4/4/2KR w 1","moves":[]}"#,
    ];
    fs::write(&book, lines.join("\n")).expect("it can be written");
    let book = book.to_str().expect("the path is text");
    let args =
        [&["pentago,krk", "--rules", "ggp", "--games", "6", "--openings", book], &ENGINES[..]].concat();
    arena(&args, &games).exits(0);
    let records: Vec<Value> =
        sorted(&games).iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let count = |what: &dyn Fn(&Value) -> bool| records.iter().filter(|&it| what(it)).count();
    assert_eq!(count(&|it| it["opening"] == serde_json::json!(["c4", "1cw", "a1"])), 4, "the first again");
    assert_eq!(count(&|it| it["opening"] == serde_json::json!(["b2"])), 2);
    assert_eq!(count(&|it| it["position"] == "k3/4/4/2KR w 1"), 6);
    quintet(["replay", games.to_str().expect("text")]).succeeds_quietly();
    // A file of games is also a file of openings.
    let again = directory.path().join("again");
    let games = games.to_str().expect("the path is text");
    let args = [&["pentago", "--rules", "ggp", "--games", "2", "--openings", games], &ENGINES[..]].concat();
    arena(&args, &again).exits(0);
    // Errors: no opening for the game, no undecided opening, a wrong line.
    let message = quintet([&["arena", "quarto", "--openings", book], &ENGINES[..]].concat()).refused();
    assert!(message.contains("no opening for quarto under spec"), "{message}");
    let args =
        [&["arena", "krk", "--rules", "ggp", "--undecided", "--openings", book], &ENGINES[..]].concat();
    let message = quintet(args).refused();
    assert!(message.contains("decided ones are left out"), "{message}");
    fs::write(book, "{\"game\":\"krk\",\"moves\":[]}\n{\"game\":\"krk\",\"moves\":[\"zz\"]}")
        .expect("it can be written");
    let message = quintet([&["arena", "krk", "--openings", book], &ENGINES[..]].concat()).refused();
    assert!(message.contains("book, line 2: ") && message.contains("zz"), "{message}");
}

#[test]
fn a_test_ends_a_match_by_itself() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let args = |concurrency| {
        let test = ["--sprt", "elo0=0,elo1=100", "--games", "1000", "--concurrency", concurrency];
        [&["quarto", "--json"], &test[..], &ENGINES[..]].concat()
    };
    let one = arena(&args("1"), &directory.path().join("one")).exits(0).json();
    let result = &one["results"][0];
    assert_eq!(result["sprt"]["accepted"], "H1", "{one}");
    let games = result["games"].as_u64().expect("a number");
    assert!((4..200).contains(&games), "{one}");
    assert_eq!(sorted(&directory.path().join("one")).len() as u64, games);
    // The test sees the same pairs whatever the number of concurrent games.
    let two = arena(&args("2"), &directory.path().join("two")).exits(0).json();
    assert_eq!(two["results"][0]["sprt"], result["sprt"]);
    for (test, part) in [("elo0=5", "elo1"), ("elo0=5,elo1=0", "elo0"), ("x", "x")] {
        let message = quintet([&["arena", "krk", "--sprt", test], &ENGINES[..]].concat()).refused();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn in_a_gauntlet_the_others_do_not_meet() {
    let args = ["arena", "krk", "--games", "2", "--json", "--gauntlet", "--engine", "c=random"];
    let results = quintet([&args[..], &ENGINES[..]].concat()).exits(0).json();
    let met: Vec<[&str; 2]> = results["results"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|it| ["a", "b"].map(|key| it[key].as_str().expect("text")))
        .collect();
    assert_eq!(met, [["c", "a"], ["c", "b"]]);
    assert_eq!(results["ratings"][0]["ratings"].as_array().map(Vec::len), Some(3), "{results}");
}
