//! Any game behind one interface: a game in progress as an object, and the engines that search it.
//!
//! [`Game`](crate::game::Game), [`Knowledge`] and [`Search`] are generic, so that the hot loops are
//! compiled for each game. Programs need an object instead: they choose a game by name, set up a
//! position, list and play moves, draw the board, and let an engine search. [`Session`] is that
//! interface. It is implemented once, for every game, and instantiated where a [`Variant`] is made.
//!
//! Moves are tokens here, the text that names them in records and protocols. They are read in any case
//! where only one move can be meant, and written as the game writes them.

mod engine;
mod rollout_counts;

use std::fmt::{self, Debug};
use std::sync::atomic::AtomicBool;

use crate::follower::Job;
use crate::game::{
    IllegalMove, MoveList, Notation, Outcome, Picture, PositionError, Rng, Role, ScoreSet, Side, is_chance,
    is_independent, too_long, wrong_kind,
};
use crate::knowledge::{Effort, Knowledge};
use crate::learned::PositionFeatures;
use crate::registry::{StartOf, Variant};
use crate::search::{Budget, Controls, Ranks, Report, Search, SearchConfig, SearchError};
use crate::solver::{SettleOptions, SettleResult, Strategy, WinLine};

pub use engine::EngineConfig;
use engine::{AnnouncedSearch, Engine, EngineSlot, Shared};
pub use rollout_counts::RolloutCounts;

/// A game in progress: its start, the moves since, and the engines that search it.
pub trait Session: Debug + Send {
    /// The game and its ruleset.
    fn variant(&self) -> &Variant;

    /// Sets the position by its string, or the start position, and clears the moves.
    ///
    /// # Errors
    /// [`PositionError`], which names the wrong part; the session is then unchanged.
    fn reset(&mut self, position: Option<&str>) -> Result<(), PositionError>;

    /// Plays the move with this token, or the one that it [means](crate::game::Game::parse_move).
    ///
    /// # Errors
    /// [`IllegalMove`], which names the legal ones; the session is then unchanged.
    fn play(&mut self, token: &str) -> Result<(), IllegalMove>;

    /// Returns the token, as the game writes it, of the move that [`play`](Self::play) plays for `token`.
    ///
    /// # Errors
    /// [`IllegalMove`], which names the legal ones.
    fn canonical_token(&self, token: &str) -> Result<String, IllegalMove>;

    /// Takes the last move back; returns `false` if there is none.
    fn take_back(&mut self) -> bool;

    /// The tokens of the moves since the start.
    fn moves(&self) -> Vec<String>;

    /// The position string.
    fn position(&self) -> String;

    /// How the game ended; `None` while it goes on. After [`max_plies`](crate::game::Game::max_plies) moves it is a
    /// draw, as in a rollout.
    fn outcome(&self) -> Option<Outcome>;

    /// The role to move; `None` once the game is over.
    fn to_move(&self) -> Option<Role>;

    /// How many of the last moves the role to move does not see: the choices of others in a
    /// [joint move](crate::game::Game::before_joint_move).
    fn unseen_moves(&self) -> usize;

    /// The tokens of the legal moves, in the game's order; empty once the game is over.
    fn legal_moves(&self) -> Vec<String>;

    /// The legal moves as [terms](Notation::term), in the order of [`legal_moves`](Self::legal_moves).
    fn legal_terms(&self) -> Vec<String>;

    /// The [term](Notation::waiting_term) of the only move that this role has while another one chooses. `None` if there
    /// is no such role, or the game is over.
    fn waiting_term(&self, role: &str) -> Option<String>;

    /// The scores of the first side with which the game may end; see [`Game::scores`](crate::game::Game::scores).
    fn scores(&self) -> ScoreSet;

    /// Whether each side has a score of its own; see [`is_independent`].
    fn is_independent(&self) -> bool;

