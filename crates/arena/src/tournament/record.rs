//! Game records checked against the rules.

use std::fmt::Display;

use quintet_core::Quoted;
use quintet_core::game::{Outcome, Side};
use quintet_core::registry::{Registry, Variant};
use quintet_protocol::{End, GameRecord};

use super::adjudication::Adjudication;
use super::schedule::seed_of;
use crate::engine::check_name;

fn wrong(field: &str, reason: impl Display) -> String {
    format!("{field}: {reason}")
}

/// Checks a record of the arena: replays its game, and compares the engines and the seed with those
/// of its match.
///
/// # Errors
/// What is wrong with it.
pub fn check_game(record: &GameRecord, registry: &Registry) -> Result<Variant, String> {
    let game = registry.find(&record.game, Some(&record.rules)).map_err(|error| error.to_string())?;
    let engines = check(record, &game)?;
    let mut expected: Vec<&str> = record.arena.engines.keys().map(String::as_str).collect();
    let mut engines = engines.each_ref().map(String::as_str);
    expected.sort_unstable();
    engines.sort_unstable();
    if expected != engines {
        let quoted = |names: &[&str]| names.iter().map(|it| Quoted(it).to_string()).collect::<Vec<_>>();
        let (engines, expected) = (quoted(&engines).join(" and "), quoted(&expected).join(" and "));
        return Err(wrong("seats", format!("{engines}, but the engines of the match are {expected}")));
    }
    let seed = seed_of(record, &game);
    if record.seed != seed {
        return Err(wrong("seed", format!("{}, but this game of the arena has {seed}", record.seed)));
    }
    Ok(game)
}

/// Checks a record and gives it the ruleset's own name.
pub(super) fn checked(mut record: GameRecord, registry: &Registry) -> Result<GameRecord, String> {
    let game = check_game(&record, registry)?;
    record.rules = game.rules.to_string();
    Ok(record)
}

/// Replays the game of a record and checks all that follows from it. Returns the engines of both
/// sides.
pub(super) fn check(record: &GameRecord, game: &Variant) -> Result<[String; 2], String> {
    let roles = || game.roles.iter().map(|role| &*role.name);
    let names = roles().collect::<Vec<_>>().join(", ");
    for (field, count) in [("seats", record.seats.len()), ("scores", record.scores.len())] {
        let has = |role: &str| match field {
            "seats" => record.seats.contains_key(role),
            _ => record.scores.contains_key(role),
        };
        if count != game.roles.len() || !roles().all(has) {
            return Err(wrong(field, format!("expected the roles {names}")));
        }
    }
    let names = [
        ("seats", record.seats.values().collect::<Vec<_>>()),
        ("arena", record.arena.engines.keys().collect()),
    ];
    for (field, names) in names {
        for name in names {
            check_name(name).map_err(|reason| wrong(field, reason))?;
        }
    }
    if u32::try_from(record.pair).is_err() {
        return Err(wrong("pair", format!("{} is out of range", record.pair)));
    }
    if !record.moves.starts_with(&record.opening) {
        return Err(wrong("opening", "these are not the first moves of the game"));
    }
    if let Some(name) = record.times.keys().find(|name| !record.seats.values().any(|it| it == *name)) {
        return Err(wrong("times", format!("{} does not play", Quoted(name))));
    }
    if !record.thoughts.is_empty() && record.thoughts.len() != record.moves.len() {
        let (thoughts, moves) = (record.thoughts.len(), record.moves.len());
        return Err(wrong("thoughts", format!("{thoughts}, but there are {moves} moves")));
    }
    for (index, thought) in record.thoughts.iter().enumerate() {
        let Some(thought) = thought else { continue };
        if thought.value.is_some_and(|value| !(0.0..=100.0).contains(&value)) {
            return Err(wrong("thoughts", format!("entry {}: the value is not from 0 to 100", index + 1)));
        }
    }
    let end = game.set_up(record.position.as_deref(), record.moves.iter().map(String::as_str));
    let end = end.map_err(|error| error.to_string())?;
    let may_score =
        |score| [Side::First, Side::Second].iter().any(|&side| end.scores().of(side).contains(score));
    for (index, thought) in record.thoughts.iter().enumerate() {
        if thought.as_ref().and_then(|it| it.proven).is_some_and(|proven| !may_score(proven)) {
            let reason = format!("entry {}: the game can't end with what is proven", index + 1);
            return Err(wrong("thoughts", reason));
        }
    }

    let engines = [Side::First, Side::Second].map(|side| {
        let of_side = game.roles.iter().filter(|role| role.side == side);
        let mut names: Vec<&str> = of_side.map(|role| record.seats[&*role.name].as_str()).collect();
        names.dedup();
        names.join(" + ")
    });
    if engines[0] == engines[1] {
        return Err(wrong("seats", format!("{} plays against itself", Quoted(&engines[0]))));
    }

    let role = &*game.roles[0].name;
    let first = record.scores[role];
    let expected = |side| if side == Side::First { first } else { 100_u8.wrapping_sub(first) };
    // Whoever is at fault gets nothing.
    if ![0, 50, 100].contains(&first) && !end.scores().contains(first)
        || game.roles.iter().any(|role| record.scores[&*role.name] != expected(role.side))
    {
        return Err(wrong(
            "scores",
            "not scores with which the game may end, or not 100 for the two sides together",
        ));
    }
    match (record.end, end.outcome()) {
        (End::Rules, None) => return Err(wrong("end", "the game goes on after these moves, by its rules")),
        (End::Rules, Some(outcome)) => {
            let score = outcome.score(Side::First);
            if score != first {
                let reason = format!("by the rules {role} has {score}, not {first}");
                return Err(wrong("scores", reason));
            }
        }
        (End::Adjudication, None) => {
            let outcome = adjudicated(record, game).map_err(|reason| wrong("arena", reason))?;
            if outcome.map(|it| it.score(Side::First)) != Some(first) {
                return Err(wrong("end", "the engines do not agree on this result"));
            }
        }
        (_, Some(_)) => return Err(wrong("end", "the game is over after these moves, by its rules")),
        (_, None) if first == 50 => {
            return Err(wrong("scores", "a draw, but an engine lost by a fault"));
        }
        (_, None) if record.fault.is_none() => {
            return Err(wrong("fault", "missing, but an engine lost by one"));
        }
        (_, None) => {}
    }
    Ok(engines)
}

/// Returns how the game of a record, whose moves are legal, ends by the agreement of the engines.
fn adjudicated(record: &GameRecord, game: &Variant) -> Result<Option<Outcome>, String> {
    let read = |text: &Option<String>| text.as_deref().map(str::parse).transpose();
    let adjudication = Adjudication { resign: read(&record.arena.resign)?, draw: read(&record.arena.draw)? };
    let mut session = game.start();
    session.reset(record.position.as_deref()).map_err(|error| error.to_string())?;
    let mut sides = Vec::new();
    for token in &record.moves {
        sides.extend(session.to_move().map(|role| role.side));
        session.play(token).map_err(|error| error.to_string())?;
    }
    Ok(adjudication.outcome(&sides, &record.thoughts))
}
