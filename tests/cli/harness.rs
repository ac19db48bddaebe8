//! Shared by the tests: running the binary, reading its output, and the recorded games.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::Write as _;
use std::ops::{Deref, DerefMut};
use std::process::{Command, Output};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

/// Every game and ruleset that the program has.
pub(crate) fn variants() -> Vec<(&'static str, &'static str)> {
    let name = |it: &Cow<'static, str>| match it {
        Cow::Borrowed(name) => *name,
        Cow::Owned(name) => panic!("{name} is not one of the program's own"),
    };
    quintet_games::registry().variants().iter().map(|it| (name(&it.game), name(&it.rules))).collect()
}

/// The games and rulesets with recorded games in `tests/data/traces`.
pub(crate) const VARIANTS: [(&str, &str); 10] = [
    ("quarto", "spec"),
    ("quarto", "ggp"),
    ("qubic", "spec"),
    ("qubic", "ggp"),
    ("gomoku", "spec"),
    ("gomoku", "ggp"),
    ("pentago", "spec"),
    ("pentago", "ggp"),
    ("krk", "spec"),
    ("krk", "ggp"),
];

/// After this time a command is taken to hang. Every test needs less than a tenth of it.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(120);

/// Returns a command that runs the binary without the environment variables that change its
/// behaviour.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quintet"));
    for name in
        ["NO_COLOR", "CI", "CLICOLOR", "CLICOLOR_FORCE", "QUINTET_CPU", "RAYON_NUM_THREADS", "RUST_BACKTRACE"]
    {
        command.env_remove(name);
    }
    command
}

/// Runs the binary with `args` and nothing on standard input.
pub(crate) fn quintet<A: AsRef<OsStr>>(args: impl IntoIterator<Item = A>) -> Run {
    quintet_reading("", args)
}

/// Runs the binary with `args` and `input` on standard input.
pub(crate) fn quintet_reading<A: AsRef<OsStr>>(
    input: impl Into<Vec<u8>>,
    args: impl IntoIterator<Item = A>,
) -> Run {
    let mut command = command();
    command.args(args);
    run(command, input)
}

/// Runs `command` to its end, which has to come before the timeout.
pub(crate) fn run(command: Command, input: impl Into<Vec<u8>>) -> Run {
    let name = format!("{command:?}");
    let mut command = assert_cmd::Command::from_std(command);
    Run::new(name, command.timeout(TIMEOUT).write_stdin(input).output().expect("the binary starts"))
}

/// A program that runs beside a test. It is killed, if it has not ended, when it is dropped.
pub(crate) struct Child(std::process::Child);

impl Child {
    pub(crate) fn start(command: &mut Command) -> Self {
        Self(command.spawn().expect("the program starts"))
    }
}

impl Deref for Child {
    type Target = std::process::Child;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Child {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A command that has ended.
pub(crate) struct Run {
    command: String,
    /// The exit status; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, code, stdout, stderr } = self;
        write!(f, "{command}\nexit status: {code:?}\n--- stdout\n{stdout:.5000}\n--- stderr\n{stderr:.5000}")
    }
}

impl Run {
    #[track_caller]
    pub(crate) fn new(command: String, output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
        let run = Self {
            command,
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!run.stderr.contains("panicked"), "{run}");
        assert!(run.code.is_some(), "ended by a signal: {run}");
        run
    }

    /// Checks the exit status.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }

    /// Checks that the exit status is 0 and standard error is empty.
    #[track_caller]
    pub(crate) fn succeeds_quietly(self) -> Self {
        assert_eq!(self.stderr, "", "{self}");
        self.exits(0)
    }

    /// Checks that the command was refused as wrong usage or input, and returns the message.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        assert_eq!(self.stdout, "", "{self}");
        assert!(self.stderr.starts_with("error: "), "{self}");
        self.exits(2).stderr
    }

    /// Returns standard output, which has to be JSON objects, one per line.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        assert!(self.stdout.is_empty() || self.stdout.ends_with('\n'), "{self}");
        let parse = |line: &str| -> Value {
            let value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"));
            assert!(Value::is_object(&value), "{line}");
            value
        };
        self.stdout.lines().map(parse).collect()
    }

    /// Returns standard output, which has to be one JSON object on one line.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let mut lines = self.json_lines();
        assert_eq!(lines.len(), 1, "{self}");
        lines.remove(0)
    }
}

