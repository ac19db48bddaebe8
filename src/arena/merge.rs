//! `quintet arena merge`

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{anyhow, bail};
use quintet_arena::tournament::{self, GameLog, LogError, Standings};
use quintet_core::registry::Registry;

use super::{names, tables};
use crate::output::note;
use crate::{Status, WorkError};

/// Merge the parts of a tournament and print its results
///
/// The parts are files written by `arena --shard`, or any files of games under the same conditions:
/// the same program version, seed, openings, engines and adjudication. A game in several files
/// counts once, and an incomplete last line of a file is ignored. If games are missing up to the
/// last opening, it reports how many. With a single file, it prints that file's results.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  {name} arena merge part-*.jsonl --out games.jsonl")]
pub(crate) struct Args {
    /// The files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write all games to this new file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the results as one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    let mut files = Vec::new();
    for path in &args.files {
        files.push((path.display().to_string(), tournament::read_games(path, games)?));
    }
    let records = tournament::merge(files)?;
    if records.is_empty() {
        bail!("there is no game in {}", names(&args.files));
    }
    if let Some(path) = &args.out {
        let mut log = GameLog::create(path).map_err(|error| match error {
            LogError::HasContent(_) => anyhow!("{error}: name another file"),
            error => error.into(),
        })?;
        for (index, record) in records.iter().enumerate() {
            let is_last = index + 1 == records.len();
            if let Err(error) = log.add(record, is_last) {
                // The parts have all its games, and the next attempt needs a new file.
                drop(log);
                // Whatever another program has put there is not ours.
                if path.is_file() && !matches!(error, LogError::Lost { .. }) {
                    let _ = fs::remove_file(path);
                }
                return Err(WorkError(error.to_string()).into());
            }
        }
    }
    let standings = Standings::of(&records, games);
    for it in &standings.matches {
        let missing = it.results.missing();
        if missing > 0 {
            let game = &it.game;
            let [a, b] = &it.engines;
            note(format!("{game}: {a} – {b}: games missing up to the last opening: {missing}"));
        }
    }
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&standings.summary(None))?)?;
    } else {
        tables::print(&standings, None, out)?;
    }
    Ok(Status::Done)
}
