//! Exact values of positions.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use quintet_arena::engine::Settings;
use quintet_core::clock::{Clock, Deadline};
use quintet_core::game::{Bounds, Side};
use quintet_core::knowledge::Effort;
use quintet_core::search::{SearchConfig, SearchError};
use quintet_core::session::{Session, SettleResultText};
use quintet_core::solver::{Progress, SettleOptions};
use quintet_protocol::{SolvedPosition, WinLine, rounded};

use crate::answer::win_line;

/// How much a proof may take.
#[derive(Debug, Clone)]
pub struct ProofLimits {
    /// Threads to search on.
    pub threads: NonZeroUsize,
    /// Memory, in bytes.
    pub memory: usize,
    /// Time; `None` is without a limit.
    pub time: Option<Duration>,
}

impl ProofLimits {
    /// The limits among `settings`, with their defaults.
    ///
    /// # Errors
    /// [`SearchError`] if the memory is too little for the threads.
    pub fn of(settings: &Settings) -> Result<Self, SearchError> {
        let (threads, memory) = (settings.threads(), settings.memory());
        // A thread needs as much as a tree.
        SearchConfig { trees: Some(threads), memory, ..SearchConfig::default() }.check()?;
        Ok(Self { threads, memory, time: settings.time })
    }

    /// What a proof that begins at `start` may take.
    #[must_use]
    pub fn options<'a>(
        &self,
        start: Instant,
        clock: &'a Clock,
        progress: &'a Progress,
        stop: &'a AtomicBool,
    ) -> SettleOptions<'a> {
        let end = self.time.and_then(|time| start.checked_add(time));
        let deadline = end.map(|at| Deadline::new(at, clock));
        SettleOptions {
            effort: Effort { deadline, stop: Some(stop), ..Effort::UNLIMITED },
            memory: self.memory,
            threads: self.threads,
            wants_strategies: false,
            progress,
        }
    }
}

/// A best move: that of the proof, or the first of the line that follows it.
#[must_use]
pub fn best_move<'a>(settlement: &'a SettleResultText, win: Option<&'a WinLine>) -> Option<&'a str> {
    let first = win.and_then(|it| it.line.first());
    settlement.best.as_ref().or(first).map(String::as_str)
}

/// The line of `solve --json` for what was found out, without a certificate.
#[must_use]
pub fn line(
    session: &dyn Session,
    settlement: &SettleResultText,
    positions: u64,
    elapsed: Duration,
) -> SolvedPosition {
    let game = session.variant();
    let scores = |score: fn(Bounds) -> u8| -> IndexMap<String, u8> {
        let of = |side: Side| score(settlement.bounds.of(side));
        game.roles.iter().map(|role| (role.name.to_string(), of(role.side))).collect()
    };
    let lower = scores(|it| it.lower);
    let settled = settlement.is_settled();
    let win = win_line(session, settlement.bounds.outcome(), settlement.best.as_deref(), None);
    SolvedPosition {
        game: game.game.to_string(),
        rules: game.rules.to_string(),
        position: session.position(),
        to_move: session.to_move().map(|role| role.name.to_string()),
        settled,
        value: settled.then(|| lower.clone()),
        lower,
        upper: scores(|it| it.upper),
        mv: best_move(settlement, win.as_ref()).map(str::to_owned),
        win,
        method: settlement.method.to_owned(),
        positions,
        seconds: rounded(elapsed.as_secs_f64(), 6),
        certificate: None,
    }
}
