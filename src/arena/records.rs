//! Records of games that no arena played.

use std::path::Path;

use anyhow::{Context as _, anyhow};
use quintet_arena::tournament::record::{check_rulesheet, game_of};
use quintet_core::registry::Registry;
use quintet_protocol::{AnyRecord, ReplayRecord, next_line};

use crate::input;

/// Whether a file has records of others than an arena, by its first line.
pub(super) fn are_of_others(path: &Path) -> anyhow::Result<bool> {
    let line =
        next_line(&mut *input::open(path)?).with_context(|| format!("can't read {}", path.display()))?;
    let object = line.and_then(Result::ok).and_then(|line| quintet_protocol::object(&line).ok());
    Ok(object.is_some_and(|it| it.contains_key("moves") && !it.contains_key("arena")))
}

/// Reads records, and checks their games against the rules.
pub(super) fn read(path: &Path, games: &Registry) -> anyhow::Result<Vec<AnyRecord>> {
    let name = path.display();
    let mut input = input::open(path)?;
    let mut records = Vec::new();
    for number in 1.. {
        let Some(line) = next_line(&mut *input).with_context(|| format!("can't read {name}"))? else { break };
        let record = line.and_then(|line| record(&line, games));
        records.push(record.map_err(|error| anyhow!("{name}, line {number}: {error}"))?);
    }
    Ok(records)
}

fn record(line: &[u8], games: &Registry) -> Result<AnyRecord, String> {
    let mut others = quintet_protocol::object(line)?;
    if others.contains_key("arena") {
        return Err("it is a record of an arena, and the first line is none".to_owned());
    }
    let record: ReplayRecord = quintet_protocol::read(others.clone())?;
    let variant = game_of(games, &record.game, record.rules.as_deref(), record.rulesheet.as_deref())?;
    if let Some(theirs) = &record.rulesheet {
        check_rulesheet(&variant, Some(theirs))?;
    }
    let moves = record.moves.iter().map(String::as_str);
    let session = variant.set_up(record.position.as_deref(), moves).map_err(|error| error.to_string())?;
    others.retain(|name, _| !["game", "rules", "position", "moves"].contains(&name.as_str()));
    let (game, rules) = (variant.game.to_string(), variant.rules.to_string());
    Ok(AnyRecord { game, rules, position: record.position, moves: session.moves(), others })
}
