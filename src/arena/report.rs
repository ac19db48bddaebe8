//! `quintet arena report`

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use quintet_arena::tournament::{self, Standings};
use quintet_core::registry::Registry;
use quintet_page::Record;
use quintet_protocol::ArenaResults;

use super::{names, records};
use crate::output::{note, replace};
use crate::{Status, input};

/// Make a page of an arena's games: results, ratings, and every game move by move
///
/// The page is the mode Watch of `serve` with the games in it: one HTML file that needs no other file and no network.
/// Several files have to be parts of one tournament, as for `merge`: a game in several files counts once. Every game is
/// checked against the rules. An incomplete last line of a file is ignored; any other wrong line is an error, and
/// `replay` lists all of them. Of games that are not of two sides that share the score, or have chance or simultaneous
/// moves, the page has the results alone.
///
/// Records of other games, such as those of `play` and `convert`, make a page of games without results. They
/// have no field "arena", and no file has both.
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
    let name = args.files.iter().filter_map(|path| path.file_name());
    let name = name.map(|name| name.display().to_string()).collect::<Vec<_>>().join(", ");
    let mut is_of_arena = false;
    for path in &args.files {
        is_of_arena |= !records::are_of_others(path)?;
    }
    let (page, shown) = if is_of_arena {
        let mut files = Vec::new();
        for path in &args.files {
            files.push((path.display().to_string(), tournament::read_games(path, games)?));
        }
        // The games of one file are in its order, as `serve` shows them.
        let of_one = (files.len() == 1).then(|| files[0].1.clone());
        let merged = tournament::merge(files)?;
        let records = of_one.unwrap_or(merged);
        page(&name, records.clone(), Standings::of(&records, games).summary(None), args, games)?
    } else {
        let mut records = Vec::new();
        for path in &args.files {
            records.extend(records::read(path, games)?);
        }
        page(&name, records, Standings::of(&[], games).summary(None), args, games)?
    };
    match &args.out {
        None => out.write_all(page.as_bytes())?,
        Some(path) => {
            replace(path, page.as_bytes())?;
            writeln!(out, "{} has the report; games: {shown}", path.display())?;
        }
    }
    Ok(Status::Done)
}

/// Returns the page of these records, and the number of the games that it shows.
fn page<R: Record>(
    name: &str,
    records: Vec<R>,
    summary: ArenaResults,
    args: &Args,
    games: &Registry,
) -> anyhow::Result<(String, usize)> {
    if records.is_empty() {
        bail!("there is no game in {}", names(&args.files));
    }
    let shown = shown(records, games);
    if shown.is_empty() {
        bail!("there is no game to show in {}: {SHOWN}", names(&args.files));
    }
    Ok((quintet_page::report(name, &shown, summary, games)?, shown.len()))
}

/// Which games a page shows, in words.
const SHOWN: &str =
    "a page shows games of two sides that share the score, without chance and simultaneous moves";

/// Returns the games that a page shows, and tells which it does not.
fn shown<R: Record>(records: Vec<R>, games: &Registry) -> Vec<R> {
    let is_shown = |it: &R| {
        let (game, rules) = it.names();
        let game = games.find(game, Some(rules));
        game.is_ok_and(|it| {
            it.is_for_two_sides() && !it.kind.has_chance() && !it.kind.has_simultaneous_moves()
        })
    };
    let (shown, others): (Vec<_>, Vec<_>) = records.into_iter().partition(is_shown);
    let others: BTreeSet<String> =
        others.iter().map(Record::names).map(|(game, rules)| format!("{game} {rules}")).collect();
    for game in others.iter().filter(|_| !shown.is_empty()) {
        note(format!("{game} is in the results alone: {SHOWN}"));
    }
    shown
}

/// Whether a file begins as a file of games does.
fn has_games(path: &Path) -> bool {
    const START: &[u8] = br#"{"game""#;
    input::first_bytes(path, START.len()).is_ok_and(|start| start == START)
}
