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
    /// Who wins under perfect play; null for a draw.
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

/// How a move ends under perfect play; plies are counted from before it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TableMove {
    /// The token.
    #[serde(rename = "move")]
    pub mv: String,
    /// Who wins; null for a draw.
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
    /// A count for each kind of placements.
    pub counts: Vec<Counted>,
}

/// Placements of one kind, counted.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counted {
    /// The side to move.
    pub to_move: String,
    /// Whether only those are counted in which the black king is attacked (true) or is not (false); null for
    /// all. On the small board only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black_king_attacked: Option<Option<bool>>,
    /// Whether placements that are the same by symmetry are counted once. On the chess board only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub up_to_symmetry: Option<bool>,
    /// The placements.
    pub placements: u32,
    /// Those that white wins.
    pub won: u32,
    /// Those that white wins, by the plies to mate.
    pub mate_in: IndexMap<String, u32>,
    /// Those in which black is stuck without being in check.
    pub stuck: u32,
    /// The others: black escapes.
    pub escapes: u32,
}
