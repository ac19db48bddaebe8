//! Playing what is missing of a tournament, until its games or its tests end.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use quintet_core::registry::Registry;
use quintet_protocol::GameRecord;

use super::log::{GameLog, LogError};
use super::playing::Playing;
use super::remote::RemoteWorkers;
use super::run::{Plan, Workers, run};
use super::schedule::{ScheduledGame, Tournament};
use super::standings::{Match, Standings};
use crate::stats::Sprt;

/// Games already played, each with its index in the schedule.
pub type KnownGames = Vec<(usize, GameRecord)>;

/// The games of a tournament to play, and how to play them.
///
/// A match that its test has decided gets no more games, and those that were still being played do not
/// count. A game counts once it is in the log.
#[derive(Debug)]
pub struct Campaign<'a> {
    /// The tournament.
    pub tournament: &'a Tournament,
    /// All games, including those already played.
    pub schedule: Vec<ScheduledGame>,
    /// The test that ends each match.
    pub test: Option<Sprt>,
    /// Games played at the same time, if this process plays them.
    pub concurrency: NonZeroUsize,
    /// The workers of other processes, if these play the games.
    pub remote: Option<&'a dyn RemoteWorkers>,
    /// Set to stop early.
    pub stop: &'a AtomicBool,
}

/// Is told of the games of a campaign.
pub trait CampaignWatcher {
    /// A game of a match has ended.
    fn game(&mut self, record: &GameRecord, of: &Match);

    /// Returns a callback for log messages, which any thread may call.
    fn logger(&self) -> Box<dyn Fn(&str) + Send>;
}

/// Why a campaign ended before its end: the log or a game.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct CampaignError(String);

/// Opens or creates the log of a tournament, and returns the games of `schedule` that it has.
///
/// # Errors
/// [`LogError`] if it can't be read, or has a game of another tournament.
pub fn resume(
    path: &Path,
    tournament: &Tournament,
    schedule: &[ScheduledGame],
    registry: &Registry,
) -> Result<(GameLog, KnownGames), LogError> {
    let (log, records) = GameLog::resume(path, registry)?;
    let indices = tournament.indices(schedule, &records).map_err(|(index, mismatch)| {
        let message = format!("a game of another tournament: {mismatch}");
        LogError::Line { name: path.display().to_string(), line: index + 1, message }
    })?;
    Ok((log, indices.into_iter().zip(records).collect()))
}

impl Campaign<'_> {
    /// Returns the standings with the games that are already played.
    #[must_use]
    pub fn standings(&self, known: &KnownGames) -> Standings {
        let mut standings = Standings::expecting(self.tournament, &self.schedule, self.test);
        for (_, record) in known {
            standings.add(record);
        }
        standings
    }

    /// Plays the games that are not `known` and adds them to `log` and to `standings`, which have the known
    /// ones.
    ///
    /// # Errors
    /// [`CampaignError`]; the games before it count.
    pub fn play(
        &self,
        mut log: Option<GameLog>,
        known: &KnownGames,
        standings: &mut Standings,
        watcher: &mut dyn CampaignWatcher,
    ) -> Result<(), CampaignError> {
        let Self { tournament, schedule, concurrency, remote, stop, .. } = self;
        let mut is_known = vec![false; schedule.len()];
        for (place, _) in known {
            is_known[*place] = true;
        }
        let missing: Vec<usize> = (0..schedule.len()).filter(|&place| !is_known[place]).collect();
        // Whether the test has decided each match.
        let decided: Vec<AtomicBool> =
            standings.matches.iter().map(|it| AtomicBool::new(it.results.verdict().is_some())).collect();
        let mut log_error = None;
        let wanted = |it: &ScheduledGame| !decided[it.match_index].load(Ordering::Relaxed);
        // Nobody can watch games of other processes.
        let followed_log = log.as_ref().filter(|_| remote.is_none());
        let playing_path = followed_log.and_then(GameLog::playing_path);
        let playing = playing_path.as_ref().map(|_| Playing::new(concurrency.get()));
        let note = watcher.logger();
        let on_game = |scheduled: &ScheduledGame, record: GameRecord| {
            if decided[scheduled.match_index].load(Ordering::Relaxed) {
                // The game was still running when the test ended the match.
                return true;
            }
            let Some(index) = standings.add(&record) else { return true };
            let it = &standings.matches[index];
            if let Some(log) = &mut log
                && let Err(error) = log.add(&record, it.results.is_complete(record.pair))
            {
                let has_none = log.is_empty() || matches!(error, LogError::Lost { .. });
                let earlier = if has_none { "" } else { "; the file has the earlier games" };
                log_error = Some(format!("{error}{earlier}"));
                return false;
            }
            if it.results.verdict().is_some() {
                decided[index].store(true, Ordering::Relaxed);
            }
            watcher.game(&record, it);
            true
        };
        let played = thread::scope(|scope| {
            let (_ends, end) = mpsc::channel();
            if let (Some(playing), Some(path)) = (&playing, &playing_path) {
                let failed = move |error| note(&format!("{error}: nobody can watch the games being played"));
                let keep = move || playing.keep(path, &end, failed);
                // Without this thread the games are played, but not shown.
                let _ = thread::Builder::new().spawn_scoped(scope, keep);
            }
            let local = Workers::Local { count: *concurrency, playing: playing.as_ref() };
            let workers = remote.map_or(local, Workers::Remote);
            run(&Plan { tournament, schedule, indices: &missing, workers, stop }, wanted, on_game)
        });
        let log_error = log_error.or_else(|| Some(log?.check().err()?.to_string()));
        let failed = log_error.map_or(Ok(()), Err);
        failed.and(played.map_err(|error| error.to_string())).map_err(CampaignError)
    }
}
