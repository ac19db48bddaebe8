//! `quintet analyze`

use std::io::Write;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use quintet_arena::engine::{EngineSpec, Settings};
use quintet_core::Quoted;
use quintet_core::registry::Registry;
use quintet_protocol::{Answer, AnswerError, Id, Query};

use super::flags::SearchFlags;
use super::interrupt::Interrupt;
use super::{Status, answer};

/// Answer queries from standard input: one JSON object per line in, one per line out
///
/// A query needs `game`. It may have `id` (returned unchanged), `rules`, `position`, `moves` (an
/// array), `engine`, `iterations`, `time_ms`, `threads`, `seed` and `memory` (such as "512MiB").
/// The flags set the defaults. In an answer, the `value` of a move that was not tried is null.
/// Ctrl-C ends the search at hand early; it is answered with what has been found.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  echo '{\"id\":1,\"game\":\"{game}\",\"moves\":[\"{move}\"],\"iterations\":10000}' | {name} analyze"
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) search: SearchFlags,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    EngineSpec::default().check(&args.search.settings())?;
    let mut status = Status::Done;
    let mut input = std::io::stdin().lock();
    let interrupt = Interrupt::catch(None)?;
    while let Some(line) = interrupt.idle(|| quintet_protocol::next_line(&mut input)) {
        let Some(line) = line.context("can't read standard input")? else { return Ok(status) };
        let Some(answer) = answer_line(line, games, &args.search, interrupt.stop()) else { continue };
        if matches!(answer, Answer::Error(_)) {
            status = Status::FoundWrong;
        }
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        out.flush()?;
    }
    Ok(Status::Interrupted)
}

/// Answers a line of the input; `None` if it is empty.
pub(crate) fn answer_line(
    line: Result<Vec<u8>, String>,
    games: &Registry,
    flags: &SearchFlags,
    stop: &AtomicBool,
) -> Option<Answer> {
    if line.as_ref().is_ok_and(Vec::is_empty) {
        return None;
    }
    let query = match line {
        Ok(line) => Query::parse(&line),
        Err(error) => Err(AnswerError { id: Id::default(), error }),
    };
    let answer = query.and_then(|query| {
        answer(&query, games, flags, stop).map_err(|error| AnswerError { id: query.id, error })
    });
    Some(answer.unwrap_or_else(Answer::Error))
}

fn answer(query: &Query, games: &Registry, flags: &SearchFlags, stop: &AtomicBool) -> Result<Answer, String> {
    let id = Some(query.id.clone());
    let game = games.find(&query.game, query.rules.as_deref()).map_err(|error| error.to_string())?;
    let moves = query.moves.iter().map(String::as_str);
    let mut session = game.set_up(query.position.as_deref(), moves).map_err(|error| error.to_string())?;
    let spec: EngineSpec = match &query.engine {
        None => EngineSpec::default(),
        Some(text) => text.parse().map_err(|error| format!("{error}"))?,
    };
    let asked = settings(query)?;
    if spec.settings.has_budget() && asked.has_budget() {
        return Err(format!(
            "the engine {} has a budget of its own: leave out iterations and time_ms",
            Quoted(&spec.name)
        ));
    }
    let (config, budget) = spec.config(&asked.or(&flags.settings())).map_err(|error| error.to_string())?;
    let engine = session.add_engine(&config).map_err(|error| error.to_string())?;
    if session.outcome().is_some() {
        return Ok(answer::terminal(id, &*session));
    }
    let seed = query.seed.unwrap_or(flags.seed);
    let report = session.think(engine, budget, seed, stop).map_err(|error| error.to_string())?;
    Ok(answer::moves(id, &*session, engine, &report))
}

/// Returns the settings of a query.
fn settings(query: &Query) -> Result<Settings, String> {
    let given = [
        ("iterations", "iterations", query.iterations.map(|number| number.to_string())),
        ("time_ms", "time", query.time_ms.map(|milliseconds| format!("{milliseconds}ms"))),
        ("threads", "threads", query.threads.map(|number| number.to_string())),
        ("memory", "memory", query.memory.clone()),
    ];
    let mut settings = Settings::default();
    for (field, key, text) in given {
        if let Some(text) = text {
            settings
                .set(key, &text)
                .map_err(|reason| format!("{field}: {text} {reason}", text = Quoted(&text)))?;
        }
    }
    Ok(settings)
}