/// Returns the strings of a JSON array.
#[track_caller]
pub(crate) fn strings(array: &Value) -> Vec<&str> {
    let array = array.as_array().unwrap_or_else(|| panic!("not an array: {array}"));
    array.iter().map(|item| item.as_str().unwrap_or_else(|| panic!("not a string: {item}"))).collect()
}

/// Returns the keys of a JSON object, sorted.
#[track_caller]
pub(crate) fn keys(object: &Value) -> Vec<&str> {
    let object = object.as_object().unwrap_or_else(|| panic!("not an object: {object}"));
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Whether a test has to be left out because it needs a program that `is_there` says is not. If
/// `QUINTET_TESTS` is `all`, as in CI, the test fails instead.
#[track_caller]
pub(crate) fn lacks(program: &str, is_there: bool) -> bool {
    if !is_there {
        let is_needed = std::env::var_os("QUINTET_TESTS").is_some_and(|tests| tests == "all");
        assert!(!is_needed, "{program} does not work here");
        // Whoever reads the log has to know; what `eprintln` prints is only shown of tests that fail.
        let text = format!("skipped: {program} does not work here\n");
        std::io::stderr().write_all(text.as_bytes()).expect("standard error is open");
    }
    !is_there
}

/// Returns the sorted keys of a JSON object, separated by spaces.
#[track_caller]
pub(crate) fn fields(object: &Value) -> String {
    keys(object).join(" ")
}

/// Removes the fields of an answer that may differ between runs.
#[track_caller]
pub(crate) fn without_seconds(mut answer: Value) -> Value {
    let has_searched = answer.get("iterations").is_some();
    for name in ["seconds", "cpu_seconds"].into_iter().take(1 + usize::from(has_searched)) {
        let seconds = answer.as_object_mut().and_then(|fields| fields.shift_remove(name));
        let seconds = seconds.as_ref().and_then(Value::as_f64);
        assert!(seconds.is_some_and(|seconds| seconds >= 0.0), "{name} of {answer}");
    }
    answer
}

/// Returns a game record without the time that the engines took.
#[track_caller]
pub(crate) fn without_times(mut record: Value) -> Value {
    let thoughts = record["thoughts"].as_array_mut().expect("thoughts");
    for thought in thoughts.iter_mut().filter_map(Value::as_object_mut) {
        thought.shift_remove("ms").expect("a time");
    }
    record
}

/// Returns the answer of `replay --json` to `record`, which has to be valid.
#[track_caller]
pub(crate) fn replayed(record: &Value) -> Value {
    quintet_reading(record.to_string(), ["replay", "--json", "-"]).succeeds_quietly().json()
}

/// Returns the state after `moves`, as `replay --json` describes it.
#[track_caller]
pub(crate) fn state_after(game: &str, rules: &str, moves: &[String]) -> Value {
    let steps = replayed(&json!({ "game": game, "rules": rules, "moves": moves }))["steps"].take();
    steps.as_array().and_then(|steps| steps.last()).expect("there is the start at least").clone()
}

/// A recorded game, with the states before each move and after the last.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Trace {
    pub(crate) game: String,
    pub(crate) rules: String,
    pub(crate) moves: Vec<String>,
    pub(crate) steps: Vec<Value>,
}

/// Returns the file of the recorded games of a game and ruleset.
pub(crate) fn trace_file(game: &str, rules: &str) -> String {
    format!("{}/tests/data/traces/{game}-{rules}.jsonl", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the recorded games of a game and ruleset.
pub(crate) fn traces(game: &str, rules: &str) -> Vec<Trace> {
    let path = trace_file(game, rules);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let traces: Vec<Trace> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of a trace file is a trace"))
        .collect();
    assert!(!traces.is_empty(), "{path}");
    traces
}

/// Returns a recorded game that was played to its end.
pub(crate) fn finished_trace(game: &str, rules: &str) -> Trace {
    let trace =
        traces(game, rules).into_iter().find(|trace| trace.steps[trace.moves.len()]["terminal"] == true);
    trace.unwrap_or_else(|| panic!("no finished game of {game} {rules}"))
}

/// Returns the moves of the first half of a recorded game, up to a position with several moves.
pub(crate) fn half_a_game(game: &str, rules: &str) -> Vec<String> {
    let Trace { mut moves, steps, .. } = finished_trace(game, rules);
    let has_choice = |ply: &usize| steps[*ply]["legal"].as_array().is_some_and(|legal| legal.len() > 1);
    let ply = (0..=moves.len() / 2).rev().find(has_choice).expect("there is a choice at the start");
    moves.truncate(ply);
    moves
}
