//! Searches that several processes do together, led by one of them.
//!
//! The leader runs the program: it reads the commands and prints the answers. Whenever an engine of a
//! [session](crate::session) thinks, the leader announces the search to its followers, and all of
//! them run it; see [`Ranks`]. So what a user of a session sees does not depend on the followers,
//! except that the search has more trees.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use crate::registry::Registry;
use crate::search::{Budget, Controls, Exchange, Ranks, SearchError};
use crate::session::{EngineConfig, Session};

/// A search that the leader announces.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The names of the game and of its ruleset.
    pub game: [String; 2],
    /// The position string.
    pub position: String,
    /// The number of the engine. An engine keeps its trees from search to search.
    pub engine: u64,
    /// The settings of the engine. Its [ranks](crate::search::SearchConfig::ranks) are not passed on.
    pub config: EngineConfig,
    /// The limits of iterations and of time.
    pub budget: Budget,
    /// The seed of this search.
    pub seed: u64,
    /// The tokens of the moves to choose from; all legal moves if it is empty.
    pub only: Vec<String>,
    /// See [`Controls::confidence`].
    pub confidence: Option<f64>,
    /// See [`Controls::variations`].
    pub variations: usize,
}

/// The followers, as their leader sees them.
pub trait Followers: Exchange {
    /// Announces a search to all of them, once the one before is [over](Self::finish).
    fn announce(&self, job: &Job);

    /// The leader's search that was announced last is over.
    fn finish(&self);

    /// Tells them, with the next job or before, that an engine will not think any more.
    fn forget(&self, engine: u64);
}

/// A process that follows: it runs the searches that are announced, and drops their reports.
#[derive(Debug)]
pub struct Follower {
    games: Registry,
    ranks: Ranks,
    /// The sessions, each with one engine, by the number of the engine.
    sessions: HashMap<u64, Box<dyn Session>>,
}

/// The number of the engine of a session.
const ENGINE: usize = 0;

impl Follower {
    /// A follower that knows the same games as the leader.
    #[must_use]
    pub fn new(games: Registry, ranks: Ranks) -> Self {
        Self { games, ranks, sessions: HashMap::new() }
    }

    /// Makes the engine of a search, so that the search need not wait for that.
    ///
    /// # Errors
    /// The text of an error that the leader did not have.
    pub fn prepare(&mut self, job: &Job) -> Result<(), String> {
        let session = self.start(job)?;
        self.sessions.insert(job.engine, session);
        Ok(())
    }

    /// Runs a search together with the other ranks, until `stop` becomes true at the latest. It has to
    /// be [prepared](Self::prepare).
    ///
    /// # Errors
    /// The text of an error that the leader can't have had too: both are then no longer in step.
    pub fn run(&mut self, job: &Job, stop: &AtomicBool) -> Result<(), String> {
        let session = self.sessions.get_mut(&job.engine).ok_or("a search that was not prepared")?;
        session.reset(Some(&job.position)).map_err(|error| error.to_string())?;
        let Job { only, confidence, variations, .. } = job.clone();
        let controls = Controls { only, confidence, variations, ..Controls::new(stop) };
        match session.think_with(ENGINE, job.budget, job.seed, controls) {
            // The leader has these errors too, and reports them.
            Ok(_) | Err(SearchError::OutOfMemory(_) | SearchError::TooManyIterations { .. }) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    fn start(&self, job: &Job) -> Result<Box<dyn Session>, String> {
        let [game, rules] = &job.game;
        let mut session = self.games.find(game, Some(rules)).map_err(|error| error.to_string())?.start();
        let text = |error: SearchError| error.to_string();
        // A search alone fills the tables that the game makes when they are needed first. Its errors are those of the
        // search that follows, which reports them.
        session.reset(Some(&job.position)).map_err(|error| error.to_string())?;
        session.add_engine(&job.config).map_err(text)?;
        let _ = session.think(ENGINE, Budget::iterations(1).map_err(text)?, 0, &AtomicBool::new(false));
        session.remove_engines();
        session.add_engine(&job.config.clone().with_ranks(self.ranks)).map_err(text)?;
        Ok(session)
    }

    /// Drops the trees of an engine.
    pub fn forget(&mut self, engine: u64) {
        self.sessions.remove(&engine);
    }
}
