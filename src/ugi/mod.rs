//! `quintet ugi`

mod command;
mod engine;
mod info;
mod input;
mod limits;
mod options;
mod search;
mod searcher;

use std::io::{self, BufRead, Write};
use std::sync::mpsc;
use std::thread;

use anyhow::bail;
use engine::Engine;
use input::Event;
use options::Options;
use quintet_arena::engine::{EngineSpec, Models};

use super::flags::{ModelFlags, SearchFlags};
use super::{Program, Status, WorkError, ahead};

/// Run as an engine for a program that speaks UGI, the Universal Game Interface
///
/// UGI is UCI for any game of two sides. p1 is the side that moves first; a side may be a team of
/// several roles. Commands come from standard input, one per line: ugi, isready, uginewgame,
/// setoption, position (startpos or fen STRING, then moves …), moves, go, stop, ponderhit, query (p1turn,
/// gameover, result), d or display, quit. `games` says how moves and positions are written.
///
/// The options are Game, Rules, Threads (trees), Hash (memory in MiB), Seed, MultiPV (variations),
/// Ponder and Engine (such as uct:c=0.5). Changing Game or Rules goes back to the start position.
///
/// go takes nodes (iterations), movetime (in ms), infinite (until stop), or clocks (in ms): p1time,
/// p2time, p1inc and p2inc; searchmoves MOVES to choose from; and ponder (until ponderhit). With a
/// clock, a move gets a twentieth of the time left plus half the increment, but at most half the
/// time left. Without any limit, the search flags apply. The score is cp 400 log10(p / (1 - p)) for
/// an expected score p, or mate PLIES.
///
/// Every go is answered by one line with bestmove. What can't be used of its arguments is left out and
/// said in an info string; a game that is over has the answer bestmove (none). The move to ponder is named
/// after setoption name Ponder value true.
///
/// Any other wrong command changes nothing and is answered by a line that begins with "info string error:".
/// During a search, isready, stop, ponderhit and quit are answered at once, other commands after
/// it. At the end of input, a search that nodes limit is finished, and any other has half a second
/// more. So leave quit out of piped input: right after go it stops the search.
///
/// docs/ugi.md has all commands, options and fields, and a whole session.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example (> is sent to the engine, < is its answer):\n  \
    > ugi\n  \
    < id name {name} …\n  \
    < …\n  \
    < ugiok\n  \
    > setoption name Game value {game}\n  \
    > position startpos moves {move}\n  \
    > query gameover\n  \
    < response false\n  \
    > go nodes 1000\n  \
    < info nodes …\n  \
    < bestmove …\n  \
    > quit")]
pub(crate) struct Args {
    #[command(flatten)]
    models: ModelFlags,
    #[command(flatten)]
    search: SearchFlags,
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    converse(&args.search, args.models.models(), program, || io::stdin().lock(), out)
}

/// Answers the commands of `input` until its end or until `quit`.
pub(crate) fn converse<R: BufRead>(
    flags: &SearchFlags,
    models: Models,
    program: &Program,
    input: impl FnOnce() -> R + Send + 'static,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let (spec, settings) = (EngineSpec::default(), flags.settings());
    spec.check(&settings)?;
    let Some(&game) = program.games.variants().first() else { bail!("there are no games") };
    let (seed, variations, ponders) = (flags.seed, 1, false);
    let options = Options { program, game, spec, settings, seed, variations, ponders, models };
    let (events, to_handle) = mpsc::sync_channel(EVENTS);
    let (tasks, to_do) = mpsc::channel();
    let of_searches = events.clone();
    start(thread::Builder::new(), move || searcher::run(&to_do, &of_searches))?;
    start(thread::Builder::new(), move || {
        ahead::read(&mut input(), &mut |input| events.send(Event::Input(input)).is_ok());
    })?;
    Engine::new(options, tasks).run(&to_handle, out)
}

/// The maximum number of events that are not handled yet.
const EVENTS: usize = 16;

/// Starts a thread that does `work`.
fn start(thread: thread::Builder, work: impl FnOnce() + Send + 'static) -> Result<(), WorkError> {
    match thread.spawn(work) {
        Ok(_) => Ok(()),
        Err(error) => Err(WorkError(format!("can't start a thread (ulimit -u and -v limit them): {error}"))),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_can_not_be_had_is_an_error() {
        // No process has as much memory as this stack takes.
        let error = start(thread::Builder::new().stack_size(1 << 60), || ()).expect_err("no thread");
        assert!(error.to_string().starts_with("can't start a thread (ulimit -u"), "{error}");
    }
}
