//! Flags that several commands share.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use std::ffi::OsStr;

use anyhow::{Context as _, bail, ensure};
use clap::builder::{
    PossibleValue, PossibleValuesParser, Resettable, StringValueParser, StyledStr, TypedValueParser,
};
use clap::{Arg, Args, Command};
use indexmap::IndexSet;
use quintet_analysis::ProofLimits;
use quintet_arena::engine::{
    EngineKind, EngineSpec, ModelFile, Models, Settings, read_count, read_memory, read_threads, read_time,
};
use quintet_core::Quoted;
use quintet_core::game::text::moves;
use quintet_core::registry::{Registry, STANDARD, UnknownName, Variant};
use quintet_core::search::SearchError;
use quintet_core::session::Session;

use super::{MAX_THREADS, Program};

/// The game and its ruleset.
#[derive(Debug, Args)]
pub(crate) struct GameFlags {
    /// The game
    #[arg(id = GAME)]
    pub(crate) game: String,
    /// The ruleset, or standard for the one that people know; see `games GAME` [default: the game's
    /// first]
    #[arg(long = "rules", id = RULES)]
    rules: Option<String>,
}

impl GameFlags {
    pub(crate) fn find(&self, games: &Registry) -> anyhow::Result<Variant> {
        let game = games.find(&self.game, self.rules.as_deref())?;
        games.check_parameters(&game)?;
        Ok(game)
    }

    /// The words of a command line that give the same.
    pub(crate) fn words(&self) -> Vec<String> {
        let rules = self.rules.iter().flat_map(|rules| ["--rules".to_owned(), rules.clone()]);
        std::iter::once(self.game.clone()).chain(rules).collect()
    }
}

/// A position of a game.
#[derive(Debug, Args)]
pub(crate) struct PositionFlags {
    #[command(flatten)]
    pub(crate) game: GameFlags,
    /// The moves so far, as tokens separated by spaces, in any case
    #[arg(long, value_name = "TOKENS", default_value = "", hide_default_value = true)]
    pub(crate) moves: String,
    /// The position to start from, as `games` describes it; --moves are played from it
    #[arg(long, value_name = "STRING")]
    pub(crate) position: Option<String>,
}

impl PositionFlags {
    /// The game in progress, at this position.
    pub(crate) fn set_up(&self, games: &Registry) -> anyhow::Result<Box<dyn Session>> {
        let game = self.game.find(games)?;
        let session = game.set_up(self.position.as_deref(), moves(&self.moves));
        session.with_context(|| format!("{} ({})", game.game, game.rules))
    }
}

/// The seat of no role, and that of a random side.
pub(crate) const NONE: &str = "none";
pub(crate) const RANDOM: &str = "random";
/// The id of an argument that takes a game.
pub(crate) const GAME: &str = "GAME";
/// The id of an argument that takes a list of games or `all`.
pub(crate) const GAMES: &str = "GAMES";
/// The value that selects all games.
pub(crate) const ALL: &str = "all";
/// The id of an argument that takes a ruleset or `standard`.
pub(crate) const RULES: &str = "RULES";
/// The id of an argument that takes a ruleset, `standard` or `both`.
pub(crate) const RULESETS: &str = "RULESETS";
/// The id of an argument that takes who a person is in a game.
pub(crate) const SEAT: &str = "SEAT";
/// The value that selects all rulesets or all seats.
pub(crate) const BOTH: &str = "both";

/// A parser of values of which completions propose some. It takes others too.
#[derive(Debug, Clone)]
pub(crate) struct Proposing<P> {
    parser: P,
    values: Vec<String>,
}

impl<P: TypedValueParser> TypedValueParser for Proposing<P> {
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        self.parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values.iter().map(PossibleValue::new)))
    }
}

/// A parser of engines. Completions propose the kinds, external ones only if `external`.
pub(crate) fn engine(external: bool) -> impl TypedValueParser<Value = EngineSpec> {
    let kinds = EngineKind::ALL.into_iter().filter(|kind| external || !kind.is_external());
    Proposing { parser: EngineSpec::from_str, values: kinds.map(|it| it.name().to_owned()).collect() }
}

