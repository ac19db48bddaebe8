//! `solve --json`: the value of a position.

use indexmap::IndexMap;
use serde::Serialize;

use crate::position::WinLine;

/// What `solve` found out about a position.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SolvedPosition {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The position string.
    pub position: String,
    /// The name of the role to move; null if the game is over.
    pub to_move: Option<String>,
    /// Whether the value is known exactly.
    pub settled: bool,
    /// The score of each role under perfect play, by its name: 0 loses, 50 draws, 100 wins; null
    /// unless the value is known exactly.
    pub value: Option<IndexMap<String, u8>>,
    /// The least score of each role under perfect play, as far as it is proven: 0 to 100.
    pub lower: IndexMap<String, u8>,
    /// The most that each role gets, as far as it is proven: 0 to 100.
    pub upper: IndexMap<String, u8>,
    /// The token of a best move; null if none is known.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// How the game is won, if it is: in how many plies, and a line to the end. Left out if not, or if no line was found.
    #[serde(flatten)]
    pub win: Option<WinLine>,
    /// How it was found, in a few words for people.
    pub method: String,
    /// The number of positions searched; 0 if the method does not count them.
    pub positions: u64,
    /// The time that it took, in seconds of wall clock.
    pub seconds: f64,
    /// The file that has the certificate; null if none was written.
    pub certificate: Option<String>,
}
