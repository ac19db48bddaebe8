//! `quintet suggest`

use std::io::Write;

use anyhow::{Context as _, bail};
use quintet::catalog::Visitor;
use quintet::engine::{Engine, EngineSpec};
use quintet::knowledge::Known;
use quintet::search::{Candidate, Report};
use serde_json::Map;

use super::flags::{GameFlags, SearchFlags};
use super::output::{BEST, HEADING, Table, rate, styled, thousands};
use super::{Status, answer};

/// Find the best move of a position, and show why
///
/// Draws the board with the best move in brackets, and lists the candidate moves with how often the search
/// tried them (visits) and the score that the role to move can expect (0 to 100).
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  quintet suggest quarto --moves \"0101 b2 1010\" --time 2s\n  \
                        quintet suggest krk --position \"k3/4/4/2KR w 1\" --iterations 10000 --threads 1")]
pub(super) struct Args {
    #[command(flatten)]
    game: GameFlags,
    /// The moves so far, as tokens separated by spaces
    #[arg(long, value_name = "TOKENS", default_value = "", hide_default_value = true)]
    moves: String,
    /// The position to start from, as `quintet games` describes it; --moves go on from it
    #[arg(long, value_name = "STRING")]
    position: Option<String>,
    /// The engine: random, uct or quintet, with settings after a colon
    #[arg(long, default_value = "quintet")]
    engine: EngineSpec,
    /// Print the answer as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    search: SearchFlags,
}

pub(super) fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Status> {
    if args.engine.settings.has_budget() && args.search.settings().has_budget() {
        bail!("the engine {:?} has a budget of its own: leave out --time and --iterations", args.engine.name);
    }
    args.game.game.visit(args.game.rules, Suggest { args, out })
}

struct Suggest<'a> {
    args: &'a Args,
    out: &'a mut dyn Write,
}

impl Visitor for Suggest<'_> {
    type Output = anyhow::Result<Status>;

    fn visit<G: Known>(self) -> Self::Output {
        let Self { args, out } = self;
        let (game, rules) = (args.game.game, args.game.rules);
        let position: G = quintet::game::set_up(args.position.as_deref(), args.moves.split_whitespace())
            .with_context(|| format!("{game} ({rules})"))?;
        let found = if position.outcome().is_some() {
            None
        } else {
            let mut engine = Engine::<G>::new(&args.engine, &args.search.settings())?;
            let report = engine.think(&position, args.search.seed)?;
            Some((engine, report))
        };
        if args.json {
            let found = found.as_ref().map(|(engine, report)| (engine, report));
            let answer = answer::complete(Map::new(), (game, rules), &position, found);
            writeln!(out, "{answer}")?;
            return Ok(Status::Done);
        }
        let title = format!("{} ({rules})", G::ABOUT.title);
        match found {
            None => {
                writeln!(out, "{}: the game is over\n\n{}", styled(HEADING, title), position.draw(None))?;
                writeln!(out, "position: {position}")?;
                for (role, score) in answer::scores(&position) {
                    writeln!(out, "{role}: {score}")?;
                }
            }
            Some((engine, report)) => {
                let role = G::ROLES[report.role].name;
                writeln!(out, "{}: {role} to move\n", styled(HEADING, title))?;
                print_report(&position, &engine, &report, out)?;
            }
        }
        Ok(Status::Done)
    }
}

/// The most candidates that are listed.
const LISTED: usize = 12;

fn print_report<G: Known>(
    position: &G,
    engine: &Engine<G>,
    report: &Report<G::Move>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let best = report.best();
    writeln!(out, "{}\nposition: {position}\n", position.draw(Some(best.mv)))?;

    let mut table = Table::new(1, ["move", "visits", "share", "score", "why"]).ending_in_words();
    for candidate in report.candidates.iter().take(LISTED) {
        let share = 100.0 * candidate.visits as f64 / report.iterations.max(1) as f64;
        table.row([
            candidate.mv.to_string(),
            thousands(candidate.visits),
            format!("{share:.1} %"),
            candidate.value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}")),
            engine.why(position, candidate),
        ]);
        if candidate.mv == best.mv {
            table.highlight();
        }
    }
    table.print(out)?;
    if let Some(more @ 1..) = report.candidates.len().checked_sub(LISTED) {
        writeln!(out, "… and {more} more")?;
    }

    let line: Vec<String> = report.principal_variation.iter().map(ToString::to_string).collect();
    let value = best.value.map_or(String::new(), |value| format!(" (expected score {value:.1} of 100)"));
    writeln!(out, "\nbest move: {}{value}", styled(BEST, best.mv))?;
    writeln!(out, "principal variation: {}", line.join(" "))?;
    let is_proven = |candidate: &Candidate<_>| candidate.proven.is_some();
    if report.candidates.iter().all(is_proven) {
        writeln!(out, "All of this is known for certain.")?;
    } else if report.iterations == 0 && is_proven(best) {
        writeln!(out, "The best move was proven before the search. Moves without a score were left open.")?;
    } else if report.iterations == 0 {
        writeln!(out, "This engine does not search.")?;
    }
    if report.iterations == 0 {
        return Ok(());
    }
    let seconds = report.elapsed.as_secs_f64();
    writeln!(
        out,
        "{} iterations in {seconds:.2} s ({}), {} nodes, {:.1} MiB",
        thousands(report.iterations),
        rate(report.iterations as f64 / seconds.max(1e-9)),
        thousands(report.nodes),
        report.bytes as f64 / f64::from(1 << 20),
    )?;
    if report.candidates.len() == 1 {
        writeln!(out, "There is only one legal move, so it was not searched further.")?;
    }
    if report.memory_was_full {
        writeln!(out, "The memory was used up, so the tree stopped growing: --memory gives it more.")?;
    }
    Ok(())
}
