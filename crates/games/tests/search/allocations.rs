//! The hot paths allocate nothing.

use quintet_core::game::{MoveList, Rng};
use quintet_core::search::{Budget, SearchConfig, Uct};
use quintet_games::HasKnowledge;

use crate::catalog::{GameId, Rules, Visitor};

/// The number of allocations of `work`.
fn allocations(mut work: impl FnMut()) -> u64 {
    allocation_counter::measure(&mut work).count_total
}

struct Play;

impl Visitor for Play {
    type Output = ();

    /// Lists, draws and plays moves, and plays rollouts from every position of a game.
    fn visit<G: HasKnowledge>(self) {
        let mut rng = Rng::stream(3, 0);
        // A game may build its tables on first use.
        G::initial().rollout(&mut rng);
        let counted = allocations(|| {
            let mut position = G::initial();
            let mut moves = MoveList::new();
            while position.outcome().is_none() {
                position.legal_moves(&mut moves);
                assert_eq!(moves.len(), position.move_count());
                position.rollout(&mut rng);
                let mv = position.random_move(&mut rng);
                position.apply(mv);
            }
        });
        assert_eq!(counted, 0);
    }
}

#[test]
fn playing_and_rollouts_allocate_nothing() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            game.visit(rules, Play);
        }
    }
}

struct Iterate;

impl Visitor for Iterate {
    type Output = ();

    fn visit<G: HasKnowledge>(self) {
        let mut search = Uct::<G>::new(SearchConfig::default()).expect("valid");
        let mut run = |iterations| {
            let budget = Budget::iterations(iterations).expect("not 0");
            search.run(&G::initial(), budget).expect("there are moves");
        };
        // The largest run comes first and allocates the pool of nodes.
        run(50_000);
        // Only the report still allocates: a few lists per move of its principal variation, so more
        // for a deeper tree.
        let [few, many] = [500, 50_000].map(|iterations| allocations(|| run(iterations)));
        let most = 4 * G::MAX_PLIES as u64;
        assert!(many <= few + most, "{few} allocations in 500 iterations, {many} in 50,000");
    }
}

#[test]
fn iterations_allocate_nothing_once_the_pool_stands() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            game.visit(rules, Iterate);
        }
    }
}
