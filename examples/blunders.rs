//! How much the moves of engines give away: the table of `docs/levels.md`.
//!
//! ```console
//! $ cargo run --release --example blunders -- FOLDER/games/*.jsonl
//! ```
//!
//! Reads the records of `arena --out` or `bench strength --out`. Of the moves of each engine in each game and ruleset it
//! takes some, spread evenly, and searches the positions before and after. What the value of the side that moved falls by
//! is the loss. The table has, for each engine, the share of its moves with losses of each grade. It takes some minutes.

#![expect(clippy::print_stdout, reason = "that is what an example is for")]

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::atomic::AtomicBool;
use std::{env, fs};

use quintet_arena::engine::{EngineSpec, Settings};
use quintet_core::game::Side;
use quintet_core::registry::Registry;
use quintet_core::session::Session;
use quintet_protocol::{GRADES, GameRecord};
use rayon::prelude::*;

/// The moves of an engine that are judged in a game under a ruleset.
const MOVES: usize = 120;
/// The engine that judges.
const JUDGE: &str = "quintet:iterations=10000,threads=1";

/// A move in a record.
type Place<'a> = (&'a GameRecord, usize);

fn main() -> Result<(), Box<dyn Error>> {
    let games = quintet_games::registry();
    let mut records = Vec::new();
    for file in env::args().skip(1) {
        for line in fs::read_to_string(file)?.lines() {
            records.push(serde_json::from_str::<GameRecord>(line)?);
        }
    }
    let mut places: BTreeMap<(&str, &str, &str), Vec<Place<'_>>> = BTreeMap::new();
    for record in &records {
        let variant = games.find(&record.game, Some(&record.rules))?;
        let mut session = variant.start();
        for (ply, mv) in record.moves.iter().enumerate() {
            let role = session.to_move().ok_or("the game goes on after its end")?;
            if ply >= record.opening.len() && session.legal_moves().len() > 1 {
                let engine = record.seats.get(&*role.name).ok_or("a role has no engine")?;
                places.entry((&record.game, &record.rules, engine)).or_default().push((record, ply));
            }
            session.play(mv)?;
        }
    }
    let judged: Vec<_> = places
        .into_par_iter()
        .map(|(key, places)| {
            let step = (places.len() / MOVES).max(1);
            let losses = places.iter().step_by(step).take(MOVES).map(|it| loss(&games, *it));
            (key, losses.collect::<Result<Vec<f64>, String>>())
        })
        .collect();
    println!("| game | rules | engine | moves | mean loss | {} |", GRADES.map(|it| it.name).join(" | "));
    println!("|---|---|---|--:|--:|{}", "--:|".repeat(GRADES.len()));
    for ((game, rules, engine), losses) in judged {
        let losses = losses?;
        let count = losses.len() as f64;
        let mean = losses.iter().sum::<f64>() / count;
        let shares = GRADES.map(|grade| {
            let worse = losses.iter().filter(|loss| **loss >= f64::from(grade.loss)).count();
            format!("{:.0} %", 100.0 * worse as f64 / count)
        });
        println!("| {game} | {rules} | {engine} | {count} | {mean:.1} | {} |", shares.join(" | "));
    }
    Ok(())
}

/// The value of the position for a side, 0 to 100.
fn value(session: &mut dyn Session, side: Side) -> Result<f64, String> {
    if let Some(outcome) = session.outcome() {
        return Ok(outcome.score(side).into());
    }
    session.remove_engines();
    let engine: EngineSpec = JUDGE.parse().expect("it is an engine");
    let (config, budget) = engine.config(&Settings::default()).map_err(|error| error.to_string())?;
    let engine = session.add_engine(&config).map_err(|error| error.to_string())?;
    let report =
        session.think(engine, budget, 0, &AtomicBool::new(false)).map_err(|error| error.to_string())?;
    let value = report.best().value.unwrap_or(50.0);
    let is_own = session.to_move().is_some_and(|role| role.side == side);
    Ok(if is_own { value } else { 100.0 - value })
}

/// What the move at this place gave away, in points.
fn loss(games: &Registry, (record, ply): Place<'_>) -> Result<f64, String> {
    let variant = games.find(&record.game, Some(&record.rules)).map_err(|error| error.to_string())?;
    let moves = record.moves[..ply].iter().map(String::as_str);
    let mut session = variant.set_up(None, moves).map_err(|error| error.to_string())?;
    let side = session.to_move().map_or(Side::First, |role| role.side);
    let before = value(&mut *session, side)?;
    session.play(&record.moves[ply]).map_err(|error| error.to_string())?;
    Ok((before - value(&mut *session, side)?).max(0.0))
}
