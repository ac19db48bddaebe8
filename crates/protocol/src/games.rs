//! `games --json`.

use serde::Serialize;

/// A game under one ruleset.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameLine {
    /// The game's name in commands and records.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The game's full name.
    pub title: String,
    /// The board and the aim, in one sentence.
    pub summary: String,
    /// The names of the roles, in the order of scores and seats. That need not be the order of
    /// turns.
    pub roles: Vec<String>,
    /// How moves are written, in words for people.
    pub moves: String,
    /// How positions are written, in words for people.
    pub position: String,
    /// The position string of the start position.
    pub start: String,
    /// The rules under this ruleset in words for people, as lines; empty if the game has none.
    pub rules_text: String,
    /// What this ruleset says where the game's rulesets differ; empty if there is only one.
    pub differs: String,
    /// Whether `standard` is another name for this ruleset: that of the game that people know, or
    /// the nearest to it.
    pub standard: bool,
}
