//! The text form of an engine.

use std::fmt::{self, Display};
use std::num::NonZeroUsize;
use std::str::FromStr;

use quintet_core::search::{Budget, SearchError};
use quintet_core::session::EngineConfig;

use super::settings::Settings;

/// The kinds of engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineKind {
    /// Plays any legal move, each equally likely.
    Random,
    /// Plain UCT that knows the rules only: the yardstick for everything else.
    Uct,
    /// The default: search with what is known of the game, and with proofs.
    Quintet,
    /// An external engine that speaks the Universal Game Interface.
    Ugi,
    /// An external engine that speaks the JSON lines of `quintet analyze`.
    Json,
}

impl EngineKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [Self::Random, Self::Uct, Self::Quintet, Self::Ugi, Self::Json];

    /// The name that specifications use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Uct => "uct",
            Self::Quintet => "quintet",
            Self::Ugi => "ugi",
            Self::Json => "json",
        }
    }

    /// Whether it is a program of its own.
    #[must_use]
    pub const fn is_external(self) -> bool {
        matches!(self, Self::Ugi | Self::Json)
    }

    /// The keys of its settings.
    #[must_use]
    pub const fn keys(self) -> &'static [&'static str] {
        match self {
            // A budget means nothing to it, but the engines of an arena may all be given the same.
            Self::Random => &["iterations", "time", "threads", "memory"],
            Self::Uct => &["iterations", "time", "threads", "memory", "c"],
            Self::Quintet => &["iterations", "time", "threads", "memory", "c", "without"],
            Self::Ugi => &["iterations", "time", "timeout", "margin", "start", "command"],
            Self::Json => &["iterations", "time", "threads", "timeout", "margin", "start", "command"],
        }
    }

    /// Whether it has a setting called `key`; if not, what is wrong, to follow the key in a message.
    pub(super) fn check_key(self, key: &str) -> Result<(), String> {
        let keys = self.keys();
        if keys.contains(&key) {
            Ok(())
        } else {
            Err(format!("is not a setting; known: {}", keys.join(", ")))
        }
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
            let known = Self::ALL.map(Self::name).join(", ");
            format!("{text:?} is not an engine; known: {known}")
        })
    }
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

/// Why an engine can't be set up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineSetUpError {
    /// A setting is out of range, or the memory can't be had.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The engine is a program of its own.
    #[error("external engines ({0}) play in the arena only")]
    External(EngineKind),
}

impl EngineSpec {
    /// An engine with a name and settings that its kind has.
    ///
    /// # Errors
    /// If an external engine has no command.
    pub(super) fn new(name: String, kind: EngineKind, settings: Settings) -> Result<Self, String> {
        if kind.is_external() && settings.command.is_none() {
            return Err("an external engine needs a command, as its last setting".to_owned());
        }
        Ok(Self { name, kind, settings })
    }

