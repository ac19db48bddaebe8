//! Fast rollouts of KRK.
//!
//! There are few placements of three pieces, so all of them form a graph, and a rollout is a random
//! walk on it. Symmetric placements have the same number of moves, which lead to symmetric
//! placements, so one placement represents each class, and the graph fits the L1 cache.

use std::sync::LazyLock;

use super::{Krk, PLACEMENTS};
use crate::{Ggp, Ruleset, Spec};
use quintet_core::game::{Game, MoveList, Outcome, Rng, Rollout, Side};

/// Room for the moves of all placements; a power of two, so that a mask replaces the bounds check.
const EDGES: usize = 1 << 12;

/// A node of a walk: the number of its moves in the low bits; above, the index of the first in
/// [`Graph::next`].
///
/// Once black is stuck, the only move leads to the same end, one ply older. So all walks can have
/// the same length, and the last node tells when black got stuck.
pub(super) type WalkEntry = u32;

pub(super) const COUNT: WalkEntry = 0x0F;
const NEXT_SHIFT: u32 = 4;

/// The number of plies by which ends are told apart: more than any game has.
const AGES: u32 = 16;

/// The index in [`Graph::next`] of the ends of each kind: black mated, and black stuck without
/// check.
const MATE: u32 = 0;
const STUCK: u32 = AGES;

/// The placements up to symmetry and where their moves lead.
pub(super) struct Graph {
    /// The entry of each placement by [`Krk::number`]; all fit 16 bits.
    entries: [u16; PLACEMENTS],
    /// The entries that moves lead to, placement by placement, the ends first.
    next: [WalkEntry; EDGES],
}

impl Graph {
    fn new<R: Ruleset>() -> Self {
        let entry = |start: u32, count: u32| start << NEXT_SHIFT | count;
        let mut entries = [0_u16; PLACEMENTS];
        let mut next = [0; EDGES];
        for kind in [MATE, STUCK] {
            for age in 0..AGES {
                next[(kind + age) as usize] = entry(kind + (age + 1).min(AGES - 1), 1);
            }
        }
        let mut length = 2 * AGES;
        for position in (0..PLACEMENTS).filter_map(Krk::<R>::from_number) {
            let place = position.number();
            let representative =
                (0..8).map(|symmetry| turned(&position, symmetry).number()).fold(place, usize::min);
            entries[place] = match position.outcome {
                _ if representative < place => entries[representative],
                Some(Outcome::Win(Side::First)) => entry(MATE, 1) as u16,
                Some(_) => entry(STUCK, 1) as u16,
                None => {
                    let count = position.move_count() as u32;
                    length += count;
                    entry(length - count, count) as u16
                }
            };
        }
        debug_assert!(length as usize <= EDGES, "{length} moves");
        let mut moves = MoveList::new();
        for position in (0..PLACEMENTS).filter_map(Krk::<R>::from_number) {
            position.legal_moves(&mut moves);
            let start = usize::from(entries[position.number()] >> NEXT_SHIFT);
            // Symmetric placements write the same entries, possibly in another order.
            for (to, &mv) in (start..).zip(&moves) {
                let after = position.after(mv);
                next[to] = WalkEntry::from(entries[after.number()]);
            }
        }
        Self { entries, next }
    }

    /// The graph of the ruleset `R`.
    #[inline]
    pub(super) fn of<R: Ruleset>() -> &'static Self {
        if R::IS_GGP { &GGP } else { &SPEC }
    }

    /// The node at which a walk from `position` starts.
    #[inline]
    pub(super) fn start<R: Ruleset>(&self, position: &Krk<R>) -> WalkEntry {
        WalkEntry::from(self.entries[position.number() % PLACEMENTS])
    }

    /// The node that move number `n` leads to from `entry`.
    #[inline(always)]
    pub(super) fn step(&self, entry: WalkEntry, n: u32) -> WalkEntry {
        self.next[((entry >> NEXT_SHIFT) + n) as usize % EDGES]
    }

    /// Whether black is mated at `entry`, and for how many plies black has been stuck there.
    #[inline(always)]
    pub(super) fn end(entry: WalkEntry) -> (bool, u32) {
        let place = entry >> NEXT_SHIFT;
        (place < AGES, if place < 2 * AGES { place % AGES } else { 0 })
    }
}

/// The image of `position` under one of the eight symmetries of the board.
fn turned<R: Ruleset>(position: &Krk<R>, symmetry: u8) -> Krk<R> {
    let turn = |cell: u8| {
        let (x, y) = (cell % 4, cell / 4);
        let (x, y) = (if symmetry & 1 == 0 { x } else { 3 - x }, if symmetry & 2 == 0 { y } else { 3 - y });
        if symmetry & 4 == 0 { 4 * y + x } else { 4 * x + y }
    };
    Krk {
        white_king: turn(position.white_king),
        rook: turn(position.rook),
        black_king: turn(position.black_king),
        ..*position
    }
}

static SPEC: LazyLock<Graph> = LazyLock::new(Graph::new::<Spec>);
static GGP: LazyLock<Graph> = LazyLock::new(Graph::new::<Ggp>);

/// The number of plies drawn from one random word.
const CHUNK: u32 = 5;

/// A multiple of the product of the move counts along any [`CHUNK`] consecutive plies: each move
/// count of white divides 27,720, and each of black divides 60, which divides 27,720.
const MULTIPLE: u64 = 27_720_u64.pow(3) * 60_u64.pow(2);

/// Plays uniformly random moves from `position` to the end of the game.
///
/// A random word serves several plies: multiplying it by the number of moves leaves the draw in the
/// high half and a new random word in the low half (Brackett-Rozinsky and Lemire, "Batched ranged
/// random integer generation", 2024). Let p be the product of the move counts. The words that give
/// the same draws leave low halves p apart, the first below p. So if only low halves below a
/// multiple of p are accepted, the number of words that give these draws is that multiple divided
/// by p. With a multiple of every possible product, draws are exactly as likely as they should be,
/// though the move counts depend on earlier draws.
#[inline(always)]
pub(super) fn rollout<R: Ruleset>(position: &Krk<R>, rng: &mut Rng) -> Rollout {
    const ACCEPTED: u64 = u64::MAX / MULTIPLE * MULTIPLE;
    let graph = Graph::of::<R>();
    let longest = position.steps_left();
    let mut entry = graph.start(position);
    let mut left = longest;
    while left > 0 {
        let plies = left.min(CHUNK);
        loop {
            let mut word = rng.bits();
            let mut at = entry;
            let mut step = || {
                let wide = u128::from(word) * u128::from(at & COUNT);
                word = wide as u64;
                at = graph.step(at, (wide >> 64) as u32);
            };
            if plies == CHUNK {
                for _ in 0..CHUNK {
                    step();
                }
            } else {
                for _ in 0..plies {
                    step();
                }
            }
            if word < ACCEPTED {
                entry = at;
                break;
            }
        }
        left -= plies;
    }
    let (mated, since) = Graph::end(entry);
    let winner = if mated { Side::First } else { Side::Second };
    Rollout { outcome: Outcome::Win(winner), plies: longest - since }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_moves_divides_the_multiple() {
        for position in (0..PLACEMENTS).filter_map(Krk::<Spec>::from_number) {
            let divided = if position.white_to_move { 27_720 } else { 60 };
            assert!(position.outcome.is_some() || divided % position.move_count() == 0, "{position}");
        }
    }
}
