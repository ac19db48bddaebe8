//! Fast rollouts of KRK.
//!
//! There are few placements of three pieces, so all of them are laid out as a graph, and a rollout is a
//! random walk on it. Placements that a symmetry of the board carries into each other have as many moves, and
//! moves that lead to placements just as alike; so one of them stands for all, and the graph stays in the
//! nearest cache.

use std::sync::LazyLock;

use super::{Krk, PLACEMENTS};
use crate::{Ggp, Ruleset, Spec};
use quintet_core::game::{Game, MoveList, Outcome, Rng, Rollout, Side};

/// The room for the moves of all placements, a power of two so that a mask stands in for a check of bounds.
const EDGES: usize = 1 << 12;

/// Where a walk is: how many moves there are in the low bits; above, where in [`Graph::next`] they begin.
///
/// Once black is stuck there is one way on, to the same end one ply later, so that walks of the same number of
/// steps tell when they came to it.
pub(super) type WalkEntry = u32;

pub(super) const COUNT: WalkEntry = 0x0F;
const NEXT_SHIFT: u32 = 4;

/// The plies for which ends are told apart by their age: more than any game has.
const AGES: u32 = 16;

/// Where in [`Graph::next`] the ends of each kind begin: black mated, and black stuck without check.
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
            let like = (0..8).map(|symmetry| turned(&position, symmetry).number()).fold(place, usize::min);
            entries[place] = match position.outcome {
                _ if like < place => entries[like],
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
            // Placements that are alike write the same entries, if in another order.
            for (to, &mv) in (start..).zip(&moves) {
                let mut after = position;
                after.apply(mv);
                next[to] = WalkEntry::from(entries[after.number()]);
            }
        }
        Self { entries, next }
    }

    /// The graph of these rules.
    #[inline]
    pub(super) fn of<R: Ruleset>() -> &'static Self {
        if R::IS_GGP { &GGP } else { &SPEC }
    }

    /// Where a walk from `position` starts.
    #[inline]
    pub(super) fn start<R: Ruleset>(&self, position: &Krk<R>) -> WalkEntry {
        WalkEntry::from(self.entries[position.number() % PLACEMENTS])
    }

    /// Where a walk at `entry` goes with its move number `n`.
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

/// The position after one of the eight symmetries of the board.
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

/// The plies that one random number serves.
const CHUNK: u32 = 5;

/// A multiple of the product of the numbers of moves along any [`CHUNK`] plies in turn: each number that
/// white has divides 27,720, and each that black has divides 60, which divides 27,720.
const MULTIPLE: u64 = 27_720_u64.pow(3) * 60_u64.pow(2);

/// Plays uniformly random moves from `position` to the end of the game.
///
/// A random word serves several plies: multiplying it by the number of moves leaves the draw in the high
/// half and a new random word in the low half (Brackett-Rozinsky and Lemire, "Batched ranged random integer
/// generation", 2024). The words that make the same draws with the product p of all bounds leave low halves
/// p apart, the first of them less than p. So if only low halves below a multiple of p are accepted, there
/// are as many words for these draws as p goes into it; and if it is a multiple of all products that there
/// are, draws come up exactly as often as they should, though bounds depend on earlier draws.
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
