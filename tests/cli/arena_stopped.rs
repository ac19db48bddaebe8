//! `quintet arena`, interrupted: finished games are not lost.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::{Run, TIMEOUT, command, quintet};

/// Waits until `done` returns true; kills `child` and panics if that takes too long.
pub(crate) fn wait_until(child: &mut Child, mut done: impl FnMut(&mut Child) -> bool) {
    let start = Instant::now();
    while !done(child) {
        if start.elapsed() > TIMEOUT {
            child.kill().expect("it can be stopped");
            panic!("nothing has happened for {TIMEOUT:?}");
        }
        sleep(Duration::from_millis(5));
    }
}

/// Interrupts `command`, which would play for hours, after the first game in `file`, and returns
/// the finished run.
pub(crate) fn interrupted_after_a_game(command: Command, file: &Path) -> Run {
    let has_a_game = |_: &Child| fs::read(file).is_ok_and(|content| content.contains(&b'\n'));
    sent(command, "-INT", has_a_game).exits(130)
}

/// Sends `signal` to `command`, which would run for hours, once it `is_ready`, and returns the
/// finished run.
pub(crate) fn sent(mut command: Command, signal: &str, is_ready: impl Fn(&Child) -> bool) -> Run {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.as_mut().expect("the binary starts");

    wait_until(child, |child| {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it is still playing");
        is_ready(child)
    });
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill.expect("there is kill").success());
    let mut status = None;
    wait_until(child, |child| {
        status = child.try_wait().expect("it can be asked");
        status.is_some()
    });
    let read = |from: Option<&mut dyn std::io::Read>| {
        let mut bytes = Vec::new();
        from.expect("it is piped").read_to_end(&mut bytes).expect("it can be read");
        bytes
    };
    let output = std::process::Output {
        status: status.expect("it has ended"),
        stdout: read(child.stdout.as_mut().map(|it| it as _)),
        stderr: read(child.stderr.as_mut().map(|it| it as _)),
    };
    Run::new(format!("{command:?}"), output)
}

/// Interrupts a match after its first game, and returns the finished run and the records.
fn interrupted(flags: &[&str]) -> (Run, Vec<Value>) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let file = directory.path().join("games.jsonl");
    let mut command = command();
    command.args([
        "arena",
        "krk,quarto",
        "--engine",
        "quick=uct:iterations=500,threads=1",
        "--engine",
        "random",
    ]);
    command.args(["--games", "100000", "--concurrency", "2", "--out"]).arg(&file).args(flags);
    let run = interrupted_after_a_game(command, &file);

    let path = file.to_str().expect("the path is text");
    assert!(quintet(["replay", path]).succeeds_quietly().stdout.contains(" right, 0 wrong; "));
    let content = fs::read_to_string(&file).expect("the records are there");
    assert!(content.ends_with('\n'), "the last line is complete");
    let records =
        content.lines().map(|line| serde_json::from_str(line).expect("every line is JSON")).collect();
    (run, records)
}

#[test]
fn an_interrupted_match_keeps_its_games_and_prints_their_table() {
    let (run, records) = interrupted(&[]);
    let rows: Vec<Vec<&str>> = run.stdout.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows[0][..5], ["game", "rules", "engine", "against", "games"], "{run}");
    assert_eq!(rows[1][..4], ["krk", "spec", "quick", "random"], "{run}");
    assert_eq!(rows[1][4], records.len().to_string(), "{run}");
    assert_eq!(rows[2][4], "0", "{run}");
    let said = format!("interrupted after {} of 200000 games; to continue, add --resume\n", records.len());
    assert!(run.stderr.ends_with(&said), "{run}");
}

#[test]
fn an_interrupted_match_has_json_results_too() {
    let (run, records) = interrupted(&["--json"]);
    let results = run.json()["results"].take();
    assert_eq!(results[0]["games"], records.len(), "{run}");
    assert!(results[1]["score"].is_null() && results[1]["elo"].is_null(), "{run}");
}
