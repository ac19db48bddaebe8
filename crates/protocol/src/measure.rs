//! Measurements: `bench --json`, `bench strength` and `suite`.

use serde::{Deserialize, Serialize};

/// The speed of a game under one ruleset, on one thread.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BenchLine {
    /// The game.
    pub game: String,
    /// The ruleset.
    pub rules: String,
    /// Uniformly random rollouts from the start per second of CPU time.
    pub rollouts_per_s: f64,
    /// The mean length of a rollout in plies.
    pub plies_per_rollout: f64,
    /// The share of rollouts that the first side wins, 0 to 1.
    pub first_wins: f64,
    /// The share of rollouts that are drawn, 0 to 1.
    pub draws: f64,
    /// Iterations of plain UCT per second of CPU time, in a search of 100,000 from the start.
    pub iterations_per_s: f64,
    /// The bytes of a node of the UCT tree.
    pub bytes_per_node: u64,
    /// The bytes of the UCT tree per iteration.
    pub bytes_per_iteration: f64,
    /// A hash of the behaviour of plain UCT, the same on every machine.
    pub signature: String,
    /// The same for the engine `quintet`, with one tree and with two.
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
    /// The tokens of moves that are not known to be right or wrong; they are not scored.
    #[serde(default)]
    pub unknown: Vec<String>,
    /// The score of the role to move under perfect play, 0, 50 or 100, where known.
    pub value: Option<u8>,
}

/// The score of an engine on a suite.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuiteScore {
    /// The file's name, without its extension.
    pub suite: String,
    /// The engine.
    pub engine: String,
    /// The number of positions that it got right.
    pub right: u64,
    /// The number of positions that are scored.
    pub scored: u64,
    /// The number of positions in which it proved the value of its move.
    pub proven: u64,
    /// The mean time per position, in seconds.
    pub seconds_each: f64,
    /// The positions that it got wrong, one line each.
    pub wrong: Vec<String>,
}

/// A line of `bench strength`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "figure", rename_all = "lowercase")]
pub enum StrengthLine {
    /// How the figures were made: the first line.
    Run(RunLine),
    /// The rating of an engine.
    Rating(EngineRating),
    /// What a doubling gains for a kind of engine.
    Doubling(DoublingLine),
    /// How much stronger a kind of engine is at a step than at its first.
    Gain(CompareLine),
    /// How much stronger a kind of engine is than the first kind at the same step.
    Lead(CompareLine),
}

/// How the figures of `bench strength` were made.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunLine {
    /// The command.
    pub command: String,
    /// Whether it ran in the short mode.
    pub short: bool,
    /// The seed.
    pub seed: u64,
    /// The number of random plies at the start of each game.
    pub opening_plies: usize,
    /// The number of games between every two engines that meet.
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
    /// Its iterations per move.
    pub iterations: Option<u64>,
    /// The number of its trees.
    pub trees: Option<usize>,
    /// Lower bound, estimate and upper bound of its Elo, 95 %.
    pub elo: Option<[f64; 3]>,
    /// The number of games it played.
    pub games: u64,
    /// The share of the points that it got, 0 to 1.
    pub score: Option<f64>,
    /// The number of its group: engines of different groups have not met, not even through others.
    pub group: usize,
}

/// What a doubling gains for a kind of engine.
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
    /// Lower bound, estimate and upper bound of the gain in Elo, 95 %.
    pub elo: Option<[f64; 3]>,
}

/// A comparison of a kind of engine at one step.
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
    /// The step's iterations per move.
    pub iterations: u64,
    /// The step's number of trees.
    pub trees: usize,
    /// Lower bound, estimate and upper bound of the difference in Elo, 95 %.
    pub elo: Option<[f64; 3]>,
}
