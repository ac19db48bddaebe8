//! The arena: records of games, opening books and results.

use std::ops::Add;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// By the rules of the game.
    Rules,
    /// An engine made an illegal move, or its answer was no move at all, and lost.
    Illegal,
    /// An engine did not answer in time, and lost.
    Time,
    /// An engine's process ended or could not be started, and the engine lost.
    Crash,
    /// Both engines agreed on the result for as many moves as the match asks for.
    Adjudication,
}

impl End {
    /// Whether an engine lost by a fault.
    #[must_use]
    pub fn is_fault(self) -> bool {
        matches!(self, Self::Illegal | Self::Time | Self::Crash)
    }
}

/// One finished game. A record holds all that decided how the game went, so that a file of records
/// needs no other file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameRecord {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The number of the opening in its match, from 0; the games of a group, which is a pair in a game for two
    /// sides, have the same number.
    pub pair: usize,
    /// The position string that the game started from; left out if that is the start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The tokens of the first moves, which were given and not chosen by an engine.
    pub opening: Vec<String>,
    /// The tokens of all moves, the opening included.
    pub moves: Vec<String>,
    /// The engine that plays each role: name of the role to name of the engine.
    pub seats: IndexMap<String, String>,
    /// The final score of each role, by its name: 0 lost, 50 drawn, 100 won. An engine that fails
    /// loses: its roles get 0, and those of the other one 100.
    pub scores: IndexMap<String, u8>,
    /// The seed of the engines' random streams in this game, made from that of the tournament.
    pub seed: u64,
    /// Why the game ended.
    pub end: End,
    /// What the losing engine did wrong, in words for people; left out if the game ended by the
    /// rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// What the engines thought, an entry for each of `moves`; null for a move that was given or of
    /// which nothing is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<Option<Thought>>,
    /// What each engine took for all its moves, by its name; left out if the CPU time of neither is
    /// known.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub times: IndexMap<String, EngineTime>,
    /// What it shares with the other games of its match.
    pub arena: Conditions,
}

/// A game of an arena that is being played: a line of the file beside that of its records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlayingGame {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The number of the opening in its match, from 0; the games of a group, which is a pair in a game for two
    /// sides, have the same number.
    pub pair: usize,
    /// The position string that the game started from; left out if that is the start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The tokens of the first moves, which were given and not chosen by an engine.
    pub opening: Vec<String>,
    /// The tokens of the moves so far, the opening included.
    pub moves: Vec<String>,
    /// The engine that plays each role: name of the role to name of the engine.
    pub seats: IndexMap<String, String>,
    /// What the engines thought, an entry for each of `moves`; null for a move that was given or of
    /// which nothing is known.
    pub thoughts: Vec<Option<Thought>>,
    /// When the game began, in milliseconds since the start of 1970, UTC.
    pub started_ms: u64,
    /// When the last of `moves` was played, likewise; when the game began if no engine has moved.
    pub moved_ms: u64,
    /// What it shares with the other games of its match.
    pub arena: Conditions,
}

/// What an engine thought when it chose a move.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Thought {
    /// The expected score of the role that moves, 0 to 100; null if unknown.
    pub value: Option<f64>,
    /// The exact value of the position, 0 to 100, if it was proved.
    pub proven: Option<u8>,
    /// The number of search iterations; null if unknown.
    pub iterations: Option<u64>,
    /// The search depth in plies, as an external engine gives it; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The wall-clock time that the engine took, in milliseconds.
    pub ms: u64,
    /// The CPU time that the process of an external engine took meanwhile, in milliseconds, all its
    /// threads together; left out if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<u64>,
}

/// The time that an engine took for its moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EngineTime {
    /// The wall-clock time in milliseconds.
    pub ms: u64,
    /// The CPU time of its process in milliseconds, all its threads together; left out if it is not
    /// known of every move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<u64>,
}

impl Add for EngineTime {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let cpu_ms = self.cpu_ms.zip(other.cpu_ms).map(|(a, b)| a.saturating_add(b));
        Self { ms: self.ms.saturating_add(other.ms), cpu_ms }
    }
}

