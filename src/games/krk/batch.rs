//! Many rollouts of KRK at once: walks on the graph, side by side.
//!
//! All walks take as many steps as the longest game has left. Few games end before that, and those that do
//! wait in an end that counts the plies since.

use super::Krk;
use super::rollout::{COUNT, Entry, Graph};
use crate::cpu::Work;
use crate::game::{Rng, Tally};
use crate::games::Ruleset;
use crate::games::lanes::{LanesRng, WORDS};

/// The draws that a random word serves.
const DRAWS: usize = 4;

/// The walks that go side by side: enough for several of the widest registers, so that waits for memory
/// overlap.
const WALKS: usize = 2 * WORDS * DRAWS;

/// Rollouts from `position`, so many of them.
pub(super) struct Rollouts<'a, R: Ruleset> {
    pub(super) position: &'a Krk<R>,
    pub(super) count: u64,
    pub(super) rng: &'a mut Rng,
}

impl<R: Ruleset> Work for Rollouts<'_, R> {
    type Output = Tally;

    #[inline(always)]
    fn run(self) -> Tally {
        let graph = Graph::of::<R>();
        let longest = self.position.steps_left();
        let start = graph.start(self.position);
        let mut lanes = LanesRng::new(self.rng);
        let mut tally = Tally::default();
        let mut left = self.count;
        while left > 0 {
            let mut walks = [start; WALKS];
            for _ in 0..longest {
                let bits = draw_bits(&mut lanes);
                step(&mut walks, &bits, graph, self.rng);
            }
            let counted = left.min(WALKS as u64);
            let (mut first_wins, mut since) = (0, 0);
            for (i, entry) in walks.into_iter().enumerate() {
                let is_wanted = (i as u32) < counted as u32;
                let (mated, its_since) = Graph::end(entry);
                first_wins += u32::from(is_wanted & mated);
                since += if is_wanted { its_since } else { 0 };
            }
            tally.first_wins += u64::from(first_wins);
            tally.second_wins += counted - u64::from(first_wins);
            tally.plies += counted * u64::from(longest) - u64::from(since);
            left -= counted;
        }
        tally
    }
}

/// 16 random bits for each walk.
#[inline(always)]
fn draw_bits(lanes: &mut LanesRng) -> [u32; WALKS] {
    let mut bits = [0; WALKS];
    for half in bits.chunks_exact_mut(WORDS * DRAWS) {
        let mut words = [0; WORDS];
        for (i, word) in words.iter_mut().enumerate() {
            *word = lanes.bits(i);
        }
        for (i, word) in words.into_iter().enumerate() {
            for n in 0..DRAWS {
                half[WORDS * n + i] = (word >> (16 * n)) as u32 & 0xFFFF;
            }
        }
    }
    bits
}

/// Takes each walk one step further, by a draw from its bits: Lemire, "Fast random integer generation in an
/// interval", 2019.
#[inline(always)]
fn step(walks: &mut [Entry; WALKS], bits: &[u32; WALKS], graph: &Graph, rng: &mut Rng) {
    let mut products = [0; WALKS];
    let mut any_low = 0;
    for i in 0..WALKS {
        let bound = walks[i] & COUNT;
        products[i] = bits[i] * bound;
        any_low |= u32::from((products[i] & 0xFFFF) < bound);
    }
    if any_low != 0 {
        redraw(walks, &mut products, rng);
    }
    for i in 0..WALKS {
        walks[i] = graph.step(walks[i], products[i] >> 16);
    }
}

/// Draws again, by bits of `rng`, where the low half of a product is one too many for a fair draw.
#[cold]
#[inline(never)]
fn redraw(walks: &[Entry; WALKS], products: &mut [u32; WALKS], rng: &mut Rng) {
    for (&entry, product) in walks.iter().zip(products) {
        let bound = entry & COUNT;
        let surplus = (1 << 16) % bound;
        while *product & 0xFFFF < surplus {
            *product = (rng.bits() >> 48) as u32 * bound;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;
    use crate::game::{Game, Outcome, Side};
    use crate::games::{Ggp, Spec};

    /// The start and positions after so many random moves, ended games among them.
    fn positions<R: Ruleset>() -> Vec<Krk<R>> {
        let mut rng = Rng::stream(21, 0);
        let mut positions = Vec::new();
        for plies in 0..=Krk::<R>::MAX_PLIES {
            let mut position = Krk::<R>::initial();
            for _ in 0..plies {
                if position.outcome().is_none() {
                    position.apply(position.random_move(&mut rng));
                }
            }
            positions.push(position);
        }
        positions
    }

    fn same_on_every_cpu<R: Ruleset>() {
        for position in positions::<R>() {
            for count in [0, 1, 7, 63, 64, 65, 511, 513, 1_000] {
                let tally = |cpu| {
                    let mut rng = Rng::stream(22, count);
                    let tally = position.rollouts(count, cpu, &mut rng);
                    (tally, rng.bits())
                };
                let portable = tally(Cpu::PORTABLE);
                assert_eq!(portable.0.rollouts(), count);
                for cpu in Cpu::all() {
                    assert_eq!(tally(cpu), portable, "{position} with {}", cpu.name());
                }
            }
        }
    }

    #[test]
    fn a_batch_comes_out_the_same_on_every_cpu() {
        same_on_every_cpu::<Spec>();
        same_on_every_cpu::<Ggp>();
    }

    fn as_single<R: Ruleset>() {
        const COUNT: u64 = 60_000;
        let mut rng = Rng::stream(23, 0);
        for position in positions::<R>() {
            let batch = position.rollouts(COUNT, Cpu::best(), &mut rng);
            let (mut single, mut squares) = (Tally::default(), 0);
            for _ in 0..COUNT {
                let rollout = position.rollout(&mut rng);
                single.add(rollout);
                squares += u64::from(rollout.plies).pow(2);
            }
            if let Some(outcome) = position.outcome() {
                assert_eq!(batch, single);
                assert_eq!(batch.first_wins == COUNT, outcome == Outcome::Win(Side::First));
                assert_eq!(batch.plies, 0);
                continue;
            }
            // The variance of the difference of two sums of so many rollouts.
            let n = COUNT as f64;
            let variance = |sum: u64, squares: u64| 2.0 * (squares as f64 - (sum as f64).powi(2) / n);
            let wins = single.first_wins.abs_diff(batch.first_wins) as f64;
            let plies = single.plies.abs_diff(batch.plies) as f64;
            assert!(wins <= 4.5 * variance(single.first_wins, single.first_wins).sqrt(), "{position}");
            assert!(plies <= 4.5 * variance(single.plies, squares).sqrt(), "{position}");
        }
    }

    #[test]
    fn a_batch_comes_out_as_single_rollouts_do() {
        as_single::<Spec>();
        as_single::<Ggp>();
    }
}
