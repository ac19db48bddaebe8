//! `replay`: recorded games, ply by ply.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A game to replay, finished or not. Other fields are ignored, so that an arena's records can be
/// read.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReplayRecord {
    /// The game's name.
    pub game: String,
    /// The ruleset's name, or `standard` for the one that people know; the game's default if left
    /// out.
    pub rules: Option<String>,
    /// The position string to start from; the start position if left out.
    pub position: Option<String>,
    /// The tokens of the moves played from there, the first one first.
    pub moves: Vec<String>,
    /// The fingerprint of the rulesheet that the game was played by, which has to be that of its game here; not
    /// compared if left out.
    pub rulesheet: Option<String>,
}

/// A record with all that its line says.
#[derive(Debug, Clone, Serialize)]
pub struct AnyRecord {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The position string to start from; left out if that is the start position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The tokens of the moves played from there.
    pub moves: Vec<String>,
    /// The other fields.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// What `replay --json` says about a record.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum ReplayLine {
    /// The record is right.
    Right(Replayed),
    /// The record is wrong.
    Wrong(WrongReplay),
}

/// A record that is right.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Replayed {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// Always true.
    pub ok: bool,
    /// The state before each move, and the one after the last: one more than there are moves. With
    /// the moves counted from 0, step *k* is the state before move *k*.
    pub steps: Vec<Step>,
}

/// The state of a game at one moment.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    /// The name of the role to move; null once the game is over.
    pub to_move: Option<String>,
    /// The tokens of the legal moves, sorted bytewise; none once the game is over.
    pub legal: Vec<String>,
    /// Whether the game is over.
    pub terminal: bool,
    /// The score of each role here, by its name, 0 to 100. While a game goes on this is no
    /// estimate: it is 0 for all in Quarto and Pentago, 50 for all in Qubic and Gomoku, and in KRK
    /// 100 for black.
    pub scores: IndexMap<String, u8>,
}

/// A record that is wrong.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct WrongReplay {
    /// Always false.
    pub ok: bool,
    /// What is wrong.
    pub error: ReplayError,
}

/// What is wrong with a record.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ReplayError {
    /// The number of the record's line in the input, from 1.
    pub line: usize,
    /// The number of the wrong move in `moves`, from 1; left out if no move is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// The token of the wrong move; left out if no move is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// What is wrong, in words for people.
    pub message: String,
}
