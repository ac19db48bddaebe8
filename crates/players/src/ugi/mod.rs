//! The engine of UGI, the Universal Game Interface.

mod command;
mod engine;
mod game_searcher;
mod info;
mod limits;
mod options;
mod search;

use std::io::{Read, Write};

use quintet_arena::ProgramConfig;
use quintet_arena::engine::Models;

use super::Error;
use engine::Engine;
use options::Options;

/// Answers the commands of `input` until its end or until `quit`. The manager may choose any game, and engines
/// with any of the `models`.
///
/// # Errors
/// [`Error`], but for nothing that the manager sends.
pub fn run(
    config: ProgramConfig,
    models: Models,
    input: impl Read + Send + 'static,
    out: &mut dyn Write,
) -> Result<(), Error> {
    Engine::start(Options::new(config, models)?, input)?.run(out)
}
