//! Commands that are asked to end by a signal show what they have.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::harness::{Run, command};
use crate::running::{Running, ended_by, signal, wait_until};

const HUP: u32 = 1;
const INT: u32 = 2;
const TERM: u32 = 15;

/// Whether the process catches (`SigCgt`) or ignores (`SigIgn`) a signal.
fn has(process: &str, which: &str, signal: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(which)?.strip_prefix(':'));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Whether the process catches the requests to end.
fn catches_requests(process: &str) -> bool {
    has(process, "SigCgt", TERM)
}

/// Whether the process has begun to search, which takes time of the processor.
fn is_searching(process: &str) -> bool {
    let times = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let ticks = times.rsplit(')').next().and_then(|rest| rest.split(' ').nth(12)?.parse::<u64>().ok());
    catches_requests(process) && ticks.is_some_and(|ticks| ticks > 10)
}

/// Starts a command that would take hours, and interrupts it.
fn interrupted(args: &[&str]) -> Run {
    let mut command = command();
    command.args(args).stdin(Stdio::null());
    ended_by("-TERM", command, is_searching).exits(130)
}

#[test]
fn suggest_shows_the_best_move_so_far() {
    let run = interrupted(&["suggest", "pentago", "--time", "1h", "--threads", "1"]);
    assert!(run.stdout.contains("\nbest move: "), "{run}");
    assert!(run.stdout.ends_with("\nThe search was stopped.\n"), "{run}");
    let run = interrupted(&["suggest", "pentago", "--time", "1h", "--threads", "2", "--json"]);
    assert!(run.json()["move"].is_string(), "{run}");
}

#[test]
fn a_puzzle_is_left_at_its_prompt() {
    let folder = tempfile::tempdir().expect("created");
    let mut command = command();
    command.args(["puzzle", "krk", "--progress"]).arg(folder.path().join("p")).stdin(Stdio::piped());
    ended_by("-TERM", command, catches_requests).exits(130);
}

#[test]
fn solve_shows_what_is_proven_so_far() {
    let run = interrupted(&["solve", "pentago", "--time", "1h", "--memory", "64MiB"]);
    assert!(run.stdout.contains("\nnot settled: "), "{run}");
    assert!(run.stdout.ends_with("\nThe search was stopped.\n"), "{run}");
    let run = interrupted(&["solve", "gomoku", "--memory", "64MiB", "--json"]);
    assert_eq!((&run.json()["settled"], &*run.stderr), (&false.into(), ""), "{run}");
    // A value whose proof takes minutes to write down.
    let folder = tempfile::tempdir().expect("created");
    let proof = folder.path().join("proof");
    let run = interrupted(&["solve", "qubic", "--rules", "ggp", "--certificate", &proof.to_string_lossy()]);
    assert!(run.stdout.contains("\nx wins\n"), "{run}");
    assert!(run.stderr.contains("proof was not written: the search ended before"), "{run}");
}

#[test]
fn check_says_how_far_it_came_and_nothing_of_what_it_did_not_play() {
    let run = interrupted(&["check", "gomoku", "--games", "100000"]);
    assert!(
        run.stderr.contains("interrupted after ") && run.stderr.contains(" of 100,000 games of gomoku spec"),
        "{run}"
    );
    assert!(!run.stdout.contains("gomoku ggp"), "{run}");
}

/// Returns the command `play`, which gets SIGINT even where that is ignored, and what keeps its
/// input open.
fn play(args: &[&str]) -> (Command, std::io::PipeWriter) {
    let (input, open) = std::io::pipe().expect("a pipe");
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_quintet"), "play"]).args(args).stdin(input);
    (command, open)
}

/// A position of Gomoku in which player1 moves a stone, with a search that takes an hour.
const STONE: [&str; 6] = ["gomoku", "--moves", "a1 b1 c1 black", "--time=1h", "--threads=1", "--seat"];

