//! Peg solitaire on a triangle: a game for one player, with scores.
//!
//! Fifteen holes, numbered from the top, all but the first with a peg. A peg jumps along a line over a neighbor
//! into a hole, and the peg that it jumped over is taken. A single peg left scores 100, each further one 15 less.
//!
//! Position string: `.oooooooooooooo`, the holes 1 to 15 with `o` for a peg.

use std::fmt;
use std::str::FromStr;

use quintet_core::game::{About, Game, MoveList, Notation, Outcome, PositionError, Role, ScoreSet, Side};

const ROWS: u8 = 5;
const HOLES: u8 = 15;

/// The pegs, a bit for each hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pegs(u16);

/// From one hole to another, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Jump(u8, u8);

impl fmt::Display for Jump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0 + 1, self.1 + 1)
    }
}

/// The hole in this row and place; `None` outside of the triangle.
fn hole(row: i8, place: i8) -> Option<u8> {
    (0..ROWS as i8).contains(&row).then_some(())?;
    (0..=row).contains(&place).then(|| (row * (row + 1) / 2 + place) as u8)
}

/// The hole between two that a peg may jump between.
fn between(from: u8, to: u8) -> Option<u8> {
    let at = |hole: u8| {
        let row = (0..ROWS as i8).rfind(|row| row * (row + 1) / 2 <= hole as i8)?;
        Some((row, hole as i8 - row * (row + 1) / 2))
    };
    let ((row, place), (to_row, to_place)) = (at(from)?, at(to)?);
    let step = (to_row - row, to_place - place);
    let is_jump = [(0, 2), (0, -2), (2, 0), (-2, 0), (2, 2), (-2, -2)].contains(&step);
    is_jump.then(|| hole(row + step.0 / 2, place + step.1 / 2)).flatten()
}

impl Pegs {
    fn has(self, hole: u8) -> bool {
        self.0 >> hole & 1 == 1
    }

    fn jumps(self) -> impl Iterator<Item = Jump> {
        let holes = (0..HOLES).flat_map(|from| (0..HOLES).map(move |to| Jump(from, to)));
        holes.filter(move |&Jump(from, to)| {
            self.has(from) && !self.has(to) && between(from, to).is_some_and(|over| self.has(over))
        })
    }
}

impl Game for Pegs {
    type Move = Jump;

    const ROLES: &'static [Role] = &[Role::new("player", Side::First)];
    const MAX_BRANCHING: usize = 36;
    const MAX_PLIES: usize = 13;

    fn initial() -> Self {
        Self(0x7FFE)
    }

    fn role_to_move(&self) -> usize {
        0
    }

    fn scores(&self) -> ScoreSet {
        ScoreSet::new(&[0, 10, 25, 40, 55, 70, 85, 100])
    }

    fn outcome(&self) -> Option<Outcome> {
        let is_over = self.jumps().next().is_none();
        let score = 115_u32.saturating_sub(15 * self.0.count_ones()).min(100);
        is_over.then(|| Outcome::of_score(Side::First, score as u8))
    }

    fn legal_moves(&self, moves: &mut MoveList<Jump>) {
        moves.clear();
        moves.extend(self.jumps());
    }

    fn apply(&mut self, Jump(from, to): Jump) {
        let over = between(from, to).map_or(0, |over| 1 << over);
        self.0 ^= 1 << from | 1 << to | over;
    }
}

impl fmt::Display for Pegs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..HOLES).try_for_each(|hole| f.write_str(if self.has(hole) { "o" } else { "." }))
    }
}

impl FromStr for Pegs {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        if text.len() != usize::from(HOLES) || text.chars().any(|c| c != 'o' && c != '.') {
            return Err(PositionError::new("holes", "expected 15 letters, 'o' for a peg and '.' for none"));
        }
        let pegs =
            (0..).zip(text.chars()).filter(|(_, c)| *c == 'o').fold(0, |all, (hole, _)| all | 1 << hole);
        if pegs == 0 {
            return Err(PositionError::new("holes", "the last peg is never taken"));
        }
        Ok(Self(pegs))
    }
}

impl Notation for Pegs {
    const ABOUT: About = About {
        title: "Peg solitaire",
        summary: "Triangle of 15 holes; jump over pegs to take them; leave as few as you can.",
        moves: "from which hole into which, 1 to 15 from the top, such as 4-1",
        position: "the holes 1 to 15: 'o' for a peg, '.' for none",
    };

    fn draw(&self, mark: Option<Jump>) -> String {
        let peg = |hole| if self.has(hole) { 'o' } else { '.' };
        let cell = |hole| match mark {
            Some(Jump(from, to)) if hole == from || hole == to => format!("[{}]", peg(hole)),
            _ => format!(" {} ", peg(hole)),
        };
        let row = |row: u8| {
            let cells: String =
                (0..=row).filter_map(|place| hole(row as i8, place as i8)).map(cell).collect();
            format!("{:width$}{cells}\n", "", width = usize::from(3 * (ROWS - row) / 2))
        };
        (0..ROWS).map(row).collect()
    }
}
