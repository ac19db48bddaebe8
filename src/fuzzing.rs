//! What the fuzz targets of `tests/fuzz` call: commands that read from memory. No part of the
//! public interface.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use clap::FromArgMatches as _;
use quintet_analysis::{Limits, QueryLimits, QueryScheduler, Sources};
use quintet_arena::tournament::Standings;
use quintet_core::registry::Registry;
use quintet_core::session::Session;
use quintet_protocol::GameRecord;

use super::flags::SearchFlags;
use super::{Command, Program, play, replay};

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
    if let Command::Solve(args) = command {
        let _ = args.proof.limits();
    }
    Ok(())
}

/// Returns the page of a report on records that have been checked.
#[must_use]
pub fn report(games: &Registry, records: &[GameRecord]) -> String {
    let summary = Standings::of(records).summary(None);
    quintet_page::report("games.jsonl", records, summary, games).expect("the records are right")
}

/// Answers the queries of `input` as `analyze` does, each search after a few milliseconds at most.
#[must_use]
pub fn analyze(games: &Registry, mut input: &[u8]) -> Vec<String> {
    // Workers do not end, so all inputs have the same.
    static SCHEDULER: OnceLock<QueryScheduler> = OnceLock::new();
    let scheduler = SCHEDULER.get_or_init(|| {
        let program = Program { name: "fuzz", version: "0", games: games.clone() };
        let most = QueryLimits { time: Duration::from_millis(3), trees: 4, memory: 16 << 20 };
        let limits = Limits { of_query: Some(most), ..Limits::of_one_client() };
        program
            .scheduler(&SearchFlags::small(ITERATIONS), limits, Sources::default())
            .expect("there are threads")
    });
    let answers = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&answers);
    let client = scheduler.client(move |answer| {
        let text = serde_json::to_string(&answer).expect("an answer is JSON");
        sink.lock().expect("no panic").push(text);
    });
    while let Ok(Some(line)) = quintet_protocol::next_line(&mut input) {
        if line.as_ref().is_ok_and(Vec::is_empty) {
            continue;
        }
        client.line(line);
    }
    client.finish();
    let mut answers = answers.lock().expect("no panic");
    std::mem::take(&mut *answers)
}

/// Returns the moves that a line stands for at the prompt of `play`, where a person plays all roles;
/// `None` for a command.
///
/// # Errors
/// What is wrong with the line, in words for people.
pub fn moves_of(session: &mut dyn Session, line: &str) -> Result<Option<Vec<String>>, String> {
    play::moves_of(session, line)
}

/// Reads a message as `ggp` does, and returns the fingerprints of its rules and of the same rules in
/// reverse order; `None` if it has no rules, or they can't be read.
///
/// # Errors
/// What is wrong with the message.
pub fn ggp(message: &str) -> Result<Option<[String; 2]>, String> {
    quintet_players::ggp::fingerprints(message)
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
