//! A rulesheet as a game for commands.

use quintet_core::game::Rules;
use quintet_core::registry::Variant;

use crate::compiled::Compiled;
use crate::game::Position;
use crate::knowledge::LaneRollouts;

/// The name of the only ruleset of a rulesheet.
pub const RULES: &str = "gdl";

/// The game of a compiled rulesheet under this name, which owns it.
#[must_use]
pub fn variant(name: String, compiled: Compiled) -> Variant {
    let rules = Rules::new(compiled);
    Variant::starting_at::<Position, LaneRollouts>(name, RULES, move |_| Position::start(&rules))
}
