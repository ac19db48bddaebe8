//! Proofs by simulation: a VCT that wins though the other color has one more stone (Kawano, "Using similar positions to
//! search game trees", 1996).
//!
//! Once it is known that a color would have a VCT if it were to move, a reply that does not stop it is refuted by that
//! VCT, which takes a few dozen positions in place of a search.

use super::threats::ThreatBoard;
use super::vct::{FOURS, Note, VctSearch, after, judge_defense};
use crate::Ruleset;
use crate::gomoku::Gomoku;
use quintet_core::bits::bits_wide;
use quintet_core::game::Game;
use quintet_core::solver::LeafStatus;

/// The most positions of a simulation.
const MOST: u32 = 300;

/// A trial of a known VCT with `extra`, one more stone of the other color.
struct Simulation<'a, R: Ruleset> {
    search: &'a mut VctSearch<R>,
    extra: u128,
    /// The number of positions that it may still look at.
    left: u32,
}

impl<R: Ruleset> VctSearch<R> {
    /// Whether the side to move wins by a VCT that has been found for the position without one of the other color's
    /// stones.
    pub(super) fn wins_with_another_stone(&mut self, position: &Gomoku<R>) -> bool {
        let wins = self.wins.of(position.side_to_move());
        if wins.known(position).is_some() {
            return false;
        }
        let extra = bits_wide(position.stones[1 - position.color()])
            .map(|cell| 1 << cell)
            .find(|&extra| wins.known(&position.without(extra)) == Some(true));
        extra.is_some_and(|extra| Simulation { search: self, extra, left: MOST }.wins(position))
    }
}

impl<R: Ruleset> Simulation<'_, R> {
    /// Whether the side to move, which attacks, wins.
    fn wins(&mut self, position: &Gomoku<R>) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let color = position.color();
        let mut board = self.board(position);
        if board.small_vcf(color, FOURS).is_some() {
            return true;
        }
        let before = position.without(self.extra);
        let Some(cell) = self.search.winning_stone(&before, &mut self.board(&before)) else { return false };
        let is_free = position.empty() >> cell & 1 == 1;
        // A four of the other color must be stopped.
        if !is_free || board.completing(1 - color) & !(1 << cell) != 0 {
            return false;
        }
        let next = after(position, &mut board, cell);
        self.goes_on(&next, color) && self.keep(position, color)
    }

    /// Whether the side to move, which defends with `color`, loses.
    fn loses(&mut self, position: &Gomoku<R>, color: usize) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        let mut board = self.board(position);
        let loses = match judge_defense(&mut board, color, Note::NONE, &mut [0; 64]) {
            LeafStatus::Proven => true,
            LeafStatus::Disproven => false,
            LeafStatus::Open { note, .. } => bits_wide(note.cells() & position.empty())
                .all(|cell| self.goes_on(&after(position, &mut board, cell), 1 - color)),
        };
        loses && self.keep(position, 1 - color)
    }

    /// Whether the attacker, with `color`, wins, whoever is to move.
    fn goes_on(&mut self, position: &Gomoku<R>, color: usize) -> bool {
        position.outcome().is_none()
            && if position.color() == color { self.wins(position) } else { self.loses(position, 1 - color) }
    }

    /// Stores that `color` wins, and returns true.
    fn keep(&mut self, position: &Gomoku<R>, color: usize) -> bool {
        self.search.wins.set_proven(position, position.owner(color));
        true
    }

    fn board(&self, position: &Gomoku<R>) -> ThreatBoard {
        ThreatBoard::new(position, self.search.table)
    }
}
