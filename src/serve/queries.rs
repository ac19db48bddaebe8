//! What answers the lines of the page and of other programs.

use std::num::NonZeroUsize;
use std::time::Duration;

use quintet_analysis::{Limits, QueryLimits, QueryScheduler};
use quintet_core::search::SearchConfig;
use quintet_web::{Client, Line, Out, Serve, Service};

/// The searches at a time.
const SEARCHES: usize = 4;
/// The minimum memory, in bytes.
pub(super) const LEAST_MEMORY: usize = SEARCHES * SearchConfig::MIN_MEMORY_PER_TREE;

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
        id_bytes: 1000,
        kept: 4,
        kept_by_all: 8,
        slice: Some(Duration::from_secs(5)),
        memory,
        threads: threads.get(),
        of_query: Some(QueryLimits {
            time: Duration::from_secs(3600),
            threads: 64,
            memory: memory / SEARCHES,
        }),
    }
}

/// A client whose lines are queries.
struct Asking(quintet_analysis::Client);

impl Serve for Asking {
    fn line(&self, line: Vec<u8>) {
        self.0.line(Ok(line));
    }

    fn close(&self) {
        self.0.close();
    }
}

/// Answers the lines of clients.
pub(super) fn service(scheduler: QueryScheduler) -> Service {
    Box::new(move |out: Out| -> Client {
        let room = out.clone();
        let client = scheduler.client(move |answer| {
            // An answer is always JSON.
            if let Ok(text) = serde_json::to_string(&answer) {
                out.send(Line { text, is_partial: answer.is_partial() });
            }
        });
        Box::new(Asking(client.with_room(move || room.has_room())))
    })
}
