//! A game of a report: a record checked against the rules.

use quintet_core::game::{SetUpError, Side};
use quintet_core::registry::{Registry, UnknownName, Variant};
use quintet_protocol::{End, GameRecord};

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

/// A valid record, with values that reports use often.
#[derive(Debug)]
pub(super) struct CheckedGame {
    pub(super) record: GameRecord,
    pub(super) game: Variant,
    /// The engines of the first and the second side.
    pub(super) engines: [String; 2],
    /// The half points of the first side: 0, 1 or 2.
    pub(super) half_points: u8,
}

impl CheckedGame {
    pub(super) fn new(record: GameRecord, games: &Registry) -> Result<Self, WrongRecord> {
        let game = games.find(&record.game, Some(&record.rules))?;
        let (engines, half_points) = check(&record, game)?;
        Ok(Self { record, game, engines, half_points })
    }

    /// Returns the half points of the engine on the first side (0) or the second (1).
    pub(super) fn half_points_of(&self, seat: usize) -> u8 {
        if seat == 0 { self.half_points } else { 2 - self.half_points }
    }

    /// Returns the number of plies.
    pub(super) fn plies(&self) -> usize {
        self.record.moves.len()
    }
}

/// Checks a record, and returns the engines of both sides and the half points of the first side.
fn check(record: &GameRecord, game: Variant) -> Result<([String; 2], u8), WrongRecord> {
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
    if record.end == End::Rules {
        let Some(outcome) = end.outcome() else {
            return Err(wrong("end", "the game goes on after these moves, by its rules"));
        };
        let points = outcome.half_points(Side::First);
        if points != first / 50 {
            return Err(wrong("scores", format!("by the rules {role} has {}, not {first}", points * 50)));
        }
    }
    Ok((engines, first / 50))
}
