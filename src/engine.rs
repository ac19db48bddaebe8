//! Engines by name: what takes a seat in a match, answers a query, or makes a suggestion.
//!
//! An engine is written as a kind and its settings, `uct:iterations=10000,c=0.7`, with a name before it if
//! wanted, `strong=uct:iterations=10000`. [`EngineSpec`] is what was written; [`Engine`] is the thing itself,
//! for one game.

use std::fmt::{self, Display};
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::game::Rng;
use crate::knowledge::{Knowledge, Known, RulesOnly, Selection};
use crate::search::{Budget, Report, Search, SearchConfig, SearchError, Techniques};

/// The kinds of engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// Plays any legal move, each equally likely.
    Random,
    /// Plain UCT that knows the rules only: the yardstick for everything else.
    Uct,
    /// The default: search with what is known of the game, and with proofs.
    Quintet,
}

impl EngineKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Random, Self::Uct, Self::Quintet];

    /// The name that specifications use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Uct => "uct",
            Self::Quintet => "quintet",
        }
    }
}

impl Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The settings of an engine; what is `None` is left to a default.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Settings {
    /// Iterations per move, over all trees.
    pub iterations: Option<u64>,
    /// Time per move.
    pub time: Option<Duration>,
    /// The number of root-parallel trees.
    pub threads: Option<NonZeroUsize>,
    /// Memory for the nodes of all trees, in bytes.
    pub memory: Option<usize>,
    /// The constant of the [`Selection`].
    pub c: Option<f32>,
    /// Techniques that `quintet` goes without, for measuring what they are worth.
    pub without: Option<Techniques>,
}

impl Settings {
    /// How long a move takes where neither time nor iterations are given.
    pub const DEFAULT_TIME: Duration = Duration::from_secs(1);

    /// The keys of the text form.
    const KEYS: &'static str = "iterations, time, threads, memory, c, without";

    /// These settings where they say something, those of `defaults` elsewhere. An engine with a budget of its
    /// own, be it iterations or time, takes neither from the defaults.
    #[must_use]
    pub fn or(self, defaults: &Self) -> Self {
        let budget = if self.has_budget() { self } else { *defaults };
        Self {
            iterations: budget.iterations,
            time: budget.time,
            threads: self.threads.or(defaults.threads),
            memory: self.memory.or(defaults.memory),
            c: self.c.or(defaults.c),
            without: self.without.or(defaults.without),
        }
    }

    /// The budget: one second where nothing is given.
    ///
    /// # Errors
    /// [`SearchError::EmptyBudget`] if one of them is 0.
    pub fn budget(&self) -> Result<Budget, SearchError> {
        match (self.iterations, self.time) {
            (None, None) => Budget::time(Self::DEFAULT_TIME),
            (iterations, time) => Budget::new(iterations, time),
        }
    }

    /// Whether they say how long to search.
    #[must_use]
    pub fn has_budget(&self) -> bool {
        self.iterations.is_some() || self.time.is_some()
    }

    /// The number of trees: one for each core where nothing is given.
    #[must_use]
    pub fn trees(&self) -> NonZeroUsize {
        self.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }

    fn check(&self) -> Result<(), SearchError> {
        let config = self.search_config(Selection::Ucb1 { c: SearchConfig::UCT_EXPLORATION });
        config.check()?;
        self.budget()?.check(config.trees.get())
    }

    /// The settings of a search that chooses by `selection`, but with the constant set here if there is one.
    fn search_config(&self, selection: Selection) -> SearchConfig {
        SearchConfig {
            selection: Some(self.c.map_or(selection, |c| selection.with_constant(c))),
            techniques: Techniques::ALL.and_not(self.without.unwrap_or(Techniques::NONE)),
            trees: self.trees(),
            memory: self.memory.unwrap_or(SearchConfig::DEFAULT_MEMORY),
            ..SearchConfig::default()
        }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        fn number<T: FromStr>(value: &str) -> Result<Option<T>, String> {
            value.parse().map(Some).map_err(|_| "is not a number in range".to_owned())
        }
        match key {
            "iterations" => self.iterations = number(value)?,
            "time" => self.time = Some(parse_time(value)?),
            "threads" => self.threads = number(value)?,
            "memory" => self.memory = Some(parse_memory(value)?),
            "c" => self.c = number(value)?,
            "without" => self.without = Some(parse_techniques(value)?),
            _ => return Err(format!("is not a setting; known: {}", Self::KEYS)),
        }
        Ok(())
    }
}

