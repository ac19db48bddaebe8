//! `quintet gomocup`

mod board;
mod brain;
mod input;
mod limits;

use std::io::{self, BufRead, Write};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use brain::{Brain, Options};
use quintet_arena::engine::{EngineSpec, Settings};

use super::flags::SearchFlags;
use super::{Program, Status, WorkError};

/// Run as a brain for managers of the Gomocup protocol, such as Piskvork
///
/// It plays Gomoku on 11×11 with rule 1, exactly five in a row (the ruleset ggp); any other size or rule is
/// an ERROR. Commands come from standard input, one per line: START, RECTSTART, RESTART, BEGIN, TURN,
/// BOARD, SWAP2BOARD, TAKEBACK, INFO, ABOUT, END. 0,0 is the cell a11.
///
/// INFO `timeout_turn`, `timeout_match`, `time_left`, `max_memory` and `max_node` are limits of a move,
/// beside the search flags. A move gets a twentieth of the time left of a match. The search ends --margin
/// before the limit, or at half of the limit if that is later. With a limit of 0 it takes a millisecond.
///
/// docs/gomocup.md has a whole session.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example (> is sent to the brain, < is its answer):\n  \
    > START 11\n  \
    < OK\n  \
    > INFO rule 1\n  \
    > INFO timeout_turn 500\n  \
    > TURN 5,5\n  \
    < MESSAGE …\n  \
    < 6,4\n  \
    > END")]
pub(crate) struct Args {
    /// How long before a limit the search ends, to answer in time
    #[arg(long, value_name = "TIME", default_value = "30ms", value_parser = margin)]
    margin: Duration,
    #[command(flatten)]
    search: SearchFlags,
}

/// Parses a margin.
fn margin(text: &str) -> Result<Duration, String> {
    let mut settings = Settings::default();
    settings.set("margin", text)?;
    Ok(settings.margin())
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    converse(args.margin, &args.search, program, || io::stdin().lock(), out)
}

/// Answers the commands of `input` until its end or until `END`.
pub(crate) fn converse<R: BufRead>(
    margin: Duration,
    flags: &SearchFlags,
    program: &Program,
    input: impl FnOnce() -> R + Send + 'static,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    /// The maximum number of lines that are not handled yet.
    const LINES: usize = 16;
    let settings = flags.settings();
    EngineSpec::default().check(&settings)?;
    let game = program.games.find("gomoku", Some("ggp"))?;
    let options = Options { program, game, settings, seed: flags.seed, margin };
    let (events, to_handle) = mpsc::sync_channel(LINES);
    let stop = Arc::<AtomicBool>::default();
    let of_input = Arc::clone(&stop);
    let reader = thread::Builder::new().spawn(move || input::read(&mut input(), &events, &of_input));
    reader.map_err(|error| WorkError(format!("can't start a thread: {error}")))?;
    Brain::new(options, stop).run(&to_handle, out)
}