/// What a game shares with the other games of its match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Conditions {
    /// The program that played the game, with its version; empty if that is not known.
    #[serde(default)]
    pub program: String,
    /// The seed of the tournament.
    pub seed: u64,
    /// The source of the openings, in words for people, such as `2 random plies`.
    pub openings: String,
    /// When both engines agree enough that a side loses: `value=…,moves=…`; left out if never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resign: Option<String>,
    /// When both engines agree enough that the game is drawn, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draw: Option<String>,
    /// The fingerprint of the game's rulesheet; left out if the game is not that of a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rulesheet: Option<String>,
    /// The fingerprint of the model of each engine that is given one, by the engine's name; left out if none is.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub models: IndexMap<String, String>,
    /// The engines of the match, name to kind and settings, defaults included. Results are counted
    /// for the first.
    pub engines: IndexMap<String, String>,
}

impl Conditions {
    /// Each condition by its name, as texts for people.
    pub fn listed(&self) -> impl Iterator<Item = (String, String)> {
        let text = |it: &Option<String>| it.clone().unwrap_or_else(|| "none".to_owned());
        let shared = [
            ("program", if self.program.is_empty() { "unknown" } else { &self.program }.to_owned()),
            ("seed", self.seed.to_string()),
            ("openings", self.openings.clone()),
            ("resign", text(&self.resign)),
            ("draw", text(&self.draw)),
        ];
        let engines = self.engines.iter().flat_map(move |(name, it)| {
            let model = text(&self.models.get(name).cloned());
            [(format!("engine {name}"), it.clone()), (format!("model of engine {name}"), model)]
        });
        shared.into_iter().map(|(what, value)| (what.to_owned(), value)).chain(engines)
    }

    /// The names of the match's two engines; empty if the record does not say. Results are counted for
    /// the first.
    #[must_use]
    pub fn names(&self) -> [&str; 2] {
        let mut names = self.engines.keys().map(String::as_str);
        std::array::from_fn(|_| names.next().unwrap_or_default())
    }

    /// For each of these seats, in their order, whether the match's second engine has it. The games of one opening
    /// are played in the order of these lists.
    #[must_use]
    pub fn seating(&self, seats: &IndexMap<String, String>) -> Vec<bool> {
        let [_, second] = self.names();
        seats.values().map(|name| name == second).collect()
    }
}

impl GameRecord {
    /// Whether two records tell of the same game: they differ at most in the thoughts and times.
    #[must_use]
    pub fn is_same_game(&self, other: &Self) -> bool {
        *self == Self { thoughts: self.thoughts.clone(), times: self.times.clone(), ..other.clone() }
    }

    /// The names of the match's two engines; empty if the record does not say. Results are counted
    /// for the first.
    #[must_use]
    pub fn engines(&self) -> [&str; 2] {
        self.arena.names()
    }

    /// For each role, in the order of the seats, whether the match's second engine plays it.
    #[must_use]
    pub fn seating(&self) -> Vec<bool> {
        self.arena.seating(&self.seats)
    }
}

/// A line of an opening book: a start position, the first moves of a game, or both. Other fields
/// are ignored, so that an arena's records can be read.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BookLine {
    /// The game's name.
    pub game: String,
    /// The ruleset's name, or `standard` for the one that people know; the game's default if left
    /// out.
    pub rules: Option<String>,
    /// The position string to start from; the start position if left out.
    pub position: Option<String>,
    /// The tokens of the first moves, played from there. A line needs these, `position` or
    /// `opening`.
    pub moves: Option<Vec<String>>,
    /// The opening of a game record, which is used instead of its `moves`.
    pub opening: Option<Vec<String>>,
}

/// The last line of `arena --json`, and what `arena merge --json` prints.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ArenaResults {
    /// The result of each match: every two engines that meet, in each game and ruleset.
    pub results: Vec<MatchResult>,
    /// A rating list for each game and ruleset with more than two engines; left out if there is
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<GameRatings>,
    /// A rating list over all games and rulesets, whose pairs are pooled; left out if there is only
    /// one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overall: Vec<Rated>,
}

