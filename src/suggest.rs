//! `quintet suggest`

use std::io::Write;

use anyhow::{Context as _, bail};
use quintet_arena::engine::EngineSpec;
use quintet_core::registry::Registry;
use quintet_core::search::{Candidate, Report};
use quintet_core::session::Session;

use super::flags::{GameFlags, SearchFlags, engine};
use super::interrupt::Interrupt;
use super::output::{BEST, HEADING, TextTable, counted, rate, styled, thousands};
use super::{Status, answer};

/// Find the best move of a position, and show why
///
/// Draws the board with the best move in brackets, and lists the candidate moves with their visits
/// and the expected score of the role to move (0 to 100). Ctrl-C ends the search early, with what
/// has been found.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  {name} suggest {game} --time 2s\n  \
                        {name} suggest {game} --moves \"{move}\" --iterations 10000 --threads 1")]
pub(crate) struct Args {
    #[command(flatten)]
    game: GameFlags,
    /// The moves so far, as tokens separated by spaces
    #[arg(long, value_name = "TOKENS", default_value = "", hide_default_value = true)]
    moves: String,
    /// The position to start from, as `games` describes it; --moves are played from it
    #[arg(long, value_name = "STRING")]
    position: Option<String>,
    /// The engine: random, uct or quintet, with settings after a colon
    #[arg(long, default_value = "quintet", value_parser = engine(false), hide_possible_values = true)]
    engine: EngineSpec,
    /// Print the answer as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(crate) search: SearchFlags,
}

pub(crate) fn run(args: &Args, games: &Registry, out: &mut dyn Write) -> anyhow::Result<Status> {
    if args.engine.settings.has_budget() && args.search.settings().has_budget() {
        bail!("the engine {:?} has a budget of its own: leave out --time and --iterations", args.engine.name);
    }
    let game = args.game.find(games)?;
    let mut session = game
        .set_up(args.position.as_deref(), args.moves.split_whitespace())
        .with_context(|| format!("{} ({})", game.game, game.rules))?;
    let title = styled(HEADING, format!("{} ({})", game.about.title, game.rules));
    if session.outcome().is_some() {
        if args.json {
            writeln!(out, "{}", serde_json::to_string(&answer::terminal(None, &*session))?)?;
            return Ok(Status::Done);
        }
        writeln!(out, "{title}: the game is over\n\n{}", session.draw(None))?;
        writeln!(out, "position: {}", session.position())?;
        for (role, score) in answer::scores(&*session) {
            writeln!(out, "{role}: {score}")?;
        }
        return Ok(Status::Done);
    }
    let (config, budget) = args.engine.config(&args.search.settings())?;
    let engine = session.add_engine(&config)?;
    let interrupt = Interrupt::catch(None)?;
    let report = session.think(engine, budget, args.search.seed, interrupt.stop())?;
    let status = interrupt.status(Status::Done);
    if args.json {
        let answer = answer::moves(None, &*session, engine, &report);
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
        return Ok(status);
    }
    writeln!(out, "{title}: {} to move\n", game.roles[report.role].name)?;
    print_report(&*session, engine, &report, out)?;
    Ok(status)
}

/// The maximum number of candidates listed.
const LISTED: usize = 12;

fn print_report(
    session: &dyn Session,
    engine: usize,
    report: &Report<String>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let best = report.best();
    writeln!(out, "{}\nposition: {}\n", session.draw(Some(&best.mv)), session.position())?;

    let mut table = TextTable::new(1, ["move", "visits", "share", "score", "why"]).ending_in_words();
    for (candidate, why) in report.candidates.iter().zip(session.explain(engine)).take(LISTED) {
        let share = 100.0 * candidate.visits as f64 / report.iterations.max(1) as f64;
        table.row([
            candidate.mv.clone(),
            thousands(candidate.visits),
            format!("{share:.1} %"),
            candidate.value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}")),
            why,
        ]);
        if candidate.mv == best.mv {
            table.highlight();
        }
    }
    table.print(out)?;
    if let Some(more @ 1..) = report.candidates.len().checked_sub(LISTED) {
        writeln!(out, "… and {more} more")?;
    }

    let value = best.value.map_or(String::new(), |value| format!(" (expected score {value:.1} of 100)"));
    writeln!(out, "\nbest move: {}{value}", styled(BEST, &best.mv))?;
    writeln!(out, "principal variation: {}", report.principal_variation.join(" "))?;
    let is_proven = |candidate: &Candidate<String>| candidate.proven.is_some();
    if report.candidates.iter().all(is_proven) {
        writeln!(out, "All moves are proven.")?;
    } else if report.iterations == 0 && is_proven(best) {
        writeln!(
            out,
            "The best move was proven before the search. Moves without a score were not searched."
        )?;
    } else if report.iterations == 0 {
        writeln!(out, "This engine does not search.")?;
    }
    if report.iterations == 0 {
        return Ok(());
    }
    let seconds = report.elapsed.as_secs_f64();
    writeln!(
        out,
        "{} in {seconds:.2} s ({}), {}, {:.1} MiB",
        counted(report.iterations, "iteration"),
        rate(report.iterations as f64 / seconds.max(1e-9)),
        counted(report.nodes, "node"),
        report.bytes as f64 / f64::from(1 << 20),
    )?;
    if report.candidates.len() == 1 {
        writeln!(out, "There is only one legal move, so the search stopped early.")?;
    }
    if report.memory_was_full {
        writeln!(out, "The memory was full, so the tree stopped growing: raise --memory.")?;
    }
    Ok(())
}
