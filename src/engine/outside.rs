//! Engines that are programs of their own: how they are started, spoken with, and how long they may take.

use std::fmt::{self, Display};
use std::str::FromStr;
use std::time::Duration;

use super::settings::parse_time;

/// How to speak with an outside engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// The Universal Game Interface.
    Ugi,
    /// The JSON lines of `quintet analyze`: one query a line, one answer a line.
    Json,
}

impl Protocol {
    /// The name that specifications use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ugi => "ugi",
            Self::Json => "json",
        }
    }

    /// The keys of the text form of an engine with this protocol.
    pub(super) const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Ugi => &["iterations", "time", "timeout", "margin", "start", "command"],
            Self::Json => &["iterations", "time", "threads", "timeout", "margin", "start", "command"],
        }
    }
}

impl Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A program and its arguments, as they are written for a shell: separated by spaces, with quotes where a word
/// has spaces of its own. Nothing else of a shell is understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    text: String,
    words: Vec<String>,
}

impl CommandLine {
    /// The program: a path, or a name to look for where the system looks for programs.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.words[0]
    }

    /// The program's arguments.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.words[1..]
    }
}

impl FromStr for CommandLine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words = shell_words::split(text).map_err(|error| format!("is no command: {error}"))?;
        match words.first() {
            None => Err("is no command: it is empty".to_owned()),
            Some(program) if program.is_empty() => Err("is no command: the program is empty".to_owned()),
            Some(_) => Ok(Self { text: text.to_owned(), words }),
        }
    }
}

/// Writes the command as it was read.
impl Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// How long an outside engine may take; what is `None` is left to a default.
///
/// An engine that takes longer loses the game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Patience {
    /// The most time for a move where the budget has no time.
    pub timeout: Option<Duration>,
    /// The time for a move beyond that of the budget, for the way there and back.
    pub margin: Option<Duration>,
    /// The time until the engine says that it is ready: when it is started, and before each game and each move.
    pub start: Option<Duration>,
}

impl Patience {
    /// The default of [`timeout`](Self::timeout).
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
    /// The default of [`margin`](Self::margin).
    pub const DEFAULT_MARGIN: Duration = Duration::from_secs(1);
    /// The default of [`start`](Self::start).
    pub const DEFAULT_START: Duration = Duration::from_secs(10);

    /// The most time from the question to the answer, under a budget with this time per move.
    #[must_use]
    pub fn of_move(&self, time: Option<Duration>) -> Duration {
        match time {
            Some(time) => time.saturating_add(self.margin.unwrap_or(Self::DEFAULT_MARGIN)),
            None => self.timeout.unwrap_or(Self::DEFAULT_TIMEOUT),
        }
    }

    /// The most time until the engine says that it is ready.
    #[must_use]
    pub fn of_start(&self) -> Duration {
        self.start.unwrap_or(Self::DEFAULT_START)
    }

    /// The same with everything said that matters under a budget with or without a time.
    pub(super) fn with_defaults(self, is_timed: bool) -> Self {
        Self {
            timeout: self.timeout.or((!is_timed).then_some(Self::DEFAULT_TIMEOUT)),
            margin: self.margin.or(is_timed.then_some(Self::DEFAULT_MARGIN)),
            start: Some(self.of_start()),
        }
    }

    /// Takes a setting in its text form; `false` if there is none of this name.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<bool, String> {
        let place = match key {
            "timeout" => &mut self.timeout,
            "margin" => &mut self.margin,
            "start" => &mut self.start,
            _ => return Ok(false),
        };
        *place = Some(parse_time(value)?);
        Ok(true)
    }
}

/// An engine that is a program of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outside {
    /// How to speak with it.
    pub protocol: Protocol,
    /// How to start it.
    pub command: CommandLine,
    /// How long it may take.
    pub patience: Patience,
}
