//! `quintet train`, and engines with a model.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::harness::{Run, quintet};

fn folder() -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("created");
    let path = folder.path().join("model").to_str().expect("the path is text").to_owned();
    (folder, path)
}

/// The flags of two small generations, of which the first is kept unless it is much weaker.
const SMALL: [(&str, &str); 8] = [
    ("--rules", "ggp"),
    ("--games", "6"),
    ("--positions", "4"),
    ("--iterations", "20"),
    ("--match-games", "4"),
    ("--generations", "2"),
    ("--evaluations", "0"),
    ("--sprt", "elo0=-900,elo1=-300,alpha=0.4,beta=0.4,model=logistic"),
];

/// Runs a training with [`SMALL`], of which `more` may replace flags.
fn train(out: &str, more: &[&str]) -> Run {
    let kept = SMALL.iter().filter(|(flag, _)| !more.contains(flag));
    let flags = kept.flat_map(|&(flag, value)| [flag, value]);
    quintet(["train", "pentago", "--out", out].into_iter().chain(flags).chain(more.iter().copied()))
}

fn read(folder: &str, name: &str) -> String {
    fs::read_to_string(Path::new(folder).join(name)).expect(name)
}

#[test]
fn the_same_seed_gives_the_same_models_whatever_the_concurrency() {
    let (_folder, path) = folder();
    let [one, two, other] = ["one", "two", "other"].map(|name| format!("{path}-{name}"));
    let run = train(&one, &["--concurrency", "1"]).exits(0);
    assert!(run.stdout.starts_with("generation 1: most visited move "), "{run}");
    assert!(run.stdout.contains(": kept\ngeneration 2: "), "{run}");
    train(&two, &["--concurrency", "3"]).exits(0);
    train(&other, &["--seed", "1"]).exits(0);
    for name in ["games-002.jsonl", "generation-002.model", "generations.jsonl"] {
        assert_eq!(read(&one, name), read(&two, name));
        assert_ne!(read(&one, name), read(&other, name));
    }
    assert_eq!(read(&one, "best.model"), read(&two, "best.model"));
    assert!(
        read(&one, "best.model")
            .contains("\nmade by: quintet train pentago --rules ggp --games 6 --positions 4 ")
    );
}

#[test]
fn a_training_that_keeps_no_model_says_so_and_so_does_an_engine_that_looks_for_it() {
    let (_folder, path) = folder();
    let run = train(&path, &["--sprt", "elo0=0,elo1=30"]).exits(0);
    let said = format!(
        "no model has won its match so far, so there is no {path}/best.model; {path}/generation-002.model "
    );
    assert!(run.stderr.contains(&said), "{run}");
    let suggest = |name: &str| {
        let engine = format!("quintet:model={path}/{name}");
        quintet(["suggest", "pentago", "--rules", "ggp", "--iterations", "10", "--engine", &engine])
    };
    let message = suggest("best.model").refused();
    assert!(
        message.contains("no model of this training has won its match so far; generation-002.model"),
        "{message}"
    );
    suggest("generation-002.model").exits(0);
}

#[test]
fn a_training_goes_on_where_it_was_stopped() {
    let (_folder, path) = folder();
    let [whole, stopped] = ["whole", "stopped"].map(|name| format!("{path}-{name}"));
    train(&whole, &[]).exits(0);
    train(&stopped, &["--generations", "1"]).exits(0);
    // As if it had been killed in the games of the second generation.
    let games = read(&whole, "games-002.jsonl");
    let three: usize = games.lines().take(3).map(|line| line.len() + 1).sum();
    let torn = &games[..three + 20];
    fs::write(Path::new(&stopped).join("games-002.jsonl"), torn).expect("written");
    let message = train(&stopped, &[]).refused();
    assert!(message.contains("has a training: continue it with --resume"), "{message}");
    let run = train(&stopped, &["--resume"]).exits(0);
    assert_eq!(run.stdout.lines().count(), 2, "{run}");
    for name in ["games-002.jsonl", "generation-002.model", "generations.jsonl"] {
        assert_eq!(read(&whole, name), read(&stopped, name));
    }
    let message = train(&stopped, &["--resume", "--seed", "7"]).refused();
    assert!(message.contains("has another training: seed is 0 there, 7 here"), "{message}");
}

