//! A game of a report: its record, checked by the rules.

use crate::arena::{End, GameRecord};
use crate::catalog::Visitor;
use crate::game::{IllegalMove, PositionError, Side};
use crate::knowledge::Known;

/// What is wrong with a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongRecord {
    /// The position it starts from.
    #[error("position: {0}")]
    Position(#[from] PositionError),
    /// A move.
    #[error("ply {ply}: {error}")]
    Move {
        /// The number of the move, from 1.
        ply: usize,
        /// What is wrong with it.
        error: IllegalMove,
    },
    /// Another field.
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

/// A record that is right, and what reports ask of it again and again.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) record: GameRecord,
    /// The engines of the first and the second side.
    pub(super) engines: [String; 2],
    /// The half points of the first side: 0, 1 or 2.
    pub(super) half_points: u8,
}

impl Entry {
    pub(super) fn new(record: GameRecord) -> Result<Self, WrongRecord> {
        let (engines, half_points) = record.game.visit(record.rules, Check(&record))?;
        Ok(Self { record, engines, half_points })
    }

    /// The half points of the engine that has the first side (0) or the second (1).
    pub(super) fn half_points_of(&self, seat: usize) -> u8 {
        if seat == 0 { self.half_points } else { 2 - self.half_points }
    }

    /// The plies played.
    pub(super) fn plies(&self) -> usize {
        self.record.moves.len()
    }
}

struct Check<'a>(&'a GameRecord);

impl Visitor for Check<'_> {
    type Output = Result<([String; 2], u8), WrongRecord>;

    fn visit<G: Known>(self) -> Self::Output {
        let Self(record) = self;
        let roles = || G::ROLES.iter().map(|role| role.name);
        let names = roles().collect::<Vec<_>>().join(", ");
        for (field, count) in [("seats", record.seats.len()), ("scores", record.scores.len())] {
            let has = |role: &str| match field {
                "seats" => record.seats.contains_key(role),
                _ => record.scores.contains_key(role),
            };
            if count != G::ROLES.len() || !roles().all(has) {
                return Err(wrong(field, format!("expected the roles {names}")));
            }
        }
        if !record.moves.starts_with(&record.opening) {
            return Err(wrong("opening", "these are not the first moves of the game"));
        }
        let last = last_position::<G>(record)?;

        let side_of = |side: Side| G::ROLES.iter().filter(move |role| role.side == side);
        let engines = [Side::First, Side::Second].map(|side| {
            let mut names: Vec<&str> = side_of(side).map(|role| record.seats[role.name].as_str()).collect();
            names.dedup();
            names.join(" + ")
        });
        if engines[0] == engines[1] {
            return Err(wrong("seats", format!("{:?} plays against itself", engines[0])));
        }

        let first = record.scores[G::ROLES[0].name];
        let expected = |side| if side == Side::First { first } else { 100_u8.wrapping_sub(first) };
        if ![0, 50, 100].contains(&first)
            || G::ROLES.iter().any(|role| record.scores[role.name] != expected(role.side))
        {
            return Err(wrong("scores", "not 100 and 0, 50 and 50, or 0 and 100 for the two sides"));
        }
        if record.end == End::Rules {
            let Some(outcome) = last.outcome() else {
                return Err(wrong("end", "the game goes on after these moves, by its rules"));
            };
            let points = outcome.half_points(Side::First);
            if points != first / 50 {
                let role = G::ROLES[0].name;
                return Err(wrong("scores", format!("by the rules {role} has {}, not {first}", points * 50)));
            }
        }
        Ok((engines, first / 50))
    }
}

fn last_position<G: Known>(record: &GameRecord) -> Result<G, WrongRecord> {
    let mut position = start::<G>(record)?;
    for (index, token) in record.moves.iter().enumerate() {
        let mv = position.parse_move(token).map_err(|error| WrongRecord::Move { ply: index + 1, error })?;
        position.apply(mv);
    }
    Ok(position)
}

/// Where the game of `record` starts.
pub(super) fn start<G: Known>(record: &GameRecord) -> Result<G, PositionError> {
    record.position.as_deref().map_or_else(|| Ok(G::initial()), str::parse)
}