    /// The score of `side` here, 0 to 100; see [`Notation::score`].
    fn score(&self, side: Side) -> u8;

    /// What the board does not tell about the role to move; see [`Notation::mover_color`]. `None` once
    /// the game is over.
    fn mover_color(&self) -> Option<&'static str>;

    /// What else there is to know of the game; see [`Notation::facts`].
    fn facts(&self) -> Vec<(&'static str, String)>;

    /// What the role to move has to do, in words; see [`Notation::task`]. `None` once the game is
    /// over.
    fn task(&self) -> Option<String>;

    /// How the game ended, in words; see [`Notation::ending`]. `None` while it goes on.
    fn ending(&self) -> Option<String>;

    /// What was assumed of the game and does not hold; see [`Notation::caveat`].
    fn caveat(&self) -> Option<String>;

    /// The board as text, with the effect of `mark` in brackets if it is a legal move.
    fn draw(&self, mark: Option<&str>) -> String;

    /// The position as a picture, as the role to move sees it, with the move that led to it.
    fn picture(&self) -> Picture;

    /// The cells of the picture that a person clicks for a move, in order, or none: see [`Notation::cells`].
    fn cells(&self, token: &str) -> Vec<usize>;

    /// The token of a uniformly random legal move; `None` once the game is over.
    fn random_move(&self, rng: &mut Rng) -> Option<String>;

    /// Sets the position where benchmarks start; see [`Notation::benchmark`].
    fn go_to_benchmark(&mut self);

    /// What a [model](crate::learned) sees of the position; `None` once the game is over, or if it has no
    /// features.
    fn position_features(&self) -> Option<PositionFeatures<String>>;

    /// Plays `count` rollouts from here.
    fn rollouts(&self, count: u64, rng: &mut Rng) -> RolloutCounts;

    /// Checks that an engine with these settings can play this game. It makes no trees.
    ///
    /// # Errors
    /// [`SearchError`] if a setting is out of range, or the model does not fit the game.
    fn check_engine(&self, config: &EngineConfig) -> Result<(), SearchError>;

    /// Adds an engine and returns its number, from 0.
    ///
    /// # Errors
    /// [`SearchError`] if a setting is out of range, or the model is for another game.
    fn add_engine(&mut self, config: &EngineConfig) -> Result<usize, SearchError>;

    /// Removes all engines, with their trees.
    fn remove_engines(&mut self);

    /// Lets an engine search for the best move here, with the random streams of `seed`, until
    /// `budget` is used up or `stop` becomes true.
    ///
    /// # Errors
    /// [`SearchError`] if there is no such engine, the game is over, the budget is more than the
    /// engine can use, or there is not enough memory.
    fn think(
        &mut self,
        engine: usize,
        budget: Budget,
        seed: u64,
        stop: &AtomicBool,
    ) -> Result<Report<String>, SearchError> {
        self.think_with(engine, budget, seed, Controls::new(stop))
    }

    /// As [`think`](Self::think), restricted and watched as `controls` says. Moves are tokens there.
    ///
    /// # Errors
    /// As [`think`](Self::think), and if a move in `controls` is not legal.
    fn think_with(
        &mut self,
        engine: usize,
        budget: Budget,
        seed: u64,
        controls: Controls<'_, String>,
    ) -> Result<Report<String>, SearchError>;

    /// Settles the position with the strongest method for the game, or finds bounds of its value,
    /// until the limits of `options` are reached.
    fn settle(&self, options: &SettleOptions) -> SettleResultText;

    /// The line with which `winner` wins from here, where that is proven; see [`Search::win_line`]. `first` is the token
    /// of a winning move to begin with, and `engine` the number of the engine whose trees may help.
    fn win_line(
        &self,
        winner: Side,
        first: Option<&str>,
        engine: Option<usize>,
        effort: Effort,
    ) -> Option<WinLine<String>>;

    /// What an engine knows for certain about each candidate of its last report, or why it did not
    /// try it, in a few words, in the order of the report; see [`Search::explain`]. Empty if the position
    /// is not that of the report.
    fn explain(&self, engine: usize) -> Vec<String>;
}

/// What was proven of a position; moves and positions are text.
pub type SettleResultText = SettleResult<String, String>;

/// A [`Strategy`] as text.
pub type StrategyText = Strategy<String, String>;

/// A session of the game `G`, whose engines use the knowledge `K`.
pub(crate) struct GameSession<G: Notation, K: Knowledge<G>> {
    variant: Variant,
    start: StartOf<G>,
    position: G,
    /// The moves since the start, each with the position before it.
    history: Vec<(G, G::Move)>,
    engines: Vec<EngineSlot<G, K>>,
}

impl<G: Notation, K: Knowledge<G>> Debug for GameSession<G, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.variant, self.position)
    }
}

