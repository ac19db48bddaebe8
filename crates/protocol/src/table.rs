//! `table --json`: the tables of solved games.

use indexmap::IndexMap;
use serde::Serialize;

/// What the table says about a position.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LookedUp {
    /// The game.
    pub game: String,
    /// The rules: `spec`, `ggp` or `chess`.
    pub rules: String,
    /// The position string.
    pub position: String,
    /// The side to move.
    pub to_move: String,
    /// Whether the game is over.
    pub terminal: bool,
    /// The role that wins under perfect play; null for a draw.
    pub winner: Option<String>,
    /// The plies to the end under perfect play; null for a draw.
    pub plies: Option<u32>,
    /// The plies to mate if there were no step limit; null where white can't force mate.
    pub mate_in: Option<u32>,
    /// The best moves.
    pub best: Vec<String>,
    /// All legal moves.
    pub moves: Vec<TableMove>,
}

/// The result of a move under perfect play; plies are counted from before the move.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TableMove {
    /// The token of the move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The role that wins; null for a draw.
    pub winner: Option<String>,
    /// The plies to the end; null for a draw.
    pub plies: Option<u32>,
    /// The plies to mate if there were no step limit; null where white can't force mate.
    pub mate_in: Option<u32>,
}

/// All placements of the pieces, counted by the plies to mate.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CountedTable {
    /// The game.
    pub game: String,
    /// The rules: `spec`, `ggp` or `chess`.
    pub rules: String,
    /// The counts for each kind of placements.
    pub counts: Vec<Counted>,
}

/// The counts of one kind of placements.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counted {
    /// The side to move.
    pub to_move: String,
    /// Whether the black king is attacked in the placements counted; null if both are counted. Only
    /// on the small board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black_king_attacked: Option<Option<bool>>,
    /// Whether placements that are equal by symmetry are counted once. Only on the chess board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to_symmetry: Option<bool>,
    /// The number of placements.
    pub placements: u32,
    /// The number that white wins.
    pub won: u32,
    /// The number that white wins, by the plies to mate.
    pub mate_in: IndexMap<String, u32>,
    /// The number in which black is stuck, with no king move, without being in check.
    pub stuck: u32,
    /// The number of the others, in which black escapes.
    pub escapes: u32,
}