/// Checks that engines can be told apart by their names; `or_else` is another way to name one.
pub(crate) fn check_names(engines: &[EngineSpec], or_else: &str) -> anyhow::Result<()> {
    let mut names = HashSet::new();
    let again = engines.iter().find(|engine| !names.insert(&*engine.name));
    again.map_or(Ok(()), |again| {
        let (name, spec) = (Quoted(&again.name), again.to_string());
        bail!("two engines have the name {name}: name one of them, as in --engine other={spec}{or_else}")
    })
}

/// Makes arguments that take a game or a ruleset accept the names of the program's games, which
/// help and completions list, lets those with a value refuse negative numbers themselves, and fills in the examples.
pub(crate) fn with_names(command: Command, program: &Program) -> Command {
    let registry = &program.games;
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<String>>();
    let games = owned(registry.games());
    let mut rulesets = owned(registry.rulesets());
    if !rulesets.iter().any(|it| it == STANDARD) {
        rulesets.push(STANDARD.to_owned());
    }
    let roles = registry.variants().iter().flat_map(|it| &it.roles).map(|role| &*role.name);
    let seats: IndexSet<&str> = [BOTH, NONE, RANDOM].into_iter().chain(roles).collect();
    let seats = owned(seats.into_iter().collect());
    let with = |names: &[String], other: &str| {
        let mut names = names.to_vec();
        names.push(other.to_owned());
        names
    };
    let takes = |arg: Arg| match arg.get_id().as_str() {
        GAME => arg.value_parser(PossibleValuesParser::new(games.clone())),
        GAMES => arg.value_parser(Proposing { parser: StringValueParser::new(), values: with(&games, ALL) }),
        RULES => arg.value_parser(PossibleValuesParser::new(rulesets.clone())),
        RULESETS => arg.value_parser(PossibleValuesParser::new(with(&rulesets, BOTH))),
        SEAT => arg.value_parser(Proposing { parser: StringValueParser::new(), values: seats.clone() }),
        _ => arg,
    };
    let takes = |arg: Arg| {
        let has_value = arg.get_action().takes_values();
        takes(arg).allow_negative_numbers(has_value)
    };
    let examples = command.get_after_help().map(|it| StyledStr::from(program.filled(&it.to_string())));
    command
        .after_help(Resettable::from(examples))
        .mut_args(takes)
        .mut_subcommands(|command| with_names(command, program))
}

/// Returns `game` under the named ruleset, under all if the name is `both`, or under its first if
/// there is no name.
pub(crate) fn variants(
    games: &Registry,
    game: &str,
    rulesets: Option<&str>,
) -> Result<Vec<Variant>, UnknownName> {
    match rulesets {
        Some(BOTH) => games.game(game),
        rules => games.find(game, rules).map(|variant| vec![variant]),
    }
}

/// Returns the game of this name, or all games, as [`variants`] does.
pub(crate) fn variants_of(
    games: &Registry,
    game: Option<&str>,
    rulesets: &str,
) -> anyhow::Result<Vec<Variant>> {
    let names = game.map_or_else(|| games.games(), |game| vec![game]);
    let found = names.into_iter().map(|game| variants(games, game, Some(rulesets)));
    let found = found.collect::<Result<Vec<_>, _>>()?.concat();
    if game.is_some() {
        found.iter().try_for_each(|it| games.check_parameters(it))?;
    }
    Ok(found)
}

/// Limits and resources of a search.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct SearchFlags {
    /// Time per move, such as 500ms or 2s [default: 1s if no iterations are given]
    #[arg(long, value_parser = time)]
    time: Option<Duration>,
    /// Iterations per move, over all trees; 10k is 10,000 and 2M is 2,000,000
    #[arg(long, value_name = "N", value_parser = iterations)]
    iterations: Option<u64>,
    /// Cores that work; with --iterations they change only the time it takes [default: all]
    #[arg(long, value_name = "N", value_parser = read_threads)]
    threads: Option<NonZeroUsize>,
    /// Root-parallel trees, merged at the end; the answer depends on their number [default: 1, or one a core
    /// where only --time limits the search: for uct, and for quintet to less than 100ms]
    #[arg(long, value_name = "N", value_parser = read_threads)]
    trees: Option<NonZeroUsize>,
    /// Seed of all random choices [default: 0; in `play`, another one each time where moves are drawn]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Memory for all trees, their provers included, such as 512MiB [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = read_memory)]
    memory: Option<usize>,
}

