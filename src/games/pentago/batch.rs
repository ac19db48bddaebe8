//! Many rollouts of Pentago at once, one in each bit of a word.
//!
//! All games of a block are at the same ply, so they have the same number of empty cells and do the same kind
//! of thing. A cell is a bit for each game and color, and a game that is over plays on without being looked
//! at.
//!
//! The loops over words are what becomes vector instructions. The compiler does that to a loop that has none
//! inside it and changes nothing at an address it can't tell, so what is done to a word is written out, and
//! what depends on the color has a loop of its own.

#![expect(clippy::needless_range_loop, reason = "an index goes through several tables at once")]

use super::{CELLS, Pentago, bit_of};
use crate::cpu::Work;
use crate::game::{Rng, Tally};
use crate::games::Ruleset;
use crate::games::lanes::{Lanes, LanesRng, WORDS, mux, splat};

/// Bits of the number of a cell among the empty ones.
const DRAW_BITS: usize = 6;
/// Bits of the random numbers that these are made from: enough for few of them to be rejected.
const RANDOM_BITS: usize = 12;
/// Bits of the number of empty cells in some of the quadrants.
const COUNT_BITS: usize = 5;

/// `count` rollouts from a position that is not over, as work to be compiled for several processors.
pub(super) struct Batch<'a, R: Ruleset> {
    pub(super) position: &'a Pentago<R>,
    pub(super) count: u64,
    pub(super) rng: &'a mut Rng,
}

impl<R: Ruleset> Work for Batch<'_, R> {
    type Output = Tally;

    #[inline(always)]
    fn run(self) -> Tally {
        /// A block takes about as long as so many rollouts one by one.
        const BLOCK_PAYS: u64 = 64;
        let mut tally = Tally::default();
        let mut left = self.count;
        if left >= BLOCK_PAYS {
            let mut lanes_rng = LanesRng::new(self.rng);
            while left >= BLOCK_PAYS {
                let games = left.min(64 * WORDS as u64);
                block(self.position, games, &mut lanes_rng, self.rng, &mut tally);
                left -= games;
            }
        }
        for _ in 0..left {
            tally.add(super::rollout::rollout(self.position, self.rng));
        }
        tally
    }
}

/// A loop written out.
macro_rules! unroll {
    ($i:ident in [$($n:literal)+] $body:block) => {
        $({
            let $i = $n;
            $body
        })+
    };
}

/// What at least two of three bits are.
#[inline(always)]
fn majority(a: u64, b: u64, c: u64) -> u64 {
    mux(a ^ b, c, a)
}

/// The boards of a block.
struct Board {
    /// The stones of red and of black.
    stones: [[Lanes; CELLS]; 2],
    /// The number of empty cells in the first quadrant, the first two and the first three, bit by bit.
    before: [[Lanes; COUNT_BITS]; 3],
}

impl Board {
    #[inline(always)]
    fn new<R: Ruleset>(position: &Pentago<R>) -> Self {
        let mut stones = [[Lanes::NONE; CELLS]; 2];
        for color in 0..2 {
            for cell in 0..CELLS {
                stones[color][cell] = Lanes([splat(position.stones[color] >> cell & 1 == 1); WORDS]);
            }
        }
        let mut before = [[Lanes::NONE; COUNT_BITS]; 3];
        for quadrant in 0..3 {
            let empty = position.empty() & ((1 << (9 * (quadrant + 1))) - 1);
            for bit in 0..COUNT_BITS {
                before[quadrant][bit] = Lanes([splat(empty.count_ones() >> bit & 1 == 1); WORDS]);
            }
        }
        Self { stones, before }
    }

