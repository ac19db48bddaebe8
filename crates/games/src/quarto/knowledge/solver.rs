//! Exact values by alpha-beta search with a transposition table.
//!
//! Each search asks whether a turn reaches one goal, a draw or a win, so its windows are as narrow as can be.

use std::marker::PhantomData;

use arrayvec::ArrayVec;
use quintet_core::game::Bounds;
use quintet_core::solver::TranspositionTable;

use super::symmetry::Symmetries;
use super::turn::{QuartoTurn, TurnMove, TurnMoves, opposite};
use crate::Ruleset;
use crate::quarto::CELLS;
use quintet_core::knowledge::Effort;

/// With so few empty cells, a turn is searched faster than looked up.
const FEW: u32 = 7;

/// A search for exact values, and what it has found out so far.
#[derive(Debug)]
pub(super) struct Solver<'a, R> {
    table: TranspositionTable<u64>,
    symmetries: &'static Symmetries,
    effort: Effort<'a>,
    /// The turns looked at so far.
    pub(super) positions: u64,
    /// Look at the clock when there are so many.
    next_look: u64,
    rules: PhantomData<R>,
}

impl<'a, R: Ruleset> Solver<'a, R> {
    /// A solver with a table of 2 to the power of `bits` entries that gives up after `effort`.
    pub(super) fn new(bits: u32, effort: Effort<'a>) -> Self {
        let symmetries = Symmetries::get();
        Self {
            table: TranspositionTable::new(bits),
            symmetries,
            effort,
            positions: 0,
            next_look: 0,
            rules: PhantomData,
        }
    }

    /// The value of a turn, at least if it is below `upper`, else `upper`. `None` if the effort does not
    /// suffice.
    pub(super) fn value(&mut self, turn: &QuartoTurn, upper: u8) -> Option<u8> {
        let mut value = 0;
        while value < upper && self.reaches(turn, value + 1)? {
            value += 1;
        }
        Some(value)
    }

    /// Whether the value of a turn is at least `goal`. `None` if the effort does not suffice.
    fn reaches(&mut self, turn: &QuartoTurn, goal: u8) -> Option<bool> {
        if turn.board.empty().count_ones() <= FEW {
            let mut positions = 0;
            let reaches = turn.reaches::<R>(goal, &mut positions);
            self.count(positions)?;
            Some(reaches)
        } else {
            self.reaches_at(turn, self.place(turn), goal)
        }
    }

