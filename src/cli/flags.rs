//! Flags that several commands have.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::Args;
use quintet::engine::{Settings, parse_memory, parse_time};
use quintet::games::{GameId, Rules};

/// Which game, where one is wanted.
#[derive(Debug, Args)]
pub(super) struct GameFlags {
    /// The game: quarto, qubic, gomoku, pentago or krk
    pub(super) game: GameId,
    /// The ruleset: spec or ggp
    #[arg(long, default_value = "spec")]
    pub(super) rules: Rules,
}

/// Limits and resources of a search.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(super) struct SearchFlags {
    /// Time per move, such as 500ms [default: 1s where no iterations are given]
    #[arg(long, value_parser = time)]
    time: Option<Duration>,
    /// Iterations per move, over all trees
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// Independent trees that are merged at the end [default: the number of cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
    /// Memory for the nodes of all trees [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<usize>,
}

impl SearchFlags {
    pub(super) fn settings(&self) -> Settings {
        Settings {
            iterations: self.iterations,
            time: self.time,
            threads: self.threads,
            memory: self.memory,
            c: None,
        }
    }
}

fn time(text: &str) -> Result<Duration, String> {
    match parse_time(text) {
        Ok(Duration::ZERO) => Err("must be more than 0".to_owned()),
        other => other,
    }
}

fn memory(text: &str) -> Result<usize, String> {
    parse_memory(text)
}
