//! The engines of a session, and the searches of theirs that other processes join.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::follower::{Followers, Job};
use crate::game::{Kind, Notation};
use crate::knowledge::{Knowledge, Selection};
use crate::search::{Ranks, Report, Search, SearchConfig, SearchError, Techniques, Uct, Weakness};

/// The settings of an engine that plays any game.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineConfig {
    /// Plays uniformly random legal moves.
    Random,
    /// Plain UCT, which knows only the rules.
    Uct(SearchConfig),
    /// Search with the knowledge that comes with the game.
    Quintet(SearchConfig),
}

impl EngineConfig {
    /// The settings of its search; `None` if it does not search.
    #[must_use]
    pub fn search(&self) -> Option<&SearchConfig> {
        match self {
            Self::Random => None,
            Self::Uct(config) | Self::Quintet(config) => Some(config),
        }
    }

    /// The same engine, whose trees these ranks grow.
    #[must_use]
    pub fn with_ranks(self, ranks: Ranks) -> Self {
        match self {
            Self::Random => Self::Random,
            Self::Uct(config) => Self::Uct(SearchConfig { ranks, ..config }),
            Self::Quintet(config) => Self::Quintet(SearchConfig { ranks, ..config }),
        }
    }
}

/// An engine and its last report.
pub(super) struct EngineSlot<G: Notation, K: Knowledge<G>> {
    pub(super) engine: Engine<G, K>,
    pub(super) last: Option<(G, Report<G::Move>)>,
    pub(super) shared: Option<Shared>,
}

/// An engine whose searches are announced to followers.
pub(super) struct Shared {
    pub(super) followers: &'static dyn Followers,
    pub(super) number: u64,
    pub(super) config: EngineConfig,
}

impl Shared {
    pub(super) fn new(followers: &'static dyn Followers, config: &EngineConfig) -> Self {
        /// The number of the next engine.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { followers, number: NEXT.fetch_add(1, Ordering::Relaxed), config: config.clone() }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.followers.forget(self.number);
    }
}

/// A search that goes on in all processes.
pub(super) struct AnnouncedSearch(&'static dyn Followers);

impl AnnouncedSearch {
    pub(super) fn begin(followers: &'static dyn Followers, job: &Job) -> Self {
        followers.announce(job);
        Self(followers)
    }
}

impl Drop for AnnouncedSearch {
    fn drop(&mut self) {
        self.0.finish();
    }
}

pub(super) enum Engine<G: Notation, K: Knowledge<G>> {
    Random,
    Uct(Box<Uct<G>>),
    Quintet(Box<Search<G, K>>),
}

impl<G: Notation, K: Knowledge<G> + Default> Engine<G, K> {
    pub(super) fn new(config: &EngineConfig, kind: Kind) -> Result<Self, SearchError> {
        let is_plain = !kind.has_simultaneous_moves();
        Ok(match config {
            EngineConfig::Random => Self::Random,
            EngineConfig::Uct(config) if is_plain => Self::Uct(Box::new(Uct::new(config.clone())?)),
            EngineConfig::Uct(config) => {
                let c = config.exploration.unwrap_or(SearchConfig::UCT_EXPLORATION);
                let selection = Some(Selection::Ucb1 { c });
                let config = SearchConfig { selection, techniques: Techniques::NONE, ..config.clone() };
                Self::Quintet(Box::new(Search::new(config, K::default())?))
            }
            // Without any technique the search is plain UCT, which has a faster loop.
            EngineConfig::Quintet(config)
                if is_plain && config.techniques == Techniques::NONE && config.weakness == Weakness::NONE =>
            {
                let (Selection::Ucb1 { c } | Selection::Puct { c }) = Search::<G, K>::selection(config);
                let config = SearchConfig { exploration: Some(c), ..config.clone() };
                Self::Uct(Box::new(Uct::new(config)?))
            }
            EngineConfig::Quintet(config) => {
                Self::Quintet(Box::new(Search::new(config.clone(), K::default())?))
            }
        })
    }
}
