//! Short rollouts that take immediate wins.

use std::ops::ControlFlow;
use std::ops::ControlFlow::{Break, Continue};

use super::super::shuffle::Shuffle;
use super::board::PentagoBoard;
use super::priors;
use crate::{Ggp, Pentago, Ruleset, Spec};
use quintet_core::game::{Outcome, Rng, Side};
use quintet_core::knowledge::draw_outcome;

/// The number of rounds of four plies that a rollout plays once a win is possible; then it is cut
/// and its lines are evaluated.
pub(super) const ROUNDS: usize = 3;

/// The balance for red at which a cut rollout is a win for red half of the time, else a draw.
pub(super) const EVEN: f32 = 24.0;

const WIN: [Outcome; 2] = [Outcome::Win(Side::First), Outcome::Win(Side::Second)];

/// A rollout in progress.
struct CarefulGame<'a> {
    board: PentagoBoard,
    order: &'a mut Shuffle,
    placed: usize,
    /// Random bits, three for each rotation until the next labels are drawn.
    rotations: u64,
    rng: &'a mut Rng,
}

#[expect(clippy::inline_always, reason = "out of line, a rollout takes a quarter longer")]
impl CarefulGame<'_> {
    /// Places a stone of `color` on a random cell and returns whether it was the last.
    #[inline(always)]
    fn place(&mut self, color: usize) -> bool {
        /// The number of labels drawn at a time.
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

    /// Plays a random rotation of `color` that does not lose at once: by a line of the other color
    /// alone, or by a winning turn of the other color. No rotation of `color` wins.
    #[inline(always)]
    fn rotate_carefully(&mut self, color: usize) -> ControlFlow<Outcome> {
        let first = self.rotation();
        for step in 0..PentagoBoard::ROTATIONS {
            // A step of three rotations changes the quadrant.
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

    /// Plays a turn of `color`, which has no winning turn, under `ggp`.
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

    /// Plays a ply under `spec`: a winning move if there is one, else a random one.
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

    /// The number of rounds of four plies before a color may have a line: a color with fewer than
    /// four stones has none after the next round.
    #[inline(always)]
    fn quiet_rounds(&self) -> usize {
        let most = self.board.stones[0].count_ones().max(self.board.stones[1].count_ones());
        4_usize.saturating_sub(most as usize)
    }
}

/// Plays random moves from `position`, which is not over, but takes every immediate win: by a
/// placement, a rotation, or under `ggp` a placement and the rotation after it. Under `ggp` a
/// rotation that loses at once is played only if all do. After a few rounds the outcome is drawn
/// from an evaluation of the lines, which is a heuristic.
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
