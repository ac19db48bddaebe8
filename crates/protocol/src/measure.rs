//! What is measured: `bench --json`, `bench strength` and `suite`.

use serde::{Deserialize, Serialize};

/// The speed of a game under one ruleset, on one thread.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BenchLine {
    /// The game.
    pub game: String,
    /// The ruleset.
    pub rules: String,
    /// Uniformly random games from the start per second of CPU time.
    pub rollouts_per_s: f64,
    /// Their mean length.
    pub plies_per_rollout: f64,
    /// The share of them that the first side wins, 0 to 1.
    pub first_wins: f64,
    /// The share that is drawn.
    pub draws: f64,
    /// Iterations of plain UCT per second of CPU time, of 100,000 from the start.
    pub iterations_per_s: f64,
    /// Bytes of a node of its tree.
    pub bytes_per_node: u64,
    /// Bytes of its tree for each iteration.
    pub bytes_per_iteration: f64,
    /// A hash of what plain UCT did, the same on every machine.
    pub signature: String,
    /// The same of the engine `quintet`, with one tree and with two.
    pub quintet_signatures: [String; 2],
}

/// A position with known best moves: a line of a suite.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Problem {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The tokens of the moves from the start to the position.
    pub moves: Vec<String>,
    /// The tokens of all right moves.
    pub best: Vec<String>,
    /// The tokens of moves of which it is not known whether they are right; they are not scored.
    #[serde(default)]
    pub unknown: Vec<String>,
    /// The score of the role to move under perfect play, 0, 50 or 100, where known.
    pub value: Option<u8>,
}

/// What an engine made of a suite.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuiteScore {
    /// The file's name, without its ending.
    pub suite: String,
    /// The engine.
    pub engine: String,
    /// The positions that it got right.
    pub right: u64,
    /// The positions that count.
    pub scored: u64,
    /// The positions in which it proved the value of its move.
    pub proven: u64,
    /// The mean time for a position.
    pub seconds_each: f64,
    /// What it got wrong, a line each.
    pub wrong: Vec<String>,
}

/// A line of `bench strength`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "figure", rename_all = "lowercase")]
pub enum StrengthLine {
    /// How the figures were made: the first line.
    Run(RunLine),
    /// How strong an engine is.
    Rating(EngineRating),
    /// What doubling brings a kind of engine.
    Doubling(DoublingLine),
    /// By how much a kind is stronger at a step than at its first.
    Gain(CompareLine),
    /// By how much a kind is stronger than the first kind at the same step.
    Lead(CompareLine),
}

/// How the figures of `bench strength` were made.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunLine {
    /// The command.
    pub command: String,
    /// Whether it was the short mode.
    pub short: bool,
    /// The seed.
    pub seed: u64,
    /// Random plies at the start of each game.
    pub opening_plies: usize,
    /// Games between every two engines that meet.
    pub games_per_meeting: usize,
    /// The program's version and revision.
    pub revision: String,
    /// The processor and its cores.
    pub machine: String,
}

/// The rating of an engine of a ladder.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EngineRating {
    /// The ladder's name.
    pub ladder: String,
    /// The game.
    pub game: String,
    /// The ruleset.
    pub rules: String,
    /// The engine's name.
    pub engine: String,
    /// The kind of engine, the same at all steps.
    pub kind: String,
    /// Its iterations a move.
    pub iterations: Option<u64>,
    /// Its trees.
    pub trees: Option<usize>,
    /// Lower bound, estimate and upper bound of its Elo, 95 %.
    pub elo: Option<[f64; 3]>,
    /// The games it played.
    pub games: u64,
    /// The share of points it got, 0 to 1.
    pub score: Option<f64>,
    /// Engines of different groups have not met, not even by way of others.
    pub group: usize,
}

/// What doubling brings a kind of engine.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DoublingLine {
    /// The ladder's name.
    pub ladder: String,
    /// The game.
    pub game: String,
    /// The ruleset.
    pub rules: String,
    /// The kind of engine.
    pub kind: String,
    /// What is doubled: `iterations` or `trees`.
    pub of: String,
    /// Lower bound, estimate and upper bound in Elo, 95 %.
    pub elo: Option<[f64; 3]>,
}

/// A kind of engine at one step, compared.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CompareLine {
    /// The ladder's name.
    pub ladder: String,
    /// The game.
    pub game: String,
    /// The ruleset.
    pub rules: String,
    /// The kind of engine.
    pub kind: String,
    /// The step's iterations a move.
    pub iterations: u64,
    /// The step's trees.
    pub trees: usize,
    /// Lower bound, estimate and upper bound in Elo, 95 %.
    pub elo: Option<[f64; 3]>,
}