#[test]
fn a_match_that_was_stopped_decides_nothing() {
    let (_folder, path) = folder();
    let [whole, stopped] = ["whole", "stopped"].map(|name| format!("{path}-{name}"));
    train(&whole, &["--match-games", "8"]).exits(0);
    // The folder has another name now, and the match one whole pair.
    fs::rename(&whole, &stopped).expect("renamed");
    let file = |name: &str| Path::new(&stopped).join(name);
    let generations = read(&stopped, "generations.jsonl");
    let cut = |name: &str, lines: usize| {
        let text = read(&stopped, name);
        let length: usize = text.lines().take(lines).map(|line| line.len() + 1).sum();
        fs::write(file(name), &text[..length]).expect("written");
    };
    cut("match-002.jsonl", 2);
    cut("generations.jsonl", 1);
    let again = ["--match-games", "8", "--resume"];
    let run = train(&stopped, &[&again[..], &["--time", "1ns"]].concat()).exits(0);
    assert!(run.stderr.contains("the time is over after 1 generation; "), "{run}");
    assert_eq!(read(&stopped, "generations.jsonl").lines().count(), 1);
    train(&stopped, &again).exits(0);
    assert_eq!(read(&stopped, "generations.jsonl"), generations);
    let best = read(&stopped, "best.model");
    fs::remove_file(file("best.model")).expect("removed");
    let run = train(&stopped, &again).exits(0);
    assert!(run.stderr.contains("2 generations were done before; more come with --generations"), "{run}");
    assert_eq!(read(&stopped, "best.model"), best);
}

#[test]
fn files_that_do_not_belong_to_a_training_are_refused() {
    let (_folder, path) = folder();
    train(&path, &["--generations", "1"]).exits(0);
    let file = |name: &str| Path::new(&path).join(name);
    for (name, from, to, part) in [
        ("games-001.jsonl", "\"score\":100}", "\"score\":99}", "no game ends with the score 99"),
        ("games-001.jsonl", "\"random\":", "\"random\":9", "games-001.jsonl, line 1: 9"),
        (
            "games-001.jsonl",
            "\"moves\":[\"",
            "\"moves\":[\"z",
            "games-001.jsonl, line 1: ply 1: illegal move \"z",
        ),
        (
            "generation-001.model",
            "moves: 13365",
            "moves: 13364",
            "generation-001.model: line 15: more than 13364",
        ),
        (
            "generation-001.model",
            "exploration: 1.5",
            "exploration: 1.4",
            "generation-001.model is not the model that its match was played with",
        ),
        (
            "generations.jsonl",
            "\"number\":1",
            "\"number\":7",
            "generations.jsonl, line 1: generation 7 where 1 is expected",
        ),
        ("training.json", "\"seed\": 0", "\"seed\": 5", "has another training: seed is 5 there, 0 here"),
    ] {
        let text = read(&path, name);
        let changed = text.replacen(from, to, 1);
        assert_ne!(text, changed, "{name}: {from}");
        fs::write(file(name), changed).expect("written");
        let message = train(&path, &["--resume"]).refused();
        assert!(message.contains(part), "{message}");
        fs::write(file(name), text).expect("written");
    }
    fs::remove_file(file("games-001.jsonl")).expect("removed");
    let message = train(&path, &["--resume"]).refused();
    assert!(message.contains("games-001.jsonl has 0 lines where 10 are expected"), "{message}");
    // Without its settings it is no training that could go on, and no new one begins among its files.
    fs::remove_file(file("training.json")).expect("removed");
    for more in [&[][..], &["--resume"]] {
        let message = train(&path, more).refused();
        assert!(
            message.contains("has best.model of a training, but no training.json: name another"),
            "{message}"
        );
    }
    assert!(!file("training.json").exists());
}

#[test]
fn a_training_whose_time_is_over_can_go_on() {
    let (_folder, path) = folder();
    let run = train(&path, &["--time", "1ms", "--iterations", "2000"]).exits(0);
    let note = "the time is over after 0 generations; to go on, add --resume";
    assert!(run.stderr.contains(note), "{run}");
    assert!(Path::new(&path).join("training.json").exists());
}

#[test]
fn wrong_settings_are_refused() {
    let (_folder, path) = folder();
    for (args, part) in [
        (
            ["quarto", "--seed", "1"],
            "quarto spec has no features that a model could weigh; gomoku spec, gomoku ggp, pentago spec",
        ),
        (["pentago", "--match-games", "3"], "--match-games 3 is odd"),
        (["pentago", "--evaluations", "1.5"], "must be a number from 0 to 1"),
        (["pentago", "--random-plies", "-1"], "invalid value '-1' for '--random-plies"),
        (["pentago", "--random-plies", "70"], "--random-plies 70: found no opening of "),
        (["pentago", "--iterations", "268435457"], "must be a whole number from 1 to 268435456"),
        (["pentago", "--exploration", "-1"], "must be a number of at least 0"),
        (["pentago", "--games", "0"], "must be a whole number of at least 1"),
        (["pentago", "--time", "0s"], "must be more than 0"),
    ] {
        let [game, flag, value] = args;
        let run = quintet(["train", game, "--out", &path, &format!("{flag}={value}")]);
        let message = run.refused();
        assert!(message.contains(part), "{message}");
        assert!(!Path::new(&path).exists(), "{args:?}");
    }
    assert!(quintet(["train", "pentago"]).refused().contains("--out"));
    let run = train("/dev/null/model", &[]);
    assert!(run.refused().contains("can't read /dev/null/model/training.json"));
}

