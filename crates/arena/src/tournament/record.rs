//! Game records checked against the rules.

use std::fmt::Display;

use quintet_core::Quoted;
use quintet_core::game::{MAX_SCORE, Outcome, Side};
use quintet_core::registry::{Registry, Variant};
use quintet_core::session::Session;
use quintet_protocol::{End, GameRecord};

use super::adjudication::Adjudication;
use super::schedule::seed_of;
use super::seating::Seating;
use crate::engine::check_name;

fn wrong(field: &str, reason: impl Display) -> String {
    format!("{field}: {reason}")
}

/// Checks that a record is of the rules that its game has here, as those of a file may be others: `theirs` is the
/// fingerprint that it names.
///
/// # Errors
/// Both fingerprints, if they differ.
pub fn check_rulesheet(game: &Variant, theirs: Option<&str>) -> Result<(), String> {
    let ours = game.rulesheet.as_deref();
    if theirs == ours {
        return Ok(());
    }
    let [theirs, ours] = [theirs, ours].map(|it| it.map_or("none".to_owned(), |it| Quoted(it).to_string()));
    Err(format!("fingerprint of the rulesheet {}: {theirs} in the record, {ours} here", game.game))
}

/// The game of a record with this fingerprint of a rulesheet, if any.
///
/// # Errors
/// The known names, if there is no such game.
pub fn game_of(
    registry: &Registry,
    game: &str,
    rules: Option<&str>,
    rulesheet: Option<&str>,
) -> Result<Variant, String> {
    let hint = match rulesheet {
        Some(_) if registry.game(game).is_err() => {
            "; it was played by a rulesheet: add --rulesheet NAME=FILE"
        }
        _ => "",
    };
    registry.find(game, rules).map_err(|error| format!("{error}{hint}"))
}

/// Checks a record of the arena: replays its game, and compares the engines and the seed with those
/// of its match.
///
/// # Errors
/// What is wrong with it.
pub fn check_game(record: &GameRecord, registry: &Registry) -> Result<Variant, String> {
    let game = game_of(registry, &record.game, Some(&record.rules), record.arena.rulesheet.as_deref())?;
    let engines = check(record, &game)?;
    let mut expected: Vec<&str> = record.arena.engines.keys().map(String::as_str).collect();
    expected.sort_unstable();
    let is_right = match &engines[..] {
        // Of two engines, one at a time plays a game for one player.
        [alone] => expected.len() == 2 && expected.contains(&alone.as_str()),
        _ => expected == engines,
    };
    if !is_right {
        let quoted = |names: Vec<&str>| names.iter().map(|it| Quoted(it).to_string()).collect::<Vec<_>>();
        let engines = quoted(engines.iter().map(String::as_str).collect()).join(" and ");
        let expected = quoted(expected).join(" and ");
        return Err(wrong("seats", format!("{engines}, but the engines of the match are {expected}")));
    }
    let seating = Seating::of(&game, &record.arena, &record.seats);
    let number = Seating::group(&game).into_iter().position(|it| Some(it) == seating);
    let number = number.ok_or_else(|| wrong("seats", "no game of a match has them"))?;
    let seed = seed_of(record, &game, number);
    if record.seed != seed {
        return Err(wrong("seed", format!("{}, but this game of the arena has {seed}", record.seed)));
    }
    Ok(game)
}

/// Checks a record, gives it the ruleset's own name, and its seats the order of the roles.
pub(super) fn checked(mut record: GameRecord, registry: &Registry) -> Result<GameRecord, String> {
    let game = check_game(&record, registry)?;
    record.rules = game.rules.to_string();
    record.seats.sort_by_key(|name, _| game.roles.iter().position(|role| role.name == *name));
    Ok(record)
}

/// Replays the game of a record and checks all that follows from it. Returns the engines of its sides in alphabetical
/// order, each once.
pub(super) fn check(record: &GameRecord, game: &Variant) -> Result<Vec<String>, String> {
    check_rulesheet(game, record.arena.rulesheet.as_deref())?;
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
    if let Some(name) = record.arena.models.keys().find(|name| !record.arena.engines.contains_key(*name)) {
        return Err(wrong("arena.models", format!("{} is no engine of the match", Quoted(name))));
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
    let sides = game.sides();
    let may_score = |score| {
        end.is_independent() && score <= MAX_SCORE
            || sides.iter().any(|&side| end.scores().of(side).contains(score))
    };
    for (index, thought) in record.thoughts.iter().enumerate() {
        if thought.as_ref().and_then(|it| it.proven).is_some_and(|proven| !may_score(proven)) {
            let reason = format!("entry {}: the game can't end with what is proven", index + 1);
            return Err(wrong("thoughts", reason));
        }
    }

    let engine = |&side: &Side| {
        let of_side = game.roles.iter().filter(|role| role.side == side);
        let mut names: Vec<&str> = of_side.map(|role| record.seats[&*role.name].as_str()).collect();
        names.dedup();
        names.join(" + ")
    };
    let mut engines: Vec<String> = sides.iter().map(engine).collect();
    engines.sort_unstable();
    engines.dedup();
    if engines.len() < sides.len().min(2) {
        return Err(wrong("seats", format!("{} plays against itself", Quoted(&engines[0]))));
    }
    check_end(record, game, &*end)?;
    Ok(engines)
}

/// Checks the end of a game and its scores by the position after its last move.
fn check_end(record: &GameRecord, game: &Variant, end: &dyn Session) -> Result<(), String> {
    let scores = || game.roles.iter().map(|role| (role, record.scores[&*role.name]));
    match (record.end, end.outcome()) {
        (End::Rules, None) => return Err(wrong("end", "the game goes on after these moves, by its rules")),
        (End::Rules, Some(outcome)) => {
            if let Some((role, score)) = scores().find(|(role, score)| outcome.score(role.side) != *score) {
                let (role, by_rules) = (&role.name, outcome.score(role.side));
                return Err(wrong("scores", format!("by the rules {role} has {by_rules}, not {score}")));
            }
        }
        (_, Some(_)) => return Err(wrong("end", "the game is over after these moves, by its rules")),
        (End::Adjudication, None) if !game.is_for_two_sides() => {
            return Err(wrong("end", "engines agree on results only where two sides share the score"));
        }
        (End::Adjudication, None) => {
            let outcome = adjudicated(record, game).map_err(|reason| wrong("arena", reason))?;
            let is_it = |outcome: Outcome| scores().all(|(role, score)| outcome.score(role.side) == score);
            if !outcome.is_some_and(is_it) {
                return Err(wrong("end", "the engines do not agree on this result"));
            }
        }
        (_, None) => {
            let has_lost = |loser: &String| {
                scores().all(|(role, score)| {
                    score == if record.seats[&*role.name] == *loser { 0 } else { MAX_SCORE }
                })
            };
            if !record.seats.values().any(has_lost) {
                let reason = "an engine lost by a fault, so it has 0, and the other one 100";
                return Err(wrong("scores", reason));
            }
            if record.fault.is_none() {
                return Err(wrong("fault", "missing, but an engine lost by one"));
            }
        }
    }
    Ok(())
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
