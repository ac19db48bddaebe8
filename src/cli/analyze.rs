//! `quintet analyze`

use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Duration;

use anyhow::Context as _;
use quintet::catalog::{GameId, Visitor};
use quintet::engine::{Engine, EngineSpec, Settings};
use quintet::games::Rules;
use quintet::knowledge::Known;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::flags::SearchFlags;
use super::{Status, answer, lines};

/// Answer queries from standard input, one JSON object a line in, one a line out
///
/// A query needs `game`; it may have `id` (given back as it is), `rules`, `position`, `moves` (an array),
/// `engine`, `iterations`, `time_ms`, `threads`, `seed` and `memory` (such as "512MiB"). A `value` is null
/// for a move that was not tried. What the query leaves out is taken from the flags.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  echo '{\"id\":1,\"game\":\"krk\",\"moves\":[\"Kc1-c2\"],\"iterations\":10000}' | quintet analyze"
)]
pub(super) struct Args {
    #[command(flatten)]
    search: SearchFlags,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    #[serde(default, rename = "id")]
    _id: Value,
    game: String,
    rules: Option<String>,
    position: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
    engine: Option<String>,
    iterations: Option<u64>,
    time_ms: Option<u64>,
    threads: Option<NonZeroUsize>,
    seed: Option<u64>,
    memory: Option<String>,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Status> {
    let defaults = args.search.settings();
    EngineSpec::default().check(&defaults)?;
    let mut status = Status::Done;
    let mut input = std::io::stdin().lock();
    while let Some(line) = lines::next(&mut input).context("can't read standard input")? {
        if line.as_ref().is_ok_and(Vec::is_empty) {
            continue;
        }
        let (id, answer) = match line.and_then(|line| lines::object(&line)) {
            Err(error) => (Value::Null, Err(error)),
            Ok(object) => {
                let id = object.get("id").cloned().unwrap_or_default();
                (id.clone(), answer(object, id, &args.search))
            }
        };
        let answer = answer.unwrap_or_else(|error| {
            status = Status::FoundWrong;
            json!({ "id": id, "error": error })
        });
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(status)
}

fn answer(query: Map<String, Value>, id: Value, flags: &SearchFlags) -> Result<Value, String> {
    let query: Query = lines::read(query)?;
    let game: GameId = query.game.parse().map_err(|error| format!("{error}"))?;
    let rules =
        query.rules.as_deref().map_or(Ok(Rules::Spec), str::parse).map_err(|error| format!("{error}"))?;
    game.visit(rules, Answer { query, id, game, rules, flags })
}

struct Answer<'a> {
    query: Query,
    id: Value,
    game: GameId,
    rules: Rules,
    flags: &'a SearchFlags,
}

impl Visitor for Answer<'_> {
    type Output = Result<Value, String>;

    fn visit<G: Known>(self) -> Self::Output {
        let Self { query, id, game, rules, flags } = self;
        let moves = query.moves.iter().map(String::as_str);
        let position: G =
            quintet::game::set_up(query.position.as_deref(), moves).map_err(|error| error.to_string())?;
        let spec: EngineSpec = match query.engine {
            None => EngineSpec::default(),
            Some(text) => text.parse().map_err(|error| format!("{error}"))?,
        };
        let memory = query.memory.as_deref().map(|text| {
            quintet::engine::parse_memory(text).map_err(|reason| format!("memory: {text:?} {reason}"))
        });
        let asked = Settings {
            iterations: query.iterations,
            time: query.time_ms.map(Duration::from_millis),
            threads: query.threads,
            memory: memory.transpose()?,
            c: None,
            without: None,
        };
        if spec.settings.has_budget() && asked.has_budget() {
            return Err(format!(
                "the engine {:?} has a budget of its own: leave out iterations and time_ms",
                spec.name
            ));
        }
        let mut engine =
            Engine::<G>::new(&spec, &asked.or(&flags.settings())).map_err(|error| error.to_string())?;
        let report = if position.outcome().is_some() {
            None
        } else {
            let seed = query.seed.unwrap_or(flags.seed);
            Some(engine.think(&position, seed).map_err(|error| error.to_string())?)
        };
        let answer = Map::from_iter([("id".to_owned(), id)]);
        let found = report.as_ref().map(|report| (&engine, report));
        Ok(answer::complete(answer, (game, rules), &position, found))
    }
}
