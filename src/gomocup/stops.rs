//! Ends searches by what is read meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a search that no number of iterations limits may go on after the end of the input.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// What the thread that reads tells the one that searches. Lines are counted from 0.
#[derive(Debug, Default)]
pub(super) struct Stops {
    /// Ends the search that runs when it becomes true.
    stop: AtomicBool,
    state: Mutex<State>,
    changes: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: Option<Decision>,
    /// Decisions of lines before this one are made at once.
    hurried: u64,
    has_input_ended: bool,
}

/// A decision that is being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Decision {
    /// The line that asked for it.
    line: u64,
    /// Whether a number of iterations limits its searches.
    is_counted: bool,
}

impl Stops {
    /// Begins the decision that `line` asks for, and returns whether the input has ended.
    pub(super) fn begin(&self, line: u64, is_counted: bool) -> bool {
        let mut state = self.state();
        state.running = Some(Decision { line, is_counted });
        self.stop.store(line < state.hurried, Ordering::Relaxed);
        state.has_input_ended
    }

    /// Ends the decision.
    pub(super) fn end(&self) {
        self.state().running = None;
        self.changes.notify_all();
    }

    /// Returns what ends the search that runs when it becomes true.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.stop
    }

    /// Ends the searches for which the lines before this one ask.
    pub(super) fn hurry(&self, line: u64) {
        let mut state = self.state();
        state.hurried = line;
        if state.running.is_some_and(|decision| decision.line < line) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Takes note of the end of the input. Ends the search that runs after `grace`, unless iterations limit
    /// it.
    pub(super) fn end_of_input(&self, grace: Duration) {
        let mut state = self.state();
        state.has_input_ended = true;
        let running = state.running;
        let waited = self.changes.wait_timeout_while(state, grace, |state| state.running == running);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.running == running && running.is_some_and(|decision| !decision.is_counted) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_stopped(stops: &Stops) -> bool {
        stops.flag().load(Ordering::Relaxed)
    }

    #[test]
    fn a_stop_is_for_what_was_asked_before_it() {
        let stops = Stops::default();
        // It comes before its decision has begun.
        stops.hurry(3);
        for (line, is_hurried) in [(2, true), (4, false)] {
            assert!(!stops.begin(line, false));
            assert_eq!(is_stopped(&stops), is_hurried, "{line}");
            stops.end();
        }
        // And while one is made.
        stops.begin(5, true);
        stops.hurry(6);
        assert!(is_stopped(&stops));
        stops.end();
        stops.hurry(8);
        stops.begin(9, false);
        assert!(!is_stopped(&stops));
    }

    #[test]
    fn the_end_of_the_input_ends_what_only_time_limits() {
        for (is_counted, is_ended) in [(true, false), (false, true)] {
            let stops = Stops::default();
            assert!(!stops.begin(0, is_counted));
            stops.end_of_input(Duration::ZERO);
            assert_eq!(is_stopped(&stops), is_ended);
            stops.end();
            assert!(stops.begin(1, is_counted));
            assert!(!is_stopped(&stops));
        }
    }
}