impl<G: Notation, K: Knowledge<G> + Default + Debug + 'static> GameSession<G, K> {
    /// A session at the start position, as an object.
    pub(crate) fn start(variant: Variant, start: StartOf<G>) -> Box<dyn Session> {
        let position = start(variant.values());
        Box::new(Self { variant, start, position, history: Vec::new(), engines: Vec::new() })
    }

    fn start_position(&self) -> G {
        (self.start)(self.variant.values())
    }

    /// The legal moves; none once the game is over.
    fn moves_left(&self) -> MoveList<G::Move> {
        if Session::outcome(self).is_some() { MoveList::new() } else { self.position.move_list() }
    }
}

impl<G: Notation, K: Knowledge<G> + Default + Debug + 'static> Session for GameSession<G, K> {
    fn variant(&self) -> &Variant {
        &self.variant
    }

    fn reset(&mut self, position: Option<&str>) -> Result<(), PositionError> {
        let start = self.start_position();
        self.position = position.map_or(Ok(start), |text| start.read(text))?;
        self.history.clear();
        Ok(())
    }

    fn play(&mut self, token: &str) -> Result<(), IllegalMove> {
        if self.outcome().is_some() {
            return Err(IllegalMove::new(token, &[""; 0]));
        }
        let mv = self.position.parse_move(token)?;
        self.history.push((self.position, mv));
        self.position.apply(mv);
        Ok(())
    }

    fn canonical_token(&self, token: &str) -> Result<String, IllegalMove> {
        self.position.parse_move(token).map(|mv| mv.to_string())
    }

    fn take_back(&mut self) -> bool {
        let Some((before, _)) = self.history.pop() else { return false };
        self.position = before;
        true
    }

    fn moves(&self) -> Vec<String> {
        self.history.iter().map(|(_, mv)| mv.to_string()).collect()
    }

    fn position(&self) -> String {
        self.position.to_string()
    }

    fn outcome(&self) -> Option<Outcome> {
        let is_too_long = self.history.len() >= self.position.max_plies();
        self.position.outcome().or_else(|| is_too_long.then(|| too_long(&self.position)))
    }

    fn to_move(&self) -> Option<Role> {
        let is_over = self.outcome().is_some();
        if is_over { None } else { self.position.roles().get(self.position.role_to_move()).cloned() }
    }

    fn unseen_moves(&self) -> usize {
        let Some(known) = self.position.before_joint_move() else { return 0 };
        let seen = self.history.iter().rposition(|(before, _)| *before == known);
        self.history.len() - seen.unwrap_or(self.history.len())
    }

    fn legal_moves(&self) -> Vec<String> {
        self.moves_left().iter().map(ToString::to_string).collect()
    }

    fn legal_terms(&self) -> Vec<String> {
        self.moves_left().iter().map(|mv| self.position.term(*mv)).collect()
    }

    fn waiting_term(&self, role: &str) -> Option<String> {
        self.to_move()?;
        let role = self.position.roles().iter().position(|it| it.name.eq_ignore_ascii_case(role))?;
        Some(self.position.waiting_term(role))
    }

    fn scores(&self) -> ScoreSet {
        self.position.scores()
    }

    fn is_independent(&self) -> bool {
        is_independent(&self.position)
    }

    fn score(&self, side: Side) -> u8 {
        match (self.position.outcome(), self.outcome()) {
            (None, Some(draw)) => draw.score(side),
            _ => self.position.score(side),
        }
    }

    fn mover_color(&self) -> Option<&'static str> {
        self.to_move().and_then(|_| self.position.mover_color())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        self.position.facts()
    }

    fn task(&self) -> Option<String> {
        self.to_move().and_then(|_| self.position.task())
    }

    fn ending(&self) -> Option<String> {
        self.position.outcome().and_then(|_| self.position.ending())
    }

    fn caveat(&self) -> Option<String> {
        self.position.caveat()
    }

    fn draw(&self, mark: Option<&str>) -> String {
        self.position.draw(mark.and_then(|token| self.position.parse_move(token).ok()))
    }

    fn picture(&self) -> Picture {
        let seen = self.history.len() - self.unseen_moves();
        let last = self.history[..seen].last().map(|(_, mv)| *mv);
        self.position.before_joint_move().unwrap_or(self.position).picture(last)
    }

    fn cells(&self, token: &str) -> Vec<usize> {
        self.position.parse_move(token).map(|mv| self.position.cells(mv)).unwrap_or_default()
    }

    fn random_move(&self, rng: &mut Rng) -> Option<String> {
        let is_over = self.outcome().is_some();
        (!is_over).then(|| self.position.random_move(rng).to_string())
    }

    fn go_to_benchmark(&mut self) {
        let start = self.start_position();
        self.position = if start == G::initial() { G::benchmark() } else { start };
        self.history.clear();
    }

    fn rollouts(&self, count: u64, rng: &mut Rng) -> RolloutCounts {
        let mut counts = RolloutCounts::default();
        for _ in 0..count {
            counts.count(self.position.rollout(rng));
        }
        counts
    }

    fn position_features(&self) -> Option<PositionFeatures<String>> {
        if self.outcome().is_some() {
            return None;
        }
        Some(K::default().position_features(&self.position)?.map(|mv| mv.to_string()))
    }

    fn check_engine(&self, config: &EngineConfig) -> Result<(), SearchError> {
        if let Some(wrong) = wrong_kind(&self.position) {
            return Err(SearchError::Kind(wrong));
        }
        match config {
            EngineConfig::Random => Ok(()),
            EngineConfig::Uct(config) => config.check(),
            EngineConfig::Quintet(config) => {
                config.check()?;
                let Some(model) = &config.model else { return Ok(()) };
                model.check_game([&self.variant.game, &self.variant.rules])?;
                Ok(K::default().with_model(model.clone()).map(drop)?)
            }
        }
    }

    fn add_engine(&mut self, config: &EngineConfig) -> Result<usize, SearchError> {
        self.check_engine(config)?;
        let followers = self.variant.followers.filter(|_| *config != EngineConfig::Random);
        let shared = followers.map(|it| Shared::new(it, config));
        let config = match followers {
            Some(followers) => config.clone().with_ranks(Ranks::of(followers)?),
            None => config.clone(),
        };
        self.engines.push(EngineSlot {
            engine: Engine::new(&config, self.position.kind())?,
            last: None,
            shared,
        });
        Ok(self.engines.len() - 1)
    }

    fn remove_engines(&mut self) {
        self.engines.clear();
    }

    fn think_with(
        &mut self,
        engine: usize,
        budget: Budget,
        seed: u64,
        controls: Controls<'_, String>,
    ) -> Result<Report<String>, SearchError> {
        if self.outcome().is_some() {
            return Err(SearchError::GameOver);
        }
        let position = &self.position;
        if is_chance(position) {
            return Err(SearchError::Chance);
        }
        let Controls { stop, only: tokens, confidence, variations, watch, spans } = controls;
        let only = tokens.iter().map(|token| position.parse_move(token)).collect::<Result<_, _>>()?;
        let with_tokens = |report: &Report<G::Move>| report.map(|mv| mv.to_string());
        let mut watch = watch.map(|watch| move |report: Report<G::Move>| watch(with_tokens(&report)));
        let watch = watch.as_mut().map(|watch| watch as &mut dyn FnMut(Report<G::Move>));
        let mut controls = Controls { stop, only, confidence, variations, watch, spans };
        let seat = self.engines.get_mut(engine).ok_or(SearchError::NoEngine(engine))?;
        let Variant { game, rules, .. } = &self.variant;
        let job = |shared: &Shared| Job {
            game: [game, rules].map(ToString::to_string),
            position: position.to_string(),
            engine: shared.number,
            config: shared.config.clone(),
            budget,
            seed,
            only: tokens.clone(),
            confidence,
            variations,
        };
        let _turn = seat.shared.as_ref().map(|shared| AnnouncedSearch::begin(shared.followers, &job(shared)));
        let report = match &mut seat.engine {
            Engine::Random => {
                controls.check(position)?;
                let mut rng = Rng::stream(seed, 0);
                let only = &controls.only;
                let mv = if only.is_empty() {
                    position.random_move(&mut rng)
                } else {
                    only[rng.below(only.len())]
                };
                let mut report = Report::without_search(position, mv);
                report.candidates.retain(|it| only.is_empty() || only.contains(&it.mv));
                report
            }
            Engine::Uct(search) => {
                search.set_seed(seed);
                search.run_with(position, budget, &mut controls)?
            }
            Engine::Quintet(search) => {
                search.set_seed(seed);
                search.run_with(position, budget, &mut controls)?
            }
        };
        let tokens = with_tokens(&report);
        seat.last = Some((*position, report));
        Ok(tokens)
    }

    fn settle(&self, options: &SettleOptions) -> SettleResultText {
        let settled = K::default().settle(&self.position, options);
        let choice = |(position, moves): &(G, Vec<G::Move>)| {
            (position.to_string(), moves.iter().map(ToString::to_string).collect())
        };
        let strategy = |it: &Strategy<G, G::Move>| StrategyText {
            claim: it.claim,
            search_from: it.search_from,
            choices: it.choices.iter().map(choice).collect(),
        };
        SettleResultText {
            bounds: settled.bounds,
            best: settled.best.map(|mv| mv.to_string()),
            method: settled.method,
            strategies: settled.strategies.iter().map(strategy).collect(),
        }
    }

    fn win_line(
        &self,
        winner: Side,
        first: Option<&str>,
        engine: Option<usize>,
        effort: Effort,
    ) -> Option<WinLine<String>> {
        if self.outcome().is_some() {
            return None;
        }
        let first = first.and_then(|token| self.position.parse_move(token).ok());
        let line = match engine.and_then(|engine| self.engines.get(engine)) {
            Some(EngineSlot { engine: Engine::Quintet(search), .. }) => {
                search.win_line(&self.position, winner, first, effort)
            }
            _ => Search::new(SearchConfig::default(), K::default()).ok()?.win_line(
                &self.position,
                winner,
                first,
                effort,
            ),
        };
        line.map(|line| line.map(|mv| mv.to_string()))
    }

    fn explain(&self, engine: usize) -> Vec<String> {
        let Some(EngineSlot { engine, last: Some((position, report)), .. }) = self.engines.get(engine) else {
            return Vec::new();
        };
        if *position != self.position {
            return Vec::new();
        }
        match engine {
            Engine::Random => vec![String::new(); report.candidates.len()],
            Engine::Uct(search) => search.explain(position, report),
            Engine::Quintet(search) => search.explain(position, report),
        }
    }
}

#[cfg(test)]
mod tests;
