//! What the fuzz targets of `tests/fuzz` call: commands that read from memory. No part of the
//! public interface.

use std::io;
use std::sync::atomic::AtomicBool;

use clap::FromArgMatches as _;
use quintet_core::registry::Registry;

use super::flags::SearchFlags;
use super::{Command, Program, analyze, replay, ugi};

/// Iterations of a search that the input does not limit.
const ITERATIONS: u64 = 20;

/// Parses a command line, without the program's name.
///
/// # Errors
/// The message for the user.
pub fn parse_arguments(program: &Program, args: &[&str]) -> Result<(), String> {
    let args = std::iter::once(&program.name).chain(args);
    let matches = program.command_line().try_get_matches_from(args).map_err(|error| error.to_string())?;
    let command = Command::from_arg_matches(&matches).map_err(|error| error.to_string())?;
    match command {
        Command::Suggest(args) => _ = args.search.settings(),
        Command::Suite(args) => _ = args.search.settings(),
        Command::Analyze(args) => _ = args.search.settings(),
        _ => {}
    }
    Ok(())
}

/// Answers the queries of `input` as `analyze` does, but stops each search at once.
#[must_use]
pub fn analyze(games: &Registry, mut input: &[u8]) -> Vec<String> {
    let flags = SearchFlags::small(ITERATIONS);
    let stop = AtomicBool::new(true);
    let mut answers = Vec::new();
    while let Ok(Some(line)) = quintet_protocol::next_line(&mut input) {
        let answer = analyze::answer_line(line, games, &flags, &stop);
        answers.extend(answer.map(|it| serde_json::to_string(&it).expect("an answer is JSON")));
    }
    answers
}

/// Checks the records of `input` as `replay --json` does, and returns its output.
///
/// # Errors
/// None but a bug.
pub fn replay(games: &Registry, mut input: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut out = Vec::new();
    replay::replay(&mut input, "the input", true, false, games, &mut out)?;
    Ok(out)
}

/// Answers the commands of `input` as `ugi` does, and returns its output.
///
/// # Errors
/// None but a bug.
pub fn ugi(program: &Program, input: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    let mut out = Vec::new();
    ugi::converse(&SearchFlags::small(ITERATIONS), program, || io::Cursor::new(input), &mut out)?;
    Ok(out)
}
