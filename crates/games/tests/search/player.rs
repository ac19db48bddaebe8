//! Engines of the registry, where the search is compiled for every game: here it is not compiled again.

use std::sync::atomic::AtomicBool;

use quintet_core::game::Rng;
use quintet_core::search::{Budget, Report};
use quintet_core::session::{EngineConfig, Session};

use crate::catalog::{GameId, Rules};

/// A game at its start.
pub(crate) fn start(game: GameId, rules: Rules) -> Box<dyn Session> {
    quintet_games::registry().find(game.name(), Some(rules.name())).expect("a game").start()
}

/// The position after so many random moves, or the last one in which the game goes on.
pub(crate) fn random_position(game: GameId, rules: Rules, plies: usize, rng: &mut Rng) -> String {
    let mut session = start(game, rules);
    for _ in 0..plies {
        let mv = session.random_move(rng).expect("the game goes on");
        session.play(&mv).expect("legal");
        if session.outcome().is_some() {
            session.take_back();
            break;
        }
    }
    session.position()
}

/// A game with one engine.
pub(crate) struct Player {
    pub(crate) session: Box<dyn Session>,
    seed: u64,
}

impl Player {
    pub(crate) fn new(game: GameId, rules: Rules, engine: &EngineConfig) -> Self {
        let mut session = start(game, rules);
        session.add_engine(engine).expect("valid");
        Self { session, seed: engine.search().map_or(0, |config| config.seed) }
    }

    pub(crate) fn at(mut self, position: &str) -> Self {
        self.go_to(position);
        self
    }

    pub(crate) fn go_to(&mut self, position: &str) {
        self.session.reset(Some(position)).expect("a position");
    }

    pub(crate) fn play(&mut self, token: &str) {
        self.session.play(token).expect("legal");
    }

    pub(crate) fn think(&mut self, budget: Budget) -> Report<String> {
        self.session.think(0, budget, self.seed, &AtomicBool::new(false)).expect("there are moves")
    }

    pub(crate) fn iterate(&mut self, iterations: u64) -> Report<String> {
        self.think(Budget::iterations(iterations).expect("not 0"))
    }

    pub(crate) fn explain(&self) -> Vec<String> {
        self.session.explain(0)
    }
}
