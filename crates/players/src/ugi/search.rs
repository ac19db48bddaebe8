//! A search that has not been answered.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use quintet_core::game::Side;
use quintet_core::search::Report;

use super::game_searcher::Task;
use super::info;

/// The longest time without an `info` line during a search.
const SILENCE: Duration = Duration::from_secs(1);

/// A search that has not been answered.
pub(super) struct PendingSearch {
    /// The side to move.
    pub(super) side: Side,
    pub(super) start: Instant,
    /// What the manager has to send before the answer.
    pub(super) awaits: Option<AwaitedCommand>,
    /// The search for the move, with the limits that count from `ponderhit`.
    pub(super) after_ponderhit: Option<Task>,
    /// Whether the search is only to make room for the one after `ponderhit`.
    pub(super) is_replaced: bool,
    /// Whether only `stop` ends the search for the move.
    pub(super) is_endless: bool,
    /// The bytes that the trees may take up.
    pub(super) memory: usize,
    /// What has been found since the last `info` line.
    pub(super) unprinted: Option<Report<String>>,
    /// The best move of the last `info` line that had one.
    pub(super) shown: Option<String>,
    pub(super) last_line: Instant,
    /// The `bestmove` line, once the search has ended.
    pub(super) answer: Option<String>,
    /// The answer if the search fails.
    pub(super) fallback: String,
}

/// What the manager has to send before the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AwaitedCommand {
    Stop,
    PonderHit,
}

impl PendingSearch {
    /// When there was no `info` line for too long, unless the search has ended.
    pub(super) fn wake(&self) -> Option<Instant> {
        self.answer.is_none().then_some(self.last_line + SILENCE)
    }

    /// Prints what has been found since the last line, or just the time.
    pub(super) fn print(&mut self, variations: usize, out: &mut dyn Write) -> io::Result<()> {
        self.last_line = Instant::now();
        let Some(report) = self.unprinted.take() else {
            return writeln!(out, "info time {}", self.start.elapsed().as_millis());
        };
        self.shown = Some(report.best().mv.clone());
        write!(out, "{}", info::info(&report, self.side, self.memory, variations > 1))
    }
}
