//! `quintet convert`

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::ValueEnum;
use quintet_analysis::convert::{GameReader, TextFormat, file_game, write};
use quintet_core::registry::{Registry, Variant};
use quintet_protocol::ConvertedGame;

use super::flags::RULES;
use super::output::{counted, error, note};
use super::{Status, input};

/// Make records of games of Gomoku in the formats of other programs, and back
///
/// Reads Piskvork's .psq, SGF of Gomoku (of variations the main line), cells such as f6g7e6 (one game
/// a line) and records, and tells them apart by their content. Writes records, one JSON object a line, or one
/// of those formats. A file may have several games.
///
/// The other formats have stones alone, black first. The choice of colors that swap2 asks for is put in before
/// the fourth stone, as the pick after which white moves: white under ggp, black under spec. Refused are other
/// boards than 11×11, stones on taken cells, passes, moves after the end, and colors that do not alternate. Each
/// refused game is named with its line and move, the others are converted, and the exit status is then 1.
/// docs/convert.md tells more.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} convert game.psq > games.jsonl\n  \
                        {name} convert games.jsonl --to sgf")]
pub(crate) struct Args {
    /// The games, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// What to write
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = To::Jsonl)]
    to: To,
    /// The ruleset of games whose file does not name it, or standard for the one that people know [default:
    /// standard]
    #[arg(long = "rules", id = RULES)]
    rules: Option<String>,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum To {
    /// Records, one JSON object a line
    Jsonl,
    /// Piskvork's .psq
    Psq,
    /// SGF
    Sgf,
    /// Cells, one game a line
    Cells,
}

impl To {
    fn written(self, game: &ConvertedGame, variant: &Variant) -> Result<String, String> {
        let format = match self {
            Self::Jsonl => {
                return serde_json::to_string(game).map(|it| it + "\n").map_err(|error| error.to_string());
            }
            Self::Psq => TextFormat::Psq,
            Self::Sgf => TextFormat::Sgf,
            Self::Cells => TextFormat::Cells,
        };
        write(game, variant, format)
    }
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    input::check_stdin(&args.files)?;
    let variant = file_game(games, args.rules.as_deref())?;
    let (mut converted, mut refused) = (0, 0);
    for path in &args.files {
        let [more, wrong] = convert(path, &variant, args.to, games, out)?;
        converted += more;
        refused += wrong;
    }
    if refused == 0 {
        return Ok(Status::Done);
    }
    out.flush()?;
    note(format!("{} converted, {refused} refused", counted(converted, "game")));
    Ok(Status::FoundWrong)
}

/// Converts the games of a file. Returns the numbers of games converted and refused.
fn convert(
    path: &Path,
    variant: &Variant,
    to: To,
    games: &Registry,
    out: &mut dyn Write,
) -> anyhow::Result<[u64; 2]> {
    let name = path.display();
    let failed = || format!("can't read {name}");
    let reader = GameReader::new(input::open(path)?, variant.clone(), games).with_context(failed)?;
    let mut reader = reader.map_err(|unknown| anyhow!("{name}: {unknown}"))?;
    let (mut converted, mut refused) = (0, 0);
    while let Some(game) = reader.next_game().with_context(failed)? {
        let written = game.map_err(|refused| refused.to_string()).and_then(|game| {
            let variant = games.find(&game.record.game, Some(&game.record.rules));
            let variant = variant.map_err(|error| error.to_string())?;
            let text = to.written(&game.record, &variant);
            text.map(|text| (text, game.line, game.variations))
                .map_err(|error| format!("line {}, {error}", game.line))
        });
        match written {
            Ok((text, line, variations)) => {
                out.write_all(text.as_bytes())?;
                if variations > 0 {
                    let count = counted(variations as u64, "variation");
                    note(format!("{name}, line {line}: the main line is converted, {count} left out"));
                }
                converted += 1;
            }
            Err(wrong) => {
                error(&anyhow!("{name}, {wrong}"));
                refused += 1;
            }
        }
    }
    Ok([converted, refused])
}