/// Reads a time with its unit, such as `500ms`, `2s` or `1m30s`.
///
/// # Errors
/// What is wrong with it, to follow the value in a message.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("is not a time such as 500ms or 2s: {error}"))
}

/// Reads an amount of memory with its unit, such as `512MiB` or `2GiB`, in bytes.
///
/// # Errors
/// What is wrong with it, to follow the value in a message.
pub fn parse_memory(text: &str) -> Result<usize, String> {
    let bytes: Option<bytesize::ByteSize> = text.parse().ok();
    bytes
        .and_then(|bytes| usize::try_from(bytes.as_u64()).ok())
        .ok_or_else(|| "is not an amount of memory such as 512MiB".to_owned())
}

/// Reads techniques by their names, such as `solver+priors`.
fn parse_techniques(text: &str) -> Result<Techniques, String> {
    text.split('+').try_fold(Techniques::NONE, |all, name| Ok(all.with(name.parse()?)))
}

/// A named engine configuration as somebody wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineSpec {
    /// What records and tables call it; by default the text it was written as.
    pub name: String,
    /// What it is.
    pub kind: EngineKind,
    /// How it is set up.
    pub settings: Settings,
}

impl EngineSpec {
    /// The same engine with everything said: what it leaves open is taken from `defaults`.
    #[must_use]
    pub fn with_defaults(&self, defaults: &Settings) -> Self {
        let settings = match self.kind {
            EngineKind::Random => Settings::default(),
            EngineKind::Uct | EngineKind::Quintet => {
                let settings = self.settings.or(defaults);
                let time = if settings.has_budget() { settings.time } else { Some(Settings::DEFAULT_TIME) };
                Settings { time, threads: Some(settings.trees()), ..settings }
            }
        };
        Self { name: self.name.clone(), kind: self.kind, settings }
    }

    /// Checks that the engine can be set up; what it leaves open is taken from `defaults`.
    ///
    /// # Errors
    /// [`SearchError`] if a setting is out of range.
    pub fn check(&self, defaults: &Settings) -> Result<(), SearchError> {
        match self.kind {
            EngineKind::Random => Ok(()),
            EngineKind::Uct | EngineKind::Quintet => self.settings.or(defaults).check(),
        }
    }

    /// The number of trees, and so of threads that it can use.
    #[must_use]
    pub fn trees(&self, defaults: &Settings) -> NonZeroUsize {
        match self.kind {
            EngineKind::Random => NonZeroUsize::MIN,
            EngineKind::Uct | EngineKind::Quintet => self.settings.or(defaults).trees(),
        }
    }
}

/// Writes the kind and the settings as they are read, without the name.
impl Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { iterations, time, threads, memory, c, without } = self.settings;
        let settings = [
            iterations.map(|it| format!("iterations={it}")),
            time.map(|it| format!("time={}", humantime::format_duration(it).to_string().replace(' ', ""))),
            threads.map(|it| format!("threads={it}")),
            memory.map(|it| format!("memory={it}B")),
            c.map(|it| format!("c={it}")),
            without.map(|it| format!("without={it}")),
        ];
        let settings: Vec<String> = settings.into_iter().flatten().collect();
        if settings.is_empty() {
            write!(f, "{}", self.kind)
        } else {
            write!(f, "{}:{}", self.kind, settings.join(","))
        }
    }
}

/// A text that does not name an engine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bad engine {text:?}: {reason}")]
pub struct EngineError {
    text: String,
    reason: String,
}

impl Default for EngineSpec {
    fn default() -> Self {
        let kind = EngineKind::Quintet;
        Self { name: kind.to_string(), kind, settings: Settings::default() }
    }
}

