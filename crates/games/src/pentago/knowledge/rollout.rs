//! Short rollouts in which a win at hand is taken.

use std::ops::ControlFlow;
use std::ops::ControlFlow::{Break, Continue};

use super::board::PentagoBoard;
use super::priors;
use crate::shuffle::Shuffle;
use crate::{Ggp, Pentago, Ruleset, Spec};
use quintet_core::game::{Outcome, Rng, Side};
use quintet_core::knowledge::draw_outcome;

/// A rollout is cut after so many rounds of four plies in which a win was possible, and the lines judged.
pub(super) const ROUNDS: usize = 3;

/// The points that red's lines must be better by to be worth half of a win where a rollout is cut.
pub(super) const EVEN: f32 = 24.0;

const WIN: [Outcome; 2] = [Outcome::Win(Side::First), Outcome::Win(Side::Second)];

/// A rollout under way.
struct CarefulGame<'a> {
    board: PentagoBoard,
    order: &'a mut Shuffle,
    placed: usize,
    /// Random bits, three for each rotation until labels are drawn again.
    rotations: u64,
    rng: &'a mut Rng,
}

#[expect(clippy::inline_always, reason = "out of line, a rollout takes a quarter longer")]
impl CarefulGame<'_> {
    /// Places a stone of `color` on a random cell, and tells whether it was the last.
    #[inline(always)]
    fn place(&mut self, color: usize) -> bool {
        /// Labels drawn at a time.
        const CHUNK: usize = 8;
        if self.placed.is_multiple_of(CHUNK) {
            self.order.draw::<CHUNK>(self.placed, self.rng);
            self.rotations = self.rng.bits();
        }
        self.board.stones[color] |= 1 << self.order.cell(self.placed);
        self.placed += 1;
        self.placed == self.order.len()
    }

    /// The number of a random rotation.
    #[inline(always)]
    fn rotation(&mut self) -> usize {
        let rotation = self.rotations as usize % PentagoBoard::ROTATIONS;
        self.rotations >>= 3;
        rotation
    }

    /// Rotates a random quadrant.
    #[inline(always)]
    fn rotate(&mut self) {
        self.board = self.board.rotated(self.rotation());
    }

    /// Rotates a random quadrant by which `color`, which does not win by any, does not lose at once: by a line
    /// of the other color alone, or by a turn of the other color that wins.
    #[inline(always)]
    fn rotate_carefully(&mut self, color: usize) -> ControlFlow<Outcome> {
        let first = self.rotation();
        for step in 0..PentagoBoard::ROTATIONS {
            // Three rotations on is another quadrant.
            let after = self.board.rotated(first + 3 * step);
            if after.has_line(1 - color) {
                if after.has_line(color) {
                    return Break(Outcome::Draw);
                }
            } else if !after.wins_by_turn(1 - color) {
                self.board = after;
                return Continue(());
            }
        }
        Break(WIN[1 - color])
    }

    /// Plays the turn of `color`, which does not win by it, under `ggp`.
    #[inline(always)]
    fn turn(&mut self, color: usize) -> ControlFlow<Outcome> {
        if self.place(color) { Break(Outcome::Draw) } else { self.rotate_carefully(color) }
    }

    /// Plays from `ply` on under `ggp`, until the game is over or the rounds have been played.
    #[inline(always)]
    fn play_turns(&mut self, ply: u8) -> ControlFlow<Outcome> {
        let (color, rotates) = Pentago::<Ggp>::phase(ply);
        if rotates {
            if self.board.wins_by_rotation(color) {
                return Break(WIN[color]);
            }
            self.rotate_carefully(color)?;
        } else if self.board.wins_by_turn(color) {
            return Break(WIN[color]);
        }
        if matches!(ply % 4, 1 | 2) {
            self.turn(1)?;
        }
        for _ in 0..self.quiet_rounds() + ROUNDS {
            self.turn(0)?;
            self.turn(1)?;
        }
        Continue(())
    }

    /// Does what is to be done at a ply under `spec`: the win if there is one, else anything.
    #[inline(always)]
    fn step(&mut self, ply: u8) -> ControlFlow<Outcome> {
        let (color, rotates) = Pentago::<Spec>::phase(ply);
        if rotates {
            if self.board.wins_by_rotation(color) {
                return Break(WIN[color]);
            }
            self.rotate();
            match [self.board.has_line(0), self.board.has_line(1)] {
                [false, false] => Continue(()),
                [true, true] => Break(Outcome::Draw),
                [true, false] => Break(WIN[0]),
                [false, true] => Break(WIN[1]),
            }
        } else if self.board.wins_by_placing(color) {
            Break(WIN[color])
        } else if self.place(color) {
            Break(Outcome::Draw)
        } else {
            Continue(())
        }
    }

    /// Plays from `ply` on under `spec`, until the game is over or the rounds have been played.
    #[inline(always)]
    fn play_plies(&mut self, mut ply: u8) -> ControlFlow<Outcome> {
        while !ply.is_multiple_of(4) {
            self.step(ply)?;
            ply += 1;
        }
        for _ in 0..self.quiet_rounds() {
            self.place(0);
            self.place(1);
            self.rotate();
            self.rotate();
        }
        // With all four plies spelled out, nothing depends on the ply.
        for _ in 0..ROUNDS {
            self.step(0)?;
            self.step(1)?;
            self.step(2)?;
            self.step(3)?;
        }
        Continue(())
    }

    /// The number of rounds of four plies after which a color may have a line at the earliest: one with fewer
    /// than four stones has none after the next.
    #[inline(always)]
    fn quiet_rounds(&self) -> usize {
        let most = self.board.stones[0].count_ones().max(self.board.stones[1].count_ones());
        4_usize.saturating_sub(most as usize)
    }
}

/// Plays random moves from `position`, which is not over, but takes every win that a placement, a rotation,
/// or under `ggp` a placement with the rotation that follows it, brings at once. Under `ggp` a rotation that
/// loses at once is made only if all do. A game that is not over after a few rounds comes out as its lines
/// promise: that is a heuristic.
#[inline]
pub(super) fn rollout<R: Ruleset>(position: &Pentago<R>, rng: &mut Rng) -> Outcome {
    let board = PentagoBoard::new(position.stones);
    let mut order = Shuffle::new(board.empty().to_le_bytes());
    let (_, rotates) = Pentago::<R>::phase(position.ply);
    let rotations = if rotates { rng.bits() } else { 0 };
    let mut game = CarefulGame { board, order: &mut order, placed: 0, rotations, rng };
    let end = if R::IS_GGP { game.play_turns(position.ply) } else { game.play_plies(position.ply) };
    if let Break(outcome) = end {
        return outcome;
    }
    let balance = priors::balance(&game.board, 0) as f32;
    draw_outcome(Side::First, balance / (balance.abs() + EVEN), game.rng)
}
