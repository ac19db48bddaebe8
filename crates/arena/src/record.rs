//! Game records checked against the rules.

use quintet_core::game::{SetUpError, Side};
use quintet_core::registry::{UnknownName, Variant};
use quintet_protocol::{End, GameRecord};

use crate::engine::check_name;

/// An error in a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongRecord {
    /// The game or its ruleset is unknown.
    #[error(transparent)]
    Game(#[from] UnknownName),
    /// The start position or a move is wrong.
    #[error(transparent)]
    Moves(#[from] SetUpError),
    /// Another field is wrong.
    #[error("{field}: {reason}")]
    Field {
        /// The field's name.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

fn wrong(field: &'static str, reason: impl Into<String>) -> WrongRecord {
    WrongRecord::Field { field, reason: reason.into() }
}

/// Replays the game of a record and checks all that follows from it. Returns the engines of both
/// sides and the half points of the first side.
pub(crate) fn check(record: &GameRecord, game: Variant) -> Result<([String; 2], u8), WrongRecord> {
    let roles = || game.roles.iter().map(|role| role.name);
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
    for name in record.seats.values().chain(record.arena.engines.keys()) {
        check_name(name).map_err(|reason| wrong("seats", reason))?;
    }
    if !record.moves.starts_with(&record.opening) {
        return Err(wrong("opening", "these are not the first moves of the game"));
    }
    let end = game.set_up(record.position.as_deref(), record.moves.iter().map(String::as_str))?;

    let engines = [Side::First, Side::Second].map(|side| {
        let of_side = game.roles.iter().filter(|role| role.side == side);
        let mut names: Vec<&str> = of_side.map(|role| record.seats[role.name].as_str()).collect();
        names.dedup();
        names.join(" + ")
    });
    if engines[0] == engines[1] {
        return Err(wrong("seats", format!("{:?} plays against itself", engines[0])));
    }

    let role = game.roles[0].name;
    let first = record.scores[role];
    let expected = |side| if side == Side::First { first } else { 100_u8.wrapping_sub(first) };
    if ![0, 50, 100].contains(&first)
        || game.roles.iter().any(|role| record.scores[role.name] != expected(role.side))
    {
        return Err(wrong("scores", "not 100 and 0, 50 and 50, or 0 and 100 for the two sides"));
    }
    match (record.end, end.outcome()) {
        (End::Rules, None) => return Err(wrong("end", "the game goes on after these moves, by its rules")),
        (End::Rules, Some(outcome)) => {
            let points = outcome.half_points(Side::First);
            if points != first / 50 {
                let reason = format!("by the rules {role} has {}, not {first}", points * 50);
                return Err(wrong("scores", reason));
            }
        }
        (_, Some(_)) => return Err(wrong("end", "the game is over after these moves, by its rules")),
        (_, None) => {}
    }
    Ok((engines, first / 50))
}
