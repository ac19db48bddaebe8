//! A rulesheet as a game for commands. Search and solvers are compiled here, for all rulesheets.

use quintet_core::game::Rules;
use quintet_core::registry::Variant;

use crate::RULES;
use crate::compiled::Compiled;
use crate::game::Position;
use crate::knowledge::LaneRollouts;

/// The game of a compiled rulesheet under this name, which owns it.
#[must_use]
pub fn variant(name: String, compiled: Compiled) -> Variant {
    let fingerprint = compiled.fingerprint.clone();
    let rules = Rules::new(compiled);
    let mut variant =
        Variant::starting_at::<Position, LaneRollouts>(name, RULES, move |_| Position::start(&rules));
    variant.rulesheet = Some(fingerprint);
    variant
}
