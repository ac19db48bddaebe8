//! Engines by name: what takes a seat in a match, answers a query, or makes a suggestion.
//!
//! An engine is written as a kind and its settings, `uct:iterations=10000,c=0.7`, with a name before it if
//! wanted, `strong=uct:iterations=10000`. [`EngineSpec`] is what was written; [`Engine`] is the thing itself,
//! for one game. An [`Outside`] engine is a program of its own, which the arena
//! starts and speaks with.

mod file;
mod outside;
mod settings;
mod signature;
mod spec;

use std::sync::atomic::AtomicBool;

pub use file::from_toml;
pub use outside::{CommandLine, Outside, Patience, Protocol};
pub use settings::{Settings, parse_memory, parse_time};
pub use signature::signature;
pub use spec::{EngineError, EngineKind, EngineSpec};

use crate::game::Rng;
use crate::knowledge::{Knowledge, Known, RulesOnly, Selection};
use crate::search::{Budget, Candidate, Report, Search, SearchConfig, SearchError, Techniques};

/// Why an engine can't be set up.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EngineSetUpError {
    /// A setting is out of range, or the memory can't be had.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The engine is a program of its own.
    #[error("outside engines ({0}) play in the arena only")]
    Outside(Protocol),
}

/// An engine that is ready to play one game.
#[derive(Debug)]
pub struct Engine<G: Known>(Inner<G>);

#[derive(Debug)]
enum Inner<G: Known> {
    Random,
    Uct(Box<Search<G>>, Budget),
    Quintet(Box<Search<G, G::Knowledge>>, Budget),
}

impl<G: Known> Engine<G> {
    /// Sets the engine up; what `spec` leaves open is taken from `defaults`.
    ///
    /// # Errors
    /// [`EngineSetUpError`] if a setting is out of range, or if it is an outside engine.
    pub fn new(spec: &EngineSpec, defaults: &Settings) -> Result<Self, EngineSetUpError> {
        let settings = spec.settings.or(defaults);
        Ok(Self(match &spec.kind {
            EngineKind::Random => Inner::Random,
            EngineKind::Uct => {
                let c = settings.c.unwrap_or(SearchConfig::UCT_EXPLORATION);
                let selection = Some(Selection::Ucb1 { c });
                let techniques = Techniques::NONE;
                let config = SearchConfig { selection, techniques, ..settings.search_config() };
                Inner::Uct(Box::new(Search::new(config, RulesOnly)?), settings.budget()?)
            }
            EngineKind::Quintet => {
                let selection = settings.c.map(|c| G::Knowledge::SELECTION.with_constant(c));
                let config = SearchConfig { selection, ..settings.search_config() };
                let search = Search::new(config, G::Knowledge::default())?;
                Inner::Quintet(Box::new(search), settings.budget()?)
            }
            EngineKind::Outside(outside) => return Err(EngineSetUpError::Outside(outside.protocol)),
        }))
    }

    /// Looks for the best move of `position`, with the random streams of `seed`.
    ///
    /// # Errors
    /// [`SearchError`] if the game is over or the memory can't be had.
    pub fn think(&mut self, position: &G, seed: u64) -> Result<Report<G::Move>, SearchError> {
        self.think_until(position, None, seed, &AtomicBool::new(false))
    }

    /// As [`think`](Self::think), within `budget` if one is given, and only until `stop` becomes true.
    ///
    /// # Errors
    /// As [`think`](Self::think), and if the budget is out of range.
    pub fn think_until(
        &mut self,
        position: &G,
        budget: Option<Budget>,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Report<G::Move>, SearchError> {
        if position.outcome().is_some() {
            return Err(SearchError::GameOver);
        }
        match &mut self.0 {
            Inner::Random => {
                let mv = position.random_move(&mut Rng::stream(seed, 0));
                Ok(Report::without_search(position, mv))
            }
            Inner::Uct(search, own) => {
                search.set_seed(seed);
                search.run_until(position, budget.unwrap_or(*own), stop)
            }
            Inner::Quintet(search, own) => {
                search.set_seed(seed);
                search.run_until(position, budget.unwrap_or(*own), stop)
            }
        }
    }

    /// In a few words, what is known for certain of a candidate of the report on `position`; see [`Search::why`].
    #[must_use]
    pub fn why(&self, position: &G, candidate: &Candidate<G::Move>) -> String {
        match &self.0 {
            Inner::Random => String::new(),
            Inner::Uct(search, _) => search.why(position, candidate),
            Inner::Quintet(search, _) => search.why(position, candidate),
        }
    }
}
