//! Rulesheets in files.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use quintet_core::Quoted;

use crate::compiled::Compiled;
use crate::{Error, Limits};

/// The most bytes of a file.
const MAX_BYTES: u64 = 4 << 20;

/// Why a file is not taken. The text names it.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It can't be read.
    #[error("can't read the rulesheet {0}: {1}")]
    File(String, io::Error),
    /// It is too long, or no text.
    #[error("the rulesheet {0} {1}")]
    Text(String, &'static str),
    /// It is no rulesheet that can be compiled.
    #[error("{0}: {1}")]
    Rules(String, Error),
}

/// The text of a rulesheet in a file.
///
/// # Errors
/// [`ReadError`] if it can't be read, is too long, or no text.
pub fn text_of(path: &Path) -> Result<String, ReadError> {
    let shown = || Quoted(&path.to_string_lossy()).to_string();
    let mut bytes = Vec::new();
    let file = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    file.map_err(|error| ReadError::File(shown(), error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ReadError::Text(shown(), "has more than 4 MiB"));
    }
    String::from_utf8(bytes).map_err(|_| ReadError::Text(shown(), "is no UTF-8"))
}

/// Compiles the rulesheet in a file.
///
/// # Errors
/// [`ReadError`].
pub fn read(path: &Path) -> Result<Compiled, ReadError> {
    compile(path, &text_of(path)?)
}

/// Compiles the text of a rulesheet, which was read from this path.
///
/// # Errors
/// [`ReadError::Rules`].
pub fn compile(path: &Path, text: &str) -> Result<Compiled, ReadError> {
    let shown = || Quoted(&path.to_string_lossy()).to_string();
    Compiled::new(text, Limits::default()).map_err(|error| ReadError::Rules(shown(), error))
}

/// A name for commands: in lower case, with hyphens for all but letters and digits.
#[must_use]
pub fn name_of(text: &OsStr) -> String {
    let text = text.to_string_lossy().to_lowercase();
    let plain: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    match plain.trim_matches('-') {
        "" => "game".to_owned(),
        plain => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_in_lower_case_with_hyphens() {
        for (text, name) in [("My game_2", "my-game-2"), ("-", "game"), ("hex", "hex")] {
            assert_eq!(name_of(OsStr::new(text)), name);
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_told_with_its_name() {
        let folder = std::env::temp_dir().join(format!("quintet-gdl-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("a.kif");
        let long = vec![b';'; (4 << 20) + 1];
        for (bytes, expected) in
            [(&b"\xff"[..], "is no UTF-8"), (&long, "has more than 4 MiB"), (b"(", "line 1, column 1")]
        {
            std::fs::write(&path, bytes).expect("it can be written");
            let error = read(&path).expect_err("it is wrong").to_string();
            assert!(error.contains("a.kif\"") && error.contains(expected), "{error}");
        }
        std::fs::remove_dir_all(&folder).expect("it can be removed");
        assert!(
            read(&path).expect_err("there is none").to_string().starts_with("can't read the rulesheet \"")
        );
    }
}
