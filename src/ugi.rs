//! `quintet ugi`

use std::io::{self, Write};

use super::flags::{ModelFlags, SearchFlags};
use super::{Program, Status, players};

/// Run as an engine for a program that speaks UGI, the Universal Game Interface
///
/// UGI is UCI for any game of two sides. p1 is the side that moves first; a side may be a team of
/// several roles. Commands come from standard input, one per line: ugi, isready, uginewgame,
/// setoption, position (startpos or fen STRING, then moves …), moves, go, stop, ponderhit, query (p1turn,
/// gameover, result), d or display, quit. `games` says how moves and positions are written.
///
/// The options are Game, Rules, Threads (cores), Trees (0 for the default), Hash (memory in MiB), Seed, MultiPV
/// (variations), Ponder and Engine (such as uct:c=0.5). Changing Game or Rules goes back to the start position.
///
/// go takes nodes (iterations), movetime (in ms), infinite (until stop), or clocks (in ms): p1time,
/// p2time, p1inc and p2inc; searchmoves MOVES to choose from; and ponder (until ponderhit). With a
/// clock, a move gets a twelfth of the time left plus half the increment, but at most half the
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
    let config = program.config(&args.search);
    players::status(quintet_players::ugi::run(config, args.models.models()?, io::stdin(), out))
}