    /// Places a stone of `color` in each game, on the empty cell with this number.
    #[inline(always)]
    fn place(&mut self, color: usize, draw: &[Lanes; DRAW_BITS]) {
        let Self { stones, before } = self;
        let mut quadrants = [Lanes::NONE; 4];
        let mut hits = [Lanes::NONE; 9];
        for w in 0..WORDS {
            // Whether the cell is past the first quadrant, the first two, the first three.
            let mut past = [0; 3];
            unroll!(i in [0 1 2] {
                let mut carry = !0;
                unroll!(bit in [0 1 2 3 4] {
                    carry = majority(draw[bit][w], !before[i][bit][w], carry);
                });
                past[i] = carry | draw[COUNT_BITS][w];
            });

            // The number of the cell in its quadrant.
            let mut rank = [0; 4];
            let mut borrow = 0;
            unroll!(bit in [0 1 2 3] {
                let first = past[0] & before[0][bit][w];
                let second = mux(past[1], before[1][bit][w], first);
                let base = mux(past[2], before[2][bit][w], second);
                rank[bit] = draw[bit][w] ^ base ^ borrow;
                borrow = majority(!draw[bit][w], base, borrow);
            });
            let _ = borrow;

            unroll!(i in [0 1 2] {
                let mut borrow = !past[i];
                unroll!(bit in [0 1 2 3 4] {
                    let old = before[i][bit][w];
                    before[i][bit][w] = old ^ borrow;
                    borrow &= !old;
                });
                let _ = borrow;
            });

            let these = [!past[0], past[0] & !past[1], past[1] & !past[2], past[2]];
            let mut empty = [0; 9];
            unroll!(cell in [0 1 2 3 4 5 6 7 8] {
                let mut taken = 0;
                unroll!(q in [0 1 2 3] {
                    taken |= these[q] & (stones[0][9 * q + cell][w] | stones[1][9 * q + cell][w]);
                });
                empty[cell] = !taken;
            });
            let found = pick(empty, rank);
            unroll!(cell in [0 1 2 3 4 5 6 7 8] {
                hits[cell][w] = found[cell];
            });
            unroll!(q in [0 1 2 3] {
                quadrants[q][w] = these[q];
            });
        }
        for (cells, these) in stones[color].as_chunks_mut::<9>().0.iter_mut().zip(quadrants) {
            for (cell, hit) in cells.iter_mut().zip(hits) {
                for w in 0..WORDS {
                    cell[w] |= these[w] & hit[w];
                }
            }
        }
    }

    /// Rotates a random quadrant in each game.
    #[inline(always)]
    fn rotate(&mut self, rng: &mut LanesRng) {
        /// The outer cells of a quadrant, clockwise.
        const RING: [usize; 8] = [0, 3, 6, 7, 8, 5, 2, 1];
        // The number of the quadrant, and whether to turn it clockwise.
        let mut random = [Lanes::NONE; 3];
        for w in 0..WORDS {
            for plane in &mut random {
                plane[w] = rng.bits(w);
            }
        }
        for cells in &mut self.stones {
            unroll!(q in [0 1 2 3] {
                for w in 0..WORDS {
                    let (low, high) = (random[0][w], random[1][w]);
                    let these = [!low & !high, low & !high, !low & high, low & high][q];
                    let mut old = [0; 8];
                    unroll!(i in [0 1 2 3 4 5 6 7] {
                        old[i] = cells[9 * q + RING[i]][w];
                    });
                    unroll!(i in [0 1 2 3 4 5 6 7] {
                        let turned = mux(random[2][w], old[(i + 6) % 8], old[(i + 2) % 8]);
                        cells[9 * q + RING[i]][w] = mux(these, turned, old[i]);
                    });
                }
            });
        }
    }
}

/// The empty cell of a quadrant with this number.
#[inline(always)]
fn pick(empty: [u64; 9], rank: [u64; 4]) -> [u64; 9] {
    // The number of empty cells in the first row, and in the first two.
    let count = |row: [u64; 3]| [row[0] ^ row[1] ^ row[2], majority(row[0], row[1], row[2])];
    let first = count([empty[0], empty[1], empty[2]]);
    let second = count([empty[3], empty[4], empty[5]]);
    let carry = first[0] & second[0];
    let both = [first[0] ^ second[0], first[1] ^ second[1] ^ carry, majority(first[1], second[1], carry)];

    // Whether the cell is past these rows.
    let carry = majority(rank[1], !first[1], rank[0] | !first[0]);
    let past_first = carry | rank[2] | rank[3];
    let carry = majority(rank[1], !both[1], rank[0] | !both[0]);
    let past_both = majority(rank[2], !both[2], carry) | rank[3];

    // Its number in its row, and that row's empty cells.
    let base =
        [mux(past_both, both[0], past_first & first[0]), mux(past_both, both[1], past_first & first[1])];
    let low = rank[0] ^ base[0];
    let high = rank[1] ^ base[1] ^ (!rank[0] & base[0]);
    let mut row = [0; 3];
    unroll!(x in [0 1 2] {
        row[x] = mux(past_both, empty[6 + x], mux(past_first, empty[3 + x], empty[x]));
    });
    let hit_first = row[0] & !low & !high;
    let hit_second = row[1] & !high & !(low ^ row[0]);
    let hits = [hit_first, hit_second, !(hit_first | hit_second)];
    let rows = [!past_first, past_first & !past_both, past_both];
    let mut found = [0; 9];
    unroll!(cell in [0 1 2 3 4 5 6 7 8] {
        found[cell] = rows[cell / 3] & hits[cell % 3];
    });
    found
}

