//! What a server and the player of a role share: the search that goes on, and the answer so far.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use quintet_arena::locked;

use super::message::JointMove;

/// What the server sees of a search that goes on.
#[derive(Debug, Default)]
pub(super) struct Shared(Mutex<SearchState>);

#[derive(Debug, Default)]
struct SearchState {
    /// Ends the search.
    stop: Arc<AtomicBool>,
    /// The moves that it answers; any other message ends it. `None` if every message does.
    answers: Option<JointMove>,
    /// What to answer if it does not end in time.
    so_far: Option<String>,
    /// A legal move at the start, for a message that comes before the player is ready for it.
    first: Option<String>,
    /// Whether moves were told, so that the match is no longer at the start.
    has_moved: bool,
    /// Whether the match is over, so that every later search ends at once.
    has_ended: bool,
}

impl Shared {
    /// Prepares for a message: ends the search unless it is for this message, too. No search begins
    /// while what is returned is held, so that pondering does not begin just before the task is sent.
    #[must_use]
    pub(super) fn expect(&self, moves: &JointMove) -> impl Sized + use<'_> {
        let mut going = locked(&self.0);
        if going.answers.as_ref() != Some(moves) {
            going.stop.store(true, Ordering::Relaxed);
            (going.answers, going.so_far) = (None, None);
        }
        if moves.is_some() {
            (going.first, going.has_moved) = (None, true);
        }
        going
    }

    /// The match is over: ends the search, and every one that is still to begin.
    pub(super) fn end(&self) {
        let mut going = locked(&self.0);
        going.stop.store(true, Ordering::Relaxed);
        (going.answers, going.so_far, going.first, going.has_ended) = (None, None, None, true);
    }

    /// A move to answer with if the search does not end in time, unless the server no longer waits for that.
    pub(super) fn offer(&self, term: String) {
        let mut going = locked(&self.0);
        if going.answers.is_some() {
            going.so_far = Some(term);
        }
    }

    /// A legal move at the start, to answer the first message with if the player is not ready for it in time.
    pub(super) fn offer_first(&self, term: String) {
        let mut going = locked(&self.0);
        if !going.has_moved {
            going.first = Some(term);
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        locked(&self.0).has_ended
    }

    /// The best move that the search has found so far, or the first legal one.
    pub(super) fn so_far(&self) -> Option<String> {
        let going = locked(&self.0);
        going.so_far.clone().or_else(|| going.first.clone())
    }

    /// A search begins, which answers these moves.
    pub(super) fn begin(&self, stop: &Arc<AtomicBool>, answers: Option<JointMove>) {
        let mut going = locked(&self.0);
        stop.fetch_or(going.has_ended, Ordering::Relaxed);
        (going.stop, going.answers, going.so_far, going.first) = (Arc::clone(stop), answers, None, None);
    }
}