#[test]
fn an_engine_plays_with_a_model_that_fits() {
    let (_folder, path) = folder();
    train(&path, &["--generations", "1"]).exits(0);
    let best = format!("{path}/best.model");
    let suggest = |game: &str, model: &str| {
        let engine = format!("quintet:model={model}");
        quintet([
            "suggest",
            game,
            "--rules",
            "ggp",
            "--engine",
            &engine,
            "--iterations",
            "500",
            "--threads",
            "1",
            "--json",
        ])
    };
    let plain =
        quintet(["suggest", "pentago", "--rules", "ggp", "--iterations", "500", "--threads", "1", "--json"]);
    let [with, without] = [suggest("pentago", &best), plain].map(|it| it.succeeds_quietly().json());
    assert_eq!(with["iterations"], 500);
    assert_ne!(with["candidates"], without["candidates"]);
    let text = fs::read_to_string(&best).expect("a model");
    let wrong = format!("{path}/wrong.model");
    for (game, from, to, part) in [
        ("gomoku", "", "", "the model is for pentago ggp, not for gomoku ggp"),
        ("pentago", "model 2", "model 1", "is no model: line 1: expected \"quintet model 2\""),
        ("pentago", "positions: ", "positions: 9", "is no model: line 7: "),
    ] {
        fs::write(&wrong, text.replacen(from, to, 1)).expect("written");
        let message = suggest(game, &wrong).refused();
        assert!(message.contains(part), "{message}");
    }
    let twice = quintet(["analyze", "--model", &format!("a={best}"), "--model", &format!("a={best}")]);
    assert!(twice.refused().contains("--model: \"a\" is given twice"));
    let message = suggest("pentago", "no.model").refused();
    assert!(message.contains("\"model=no.model\" can't be read as a model: "), "{message}");
    let record = format!("{path}/games.jsonl");
    let engine = format!("quintet:iterations=50,model={best}");
    let games = ["arena", "pentago", "--rules", "ggp", "--games", "2", "--threads", "1", "--out", &record];
    let run = quintet(games.iter().chain(&["--engine", &engine, "--engine", "random"])).exits(0);
    assert!(run.stdout.contains("quintet:"), "{run}");
    assert!(fs::read_to_string(&record).expect("games").contains(&engine.replace(',', ",threads=1,")));
    // Another model in the same file is another engine.
    let other = text.replacen("exploration: ", "exploration: 1", 1);
    assert_ne!(other, text);
    fs::write(&best, &other).expect("written");
    let more = games
        .iter()
        .map(|it| if *it == "2" { "4" } else { it })
        .chain(["--engine", &engine, "--engine", "random"]);
    let message = quintet(more.clone().chain(["--resume"])).refused();
    assert!(message.contains("model of engine quintet:iterations=50,model="), "{message}");
    let with_other = format!("{path}/other.jsonl");
    quintet(more.clone().map(|it| if it == record { &*with_other } else { it })).exits(0);
    let message =
        quintet(["arena", "merge", &record, &with_other, "--out", &format!("{path}/all.jsonl")]).refused();
    assert!(message.contains("model of engine quintet:iterations=50,model="), "{message}");
    fs::write(&best, &text).expect("written");
    quintet(more.chain(["--resume"])).exits(0);
    // A game that it can't play is refused before the first one is played.
    let games = ["arena", "pentago,quarto", "--rules", "ggp", "--games", "2", "--engine", &engine];
    let message = quintet([&games[..], &["--engine", "random"]].concat()).refused();
    assert!(message.contains(": the model is for pentago ggp, not for quarto ggp"), "{message}");
}

#[test]
fn the_built_in_model_of_gomoku_in_a_file_plays_as_the_engine_as_it_comes() {
    // So the first match of a training is between values alone.
    let built_in = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/games/src/gomoku/knowledge/ggp.model");
    let position = "11/11/11/7b3/5b5/3w1wb4/5wb4/4bw5/11/11/11 w 1 -";
    let candidates = |engine: &str| {
        let game = ["suggest", "gomoku", "--rules", "ggp", "--position", position, "--engine", engine];
        let run = quintet(game.into_iter().chain(["--iterations", "300", "--threads", "1", "--json"]));
        run.succeeds_quietly().json()["candidates"].clone()
    };
    let expected = candidates("quintet");
    assert!(expected.as_array().is_some_and(|it| it.len() > 50));
    assert_eq!(candidates(&format!("quintet:model={built_in}")), expected);
}
