//! Puzzles: positions with a task.

use serde::Serialize;

use crate::id::Id;

/// How hard a puzzle is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Difficulty {
    /// A win at once, or the answer to a threat of one.
    Easy,
    /// The same a move later.
    Medium,
    /// Longer.
    Hard,
}

impl Difficulty {
    /// All of them, the easiest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Medium, Self::Hard];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }
}

/// A position with a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Puzzle {
    /// What it is remembered by: the same position has the same key.
    pub key: String,
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The position string that the moves start from; left out if that is the start of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The tokens of the moves from there to the puzzle.
    pub moves: Vec<String>,
    /// The tokens of the right moves.
    pub best: Vec<String>,
    /// The tokens of moves that are not known to be right or wrong.
    pub unknown: Vec<String>,
    /// How hard it is.
    pub difficulty: Difficulty,
    /// What to do, in words.
    pub task: String,
}

/// The puzzles of a game.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PuzzleList {
    /// The `id` of the line; null if it has none.
    pub id: Id,
    /// The puzzles.
    pub puzzles: Vec<Puzzle>,
}
