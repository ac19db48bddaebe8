//! Qubic from turn to turn: tic-tac-toe on the cube, without the choices within a turn.

use super::lines::completing;
use crate::Ruleset;
use crate::qubic::{CELLS, Qubic};
use quintet_core::bits::bits;
use quintet_core::game::{Game, MoveList, Outcome, Role, Side};

/// A position at the start of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Cube {
    /// The marks of team X and of team O.
    pub(super) marks: [u64; 2],
}

impl Cube {
    /// The position at the start of the turn of `position`.
    pub(super) fn of<R: Ruleset>(position: &Qubic<R>) -> Self {
        Self { marks: position.marks }
    }

    /// The blank cells.
    pub(super) const fn blank(&self) -> u64 {
        !(self.marks[0] | self.marks[1])
    }

    /// The team to move: 0 for X, 1 for O.
    pub(super) const fn team(&self) -> usize {
        (self.marks[0].count_ones() > self.marks[1].count_ones()) as usize
    }

    /// The marks of `side` and of the other.
    pub(super) const fn teams(&self, side: Side) -> [u64; 2] {
        let [x, o] = self.marks;
        match side {
            Side::First => [x, o],
            _ => [o, x],
        }
    }

    /// The position after the team to move has marked `cell`.
    pub(super) fn with(mut self, cell: u8) -> Self {
        self.marks[self.team()] |= 1 << cell;
        self
    }
}

impl Game for Cube {
    /// The cell that is marked.
    type Move = u8;

    const ROLES: &'static [Role] = &[Role::new("x", Side::First), Role::new("o", Side::Second)];
    const MAX_BRANCHING: usize = CELLS;
    const MAX_PLIES: usize = CELLS;

    fn initial() -> Self {
        Self { marks: [0; 2] }
    }

    fn role_to_move(&self) -> usize {
        self.team()
    }

    fn outcome(&self) -> Option<Outcome> {
        let [x, o] = self.marks;
        if completing(x) & x != 0 {
            Some(Outcome::Win(Side::First))
        } else if completing(o) & o != 0 {
            Some(Outcome::Win(Side::Second))
        } else {
            (self.blank() == 0).then_some(Outcome::Draw)
        }
    }

    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        if self.outcome().is_none() {
            moves.extend(bits(self.blank()));
        }
    }

    fn apply(&mut self, cell: u8) {
        *self = self.with(cell);
    }

    fn key(&self) -> u64 {
        let [x, o] = self.marks;
        let mixed = (x ^ x >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ o.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
        (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }
}
