//! Games for tests.

use crate::game::{Game, MoveList, Outcome};

/// A game of `PLIES` plies with `MOVES` moves each that ends in a draw. The field counts the plies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Drawn<const MOVES: u8, const PLIES: u8>(pub(super) u8);

impl<const MOVES: u8, const PLIES: u8> Game for Drawn<MOVES, PLIES> {
    type Move = u8;
    const MAX_BRANCHING: usize = MOVES as usize;
    const MAX_PLIES: usize = PLIES as usize;
    fn initial() -> Self {
        Self(0)
    }
    fn role_to_move(&self) -> usize {
        0
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.0 == PLIES).then_some(Outcome::Draw)
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(0..if self.0 < PLIES { MOVES } else { 0 });
    }
    fn apply(&mut self, _: u8) {
        self.0 += 1;
    }
}

/// A game of nine turns of two plies each, with twelve moves a ply, that ends in a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Pairs(pub(super) u8);

impl Game for Pairs {
    type Move = u8;
    const MAX_BRANCHING: usize = 12;
    const MAX_PLIES: usize = 18;
    fn initial() -> Self {
        Self(0)
    }
    fn role_to_move(&self) -> usize {
        usize::from(self.0 / 2 % 2)
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.0 == 18).then_some(Outcome::Draw)
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(0..if self.0 < 18 { 12 } else { 0 });
    }
    fn apply(&mut self, _: u8) {
        self.0 += 1;
    }
}
