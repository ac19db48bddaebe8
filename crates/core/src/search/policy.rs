//! The mixed policies of a joint move, and the move that is drawn from one.

use super::joint::choices;
use super::merged::{PositionStats, RankSlot, sum_of_choice};
use super::ranks::Ranks;
use super::report::{Candidate, Policy};
use super::tree::Tree;
use crate::game::{Game, Rng, derive_seed};
use crate::hash;

/// A move with fewer than one in so many visits of the most visited one is not in the policy: its visits were to find
/// out what it is worth.
const LEAST_PART: u64 = 20;

/// The mixed policies of all roles of the joint move that begins at the root of the trees; none if it is no joint
/// move. `of_asked` is what all ranks know of the moves of the role that is asked for.
pub(super) fn policies<G: Game>(
    trees: &[Tree<G>],
    ranks: Ranks,
    of_asked: &PositionStats<G::Move>,
) -> Vec<Policy<G::Move>> {
    let all = choices(&trees[0].root);
    if all.len() == 1 {
        return Vec::new();
    }
    let policy = |(before, position): (usize, &G)| {
        let mut sums = sum_of_choice(trees, before, position);
        sums.over(RankSlot::of(ranks), &mut [], &mut |numbers| ranks.sum(numbers));
        let sums = if before == trees[0].choices_before { of_asked } else { &sums };
        let most = sums.moves.iter().map(|sum| sum.visits).max().unwrap_or(0);
        let of_policy = |visits: u64| if visits < most / LEAST_PART { 0 } else { visits };
        let all = sums.moves.iter().map(|sum| of_policy(sum.visits)).sum::<u64>().max(1) as f64;
        let moves = sums.moves.iter().map(|sum| (sum.mv, of_policy(sum.visits) as f64 / all)).collect();
        Policy { role: position.role_to_move(), moves }
    };
    all.iter().enumerate().map(policy).collect()
}

/// Puts a candidate first that is drawn from a policy, with a random stream of `seed` and of what the role knows.
pub(super) fn draw_first<G: Game>(
    candidates: &mut [Candidate<G::Move>],
    policy: &Policy<G::Move>,
    known: &G,
    seed: u64,
) {
    // Each role draws by itself.
    let mut rng = Rng::stream(derive_seed(seed, policy.role as u64), hash::of(known));
    let mut left = (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    let drawn = policy.moves.iter().find(|(_, share)| {
        left -= share;
        left < 0.0
    });
    // Rounding may leave a little: then it is the most visited one.
    let place = drawn.and_then(|(mv, _)| candidates.iter().position(|it| it.mv == *mv));
    candidates[..=place.unwrap_or(0)].rotate_right(1);
}
