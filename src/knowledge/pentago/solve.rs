//! Late positions, solved outright: alpha-beta search over candidates and proofs, with a table.

use std::hash::{BuildHasher, BuildHasherDefault};

use rustc_hash::FxHasher;

use super::PentagoKnowledge;
use crate::game::{Game, MoveList, Outcome, Side};
use crate::games::pentago::Move;
use crate::games::{Pentago, Ruleset};
use crate::knowledge::{Candidates, Effort, Knowledge, Solved};

/// What has been found of a position: the half points of the first side are at least `lower` and at most
/// `upper`.
#[derive(Debug, Clone, Copy)]
struct Entry {
    stones: [u64; 2],
    ply: u8,
    lower: u8,
    upper: u8,
}

/// A search for exact values, under way.
struct Solver<'a> {
    /// Entries hold whole positions: no value is ever taken for that of another.
    /// Their number is a power of two.
    table: Vec<Option<Entry>>,
    /// The positions that may still be looked at.
    left: u64,
    effort: Effort<'a>,
}

/// The positions between two looks at the clock.
const SLICE: u64 = 64;

impl Solver<'_> {
    fn slot<R: Ruleset>(&self, position: &Pentago<R>) -> usize {
        let hash = BuildHasherDefault::<FxHasher>::default().hash_one((position.stones, position.ply));
        (hash >> 32) as usize & (self.table.len() - 1)
    }

    /// Counts a position; `None` once the effort is spent.
    fn count(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if self.left.is_multiple_of(SLICE) && self.effort.is_over() {
            self.left = 0;
            return None;
        }
        Some(())
    }

    /// The half points of the first side under perfect play: exact between `alpha` and `beta`, at most that if
    /// it is not above `alpha`, and at least that if it is not below `beta`. `None` once the effort is spent.
    fn value<R: Ruleset>(&mut self, position: &Pentago<R>, mut alpha: u8, mut beta: u8) -> Option<u8> {
        if let Some(outcome) = position.outcome() {
            return Some(outcome.half_points(Side::First));
        }
        self.count()?;
        if let Some(outcome) = PentagoKnowledge.prove(position) {
            return Some(outcome.half_points(Side::First));
        }
        let slot = self.slot(position);
        let (mut lower, mut upper) = (0, 2);
        if let Some(entry) = self.table[slot]
            && entry.stones == position.stones
            && entry.ply == position.ply
        {
            (lower, upper) = (entry.lower, entry.upper);
            if lower >= beta || lower == upper {
                return Some(lower);
            }
            if upper <= alpha {
                return Some(upper);
            }
            alpha = alpha.max(lower);
            beta = beta.min(upper);
        }
        let (from, to) = (alpha, beta);
        let is_first = position.side_to_move() == Side::First;
        let mut best = if is_first { lower } else { upper };
        let mut moves = Candidates::new();
        PentagoKnowledge.candidates(position, &mut moves);
        moves.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (mv, _) in &moves {
            let mut next = *position;
            next.apply(*mv);
            let value = self.value(&next, alpha, beta)?;
            if is_first {
                best = best.max(value);
                alpha = alpha.max(value);
            } else {
                best = best.min(value);
                beta = beta.min(value);
            }
            if alpha >= beta {
                break;
            }
        }
        if best > from {
            lower = best;
        }
        if best < to {
            upper = best;
        }
        self.table[slot] = Some(Entry { stones: position.stones, ply: position.ply, lower, upper });
        Some(best)
    }
}

/// So many positions are enough for about two of three positions with so many empty cells, from 0 on. Where
/// the effort is less, a solution is not begun.
const ENOUGH: [u64; 12] = {
    let mut table = [0; 12];
    let mut empty = 0;
    while empty < 12 {
        table[empty] = if empty < 6 { 1 << 9 } else { 1 << (2 * empty - 2) };
        empty += 1;
    }
    table
};

/// What the solver does in a second on a slow machine.
const POSITIONS_PER_SECOND: f64 = 1e6;

/// The values of all legal moves, best first, if the effort is likely to be enough and is.
pub(super) fn solve<R: Ruleset>(position: &Pentago<R>, effort: Effort) -> Option<Vec<Solved<Move>>> {
    let enough = *ENOUGH.get(position.empty().count_ones() as usize)?;
    if position.outcome().is_some() || enough > effort.positions_in_time(POSITIONS_PER_SECOND) {
        return None;
    }
    let entries = enough.next_power_of_two() as usize;
    let mut solver = Solver { table: vec![None; entries], left: effort.positions, effort };
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    let mut values = Vec::with_capacity(legal.len());
    for mv in legal {
        let mut next = *position;
        next.apply(mv);
        let outcome = match solver.value(&next, 0, 2)? {
            0 => Outcome::Win(Side::Second),
            1 => Outcome::Draw,
            _ => Outcome::Win(Side::First),
        };
        let plies = next.outcome().map(|_| 1);
        values.push(Solved { mv, outcome, plies });
    }
    let side = position.side_to_move();
    // Among equals, a win in one ply comes first, and a loss or a draw in one ply last.
    values.sort_by_key(|it| {
        let points = it.outcome.half_points(side);
        (2 - points, (it.plies.is_some()) != (points == 2))
    });
    Some(values)
}
