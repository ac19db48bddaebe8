//! quintet's plain UCT, as it is and with rollouts that play move by move.

use quintet::game::{Game, Notation, Outcome, Rng, rollout_move_by_move};
use quintet::knowledge::{Knowledge, RulesOnly};
use quintet::search::{Budget, Search, SearchConfig, Technique, Techniques};

use crate::contender::{Contender, Found, ITERATIONS, TreeBytes};

/// Plays rollouts one move after the other, as a crate must that has no faster way.
#[derive(Debug, Default)]
struct MoveByMove;

impl<G: Game> Knowledge<G> for MoveByMove {
    #[inline]
    fn rollout(&self, position: &G, rng: &mut Rng) -> Outcome {
        rollout_move_by_move(position, rng).outcome
    }
}

/// Plain UCT, or all of it but for the rollouts of `K`.
fn search<G: Notation, K: Knowledge<G> + Default, const ROLLOUTS_OF_K: bool>(position: &G) -> Found<G> {
    let techniques =
        if ROLLOUTS_OF_K { Techniques::NONE.with(Technique::Rollouts) } else { Techniques::NONE };
    let config = SearchConfig { techniques, ..SearchConfig::uct() };
    let mut search = Search::new(config, K::default()).expect("the defaults are valid");
    let budget = Budget::iterations(u64::from(ITERATIONS)).expect("not 0");
    let report = search.run(position, budget).expect("the game is not over");
    assert!(!report.memory_was_full);
    let after = position.play(report.best().mv).expect("the best move is legal");
    Found { after, iterations: report.iterations, tree: TreeBytes::Told(report.bytes) }
}

pub(crate) fn as_it_is<G: Notation>() -> Contender<G> {
    Contender {
        name: "quintet",
        what: "plain UCT as it is, with the game's fast rollout".to_owned(),
        search: search::<G, RulesOnly, false>,
    }
}

pub(crate) fn move_by_move<G: Notation>() -> Contender<G> {
    Contender {
        name: "quintet",
        what: "plain UCT, rollouts move by move".to_owned(),
        search: search::<G, MoveByMove, true>,
    }
}
