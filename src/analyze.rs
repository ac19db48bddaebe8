//! `quintet analyze`

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};

use anyhow::Context as _;
use quintet_analysis::{Client, Limits, Sources};
use quintet_arena::engine::EngineSpec;
use quintet_protocol::Answer;

use super::flags::{ModelFlags, SearchFlags, concurrency};
use super::interrupt::Interrupt;
use super::{Program, Status, start_thread};

/// Answer queries from standard input: one JSON object per line in, one per line out
///
/// A query needs `game`. It may have `id` (returned unchanged), `rules`, `position`, `moves` (an
/// array), `engine`, `iterations`, `time_ms`, `threads`, `trees`, `seed` and `memory` (such as "512MiB").
/// The flags set the defaults. In an answer, the `value` of a move that was not tried is null.
///
/// A query may also ask for partial answers (`report_every_ms`), principal variations
/// (`variations`), many plies of a game (`analyze_plies`), some moves only (`allow_moves`,
/// `avoid_moves`), an end once the best move is sure (`until`), and trees that are used again
/// (`keep`); it may have a `priority`. `{"action":"terminate","terminate_id":1}` ends it.
/// docs/analyze.md describes a session, docs/json.md all fields and actions.
///
/// Ctrl-C ends the searches at hand early; they are answered with what has been found, and queries that wait
/// are not.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  echo '{\"id\":1,\"game\":\"{game}\",\"moves\":[\"{move}\"],\"iterations\":10000}' | {name} analyze"
)]
pub(crate) struct Args {
    /// Queries to search at a time. With more than one, answers may come in another order
    #[arg(long, value_name = "N", default_value = "1", value_parser = concurrency)]
    concurrency: NonZeroUsize,
    /// At the end of input, answer the queries that wait as terminated
    #[arg(long)]
    drop_waiting: bool,
    #[command(flatten)]
    models: ModelFlags,
    #[command(flatten)]
    pub(crate) search: SearchFlags,
}

/// The number of queries that may wait; more are read when there is room again.
const WAITING: usize = 10_000;

/// What the main thread waits for.
enum Event {
    Answer(Answer),
    /// The input has ended and all queries are answered, or it can't be read.
    End(io::Result<()>),
    Interrupt,
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    EngineSpec::default().check(&args.search.settings())?;
    let (sender, events) = mpsc::sync_channel(64);
    let of_interrupt = sender.clone();
    let interrupt = Interrupt::catch_and(move || drop(of_interrupt.send(Event::Interrupt)))?;
    let limits = Limits { searches: args.concurrency.get(), ..Limits::of_one_client() };
    let sources = Sources { models: args.models.models()?, ..Sources::default() };
    let scheduler = program.scheduler(&args.search, limits, sources)?;
    let of_scheduler = sender.clone();
    let client = Arc::new(scheduler.client(move |answer| drop(of_scheduler.send(Event::Answer(answer)))));
    let (reader, drop_waiting) = (Arc::clone(&client), args.drop_waiting);
    let of_reader = sender.clone();
    start_thread(move || read(&reader, drop_waiting, &of_reader))?;

    let mut status = Status::Done;
    while let Ok(event) = events.recv() {
        match event {
            Event::Answer(answer) => {
                if matches!(answer, Answer::Error(_)) {
                    status = Status::FoundWrong;
                }
                writeln!(out, "{}", serde_json::to_string(&answer)?)?;
                out.flush()?;
            }
            Event::End(result) => {
                result.context("can't read standard input")?;
                break;
            }
            Event::Interrupt => {
                let (client, sender) = (Arc::clone(&client), sender.clone());
                let end = move || {
                    client.close();
                    client.finish();
                    drop(sender.send(Event::End(Ok(()))));
                };
                start_thread(end)?;
            }
        }
    }
    Ok(interrupt.status(status))
}

/// Reads lines until the end of input, and waits until they are answered.
fn read(client: &Client, drop_waiting: bool, events: &SyncSender<Event>) {
    let mut input = io::stdin().lock();
    let result = loop {
        client.wait_for_room(WAITING);
        match quintet_protocol::next_line(&mut input) {
            Ok(Some(Ok(line))) if line.is_empty() => {}
            Ok(Some(line)) => client.line(line),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    if drop_waiting {
        client.drop_waiting();
    }
    client.finish();
    // The main thread may have ended.
    drop(events.send(Event::End(result)));
}
