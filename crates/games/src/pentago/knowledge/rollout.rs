//! First values of positions: under `spec` short rollouts that take immediate wins, under `ggp` an
//! evaluation.

use std::ops::ControlFlow;
use std::ops::ControlFlow::{Break, Continue};

use super::super::shuffle::Shuffle;
use super::board::PentagoBoard;
use super::{evaluation, priors};
use crate::{Pentago, Ruleset, Spec};
use quintet_core::game::{Game, Outcome, Rng, Side};
use quintet_core::knowledge::Value;
use quintet_core::learned::expectation;

/// The number of rounds of four plies that a rollout plays once a win is possible; then it is cut
/// and its lines are evaluated.
pub(super) const ROUNDS: usize = 3;

/// The balance at which a cut rollout is worth half of the way from a draw to a win.
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

/// The first value of `position`, which is not over; no ply or turn of its color wins at once. Both
/// rulesets evaluate lines, which is a heuristic.
///
/// Under `spec` the lines are those after random moves, of which every immediate win by a placement or a
/// rotation is taken. Under `ggp` they are those of the position: there random moves say less than lines do.
#[inline]
pub(super) fn rollout<R: Ruleset>(position: &Pentago<R>, rng: &mut Rng) -> Value {
    let board = PentagoBoard::new(position.stones);
    if R::IS_GGP {
        let points = evaluation::points(&board, position.ply);
        return Value::expected(position.side_to_move(), expectation(points));
    }
    let mut order = Shuffle::new(board.empty().to_le_bytes());
    let (_, rotates) = Pentago::<R>::phase(position.ply);
    let rotations = if rotates { rng.bits() } else { 0 };
    let mut game = CarefulGame { board, order: &mut order, placed: 0, rotations, rng };
    if let Break(outcome) = game.play_plies(position.ply) {
        return outcome.into();
    }
    let balance = priors::balance(&game.board, 0) as f32;
    Value::expected(Side::First, balance / (balance.abs() + EVEN))
}
