//! The command that starts an external engine.

use std::fmt::{self, Display};
use std::str::FromStr;

/// A program and its arguments, written as for a shell: separated by spaces, with quotes around
/// words that contain spaces. A backslash takes the next character as it is; on Windows it is a
/// character like others, as paths have it. No other shell syntax is supported.
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
        let words = words(text, cfg!(windows)).map_err(|error| format!("is no command: {error}"))?;
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

/// Splits a command into words. On Windows backslashes stay.
fn words(text: &str, is_windows: bool) -> Result<Vec<String>, String> {
    /// Stands for a backslash. No command can have it.
    const NUL: &str = "\0";
    if text.contains(NUL) {
        return Err("it has a NUL character".to_owned());
    }
    let split = |text: &str| shell_words::split(text).map_err(|error| error.to_string());
    if !is_windows {
        return split(text);
    }
    let words = split(&text.replace('\\', NUL))?;
    Ok(words.into_iter().map(|word| word.replace(NUL, "\\")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_of_paths_on_windows_stay() {
        let [unix, windows] = [false, true].map(|is_windows| move |text| words(text, is_windows));
        for (text, expected) in [
            (r"C:\x\engine.exe ugi --threads 1", &[r"C:\x\engine.exe", "ugi", "--threads", "1"][..]),
            (r#""C:\a b\engine.exe" "C:\a b\""#, &[r"C:\a b\engine.exe", r"C:\a b\"]),
            (r"'C:\a b\engine.exe' \\host\x", &[r"C:\a b\engine.exe", r"\\host\x"]),
            (r#"x '{"a": 1}' "#, &["x", r#"{"a": 1}"#]),
        ] {
            assert_eq!(windows(text).expect(text), expected);
        }
        assert_eq!(unix(r#"./a\ b 'c\d' "e\\""#).expect("words"), ["./a b", r"c\d", "e\\"]);
        for text in ["'x", "x\0y"] {
            assert!([unix(text), windows(text)].iter().all(Result::is_err), "{text:?}");
        }
    }

    #[test]
    fn a_command_has_its_words_and_its_text() {
        let command: CommandLine = "./x 'a b'".parse().expect("a command");
        assert_eq!((command.program(), command.arguments()), ("./x", &["a b".to_owned()][..]));
        assert_eq!(command.to_string(), "./x 'a b'");
        for text in ["", "  ", "'' x"] {
            assert!(text.parse::<CommandLine>().is_err(), "{text:?}");
        }
    }
}
