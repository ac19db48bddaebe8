//! Games of the engine against itself, and single positions.

use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::atomic::{AtomicBool, Ordering};

use quintet_core::game::{Outcome, Rng, Side, derive_seed};
use quintet_core::learned::Model;
use quintet_core::registry::Variant;
use quintet_core::search::{Budget, Report, SearchConfig, SearchError};
use quintet_core::session::{EngineConfig, Session};
use serde::{Deserialize, Serialize};

/// A game of the engine against itself, or a single position that was searched, as a line of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelfGame {
    /// The number of random moves before the first search.
    pub random: usize,
    /// The tokens of all moves.
    pub moves: Vec<String>,
    /// What each search has found, in the order of its moves.
    pub searches: Vec<SearchResult>,
    /// The score of the first side: at the end, or as the last search has proven of the best
    /// move. `None` for a single position.
    pub score: Option<u8>,
}

/// What a search has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchResult {
    /// The expected score of the side to move, 0 to 100.
    pub value: f64,
    /// The moves that were tried, with their visits; none where the position was solved before the search.
    pub visits: Vec<(String, u64)>,
}

impl SearchResult {
    fn new(report: &Report<String>) -> Self {
        let tried = report.candidates.iter().filter(|it| it.visits > 0);
        let visits = tried.map(|it| (it.mv.clone(), it.visits)).collect();
        Self { value: (report.best().value.unwrap_or(50.0) * 10.0).round() / 10.0, visits }
    }
}

impl SelfGame {
    /// Checks that it is a game of `game`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self, game: &Variant) -> Result<(), String> {
        if let Some(score) = self.score
            && !game.start().scores().contains(score)
        {
            return Err(format!("no game ends with the score {score}"));
        }
        if self.random.checked_add(self.searches.len()) != Some(self.moves.len()) {
            let (random, searches, moves) = (self.random, self.searches.len(), self.moves.len());
            return Err(format!("{random} random moves and {searches} searches are not {moves} moves"));
        }
        let moves = self.moves.iter().map(String::as_str);
        game.set_up(None, moves).map(|_| ()).map_err(|error| error.to_string())
    }
}

/// How games are played.
#[derive(Debug, Clone)]
pub struct SelfPlay<'a> {
    /// The game.
    pub game: Variant,
    /// The engine's model; `None` for the knowledge alone.
    pub model: Option<Model>,
    /// The iterations of each search.
    pub iterations: NonZeroU64,
    /// The maximum random moves at the start of a game.
    pub random_plies: usize,
    /// The number of games; what comes after them are single positions.
    pub games: usize,
    /// The seed of all games of this generation.
    pub seed: u64,
    /// Becomes true when games are to stop.
    pub stop: &'a AtomicBool,
}

/// The searches of a game whose moves are drawn by their visits; later ones play the best move.
const DRAWN: usize = 12;

