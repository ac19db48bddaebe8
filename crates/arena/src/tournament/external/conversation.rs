//! Lines to a process and from it, in one turn of an external engine.

use std::time::{Duration, Instant};

use quintet_core::Quoted;
use quintet_core::game::{MAX_SIDES, Side};
use quintet_core::registry::Variant;

use super::super::choice::GameClock;
use super::process::{ExchangeError, Process};
use crate::engine::Settings;

/// A position in which an external engine is to move.
#[derive(Debug)]
pub(in super::super) struct ExternalTurn<'a> {
    /// The game and its ruleset.
    pub(in super::super) game: &'a Variant,
    /// The position string of the start, if it is not the start position.
    pub(in super::super) start: Option<&'a str>,
    /// The moves since the start.
    pub(in super::super) moves: &'a [String],
    /// The seed of the choice, for engines that take one.
    pub(in super::super) seed: u64,
    /// The side to move.
    pub(in super::super) side: Side,
    /// The clock of each side, if it has one.
    pub(in super::super) clocks: [Option<GameClock>; MAX_SIDES],
}

impl ExternalTurn<'_> {
    /// The clock of the side to move.
    pub(super) fn clock(&self) -> Option<GameClock> {
        self.clocks[self.side as usize]
    }

    /// How long to wait for the move.
    pub(super) fn timeout(&self, settings: &Settings) -> Duration {
        let of_clock = self.clock().map(|clock| clock.left.saturating_add(clock.margin));
        match of_clock {
            None => settings.move_timeout(),
            Some(of_clock) if settings.time.is_some() => of_clock.min(settings.move_timeout()),
            Some(of_clock) => of_clock,
        }
    }
}

/// A conversation with a process.
pub(super) struct Conversation<'a> {
    pub(super) process: &'a Process,
    /// Those of the engine.
    pub(super) settings: &'a Settings,
    pub(super) stopped: &'a dyn Fn() -> bool,
}

impl Conversation<'_> {
    pub(super) fn send(&self, line: impl Into<String>) {
        self.process.send(line);
    }

    /// Waits for the first line for which `answer` returns something, and skips the lines before
    /// it. Returns that, and when the line arrived, which may be before this thread had its turn. `awaited` names the
    /// answer in the error if it does not come within `limit`.
    pub(super) fn receive<T>(
        &self,
        awaited: &str,
        limit: Duration,
        mut answer: impl FnMut(&str) -> Option<T>,
    ) -> Result<(T, Instant), ExchangeError> {
        let deadline = Instant::now().checked_add(limit);
        let mut last = None;
        loop {
            let Some((at, line)) = self.process.line(deadline, self.stopped)? else {
                let last = last.as_deref().map(|line| format!("; its last line: {}", Quoted(line)));
                let limit = humantime::format_duration(limit);
                let text = format!("no {awaited} within {limit}{}", last.unwrap_or_default());
                return Err(ExchangeError::Timeout(text));
            };
            match answer(&line) {
                Some(answer) => return Ok((answer, at)),
                None => last = Some(line),
            }
        }
    }
}

/// Returns a time in whole milliseconds, at least 1.
pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}