/// The games of word `w` in which these stones hold a line.
#[inline(always)]
fn lines(stones: &[Lanes; CELLS], w: usize) -> u64 {
    let at = |x: usize, y: usize| stones[bit_of(x, y)][w];
    let six = |c: [u64; 6]| (c[1] & c[2] & c[3]) & (c[4] & (c[0] | c[5]));
    let five = |c: [u64; 5]| (c[0] & c[1] & c[2]) & c[3] & c[4];
    let mut any = 0;
    unroll!(i in [0 1 2 3 4 5] {
        any |= six([at(0, i), at(1, i), at(2, i), at(3, i), at(4, i), at(5, i)]);
        any |= six([at(i, 0), at(i, 1), at(i, 2), at(i, 3), at(i, 4), at(i, 5)]);
    });
    any |= six([at(0, 0), at(1, 1), at(2, 2), at(3, 3), at(4, 4), at(5, 5)]);
    any |= six([at(0, 5), at(1, 4), at(2, 3), at(3, 2), at(4, 1), at(5, 0)]);
    any |= five([at(0, 1), at(1, 2), at(2, 3), at(3, 4), at(4, 5)]);
    any |= five([at(1, 0), at(2, 1), at(3, 2), at(4, 3), at(5, 4)]);
    any |= five([at(0, 4), at(1, 3), at(2, 2), at(3, 1), at(4, 0)]);
    any |= five([at(1, 5), at(2, 4), at(3, 3), at(4, 2), at(5, 1)]);
    any
}

/// A number in `0..n` for each game, each equally likely.
///
/// The high part of a random number times `n`, rejected if the low part is less than a bound (Lemire, "Fast
/// random integer generation in an interval", 2019). The few that are rejected are drawn one by one.
#[inline(always)]
fn draw(n: usize, lanes_rng: &mut LanesRng, rng: &mut Rng) -> [Lanes; DRAW_BITS] {
    let mut product = [Lanes::NONE; RANDOM_BITS + DRAW_BITS];
    let mut random = [Lanes::NONE; RANDOM_BITS];
    for w in 0..WORDS {
        for plane in &mut random {
            plane[w] = lanes_rng.bits(w);
        }
    }
    let mut rest = n;
    while rest != 0 {
        let shift = rest.trailing_zeros() as usize % DRAW_BITS;
        rest &= rest - 1;
        for w in 0..WORDS {
            let mut carry = 0;
            for bit in 0..RANDOM_BITS {
                let (a, b) = (product[shift + bit][w], random[bit][w]);
                product[shift + bit][w] = a ^ b ^ carry;
                carry = majority(a, b, carry);
            }
            product[shift + RANDOM_BITS][w] = carry;
        }
    }
    let mut draw = [Lanes::NONE; DRAW_BITS];
    draw.copy_from_slice(&product[RANDOM_BITS..]);

    // So many of the random numbers are too many for a fair draw.
    let surplus = (1_u64 << RANDOM_BITS) % n as u64;
    let mut rejected = Lanes::NONE;
    for w in 0..WORDS {
        let mut less = 0;
        for bit in 0..RANDOM_BITS {
            less = majority(splat(surplus >> bit & 1 == 1), !product[bit][w], less);
        }
        rejected[w] = less;
    }
    for w in 0..WORDS {
        while rejected[w] != 0 {
            let lane = rejected[w].trailing_zeros();
            rejected[w] &= rejected[w] - 1;
            let number = rng.below(n) as u64;
            for (bit, plane) in draw.iter_mut().enumerate() {
                plane[w] = plane[w] & !(1 << lane) | (number >> bit & 1) << lane;
            }
        }
    }
    draw
}

