//! Engine specifications: which engine plays a match, answers a query or suggests a move.
//!
//! An engine is written as a kind with settings, `uct:iterations=10000,c=0.7`, optionally after a
//! name, `strong=uct:iterations=10000`. [`EngineSpec`] is its parsed form. An external engine is a
//! separate program that the arena starts and exchanges messages with.

mod command;
mod model_file;
mod settings;
mod spec;
mod time_control;
mod toml_file;

pub use command::CommandLine;
pub use model_file::{ModelFile, Models};
pub use settings::{SETTINGS, Setting, Settings, read_count, read_memory, read_threads, read_time};
pub(crate) use spec::check_name;
pub use spec::{EngineError, EngineKind, EngineSetUpError, EngineSpec};
pub use time_control::TimeControl;
pub use toml_file::from_toml;