    /// The turn's place in the table: its key up to symmetry, scrambled by a function that can be undone.
    fn place(&self, turn: &QuartoTurn) -> u64 {
        let key = if R::IS_GGP {
            self.symmetries.key_with_hand(&turn.board, turn.hand)
        } else {
            self.symmetries.key(&turn.board)
        };
        let key = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (key ^ key >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
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

    /// As [`Self::reaches`], for a turn whose place in the table is known.
    fn reaches_at(&mut self, turn: &QuartoTurn, place: u64, goal: u8) -> Option<bool> {
        let known = self.table.get(&place, place);
        if known.lower >= goal {
            return Some(true);
        }
        if known.upper < goal {
            return Some(false);
        }
        let before = self.positions;
        let reaches = self.has_way_to(turn, goal)?;
        let found =
            if reaches { Bounds { lower: goal, ..known } } else { Bounds { upper: goal - 1, ..known } };
        self.table.set(&place, place, found, self.positions - before);
        Some(reaches)
    }

    /// Looks at the turns that may follow: first at what is known of them all, then at those after which the
    /// other side has the fewest ways to go on.
    fn has_way_to(&mut self, turn: &QuartoTurn, goal: u8) -> Option<bool> {
        let mut ways = TurnMoves::new();
        let is_open = turn.look_ahead::<R>(&mut ways);
        self.count(1 + ways.len() as u64)?;
        if !is_open {
            return Some(true);
        }
        let goal = opposite(goal);
        if turn.board.empty().count_ones() - 1 <= FEW {
            ways.sort_unstable();
            for way in ways {
                if !self.reaches(&turn.after::<R>(way), goal)? {
                    return Some(true);
                }
            }
            return Some(false);
        }
        let mut unknown: ArrayVec<(TurnMove, u64), { CELLS * CELLS }> = ArrayVec::new();
        for way in ways {
            let place = self.place(&turn.after::<R>(way));
            let known = self.table.get(&place, place);
            if known.upper < goal {
                return Some(true);
            }
            if known.lower < goal {
                unknown.push((way, place));
            }
        }
        // Those with as many replies in an order that is the same for all positions that are the same game.
        unknown.sort_unstable_by_key(|&(way, place)| (way.replies(), place));
        for (way, place) in unknown {
            if !self.reaches_at(&turn.after::<R>(way), place, goal)? {
                return Some(true);
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::quarto::Quarto;
    use crate::quarto::knowledge::moves;
    use crate::quarto::knowledge::solve;
    use crate::quarto::knowledge::tests::positions;
    use crate::{Ggp, Spec};
    use quintet_core::game::{Game, MoveList, Side};
    use quintet_core::knowledge::Wanted;

    const WITHOUT_LIMIT: Effort = Effort { positions: u64::MAX, deadline: None, stop: None };

    /// What a search knows that keeps to the rules of the game: of each position as it is, without symmetry,
    /// whether `side` gets at least `least` half points.
    struct Plain<R: Ruleset> {
        side: Side,
        least: u8,
        known: HashMap<Quarto<R>, bool>,
    }

    impl<R: Ruleset> Plain<R> {
        fn reaches(&mut self, position: &Quarto<R>) -> bool {
            if let Some(outcome) = position.outcome() {
                return outcome.half_points(self.side) >= self.least;
            }
            if let Some(&reaches) = self.known.get(position) {
                return reaches;
            }
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            let mut after: Vec<_> = moves.into_iter().map(|mv| position.play(mv).expect("legal")).collect();
            // Moves that end the game first, only because there is little to them.
            after.sort_by_key(|next| next.outcome().is_none());
            let is_own = position.side_to_move() == self.side;
            let reaches = is_own == after.iter().any(|next| self.reaches(next) == is_own);
            self.known.insert(*position, reaches);
            reaches
        }
    }

    /// Both the part with a table, from `FEW` + 1 empty cells on, and the one without.
    fn all_moves_have_the_values_of_a_plain_search<R: Ruleset>(counts: [usize; 3]) {
        let mut seen = [0; 3];
        for (placed, count) in (7..).zip(counts) {
            for position in positions::<R>(placed..=placed, count) {
                let side = position.side_to_move();
                let mut plain = [1, 2].map(|least| Plain { side, least, known: HashMap::new() });
                let solved = solve(&position, Wanted::All, WITHOUT_LIMIT).expect("no limit");
                assert_eq!(solved.len(), position.move_count());
                for solved in solved {
                    let next = position.play(solved.mv).expect("legal");
                    let value = plain.iter_mut().map(|plain| u8::from(plain.reaches(&next))).sum::<u8>();
                    assert_eq!(solved.outcome.half_points(side), value, "{position} {}", solved.mv);
                    seen[usize::from(value)] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&moves| moves > 20), "{seen:?}");
    }

    #[test]
    fn all_moves_have_the_values_of_a_plain_search_in_both() {
        all_moves_have_the_values_of_a_plain_search::<Spec>([10, 30, 200]);
        all_moves_have_the_values_of_a_plain_search::<Ggp>([6, 20, 150]);
    }

    /// Of many positions with as many pieces on the board these are the hardest.
    #[test]
    fn hard_positions_take_few_looks() {
        let looks = |position: &str| {
            let position: Quarto<Ggp> = position.parse().expect("valid");
            let mut solver = Solver::new(16, WITHOUT_LIMIT);
            moves::values(&position, Wanted::All, &mut solver).expect("no limit");
            solver.positions
        };
        for (position, most) in
            [("9f4./1.../6.../.... 5 w", 2_700_000), ("..e./..6./..52/..ac - w", 1_000_000)]
        {
            let looks = looks(position);
            assert!(looks <= most, "{position}: {looks}");
        }
    }
}
