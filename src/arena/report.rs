//! `quintet arena report`

use std::fs::{self, File};
use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use quintet_arena::report::Report;
use quintet_arena::tournament;
use quintet_core::registry::Registry;

use super::names;
use crate::output::replace;
use crate::{Status, WorkError};

/// Make a page of an arena's games: ratings, tables, charts, and a game viewer
///
/// Reads files of `arena --out` as if they were one, and checks every game against the rules. A
/// game in several files counts once, and an incomplete last line of a file is ignored. A wrong
/// record is an error; `replay` lists all of them. The page is one HTML file that needs no other
/// file and no network. Its title has the day on which the newest file was last changed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The games, one JSON object a line
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write the page to this file, replacing its content [default: standard output]
    #[arg(long, value_name = "FILE.html")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    if let Some(path) = &args.out
        && has_games(path)
    {
        // A typo must not overwrite them.
        bail!("{} is a file of games: name another file", path.display());
    }
    let mut report = Report::new(games.clone());
    for file in &args.files {
        for record in tournament::read_games(file, games)? {
            report.add(record)?;
        }
    }
    // The last game was written then, unless the files are copies.
    let changed = args.files.iter().filter_map(|file| fs::metadata(file).ok()?.modified().ok());
    if let Some(date) = changed.max() {
        report.set_date(date);
    }
    if report.games() == 0 {
        bail!("there is no game in {}", names(&args.files));
    }
    let page = report.html();
    match &args.out {
        None => out.write_all(page.as_bytes())?,
        Some(path) => {
            let failed = |error| WorkError(format!("can't write {}: {error}", path.display()));
            replace(path, page.as_bytes()).map_err(failed)?;
            writeln!(out, "{} has the report; games: {}", path.display(), report.games())?;
        }
    }
    Ok(Status::Done)
}

/// Whether a file begins as a file of games does.
fn has_games(path: &Path) -> bool {
    const START: &[u8] = br#"{"game""#;
    let mut start = [0; START.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == START
}
