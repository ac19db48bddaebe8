//! The names of games in records.

use std::fmt::{self, Display};

use quintet_core::registry::Variant;
use quintet_protocol::GameRecord;

/// The names of a game and its ruleset, as in game records.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VariantName {
    /// The game.
    pub game: String,
    /// The ruleset.
    pub rules: String,
}

impl From<&Variant> for VariantName {
    fn from(variant: &Variant) -> Self {
        Self { game: variant.game.to_string(), rules: variant.rules.to_string() }
    }
}

impl From<&GameRecord> for VariantName {
    fn from(record: &GameRecord) -> Self {
        Self { game: record.game.clone(), rules: record.rules.clone() }
    }
}

/// Writes both names: `quarto ggp`.
impl Display for VariantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.game, self.rules)
    }
}
