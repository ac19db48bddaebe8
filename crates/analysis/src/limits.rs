//! How much clients may take.

use std::time::Duration;

/// How much a scheduler does at a time.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The number of searches at a time.
    pub searches: usize,
    /// The same for each client.
    pub per_client: usize,
    /// The number of queries of a client that may wait.
    pub waiting: usize,
    /// The number of actions of a client that may wait, with all that they need: a tournament with its
    /// records.
    pub actions: usize,
    /// The same for all clients together.
    pub actions_of_all: usize,
    /// The bytes of the longest id. There is a copy for each ply and each answer.
    pub id_bytes: usize,
    /// The number of games of a client whose trees are kept.
    pub kept: usize,
    /// The same for all clients together.
    pub kept_by_all: usize,
    /// How long a search may run while a client that has none waits; `None` if to its end.
    pub slice: Option<Duration>,
    /// The bytes of all trees, those that are kept included. The queries that run at a time may
    /// not have more, so only those that are kept make room.
    pub memory: usize,
    /// The threads of all searches; each has at least one.
    pub threads: usize,
    /// The largest settings of a query.
    pub of_query: Option<QueryLimits>,
}

impl Limits {
    /// No limits, for one client that waits for room.
    #[must_use]
    pub fn of_one_client() -> Self {
        Self {
            searches: 1,
            per_client: usize::MAX,
            waiting: usize::MAX,
            actions: usize::MAX,
            actions_of_all: usize::MAX,
            id_bytes: usize::MAX,
            kept: 16,
            kept_by_all: 16,
            slice: None,
            memory: usize::MAX,
            threads: usize::MAX,
            of_query: None,
        }
    }
}

/// The largest settings of a query.
#[derive(Debug, Clone)]
pub struct QueryLimits {
    /// The time of a search. One that is limited by iterations ends then too.
    pub time: Duration,
    /// The number of threads, and of trees.
    pub threads: usize,
    /// The memory for all trees, their provers included, in bytes.
    pub memory: usize,
}
