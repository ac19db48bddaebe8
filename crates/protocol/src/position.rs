//! Queries about positions and their answers: `analyze` and `suggest --json`.

use std::num::NonZeroUsize;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A query to `quintet analyze`. The command's flags give what it leaves out.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Any JSON value; the answer repeats it.
    #[serde(default)]
    pub id: Value,
    /// The game's name, such as `quarto`.
    pub game: String,
    /// The ruleset's name; the game's default if left out.
    pub rules: Option<String>,
    /// The position string to start from; the start position if left out.
    pub position: Option<String>,
    /// The tokens of the moves since then.
    #[serde(default)]
    pub moves: Vec<String>,
    /// The engine with its settings, such as `uct:c=0.5`; `quintet` if left out.
    pub engine: Option<String>,
    /// The maximum number of iterations, over all trees.
    pub iterations: Option<u64>,
    /// The maximum time in milliseconds.
    pub time_ms: Option<u64>,
    /// The number of root-parallel trees.
    pub threads: Option<NonZeroUsize>,
    /// The seed of all random choices.
    pub seed: Option<u64>,
    /// The maximum memory for the nodes of all trees, such as `512MiB`.
    pub memory: Option<String>,
}

/// An answer to a [`Query`].
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Answer {
    /// The best move and the others.
    Moves(Box<AnswerMoves>),
    /// The game is over.
    Terminal(AnswerTerminal),
    /// The query is wrong.
    Error(AnswerError),
}

/// What an engine says about a position.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerMoves {
    /// The query's `id`; null if it has none. `suggest` leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// The game.
    pub game: String,
    /// The ruleset.
    pub rules: String,
    /// The role to move.
    pub to_move: String,
    /// The token of the move to play: the first candidate.
    #[serde(rename = "move")]
    pub best: String,
    /// The expected score of the role to move after `move`, 0 to 100; null if nothing was searched.
    pub value: Option<f64>,
    /// The exact score of the role to move under perfect play after `move`, 0, 50 or 100; null
    /// unless it is proven.
    pub proven: Option<u8>,
    /// The iterations done, over all trees.
    pub iterations: u64,
    /// The time it took, in seconds by the clock.
    pub seconds: f64,
    /// Every legal move, best first.
    pub candidates: Vec<Candidate>,
    /// The principal variation: the best line of play found, beginning with `move`.
    pub pv: Vec<String>,
}

/// A legal move and what the search found about it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Candidate {
    /// The token of the move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The number of iterations that tried it, including those on a tree kept from earlier moves.
    pub visits: u64,
    /// The expected score of the role to move after it, 0 to 100; null if it was not tried.
    pub value: Option<f64>,
    /// The exact score of the role to move under perfect play after it, 0, 50 or 100; null unless
    /// it is proven.
    pub proven: Option<u8>,
    /// The plies to the end of the game under perfect play, this move included; null if not known.
    pub plies: Option<u32>,
    /// What is known for certain about it, in a few words; empty if nothing is.
    pub why: String,
}

/// The answer if the game is over.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerTerminal {
    /// The query's `id`; null if it has none. `suggest` leaves it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Value>,
    /// Always true.
    pub terminal: bool,
    /// The final score of each role, 0 to 100.
    pub scores: IndexMap<String, u8>,
}

/// The answer to a wrong query.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AnswerError {
    /// The query's `id`; null if it has none or can't be read.
    pub id: Value,
    /// What is wrong.
    pub error: String,
}
