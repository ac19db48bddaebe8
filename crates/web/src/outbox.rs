//! The lines that wait for a client to read them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::Line;
use super::limits::OutboxLimits;

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

    /// Whether half of what may wait in last lines is free.
    pub(super) fn has_room(&self) -> bool {
        self.waiting().bytes <= self.limits.final_bytes / 2
    }

    /// Takes the next line, if there is one.
    pub(super) fn pop(&self) -> Option<String> {
        self.waiting().remove(0)
    }

    /// Takes no more lines, and forgets those that are there.
    pub(super) fn close(&self) {
        *self.waiting() = Waiting { is_closed: true, ..Waiting::default() };
    }

    /// Waits until there is a line.
    pub(super) async fn filled(&self) {
        while self.waiting().lines.is_empty() {
            self.filled.notified().await;
        }
    }

    /// Waits until the reader proves to be too slow.
    pub(super) async fn flooded(&self) {
        self.flooded.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;

    const LIMITS: OutboxLimits = OutboxLimits { lines: 4, bytes: 2_000, final_bytes: 3_000 };

    fn partial(text: &str) -> Line {
        Line { text: text.to_owned(), is_partial: true }
    }

    fn last(text: &str) -> Line {
        Line { text: text.to_owned(), is_partial: false }
    }

    fn push(outbox: &Outbox, lines: impl IntoIterator<Item = Line>) {
        for line in lines {
            outbox.push(line);
        }
    }

    fn rest(outbox: &Outbox) -> Vec<String> {
        std::iter::from_fn(|| outbox.pop()).collect()
    }

    fn is_flooded(outbox: &Outbox) -> bool {
        pin!(outbox.flooded()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn lines_leave_in_their_order() {
        let outbox = Outbox::new(LIMITS);
        push(&outbox, [partial("a"), last("b"), partial("c")]);
        assert_eq!(rest(&outbox), ["a", "b", "c"]);
        assert_eq!(outbox.waiting().bytes, 0);
    }

    #[test]
    fn the_oldest_partial_lines_make_room() {
        let outbox = Outbox::new(LIMITS);
        push(&outbox, [last("a"), partial("b"), last("c"), partial("d"), partial("e")]);
        assert_eq!(rest(&outbox), ["a", "c", "d", "e"]);
        let long = "x".repeat(1_000);
        push(&outbox, [partial(&long), last("f"), partial(&long)]);
        assert_eq!(rest(&outbox), ["f", &long]);
    }

    #[test]
    fn last_lines_are_never_left_out() {
        let outbox = Outbox::new(LIMITS);
        let all: Vec<String> = (0..20).map(|number| number.to_string()).collect();
        push(&outbox, all.iter().map(|text| last(text)));
        outbox.push(partial("no room"));
        assert!(!is_flooded(&outbox));
        assert_eq!(rest(&outbox), all);
    }

    #[test]
    fn a_reader_that_is_too_slow_gets_nothing_more() {
        let outbox = Outbox::new(LIMITS);
        let text = "x".repeat(1_000);
        push(&outbox, [last(&text), last(&text)]);
        assert!(!is_flooded(&outbox));
        outbox.push(last(&text));
        assert!(is_flooded(&outbox));
        outbox.push(last("more"));
        assert_eq!(outbox.pop(), None);
    }

    #[test]
    fn there_is_room_while_half_of_it_is_free() {
        let outbox = Outbox::new(LIMITS);
        push(&outbox, [last(&"x".repeat(1_000))]);
        assert!(outbox.has_room());
        push(&outbox, [last(&"x".repeat(1_000))]);
        assert!(!outbox.has_room());
        outbox.pop();
        assert!(outbox.has_room());
    }

    #[test]
    fn a_line_of_any_length_fits_alone() {
        for is_partial in [true, false] {
            let outbox = Outbox::new(LIMITS);
            outbox.push(Line { text: "x".repeat(10_000), is_partial });
            assert!(!is_flooded(&outbox));
            assert_eq!(outbox.pop().map(|text| text.len()), Some(10_000));
        }
    }
}
