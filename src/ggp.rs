//! `quintet ggp`

use std::io::Write;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use quintet_arena::engine::{EngineSpec, read_time};
use quintet_core::Quoted;
use quintet_core::registry::Registry;
use quintet_players::ggp::{self, Games, Player, Thinking};
use tokio::sync::watch;

use super::flags::{SearchFlags, concurrency, engine};
use super::interrupt::Interrupt;
use super::output::note;
use super::serve::listen;
use super::{Program, Status, WorkError};

/// Play in matches of the General Game Playing protocol, over HTTP
///
/// A game server sends the rules of a game and then the moves of all players, and gets a move for each.
/// Any rules are played: they are compiled on the start clock, and as long as that takes they are followed
/// to the letter, which is slow. The games with a ruleset of the General Game Playing repository are
/// recognized by what their rules say, and played with what is known of them. Serves until Ctrl-C, and
/// writes what happens on standard error.
///
/// A match uses its start clock before the first move and its play clock for every move, except for the
/// margin. --time and --iterations limit searches further. The tree is kept from move to move. Matches
/// that think at the same time share the cores; each has trees and memory of its own.
///
/// docs/ggp.md has all messages with their answers.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  {name} ggp --port 9147 --listen 0.0.0.0")]
#[command(mut_arg("time", |it| {
    it.help("The most time per move, such as 500ms or 2s [default: what the clock allows]")
}))]
pub(crate) struct Args {
    /// The port, or 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 9147)]
    port: u16,
    /// The address of this machine to listen at, or 0.0.0.0 for all [default: 127.0.0.1]
    #[arg(long, value_name = "ADDR")]
    listen: Option<IpAddr>,
    /// What is left of a clock when the search ends, at most half of it
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = read_time)]
    margin: Duration,
    /// The most matches at a time, counting each role; more are answered by busy
    #[arg(long, value_name = "N", default_value = "8", value_parser = concurrency)]
    matches: NonZeroUsize,
    /// Think on the time of the other players, too
    #[arg(long)]
    ponder: bool,
    /// The engine
    #[arg(long, value_name = "ENGINE", default_value = "quintet:early_stop=off", value_parser = engine(false), hide_possible_values = true)]
    engine: EngineSpec,
    /// Also take the rules in a file as those of a game with the same roles and moves
    #[arg(long = "rulesheet", value_name = "GAME:RULES=FILE")]
    rulesheets: Vec<String>,
    #[command(flatten)]
    search: SearchFlags,
}

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    let games = games(&program.games, &args.rulesheets)?;
    let settings = args.search.settings();
    args.engine.check(&settings)?;
    let (engine, _) = args.engine.config(&settings)?;
    let limits = args.engine.settings.or(&settings);
    let thinking = Thinking {
        engine,
        iterations: limits.iterations,
        time: limits.time,
        seed: args.search.seed(),
        ponder: args.ponder,
    };
    let listeners = listen(args.listen, args.port..=args.port)?;
    let address = listeners.address();
    let (stop, stopping) = watch::channel(false);
    let _interrupt = Interrupt::catch_and(move || _ = stop.send_replace(true))?;
    writeln!(out, "{} plays at {address} (Ctrl-C ends it)", program.name)?;
    out.flush()?;
    let player = Player {
        name: program.name,
        games,
        thinking,
        margin: args.margin,
        matches: args.matches,
        note: |text| note(text),
    };
    ggp::serve(player, listeners, stopping).map_err(|error| WorkError(format!("can't serve: {error}")))?;
    note(format!("{} has ended", program.name));
    Ok(Status::Done)
}

/// The games that are recognized: those with rulesheets, and those of `more`, each in the form
/// `GAME:RULES=FILE`.
fn games(registry: &Registry, more: &[String]) -> anyhow::Result<Games> {
    let mut games = Games::new(registry);
    for text in more {
        let form = || anyhow!("--rulesheet: expected GAME:RULES=FILE, not {}", Quoted(text));
        let (names, file) = text.split_once('=').ok_or_else(form)?;
        let (game, rules) = names.split_once(':').ok_or_else(form)?;
        let game = registry.find(game, Some(rules)).context("--rulesheet")?;
        let content = quintet_gdl::text_of(Path::new(file))?;
        games.add(&game, &content).map_err(|error| anyhow!("{}: {error}", Quoted(file)))?;
    }
    Ok(games)
}
