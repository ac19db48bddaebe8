//! Late positions, solved outright: alpha-beta search over candidates and proofs, with a table.

use std::hash::{BuildHasher, BuildHasherDefault};

use rustc_hash::FxHasher;

use super::PentagoKnowledge;
use crate::game::{Game, MoveList, Outcome, Side};
use crate::games::pentago::Move;
use crate::games::{Pentago, Ruleset};
use crate::knowledge::{Candidates, Effort, Knowledge, Solved, Wanted};

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

    /// What is known of a position without looking at what follows: at least and at most so many half points of
    /// the first side.
    fn bounds<R: Ruleset>(&self, position: &Pentago<R>) -> (u8, u8) {
        if let Some(outcome) = position.outcome().or_else(|| PentagoKnowledge.prove(position)) {
            let points = outcome.half_points(Side::First);
            return (points, points);
        }
        match &self.table[self.slot(position)] {
            Some(entry) if entry.stones == position.stones && entry.ply == position.ply => {
                (entry.lower, entry.upper)
            }
            _ => (0, 2),
        }
    }

    /// The half points of the first side under perfect play: exact between `alpha` and `beta`, at most that if
    /// it is not above `alpha`, and at least that if it is not below `beta`. `None` once the effort is spent.
    fn value<R: Ruleset>(&mut self, position: &Pentago<R>, mut alpha: u8, mut beta: u8) -> Option<u8> {
        let (mut lower, mut upper) = self.bounds(position);
        if lower >= beta || lower == upper {
            return Some(lower);
        }
        if upper <= alpha {
            return Some(upper);
        }
        self.count()?;
        alpha = alpha.max(lower);
        beta = beta.min(upper);
        let (from, to) = (alpha, beta);
        let is_first = position.side_to_move() == Side::First;
        let mut moves = Candidates::new();
        PentagoKnowledge.candidates(position, &mut moves);
        moves.sort_by(|a, b| b.1.total_cmp(&a.1));
        let after = |mv| {
            let mut next = *position;
            next.apply(mv);
            next
        };
        // A move that is known to be good enough spares the search of those before it.
        let enough = moves.iter().map(|(mv, _)| self.bounds(&after(*mv))).find_map(|(lower, upper)| {
            if is_first { (lower >= beta).then_some(lower) } else { (upper <= alpha).then_some(upper) }
        });
        let mut best = if is_first { lower } else { upper };
        if let Some(value) = enough {
            best = value;
        } else {
            for (mv, _) in &moves {
                let value = self.value(&after(*mv), alpha, beta)?;
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
        }
        if best > from {
            lower = best;
        }
        if best < to {
            upper = best;
        }
        let slot = self.slot(position);
        self.table[slot] = Some(Entry { stones: position.stones, ply: position.ply, lower, upper });
        Some(best)
    }

    /// The half points of `side`: exact above `floor`, else at most that. `None` once the effort is spent.
    fn points<R: Ruleset>(&mut self, position: &Pentago<R>, side: Side, floor: u8) -> Option<u8> {
        match side {
            Side::First => self.value(position, floor, 2),
            Side::Second => Some(2 - self.value(position, 0, 2 - floor)?),
        }
    }
}

/// So many positions are enough for the best move of about two in three positions with so many empty cells, if it has
/// been tried for no more: with less effort, a solution is not begun.
fn enough(empty: u32) -> Option<u64> {
    (empty <= MOST_EMPTY).then(|| 1 << (empty + 4))
}

/// With more empty cells than these, a position is not tried.
const MOST_EMPTY: u32 = 16;

/// What the solver does in a second on a slow machine.
const POSITIONS_PER_SECOND: f64 = 1e6;

/// The values of legal moves, best first, if the effort is likely to be enough for the best and is: of all those that are
/// wanted and that it is enough for.
pub(super) fn solve<R: Ruleset>(
    position: &Pentago<R>,
    wanted: Wanted,
    effort: Effort,
) -> Option<Vec<Solved<Move>>> {
    let enough = enough(position.empty().count_ones())?;
    if position.outcome().is_some() || enough > effort.positions_in_time(POSITIONS_PER_SECOND) {
        return None;
    }
    let entries = enough.next_power_of_two() as usize;
    let mut solver = Solver { table: vec![None; entries], left: effort.positions, effort };
    let side = position.side_to_move();
    let mut values = Vec::new();
    let mut add = |mv, next: &Pentago<R>, points| {
        let outcome = match points {
            0 => Outcome::Win(side.opponent()),
            1 => Outcome::Draw,
            _ => Outcome::Win(side),
        };
        values.push(Solved { mv, outcome, plies: next.outcome().map(|_| 1) });
    };
    // Of the others it is first shown only that they are no better than the best so far.
    let mut best = 0;
    let mut others = Vec::new();
    for mv in by_promise(position) {
        let mut next = *position;
        next.apply(mv);
        let points = if best < 2 { solver.points(&next, side, best)? } else { 2 };
        if points > best || points == 0 {
            add(mv, &next, points);
            best = best.max(points);
        } else {
            others.push((mv, next));
        }
    }
    if wanted == Wanted::Best {
        others.clear();
    }
    for (mv, next) in others {
        match solver.points(&next, side, 0) {
            Some(points) => add(mv, &next, points),
            None => break,
        }
    }
    // Among equals, a win in one ply comes first, and a loss or a draw in one ply last.
    values.sort_by_key(|it| {
        let points = it.outcome.half_points(side);
        (2 - points, (it.plies.is_some()) != (points == 2))
    });
    Some(values)
}

/// All legal moves, the most promising candidates first.
fn by_promise<R: Ruleset>(position: &Pentago<R>) -> Vec<Move> {
    let mut candidates = Candidates::new();
    PentagoKnowledge.candidates(position, &mut candidates);
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut moves: Vec<_> = candidates.iter().map(|&(mv, _)| mv).collect();
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    moves.extend(legal.iter().filter(|&mv| candidates.iter().all(|(it, _)| it != mv)));
    moves
}
