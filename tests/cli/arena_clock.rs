//! `quintet arena` with clocks for whole games.

use std::fs;

use serde_json::Value;

use crate::harness::quintet;

/// Plays two games of KRK, and returns the records.
fn play(args: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games.jsonl");
    let out = file.to_str().expect("the path is text");
    let all = ["arena", "krk", "--games", "2", "--concurrency", "1", "--opening-plies", "0", "--out", out];
    quintet([&all[..], args].concat()).exits(0);
    quintet(["replay", out]).succeeds_quietly();
    let content = fs::read_to_string(&file).expect("the records are there");
    content.lines().map(|line| serde_json::from_str(line).expect("a record is JSON")).collect()
}

#[test]
fn a_clock_lasts_for_the_whole_game() {
    let records = play(&["--engine", "a=uct:tc=0.02+0.001,threads=1", "--engine", "b=random", "--tc", "0.5"]);
    assert!(records.iter().all(|record| record["end"] == "rules"), "{records:?}");
    let engines = &records[0]["arena"]["engines"];
    assert_eq!(engines["a"], "uct:tc=0.02+0.001,threads=1,margin=1s");
}

#[cfg(unix)]
#[test]
fn external_engines_are_told_the_clocks() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let (script, log) = (folder.path().join("engine.sh"), folder.path().join("log"));
    let text =
        format!("tee {} | '{}' ugi --threads 1 --iterations 1", log.display(), env!("CARGO_BIN_EXE_quintet"));
    fs::write(&script, text).expect("it can be written");
    let engine = format!("x=ugi:tc=60+0.5,command=sh {}", script.display());
    play(&["--engine", &engine, "--engine", "y=uct:tc=5,threads=1"]);
    let log = fs::read_to_string(log).expect("it is there");
    let first = log.lines().find(|line| line.starts_with("go")).expect("a search");
    assert_eq!(first, "go p1time 60000 p1inc 500 p2time 5000 p2inc 0");
    assert!(log.contains(" p2inc 500\n"), "{log}");
}

#[cfg(unix)]
#[test]
fn who_exceeds_the_clock_loses() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let script = folder.path().join("engine.sh");
    let text = "while read -r word rest; do case $word in ugi) echo ugiok ;; isready) echo readyok ;; \
                go) sleep 1000 ;; esac; done";
    fs::write(&script, text).expect("it can be written");
    let engine = format!("x=ugi:tc=0.2,margin=100ms,command=sh {}", script.display());
    let records = play(&["--engine", &engine, "--engine", "random"]);
    for record in records {
        assert_eq!(record["end"], "time", "{record}");
        assert_eq!(record["fault"], "no bestmove within 300ms");
    }
}

#[test]
fn an_own_engine_that_exceeds_its_clock_loses_too() {
    // A move takes at least a millisecond.
    let records = play(&["--engine", "a=uct:tc=0.000001,margin=0s,threads=1", "--engine", "b=random"]);
    for record in records {
        assert_eq!(record["end"], "time", "{record}");
        assert_eq!(record["fault"], "its clock ran out, and the margin of 0s");
        let is_white = record["seats"]["white"] == "a";
        assert_eq!(record["scores"]["white"], if is_white { 0 } else { 100 }, "{record}");
    }
}

#[test]
fn clocks_are_for_the_arena() {
    let message = quintet(["suggest", "krk", "--engine", "uct:tc=1"]).refused();
    assert!(message.contains("a clock (tc) runs in the arena only"), "{message}");
    let arena = ["arena", "krk", "--engine", "a=uct", "--engine", "b=uct"];
    for (tc, part) in [("0", "such as 10+0.1"), ("10s", "such as 10+0.1")] {
        let message = quintet([&arena[..], &["--tc", tc]].concat()).refused();
        assert!(message.contains(part), "{message}");
    }
    let message = quintet([&arena[..], &["--tc", "1", "--time", "1s"]].concat()).refused();
    assert!(message.contains("cannot be used with"), "{message}");
}
