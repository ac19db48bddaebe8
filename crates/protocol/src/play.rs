//! `play`: games between people and engines.

use indexmap::IndexMap;
use serde::Serialize;

/// A game that people played. It is a record to replay.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlayedGame {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The position string that the game started from; left out if that is the start position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The tokens of all moves.
    pub moves: Vec<String>,
    /// Who plays each role: name of the role to `you` or the name of the engine.
    pub seats: IndexMap<String, String>,
    /// The final score of each role, by its name: 0 lost, 50 drawn, 100 won; left out if the game
    /// is unfinished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<IndexMap<String, u8>>,
    /// Why the game ended.
    pub end: PlayedEnd,
    /// The kind of the engine and all of its settings.
    pub engine: String,
    /// The program, with its version.
    pub program: String,
    /// The fingerprint of the game's rulesheet; left out if the game is not that of a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rulesheet: Option<String>,
}

/// Why a game that people played ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PlayedEnd {
    /// By the rules of the game.
    Rules,
    /// A player resigned, and lost.
    Resign,
    /// It did not end: it was left.
    Unfinished,
}
