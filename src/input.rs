//! Files that commands read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, ensure};
use quintet_protocol::LONGEST_LINE;

/// Checks that standard input is among the files only once: the second time it would be empty.
pub(crate) fn check_stdin(files: &[PathBuf]) -> anyhow::Result<()> {
    let stdins = files.iter().filter(|path| path.as_os_str() == "-").count();
    ensure!(stdins < 2, "standard input, -, is given {stdins} times");
    Ok(())
}

/// Opens a file, or standard input for `-`.
pub(crate) fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).with_context(|| format!("can't open {}", path.display()))?;
    Ok(Box::new(BufReader::new(file)))
}

/// Reads as many bytes at the start of a file, or all if it has fewer.
pub(crate) fn first_bytes(path: &Path, bytes: usize) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?.take(bytes as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Reads a text file, which may be as long as a line of JSON.
pub(crate) fn read_text(path: &Path) -> anyhow::Result<String> {
    let name = path.display();
    let failed = || format!("can't read {name}");
    let mut text = String::new();
    let file = File::open(path).with_context(failed)?;
    let read = file.take(LONGEST_LINE + 1).read_to_string(&mut text).with_context(failed)?;
    ensure!(read as u64 <= LONGEST_LINE, "{name} is longer than {LONGEST_LINE} bytes");
    Ok(text)
}

/// Returns an error in a TOML text with the part of the text that is wrong, unless that is long.
pub(crate) fn toml_error(text: &str, error: &toml::de::Error) -> anyhow::Error {
    const LONGEST: usize = 200;
    let shown = error.to_string();
    if shown.lines().all(|line| line.chars().count() <= LONGEST) {
        return anyhow!("{}", shown.trim_end());
    }
    let line = error.span().map_or(0, |span| text[..span.start].matches('\n').count()) + 1;
    let message: String = error.message().chars().take(LONGEST).collect();
    anyhow!("line {line}: {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_in_a_long_line_names_it_and_does_not_show_it() {
        let error = |text: &str| {
            let error = toml::from_str::<toml::Table>(text).expect_err("wrong");
            toml_error(text, &error).to_string()
        };
        assert!(error("a = 1\nb = ").contains("2 | b = "));
        let long = error(&format!("a = 1\nb = \"{}", "x".repeat(100_000)));
        assert!(long.starts_with("line 2: ") && long.len() < 250, "{}", long.len());
    }
}
