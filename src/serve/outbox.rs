//! The lines that wait for a client to read them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::limits::OutboxLimits;
use super::service::Line;

/// A queue of bounded length. Any thread adds lines; one task takes them.
#[derive(Debug)]
pub(super) struct Outbox {
    limits: OutboxLimits,
    waiting: Mutex<Waiting>,
    /// There is a line.
    filled: Notify,
    /// The reader is too slow.
    flooded: Notify,
}

/// What a line takes besides its text.
const LINE_BYTES: usize = 64;

#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<Line>,
    /// The bytes of all lines, and [`LINE_BYTES`] for each.
    bytes: usize,
    /// The number of partial lines.
    partial: usize,
    /// No line is taken any more.
    is_closed: bool,
}

impl Waiting {
    fn exceeds(&self, lines: usize, bytes: usize) -> bool {
        self.lines.len() > lines || self.bytes > bytes
    }

    fn push(&mut self, line: Line) {
        self.bytes += line.text.len() + LINE_BYTES;
        self.partial += usize::from(line.is_partial);
        self.lines.push_back(line);
    }

    fn remove(&mut self, at: usize) -> Option<String> {
        let line = self.lines.remove(at)?;
        self.bytes -= line.text.len() + LINE_BYTES;
        self.partial -= usize::from(line.is_partial);
        Some(line.text)
    }

    /// Removes the oldest partial line. There has to be one.
    fn leave_out(&mut self) {
        if let Some(at) = self.lines.iter().position(|line| line.is_partial) {
            self.remove(at);
        }
    }
}

impl Outbox {
    pub(super) fn new(limits: OutboxLimits) -> Self {
        Self { limits, waiting: Mutex::default(), filled: Notify::new(), flooded: Notify::new() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a line. If the reader is too slow, partial lines are left out, the oldest first. If that
    /// does not help, all lines are dropped and [`Outbox::flooded`] returns.
    pub(super) fn push(&self, line: Line) {
        let mut waiting = self.waiting();
        if waiting.is_closed {
            return;
        }
        waiting.push(line);
        let limits = &self.limits;
        while waiting.exceeds(limits.lines, limits.bytes) && waiting.partial > 0 && waiting.lines.len() > 1 {
            waiting.leave_out();
        }
        if waiting.bytes > limits.final_bytes && waiting.lines.len() > 1 {
            *waiting = Waiting { is_closed: true, ..Waiting::default() };
            drop(waiting);
            self.flooded.notify_one();
        } else {
            drop(waiting);
            self.filled.notify_one();
        }
    }

    /// Takes the next line, if there is one.
    pub(super) fn pop(&self) -> Option<String> {
        self.waiting().remove(0)
    }

    /// Takes no more lines, and forgets those that are there.
    pub(super) fn close(&self) {
        *self.waiting() = Waiting { is_closed: true, ..Waiting::default() };
    }

    /// Lets [`Outbox::filled`] return, because there may be lines that were not taken.
    pub(super) fn look(&self) {
        self.filled.notify_one();
    }

    /// Waits for a line.
    pub(super) async fn filled(&self) {
        self.filled.notified().await;
    }

    /// Waits until the reader proves to be too slow.
    pub(super) async fn flooded(&self) {
        self.flooded.notified().await;
    }
}
