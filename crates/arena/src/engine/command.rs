//! The command that starts an external engine.

use std::fmt::{self, Display};
use std::str::FromStr;

/// A program and its arguments, written as for a shell: separated by spaces, with quotes around
/// words that contain spaces. No other shell syntax is supported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    text: String,
    words: Vec<String>,
}

impl CommandLine {
    /// Returns the program: a path, or a name that the system searches for.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.words[0]
    }

    /// Returns the program's arguments.
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
