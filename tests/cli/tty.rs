//! What people see in a terminal: the tests have one of any width.

use std::fs::File;
use std::io::Read as _;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetwinsize, tcsetwinsize};

use crate::harness::command;
use crate::running::{Running, signal};

/// A terminal: the side of the screen, and that of the program.
pub(crate) fn terminal(columns: u16) -> (File, File) {
    let screen = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal can be had");
    grantpt(&screen).and_then(|()| unlockpt(&screen)).expect("it can be opened");
    let name = ptsname(&screen, Vec::new()).expect("it has a name");
    let program = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("it opens");
    let size = tcgetwinsize(&program).expect("it has a size");
    tcsetwinsize(&program, Winsize { ws_col: columns, ws_row: 24, ..size }).expect("it can be resized");
    (screen.into(), program.into())
}

/// Returns all that arrives at a screen until the program has ended.
fn read(mut screen: File) -> String {
    let (mut all, mut part) = (Vec::new(), [0; 4096]);
    // At its end a terminal gives an error.
    while let Ok(length @ 1..) = screen.read(&mut part) {
        all.extend_from_slice(&part[..length]);
    }
    String::from_utf8(all).expect("the output is UTF-8").replace("\r\n", "\n")
}

/// Returns what the binary prints on standard output if that is a terminal of this width.
#[track_caller]
fn stdout(columns: u16, args: &[&str]) -> String {
    let (screen, program) = terminal(columns);
    let mut command = command();
    command.args(args).stdin(Stdio::null()).stdout(program).stderr(Stdio::null());
    shown(command, screen)
}

/// Returns what the binary prints on standard error if that is a terminal of 80 columns.
#[track_caller]
fn stderr(args: &[&str]) -> String {
    let (screen, program) = terminal(80);
    let mut command = command();
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(program);
    shown(command, screen)
}

/// Returns what arrives at the screen while the command runs.
#[track_caller]
fn shown(command: Command, screen: File) -> String {
    let running = Running::spawn(command);
    let text = read(screen);
    assert!(running.status().success(), "{text}");
    text
}

/// Returns what the binary prints on standard error if that is a terminal of 80 columns and it is
/// interrupted once there is `part`.
#[track_caller]
fn interrupted(args: &[&str], part: &str) -> String {
    let (screen, program) = terminal(80);
    let mut command = command();
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(program);
    let running = Running::spawn(command);
    let mut text = String::new();
    let mut bytes = [0; 4096];
    while !text.contains(part) {
        let length = (&screen).read(&mut bytes).expect("it runs");
        text += &String::from_utf8_lossy(&bytes[..length]);
    }
    assert!(signal("-TERM", &running.id()));
    text += &read(screen);
    assert_eq!(running.status().code(), Some(130), "{args:?}: {text}");
    text
}

/// Checks that no line is wider than the terminal.
#[track_caller]
pub(crate) fn fits(columns: usize, text: &str) {
    let text = anstream::adapter::strip_str(text).to_string();
    for line in text.lines() {
        assert!(line.chars().count() <= columns, "wider than {columns}: {line}\n{text}");
    }
}

const THREE_TENTHS: [&str; 5] = ["suggest", "pentago", "--time", "300ms", "--threads=1"];

#[test]
fn a_search_shows_how_far_it_is_and_clears_the_line() {
    for more in [&[][..], &["--engine", "uct"], &["--json"]] {
        let hour = ["suggest", "pentago", "--time=1h", "--threads=1"];
        let text = interrupted(&[&hour, more].concat(), ", score ");
        assert!(text.contains(" of 60m  ") && text.contains(" iterations, best "), "{text:?}");
        let (_, last) = text.rsplit_once("iterations").expect("there is one");
        assert!(last.contains("\x1b[2K"), "the line stays: {text:?}");
        let (_, rest) = last.rsplit_once("\x1b[2K").expect("there is one");
        assert_eq!(rest.trim(), "", "{text:?}");
    }
}

