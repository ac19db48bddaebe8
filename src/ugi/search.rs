//! A search that has not been answered.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use quintet_core::game::Side;
use quintet_core::search::Report;

use super::info;
use super::searcher::Task;

/// The longest time without an `info` line during a search.
const SILENCE: Duration = Duration::from_secs(1);
/// How long a search that nodes don't limit may go on after the end of the input.
const GRACE: Duration = Duration::from_millis(500);

/// A search that has not been answered.
pub(super) struct Search {
    /// The side to move.
    pub(super) side: Side,
    pub(super) stop: Arc<AtomicBool>,
    pub(super) start: Instant,
    /// What the manager has to send before the answer.
    pub(super) awaits: Option<Awaited>,
    /// The search for the move, with the limits that count from `ponderhit`.
    pub(super) after_ponderhit: Option<Task>,
    /// Whether the search is only to make room for the one after `ponderhit`.
    pub(super) is_replaced: bool,
    /// Whether only `stop` ends the search for the move.
    pub(super) is_endless: bool,
    /// Whether a number of nodes limits the search for the move.
    pub(super) has_nodes: bool,
    /// The bytes that the trees may take up.
    pub(super) memory: usize,
    /// What has been found since the last `info` line.
    pub(super) news: Option<Report<String>>,
    /// The best move of the last `info` line that had one.
    pub(super) shown: Option<String>,
    pub(super) last_line: Instant,
    /// The `bestmove` line, once the search has ended.
    pub(super) answer: Option<String>,
    /// The answer if the search fails.
    pub(super) fallback: String,
    /// When the search is stopped, once the input has ended.
    pub(super) end: Option<Instant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Awaited {
    Stop,
    PonderHit,
}

impl Search {
    /// When the engine has to look at the time, if it has to.
    pub(super) fn wake(&self) -> Option<Instant> {
        let line = self.answer.is_none().then_some(self.last_line + SILENCE);
        [line, self.end].into_iter().flatten().min()
    }

    /// Whether there was no `info` line for too long.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        self.answer.is_none() && now >= self.last_line + SILENCE
    }

    /// Sets when the search is stopped, now that the input has ended: never if it ends after some
    /// nodes, so that what it finds does not depend on the time.
    pub(super) fn set_end(&mut self) {
        if !self.has_nodes || self.awaits.is_some() {
            self.end.get_or_insert_with(|| Instant::now() + GRACE);
        }
    }

    /// Prints what has been found since the last line, or just the time.
    pub(super) fn print(&mut self, variations: usize, out: &mut dyn Write) -> io::Result<()> {
        self.last_line = Instant::now();
        let Some(report) = self.news.take() else {
            return writeln!(out, "info time {}", self.start.elapsed().as_millis());
        };
        self.shown = Some(report.best().mv.clone());
        write!(out, "{}", info::info(&report, self.side, self.memory, variations > 1))
    }
}
