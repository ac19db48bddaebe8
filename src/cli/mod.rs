//! The command line: one file a command, on top of the library.

mod analyze;
mod answer;
mod arena;
mod bench;
mod flags;
mod games;
mod lines;
mod manual;
mod output;
mod replay;
mod report;
mod setup;
mod suggest;
mod suite;
mod table;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Monte Carlo tree search for Quarto, Qubic, Gomoku, Pentago and KRK (king and rook against king).
///
/// Every game comes in two rulesets, spec (the default) and ggp; `quintet games` lists them with their
/// notation. Exit status: 0 done, 1 the work itself found something wrong, 2 wrong usage or input, 130
/// stopped by Ctrl-C.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110, propagate_version = true, infer_subcommands = true)]
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
    Report(report::Args),
    Analyze(analyze::Args),
    Table(table::Args),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// How a command ended that did what it was asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Done,
    /// The work found something wrong, which has been reported.
    FoundWrong,
    /// The user stopped it.
    Interrupted,
}

/// An error of the work, not of usage or input: a full disk in the middle of an arena.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct WorkError(String);

/// Parses the command line, does what it says, and turns the result into an exit status.
pub(crate) fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = BufWriter::new(output::Stdout::new());
    let result = run(cli.command, &mut out).and_then(|status| {
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
                // Whoever read the output has seen enough.
                return ExitCode::SUCCESS;
            }
            output::error(&error);
            ExitCode::from(if output_error.is_some() || error.is::<WorkError>() { 1 } else { 2 })
        }
    }
}

fn run(command: Command, out: &mut dyn Write) -> anyhow::Result<Status> {
    match command {
        Command::Games(args) => games::run(&args, out),
        Command::Suggest(args) => suggest::run(&args, out),
        Command::Arena(args) => arena::run(&args, out),
        Command::Bench(args) => bench::run(&args, out),
        Command::Suite(args) => suite::run(&args, out),
        Command::Replay(args) => replay::run(&args, out),
        Command::Report(args) => report::run(&args, out),
        Command::Analyze(args) => analyze::run(&args, out),
        Command::Table(args) => table::run(&args, out),
        Command::Completions(args) => manual::completions(&args, out),
        Command::Man(args) => manual::man(&args, out),
    }
}
