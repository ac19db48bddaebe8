//! Flags that several commands have.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use quintet::catalog::GameId;
use quintet::engine::{Settings, parse_memory, parse_time};
use quintet::games::Rules;

/// Which game, where one is wanted.
#[derive(Debug, Args)]
pub(super) struct GameFlags {
    /// The game
    #[arg(value_parser = game())]
    pub(super) game: GameId,
    /// The ruleset
    #[arg(long, default_value = "spec", value_parser = rules())]
    pub(super) rules: Rules,
}

/// Parses a game; help and completions list all of them.
pub(super) fn game() -> impl TypedValueParser<Value = GameId> {
    PossibleValuesParser::new(GameId::ALL.iter().map(|game| game.name()))
        .try_map(|name| name.parse::<GameId>())
}

/// Parses a ruleset.
fn rules() -> impl TypedValueParser<Value = Rules> {
    PossibleValuesParser::new(Rules::ALL.map(Rules::name)).try_map(|name| name.parse::<Rules>())
}

/// One ruleset or both.
#[derive(Debug, Clone)]
pub(super) struct Rulesets(pub(super) Vec<Rules>);

/// Parses a ruleset, or `both`.
pub(super) fn rulesets() -> impl TypedValueParser<Value = Rulesets> {
    let names = Rules::ALL.map(Rules::name).into_iter().chain(["both"]);
    PossibleValuesParser::new(names).try_map(|name| match name.as_str() {
        "both" => Ok(Rulesets(Rules::ALL.to_vec())),
        name => name.parse().map(|rules| Rulesets(vec![rules])),
    })
}

/// Limits and resources of a search.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(super) struct SearchFlags {
    /// Time per move, such as 500ms [default: 1s where no iterations are given]
    #[arg(long, value_parser = time)]
    time: Option<Duration>,
    /// Iterations per move, over all trees
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// Trees, each grown by one core, that are merged at the end [default: the number of cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive::<NonZeroUsize>)]
    threads: Option<NonZeroUsize>,
    /// Seed of all random choices
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0)]
    pub(super) seed: u64,
    /// Memory for the nodes of all trees [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = parse_memory)]
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
            without: None,
        }
    }
}

/// Parses a whole number of at least 1.
pub(super) fn positive<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "must be a whole number of at least 1".to_owned())
}

fn time(text: &str) -> Result<Duration, String> {
    match parse_time(text) {
        Ok(Duration::ZERO) => Err("must be more than 0".to_owned()),
        other => other,
    }
}