impl SearchFlags {
    /// The flag `--threads`.
    pub(crate) fn of_threads(threads: NonZeroUsize) -> Self {
        Self { threads: Some(threads), ..Self::default() }
    }

    /// The words of a command line that give the same.
    pub(crate) fn words(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| ("seed", seed.to_string()));
        let given = self.settings().given().collect::<Vec<_>>();
        given.into_iter().chain(seed).flat_map(|(key, value)| [format!("--{key}"), value]).collect()
    }

    /// The seed.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or_default()
    }

    /// The seed, if it is given, else a random one.
    pub(crate) fn seed_or_random(&self) -> u64 {
        // Hashers begin with random numbers.
        self.seed.unwrap_or_else(|| RandomState::new().hash_one(()))
    }

    /// Checks that they leave the budget to an engine that has one.
    pub(crate) fn check_budget(&self, engine: &EngineSpec) -> anyhow::Result<()> {
        ensure!(
            !engine.settings.has_budget() || !self.settings().has_budget(),
            "the engine {} has a budget of its own: leave out --time and --iterations",
            Quoted(&engine.name)
        );
        Ok(())
    }

    pub(crate) fn settings(&self) -> Settings {
        let &Self { time, iterations, threads, trees, memory, seed: _ } = self;
        Settings { time, iterations, threads, trees, memory, ..Settings::default() }
    }
}

/// The models that texts of engines name.
#[derive(Debug, Default, Args)]
pub(crate) struct ModelFlags {
    /// A model, and the name by which engines ask for it: quintet:model=NAME. It can be given several times
    #[arg(long = "model", value_name = "NAME=FILE", value_parser = named_model)]
    models: Vec<ModelFile>,
}

impl ModelFlags {
    /// # Errors
    /// Two have the same name.
    pub(crate) fn models(&self) -> anyhow::Result<Models> {
        let mut names = HashSet::new();
        if let Some(twice) = self.models.iter().map(ModelFile::name).find(|&name| !names.insert(name)) {
            bail!("--model: {} is given twice", Quoted(twice));
        }
        Ok(Models::new(self.models.clone()))
    }
}

/// Reads a model and its name.
fn named_model(text: &str) -> Result<ModelFile, String> {
    let (name, path) = text.split_once('=').ok_or("is not of the form NAME=FILE")?;
    let is_plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(format!("the name {} is not of letters, digits, '-', '_' and '.'", Quoted(name)));
    }
    let file: ModelFile = path.parse().map_err(|reason| format!("{} {reason}", Quoted(path)))?;
    Ok(ModelFile::new(name, file.model))
}

/// Limits and resources of a proof.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct ProofFlags {
    /// Time, such as 10s or 5m [default: no limit]
    #[arg(long, value_parser = time)]
    time: Option<Duration>,
    /// Threads, for methods that can use several [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = concurrency)]
    threads: Option<NonZeroUsize>,
    /// Memory for the positions met, such as 512MiB [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = read_memory)]
    memory: Option<usize>,
}

impl ProofFlags {
    pub(crate) fn limits(&self) -> Result<ProofLimits, SearchError> {
        let &Self { time, threads, memory } = self;
        ProofLimits::of(&Settings { time, threads, memory, ..Settings::default() })
    }
}

/// Parses a number of iterations above 0.
pub(crate) fn iterations(text: &str) -> Result<u64, String> {
    above_zero(read_count(text)?)
}

/// Parses a time above 0.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    above_zero(read_time(text)?)
}

fn above_zero<T: Default + PartialOrd>(value: T) -> Result<T, String> {
    if value > T::default() { Ok(value) } else { Err("must be more than 0".to_owned()) }
}

/// Parses a whole number of at least 1.
pub(crate) fn positive<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "must be a whole number of at least 1".to_owned())
}

/// The number of cores that searches may use.
pub(crate) fn cores() -> NonZeroUsize {
    Settings::default().threads()
}

/// Parses how many things are done at a time.
pub(crate) fn concurrency(text: &str) -> Result<NonZeroUsize, String> {
    let number: NonZeroUsize = positive(text)?;
    if number.get() > MAX_THREADS { Err(format!("must be at most {MAX_THREADS}")) } else { Ok(number) }
}
