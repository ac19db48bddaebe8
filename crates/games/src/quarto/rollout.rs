//! Fast rollouts of Quarto.
//!
//! A random game is a random order of the empty cells and, independent of it, a random order of the
//! pieces. If play went on past the end, the board would fill up. A line is full at the latest time
//! of its four cells, and the game ends at the earliest such time of a line whose pieces share a
//! bit. So no moves have to be played and no order written down: each cell draws a random 16-bit
//! digit for its piece and another for its time, and all cells are processed at once.

use super::lanes::{Fastest, Lanes};
use super::{ALL, CELLS, Quarto};
use crate::Ruleset;
use quintet_core::game::{Outcome, Rng, Rollout};

/// Plays uniformly random moves from `position`, which is not over.
#[inline(always)]
pub(super) fn rollout<R: Ruleset>(position: &Quarto<R>, rng: &mut Rng) -> Rollout {
    rollout_with::<R, Fastest>(position, || rng.bits())
}

/// As [`rollout`], with any kind of lanes and any source of random words.
#[inline(always)]
fn rollout_with<R: Ruleset, L: Lanes>(position: &Quarto<R>, mut word: impl FnMut() -> u64) -> Rollout {
    let mut digits = || L::from_words([word(), word(), word(), word()]);
    let (earliest, latest) = (L::splat(i16::MIN), L::splat(i16::MAX));
    let placed = position.placed();
    let empty = CELLS as u32 - placed;
    let in_hand = u32::from(position.hand.is_some());
    let filled = L::is_in(position.board.occupied());

    // The rank of a cell among the empty ones, by its digit. If all digits differ, every order is
    // equally likely; if not, the ranks add up to less, and all cells draw again.
    let rank = loop {
        let rank = digits().min(filled.xor(latest)).rank();
        if rank.and_not(filled).sum() == empty * (empty - 1) / 2 {
            break rank;
        }
    };
    // The cell of rank n gets the n-th piece of the pool: skip the pieces that are not in it. The
    // cell whose rank is beyond the last piece gets the piece in hand and is filled first.
    let mut piece = rank;
    let mut gone = !position.board.pool;
    while gone != 0 {
        piece = piece.sub(piece.greater(L::splat(gone.trailing_zeros() as i16 - 1)));
        gone &= gone - 1;
    }
    let known = filled.or(piece.greater(L::splat(15)));
    let hand = L::splat(i16::from(position.hand.unwrap_or(0))).and_not(filled);
    let piece = piece.and_not(known).or(L::pieces(position.board.ones).or(hand).and(known));

    // The four bits of each piece, with their complement above them.
    let bits = piece.sub(piece.times_16()).add(L::splat(0xF0));
    let shares_nothing = bits.lines(L::and).equal(L::splat(0));
    if shares_nothing.mask() == ALL {
        return Rollout { outcome: Outcome::Draw, plies: 2 * empty - in_hand };
    }
    let never = shares_nothing.xor(earliest);

    // A cell's digit is the time at which it is filled. One digit each is enough, unless the cell
    // that ends the game ties with others: then the tied cells draw again, and all others stay
    // before or after them.
    let (mut before, mut after) = (known, L::splat(0));
    loop {
        let time = digits().min(before.xor(latest)).max(after.xor(earliest));
        let end = time.lines(L::max).max(never).least();
        let earlier = end.greater(time);
        let at_end = time.equal(end).mask();
        let last = if at_end.is_power_of_two() {
            earlier.mask().count_ones()
        } else if at_end & !before.mask() & !after.mask() == 0 {
            // The piece in hand ends the game.
            placed
        } else {
            (before, after) = (before.or(earlier), after.or(time.greater(end)));
            continue;
        };
        let mover = Quarto::<R>::side(last, true);
        return Rollout { outcome: Outcome::Win(mover), plies: 2 * (last + 1 - placed) - in_hand };
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::lanes::Array;
    use super::*;
    use crate::{Ggp, Spec};
    use quintet_core::game::{Game, rollout_move_by_move};

    /// The start, and positions from all stages of random games.
    fn positions<R: Ruleset>() -> impl Iterator<Item = Quarto<R>> {
        (0..=12).map(|index| {
            let mut position = Quarto::initial();
            let length = rollout_move_by_move(&position, &mut Rng::stream(21, index)).plies;
            let mut rng = Rng::stream(21, index);
            for _ in 0..length * index as u32 / 13 {
                position.apply(position.random_move(&mut rng));
            }
            position
        })
    }

    fn vectors_agree_with_arrays<R: Ruleset>() {
        for (position, stream) in positions::<R>().zip(0..) {
            let (mut fast, mut slow) = (Rng::stream(22, stream), Rng::stream(22, stream));
            for _ in 0..2_000 {
                let rollout = rollout_with::<R, Array>(&position, || slow.bits());
                assert_eq!(position.rollout(&mut fast), rollout, "{position}");
            }
            assert_eq!(fast.bits(), slow.bits(), "{position}");
        }
    }

    #[test]
    fn the_vectors_of_the_processor_play_the_same_rollouts_as_arrays() {
        vectors_agree_with_arrays::<Spec>();
        vectors_agree_with_arrays::<Ggp>();
    }

    /// How many standard deviations the chi-square statistic of outcomes and lengths is above its
    /// mean, for rollouts with digits of a few bits against games played move by move.
    fn deviation<R: Ruleset>(digit: impl Fn(u64, u32) -> u64) -> f64 {
        const ROLLOUTS: u32 = 20_000;
        let (mut statistic, mut freedom) = (0.0, 0.0);
        for (position, index) in positions::<R>().zip(0..) {
            let mut counts = BTreeMap::<_, [f64; 2]>::new();
            let mut rng = Rng::stream(23, index);
            let empty = CELLS as u32 - position.placed();
            for _ in 0..ROLLOUTS {
                let coarse = rollout_with::<R, Array>(&position, || digit(rng.bits(), empty));
                let played = rollout_move_by_move(&position, &mut rng);
                for (which, Rollout { outcome, plies }) in [coarse, played].into_iter().enumerate() {
                    counts.entry((outcome.score(quintet_core::game::Side::First), plies)).or_default()
                        [which] += 1.0;
                }
            }
            let common = counts.values().filter(|[a, b]| a + b >= 40.0);
            statistic += common.clone().map(|[a, b]| (a - b).powi(2) / (a + b)).sum::<f64>();
            freedom += common.count() as f64 - 1.0;
        }
        (statistic - freedom) / (2.0 * freedom).sqrt()
    }

    /// Uses digits of a few bits: with all 16 bits, hardly any game ends on a tie.
    #[test]
    fn ties_are_broken_fairly() {
        // Enough bits that all cells soon draw distinct digits.
        let bits = |empty| if empty > 8 { 7 } else { 4 };
        let mask = |empty| u64::from(u16::MAX << (16 - bits(empty))) * super::super::LANES;
        for deviation in [
            // The least digit marks cells filled before, the greatest those filled after.
            deviation::<Spec>(|word, empty| word & mask(empty)),
            deviation::<Ggp>(|word, empty| word | !mask(empty)),
        ] {
            assert!(deviation.abs() < 4.0, "{deviation} standard deviations off");
        }
    }
}
