//! Commands that are asked to end by a signal show what they have.

#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Child, Command, Stdio};

use crate::arena_stopped::{sent, wait_until};
use crate::harness::{Run, command};

const HUP: u32 = 1;
const INT: u32 = 2;
const TERM: u32 = 15;

/// Whether the process catches (`SigCgt`) or ignores (`SigIgn`) a signal.
fn has(child: &Child, which: &str, signal: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(which)?.strip_prefix(':'));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

fn catches_interrupts(child: &Child) -> bool {
    has(child, "SigCgt", INT)
}

/// Whether the process has begun to search, which takes time of the processor.
fn is_searching(child: &Child) -> bool {
    let times = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    let ticks = times.rsplit(')').next().and_then(|rest| rest.split(' ').nth(12)?.parse::<u64>().ok());
    catches_interrupts(child) && ticks.is_some_and(|ticks| ticks > 10)
}

/// Starts a command that would take hours, and interrupts it.
fn interrupted(args: &[&str]) -> Run {
    let mut command = command();
    command.args(args).stdin(Stdio::null());
    sent(command, "-INT", is_searching).exits(130)
}

#[test]
fn suggest_shows_the_best_move_so_far() {
    let run = interrupted(&["suggest", "pentago", "--time", "1h", "--threads", "1"]);
    assert!(run.stdout.contains("\nbest move: "), "{run}");
    let run = interrupted(&["suggest", "pentago", "--time", "1h", "--threads", "2", "--json"]);
    assert!(run.json()["move"].is_string(), "{run}");
}

#[test]
fn suite_shows_what_it_has_counted() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suites/qubic-ggp-hard.jsonl");
    let run = interrupted(&["suite", file, "--engine", "uct", "--time", "1h", "--threads", "1"]);
    assert!(run.stdout.contains("qubic-ggp-hard"), "{run}");
}

#[test]
fn bench_shows_what_it_has_measured() {
    let run = interrupted(&["bench", "--game", "krk", "--seconds", "3600"]);
    assert!(run.stdout.starts_with("game "), "{run}");
}

#[test]
fn analyze_ends_at_once_while_it_waits_for_a_query() {
    let mut command = command();
    command.arg("analyze").stdin(Stdio::piped());
    let run = sent(command, "-INT", catches_interrupts);
    assert_eq!((run.code, &*run.stdout), (Some(130), ""), "{run}");
}

#[test]
fn analyze_answers_the_query_at_hand() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let queries = folder.path().join("queries");
    let query = r#"{"id":1,"game":"pentago","time_ms":3600000,"threads":1}"#;
    fs::write(&queries, format!("{query}\n{query}\n")).expect("it can be written");
    let mut command = command();
    command.arg("analyze").stdin(fs::File::open(queries).expect("it is there"));
    let run = sent(command, "-INT", is_searching).exits(130);
    assert!(run.json()["move"].is_string(), "{run}");
}

#[test]
fn the_second_interrupt_ends_the_arena_at_once() {
    let mut command = command();
    command.args(["arena", "pentago", "--engine", "x=uct:time=1h", "--engine", "random", "--threads", "1"]);
    let mut arena = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary starts");
    wait_until(&mut arena, |arena| catches_interrupts(arena));
    // Signals that arrive together count once, so there may have to be more than two.
    let mut status = None;
    wait_until(&mut arena, |arena| {
        let kill = Command::new("kill").args(["-INT", &arena.id().to_string()]).status();
        assert!(kill.expect("there is kill").success());
        status = arena.try_wait().expect("it can be asked");
        status.is_some()
    });
    assert_eq!(status.and_then(|status| status.code()), Some(130));
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    for (name, signal) in [("HUP", HUP), ("INT", INT)] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("trap '' {name}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_quintet")]);
        shell.args(["suggest", "pentago", "--time", "1h", "--threads", "1"]).stdin(Stdio::null());
        let run = sent(shell, "-TERM", |child| {
            has(child, "SigCgt", TERM) && {
                assert!(has(child, "SigIgn", signal), "{name}");
                true
            }
        });
        assert!(run.exits(130).stdout.contains("best move: "));
    }
}
