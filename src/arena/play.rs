//! Playing the games of a tournament.

use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use anyhow::anyhow;
use quintet_arena::stats::Sprt;
use quintet_arena::tournament::{
    self, Assignment, GameLog, LogError, Plan, Playing, RemoteWorkers, Standings, Tournament, Workers,
};
use quintet_core::registry::Registry;
use quintet_protocol::GameRecord;

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
        progress: args.progress,
        stop: interrupt.stop(),
    };
    let (standings, failed) = campaign.play(log, &known);

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

/// Games already played, each with its index in the schedule.
pub(crate) type KnownGames = Vec<(usize, GameRecord)>;

/// The games of a tournament to play, and how to play them.
pub(crate) struct Campaign<'a> {
    pub(crate) tournament: &'a Tournament,
    /// All games, including those already played.
    pub(crate) schedule: Vec<Assignment>,
    /// The test that ends each match.
    pub(crate) test: Option<Sprt>,
    /// Games played at the same time, if this process plays them.
    pub(crate) concurrency: NonZeroUsize,
    /// The workers of other processes, if these play the games.
    pub(crate) remote: Option<&'a dyn RemoteWorkers>,
    /// Without a terminal, the number of games between two lines of progress.
    pub(crate) progress: NonZeroU64,
    /// Set to stop early.
    pub(crate) stop: &'a AtomicBool,
}

impl Campaign<'_> {
    /// Plays the games that are not `known` and adds them to `log`. Returns the standings even if
    /// there was an error.
    pub(crate) fn play(
        self,
        mut log: Option<GameLog>,
        known: &KnownGames,
    ) -> (Standings, Result<(), WorkError>) {
        let Self { tournament, schedule, test, concurrency, remote, progress, stop } = self;
        let mut standings = Standings::expecting(tournament, &schedule, test);
        let mut is_known = vec![false; schedule.len()];
        for (place, record) in known {
            standings.add(record);
            is_known[*place] = true;
        }
        let total = schedule.len() as u64;
        let missing: Vec<usize> = (0..schedule.len()).filter(|&place| !is_known[place]).collect();

        // Whether the test has decided each match.
        let decided: Vec<AtomicBool> =
            standings.matches.iter().map(|it| AtomicBool::new(it.results.verdict().is_some())).collect();
        let mut progress = Progress::new(&standings, total, progress, test.is_some());
        let mut write_error = None;
        let wanted = |it: &Assignment| !decided[it.match_index].load(Ordering::Relaxed);
        // Nobody can watch games of other processes.
        let watched = log.as_ref().filter(|_| remote.is_none());
        let playing_path = watched.and_then(GameLog::playing_path);
        let playing = playing_path.as_ref().map(|_| Playing::new(tournament, concurrency.get()));
        let unseen = progress.noter();
        let on_game = |assignment: &Assignment, record: GameRecord| {
            if decided[assignment.match_index].load(Ordering::Relaxed) {
                // The game was still running when the test ended the match.
                return true;
            }
            let Some(index) = standings.add(&record) else { return true };
            if let Some(log) = &mut log {
                let results = &standings.matches[index].results;
                if let Err(error) = log.add(&record, results.is_complete(record.pair)) {
                    write_error = Some(match error {
                        LogError::Lost { .. } => error.to_string(),
                        error => format!("{error}; the file has the earlier games"),
                    });
                    return false;
                }
            }
            let it = &standings.matches[index];
            if it.results.verdict().is_some() {
                decided[index].store(true, Ordering::Relaxed);
            }
            progress.add(&record, it, test.as_ref());
            true
        };
        let played = thread::scope(|scope| {
            let (_ends, end) = mpsc::channel();
            if let (Some(playing), Some(path)) = (&playing, &playing_path) {
                let failed = |error| unseen(&format!("{error}: nobody can watch the games being played"));
                let keep = move || playing.keep(path, &end, failed);
                // Without this thread the games are played, but not shown.
                let _ = thread::Builder::new().spawn_scoped(scope, keep);
            }
            let local = Workers::Local { count: concurrency, playing: playing.as_ref() };
            let workers = remote.map_or(local, Workers::Remote);
            let plan = Plan { tournament, schedule: &schedule, games: &missing, workers, stop };
            tournament::run(&plan, wanted, on_game)
        });
        progress.finish();
        if write_error.is_none() {
            write_error = log.and_then(|log| log.check().err()).map(|error| error.to_string());
        }
        let failed = write_error.or(played.err().map(|error| error.to_string()));
        (standings, failed.map_or(Ok(()), |error| Err(WorkError(error))))
    }
}

/// Opens the file for the games, and returns those of `schedule` that it has.
fn open(
    flags: &FileFlags,
    tournament: &Tournament,
    schedule: &[Assignment],
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

/// Opens or creates the file of a tournament, and returns the games of `schedule` that it has.
pub(crate) fn resume(
    path: &Path,
    tournament: &Tournament,
    schedule: &[Assignment],
    games: &Registry,
) -> anyhow::Result<(GameLog, KnownGames)> {
    let (log, records) = GameLog::resume(path, games)?;
    let places = tournament.places(schedule, &records).map_err(|(index, mismatch)| {
        anyhow!("{}, line {}: a game of another tournament: {mismatch}", path.display(), index + 1)
    })?;
    Ok((log, places.into_iter().zip(records).collect()))
}

/// Returns all games, or those of the shard.
pub(super) fn schedule(args: &Args, tournament: &Tournament) -> Vec<Assignment> {
    let schedule = tournament.schedule();
    match args.file.shard {
        Some(shard) => shard.of(schedule),
        None => schedule,
    }
}

/// Returns the number of games that this process plays at the same time. By default there is a core
/// for each tree of the engine with the most trees.
pub(super) fn concurrency(args: &Args, tournament: &Tournament) -> NonZeroUsize {
    let by_cores = || NonZeroUsize::new(rayon::current_num_threads() / tournament.trees());
    args.concurrency.or_else(by_cores).unwrap_or(NonZeroUsize::MIN)
}
