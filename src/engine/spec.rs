//! The text form of an engine.

use std::fmt::{self, Display};
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use super::outside::{CommandLine, Outside, Patience, Protocol};
use super::settings::Settings;
use crate::search::SearchError;

/// The kinds of engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EngineKind {
    /// Plays any legal move, each equally likely.
    Random,
    /// Plain UCT that knows the rules only: the yardstick for everything else.
    Uct,
    /// The default: search with what is known of the game, and with proofs.
    Quintet,
    /// A program of its own, which the arena starts and speaks with.
    Outside(Outside),
}

impl EngineKind {
    /// The name that specifications use.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Uct => "uct",
            Self::Quintet => "quintet",
            Self::Outside(outside) => outside.protocol.name(),
        }
    }
}

impl Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
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

impl EngineSpec {
    /// The same engine with everything said: what it leaves open is taken from `defaults`.
    #[must_use]
    pub fn with_defaults(&self, defaults: &Settings) -> Self {
        let given = self.settings.or(defaults);
        let time = if given.has_budget() { given.time } else { Some(Settings::DEFAULT_TIME) };
        let budget = Settings { iterations: given.iterations, time, ..Settings::default() };
        let threads = Some(given.trees());
        let mut kind = self.kind.clone();
        let settings = match &mut kind {
            EngineKind::Random => Settings::default(),
            EngineKind::Uct | EngineKind::Quintet => Settings { time, threads, ..given },
            EngineKind::Outside(outside) => {
                outside.patience = outside.patience.with_defaults(time.is_some());
                match outside.protocol {
                    Protocol::Ugi => budget,
                    Protocol::Json => Settings { threads, ..budget },
                }
            }
        };
        Self { name: self.name.clone(), kind, settings }
    }

    /// Checks that the settings are in range; what the engine leaves open is taken from `defaults`.
    ///
    /// # Errors
    /// [`SearchError`] if a setting is out of range.
    pub fn check(&self, defaults: &Settings) -> Result<(), SearchError> {
        match self.kind {
            EngineKind::Random => Ok(()),
            EngineKind::Uct | EngineKind::Quintet => self.settings.or(defaults).check(),
            EngineKind::Outside(_) => self.settings.or(defaults).budget().map(|_| ()),
        }
    }

    /// The number of trees, and so of threads that it can use. An engine that speaks UGI is taken to use one.
    #[must_use]
    pub fn trees(&self, defaults: &Settings) -> NonZeroUsize {
        match &self.kind {
            EngineKind::Random | EngineKind::Outside(Outside { protocol: Protocol::Ugi, .. }) => {
                NonZeroUsize::MIN
            }
            EngineKind::Uct | EngineKind::Quintet | EngineKind::Outside(_) => {
                self.settings.or(defaults).trees()
            }
        }
    }
}

/// Writes the kind and the settings as they are read, without the name.
impl Display for EngineSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time_as = |key: &str, time: Option<Duration>| {
            time.map(|it| format!("{key}={}", humantime::format_duration(it).to_string().replace(' ', "")))
        };
        let Settings { iterations, time, threads, memory, c, without } = self.settings;
        let mut settings = vec![
            iterations.map(|it| format!("iterations={it}")),
            time_as("time", time),
            threads.map(|it| format!("threads={it}")),
            memory.map(|it| format!("memory={it}B")),
            c.map(|it| format!("c={it}")),
            without.map(|it| format!("without={it}")),
        ];
        if let EngineKind::Outside(Outside { command, patience, .. }) = &self.kind {
            let Patience { timeout, margin, start } = *patience;
            settings.extend([
                time_as("timeout", timeout),
                time_as("margin", margin),
                time_as("start", start),
                Some(format!("command={command}")),
            ]);
        }
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

/// The name of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KindName {
    Random,
    Uct,
    Quintet,
    Outside(Protocol),
}

