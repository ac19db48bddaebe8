//! `quintet play` in a terminal: the board in place, and an editor for what is typed.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use rustix::termios::{LocalModes, tcgetattr};

use crate::harness::{TIMEOUT, VARIANTS, command};
use crate::running::{Running, signal, wait_until};
use crate::tty::{fits, terminal};

/// What begins each view.
const CLEAR: &str = "\x1b[H\x1b[J";

/// What the editor draws where nothing has been typed.
const PROMPT: &str = "\x1b[K> \r";

/// A game in a terminal.
struct Sitting {
    playing: Running,
    /// The keyboard.
    keys: File,
    /// The program's side of the terminal.
    program: File,
    parts: Receiver<Vec<u8>>,
    /// All that has arrived at the screen.
    text: String,
    /// The length of the text that was there when something was typed last.
    typed: usize,
}

impl Sitting {
    fn start(columns: u16, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let (screen, program) = terminal(columns);
        let copy = || OwnedFd::from(program.try_clone().expect("it can be opened again"));
        let mut command = command();
        command.arg("play").args(args).env("TERM", "xterm-256color").envs(variables.iter().copied());
        command.stdin(copy()).stdout(copy()).stderr(Stdio::null());
        let playing = Running::spawn(command);
        let keys = screen.try_clone().expect("it can be opened again");
        let (sender, parts) = mpsc::channel();
        thread::spawn(move || read(screen, &sender));
        let mut sitting = Self { playing, keys, program, parts, text: String::new(), typed: 0 };
        sitting.wait_for("> ");
        sitting
    }

    /// Waits until there is something on the screen, typed text aside.
    #[track_caller]
    fn wait_for(&mut self, part: &str) {
        while !self.text[self.typed..].contains(part) {
            let bytes = self.parts.recv_timeout(TIMEOUT);
            let bytes = bytes.unwrap_or_else(|_| panic!("no {part:?}: {}", self.text));
            self.text += &String::from_utf8_lossy(&bytes);
        }
    }

    /// Types keys, and waits until there is something new on the screen.
    #[track_caller]
    fn type_keys(&mut self, keys: &str, part: &str) {
        self.typed = self.text.len();
        self.keys.write_all(keys.as_bytes()).expect("there is a terminal");
        self.wait_for(part);
    }

    /// Types a line, and waits until it can be answered and there is something new on the screen.
    #[track_caller]
    fn say(&mut self, line: &str, part: &str) {
        self.type_keys(&format!("{line}\r"), CLEAR);
        self.wait_for(part);
        self.wait_for(PROMPT);
    }

    /// Waits until the program has ended, and returns the exit status and all that was shown. The
    /// terminal has to be as it was.
    #[track_caller]
    fn end(mut self) -> (Option<i32>, String) {
        wait_until(|| self.playing.has_ended());
        let modes = tcgetattr(&self.program).expect("it is a terminal").local_modes;
        assert!(modes.contains(LocalModes::ECHO | LocalModes::ICANON), "{modes:?}");
        drop(self.program);
        while let Ok(bytes) = self.parts.recv_timeout(TIMEOUT) {
            self.text += &String::from_utf8_lossy(&bytes);
        }
        (self.playing.status().code(), self.text.replace("\r\n", "\n"))
    }
}

/// Sends all that arrives at a screen.
fn read(mut screen: File, parts: &mpsc::Sender<Vec<u8>>) {
    let mut part = [0; 4096];
    // At its end a terminal gives an error.
    while let Ok(length @ 1..) = screen.read(&mut part) {
        if parts.send(part[..length].to_vec()).is_err() {
            return;
        }
    }
}

/// The text without what moves the cursor or colors it.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

const KRK: [&str; 3] = ["krk", "--iterations=200", "--threads=1"];

#[test]
fn the_board_is_drawn_in_place_with_the_last_move_marked() {
    let mut sitting = Sitting::start(80, &KRK, &[]);
    sitting.say("c2", "quintet plays ka4-");
    sitting.say("help", "Commands");
    sitting.say("nonsense", "is no legal move");
    sitting.type_keys("\x04", "To go on");
    let (code, text) = sitting.end();
    assert_eq!(code, Some(0), "{text}");
    let views: Vec<String> = text.split(CLEAR).map(plain).collect();
    assert!(views[0].trim().is_empty() && views[0].len() >= 24, "what was there moves up: {text}");
    assert!(views[1].starts_with("KRK, king and rook against king (spec): you play white"), "{text}");
    assert!(views[2].contains("[K]") && views[2].contains("\nquintet thinks as black (Ctrl-C"), "{text}");
    assert!(views[3].contains("[k]") && !views[3].contains("[K]"), "{text}");
    assert!(views[4].contains("\nCommands\n") && !views[4].contains("[k]"), "a page has the screen: {text}");
    assert!(views[5].contains("[k]"), "{text}");
    assert_eq!(views.len(), 6, "{text}");
    assert!(text.contains("\x1b[1m") && text.contains("\x1b[33m"), "there are colors: {text}");
    let (played, _) = text.split_once("To go on:").expect("the last line may be long");
    fits(80, played);
}

