//! A program that others talk to.

use quintet_core::registry::Registry;

use crate::engine::Settings;

/// A program, and with what it searches where those who talk to it say nothing else.
#[derive(Debug, Clone, Default)]
pub struct ProgramConfig {
    /// The name that others are told.
    pub name: &'static str,
    /// The version that others are told.
    pub version: &'static str,
    /// The games to choose from.
    pub games: Registry,
    /// The limits and resources of a search.
    pub settings: Settings,
    /// The seed of all random choices.
    pub seed: u64,
}
