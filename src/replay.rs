//! `quintet replay`

use std::io::{BufRead, Write};
use std::path::PathBuf;

use anyhow::Context as _;
use quintet_core::registry::Registry;
use quintet_protocol::{ReplayLine, WrongReplay};

use super::output::{WRONG, counted, styled, thousands, wrapped};
use super::{Status, input};

/// Check recorded games against the rules
///
/// A record is one JSON object per line with "game", "moves" (an array of tokens) and, optionally,
/// "rules" (by default the game's first) and "position" (by default the start position). A record
/// of `arena --out` has a field "arena"; its engines, scores and seed are checked too. A record with
/// the fingerprint of a rulesheet is checked against that of the file here. Other fields are ignored.
/// All records are checked; each wrong one is listed, and the exit status is then 1.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The records, or - for standard input
    file: PathBuf,
    /// Print one JSON object per record: the legal moves, the role to move and the scores at every
    /// ply
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    let name = args.file.display();
    let is_stdin = args.file.as_os_str() == "-";
    replay(&mut *input::open(&args.file)?, &name.to_string(), args.json, is_stdin, games, out)
}

/// Replays the records of `input`, which is called `name`. With `at_once`, each answer is flushed.
pub(crate) fn replay(
    input: &mut dyn BufRead,
    name: &str,
    json: bool,
    at_once: bool,
    games: &Registry,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let (mut right, mut wrong, mut plies) = (0_u64, 0_u64, 0_u64);
    for number in 1.. {
        let Some(line) = quintet_protocol::next_line(input).with_context(|| format!("can't read {name}"))?
        else {
            break;
        };
        match quintet_analysis::replayed(line, number, games) {
            Ok(replayed) => {
                right += 1;
                plies += replayed.steps.len() as u64 - 1;
                if json {
                    writeln!(out, "{}", serde_json::to_string(&ReplayLine::Right(replayed))?)?;
                }
            }
            Err(error) => {
                wrong += 1;
                if json {
                    let line = ReplayLine::Wrong(WrongReplay { ok: false, error });
                    writeln!(out, "{}", serde_json::to_string(&line)?)?;
                } else {
                    let ply = error.ply.map_or(String::new(), |ply| format!("ply {ply}: "));
                    let text = format!("line {number}: {}: {ply}{}", styled(WRONG, "WRONG"), error.message);
                    writeln!(out, "{}", wrapped(&text))?;
                }
            }
        }
        if at_once {
            // The writer of the records may wait for the answers.
            out.flush()?;
        }
    }
    if !json {
        let (games, plies) = (counted(right + wrong, "game"), thousands(plies));
        let result = match (right, wrong) {
            (_, 0) => "all correct".to_owned(),
            (right, wrong) => {
                let wrong = styled(WRONG, format!("{} wrong", thousands(wrong)));
                format!("{} correct, {wrong}", thousands(right))
            }
        };
        writeln!(out, "{games}, {result}; plies checked: {plies}")?;
    }
    Ok(if wrong == 0 { Status::Done } else { Status::FoundWrong })
}
