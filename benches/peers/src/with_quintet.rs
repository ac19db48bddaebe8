//! quintet's plain UCT, as it is and with rollouts that play move by move.

use quintet_core::game::{Game, MoveList, Notation, Outcome, Rng, Role};
use quintet_core::search::{Budget, Report, SearchConfig, Uct};

use crate::contender::{Contender, Found, ITERATIONS, TreeBytes};

/// A game without its fast rollout: rollouts play move by move, as in crates without a fast one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct MoveByMove<G>(G);

impl<G: Game> Game for MoveByMove<G> {
    type Move = G::Move;
    const ROLES: &'static [Role] = G::ROLES;
    const MAX_BRANCHING: usize = G::MAX_BRANCHING;
    const MAX_PLIES: usize = G::MAX_PLIES;

    fn initial() -> Self {
        Self(G::initial())
    }
    #[inline]
    fn role_to_move(&self) -> usize {
        self.0.role_to_move()
    }
    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }
    fn legal_moves(&self, moves: &mut MoveList<G::Move>) {
        self.0.legal_moves(moves);
    }
    #[inline]
    fn move_count(&self) -> usize {
        self.0.move_count()
    }
    #[inline]
    fn nth_move(&self, n: usize) -> G::Move {
        self.0.nth_move(n)
    }
    #[inline]
    fn random_move(&self, rng: &mut Rng) -> G::Move {
        self.0.random_move(rng)
    }
    #[inline]
    fn apply(&mut self, mv: G::Move) {
        self.0.apply(mv);
    }
}

/// Plain UCT.
fn search<G: Game>(position: &G) -> Report<G::Move> {
    let mut search = Uct::new(SearchConfig::default()).expect("the defaults are valid");
    let budget = Budget::iterations(u64::from(ITERATIONS)).expect("not 0");
    search.run(position, budget).expect("the game is not over")
}

fn found<G: Notation>(position: &G, report: &Report<G::Move>) -> Found<G> {
    assert!(!report.memory_was_full);
    let after = position.play(report.best().mv).expect("the best move is legal");
    Found { after, iterations: report.iterations, tree: TreeBytes::Told(report.bytes) }
}

pub(crate) fn as_it_is<G: Notation>() -> Contender<G> {
    Contender {
        name: "quintet-core",
        what: "plain UCT as it is, with the game's fast rollout".to_owned(),
        search: |position| found(position, &search(position)),
    }
}

pub(crate) fn move_by_move<G: Notation>() -> Contender<G> {
    Contender {
        name: "quintet-core",
        what: "plain UCT, rollouts move by move".to_owned(),
        search: |position| found(position, &search(&MoveByMove(*position))),
    }
}
