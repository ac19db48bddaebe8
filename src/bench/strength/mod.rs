//! `quintet bench strength`

mod config;
mod ladder;
mod lines;

use std::fs;
use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use quintet_arena::stats::text::percent;
use quintet_arena::tournament::{Campaign, GameRatings, VariantName, resume};
use quintet_core::registry::Registry;
use quintet_protocol::RunLine;

use self::config::Config;
use self::ladder::Ladder;
use crate::arena::play::{self, STOPPING};
use crate::arena::tables::columns;
use crate::flags::cores;
use crate::interrupt::Interrupt;
use crate::output::{note, replace};
use crate::{Program, Status};

/// Measure how strong the engines are, and how much more iterations and more trees gain
///
/// Plays ladders of engines in every game and ruleset, and writes the ratings: a table for each ladder
/// to ladder.md, and JSON lines to ladder.jsonl. Engines search a fixed number of iterations, so the
/// results are the same on every machine.
///
/// The games of each ladder go into a file in the subfolder games; `arena report` makes a page of
/// them. After a stop, the same command plays the missing games; games of other ladders or of another
/// revision are refused. The built-in ladders take about an hour on two cores.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A TOML file that lists other ladders than the built-in ones, which are those of
    /// benches/strength.toml in the sources
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The folder for the results
    #[arg(long, value_name = "DIR", default_value = "results/strength")]
    out: PathBuf,
    /// Games played at the same time [default: the number of cores]
    #[arg(long, value_name = "N")]
    concurrency: Option<NonZeroUsize>,
    /// Print the ratings as JSON objects, one per line
    #[arg(long)]
    json: bool,
    /// Without a terminal, print a line of progress every N games
    #[arg(long, value_name = "N", default_value = "100")]
    progress: NonZeroU64,
}

/// A ladder and its ratings, game by game.
type RatedLadder<'a> = (&'a Ladder, Vec<GameRatings>);

pub(crate) fn run(args: &Args, program: &Program, out: &mut dyn Write) -> anyhow::Result<Status> {
    let registry = &program.games;
    let config = Config::read(args.config.as_deref(), registry)?;
    let folder = &args.out;
    let games = folder.join("games");
    fs::create_dir_all(&games).with_context(|| format!("can't create the folder {}", games.display()))?;

    // Read first, as the sources may change while the games are played.
    let revision = revision(&program.title());
    let interrupt = Interrupt::catch(Some(STOPPING))?;
    let mut ladders = Vec::new();
    for ladder in &config.ladders {
        note(format_args!("{}", ladder.title));
        let Some(ratings) = play(args, &config, ladder, registry, &revision, &games, interrupt.stop())?
        else {
            note("interrupted: the same command resumes it");
            return Ok(Status::Interrupted);
        };
        ladders.push((ladder, ratings));
    }
    let config_flag = args.config.as_ref().map(|file| format!(" --config {}", file.display()));
    let conditions = RunLine {
        command: format!("{} bench strength{}", program.name, config_flag.unwrap_or_default()),
        seed: config.seed,
        opening_plies: config.opening_plies,
        games_per_meeting: config.games_per_meeting,
        revision,
    };

    let lines = lines::lines(&conditions, &ladders);
    replace(&folder.join("ladder.md"), page(&conditions, &ladders).as_bytes())?;
    replace(&folder.join("ladder.jsonl"), lines.as_bytes())?;
    if args.json {
        out.write_all(lines.as_bytes())?;
    } else {
        writeln!(out, "{} has the results", folder.join("ladder.md").display())?;
    }
    Ok(Status::Done)
}

/// Plays the missing games of a ladder; `None` if interrupted.
fn play(
    args: &Args,
    config: &Config,
    ladder: &Ladder,
    registry: &Registry,
    revision: &str,
    games: &Path,
    stop: &AtomicBool,
) -> anyhow::Result<Option<Vec<GameRatings>>> {
    let (tournament, schedule) = ladder.tournament(config, revision);
    let (log, known) =
        resume(&games.join(format!("{}.jsonl", ladder.name)), &tournament, &schedule, registry)?;
    let campaign = Campaign {
        tournament: &tournament,
        schedule,
        test: None,
        concurrency: args.concurrency.unwrap_or_else(cores),
        remote: None,
        stop,
    };
    let (standings, failed) = play::play(&campaign, Some(log), &known, args.progress);
    failed?;
    Ok((!stop.load(Ordering::Relaxed)).then(|| standings.ratings(Some(0))))
}

/// Returns how the games were played, and a table of ratings for each ladder.
fn page(conditions: &RunLine, ladders: &[RatedLadder<'_>]) -> String {
    let RunLine { command, revision, seed, opening_plies, games_per_meeting, .. } = conditions;
    let mut page = format!(
        "# Strength\n\n    {command}\n\n{revision}. Seed {seed}, {opening_plies} random plies as \
         opening, {games_per_meeting} games between any two engines that meet, with seats swapped. Elo with \
         95 % intervals, from one fit of all games of a ladder in a game.\n",
    );
    for (ladder, games) in ladders {
        page += &format!(
            "\n## {}\n\n| game | rules | engine | games | score | Elo | 95 % |\n|---|---|---|--:|--:|--:|--:|\n",
            ladder.title
        );
        for GameRatings { game: VariantName { game, rules }, engines, list } in games {
            for rating in &list.ratings {
                let (name, games, score) = (&engines[rating.engine], rating.games, percent(rating.score));
                let [elo, interval] = columns(rating.open_elo());
                page += &format!("| {game} | {rules} | {name} | {games} | {score} | {elo} | {interval} |\n");
            }
        }
    }
    page
}

/// Returns the program's title, and the revision of its sources if they are available.
fn revision(title: &str) -> String {
    let Some(revision) = git(&["rev-parse", "--short", "HEAD"]) else {
        return format!("{title}, revision unknown");
    };
    let changed = git(&[
        "--no-optional-locks",
        "status",
        "--porcelain",
        "--",
        "src",
        "crates",
        "Cargo.toml",
        "Cargo.lock",
    ]);
    let changed = if changed.is_some_and(|files| !files.is_empty()) { " with changes" } else { "" };
    format!("{title}, revision {revision}{changed}")
}

fn git(arguments: &[&str]) -> Option<String> {
    output(Command::new("git").args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")))
}

/// Returns what a program prints, if there is one and it succeeds.
fn output(program: &mut Command) -> Option<String> {
    let output = program.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
