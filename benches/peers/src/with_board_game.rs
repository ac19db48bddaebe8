//! `board-game`: the sides must alternate strictly, so plies are merged into turns.

use std::fmt;
use std::ops::ControlFlow;

use board_game::ai::mcts::MCTSBot;
use board_game::board::{
    Alternating as MarkedAlternating, Board, BoardDone, BoardMoves, BoardSymmetry, Outcome, PlayError, Player,
};
use board_game::symmetry::UnitSymmetry;
use internal_iterator::InternalIterator;
use quintet_core::game::{self, Side};
use quintet_core::search::SearchConfig;
use rand08::SeedableRng as _;
use rand08::rngs::SmallRng;

use crate::contender::{Contender, Found, ITERATIONS, TreeBytes};
use crate::turns::{Alternating, Turns};

/// A board as board-game needs it. Moves are assumed to be legal.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State<G>(Alternating<G>);

impl<G: Turns> fmt::Display for State<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

fn player(side: Side) -> Player {
    match side {
        Side::First => Player::A,
        Side::Second => Player::B,
    }
}

impl<G: Turns> Board for State<G> {
    type Move = G::Turn;

    #[inline]
    fn next_player(&self) -> Player {
        player(self.0.next)
    }

    fn is_available_move(&self, turn: G::Turn) -> Result<bool, BoardDone> {
        self.check_done()?;
        Ok(self.0.position.is_legal(turn))
    }

    #[inline]
    fn random_available_move(&self, rng: &mut impl rand08::Rng) -> Result<G::Turn, BoardDone> {
        self.check_done()?;
        Ok(self.0.position.random_turn(|n| rng.gen_range(0..n)))
    }

    #[inline]
    fn play(&mut self, turn: G::Turn) -> Result<(), PlayError> {
        self.check_done()?;
        self.0.play(turn);
        Ok(())
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome().map(|outcome| match outcome {
            game::Outcome::Win(side) => Outcome::WonBy(player(side)),
            game::Outcome::Draw => Outcome::Draw,
        })
    }

    /// A rotation may complete a line of the other side.
    fn can_lose_after_move() -> bool {
        true
    }
}

impl<G: Turns> MarkedAlternating for State<G> {}

/// The legal turns of a position.
#[derive(Debug, Clone)]
struct Legal<G>(G);

impl<G: Turns> InternalIterator for Legal<G> {
    type Item = G::Turn;

    #[inline]
    fn try_for_each<R, F: FnMut(G::Turn) -> ControlFlow<R>>(self, f: F) -> ControlFlow<R> {
        self.0.try_turns(f)
    }
}

impl<'a, G: Turns> BoardMoves<'a, Self> for State<G> {
    type AllMovesIterator = Legal<G>;
    type AvailableMovesIterator = Legal<G>;

    /// The search does not call it.
    fn all_possible_moves() -> Legal<G> {
        Legal(G::benchmark())
    }

    #[inline]
    fn available_moves(&'a self) -> Result<Legal<G>, BoardDone> {
        self.check_done()?;
        Ok(Legal(self.0.position))
    }
}

impl<G: Turns> BoardSymmetry<Self> for State<G> {
    type Symmetry = UnitSymmetry;
    type CanonicalKey = ();

    fn map(&self, _: UnitSymmetry) -> Self {
        self.clone()
    }

    fn map_move(&self, _: UnitSymmetry, turn: G::Turn) -> G::Turn {
        turn
    }

    fn canonical_key(&self) {}
}

fn search<G: Turns>(position: &G) -> Found<G> {
    let mut state = State(Alternating::new(position));
    let rng = SmallRng::seed_from_u64(0);
    let mut bot = MCTSBot::new(u64::from(ITERATIONS), SearchConfig::UCT_EXPLORATION, rng);
    let tree = bot.build_tree(&state);
    let best = tree.best_move();
    assert!(position.is_legal(best), "{best} is illegal");
    state.0.play(best);
    // The search stops when the root is proven.
    Found { after: state.0.position, iterations: tree[0].visits.unsigned_abs(), tree: TreeBytes::HeapGrowth }
}

pub(crate) fn contender<G: Turns>() -> Contender<G> {
    Contender {
        name: "board-game",
        what: format!(
            "{}; its own rollout, turn by turn, turns drawn and not listed (there is no hook for another); \
             c as quintet",
            G::TURN
        ),
        search: search::<G>,
    }
}
