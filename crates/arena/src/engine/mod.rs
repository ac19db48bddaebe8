//! Engines by name: what takes a seat in a match, answers a query, or makes a suggestion.
//!
//! An engine is written as a kind and its settings, `uct:iterations=10000,c=0.7`, with a name before it if
//! wanted, `strong=uct:iterations=10000`. [`EngineSpec`] is what was written. An external engine is a program
//! of its own, which the arena starts and speaks with.

mod command;
mod settings;
mod spec;
mod toml_file;

pub use command::CommandLine;
pub use settings::{SETTINGS, Setting, Settings};
pub use spec::{EngineError, EngineKind, EngineSetUpError, EngineSpec};
pub use toml_file::from_toml;