/// The result of a match from the point of view of engine `a`. A pair is two games of one opening
/// with seats swapped. In a game of several sides its place is taken by a group: the games of one opening with each
/// way to share the seats. Where a game has more than two sides, every two seats in it that different engines hold are
/// compared; in a game for one player, the scores of the two games of a pair are. Elo is given as lower bound,
/// estimate and upper bound of the 95 % confidence interval, computed from complete pairs or groups.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MatchResult {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The name of the engine that results are counted for.
    pub a: String,
    /// The name of the other engine.
    pub b: String,
    /// The number of games played.
    pub games: u64,
    /// The number of games that `a` won; in a game that is not for two sides, of comparisons.
    pub wins: u64,
    /// The number of drawn games, or of comparisons of equal scores.
    pub draws: u64,
    /// The number of games, or comparisons, that `a` lost.
    pub losses: u64,
    /// The share of the points that `a` got, 0 to 1, a draw being half a point; null before the
    /// first game or comparison.
    pub score: Option<f64>,
    /// The Elo difference, positive if `a` is stronger: lower bound, estimate, upper bound; null
    /// before the first pair.
    pub elo: Option<[f64; 3]>,
    /// The normalized Elo difference, likewise: the score above ½ in standard deviations of a game,
    /// times 800/ln 10.
    pub normalized_elo: Option<[f64; 3]>,
    /// The likelihood of superiority (LOS): the probability that `a` is the stronger one, 0 to 1;
    /// null before the first pair.
    pub los: Option<f64>,
    /// The number of complete pairs in which `a` got 0, ½, 1, 1½ and 2 points. In a game that is not for two sides, the
    /// number of complete groups by the points of all comparisons in each, likewise from 0 in steps of ½.
    pub pairs: Vec<u64>,
    /// The number of these pairs or groups whose games are all the same as earlier ones. They count in the estimates,
    /// but as no further evidence: the pairs weigh as much together as the others of them.
    pub repeated: u64,
    /// The number of games, in complete pairs or groups, that repeat an earlier game move for move.
    pub identical: u64,
    /// The number of games that `a` and `b` lost by a fault (an illegal move, no answer in time, or
    /// a crash) instead of by the rules.
    pub faults: [u64; 2],
    /// The wall-clock time in seconds that `a` and `b` took for their moves; left out if `cpu_seconds`
    /// is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<[f64; 2]>,
    /// The CPU time in seconds that the processes of `a` and `b` took for their moves; null for an
    /// engine of which it is unknown, left out if it is of both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<[Option<f64>; 2]>,
    /// The mean place of `a` and `b`, from 1 to the number of sides, over all seats in all games; sides with the same
    /// score share the mean of their places. Left out for one player, where two sides share the score, and before
    /// both have had a seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_places: Option<[f64; 2]>,
    /// The mean score of `a` and `b`, 0 to 100, likewise; left out where two sides share the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_scores: Option<[f64; 2]>,
    /// The best score of `a` and `b`, 0 to 100; left out for more than one player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_scores: Option<[u8; 2]>,
    /// The state of the sequential test; left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtResult>,
}

/// The state of a sequential probability ratio test (SPRT).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SprtResult {
    /// The test: `elo0=…,elo1=…,alpha=…,beta=…,model=…`.
    pub test: String,
    /// The log-likelihood ratio (LLR) of H1 to H0 after `pairs`, a natural logarithm: positive favours
    /// H1, the Elo difference `elo1`.
    pub llr: f64,
    /// The pairs that the test has looked at, counted like `pairs` of the match: those before the first
    /// incomplete one, and none after the one at which it accepted a hypothesis, which ends the match.
    pub pairs: Vec<u64>,
    /// The number of these whose games are all the same as earlier ones.
    pub repeated: u64,
    /// The bounds of the LLR: H0 is accepted at or below the first, which is below 0, and H1 at or
    /// above the second, which is above 0.
    pub bounds: [f64; 2],
    /// `H0` (the Elo difference is `elo0`) or `H1` (it is `elo1`); null while neither is accepted.
    pub accepted: Option<String>,
}

/// The rating list of a game under one ruleset, computed from complete pairs or groups of games.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GameRatings {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// The engines, group by group, the best first in each.
    pub ratings: Vec<Rated>,
}

/// An engine in a rating list.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rated {
    /// The engine's name.
    pub engine: String,
    /// Its Elo rating: lower bound, estimate and upper bound of the 95 % confidence interval; null
    /// without games. The mean of each group is 0.
    pub elo: Option<[f64; 3]>,
    /// The number of games of its matches, in complete pairs or groups.
    pub games: u64,
    /// The share of their points that it got, 0 to 1; null without games.
    pub score: Option<f64>,
    /// The number of its group, from 0. Engines of different groups have not met, not even through
    /// others, and their Elo can't be compared.
    pub group: usize,
}
