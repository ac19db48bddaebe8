//! Late positions, solved outright: alpha-beta search over candidates and proofs, with a table.

use std::hash::{BuildHasher, BuildHasherDefault};

use rustc_hash::FxHasher;

use super::PentagoKnowledge;
use crate::game::{Game, MoveList, Outcome, Side};
use crate::games::pentago::Move;
use crate::games::{Pentago, Ruleset};
use crate::knowledge::best_first::solve_best_first;
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

    /// What has been found of a position: the first side has at least and at most so many half points.
    fn entry<R: Ruleset>(&self, position: &Pentago<R>) -> (u8, u8) {
        match &self.table[self.slot(position)] {
            Some(entry) if entry.stones == position.stones && entry.ply == position.ply => {
                (entry.lower, entry.upper)
            }
            _ => (0, 2),
        }
    }

    /// The same, or what can be told by a look.
    fn bounds<R: Ruleset>(&self, position: &Pentago<R>) -> (u8, u8) {
        match position.outcome().or_else(|| PentagoKnowledge.prove(position)) {
            Some(outcome) => [outcome.half_points(Side::First); 2].into(),
            None => self.entry(position),
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
        // A move that is known to be good enough spares the search of those before it. Under `ggp` nothing is proven of
        // what follows a candidate, for candidates are looked at as far.
        let known = |next| if R::IS_GGP { self.entry(&next) } else { self.bounds(&next) };
        let enough = moves.iter().map(|(mv, _)| known(after(*mv))).find_map(|(lower, upper)| {
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

/// With so many positions the best move is found in two of three positions with so many empty cells, in games of the
/// engine against itself; with less effort, a solution is not begun. `None` where none is begun at all.
fn enough(empty: u32) -> Option<u64> {
    const MOST_EMPTY: u32 = 16;
    (empty <= MOST_EMPTY).then(|| 3 << (empty + 2))
}

/// What the solver does in a second on a slow machine.
const POSITIONS_PER_SECOND: f64 = 5e5;

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
    solve_best_first(side, &by_promise(position), wanted, |mv, floor| {
        let mut next = *position;
        next.apply(mv);
        let points = solver.points(&next, side, floor)?;
        Some((points, next.outcome().map(|_| 1)))
    })
}

/// All legal moves: those that win at once, then the candidates, the most promising first, then the others.
fn by_promise<R: Ruleset>(position: &Pentago<R>) -> MoveList<Move> {
    let mut candidates = Candidates::new();
    PentagoKnowledge.candidates(position, &mut candidates);
    let promise = |mv: &Move| candidates.iter().find(|(it, _)| it == mv).map_or(0.0, |&(_, weight)| weight);
    let wins = |mv: &Move| {
        let mut next = *position;
        next.apply(*mv);
        next.outcome() == Some(Outcome::Win(position.side_to_move()))
    };
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    moves.sort_by(|a, b| wins(b).cmp(&wins(a)).then(promise(b).total_cmp(&promise(a))));
    moves
}
