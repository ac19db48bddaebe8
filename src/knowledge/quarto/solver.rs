//! Exact values by alpha-beta search with a transposition table.

use std::marker::PhantomData;

use arrayvec::ArrayVec;

use super::board::{Threats, each};
use super::symmetry::Symmetries;
use super::table::{Bounds, Place, Table};
use super::turn::{FEW, LOSS, Turn, WIN};
use crate::games::Ruleset;
use crate::games::quarto::CELLS;
use crate::knowledge::Effort;

/// The most turns that may follow a turn.
const MOST: usize = CELLS * CELLS;

/// A turn that may follow.
#[derive(Debug, Clone, Copy)]
struct Next {
    turn: Turn,
    place: Place,
    /// The ways that it leaves.
    ways: u32,
}

/// A search for exact values, and what it has found out so far.
#[derive(Debug)]
pub(super) struct Solver<'a, R> {
    table: Table,
    symmetries: &'static Symmetries,
    effort: Effort<'a>,
    /// The turns looked at.
    positions: u64,
    /// Look at the clock when there are so many.
    next_look: u64,
    rules: PhantomData<R>,
}

impl<'a, R: Ruleset> Solver<'a, R> {
    /// A solver with a table of 2 to the power of `bits` entries that gives up after `effort`.
    pub(super) fn new(bits: u32, effort: Effort<'a>) -> Self {
        let symmetries = Symmetries::get();
        Self { table: Table::new(bits), symmetries, effort, positions: 0, next_look: 0, rules: PhantomData }
    }

    /// The turns looked at so far.
    pub(super) fn positions(&self) -> u64 {
        self.positions
    }

    fn place(&self, turn: &Turn) -> Place {
        Place::of(if R::IS_GGP {
            self.symmetries.key_with_hand(&turn.board, turn.hand)
        } else {
            self.symmetries.key(&turn.board)
        })
    }

    /// The value of a turn, at least if it is above `lower` and below `upper`; else a bound of it. `None` if
    /// the effort does not suffice.
    pub(super) fn value(&mut self, turn: &Turn, lower: u8, upper: u8) -> Option<u8> {
        if turn.board.empty().count_ones() <= FEW {
            return self.value_of_few(turn, lower, upper);
        }
        self.value_at(turn, self.place(turn), lower, upper)
    }

    fn value_of_few(&mut self, turn: &Turn, lower: u8, upper: u8) -> Option<u8> {
        /// About what such a search costs.
        const POSITIONS: u64 = 4;
        self.count(POSITIONS)?;
        Some(turn.value::<R>(lower, upper))
    }

    /// Counts positions, as long as there is effort left.
    fn count(&mut self, positions: u64) -> Option<()> {
        const BETWEEN_LOOKS: u64 = 4096;
        self.positions += positions;
        if self.positions > self.effort.positions {
            return None;
        }
        if self.positions >= self.next_look {
            self.next_look = self.positions + BETWEEN_LOOKS;
            if self.effort.is_over() {
                return None;
            }
        }
        Some(())
    }

    /// The same for a turn whose place in the table is known.
    fn value_at(&mut self, turn: &Turn, place: Place, lower: u8, upper: u8) -> Option<u8> {
        let known = self.table.get(place);
        if known.lower >= upper || known.lower == known.upper {
            return Some(known.lower);
        }
        if known.upper <= lower {
            return Some(known.upper);
        }
        let before = self.positions;
        let (lower, upper) = (lower.max(known.lower), upper.min(known.upper));
        let best = self.best_of_next(turn, lower, upper)?;
        let found = if best >= upper {
            Bounds { lower: best, upper: known.upper }
        } else if best > lower {
            Bounds { lower: best, upper: best }
        } else {
            Bounds { lower: known.lower, upper: best.max(known.lower) }
        };
        self.table.set(place, found, self.positions - before);
        Some(best.max(known.lower))
    }

    /// Looks at the turns that may follow: first at what is known of them all, then at those after which the
    /// other side has the fewest ways to go on.
    fn best_of_next(&mut self, turn: &Turn, mut lower: u8, upper: u8) -> Option<u8> {
        let board = &turn.board;
        let is_last = board.empty().count_ones() - 1 <= FEW;
        let threats = Threats::of(board);
        let mut best = LOSS;
        let mut all: ArrayVec<Next, MOST> = ArrayVec::new();
        for cell in each(board.empty()) {
            let at = threats.at(cell);
            for piece in each(turn.pieces::<R>()) {
                let board = board.with(piece, cell);
                for hand in each(Turn::ways_on::<R>(at, piece, board.pool)) {
                    let turn = Turn { board, hand };
                    let mut place = Place::of(0);
                    if !is_last {
                        place = self.place(&turn);
                        let known = self.table.get(place);
                        if WIN - known.upper >= upper {
                            self.count(all.len() as u64)?;
                            return Some(WIN - known.upper);
                        }
                        if WIN - known.lower <= lower {
                            best = best.max(WIN - known.lower);
                            continue;
                        }
                    }
                    all.push(Next { turn, place, ways: 0 });
                }
            }
        }
        self.count(1 + all.len() as u64)?;
        for next in &mut all {
            next.ways = next.turn.count_ways::<R>();
            if next.ways == 0 {
                return Some(WIN);
            }
        }
        all.sort_unstable_by_key(|next| (next.ways, next.place));
        for next in &all {
            let (lowest, highest) = (WIN - upper, WIN - lower);
            let value = WIN
                - if is_last {
                    self.value_of_few(&next.turn, lowest, highest)?
                } else {
                    self.value_at(&next.turn, next.place, lowest, highest)?
                };
            if value > best {
                best = value;
                lower = lower.max(value);
                if best >= upper {
                    break;
                }
            }
        }
        Some(best)
    }
}
