//! What answers the lines of the page and of other programs.

use std::num::NonZeroUsize;
use std::time::Duration;

use quintet_analysis::{Client, Limits, QueryLimits, QueryScheduler};

use super::service::{self, Line, Out, Service};

/// The searches at a time.
const SEARCHES: usize = 4;

/// What a client of the server may ask for, and all of them together: their trees take at most `memory`
/// bytes, and their searches `threads` threads, but each search has one.
pub(super) fn limits(memory: usize, threads: NonZeroUsize) -> Limits {
    Limits {
        searches: SEARCHES,
        // A move of the engine does not wait for the analysis that goes on beside it.
        per_client: 2,
        waiting: 512,
        actions: 1,
        actions_of_all: 4,
        id: 1000,
        kept: 4,
        kept_by_all: 8,
        turn: Some(Duration::from_secs(5)),
        memory,
        threads: threads.get(),
        of_query: Some(QueryLimits {
            time: Duration::from_secs(3600),
            threads: 64,
            memory: memory / SEARCHES,
        }),
    }
}

impl Service for QueryScheduler {
    type Client = Client;

    fn client(&self, out: Out) -> Client {
        self.client(move |answer| {
            // An answer is always JSON.
            if let Ok(text) = serde_json::to_string(&answer) {
                out(Line { text, is_partial: answer.is_partial() });
            }
        })
    }
}

impl service::Client for Client {
    fn line(&self, text: Vec<u8>) {
        self.line(Ok(text));
    }
}
