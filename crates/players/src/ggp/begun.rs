//! A match that has begun.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SendError, Sender};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use quintet_arena::locked;

use super::compilation::Compilation;
use super::message::Start;
use super::player::Task;
use super::shared::Shared;

/// How much longer than its clocks allow a server may be silent before its match is given up.
const GRACE: Duration = Duration::from_secs(15);

/// A role in a match.
#[derive(Debug)]
pub(super) struct Match {
    /// The message that has started it, without its rules.
    pub(super) start: Start,
    /// What the server calls the player, so that it can have several roles in one match.
    pub(super) receiver: String,
    pub(super) rules: String,
    /// The rules of a game that is not recognized are compiled as long as one of its matches goes on.
    pub(super) compilation: Option<Arc<Compilation>>,
    pub(super) tasks: Sender<Task>,
    pub(super) shared: Arc<Shared>,
    /// When the last message came.
    pub(super) heard: Mutex<Instant>,
    /// Whether a message after START has come.
    pub(super) has_begun: AtomicBool,
}

impl Drop for Match {
    fn drop(&mut self) {
        self.shared.end();
    }
}

impl Match {
    /// Gives the player a task; the search that goes on ends, unless it is for the same message.
    pub(super) fn give(&self, task: Task) -> Result<(), SendError<Task>> {
        let _no_search_begins = match &task {
            Task::Think { moves: Some(moves), .. } => Some(self.shared.expect(moves)),
            Task::Think { moves: None, .. } | Task::Stop { .. } => None,
        };
        self.tasks.send(task)
    }

    /// Whether the same message has started it and `other`, and it has not gone on since.
    pub(super) fn is_started_by(&self, other: &Self) -> bool {
        (&self.start, &self.rules) == (&other.start, &other.rules) && !self.has_begun.load(Ordering::Relaxed)
    }

    /// Whether the server has been silent for longer than its clocks allow, so that another match may
    /// take the place of this one.
    pub(super) fn is_given_up(&self, now: Instant) -> bool {
        let has_begun = self.has_begun.load(Ordering::Relaxed);
        let Start { start_clock, play_clock, .. } = self.start;
        let clock = if has_begun { play_clock } else { start_clock + play_clock };
        now.saturating_duration_since(*locked(&self.heard)) > clock + play_clock + GRACE
    }
}

/// Finds the match with this name and receiver, or the only one with this name.
pub(super) fn position(table: &[Arc<Match>], id: &str, receiver: &str) -> Option<usize> {
    let named: Vec<usize> = (0..table.len()).filter(|&it| table[it].start.id == id).collect();
    match named[..] {
        [only] => Some(only),
        _ => named.into_iter().find(|&it| table[it].receiver == receiver),
    }
}
