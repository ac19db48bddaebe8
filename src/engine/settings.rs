//! How an engine is set up.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use crate::knowledge::Selection;
use crate::search::{Budget, SearchConfig, SearchError, Techniques};

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
    pub(super) const KEYS: &[&str] = &["iterations", "time", "threads", "memory", "c", "without"];

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

    /// Memory for the nodes of all trees, in bytes: 1 GiB where nothing is given.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.memory.unwrap_or(SearchConfig::DEFAULT_MEMORY)
    }

    pub(super) fn check(&self) -> Result<(), SearchError> {
        let config =
            SearchConfig { selection: self.c.map(|c| Selection::Ucb1 { c }), ..self.search_config() };
        config.check()?;
        self.budget()?.check(config.trees.get())
    }

    /// The settings of a search, but for how it chooses.
    pub(super) fn search_config(&self) -> SearchConfig {
        SearchConfig {
            techniques: Techniques::ALL.and_not(self.without.unwrap_or(Techniques::NONE)),
            trees: self.trees(),
            memory: self.memory(),
            ..SearchConfig::default()
        }
    }

    /// Takes a setting in its text form; `false` if there is none of this name.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<bool, String> {
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
            _ => return Ok(false),
        }
        Ok(true)
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
pub(super) fn parse_techniques(text: &str) -> Result<Techniques, String> {
    text.split('+').try_fold(Techniques::NONE, |all, name| Ok(all.with(name.parse()?)))
}