    /// The same engine with everything said: what it leaves open is taken from `defaults`.
    #[must_use]
    pub fn with_defaults(&self, defaults: &Settings) -> Self {
        let mut settings = self.settings.or(defaults);
        if !settings.has_budget() {
            settings.time = Some(Settings::DEFAULT_TIME);
        }
        settings.threads = Some(settings.trees());
        if settings.time.is_some() {
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

    /// How to set the engine up in a session, and the budget of each move; what it leaves open is taken from
    /// `defaults`.
    ///
    /// # Errors
    /// [`EngineSetUpError`] if a setting is out of range, or if it is an external engine.
    pub fn config(&self, defaults: &Settings) -> Result<(EngineConfig, Budget), EngineSetUpError> {
        let settings = self.settings.or(defaults);
        let config = settings.search_config();
        let config = match self.kind {
            EngineKind::Random => EngineConfig::Random,
            EngineKind::Uct => EngineConfig::Uct(config),
            EngineKind::Quintet => EngineConfig::Quintet(config),
            EngineKind::Ugi | EngineKind::Json => return Err(EngineSetUpError::External(self.kind)),
        };
        Ok((config, settings.budget()?))
    }

    /// Checks that the settings are in range; what the engine leaves open is taken from `defaults`.
    ///
    /// # Errors
    /// [`SearchError`] if a setting is out of range.
    pub fn check(&self, defaults: &Settings) -> Result<(), SearchError> {
        let settings = self.settings.or(defaults);
        match self.kind {
            EngineKind::Random => Ok(()),
            EngineKind::Uct | EngineKind::Quintet => {
                settings.search_config().check()?;
                settings.budget()?.check(settings.trees().get())
            }
            EngineKind::Ugi | EngineKind::Json => settings.budget().map(|_| ()),
        }
    }

    /// The number of trees, and so of threads that it can use. An engine that speaks UGI is taken to use one.
    #[must_use]
    pub fn trees(&self, defaults: &Settings) -> NonZeroUsize {
        match self.kind {
            EngineKind::Random | EngineKind::Ugi => NonZeroUsize::MIN,
            EngineKind::Uct | EngineKind::Quintet | EngineKind::Json => self.settings.or(defaults).trees(),
        }
    }
}

/// Writes the kind and the settings as they are read, without the name.
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
        while let Some(rest) = list {
            // A command may have commas of its own, and so takes the rest.
            let is_command = kind.is_external() && rest.starts_with("command=");
            let split = if is_command { None } else { rest.split_once(',') };
            let setting = split.map_or(rest, |(setting, _)| setting);
            list = split.map(|(_, rest)| rest);
            let (key, value) = setting
                .split_once('=')
                .ok_or_else(|| wrong(format!("{setting:?} is not of the form key=value")))?;
            let set = kind.check_key(key).and_then(|()| settings.set(key, value));
            set.map_err(|reason| wrong(format!("{setting:?} {reason}")))?;
        }
        Self::new(name.to_owned(), kind, settings).map_err(wrong)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

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
            ("ucd", "\"ucd\" is not an engine; known: random, uct, quintet, ugi, json"),
            ("=uct", "name before '=' is empty"),
            ("uct:", "\"\" is not of the form key=value"),
            ("uct:c=1,", "\"\" is not of the form key=value"),
            ("uct:depth=3", "\"depth=3\" is not a setting; known: iterations, time, threads, memory, c"),
            ("uct:without=solver", "is not a setting; known: iterations, time, threads, memory, c"),
            ("random:c=1", "is not a setting; known: iterations, time, threads, memory"),
            ("quintet:d=1", "is not a setting; known: iterations, time, threads, memory, c, without"),
            ("uct:iterations", "not of the form key=value"),
            ("uct:iterations=many", "not a number in range"),
            ("uct:threads=0", "not a number in range"),
            ("uct:time=5", "not a time such as"),
            ("uct:memory=big", "not an amount of memory"),
            ("uct:command=./a", "\"command=./a\" is not a setting; known: iterations"),
            ("ugi", "needs a command"),
            ("json:iterations=5", "needs a command"),
            ("ugi:command=", "\"command=\" is no command: it is empty"),
            ("ugi:command=./a 'b", "is no command: missing closing quote"),
            ("ugi:command='' b", "the program is empty"),
            (
                "ugi:threads=2,command=./a",
                "\"threads=2\" is not a setting; known: iterations, time, timeout, margin, start, command",
            ),
            ("json:memory=1MiB,command=./a", "\"memory=1MiB\" is not a setting"),
            ("ugi:timeout=0s,command=./a", "\"timeout=0s\" is not a time above 0"),
            ("ugi:start=0s,command=./a", "\"start=0s\" is not a time above 0"),
            ("ugi:start=5,command=./a", "\"start=5\" is not a time"),
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
            "ugi:time=50ms,margin=0s,start=1m,command=./engine --flag 'a b',c=1",
            "json:iterations=1000,threads=2,timeout=5s,command=\"my engine\"",
        ] {
            let spec: EngineSpec = text.parse().expect(text);
            assert_eq!(spec.to_string(), text);
            let again: EngineSpec = spec.to_string().parse().expect(text);
            assert_eq!((again.kind, again.settings), (spec.kind, spec.settings));
        }
        let defaults = Settings { threads: NonZeroUsize::new(3), ..Settings::default() };
        let spec: EngineSpec = "uct:c=1".parse().expect("valid");
        assert_eq!(spec.with_defaults(&defaults).to_string(), "uct:time=1s,threads=3,c=1");
    }

    #[test]
    fn a_command_takes_the_rest_and_is_split_into_words() {
        let spec: EngineSpec = "x=ugi:time=50ms,command=./a -b 'c, d' e=f:g".parse().expect("valid");
        assert_eq!(spec.name, "x");
        assert_eq!(spec.kind, EngineKind::Ugi);
        let command = spec.settings.command.expect("a command");
        assert_eq!(command.program(), "./a");
        assert_eq!(command.arguments(), ["-b", "c, d", "e=f:g"]);
    }

    #[test]
    fn an_external_engine_takes_from_the_defaults_what_it_has_settings_for() {
        let defaults = Settings {
            iterations: Some(9),
            threads: NonZeroUsize::new(3),
            memory: Some(1 << 20),
            ..Settings::default()
        };
        for (text, whole) in [
            ("ugi:command=a", "ugi:iterations=9,timeout=1m,start=10s,command=a"),
            ("ugi:time=1s,command=a", "ugi:time=1s,margin=1s,start=10s,command=a"),
            ("json:timeout=2s,command=a", "json:iterations=9,threads=3,timeout=2s,start=10s,command=a"),
        ] {
            let spec: EngineSpec = text.parse().expect(text);
            assert_eq!(spec.with_defaults(&defaults).to_string(), whole);
        }
    }

    #[test]
    fn an_engine_with_a_budget_takes_no_other() {
        let defaults = Settings { iterations: Some(9), threads: NonZeroUsize::new(3), ..Settings::default() };
        let timed = Settings { time: Some(Duration::from_secs(2)), ..Settings::default() }.or(&defaults);
        assert_eq!((timed.iterations, timed.threads), (None, NonZeroUsize::new(3)));
        assert_eq!(Settings::default().or(&defaults).iterations, Some(9));
    }
}
