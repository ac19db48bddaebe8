//! `quintet replay`

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;

use anyhow::Context as _;
use quintet::catalog::{GameId, Visitor};
use quintet::game::{MoveList, Notation, PositionError};
use quintet::games::{Rules, UnknownName};
use quintet::knowledge::Known;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::output::{WRONG, styled, thousands};
use super::{Status, answer, lines};

/// Check recorded games against the rules
///
/// A record is one JSON object a line, with "game" and "moves" (an array of tokens), and "rules" (spec if
/// left out) and "position" (to start from) where wanted; other fields are ignored, so the files that
/// `quintet arena --out` writes can be read. Exit status 1 if a record is wrong; the others are checked all
/// the same.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The records, or - for standard input
    file: PathBuf,
    /// Print one JSON object for each record: the legal moves, who is to move and the scores at every ply
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Deserialize)]
struct Record {
    game: String,
    rules: Option<String>,
    position: Option<String>,
    moves: Vec<String>,
}

/// What is wrong with a record.
#[derive(Debug, Default)]
struct Wrong {
    ply: Option<usize>,
    token: Option<String>,
    message: String,
}

impl From<String> for Wrong {
    fn from(message: String) -> Self {
        Self { message, ..Self::default() }
    }
}

impl From<UnknownName> for Wrong {
    fn from(error: UnknownName) -> Self {
        error.to_string().into()
    }
}

impl From<PositionError> for Wrong {
    fn from(error: PositionError) -> Self {
        error.to_string().into()
    }
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Status> {
    let name = args.file.display();
    let is_stdin = args.file.as_os_str() == "-";
    let mut input: Box<dyn BufRead> = if is_stdin {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(&args.file).with_context(|| format!("can't open {name}"))?;
        Box::new(BufReader::new(file))
    };
    let (mut right, mut wrong, mut plies) = (0_u64, 0_u64, 0_u64);
    for number in 1.. {
        let Some(line) = lines::next(&mut *input).with_context(|| format!("can't read {name}"))? else {
            break;
        };
        match line.map_err(Wrong::from).and_then(|line| check(&line)) {
            Ok(replayed) => {
                right += 1;
                plies += replayed.plies as u64;
                if args.json {
                    writeln!(out, "{}", replayed.json)?;
                } else {
                    writeln!(out, "line {number}: {}", replayed.text)?;
                }
            }
            Err(error) => {
                wrong += 1;
                if args.json {
                    writeln!(out, "{}", error.json(number))?;
                } else {
                    let ply = error.ply.map_or(String::new(), |ply| format!("ply {ply}: "));
                    writeln!(out, "line {number}: {}: {ply}{}", styled(WRONG, "WRONG"), error.message)?;
                }
            }
        }
        if is_stdin {
            // Whoever writes the lines may wait for the answers.
            out.flush()?;
        }
    }
    if !args.json {
        let (right, wrong, plies) = (thousands(right), thousands(wrong), thousands(plies));
        writeln!(out, "records: {right} right, {wrong} wrong; plies checked: {plies}")?;
    }
    Ok(if wrong == 0 { Status::Done } else { Status::FoundWrong })
}

impl Wrong {
    fn json(&self, line: usize) -> Value {
        let mut error = Map::from_iter([("line".to_owned(), json!(line))]);
        if let Some(ply) = self.ply {
            error.insert("ply".into(), ply.into());
        }
        if let Some(token) = &self.token {
            error.insert("token".into(), token.as_str().into());
        }
        error.insert("message".into(), self.message.as_str().into());
        json!({ "ok": false, "error": error })
    }
}

fn check(line: &[u8]) -> Result<Replayed, Wrong> {
    let record: Record = lines::read(lines::object(line)?)?;
    let game: GameId = record.game.parse()?;
    let rules: Rules = record.rules.as_deref().map_or(Ok(Rules::Spec), str::parse)?;
    game.visit(rules, Replay { record: &record, game, rules })
}

struct Replay<'a> {
    record: &'a Record,
    game: GameId,
    rules: Rules,
}

/// A record that is right.
struct Replayed {
    plies: usize,
    json: Value,
    text: String,
}

impl Visitor for Replay<'_> {
    type Output = Result<Replayed, Wrong>;

    fn visit<G: Known>(self) -> Self::Output {
        let Self { record, game, rules } = self;
        let mut position: G = record.position.as_deref().map_or_else(|| Ok(G::initial()), str::parse)?;
        let mut steps = vec![step(&position)];
        for (index, token) in record.moves.iter().enumerate() {
            let mv = position.parse_move(token).map_err(|error| Wrong {
                ply: Some(index + 1),
                token: Some(token.clone()),
                message: error.to_string(),
            })?;
            position.apply(mv);
            steps.push(step(&position));
        }
        let plies = record.moves.len();
        let scores: Vec<String> =
            answer::scores(&position).iter().map(|(role, score)| format!("{role} {score}")).collect();
        let end = if position.outcome().is_some() { "ended" } else { "goes on" };
        Ok(Replayed {
            plies,
            json: json!({ "game": game.name(), "rules": rules.name(), "ok": true, "steps": steps }),
            text: format!("{game} {rules}, {plies} plies, {end}: {}", scores.join(", ")),
        })
    }
}

fn step<G: Notation>(position: &G) -> Value {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut legal: Vec<String> = moves.iter().map(ToString::to_string).collect();
    legal.sort_unstable();
    let terminal = position.outcome().is_some();
    let to_move = (!terminal).then(|| G::ROLES[position.role_to_move()].name);
    json!({ "to_move": to_move, "legal": legal, "terminal": terminal, "scores": answer::scores(position) })
}
