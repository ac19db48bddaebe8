//! Levels: opponents for people.

use serde::Serialize;

/// A level: an engine under a name for people, such as `casual`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LevelLine {
    /// Its name.
    pub name: String,
    /// The engine that plays it, as `--engine` takes it.
    pub engine: String,
    /// How strong it is in each game and ruleset where that was measured; none for a level that
    /// depends on the speed of the machine.
    pub elo: Vec<LevelElo>,
}

/// How strong a level is in a game under one ruleset.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LevelElo {
    /// The game's name.
    pub game: String,
    /// The ruleset's name.
    pub rules: String,
    /// Its Elo above an engine that plays at random: lower bound, estimate and upper bound of the
    /// 95 % confidence interval.
    pub elo: [f64; 3],
    /// Whether the games that were played bound it from below and from above. If not, the true value
    /// may lie beyond that end: the level has won every game, say.
    pub bounded: [bool; 2],
}
