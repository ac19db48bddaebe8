//! `quintet gomocup`

mod board;
mod brain;
mod limits;
mod stops;

use std::io::{self, BufRead, Write};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use brain::{Brain, Options};
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_protocol::gomocup::Command;
use stops::{GRACE, Stops};

use super::ahead::{self, Input};
use super::flags::SearchFlags;
use super::{Program, Status, WorkError};

/// Run as a brain for managers of the Gomocup protocol, such as Piskvork
///
/// It plays Gomoku on 11×11 with rule 1, exactly five in a row (the ruleset ggp); any other size or rule is
/// an ERROR. Commands come from standard input, one per line: START, RECTSTART, RESTART, BEGIN, TURN,
/// BOARD, SWAP2BOARD, TAKEBACK, INFO, ABOUT, END, and those of Yixin-Board: YXBOARD, YXNBEST, YXSTOP,
/// YXSHOWINFO, YXHASHCLEAR, YXSHOWFORBID, YXSWAP2STEP1 to 3. 0,0 is the cell a11.
///
/// INFO `timeout_turn`, `timeout_match`, `time_left`, `max_memory` and `max_node` are limits of a move,
/// beside the search flags. A move gets a twentieth of the time left of a match. The search ends --margin
/// before the limit, or at half of the limit if that is later. With a limit of 0 it takes a millisecond.
/// At the end of input, a search that iterations limit is finished, and any other has half a second more.
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
    let settings = flags.settings();
    EngineSpec::default().check(&settings)?;
    let game = program.games.find("gomoku", Some("ggp"))?;
    let options = Options { program, game, settings, seed: flags.seed, margin };
    let (inputs, to_handle) = mpsc::channel();
    let stops = Arc::<Stops>::default();
    let to_stop = Arc::clone(&stops);
    let reader = thread::Builder::new().spawn(move || {
        // `END` and `YXSTOP` end a search however much comes before them.
        let mut number = 0;
        ahead::read(&mut input(), &mut |input| {
            let mut is_end = false;
            match &input {
                Input::Line(line, _) => {
                    if let Ok(line) = line
                        && matches!(line.parse(), Ok(Command::End | Command::YxStop))
                    {
                        to_stop.hurry(number);
                    }
                    number += 1;
                }
                Input::Full => {}
                Input::End(_) => is_end = true,
            }
            let is_heard = inputs.send(input).is_ok();
            if is_end {
                to_stop.end_of_input(GRACE);
            }
            is_heard
        });
    });
    reader.map_err(|error| WorkError(format!("can't start a thread: {error}")))?;
    Brain::new(options, stops).run(&to_handle, out)
}
