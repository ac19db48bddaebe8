//! Exact values by alpha-beta search with a transposition table.
//!
//! Each search asks whether a turn reaches one goal, a draw or a win, so it has a null window.

use std::marker::PhantomData;

use arrayvec::ArrayVec;
use quintet_core::game::Bounds;
use quintet_core::solver::{Progress, TranspositionTable};

use super::early_values::{EARLY_VALUES, MAX_PLACED, mixed};
use super::symmetry::Symmetries;
use super::turn::{QuartoTurn, TurnMove, TurnMoves, opposite};
use crate::Ruleset;
use crate::quarto::CELLS;
use quintet_core::knowledge::Effort;

/// With at most this many empty cells, a turn is searched faster than looked up.
const FEW: u32 = 7;

/// A search for exact values, with its table.
#[derive(Debug)]
pub(super) struct Solver<'a, R> {
    table: TranspositionTable<u64>,
    symmetries: &'static Symmetries,
    effort: Effort<'a>,
    /// The number of turns searched so far.
    pub(super) positions: u64,
    /// The value of `positions` at which the clock is checked next.
    next_check: u64,
    /// Where the positions are counted for others to see, and the number that was told there.
    progress: Option<(&'a Progress, u64)>,
    /// Whether the values of early positions are looked up; otherwise they are searched.
    looks_up: bool,
    rules: PhantomData<R>,
}

impl<'a, R: Ruleset> Solver<'a, R> {
    /// Creates a solver with a table of 2^`bits` entries that gives up after `effort`.
    pub(super) fn new(bits: u32, effort: Effort<'a>) -> Self {
        let symmetries = Symmetries::get();
        Self {
            table: TranspositionTable::new(bits),
            symmetries,
            effort,
            positions: 0,
            next_check: 0,
            progress: None,
            looks_up: R::IS_GGP,
            rules: PhantomData,
        }
    }

    /// The same solver, which searches early positions too.
    pub(super) fn without_lookup(self) -> Self {
        Self { looks_up: false, ..self }
    }

    /// The same solver, which tells `progress` the number of positions.
    pub(super) fn with_progress(self, progress: &'a Progress) -> Self {
        Self { progress: Some((progress, self.positions)), ..self }
    }

    /// The value of an early turn, if it is known without a search.
    pub(super) fn known(&self, turn: &QuartoTurn) -> Option<u8> {
        self.known_at(turn, || self.place(turn))
    }

    /// As [`Self::known`], with the turn's place in the table.
    fn known_at(&self, turn: &QuartoTurn, place: impl FnOnce() -> u64) -> Option<u8> {
        let is_early = self.looks_up && turn.board.occupied().count_ones() <= MAX_PLACED;
        is_early.then(|| EARLY_VALUES.get(place()))
    }

