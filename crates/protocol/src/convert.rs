//! `convert`: games in the formats of other programs.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::PlayedEnd;
use crate::id::Id;

/// A game that `quintet convert` read from a file of another program. It is a record to replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConvertedGame {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The tokens of all moves.
    pub moves: Vec<String>,
    /// Who plays each role: name of the role to the name in the file, `black` or `white` if there is none.
    pub seats: IndexMap<String, String>,
    /// The final score of each role, by its name: 0 lost, 50 drawn, 100 won; left out if the game is
    /// unfinished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scores: Option<IndexMap<String, u8>>,
    /// Why the game ended.
    pub end: PlayedEnd,
}

/// A game record that `quintet convert` reads. Other fields are ignored.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RecordToConvert {
    /// The game's name.
    pub game: String,
    /// The ruleset's name, or `standard` for the one that people know; the game's default if left
    /// out.
    pub rules: Option<String>,
    /// The position string to start from. A game is converted if it is left out: it starts from the start
    /// position.
    pub position: Option<String>,
    /// The tokens of the moves, the first one first.
    pub moves: Vec<String>,
    /// Who plays each role, by its name; unknown if left out.
    #[serde(default)]
    pub seats: Option<IndexMap<String, String>>,
    /// The final score of each role, by its name. It counts if `end` is `resign`.
    #[serde(default)]
    pub scores: Option<IndexMap<String, u8>>,
    /// Why the game ended.
    pub end: Option<String>,
}

/// A text that was converted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ConvertedText {
    /// The `id` of the line; null if it has none.
    pub id: Id,
    /// The games in it.
    pub records: Vec<ConvertedGame>,
    /// What is wrong with the games that were refused, with line and move, in words for people.
    pub errors: Vec<String>,
}