impl KindName {
    const ALL: [(&str, Self); 5] = [
        ("random", Self::Random),
        ("uct", Self::Uct),
        ("quintet", Self::Quintet),
        (Protocol::Ugi.name(), Self::Outside(Protocol::Ugi)),
        (Protocol::Json.name(), Self::Outside(Protocol::Json)),
    ];

    fn keys(self) -> &'static [&'static str] {
        match self {
            // A budget means nothing to it, but the engines of an arena may all be given the same.
            Self::Random => &Settings::KEYS[..4],
            Self::Uct => &Settings::KEYS[..5],
            Self::Quintet => Settings::KEYS,
            Self::Outside(protocol) => protocol.keys(),
        }
    }
}

impl FromStr for KindName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let kind = Self::ALL.into_iter().find(|(name, _)| *name == text);
        kind.map(|(_, kind)| kind).ok_or_else(|| {
            let known = Self::ALL.map(|(name, _)| name).join(", ");
            format!("{text:?} is not an engine; known: {known}")
        })
    }
}

/// What has been read of an engine so far.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) kind: KindName,
    pub(super) settings: Settings,
    pub(super) patience: Patience,
    pub(super) command: Option<CommandLine>,
}

impl Draft {
    pub(super) fn new(kind: KindName) -> Self {
        Self { kind, settings: Settings::default(), patience: Patience::default(), command: None }
    }

    /// What is wrong with a setting called `key`, to follow its text in a message; `None` if the kind has one.
    pub(super) fn refusal(&self, key: &str) -> Option<String> {
        let keys = self.kind.keys();
        (!keys.contains(&key)).then(|| format!("is not a setting; known: {}", keys.join(", ")))
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        if let Some(refusal) = self.refusal(key) {
            return Err(refusal);
        }
        if !self.settings.set(key, value)? && !self.patience.set(key, value)? {
            self.command = Some(value.parse()?);
        }
        Ok(())
    }

    pub(super) fn finish(self, name: String) -> Result<EngineSpec, String> {
        for (key, time) in [("timeout", self.patience.timeout), ("start", self.patience.start)] {
            if time == Some(Duration::ZERO) {
                return Err(format!("{key} must be above 0"));
            }
        }
        let kind = match self.kind {
            KindName::Random => EngineKind::Random,
            KindName::Uct => EngineKind::Uct,
            KindName::Quintet => EngineKind::Quintet,
            KindName::Outside(protocol) => {
                let command = self.command.ok_or("an outside engine needs a command, as its last setting")?;
                EngineKind::Outside(Outside { protocol, command, patience: self.patience })
            }
        };
        Ok(EngineSpec { name, kind, settings: self.settings })
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
        let kind: KindName = kind.parse().map_err(wrong)?;
        if name.is_empty() {
            return Err(wrong("the name before '=' is empty".into()));
        }
        let mut draft = Draft::new(kind);
        while let Some(rest) = list {
            // A command may have commas of its own, and so takes the rest.
            let is_command = matches!(kind, KindName::Outside(_)) && rest.starts_with("command=");
            let split = if is_command { None } else { rest.split_once(',') };
            let setting = split.map_or(rest, |(setting, _)| setting);
            list = split.map(|(_, rest)| rest);
            let (key, value) = setting
                .split_once('=')
                .ok_or_else(|| wrong(format!("{setting:?} is not of the form key=value")))?;
            draft.set(key, value).map_err(|reason| wrong(format!("{setting:?} {reason}")))?;
        }
        draft.finish(name.to_owned()).map_err(wrong)
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
            ("ugi:timeout=0s,command=./a", "timeout must be above 0"),
            ("ugi:start=0s,command=./a", "start must be above 0"),
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
        let EngineKind::Outside(outside) = spec.kind else { panic!("not an outside engine") };
        assert_eq!(outside.protocol, Protocol::Ugi);
        assert_eq!(outside.command.program(), "./a");
        assert_eq!(outside.command.arguments(), ["-b", "c, d", "e=f:g"]);
    }

    #[test]
    fn an_outside_engine_takes_from_the_defaults_what_it_has_settings_for() {
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
