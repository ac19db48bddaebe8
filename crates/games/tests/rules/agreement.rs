//! Random games in which the crate's game and its twin must agree on every state.

use quintet_core::game::Rng;

use crate::catalog::GameId;
use crate::harness::{View, in_every_game, legal_moves, twin_of};
use crate::named::Named;

const SEED: u64 = 0x5eed_a91e;

/// How a random game draws its moves from the list of legal ones.
#[derive(Clone, Copy)]
enum Style {
    /// All with the same probability.
    Uniform,
    /// Prefers early moves: stones crowd on the low ranks, so there are many runs along the edge,
    /// overlong runs, and several lines completed at once.
    Low,
    /// Prefers late moves: the same at the opposite edge.
    High,
}

impl Style {
    const ALL: [Self; 3] = [Self::Uniform, Self::Low, Self::High];

    fn draw(self, count: usize, rng: &mut Rng) -> usize {
        let mut draws = [rng.below(count), rng.below(count), rng.below(count), rng.below(count)];
        draws.sort_unstable();
        match self {
            Self::Uniform => rng.below(count),
            Self::Low => draws[0],
            Self::High => draws[3],
        }
    }
}

/// The number of games of each style; fewer for slow twins.
fn games(game: GameId) -> u64 {
    match game {
        GameId::Qubic | GameId::Gomoku => 200,
        _ => 500,
    }
}

fn game_and_twin_agree<G: Named>() {
    for style in Style::ALL {
        for game in 0..games(G::GAME) {
            let mut rng = Rng::stream(SEED, game);
            let mut state = G::initial();
            let Some(mut twin) = twin_of::<G>() else { return };
            let mut played: Vec<String> = Vec::new();
            loop {
                let view = View::of_game(&state);
                assert_eq!(view, View::of_twin(&*twin), "crate and twin, after {played:?}");
                if view.terminal {
                    break;
                }
                let moves = legal_moves(&state);
                let is_pick = |mv: &G::Move| ["black", "white"].contains(&&*mv.to_string());
                let picks: Vec<_> = if view.legal.iter().any(|token| token == "black") {
                    moves.iter().copied().filter(is_pick).collect()
                } else {
                    Vec::new()
                };
                // In the step of Gomoku that offers both, nearly every draw would be a cell.
                let mv = if picks.is_empty() || game % 2 == 0 && moves.len() > picks.len() {
                    moves[style.draw(moves.len(), &mut rng)]
                } else {
                    picks[rng.below(picks.len())]
                };
                twin.apply(&mv.to_string());
                state.apply(mv);
                played.push(mv.to_string());
            }
        }
    }
}

in_every_game!(game_and_twin_agree);
