//! The text form of an engine.

use std::collections::BTreeSet;
use std::fmt::{self, Display};
use std::num::NonZeroUsize;
use std::str::FromStr;

use quintet_core::names;
use quintet_core::search::{Budget, SearchError};
use quintet_core::session::EngineConfig;
use quintet_core::{Quoted, is_deceptive};
use serde::Deserialize;

use super::model_file::Models;
use super::settings::Settings;

/// The kinds of engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// Plays any legal move, each equally likely.
    Random,
    /// Plain UCT without knowledge of the game: the baseline for everything else.
    Uct,
    /// The default: search with knowledge of the game and with proofs.
    Quintet,
    /// An external engine that speaks the Universal Game Interface.
    Ugi,
    /// An external engine that speaks the JSON lines of `quintet analyze`.
    Json,
    /// An external engine for Gomoku that speaks the Gomocup protocol.
    Gomocup,
}

impl EngineKind {
    /// All kinds.
    pub const ALL: [Self; 6] = [Self::Random, Self::Uct, Self::Quintet, Self::Ugi, Self::Json, Self::Gomocup];

    /// Returns the name used in specifications.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Uct => "uct",
            Self::Quintet => "quintet",
            Self::Ugi => "ugi",
            Self::Json => "json",
            Self::Gomocup => "gomocup",
        }
    }

    /// Whether it is a separate program.
    #[must_use]
    pub const fn is_external(self) -> bool {
        matches!(self, Self::Ugi | Self::Json | Self::Gomocup)
    }

    /// Returns the keys of its settings.
    #[must_use]
    pub const fn keys(self) -> &'static [&'static str] {
        match self {
            // It ignores the budget, but all engines of an arena may be given the same settings.
            Self::Random => &["iterations", "time", "tc", "threads", "trees", "memory"],
            Self::Uct => &["iterations", "time", "tc", "margin", "threads", "trees", "memory", "c"],
            Self::Quintet => &[
                "iterations",
                "time",
                "tc",
                "margin",
                "threads",
                "trees",
                "memory",
                "c",
                "batch",
                "without",
                "model",
                "early_stop",
                "temperature",
                "max_loss",
                "sight",
            ],
            Self::Ugi => &["iterations", "time", "tc", "timeout", "margin", "start", "command"],
            Self::Json => {
                &["iterations", "time", "tc", "threads", "trees", "timeout", "margin", "start", "command"]
            }
            Self::Gomocup => &["iterations", "time", "tc", "memory", "timeout", "margin", "start", "command"],
        }
    }

    /// Checks that it has a setting called `key`. The error is worded to follow the key in a
    /// message.
    pub(super) fn check_key(self, key: &str) -> Result<(), String> {
        let keys = self.keys();
        if keys.contains(&key) { Ok(()) } else { Err(format!("is not a setting{}", names::hint(key, keys))) }
    }
}

impl Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for EngineKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            format!(
                "{text} is not an engine{}",
                names::hint(text, &Self::ALL.map(Self::name)),
                text = Quoted(text)
            )
        })
    }
}

/// A named engine configuration, as written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "String")]
pub struct EngineSpec {
    /// The name in records and tables; by default the text it was written as.
    pub name: String,
    /// The kind of engine.
    pub kind: EngineKind,
    /// The settings.
    pub settings: Settings,
}

/// Why an engine can't be set up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineSetUpError {
    /// A setting is out of range, or the memory can't be allocated.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The engine is external.
    #[error("external engines ({0}) play in the arena only")]
    External(EngineKind),
    /// The engine has a clock.
    #[error("a clock (tc) runs in the arena only: give a time or iterations")]
    Clock,
}

/// Checks that the name of an engine has at most 1000 characters, none of them
/// [deceptive](quintet_core::is_deceptive).
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    const MOST: usize = 1000;
    if name.chars().count() > MOST {
        return Err(format!("the name {} has more than {MOST} characters", Quoted(name)));
    }
    match name.chars().find(|&c| is_deceptive(c)) {
        Some(c) => Err(format!("the name {name} has the control character {c:?}", name = Quoted(name))),
        None => Ok(()),
    }
}

impl EngineSpec {
    /// Creates an engine; its kind must have all of `settings`.
    ///
    /// # Errors
    /// If an external engine has no command, or the [name](check_name) can't be shown.
    pub(super) fn new(name: String, kind: EngineKind, settings: Settings) -> Result<Self, String> {
        check_name(&name)?;
        if kind.is_external() && settings.command.is_none() {
            return Err("an external engine needs a command, as its last setting".to_owned());
        }
        Ok(Self { name, kind, settings })
    }

    /// Returns the engine with all settings explicit; missing ones are taken from `defaults`.
    #[must_use]
    pub fn with_defaults(&self, defaults: &Settings) -> Self {
        let mut settings = self.settings.or(defaults);
        if !settings.has_budget() {
            settings.time = Some(Settings::DEFAULT_TIME);
        }
        settings.threads = Some(settings.threads());
        if settings.tc.is_some() || settings.time.is_some() && self.kind.is_external() {
            settings.margin = settings.margin.or(Some(Settings::DEFAULT_MARGIN));
        } else {
            settings.timeout = settings.timeout.or(Some(Settings::DEFAULT_TIMEOUT));
        }
        settings.start = Some(settings.start_timeout());
        let settings = if self.kind == EngineKind::Random {
            Settings::default()
        } else {
            settings.only(self.kind.keys())
        };
        Self { name: self.name.clone(), kind: self.kind, settings }
    }

