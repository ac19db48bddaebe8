//! The record of a game, as one JSON line.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::catalog::GameId;
use crate::games::Rules;

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// By the rules of the game.
    Rules,
    /// An engine made an illegal move, or said what is no move at all, and lost.
    Illegal,
    /// An engine did not answer in time, and lost.
    Time,
    /// An engine's process ended or could not be started, and the engine lost.
    Crash,
}

/// One finished game. A record says all that decided how it went, so that a file of records needs no other
/// file beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// The game.
    pub game: GameId,
    /// Its ruleset.
    pub rules: Rules,
    /// The number of the opening, and so of the pair of games in its match, from 0.
    pub pair: usize,
    /// Where the game started, if not at the start position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The first moves, which were given and not chosen by an engine.
    pub opening: Vec<String>,
    /// All moves, the opening included.
    pub moves: Vec<String>,
    /// Who had which role: role to engine name.
    pub seats: IndexMap<String, String>,
    /// The final score of each role: 0, 50 or 100.
    pub scores: IndexMap<String, u8>,
    /// Seeds the engines' random streams of this game.
    pub seed: u64,
    /// Why the game ended.
    pub end: End,
    /// What the engine that lost did wrong, where the game did not end by the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// What the game was part of.
    pub arena: Conditions,
}

/// What a game shares with the others of its tournament.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The program that played it, with its version.
    #[serde(default)]
    pub program: String,
    /// The seed of the tournament.
    pub seed: u64,
    /// Where the openings come from.
    pub openings: String,
    /// The engines of the match, the one that results are counted for first: name to kind and settings.
    pub engines: IndexMap<String, String>,
}

impl Conditions {
    /// The program, for people: earlier versions did not say.
    pub(super) fn program(&self) -> &str {
        if self.program.is_empty() { "unknown" } else { &self.program }
    }
}

impl GameRecord {
    /// Checks what a record says of itself, whatever its game: the number of its pair and its scores.
    ///
    /// # Errors
    /// What is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        if u32::try_from(self.pair).is_err() {
            return Err(format!("pair {} is out of range", self.pair));
        }
        if let Some((role, score)) = self.scores.iter().find(|(_, score)| ![0, 50, 100].contains(*score)) {
            return Err(format!("a score of {score} for {role}: a score is 0, 50 or 100"));
        }
        let points = self.engines().map(|engine| self.half_points(engine));
        if let [Some(a), Some(b)] = points
            && a + b != 2
        {
            let [a, b] = [a, b].map(|half_points| half_points * 50);
            return Err(format!("scores of {a} and {b} do not add up to 100"));
        }
        Ok(())
    }

    /// The result for the engine called `name` in half points: 2 for a win, 1 for a draw, 0 for a loss;
    /// `None` if it had no seat.
    #[must_use]
    pub fn half_points(&self, name: &str) -> Option<u8> {
        let role = self.seats.iter().find_map(|(role, engine)| (engine == name).then_some(role))?;
        self.scores.get(role).map(|score| score / 50)
    }

    /// The names of the match's two engines, the one that results are counted for first; empty where the
    /// record does not say.
    #[must_use]
    pub fn engines(&self) -> [&str; 2] {
        let mut names = self.arena.engines.keys().map(String::as_str);
        std::array::from_fn(|_| names.next().unwrap_or_default())
    }

    /// Whether the second engine of the match has the side that the first role belongs to.
    #[must_use]
    pub fn is_swapped(&self) -> bool {
        self.seats.first().is_some_and(|(_, name)| name == self.engines()[1])
    }
}
