//! Which puzzles are solved, in a file.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use quintet_protocol::Puzzle;

use crate::output;

/// The puzzles that are solved: a line each.
#[derive(Debug)]
pub(super) struct Progress {
    /// `None` if there is no folder for it: then it is forgotten.
    file: Option<PathBuf>,
    solved: BTreeSet<String>,
}

impl Progress {
    /// Reads the file, or the default one if none is given. A file that is not there is one without a line.
    pub(super) fn open(file: Option<PathBuf>) -> anyhow::Result<Self> {
        let file = file.or_else(default_file);
        let solved = file.as_deref().map(keys).transpose()?.unwrap_or_default();
        Ok(Self { file, solved })
    }

    pub(super) fn is_solved(&self, puzzle: &Puzzle) -> bool {
        self.solved.contains(&puzzle.key)
    }

    /// Remembers that the puzzle with this key is solved.
    pub(super) fn add(&mut self, key: &str) -> anyhow::Result<()> {
        self.solved.insert(key.to_owned());
        let Some(path) = &self.file else { return Ok(()) };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder)
                .with_context(|| format!("can't make the folder {}", folder.display()))?;
        }
        // Another program may have solved some meanwhile.
        self.solved.extend(keys(path)?);
        let keys: Vec<&str> = self.solved.iter().map(String::as_str).collect();
        let text = keys.join("\n") + "\n";
        Ok(output::replace(path, text.as_bytes())?)
    }
}

/// The puzzles that a file says are solved.
fn keys(path: &Path) -> anyhow::Result<BTreeSet<String>> {
    let text = match read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("can't read {}", path.display())),
    };
    // Solved puzzles are added by writing the file anew, so one with anything else in it would be lost.
    if let Some(line) = text.lines().position(|line| !is_key(line)) {
        bail!("{}, line {}: this is no solved puzzle: name another file", path.display(), line + 1);
    }
    Ok(text.lines().map(str::to_owned).collect())
}

/// Reads a file; a device may have no end.
fn read(path: &Path) -> io::Result<String> {
    if fs::metadata(path)?.is_file() {
        fs::read_to_string(path)
    } else {
        Err(io::Error::other("it is no regular file"))
    }
}

/// Whether a line has the form of a [`Puzzle::key`].
fn is_key(line: &str) -> bool {
    line.len() == 16 && line.bytes().all(|it| it.is_ascii_hexdigit())
}

/// The file in the folder for data of users.
fn default_file() -> Option<PathBuf> {
    let of = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = of("XDG_DATA_HOME")
        .or_else(|| of("LOCALAPPDATA"))
        .or_else(|| of("HOME").map(|home| home.join(".local").join("share")))?;
    Some(folder.join("quintet").join("puzzles"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_programs_keep_what_either_has_solved() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("progress");
        let [mut one, mut other] = [(); 2].map(|()| Progress::open(Some(path.clone())).expect("no file yet"));
        one.add("0123456789abcdef").expect("written");
        other.add("fedcba9876543210").expect("written");
        one.add("00000000ffffffff").expect("written");
        assert_eq!(Progress::open(Some(path)).expect("it is there").solved.len(), 3);
    }
}
