//! Positions of Quarto.

use std::ops::RangeInclusive;

use quintet_core::game::{Game, Outcome, Rng};
use quintet_games::{Quarto, Ruleset};

use super::{after_all, moves_of};

/// Positions of random games that are not over, with `placed` pieces on the board, half of them
/// with one in hand. Half of the games are played without giving wins away, as others end
/// early.
pub(crate) fn positions<R: Ruleset>(
    placed: RangeInclusive<u32>,
    count: usize,
) -> impl Iterator<Item = Quarto<R>> {
    let (least, most) = placed.into_inner();
    (0..)
        .filter_map(move |index| {
            let mut rng = Rng::stream(41, index);
            let mut position = Quarto::initial();
            let plies = 2 * least as usize + rng.below(2 * (most - least + 1) as usize);
            for _ in 0..plies {
                let mut moves = moves_of(&position);
                if index % 2 == 0 {
                    let mut safe = moves.clone();
                    safe.retain(|mv| !wins_in_two(&position.play(*mv).expect("legal")));
                    if !safe.is_empty() {
                        moves = safe;
                    }
                }
                position.apply(moves[rng.below(moves.len())]);
                position.outcome().is_none().then_some(())?;
            }
            Some(position)
        })
        .take(count)
}

/// Whether the game is won, or either side can win within one or two moves.
fn wins_in_two<R: Ruleset>(position: &Quarto<R>) -> bool {
    let wins = |position: &Quarto<R>| matches!(position.outcome(), Some(Outcome::Win(_)));
    wins(position) || after_all(position).any(|next| wins(&next) || after_all(&next).any(|next| wins(&next)))
}