#[test]
fn without_colors_the_board_is_in_place_all_the_same() {
    let mut sitting = Sitting::start(80, &KRK, &[("NO_COLOR", "1")]);
    sitting.say("c2", "quintet plays ka4-");
    sitting.type_keys("quit\r", "To go on");
    let (code, text) = sitting.end();
    assert_eq!((code, text.matches(CLEAR).count()), (Some(0), 3), "{text}");
    let is_color =
        |part: &str| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').starts_with('m');
    assert!(!text.split("\x1b[").skip(1).any(is_color), "{text}");
}

#[test]
fn a_dumb_terminal_gets_plain_text() {
    let mut sitting = Sitting::start(80, &KRK, &[("TERM", "dumb")]);
    sitting.type_keys("c2\n", "quintet plays ka4-");
    sitting.wait_for("\n> ");
    sitting.type_keys("\x04", "To go on");
    let (code, text) = sitting.end();
    assert!(code == Some(0) && !text.contains('\x1b'), "{text}");
    assert_eq!(text.matches("> c2\n").count(), 1, "the terminal shows what is typed: {text}");
}

#[test]
fn tab_completes_moves_and_commands_and_lines_come_back() {
    let mut sitting = Sitting::start(80, &KRK, &[]);
    sitting.type_keys("kc1-c\t", "Kc1-c2");
    sitting.type_keys("\r", "quintet plays");
    sitting.wait_for(PROMPT);
    sitting.type_keys("un\t\r", "2 moves taken back.");
    sitting.wait_for(PROMPT);
    // The line before the last one.
    sitting.type_keys("\x1b[A\x1b[A\r", "quintet plays");
    sitting.wait_for(PROMPT);
    sitting.type_keys("\x04", "To go on");
    assert_eq!(sitting.end().0, Some(0));
}

#[test]
fn lines_that_are_typed_together_are_all_read() {
    const LAST: &str = "black: move the king (4 moves left";
    let mut sitting = Sitting::start(80, &["krk", "--seat=both"], &[]);
    sitting.type_keys("c2\ra3\rd4\r", LAST);
    // Ctrl-D is a key only at the prompt.
    sitting.typed = sitting.text.rfind(LAST).expect("it is there");
    sitting.wait_for(PROMPT);
    sitting.type_keys("\x04", "--moves \"Kc1-c2 ka4-a3 Rd1-d4\"");
    assert_eq!(sitting.end().0, Some(0));
}

#[test]
fn control_c_at_the_prompt_ends_the_game() {
    let mut sitting = Sitting::start(80, &KRK, &[]);
    sitting.say("c2", "quintet plays ka4-");
    sitting.type_keys("\x03", "To go on");
    let (code, text) = sitting.end();
    assert_eq!(code, Some(130), "{text}");
    let (_, end) = text.rsplit_once("> ").expect("a prompt");
    assert!(
        plain(end)
            .contains("  quintet play krk --seat white --iterations 200 --threads 1 --moves \"Kc1-c2 ka4-")
    );
}

#[test]
fn a_signal_at_the_prompt_ends_the_game_and_the_terminal_is_as_it_was() {
    let mut sitting = Sitting::start(80, &KRK, &[]);
    sitting.say("c2", "quintet plays ka4-");
    sitting.typed = sitting.text.len();
    assert!(signal("-TERM", &sitting.playing.id()));
    sitting.wait_for("To go on");
    let (code, text) = sitting.end();
    assert_eq!(code, Some(130), "{text}");
}

#[test]
fn every_game_fits_into_a_narrow_terminal() {
    for (game, rules) in VARIANTS {
        // The budget is that of hints, too.
        let budget = ["--iterations=50", "--threads=1"];
        let args = [&[game, "--rules", rules, "--seat=random", "--engine=quick=uct"], &budget[..]].concat();
        let mut sitting = Sitting::start(60, &args, &[]);
        for (line, part) in [("hint", "hint: "), ("moves", "legal move"), ("help", "Commands")] {
            sitting.say(line, part);
        }
        sitting.say("why", "quick ");
        sitting.type_keys("quit\r", "\n");
        let (code, text) = sitting.end();
        assert_eq!(code, Some(0), "{text}");
        let text = text.split("To go on:").next().expect("there is a first part");
        fits(60, text);
    }
}