#[test]
fn the_engine_moves_at_once_and_the_game_goes_on() {
    let (mut command, input) = play(&[&STONE[..], &["player2"]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let playing = Running::spawn(command);
    let id = playing.id();
    wait_until(|| is_searching(&id));
    assert!(signal("-INT", &id));
    drop(input);
    let run = Run::new("play".into(), playing.output()).exits(0);
    assert!(
        run.stdout.contains("quintet plays ") && run.stdout.contains("--moves \"a1 b1 c1 black "),
        "{run}"
    );
}

#[test]
fn a_game_is_ended_and_its_moves_are_kept() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let file = folder.path().join("games");
    let record = ["--record", file.to_str().expect("a name")];
    for (name, seat) in [("-TERM", "player2"), ("-INT", "none")] {
        let (command, _input) = play(&[&STONE[..], &[seat], &record].concat());
        let run = ended_by(name, command, is_searching).exits(130);
        assert!(run.stdout.contains("The game was added to ") && run.stdout.contains("To go on:\n"), "{run}");
        let record = fs::read_to_string(&file).expect("it is there");
        assert!(
            record.contains("\"a1\",\"b1\",\"c1\",\"black\",\"") && record.lines().count() == 1,
            "{record}"
        );
        fs::remove_file(&file).expect("it is there");
    }
    // At the prompt.
    let (command, _input) = play(&["krk"]);
    ended_by("-INT", command, catches_requests).exits(130);
}

#[test]
fn suite_shows_what_it_has_counted() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suites/qubic-ggp-hard.jsonl");
    let engines = ["--engine", "random", "--engine", "uct:time=1h"];
    let run = interrupted(&[&["suite", file, file, "--threads", "1"], &engines[..]].concat());
    let rows: Vec<&str> = run.stdout.lines().collect();
    assert!(rows.len() == 2 && rows[1].starts_with("qubic-ggp-hard  random "), "{run}");
    let said = "qubic-ggp-hard, uct:time=1h: interrupted after 0 of ";
    assert!(run.stderr.starts_with(said) && run.stderr.lines().count() == 1, "{run}");
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
    let run = ended_by("-TERM", command, catches_requests);
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
    let run = ended_by("-TERM", command, is_searching).exits(130);
    assert!(run.json()["move"].is_string(), "{run}");
}

#[test]
fn an_interrupt_ends_the_search_of_a_move_in_an_arena() {
    let engines = ["--engine", "x=uct:time=1h", "--engine", "random", "--threads", "1"];
    let run = interrupted(&[&["arena", "pentago", "--opening-plies", "0"], &engines[..]].concat());
    assert!(run.stderr.contains("interrupted after 0 of 100 games"), "{run}");
    assert_eq!(run.stdout, "", "there is nothing to show");
}

#[test]
fn an_interrupt_ends_the_search_for_an_opening() {
    let args = ["arena", "quarto", "--rules", "ggp", "--undecided", "--opening-plies", "13"];
    let engines = ["--engine", "uct:iterations=10", "--engine", "random"];
    let run = interrupted(&[&args[..], &engines].concat());
    assert!(run.stderr.contains("interrupted after "), "{run}");
}

#[test]
fn the_second_interrupt_ends_the_arena_at_once() {
    // The first one makes it write its table to a pipe that is full, so it can't end by itself.
    let (_unread, mut full) = std::io::pipe().expect("a pipe");
    full.write_all(&vec![b' '; 1 << 16]).expect("there is room");
    let mut command = command();
    command.args(["arena", "pentago", "--engine", "x=uct:time=1h", "--engine", "random", "--threads", "1"]);
    command.stdout(full).stderr(Stdio::null());
    let mut arena = Running::spawn(command);
    let id = arena.id();
    wait_until(|| is_searching(&id));
    // Signals that arrive together count once, so there may have to be more than two.
    wait_until(|| {
        assert!(signal("-TERM", &id));
        arena.has_ended()
    });
    assert_eq!(arena.status().code(), Some(130));
}

#[test]
fn signals_that_are_not_ignored_are_caught() {
    let mut command = command();
    command.args(["suggest", "pentago", "--time", "1h", "--threads", "1"]).stdin(Stdio::null());
    let run = ended_by("-TERM", command, |process| {
        let is_ready = catches_requests(process);
        for signal in [HUP, INT, TERM] {
            let is_caught = has(process, "SigCgt", signal);
            assert!(!is_ready || is_caught != has("self", "SigIgn", signal), "{signal}");
        }
        is_ready
    });
    run.exits(130);
}

#[test]
fn a_signal_that_was_ignored_stays_ignored() {
    for (name, signal) in [("HUP", HUP), ("INT", INT)] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("trap '' {name}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_quintet")]);
        shell.args(["suggest", "pentago", "--time", "1h", "--threads", "1"]).stdin(Stdio::null());
        let run = ended_by("-TERM", shell, |process| {
            let is_ready = catches_requests(process);
            assert!(!is_ready || has(process, "SigIgn", signal), "{name}");
            is_ready
        });
        assert!(run.exits(130).stdout.contains("best move: "));
    }
}
