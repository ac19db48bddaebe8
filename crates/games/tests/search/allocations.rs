//! The hot paths allocate nothing.

use quintet_core::game::{MoveList, Rng};
use quintet_core::search::SearchConfig;
use quintet_core::session::EngineConfig;
use quintet_games::HasKnowledge;

use crate::catalog::{GameId, Rules, Visitor};
use crate::player::Player;

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

#[test]
fn iterations_allocate_nothing_once_the_pool_stands() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            let mut player = Player::new(game, rules, &EngineConfig::Uct(SearchConfig::default()));
            let mut run = |iterations| {
                player.iterate(iterations);
            };
            // The largest run comes first and allocates the pool of nodes.
            run(50_000);
            // Only the report still allocates: tokens, and a few lists per move of its principal variation, so more
            // for a deeper tree.
            let [few, many] = [500, 50_000].map(|iterations| allocations(|| run(iterations)));
            let most = 4 * player.session.variant().max_plies as u64;
            assert!(many <= few + most, "{few} allocations in 500 iterations, {many} in 50,000");
        }
    }
}