    /// The value of a turn, which is at least `least`, if it is below `upper`, else `upper`. `None`
    /// if the effort does not suffice.
    pub(super) fn value(&mut self, turn: &QuartoTurn, least: u8, upper: u8) -> Option<u8> {
        let mut value = least;
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

    /// The turn's place in the table: its key up to symmetry, mixed by a bijection.
    pub(super) fn place(&self, turn: &QuartoTurn) -> u64 {
        let key = if R::IS_GGP {
            self.symmetries.key_with_hand(&turn.board, turn.hand)
        } else {
            self.symmetries.key(&turn.board)
        };
        mixed(key)
    }

    /// Counts positions; `None` if the effort is used up.
    fn count(&mut self, positions: u64) -> Option<()> {
        const CHECK_INTERVAL: u64 = 4096;
        self.positions += positions;
        if self.positions > self.effort.positions {
            return None;
        }
        if self.positions >= self.next_check {
            self.next_check = self.positions + CHECK_INTERVAL;
            if let Some((progress, told)) = &mut self.progress {
                progress.add_positions(self.positions - *told);
                *told = self.positions;
            }
            if self.effort.is_over() {
                return None;
            }
        }
        Some(())
    }

    /// As [`Self::reaches`], for a turn whose place in the table is known.
    fn reaches_at(&mut self, turn: &QuartoTurn, place: u64, goal: u8) -> Option<bool> {
        if let Some(value) = self.known_at(turn, || place) {
            return Some(value >= goal);
        }
        let known = self.table.get(&place, place);
        if known.lower >= goal {
            return Some(true);
        }
        if known.upper < goal {
            return Some(false);
        }
        let before = self.positions;
        let reaches = self.search(turn, goal)?;
        let found =
            if reaches { Bounds { lower: goal, ..known } } else { Bounds { upper: goal - 1, ..known } };
        self.table.set(&place, place, found, self.positions - before);
        Some(reaches)
    }

    /// Searches the moves of a turn: first looks them up in the table, then searches those that it
    /// leaves open, with the fewest replies first.
    fn search(&mut self, turn: &QuartoTurn, goal: u8) -> Option<bool> {
        let mut moves = TurnMoves::new();
        let is_open = turn.add_safe_moves::<R>(&mut moves);
        self.count(1 + moves.len() as u64)?;
        if !is_open {
            return Some(true);
        }
        let goal = opposite(goal);
        if turn.board.empty().count_ones() - 1 <= FEW {
            moves.sort_unstable();
            for mv in moves {
                if !self.reaches(&turn.after::<R>(mv), goal)? {
                    return Some(true);
                }
            }
            return Some(false);
        }
        let mut unknown: ArrayVec<(TurnMove, u64), { CELLS * CELLS }> = ArrayVec::new();
        for mv in moves {
            let place = self.place(&turn.after::<R>(mv));
            let known = self.table.get(&place, place);
            if known.upper < goal {
                return Some(true);
            }
            if known.lower < goal {
                unknown.push((mv, place));
            }
        }
        // Break ties by place, so that symmetric positions have the same order.
        unknown.sort_unstable_by_key(|&(mv, place)| (mv.replies(), place));
        for (mv, place) in unknown {
            if !self.reaches_at(&turn.after::<R>(mv), place, goal)? {
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
    use crate::samples::after_all;
    use crate::samples::quarto::positions;
    use crate::{Ggp, Spec};
    use quintet_core::game::{Game, Side};
    use quintet_core::knowledge::SolveScope;

    const WITHOUT_LIMIT: Effort = Effort { positions: u64::MAX, deadline: None, stop: None };

    /// A plain search by the rules of the game, without symmetry: for each position searched,
    /// whether `side` gets at least `least` half points.
    struct Plain<R: Ruleset> {
        side: Side,
        least: u8,
        known: HashMap<Quarto<R>, bool>,
    }

    impl<R: Ruleset> Plain<R> {
        fn reaches(&mut self, position: &Quarto<R>) -> bool {
            if let Some(outcome) = position.outcome() {
                return outcome.score(self.side) >= 50 * self.least;
            }
            if let Some(&reaches) = self.known.get(position) {
                return reaches;
            }
            let mut after: Vec<_> = after_all(position).collect();
            // Moves that end the game first, as they are cheap.
            after.sort_by_key(|next| next.outcome().is_none());
            let is_own = position.side_to_move() == self.side;
            let reaches = is_own == after.iter().any(|next| self.reaches(next) == is_own);
            self.known.insert(*position, reaches);
            reaches
        }
    }

    /// Covers the search with a table, from `FEW` + 1 empty cells on, and the one without.
    fn all_moves_have_the_values_of_a_plain_search<R: Ruleset>(counts: [usize; 3]) {
        let mut seen = [0; 3];
        for (placed, count) in (7..).zip(counts) {
            for position in positions::<R>(placed..=placed, count) {
                let side = position.side_to_move();
                let mut plain = [1, 2].map(|least| Plain { side, least, known: HashMap::new() });
                let solved = solve(&position, SolveScope::All, WITHOUT_LIMIT).expect("no limit");
                assert_eq!(solved.len(), position.move_count());
                for solved in solved {
                    let next = position.play(solved.mv).expect("legal");
                    let value = plain.iter_mut().map(|plain| u8::from(plain.reaches(&next))).sum::<u8>();
                    assert_eq!(solved.outcome.score(side), 50 * value, "{position} {}", solved.mv);
                    seen[usize::from(value)] += 1;
                }
            }
        }
        assert!(seen.iter().all(|&moves| moves > 20), "{seen:?}");
    }

    #[test]
    fn all_moves_have_the_values_of_a_plain_search_in_spec() {
        all_moves_have_the_values_of_a_plain_search::<Spec>([10, 30, 200]);
    }

    #[test]
    fn all_moves_have_the_values_of_a_plain_search_in_ggp() {
        all_moves_have_the_values_of_a_plain_search::<Ggp>([6, 20, 150]);
    }

    /// The hardest of many positions with the same number of pieces on the board.
    #[test]
    fn hard_positions_are_solved_within_limits() {
        let searched = |position: &str| {
            let position: Quarto<Ggp> = position.parse().expect("valid");
            let mut solver = Solver::new(16, WITHOUT_LIMIT);
            moves::values(&position, SolveScope::All, &mut solver).expect("no limit");
            solver.positions
        };
        for (position, most) in
            [("9f4./1.../6.../.... 5 w", 2_700_000), ("..e./..6./..52/..ac - w", 1_000_000)]
        {
            let searched = searched(position);
            assert!(searched <= most, "{position}: {searched}");
        }
    }
}
