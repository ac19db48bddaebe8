//! What an engine plays, and its clock.

use std::time::Duration;

use quintet_core::game::Side;
use quintet_core::search::{Budget, Report};
use quintet_protocol::{Thought, rounded};

use crate::engine::TimeControl;

/// What an engine plays, what it thinks of it, and how long it took.
#[derive(Debug)]
pub(super) struct EngineMove {
    /// The move.
    pub(super) token: String,
    /// Without the time.
    pub(super) thought: Thought,
    pub(super) elapsed: Duration,
}

/// Returns the best move of a search for `side`.
pub(super) fn choice(report: &Report<String>, side: Side, elapsed: Duration) -> EngineMove {
    let best = report.best();
    let thought = Thought {
        value: report.value().map(|value| rounded(value, 2)),
        proven: report.proven.map(|outcome| outcome.score(side)),
        iterations: Some(report.iterations),
        ..Thought::default()
    };
    EngineMove { token: best.mv.clone(), thought, elapsed }
}

/// The clock of an engine in a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GameClock {
    pub(super) left: Duration,
    pub(super) increment: Duration,
    /// The time that the engine may still take beyond its clock, in all moves to come.
    pub(super) margin: Duration,
}

impl GameClock {
    pub(super) fn new(control: TimeControl, margin: Duration) -> Self {
        Self { left: control.base, increment: control.increment, margin }
    }

    /// Returns the time for the next move.
    pub(super) fn time(self) -> Duration {
        Budget::move_time(self.left, self.increment)
    }

    /// Takes the time of a move off the clock; false if the clock and the margin do not have it.
    pub(super) fn take(&mut self, elapsed: Duration) -> bool {
        let beyond = elapsed.saturating_sub(self.left);
        let is_in_time = beyond <= self.margin;
        self.margin = self.margin.saturating_sub(beyond);
        self.left = self.left.saturating_sub(elapsed).saturating_add(self.increment);
        is_in_time
    }
}
