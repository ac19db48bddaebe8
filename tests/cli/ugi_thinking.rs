//! `quintet ugi`: what it says while it thinks, and how it is stopped.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{ChildStdin, ChildStdout, ExitStatus, Stdio};

use crate::harness::{Child, command, quintet_reading};
#[cfg(unix)]
use crate::running::signal;

/// An engine that runs; it is killed when it is dropped.
struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Option<Lines<BufReader<ChildStdout>>>,
}

impl Engine {
    fn start() -> Self {
        let mut command = command();
        command.args(["ugi", "--threads", "1"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = Child::start(&mut command);
        let input = child.stdin.take();
        let lines = child.stdout.take().map(|output| BufReader::new(output).lines());
        Self { child, input, lines }
    }

    fn send(&mut self, lines: &str) {
        let input = self.input.as_mut().expect("the input is open");
        writeln!(input, "{lines}").expect("it reads");
    }

    fn next(&mut self) -> String {
        let lines = self.lines.as_mut().expect("the output is open");
        lines.next().expect("a line").expect("it can be read")
    }

    /// Returns the next line that has more than the time, which may be all if the machine is busy.
    fn next_report(&mut self) -> String {
        loop {
            let line = self.next();
            if !line.starts_with("info time ") {
                return line;
            }
        }
    }

    /// Returns the lines up to the first that begins with `start`.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = vec![self.next()];
        while !lines[lines.len() - 1].starts_with(start) {
            lines.push(self.next());
        }
        lines
    }

    /// Waits until it has ended.
    fn end(mut self) -> ExitStatus {
        self.child.wait().expect("it ends")
    }
}

/// Returns the number in a field of an `info` line.
#[track_caller]
fn field(line: &str, name: &str) -> u64 {
    let rest = line.split_once(&format!(" {name} ")).unwrap_or_else(|| panic!("no {name} in {line}")).1;
    rest.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{name} in {line}"))
}

const GOMOKU: &str = "setoption name Game value gomoku\nsetoption name Engine value uct";

#[test]
fn answers_come_while_the_input_stays_open() {
    let mut engine = Engine::start();
    for (line, answers) in [
        ("isready", ["readyok"].as_slice()),
        ("go nodes 9", &["info ", "bestmove "]),
        ("query result", &["response none"]),
    ] {
        engine.send(line);
        for answer in answers {
            engine.until(answer);
        }
    }
    engine.send("quit");
    assert!(engine.end().success());
}

#[test]
fn a_search_reports_what_it_has_found_so_far() {
    let mut engine = Engine::start();
    engine.send(&format!("{GOMOKU}\nsetoption name MultiPV value 2\ngo infinite"));
    let mut before = [0, 0];
    for _ in 0..3 {
        let lines = [engine.next_report(), engine.next()];
        for (index, line) in lines.iter().enumerate() {
            assert_eq!(field(line, "multipv"), index as u64 + 1, "{line}");
            let variation = line.split_once(" pv ").expect("a variation").1;
            assert_eq!(field(line, "depth"), variation.split(' ').count() as u64, "{line}");
            assert!(line.contains(" score cp ") && field(line, "visits") > 0, "{line}");
        }
        let now = ["nodes", "time"].map(|name| field(&lines[0], name));
        assert!(now[0] > before[0] && now[1] > before[1], "{before:?} {lines:?}");
        before = now;
    }
    engine.send("stop");
    let lines = engine.until("bestmove ");
    assert!(field(&lines[lines.len() - 2], "nodes") > before[0], "{lines:?}");
}

#[test]
fn stop_and_ponderhit_are_for_the_search_before_them_however_early_they_come() {
    let mut engine = Engine::start();
    let searches = ["go infinite\nstop"; 3].join("\n");
    let ponders = ["go ponder nodes 9\nponderhit"; 3].join("\n");
    engine.send(&format!("{GOMOKU}\n{searches}\n{ponders}\ngo infinite\nposition startpos\nstop\nd"));
    let lines = engine.until("position: ");
    assert_eq!(lines.iter().filter(|line| line.starts_with("bestmove ")).count(), 7, "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("error")), "{lines:?}");
}

#[test]
fn limits_count_from_ponderhit() {
    let mut engine = Engine::start();
    engine.send(&format!("{GOMOKU}\ngo ponder nodes 3000"));
    // It ponders longer than the limit would allow.
    while field(&engine.next_report(), "nodes") <= 3_000 {}
    engine.send("isready");
    engine.until("readyok");
    engine.send("ponderhit");
    let lines = engine.until("bestmove ");
    assert_eq!(field(&lines[lines.len() - 2], "nodes"), 3_000, "{lines:?}");

    engine.send("go ponder movetime 1\nisready");
    engine.until("readyok");
    engine.send("ponderhit\nstop");
    engine.until("bestmove ");

    engine.send("go ponder\nisready");
    engine.until("readyok");
    engine.send("stop");
    engine.until("bestmove ");

    // `ponderhit` does not end an infinite search.
    engine.send("go ponder infinite\nponderhit\nponderhit");
    engine.until("info string error: ponderhit");
    engine.send("isready");
    assert!(engine.until("readyok").iter().all(|line| line.starts_with("info ") || line == "readyok"));
    engine.send("stop");
    engine.until("bestmove ");
}

#[test]
fn a_search_that_ends_while_it_ponders_answers_after_ponderhit() {
    let mut engine = Engine::start();
    engine
        .send("setoption name Game value krk\nsetoption name Ponder value true\ngo ponder movetime 10000000");
    assert!(engine.next_report().contains(" score mate 3 "));
    engine.send("isready");
    assert_eq!(engine.next(), "readyok");
    engine.send("ponderhit");
    assert_eq!(engine.next(), "bestmove Kc1-b2 ponder ka4-b4");
}

#[test]
fn what_was_found_while_pondering_is_kept() {
    let mut engine = Engine::start();
    engine.send("setoption name Game value gomoku\ngo ponder nodes 50");
    let mut visits = 0;
    while visits < 500 {
        visits = field(&engine.next_report(), "visits");
    }
    engine.send("ponderhit");
    let lines = engine.until("bestmove ");
    let last = &lines[lines.len() - 2];
    assert!(field(last, "nodes") <= 50 && field(last, "visits") >= 500, "{lines:?}");
}

#[test]
fn the_end_of_the_input_ends_a_search_that_only_time_limits() {
    for go in ["go movetime 36000000", "go ponder nodes 5", "go infinite", "go p1time 360000000 p2time 1"] {
        let run = quintet_reading(format!("{GOMOKU}\n{go}\n"), ["ugi", "--threads", "1"]).succeeds_quietly();
        assert!(run.stdout.contains("\nbestmove "), "{go}: {run}");
    }
}

#[test]
fn a_search_that_nobody_reads_ends() {
    let mut engine = Engine::start();
    engine.send(&format!("{GOMOKU}\ngo nodes 1073741824"));
    engine.next();
    (engine.input, engine.lines) = (None, None);
    assert!(engine.end().success());
}

#[cfg(unix)]
#[test]
fn sigterm_ends_a_search() {
    use std::os::unix::process::ExitStatusExt as _;
    let mut engine = Engine::start();
    engine.send(&format!("{GOMOKU}\ngo infinite"));
    engine.next();
    assert!(signal("-TERM", &engine.child.id().to_string()));
    assert_eq!(engine.end().signal(), Some(15));
}

/// The session that docs/ugi.md shows: lines to the engine and lines from it.
#[test]
fn the_session_of_the_document_is_what_happens() {
    let document = include_str!("../../docs/ugi.md");
    let session = document.split("```ugi\n").nth(1).and_then(|rest| rest.split("```").next());
    let session = session.expect("a block of code");
    let mut engine = Engine::start();
    for line in session.lines() {
        if let Some(command) = line.strip_prefix("> ") {
            engine.send(command);
            continue;
        }
        let expected = line.strip_prefix("< ").unwrap_or_else(|| panic!("neither > nor <: {line}"));
        let mut found = engine.next();
        // When a search prints depends on its speed.
        while !agree(expected, &found) && found.starts_with("info ") && !found.starts_with("info string") {
            found = engine.next();
        }
        assert!(agree(expected, &found), "{expected}\n{found}");
    }
    assert!(engine.end().success());
}

/// Whether a line of the document and one of the engine are the same, except for what depends on
/// the speed of the machine, and for what stands in place of `…` at the end.
fn agree(expected: &str, found: &str) -> bool {
    let timeless = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        for index in 1..words.len() {
            if ["time", "nps"].contains(&words[index - 1]) {
                words[index] = "-";
            }
        }
        words.join(" ")
    };
    let (expected, found) = (timeless(expected), timeless(found));
    match expected.strip_suffix('…') {
        Some(start) => found.starts_with(start),
        None => found == expected,
    }
}