impl FromStr for EngineSpec {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        let wrong = |reason: String| EngineError { text: text.to_owned(), reason };
        let (head, list) = text.split_once(':').unwrap_or((text, ""));
        let (name, kind) = head.split_once('=').unwrap_or((text, head));
        let kind = EngineKind::ALL.into_iter().find(|it| it.name() == kind).ok_or_else(|| {
            let known: Vec<_> = EngineKind::ALL.iter().map(ToString::to_string).collect();
            wrong(format!("{kind:?} is not an engine; known: {}", known.join(", ")))
        })?;
        if name.is_empty() {
            return Err(wrong("the name before '=' is empty".into()));
        }
        let mut settings = Settings::default();
        for setting in text.contains(':').then(|| list.split(',')).into_iter().flatten() {
            let (key, value) = setting
                .split_once('=')
                .ok_or_else(|| wrong(format!("{setting:?} is not of the form key=value")))?;
            settings.set(key, value).map_err(|reason| wrong(format!("{setting:?} {reason}")))?;
        }
        Ok(Self { name: name.to_owned(), kind, settings })
    }
}

/// Reads the engines of a TOML file, in order:
///
/// ```
/// let engines = quintet::engine::from_toml(
///     r#"
///     [[engine]]
///     name = "strong"
///     kind = "uct"
///     iterations = 100000
///     c = 0.7
///
///     [[engine]]
///     name = "quick"
///     kind = "uct"
///     time = "50ms"
///     threads = 1
///     memory = "64MiB"
///     "#,
/// )?;
/// assert_eq!(engines[1].name, "quick");
/// # Ok::<(), toml::de::Error>(())
/// ```
///
/// # Errors
/// What is wrong with the text, and where.
pub fn from_toml(text: &str) -> Result<Vec<EngineSpec>, toml::de::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        engine: Vec<Table>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Table {
        #[serde(deserialize_with = "name")]
        name: String,
        kind: EngineKind,
        iterations: Option<u64>,
        #[serde(default, deserialize_with = "time")]
        time: Option<Duration>,
        threads: Option<NonZeroUsize>,
        #[serde(default, deserialize_with = "memory")]
        memory: Option<usize>,
        c: Option<f32>,
        #[serde(default, deserialize_with = "without")]
        without: Option<Techniques>,
    }

    fn without<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Techniques>, D::Error> {
        let text = String::deserialize(from)?;
        parse_techniques(&text).map(Some).map_err(D::Error::custom)
    }

    fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        let text = String::deserialize(from)?;
        parse_time(&text).map(Some).map_err(|why| D::Error::custom(format!("{text:?} {why}")))
    }

    fn memory<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
        let text = String::deserialize(from)?;
        parse_memory(&text).map(Some).map_err(|why| D::Error::custom(format!("{text:?} {why}")))
    }

    fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
        let name = String::deserialize(from)?;
        if name.is_empty() { Err(D::Error::custom("an engine needs a name")) } else { Ok(name) }
    }

    let file: File = toml::from_str(text)?;
    let specs = file.engine.into_iter().map(|table| {
        let Table { name, kind, iterations, time, threads, memory, c, without } = table;
        EngineSpec { name, kind, settings: Settings { iterations, time, threads, memory, c, without } }
    });
    Ok(specs.collect())
}

/// An engine that is ready to play one game.
#[derive(Debug)]
pub struct Engine<G: Known>(Inner<G>);

#[derive(Debug)]
enum Inner<G: Known> {
    Random,
    Uct(Box<Search<G>>, Budget),
    Quintet(Box<Search<G, G::Knowledge>>, Budget),
}

impl<G: Known> Engine<G> {
    /// Sets the engine up; what `spec` leaves open is taken from `defaults`.
    ///
    /// # Errors
    /// [`SearchError`] if a setting is out of range.
    pub fn new(spec: &EngineSpec, defaults: &Settings) -> Result<Self, SearchError> {
        let settings = spec.settings.or(defaults);
        Ok(Self(match spec.kind {
            EngineKind::Random => Inner::Random,
            EngineKind::Uct => {
                let selection = Selection::Ucb1 { c: SearchConfig::UCT_EXPLORATION };
                let config =
                    SearchConfig { techniques: Techniques::NONE, ..settings.search_config(selection) };
                Inner::Uct(Box::new(Search::new(config, RulesOnly)?), settings.budget()?)
            }
            EngineKind::Quintet => {
                let config = settings.search_config(G::Knowledge::SELECTION);
                let search = Search::new(config, G::Knowledge::default())?;
                Inner::Quintet(Box::new(search), settings.budget()?)
            }
        }))
    }

