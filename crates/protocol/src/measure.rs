//! Measurements: `bench --json`, `bench strength` and `suite`.

use serde::{Deserialize, Serialize};

/// The speed of a game under one ruleset, on one thread. Rates are medians over the time measured.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BenchLine {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// Uniformly random rollouts per second of CPU time, from the start position (Gomoku: the empty
    /// board with the colors picked).
    pub rollouts_per_s: f64,
    /// The mean length of a rollout in plies.
    pub plies_per_rollout: f64,
    /// The share of rollouts that the side of the game's first role wins, 0 to 1.
    pub first_wins: f64,
    /// The share of rollouts that are drawn, 0 to 1.
    pub draws: f64,
    /// Iterations of plain UCT per second of CPU time, in searches of 100,000 iterations from the
    /// same position.
    pub iterations_per_s: f64,
    /// The mean size of a node of that search's tree, in bytes.
    pub bytes_per_node: u64,
    /// The size of that search's tree in bytes, divided by its iterations.
    pub bytes_per_iteration: f64,
    /// A hash of the visits of that search, as 16 hexadecimal digits; the same on every machine.
    pub signature: String,
    /// Hashes of the behaviour of the engine `quintet`, with one tree and with two.
    pub quintet_signatures: [String; 2],
}

/// How long a search of one tree on one thread took, and how many times as fast more threads would be: by the
/// times of the parts that they could do side by side, without what memory and processor caches do.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SpanLine {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The iterations done; fewer than asked for if the position is proven before.
    pub iterations: u64,
    /// The CPU time that they took.
    pub seconds: f64,
    /// The share of this time that provers took while the tree grew in batches, 0 to 1.
    pub proofs: f64,
    /// Numbers of threads.
    pub threads: [usize; 6],
    /// How many times as fast the search would be on each of these numbers of threads.
    pub speed_ups: [f64; 6],
}

/// A position with known best moves. Other fields are ignored.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Problem {
    /// The game's name.
    pub game: String,
    /// The ruleset's name; the game's default if left out.
    pub rules: Option<String>,
    /// The position that the moves start from, as the game writes positions; the start of the game if left
    /// out.
    pub position: Option<String>,
    /// The tokens of the moves from there to the position to search.
    pub moves: Vec<String>,
    /// The tokens of all right moves, at least one.
    pub best: Vec<String>,
    /// The tokens of moves that are not known to be right or wrong; they are not scored.
    #[serde(default)]
    pub unknown: Vec<String>,
    /// The score of the role to move under perfect play: 0 loses, 50 draws, 100 wins. Values that
    /// an engine proves are checked against it.
    #[cfg_attr(test, schemars(extend("enum" = [0, 50, 100, null])))]
    pub value: Option<u8>,
}

/// The score of an engine on a suite.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SuiteScore {
    /// The file's name, without its extension.
    pub suite: String,
    /// The engine's name.
    pub engine: String,
    /// The number of scored positions in which it played a best move.
    pub right: u64,
    /// The number of positions that are scored: all but those in which it played an `unknown` move.
    pub scored: u64,
    /// The number of positions with a known `value` whose value it proved.
    pub proven: u64,
    /// The mean time per position, in seconds of wall clock.
    pub seconds_each: f64,
    /// The positions that it got wrong, in words for people: the line number in the file, from 1,
    /// the move that it played and the best ones.
    pub wrong: Vec<String>,
}

/// A line of `bench strength`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "figure", rename_all = "lowercase")]
pub enum StrengthLine {
    /// How the games were played: the first line.
    Run(RunLine),
    /// The rating of an engine.
    Rating(EngineRating),
}

/// How the games of `bench strength` were played.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunLine {
    /// The command that plays them.
    pub command: String,
    /// The seed of openings and engines.
    pub seed: u64,
    /// The number of random plies at the start of each game.
    pub opening_plies: usize,
    /// The number of games between every two engines that meet, in each game and ruleset.
    pub games_per_meeting: usize,
    /// The program's version and revision.
    pub revision: String,
}

/// The rating of an engine of a ladder.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EngineRating {
    /// The ladder's name.
    pub ladder: String,
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The engine's name.
    pub engine: String,
    /// The kind of engine: the name without the step; in a ladder without steps, the engine with its
    /// settings.
    pub kind: String,
    /// Its iterations per move, over all trees; null for an engine that does not search.
    pub iterations: Option<u64>,
    /// The number of its trees; null where it is not set, and for an engine that does not search.
    pub trees: Option<usize>,
    /// Its Elo rating: lower bound, estimate and upper bound of the 95 % confidence interval. The
    /// first step of the ladder's first kind has 0, or the first engine of a ladder without steps.
    pub elo: Option<[f64; 3]>,
    /// Whether the games bound the rating from below and from above. If not, that end only says how
    /// many games were played: nobody took a point from this engine, say, nor from those that did.
    pub bounded: [bool; 2],
    /// The number of games it played, in complete pairs.
    pub games: u64,
    /// The share of their points that it got, 0 to 1; null without games.
    pub score: Option<f64>,
    /// The number of its group, from 0. Engines of different groups have not met, not even through
    /// others, and their Elo can't be compared.
    pub group: usize,
}
