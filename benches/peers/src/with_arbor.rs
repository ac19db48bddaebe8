//! `arbor`: it asks every state whose turn it is, so plies need no merging.

use std::cell::RefCell;
use std::fmt;

use ::arbor::{Action, GameResult, GameState, MCTS, Player};
use quintet_core::game::{MoveList, Notation, Outcome, Rng, Side};
use quintet_core::search::SearchConfig;

use crate::contender::{Contender, Found, ITERATIONS, TreeBytes};

#[derive(Debug, Clone, Copy, PartialEq)]
struct Seat(Side);

impl Player for Seat {}

#[derive(Debug, Clone, Copy)]
struct Ply<M>(M);

impl<M: Copy + fmt::Debug> Action for Ply<M> {}

#[derive(Debug, Clone, Copy)]
struct State<G>(G);

impl<G: Notation> fmt::Display for State<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

thread_local! {
    /// arbor passes no random generator to a custom evaluation.
    static RNG: RefCell<Rng> = RefCell::new(Rng::stream(0, 0));
}

impl<G: Notation> GameState<Seat, Ply<G::Move>> for State<G> {
    #[inline]
    fn actions<F: FnMut(Ply<G::Move>)>(&self, f: &mut F) {
        let mut moves = MoveList::new();
        self.0.legal_moves(&mut moves);
        for mv in moves {
            f(Ply(mv));
        }
    }

    #[inline]
    fn make(&self, action: Ply<G::Move>) -> Self {
        let mut next = self.0;
        next.apply(action.0);
        Self(next)
    }

    #[inline]
    fn gameover(&self) -> Option<GameResult> {
        self.0.outcome().map(|outcome| match outcome {
            Outcome::Draw => GameResult::Draw,
            Outcome::Win(winner) if winner == self.0.side_to_move() => GameResult::Win,
            Outcome::Win(_) => GameResult::Lose,
        })
    }

    #[inline]
    fn player(&self) -> Seat {
        Seat(self.0.side_to_move())
    }

    #[inline]
    fn custom_evaluation(&self) -> f32 {
        let outcome = RNG.with_borrow_mut(|rng| self.0.rollout(rng)).outcome;
        f32::from(outcome.score(self.0.side_to_move())) / 100.0
    }
}

fn search<G: Notation, const CUSTOM: bool>(position: &G) -> Found<G> {
    let mut search = MCTS::new(State(*position)).with_exploration(SearchConfig::UCT_EXPLORATION);
    if CUSTOM {
        search = search.with_custom_evaluation();
    }
    search.ponder(ITERATIONS as usize);
    let best = search.best().expect("it has pondered").0;
    let after = position.play(best).expect("the best move is legal");
    // The root starts with one visit.
    Found { after, iterations: u64::from(search.info.n - 1), tree: TreeBytes::HeapGrowth }
}

pub(crate) fn contenders<G: Notation>() -> [Contender<G>; 2] {
    [
        Contender {
            name: "arbor",
            what: "ply by ply; its own random rollout, which lists the moves of every ply; c as quintet"
                .to_owned(),
            search: search::<G, false>,
        },
        Contender {
            name: "arbor",
            what: "the same with quintet's fast rollout as its custom evaluation".to_owned(),
            search: search::<G, true>,
        },
    ]
}
