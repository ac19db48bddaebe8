//! Fuzz targets for everything that quintet reads.
//!
//! A target takes any bytes and panics if quintet does not do what it promises: nothing panics on
//! input, what is printed is read back as the same, and what was refused changed nothing.
//! [`TARGETS`] lists them. `CONTRIBUTING.md` says how to run them.

mod convert;
mod game;
mod play;
mod records;
mod rulesheets;
mod settings;
mod streams;

use std::sync::LazyLock;

use quintet::Program;

pub use convert::convert;
pub use game::game;
pub use play::play;
pub use records::{book, game_log, replay};
pub use rulesheets::{kif, rulesheet};
pub use settings::{arguments, engine, line_up, shard, sprt};
pub use streams::{analyze, ggp, gomocup, ugi};

/// A fuzz target: it panics on a bug.
pub type Target = fn(&[u8]);

/// All targets with their names.
pub const TARGETS: [(&str, Target); 17] = [
    ("analyze", analyze),
    ("arguments", arguments),
    ("book", book),
    ("convert", convert),
    ("engine", engine),
    ("game", game),
    ("game_log", game_log),
    ("ggp", ggp),
    ("gomocup", gomocup),
    ("kif", kif),
    ("line_up", line_up),
    ("play", play),
    ("replay", replay),
    ("rulesheet", rulesheet),
    ("shard", shard),
    ("sprt", sprt),
    ("ugi", ugi),
];

/// Checks that an error message quotes at most 200 characters of the input in a row.
fn check_message(message: &str, input: &str) {
    const MOST: usize = 200;
    let starts: Vec<usize> = message.char_indices().map(|(at, _)| at).chain([message.len()]).collect();
    let is_quoted = |run: &[usize]| {
        let part = &message[run[0]..run[MOST + 1]];
        // The quotes around a text may stand in the input too.
        !part.contains('"') && input.contains(part)
    };
    assert!(!starts.windows(MOST + 2).any(is_quoted), "{message}");
}

static PROGRAM: LazyLock<Program> =
    LazyLock::new(|| Program { name: "quintet", version: "0.1.0", games: quintet_games::registry() });
