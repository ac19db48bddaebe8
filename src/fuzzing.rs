//! What the fuzz targets of `tests/fuzz` call: commands that read from memory. No part of the
//! public interface.

use clap::FromArgMatches as _;
use quintet_core::registry::Registry;
use quintet_core::session::Session;

use super::{Command, Program, play, replay};

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

/// Returns the moves that a line stands for at the prompt of `play`, where a person plays all roles;
/// `None` for a command.
///
/// # Errors
/// What is wrong with the line, in words for people.
pub fn moves_of(session: &mut dyn Session, line: &str) -> Result<Option<Vec<String>>, String> {
    play::moves_of(session, line)
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
