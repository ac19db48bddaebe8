//! `quintet bench`

mod span;
mod speed;
mod strength;

use std::io::Write;

use super::{Program, Status};

/// Measure the speed of rollouts and of the search, or the strength of the engines
///
/// Each game and ruleset is measured on one thread, in CPU time, from its start position or the one
/// that the game names for benchmarks. The signature is a hash of the search's behaviour and the
/// same on every machine. `bench strength` measures strength.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    speed: speed::SpeedFlags,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Strength(strength::Args),
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    match &args.command {
        Some(Command::Strength(args)) => strength::run(args, program, out),
        None => match args.speed.span {
            Some(iterations) => span::run(&args.speed, iterations, &program.games, out),
            None => speed::run(&args.speed, &program.games, out),
        },
    }
}
