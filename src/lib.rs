//! The commands of the program `quintet`, for the games of any registry.
//!
//! Your own program can offer all commands for your own games:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     let mut games = quintet_games::registry();
//!     // games.add::<ConnectFour, RulesOnly>("connect-four", "standard");
//!     quintet::main(games)
//! }
//! ```
//!
//! The parts are separate crates: [`quintet_core`] has the game trait, knowledge and search,
//! [`quintet_games`] the five games, [`quintet_arena`] tournaments and statistics, and
//! [`quintet_protocol`] the JSON lines.
//!
//! # Stability
//!
//! [`main`] changes only in a breaking release.
#![forbid(unsafe_code)]

mod analyze;
mod answer;
mod arena;
mod bench;
mod flags;
mod games;
mod manual;
mod output;
mod replay;
mod suggest;
mod suite;
mod table;
mod ugi;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use quintet_core::registry::Registry;

/// Monte Carlo tree search for board games.
///
/// `quintet games` lists the games, their rulesets and their notation. Exit status: 0 success, 1 a
/// failure such as a wrong record or a full disk, 2 wrong usage or input, 130 stopped by Ctrl-C.
#[derive(Debug, Parser)]
#[command(
    name = "quintet",
    version,
    max_term_width = 110,
    propagate_version = true,
    infer_subcommands = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Games(games::Args),
    Suggest(suggest::Args),
    Arena(arena::Args),
    Bench(bench::Args),
    Suite(suite::Args),
    Replay(replay::Args),
    Analyze(analyze::Args),
    Ugi(ugi::Args),
    Table(table::Args),
    Schema(SchemaArgs),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// Print the JSON Schema of every line that quintet reads or writes
#[derive(Debug, clap::Args)]
struct SchemaArgs {}

/// How a command ended without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Done,
    /// It found something wrong and reported it.
    FoundWrong,
    /// Ctrl-C stopped it.
    Interrupted,
}

/// An error during the work, such as a full disk, and not one of usage or input.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct WorkError(String);

/// Runs the command line with these games and returns the exit status.
#[must_use]
pub fn main(games: Registry) -> ExitCode {
    let matches = flags::with_names(Cli::command(), &games).get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let mut out = BufWriter::new(output::Stdout::new());
    let result = run(cli.command, &games, &mut out).and_then(|status| {
        out.flush()?;
        Ok(status)
    });
    match result {
        Ok(Status::Done) => ExitCode::SUCCESS,
        Ok(Status::FoundWrong) => ExitCode::from(1),
        Ok(Status::Interrupted) => ExitCode::from(130),
        Err(error) => {
            let output_error = error.chain().find_map(output::Stdout::error);
            if output_error == Some(io::ErrorKind::BrokenPipe) {
                // The reader closed the pipe, which is not a failure.
                return ExitCode::SUCCESS;
            }
            output::error(&error);
            ExitCode::from(if output_error.is_some() || error.is::<WorkError>() { 1 } else { 2 })
        }
    }
}

fn run(command: Command, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    match command {
        Command::Games(args) => games::run(&args, games, out),
        Command::Suggest(args) => suggest::run(&args, games, out),
        Command::Arena(args) => arena::run(&args, games, out),
        Command::Bench(args) => bench::run(&args, games, out),
        Command::Suite(args) => suite::run(&args, games, out),
        Command::Replay(args) => replay::run(&args, games, out),
        Command::Analyze(args) => analyze::run(&args, games, out),
        Command::Ugi(args) => ugi::run(&args, games, out),
        Command::Table(args) => table::run(&args, out),
        Command::Schema(SchemaArgs {}) => {
            out.write_all(quintet_protocol::SCHEMA.as_bytes())?;
            Ok(Status::Done)
        }
        Command::Completions(args) => manual::completions(&args, games, out),
        Command::Man(args) => manual::man(&args, games, out),
    }
}