    /// Looks for the best move of `position`, with the random streams of `seed`.
    ///
    /// # Errors
    /// [`SearchError`] if the game is over or the memory can't be had.
    pub fn think(&mut self, position: &G, seed: u64) -> Result<Report<G::Move>, SearchError> {
        if position.outcome().is_some() {
            return Err(SearchError::GameOver);
        }
        match &mut self.0 {
            Inner::Random => {
                let mv = position.random_move(&mut Rng::stream(seed, 0));
                Ok(Report::without_search(position, mv))
            }
            Inner::Uct(search, budget) => {
                search.set_seed(seed);
                search.run(position, *budget)
            }
            Inner::Quintet(search, budget) => {
                search.set_seed(seed);
                search.run(position, *budget)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_specification_names_kind_and_settings() {
        let spec: EngineSpec =
            "strong=uct:iterations=10000,c=0.7,time=50ms,threads=2,memory=1MiB".parse().expect("valid");
        assert_eq!(spec.name, "strong");
        assert_eq!(spec.kind, EngineKind::Uct);
        let settings = spec.settings;
        assert_eq!(settings.iterations, Some(10_000));
        assert_eq!(settings.time, Some(Duration::from_millis(50)));
        assert_eq!(settings.threads, NonZeroUsize::new(2));
        assert_eq!(settings.memory, Some(1 << 20));
        assert_eq!(settings.c, Some(0.7));
        let bare: EngineSpec = "uct:iterations=5".parse().expect("valid");
        assert_eq!(bare.name, "uct:iterations=5");
    }

    #[test]
    fn a_wrong_specification_is_refused_with_the_part_that_is_wrong() {
        for (text, part) in [
            ("", "is not an engine"),
            ("ucd", "\"ucd\" is not an engine; known: random, uct, quintet"),
            ("=uct", "name before '=' is empty"),
            ("uct:", "\"\" is not of the form key=value"),
            ("uct:c=1,", "\"\" is not of the form key=value"),
            (
                "uct:depth=3",
                "\"depth=3\" is not a setting; known: iterations, time, threads, memory, c, without",
            ),
            ("uct:iterations", "not of the form key=value"),
            ("uct:iterations=many", "not a number in range"),
            ("uct:threads=0", "not a number in range"),
            ("uct:time=5", "not a time such as"),
            ("uct:memory=big", "not an amount of memory"),
        ] {
            let error = text.parse::<EngineSpec>().expect_err(text).to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
    }

    #[test]
    fn a_specification_is_written_as_it_is_read() {
        for text in [
            "random",
            "uct:iterations=10000,threads=2,c=0.7",
            "quintet:time=1s500ms,threads=1,memory=1048576B,without=solver+priors",
        ] {
            let spec: EngineSpec = text.parse().expect(text);
            assert_eq!(spec.to_string(), text);
            assert_eq!(spec.to_string().parse::<EngineSpec>().map(|it| it.settings), Ok(spec.settings));
        }
        let defaults = Settings { threads: NonZeroUsize::new(3), ..Settings::default() };
        let spec: EngineSpec = "uct:c=1".parse().expect("valid");
        assert_eq!(spec.with_defaults(&defaults).to_string(), "uct:time=1s,threads=3,c=1");
    }

    #[test]
    fn an_engine_with_a_budget_takes_no_other() {
        let defaults = Settings { iterations: Some(9), threads: NonZeroUsize::new(3), ..Settings::default() };
        let timed = Settings { time: Some(Duration::from_secs(2)), ..Settings::default() }.or(&defaults);
        assert_eq!((timed.iterations, timed.threads), (None, NonZeroUsize::new(3)));
        assert_eq!(Settings::default().or(&defaults).iterations, Some(9));
    }
}