/// Plays a block of games to the end, and adds up how the first `games` of them came out.
#[inline(always)]
fn block<R: Ruleset>(
    position: &Pentago<R>,
    games: u64,
    lanes_rng: &mut LanesRng,
    rng: &mut Rng,
    tally: &mut Tally,
) {
    let mut board = Board::new(position);
    let mut counts = position.stones.map(u64::count_ones);
    let mut empty = position.empty().count_ones() as usize;
    let mut ply = position.ply;
    // The games under way, and those that either side has won.
    let mut alive = Lanes([u64::MAX; WORDS]);
    alive.truncate(games);
    let mut won = [Lanes::NONE; 2];
    loop {
        let (color, rotates) = Pentago::<R>::phase(ply);
        ply += 1;
        tally.plies += alive.count();
        if rotates {
            board.rotate(lanes_rng);
        } else {
            board.place(color, &draw(empty, lanes_rng, rng));
            counts[color] += 1;
            empty -= 1;
        }
        let mut any = 0;
        if rotates && counts.iter().any(|&count| count >= 5) {
            for w in 0..WORDS {
                let (red, black) = (lines(&board.stones[0], w), lines(&board.stones[1], w));
                won[0][w] |= alive[w] & red & !black;
                won[1][w] |= alive[w] & black & !red;
                alive[w] &= !(red | black);
                any |= alive[w];
            }
        } else if !rotates && counts[color] >= 5 {
            let (mine, won) = (&board.stones[color], &mut won[color]);
            for w in 0..WORDS {
                let found = lines(mine, w);
                won[w] |= alive[w] & found;
                alive[w] &= !found;
                any |= alive[w];
            }
        } else {
            continue;
        }
        if any == 0 || (!rotates && empty == 0) {
            break;
        }
    }
    let wins = won.map(|won| won.count());
    tally.first_wins += wins[0];
    tally.second_wins += wins[1];
    tally.draws += games - wins[0] - wins[1];
}

#[cfg(test)]
mod tests {
    use crate::cpu::Cpu;
    use crate::game::{Game, Rng, Tally};
    use crate::games::{Ggp, Pentago, Ruleset, Spec};

    /// The start and positions after more and more moves of a random game, none of them over.
    fn positions<R: Ruleset>() -> Vec<Pentago<R>> {
        [0, 3, 10, 17, 24, 33, 46, 61]
            .into_iter()
            .map(|plies| {
                let played = |seed| {
                    let mut rng = Rng::stream(21, seed);
                    let mut position = Pentago::<R>::initial();
                    for _ in 0..plies {
                        position.outcome().is_none().then(|| position.apply(position.random_move(&mut rng)));
                    }
                    position
                };
                (0..1_000)
                    .map(played)
                    .find(|position| position.outcome().is_none())
                    .expect("some game is long")
            })
            .collect()
    }

    fn agree<R: Ruleset>() {
        const COUNT: u64 = 40_000;
        for position in positions::<R>() {
            let many = position.rollouts(COUNT, Cpu::best(), &mut Rng::stream(22, 0));
            let mut single = Tally::default();
            let mut rng = Rng::stream(22, 1);
            (0..COUNT).for_each(|_| single.add(position.rollout(&mut rng)));
            assert_eq!(many.rollouts(), COUNT);
            let far = |a: u64, b: u64, variance: f64| (a as f64 - b as f64).powi(2) > 20.0 * variance;
            for (a, b) in [
                (many.first_wins, single.first_wins),
                (many.draws, single.draws),
                (many.second_wins, single.second_wins),
            ] {
                assert!(!far(a, b, (a + b + 1) as f64), "{position}: {many:?}, {single:?}");
            }
            // The lengths of games have a standard deviation of less than 14 plies.
            assert!(!far(many.plies, single.plies, 2.0 * 14.0 * 14.0 * COUNT as f64), "{position}");
        }
    }

    #[test]
    fn games_of_a_block_come_out_as_games_one_by_one() {
        agree::<Spec>();
        agree::<Ggp>();
    }

    fn same<R: Ruleset>() {
        for position in positions::<R>() {
            for count in [0, 1, 7, 64, 100, 511, 512, 513, 1000] {
                let tallies = Cpu::all().into_iter().map(|cpu| {
                    let mut rng = Rng::stream(23, count);
                    (position.rollouts(count, cpu, &mut rng), rng.bits())
                });
                let tallies: Vec<_> = tallies.collect();
                assert_eq!(tallies[0].0.rollouts(), count);
                assert!(tallies.iter().all(|it| *it == tallies[0]), "{position}: {tallies:?}");
            }
        }
    }

    #[test]
    fn every_processor_plays_the_same_games() {
        same::<Spec>();
        same::<Ggp>();
    }
}