    /// Returns the engine with all settings explicit as it plays in a tournament. A search that only a time for each
    /// move limits uses all of it: a match would not keep what an early stop saves. One that only iterations limit plays
    /// alike with any threads, so the cores of a machine are no setting of it.
    #[must_use]
    pub fn in_tournament(&self, defaults: &Settings) -> Self {
        let mut spec = self.with_defaults(defaults);
        let Settings { time, tc, iterations, .. } = &spec.settings;
        match (time.is_some() || tc.is_some(), iterations.is_some()) {
            (true, false) if spec.kind == EngineKind::Quintet && tc.is_none() => {
                spec.settings.early_stop = spec.settings.early_stop.or(Some(false));
            }
            (false, true) if !spec.kind.is_external() => {
                spec.settings.threads = self.settings.threads.or(defaults.threads);
            }
            _ => {}
        }
        spec
    }

    /// Returns the engine's configuration in a session and its budget per move; missing settings
    /// are taken from `defaults`.
    ///
    /// # Errors
    /// [`EngineSetUpError`] if a setting is out of range, or the engine is external or has a clock.
    pub fn config(&self, defaults: &Settings) -> Result<(EngineConfig, Budget), EngineSetUpError> {
        let settings = self.settings.or(defaults);
        if settings.tc.is_some() {
            return Err(EngineSetUpError::Clock);
        }
        Ok((self.search_config(&settings)?, settings.budget()?))
    }

    /// Returns the engine's configuration in a session, whose budget varies; `settings` are whole.
    pub(crate) fn search_config(&self, settings: &Settings) -> Result<EngineConfig, EngineSetUpError> {
        let config = settings.search_config();
        let config = match self.kind {
            EngineKind::Random => EngineConfig::Random,
            EngineKind::Uct => EngineConfig::Uct(config),
            EngineKind::Quintet => EngineConfig::Quintet(config),
            EngineKind::Ugi | EngineKind::Json | EngineKind::Gomocup => {
                return Err(EngineSetUpError::External(self.kind));
            }
        };
        Ok(config)
    }

    /// Checks that the settings are in range; missing ones are taken from `defaults`.
    ///
    /// # Errors
    /// [`SearchError`] if a setting is out of range.
    pub fn check(&self, defaults: &Settings) -> Result<(), SearchError> {
        let settings = self.settings.or(defaults);
        match self.kind {
            EngineKind::Random => Ok(()),
            EngineKind::Uct | EngineKind::Quintet => {
                settings.search_config().check()?;
                settings.budget()?.check(settings.trees.map_or(1, NonZeroUsize::get))
            }
            EngineKind::Ugi | EngineKind::Json | EngineKind::Gomocup => settings.budget().map(|_| ()),
        }
    }

    /// Returns the number of threads that it can use. An engine that speaks UGI or Gomocup is assumed to use
    /// one.
    #[must_use]
    pub fn threads(&self, defaults: &Settings) -> NonZeroUsize {
        match self.kind {
            EngineKind::Random | EngineKind::Ugi | EngineKind::Gomocup => NonZeroUsize::MIN,
            EngineKind::Uct | EngineKind::Quintet | EngineKind::Json => self.settings.or(defaults).threads(),
        }
    }
}

/// Writes the kind and the settings in the form that is read, without the name.
impl Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let settings: Vec<String> =
            self.settings.given().map(|(key, value)| format!("{key}={value}")).collect();
        if settings.is_empty() {
            write!(f, "{}", self.kind)
        } else {
            write!(f, "{}:{}", self.kind, settings.join(","))
        }
    }
}

/// An invalid engine specification.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bad engine {}: {reason}", Quoted(.text))]
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

impl TryFrom<String> for EngineSpec {
    type Error = EngineError;

    fn try_from(text: String) -> Result<Self, EngineError> {
        text.parse()
    }
}

/// Reads an engine, whose models are files.
impl FromStr for EngineSpec {
    type Err = EngineError;

    fn from_str(text: &str) -> Result<Self, EngineError> {
        Self::read(text, &Models::default())
    }
}

impl EngineSpec {
    /// Reads an engine that may name one of `models`.
    ///
    /// # Errors
    /// [`EngineError`] that says what is wrong with the text.
    pub fn read(text: &str, models: &Models) -> Result<Self, EngineError> {
        let wrong = |reason: String| EngineError { text: text.to_owned(), reason };
        let (head, mut list) = match text.split_once(':') {
            Some((head, list)) => (head, Some(list)),
            None => (text, None),
        };
        let (name, kind) = head.split_once('=').unwrap_or((text, head));
        let kind: EngineKind = kind.parse().map_err(wrong)?;
        if name.is_empty() {
            return Err(wrong("the name before '=' is empty".into()));
        }
        let mut settings = Settings::default();
        let mut keys = BTreeSet::new();
        while let Some(rest) = list {
            // A command may contain commas, so it takes the rest.
            let is_command = kind.is_external() && rest.starts_with("command=");
            let split = if is_command { None } else { rest.split_once(',') };
            let setting = split.map_or(rest, |(setting, _)| setting);
            list = split.map(|(_, rest)| rest);
            let (key, value) = setting.split_once('=').ok_or_else(|| {
                wrong(format!("{setting} is not of the form key=value", setting = Quoted(setting)))
            })?;
            let set = kind.check_key(key).and_then(|()| match key {
                "model" => {
                    settings.model = Some(models.find(value)?);
                    Ok(())
                }
                _ => settings.set(key, value),
            });
            set.map_err(|reason| wrong(format!("{setting} {reason}", setting = Quoted(setting))))?;
            if !keys.insert(key) {
                return Err(wrong(format!("{key} is given twice", key = Quoted(key))));
            }
        }
        Self::new(name.to_owned(), kind, settings).map_err(wrong)
    }
}
