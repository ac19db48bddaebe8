//! `quintet gomocup`

use std::io::{self, Write};
use std::time::Duration;

use quintet_arena::engine::read_time;

use super::flags::SearchFlags;
use super::{Program, Status, players};

/// Run as a brain for managers of the Gomocup protocol, such as Piskvork
///
/// It plays Gomoku on 11×11 with rule 1, exactly five in a row (the ruleset ggp); any other size or rule is
/// an ERROR. Commands come from standard input, one per line: START, RECTSTART, RESTART, BEGIN, TURN,
/// BOARD, SWAP2BOARD, TAKEBACK, INFO, ABOUT, END, and those of Yixin-Board: YXBOARD, YXNBEST, YXSTOP,
/// YXSHOWINFO, YXHASHCLEAR, YXSHOWFORBID, YXSWAP2STEP1 to 3. 0,0 is the cell a11.
///
/// INFO `timeout_turn`, `timeout_match`, `time_left`, `max_memory` and `max_node` are limits of a move,
/// beside the search flags. A move gets a twelfth of the time left of a match. The search ends --margin
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
#[command(mut_arg("time", |it| {
    it.help("Time per move, such as 500ms or 2s [default: 1s if INFO and the flags give no limit]")
}))]
pub(crate) struct Args {
    /// How long before a limit the search ends, to answer in time
    #[arg(long, value_name = "TIME", default_value = "30ms", value_parser = read_time)]
    margin: Duration,
    #[command(flatten)]
    search: SearchFlags,
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    let config = program.config(&args.search);
    players::status(quintet_players::gomocup::run(config, args.margin, io::stdin(), out))
}