impl SelfPlay<'_> {
    /// A single position is searched with this many times the iterations of a position of a game.
    pub const MORE_ITERATIONS: u64 = 4;

    /// Plays the game with this index, or searches the single position; `None` if it was stopped.
    ///
    /// # Errors
    /// [`SearchError`] if there can be no search, for want of memory for example.
    pub fn play(&self, index: usize) -> Result<Option<SelfGame>, SearchError> {
        let seed = derive_seed(self.seed, index as u64);
        let mut rng = Rng::stream(seed, 0);
        if index < self.games { self.play_game(seed, &mut rng) } else { self.search(seed, &mut rng) }
    }

    /// Adds an engine that plays games to a session; returns its number.
    fn add_engine(&self, session: &mut dyn Session) -> Result<usize, SearchError> {
        let config = SearchConfig {
            model: self.model.clone(),
            memory: MEMORY,
            early_stop: false,
            // Games are played side by side.
            threads: NonZeroUsize::new(1),
            ..SearchConfig::default()
        };
        session.add_engine(&EngineConfig::Quintet(config))
    }

    /// Searches a position of a game whose moves are drawn by their weights.
    fn search(&self, seed: u64, rng: &mut Rng) -> Result<Option<SelfGame>, SearchError> {
        let mut session = self.drawn_position(rng);
        let engine = self.add_engine(&mut *session)?;
        let budget = Budget::iterations(self.iterations.get().saturating_mul(Self::MORE_ITERATIONS))?;
        let report = session.think(engine, budget, seed, self.stop)?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut moves = session.moves();
        let random = moves.len();
        moves.push(report.best().mv.clone());
        Ok(Some(SelfGame { random, moves, searches: vec![SearchResult::new(&report)], score: None }))
    }

    fn play_game(&self, seed: u64, rng: &mut Rng) -> Result<Option<SelfGame>, SearchError> {
        let mut session = self.start(rng);
        let random = session.moves().len();
        let engine = self.add_engine(&mut *session)?;
        let budget = Budget::iterations(self.iterations.get())?;
        let mut searches = Vec::new();
        let mut outcome = session.outcome();
        while outcome.is_none() {
            let report = session.think(engine, budget, seed, self.stop)?;
            if self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            if report.proven.is_some() {
                outcome = report.proven;
                break;
            }
            let found = SearchResult::new(&report);
            let mv = if searches.len() < DRAWN { drawn(&found.visits, rng) } else { None };
            let mv = mv.unwrap_or(&report.best().mv).to_owned();
            searches.push(found);
            session.play(&mv)?;
            outcome = session.outcome();
        }
        let score = outcome.unwrap_or(Outcome::Draw).score(Side::First);
        Ok(Some(SelfGame { random, moves: session.moves(), searches, score: Some(score) }))
    }

    /// A position that is not over, of a game whose moves are drawn by the weights of the candidates or, one
    /// game in four, evenly.
    fn drawn_position(&self, rng: &mut Rng) -> Box<dyn Session> {
        let is_even = rng.below(4) == 0;
        let mut session = self.game.start();
        while let Some(position_features) = session.position_features() {
            let weights =
                position_features.moves.iter().map(|(_, weight, _)| if is_even { 1.0 } else { *weight });
            let Some(index) = drawn_by(weights, rng) else { break };
            // A candidate is legal.
            let _ = session.play(&position_features.moves[index].0);
        }
        let moves = session.moves();
        let plies = rng.below(moves.len().max(1));
        let mut session = self.game.start();
        for token in &moves[..plies] {
            let _ = session.play(token);
        }
        session
    }

    /// A session after some random moves that do not end the game.
    fn start(&self, rng: &mut Rng) -> Box<dyn Session> {
        const ATTEMPTS: usize = 100;
        let most = self.random_plies.min(self.game.max_plies - 1);
        for _ in 0..ATTEMPTS {
            let mut session = self.game.start();
            for _ in 0..rng.below(most + 1) {
                if let Some(token) = session.random_move(rng) {
                    // A random move is legal.
                    let _ = session.play(&token);
                }
            }
            if session.outcome().is_none() {
                return session;
            }
        }
        self.game.start()
    }
}

/// The memory of the trees of one game.
const MEMORY: usize = 64 << 20;

/// A move drawn in proportion to its visits.
pub(super) fn drawn<'a>(visits: &'a [(String, u64)], rng: &mut Rng) -> Option<&'a str> {
    let all: u64 = visits.iter().map(|(_, visits)| visits).sum();
    let mut left = (all > 0).then(|| rng.below(all as usize) as u64)?;
    for (mv, visits) in visits {
        match left.checked_sub(*visits) {
            Some(rest) => left = rest,
            None => return Some(mv),
        }
    }
    None
}

/// The index of a weight, drawn in proportion to the weights; `None` if there is none.
pub(super) fn drawn_by(weights: impl Iterator<Item = f32> + Clone, rng: &mut Rng) -> Option<usize> {
    const STEPS: usize = 1 << 24;
    let all: f32 = weights.clone().sum();
    let mut left = rng.below(STEPS) as f32 / STEPS as f32 * all;
    let mut last = None;
    for (index, weight) in weights.enumerate() {
        last = Some(index);
        if left < weight {
            break;
        }
        left -= weight;
    }
    last
}