#[test]
fn a_proof_shows_how_far_it_is_and_clears_the_line() {
    let text = interrupted(&["solve", "pentago", "--time=1h", "--memory=64MiB"], " positions (");
    assert!(text.contains(" of 60m  ") && text.contains("/s)"), "{text:?}");
    let (_, last) = text.rsplit_once("/s)").expect("there is one");
    let (_, rest) = last.rsplit_once("\x1b[2K").expect("the line is cleared");
    assert_eq!(rest.trim(), "", "{text:?}");
}

#[test]
fn the_best_moves_and_their_words_fit_into_a_narrow_terminal() {
    let draw = ["suggest", "quarto", "--position", "..45/0.6b/f81e/27ca - b", "--iterations=100"];
    let pruned = ["suggest", "quarto", "--iterations", "100", "--threads", "1", "--all"];
    let uct = ["suggest", "gomoku", "--engine", "uct", "--iterations", "20", "--threads", "1"];
    for args in [&draw[..], &pruned, &uct, &THREE_TENTHS] {
        for columns in [80, 60] {
            fits(columns.into(), &stdout(columns, args));
        }
    }
}

const LONG: [&str; 7] = [
    "--engine=quintet:iterations=50,threads=1",
    "--engine=uct:iterations=20,threads=1",
    "--games=4",
    "--concurrency=1",
    "--rules=both",
    "--seed=1",
    "--sprt=elo0=0,elo1=20",
];

#[test]
fn the_tables_of_the_arena_fit_and_engines_with_long_names_get_letters() {
    let three = [&["arena", "krk,quarto"], &LONG[..], &["--engine=old=uct:iterations=30,threads=1"]].concat();
    for columns in [80, 60] {
        let text = stdout(columns, &three);
        fits(columns.into(), &text);
        let text = anstream::adapter::strip_str(&text).to_string();
        let legend = "A  quintet:iterations=50,threads=1\nB  uct:iterations=20,threads=1\n\ngame ";
        assert!(text.starts_with(legend), "{text}");
        assert!(text.contains(" A – old ") && text.contains("\nB "), "{text}");
        assert!(text.contains("95 %"), "the interval is always there: {text}");
        assert_eq!(text.contains("(no room for: LOS"), columns == 60, "{text}");
    }
    let wide = stdout(150, &three);
    fits(150, &wide);
    assert!(wide.contains("against") && wide.contains("losses"), "{wide}");
}

#[test]
fn names_with_room_stay_as_they_are() {
    let args =
        ["arena", "krk", "--games=2", "--engine=quick=uct:iterations=30", "--engine=random", "--threads=1"];
    let text = stdout(80, &args);
    fits(80, &text);
    assert!(text.contains("quick – random"), "{text}");
}

#[test]
fn the_progress_of_the_arena_fits() {
    // A line that is cleared begins again.
    let text = stderr(&[&["arena", "krk"], &LONG[..]].concat()).replace("\x1b[2K", "\r");
    let text = anstream::adapter::strip_str(&text).to_string();
    assert!(text.contains("krk spec: +"), "{text}");
    // The bar may be drawn again between two lines.
    for line in ["A  quintet:iterations=50,threads=1\n", "B  uct:iterations=20,threads=1\n", ", A – B"] {
        assert!(text.contains(line), "{text}");
    }
    let (before, _) = text.split_once("krk spec: +").expect("there is a result");
    assert!(!before.contains("left"), "no time is known before the first game: {text}");
    for part in text.split(['\r', '\n']) {
        assert!(part.chars().count() <= 2 * 80, "wider than two lines: {part}");
    }
}

#[test]
fn the_speeds_of_all_games_fit() {
    let text = stdout(80, &["bench", "--seconds", "0.01"]);
    fits(80, &text);
    assert!(!text.contains("(no room for: "), "{text}");
    let text = stdout(60, &["bench", "--seconds", "0.01", "--game", "gomoku"]);
    fits(60, &text);
    assert!(text.contains("(no room for: "), "{text}");
}

#[test]
fn the_benchmark_shows_what_it_measures() {
    interrupted(&["bench", "--game", "krk", "--rules", "ggp", "--seconds", "3600"], "measuring krk ggp");
}
