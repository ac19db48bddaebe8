//! `table --json`: the tables of solved games.

use indexmap::IndexMap;
use serde::Serialize;

/// What the table says about a position. Plies are counted from this position.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LookedUp {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The position string.
    pub position: String,
    /// The role to move: `white` or `black`.
    pub to_move: String,
    /// Whether the game is over.
    pub terminal: bool,
    /// The role that wins under perfect play: `white`, `black`, or null for a draw.
    pub winner: Option<String>,
    /// The number of plies to the end of the game under perfect play, 0 if it is over.
    pub plies: u32,
    /// The number of plies to mate if there were no step limit; null where white can't force mate.
    pub mate_in: Option<u32>,
    /// The tokens of the best moves of the role to move; none once the game is over.
    pub best: Vec<String>,
    /// All legal moves, best first.
    pub moves: Vec<TableMove>,
}

/// The result of a move under perfect play. Plies are counted from before the move, which is the
/// first of them.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TableMove {
    /// The token of the move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The role that wins: `white`, `black`, or null for a draw.
    pub winner: Option<String>,
    /// The number of plies to the end of the game.
    pub plies: u32,
    /// The number of plies to mate if there were no step limit; null where white can't force mate.
    pub mate_in: Option<u32>,
}

/// All placements of the pieces, counted by the plies to mate under perfect play without a step
/// limit.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CountedTable {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The counts for each kind of placements.
    pub counts: Vec<Counted>,
}

/// The counts of one kind of placements.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counted {
    /// The role to move: `white` or `black`.
    pub to_move: String,
    /// Whether the black king is attacked in the placements counted; null if both are counted.
    pub black_king_attacked: Option<bool>,
    /// The number of placements.
    pub placements: u32,
    /// The number that white wins, those with black already mated included.
    pub won: u32,
    /// The number won for each number of plies to mate, which is the field's name: `"3":428`. 0 is
    /// mate already.
    pub mate_in: IndexMap<String, u32>,
    /// The number in which black is not in check and has no king move.
    pub stuck: u32,
    /// The number of the others, in which white can't force mate.
    pub escapes: u32,
}
