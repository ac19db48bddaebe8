//! The uniform choice of a move, as a part of a network: an adder tree counts the legal moves, a number below the count
//! is drawn bit by bit, and the tree leads it down to a move.

use quintet_core::hash::mix;

use crate::bits::{GAMES, Mask, WORDS};
use crate::gates::{Gates, Lit};
use crate::program::Place;

/// One choice in each step: a number below the number of legal moves.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    /// The number of legal moves in binary, the lowest bit first.
    pub(crate) count: Vec<Place>,
    /// Where the bits of the number are put.
    pub(crate) drawn: Vec<u32>,
    /// The moves among which it chooses, in order: of each slot one is legal at most.
    pub(crate) slots: Vec<Vec<u16>>,
}

/// The bits of numbers below `count`.
pub(crate) fn width(count: usize) -> usize {
    (usize::BITS - count.saturating_sub(1).leading_zeros()) as usize
}

/// An adder tree over the legal moves.
pub(crate) struct Tree {
    /// The number of legal moves below, in binary.
    pub(crate) count: Vec<Lit>,
    leaves: usize,
    parts: Option<Box<[Tree; 2]>>,
}

impl Tree {
    pub(crate) fn new(gates: &mut Gates, leaves: &[Lit]) -> Self {
        if leaves.len() < 2 {
            return Self { count: leaves.to_vec(), leaves: leaves.len(), parts: None };
        }
        let (left, right) = leaves.split_at(leaves.len().div_ceil(2));
        let parts = [Self::new(gates, left), Self::new(gates, right)];
        let mut count = sum(gates, &parts[0].count, &parts[1].count);
        count.truncate(width(leaves.len() + 1));
        Self { count, leaves: leaves.len(), parts: Some(Box::new(parts)) }
    }

    /// Leads a number, which is below the count, to its leaf, if it comes here; says of each leaf whether it is led
    /// there.
    pub(crate) fn lead(&self, gates: &mut Gates, is_here: Lit, number: &[Lit], found: &mut Vec<Lit>) {
        let Some([left, right]) = self.parts.as_deref() else {
            return found.extend((0..self.leaves).map(|_| is_here));
        };
        let (rest, is_left) = difference(gates, number, &left.count);
        let (to_left, to_right) = (gates.and(is_here, is_left), gates.and(is_here, !is_left));
        left.lead(gates, to_left, &number[..width(left.leaves)], found);
        right.lead(gates, to_right, &rest[..width(right.leaves)], found);
    }
}

/// The sum of two binary numbers.
fn sum(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let mut carry = Lit::FALSE;
    let mut sum = Vec::new();
    for bit in 0..a.len().max(b.len()) {
        let [a, b] = [a, b].map(|it| it.get(bit).copied().unwrap_or(Lit::FALSE));
        let odd = gates.xor(a, b);
        sum.push(gates.xor(odd, carry));
        let (both, through) = (gates.and(a, b), gates.and(odd, carry));
        carry = gates.or(both, through);
    }
    sum.push(carry);
    sum
}

/// `a - b` modulo a power of two, and whether `a` is less than `b`.
fn difference(gates: &mut Gates, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Lit) {
    let mut borrow = Lit::FALSE;
    let mut rest = Vec::new();
    for bit in 0..a.len().max(b.len()) {
        let [a, b] = [a, b].map(|it| it.get(bit).copied().unwrap_or(Lit::FALSE));
        let odd = gates.xor(a, b);
        rest.push(gates.xor(odd, borrow));
        let (less, through) = (gates.and(!a, b), gates.and(!odd, borrow));
        borrow = gates.or(less, through);
    }
    (rest, borrow)
}

/// A generator for each word: xoshiro256++.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Random([Mask; 4]);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        let part = |index: u64| {
            let seed = seed.wrapping_add(GOLDEN.wrapping_mul(index + 1));
            std::array::from_fn(|word| mix(seed.wrapping_add(word as u64)))
        };
        Self([part(0), part(1), part(2), part(3)])
    }

    #[inline(always)]
    fn bits(&mut self) -> Mask {
        let [a, b, c, d] = &mut self.0;
        let mut bits = [0; WORDS];
        for word in 0..WORDS {
            bits[word] = a[word].wrapping_add(d[word]).rotate_left(23).wrapping_add(a[word]);
            let shifted = b[word] << 17;
            c[word] ^= a[word];
            d[word] ^= b[word];
            b[word] ^= c[word];
            a[word] ^= d[word];
            c[word] ^= shifted;
            d[word] = d[word].rotate_left(45);
        }
        bits
    }
}

impl Choice {
    /// The number that was drawn in a lane.
    pub(crate) fn number(&self, values: &[Mask], lane: usize) -> usize {
        let bit = |at: u32| (values[at as usize][lane / GAMES] >> (lane % GAMES) & 1) as usize;
        self.drawn.iter().enumerate().map(|(index, &at)| bit(at) << index).sum()
    }

    /// The lanes for which it does not pay to draw once more, in a step of so many operations: one that has no number
    /// makes its move in the next step, and at least every other lane finds one at each attempt.
    pub(crate) fn most_left(&self, operations: usize) -> u32 {
        /// The operations that a bit of a number costs.
        const OF_A_BIT: usize = 6;
        (2 * WORDS * GAMES * OF_A_BIT * self.drawn.len() / operations.max(1)).min(WORDS * GAMES / 4) as u32
    }

    /// Draws numbers below the count for the lanes of `wanted`, until at most `most_left` of them have none yet. Returns
    /// those that have one, or nothing to choose.
    #[inline(always)]
    pub(crate) fn draw(
        &self,
        values: &mut [Mask],
        wanted: Mask,
        most_left: u32,
        random: &mut Random,
    ) -> Mask {
        // Where the only move of a role is legal, there is nothing to choose.
        let mut any = [0; WORDS];
        for place in &self.count {
            let bit = place.get(values);
            (0..WORDS).for_each(|word| any[word] |= bit[word]);
        }
        let mut left: Mask = std::array::from_fn(|word| wanted[word] & any[word]);
        // Each lane has a chance in each step, even if the last ones are few.
        let mut most_left_now = 0;
        while left.iter().map(|it| it.count_ones()).sum::<u32>() > most_left_now {
            most_left_now = most_left;
            let (mut less, mut equal) = ([0; WORDS], [u64::MAX; WORDS]);
            let mut above = [0; WORDS];
            for (bit, place) in self.count.iter().enumerate().rev() {
                let count = place.get(values);
                let Some(&at) = self.drawn.get(bit) else {
                    // Only as many as there are moves at most have this bit.
                    for word in 0..WORDS {
                        above[word] |= count[word];
                        less[word] |= equal[word] & count[word];
                        equal[word] &= !count[word];
                    }
                    continue;
                };
                let bits = random.bits();
                let drawn = &mut values[at as usize];
                for word in 0..WORDS {
                    above[word] |= count[word];
                    // Bits above those of the count are 0.
                    let new = bits[word] & above[word];
                    drawn[word] = drawn[word] & !left[word] | new & left[word];
                    less[word] |= equal[word] & !new & count[word];
                    equal[word] &= !(new ^ count[word]);
                }
            }
            for word in 0..WORDS {
                left[word] &= !less[word];
            }
        }
        std::array::from_fn(|word| wanted[word] & !left[word])
    }
}
