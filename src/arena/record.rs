//! The record of a game, as one JSON line.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::catalog::GameId;
use crate::game::Outcome;
use crate::games::Rules;

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// By the rules of the game.
    Rules,
}

/// One finished game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GameRecord {
    /// The game's place in the tournament's schedule, from 0.
    pub id: usize,
    /// The game.
    #[serde(serialize_with = "as_text")]
    pub game: GameId,
    /// Its ruleset.
    #[serde(serialize_with = "as_text")]
    pub rules: Rules,
    /// The first moves, which were drawn and not chosen by an engine.
    pub opening: Vec<String>,
    /// All moves from the start position, the opening included.
    pub moves: Vec<String>,
    /// Who had which role: role to engine name.
    pub seats: Map<String, Value>,
    /// The final score of each role.
    pub scores: Map<String, Value>,
    /// Seeds the engines' random streams of this game.
    pub seed: u64,
    /// Why the game ended.
    pub end: End,
    /// How it ended, for the two sides.
    #[serde(skip)]
    pub outcome: Outcome,
}

fn as_text<S: serde::Serializer>(value: &impl ToString, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&value.to_string())
}
