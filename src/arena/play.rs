//! Playing the games of a tournament.

use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};

use anyhow::anyhow;
use quintet_arena::tournament::{
    Campaign, GameLog, KnownGames, LogError, RemoteWorkers, ScheduledGame, Standings, Tournament, resume,
};
use quintet_core::registry::Registry;

use super::progress::Progress;
use super::tables;
use super::{Args, FileFlags};
use crate::interrupt::Interrupt;
use crate::output::note;
use crate::{Status, WorkError};

pub(crate) fn run(
    args: &Args,
    tournament: &Tournament,
    games: &Registry,
    remote: Option<&dyn RemoteWorkers>,
    out: &mut dyn Write,
) -> anyhow::Result<Status> {
    let schedule = schedule(args, tournament);
    let total = schedule.len();
    let (log, known) = open(&args.file, tournament, &schedule, games)?;
    let interrupt = Interrupt::catch(Some(STOPPING))?;
    let campaign = Campaign {
        tournament,
        schedule,
        test: args.sprt,
        concurrency: concurrency(args, tournament),
        remote,
        stop: interrupt.stop(),
    };
    let (standings, failed) = play(&campaign, log, &known, args.progress);

    // An error in playing the games is reported before one in printing the table.
    let sprt = args.sprt.as_ref();
    let printed = if args.json {
        writeln!(out, "{}", serde_json::to_string(&standings.summary(sprt))?)
    } else if failed.is_err() && standings.games() == 0 {
        Ok(())
    } else {
        tables::print(&standings, sprt, out)
    };
    let printed = printed.and_then(|()| out.flush());
    failed?;
    printed?;
    if interrupt.is_requested() {
        let how = if args.file.out.is_some() { "; to continue, add --resume" } else { "" };
        note(format!("interrupted after {} of {total} games{how}", standings.games()));
        return Ok(Status::Interrupted);
    }
    Ok(Status::Done)
}

/// What the first Ctrl-C is answered with.
pub(crate) const STOPPING: &str = "stopping; press Ctrl-C again to stop at once";

/// Plays the games of a campaign that are not `known`, while a bar or lines show its progress, and adds them to
/// `log`. Without a terminal there is a line every `every` games. Returns the standings even if there was an
/// error.
pub(crate) fn play(
    campaign: &Campaign<'_>,
    log: Option<GameLog>,
    known: &KnownGames,
    every: NonZeroU64,
) -> (Standings, Result<(), WorkError>) {
    let mut standings = campaign.standings(known);
    let mut progress = Progress::new(&standings, campaign.schedule.len() as u64, every, campaign.test);
    let played = campaign.play(log, known, &mut standings, &mut progress);
    progress.finish();
    (standings, played.map_err(|error| WorkError(error.to_string())))
}

/// Opens the file for the games, and returns those of `schedule` that it has.
fn open(
    flags: &FileFlags,
    tournament: &Tournament,
    schedule: &[ScheduledGame],
    games: &Registry,
) -> anyhow::Result<(Option<GameLog>, KnownGames)> {
    let Some(path) = &flags.out else { return Ok((None, Vec::new())) };
    if !flags.resume {
        let log = GameLog::create(path).map_err(|error| match error {
            LogError::HasContent(_) => anyhow!("{error}: continue it with --resume, or name another file"),
            error => error.into(),
        })?;
        return Ok((Some(log), Vec::new()));
    }
    let (log, known) = resume(path, tournament, schedule, games)?;
    Ok((Some(log), known))
}

/// Returns all games, or those of the shard.
pub(super) fn schedule(args: &Args, tournament: &Tournament) -> Vec<ScheduledGame> {
    let schedule = tournament.schedule();
    match args.file.shard {
        Some(shard) => shard.of(schedule),
        None => schedule,
    }
}

/// Returns the number of games that this process plays at the same time. By default there is a core
/// for each thread of the engine with the most threads.
pub(super) fn concurrency(args: &Args, tournament: &Tournament) -> NonZeroUsize {
    let by_cores = || NonZeroUsize::new(rayon::current_num_threads() / tournament.threads());
    args.concurrency.or_else(by_cores).unwrap_or(NonZeroUsize::MIN)
}
