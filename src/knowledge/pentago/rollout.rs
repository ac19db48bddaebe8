//! Short rollouts in which a win at hand is taken.

use super::board::Board;
use super::priors;
use crate::game::{Outcome, Rng, Side};
use crate::games::shuffle::Shuffle;
use crate::games::{Pentago, Ruleset};
use crate::knowledge::draw_outcome;

/// A rollout is cut after so many rounds of four plies in which a win was possible, and the lines judged. Under
/// `spec` more make no difference.
pub(super) const fn rounds<R: Ruleset>() -> usize {
    if R::IS_GGP { 6 } else { 3 }
}

/// The points that red's lines must be better by to be worth half of a win where a rollout is cut.
pub(super) const EVEN: f32 = 24.0;

const WIN: [Outcome; 2] = [Outcome::Win(Side::First), Outcome::Win(Side::Second)];

/// A rollout under way.
struct Play<'a> {
    board: Board,
    order: &'a mut Shuffle,
    placed: usize,
    /// Random bits, three for each rotation until labels are drawn again.
    rotations: u64,
    rng: &'a mut Rng,
}

#[expect(clippy::inline_always, reason = "out of line, a rollout takes a quarter longer")]
impl Play<'_> {
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

    /// Rotates a random quadrant.
    #[inline(always)]
    fn rotate(&mut self) {
        self.board = self.board.rotated(self.rotations as usize % Board::ROTATIONS);
        self.rotations >>= 3;
    }

    /// The outcome of a board on which both colours' lines count.
    #[inline(always)]
    fn judge(&self) -> Option<Outcome> {
        match [self.board.has_line(0), self.board.has_line(1)] {
            [false, false] => None,
            [true, true] => Some(Outcome::Draw),
            [true, false] => Some(WIN[0]),
            [false, true] => Some(WIN[1]),
        }
    }

    /// Does what is to be done at a ply: the win if there is one, else anything.
    ///
    /// Under `ggp`, rotations need no look for a win: it would have been found before the placement.
    #[inline(always)]
    fn step<R: Ruleset>(&mut self, (color, rotates): (usize, bool)) -> Option<Outcome> {
        if rotates {
            if !R::IS_GGP && self.board.wins_by_rotation(color) {
                return Some(WIN[color]);
            }
            self.rotate();
            self.judge()
        } else {
            let wins =
                if R::IS_GGP { self.board.wins_by_turn(color) } else { self.board.wins_by_placing(color) };
            if wins {
                return Some(WIN[color]);
            }
            self.place(color).then_some(Outcome::Draw)
        }
    }
}

/// Plays random moves from `position`, which is not over, but takes every win that a placement, a rotation,
/// or under `ggp` a placement with the rotation that follows it, brings at once. A game that is not over after a few
/// rounds comes out as its lines promise: that is a heuristic.
#[inline]
pub(super) fn rollout<R: Ruleset>(position: &Pentago<R>, rng: &mut Rng) -> Outcome {
    let board = Board::new(position.stones);
    let mut order = Shuffle::new(board.empty().to_le_bytes());
    let mut ply = position.ply;
    let (color, rotates) = Pentago::<R>::phase(ply);
    let rotations = if rotates { rng.bits() } else { 0 };
    let mut game = Play { board, order: &mut order, placed: 0, rotations, rng };
    if R::IS_GGP && rotates {
        if game.board.wins_by_rotation(color) {
            return WIN[color];
        }
        game.rotate();
        if let Some(outcome) = game.judge() {
            return outcome;
        }
        ply += 1;
    }

    // Who does what repeats every four plies: with all four spelled out, nothing depends on the ply.
    macro_rules! steps {
        ($($ply:expr),+) => {
            $(
                if let Some(outcome) = game.step::<R>(Pentago::<R>::phase($ply)) {
                    return outcome;
                }
            )+
        };
    }
    while !ply.is_multiple_of(4) {
        steps!(ply);
        ply += 1;
    }
    // A colour with fewer than four stones has no line after the next.
    let most = game.board.stones[0].count_ones().max(game.board.stones[1].count_ones());
    for _ in most..4 {
        macro_rules! moves {
            ($($ply:expr),+) => {
                $(
                    let (color, rotates) = Pentago::<R>::phase($ply);
                    if rotates { game.rotate() } else { game.place(color); }
                )+
            };
        }
        moves!(0, 1, 2, 3);
    }
    for _ in 0..rounds::<R>() {
        steps!(0, 1, 2, 3);
    }
    let balance = priors::balance(&game.board, 0) as f32;
    draw_outcome(Side::First, balance / (balance.abs() + EVEN), game.rng)
}
