//! Positions of Pentago.

use std::ops::Range;

use quintet_core::game::{Game, Rng};
use quintet_games::{Pentago, Ruleset};

/// Positions of random games, none of them over, in which immediate wins are sometimes missed.
pub(crate) fn positions<R: Ruleset>(games: u64, plies: Range<usize>) -> Vec<Pentago<R>> {
    let mut found = Vec::new();
    for game in 0..games {
        let mut rng = Rng::stream(31, game);
        let mut position = Pentago::<R>::initial();
        for ply in 0..plies.end {
            // A move that does not end the game, if one of 20 tries finds one, so that boards fill
            // up.
            let mut next = position;
            for _ in 0..20 {
                next = position;
                next.apply(position.random_move(&mut rng));
                if next.outcome().is_none() {
                    break;
                }
            }
            position = next;
            if position.outcome().is_some() {
                break;
            }
            if plies.contains(&(ply + 1)) && rng.below(4) == 0 {
                found.push(position);
            }
        }
    }
    found
}
