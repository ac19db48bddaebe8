//! Pentago on a 6×6 board of four quadrants that turn.
//!
//! # Rules
//!
//! Red and black each place a stone on an empty cell and rotate a quadrant by a quarter turn, each
//! as a ply of its own. Under `spec` the plies go red place, black place, red rotate, black rotate;
//! under `ggp` red place, red rotate, black place, black rotate.
//!
//! The game can end after every ply, even between a placement and the rotation that would follow.
//! Five or more stones of one color in a row, column or diagonal win for that color. A rotation may
//! complete lines of both colors, which is a draw; so is a full board without a line.
//!
//! # Cells and bits
//!
//! A color's stones are a mask of 36 bits, nine for each quadrant, so that a rotation is a table
//! lookup of nine bits.
//!
//! ```text
//! 6 | 15 16 17 |  6  7  8      bit = 9 * (quadrant - 1) + 3 * rank + file, rank and file from 0 inside the quadrant
//! 5 | 12 13 14 |  3  4  5
//! 4 |  9 10 11 |  0  1  2      quadrants: 2 | 1
//!   +----------+----------                ---+---
//! 3 | 24 25 26 | 33 34 35                 3 | 4
//! 2 | 21 22 23 | 30 31 32
//! 1 | 18 19 20 | 27 28 29      clockwise takes file and rank (x, y), from 0, to (y, 2 - x)
//!      a  b  c    d  e  f
//! ```
//!
//! # Position string
//!
//! `6/6/6/6/2r3/6 b place`: the ranks from 6 down to 1, with `r` and `b` for stones and a number
//! for each run of empty cells; the color to move; its action, `place` or `rotate`.

pub mod knowledge;
mod picture;
pub(crate) mod rollout;
mod shuffle;

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use super::{Ruleset, Spec};
use quintet_core::Quoted;
use quintet_core::bits::{bits, nth_bit};
use quintet_core::game::text::{self, CellName};
use quintet_core::game::{
    About, EMPTY, Game, MoveList, Notation, Outcome, Picture, PositionError, Rng, Role, Rollout, RulesText,
    Side,
};
use quintet_core::hash;

pub(crate) const CELLS: usize = 36;
pub(crate) const ALL: u64 = (1 << CELLS) - 1;
const STONE_LETTERS: [char; 2] = ['r', 'b'];

pub(crate) const QUADRANT: u64 = 0x1FF;

/// The bit of file `x` and rank `y`, both 0..6.
const fn bit_of(x: usize, y: usize) -> usize {
    let quadrant = match (x < 3, y < 3) {
        (false, false) => 0,
        (true, false) => 1,
        (true, true) => 2,
        (false, true) => 3,
    };
    9 * quadrant + 3 * (y % 3) + x % 3
}

/// The file and rank of each bit.
static PLACE_OF: [(u8, u8); CELLS] = {
    let mut table = [(0, 0); CELLS];
    const_for!(0..CELLS, |cell| {
        table[bit_of(cell % 6, cell / 6)] = (cell as u8 % 6, cell as u8 / 6);
    });
    table
};

/// `TURNED[direction][cells]`: the nine cells of a quadrant after a quarter turn clockwise (0) or
/// counterclockwise (1).
pub(crate) static TURNED: [[u16; 512]; 2] = {
    let mut table = [[0; 512]; 2];
    const_for!(0..512, |cells| {
        const_for!(0..9, |bit| {
            if cells >> bit & 1 == 1 {
                let (x, y) = (bit % 3, bit / 3);
                table[0][cells] |= 1 << (3 * (2 - x) + y);
                table[1][cells] |= 1 << (3 * x + (2 - y));
            }
        });
    });
    table
};

/// The cells of the 32 runs of five, each run from an end that is on the edge of the board.
pub(crate) const CELLS_OF_LINES: [[u8; 5]; 32] = {
    let mut lines = [[0; 5]; 32];
    let mut found = 0;
    const_for!(0..4, |direction| {
        let (dx, dy) = [(1, 0), (0, 1), (1, 1), (1, -1)][direction];
        const_for!(0..CELLS as i32, |start| {
            let (x, y) = (start % 6, start / 6);
            let (end_x, end_y) = (x + 4 * dx, y + 4 * dy);
            if 0 <= end_x && end_x < 6 && 0 <= end_y && end_y < 6 {
                let starts_on_edge = if dx == 0 { y == 0 } else { x == 0 };
                const_for!(0..5, |n| {
                    let i = if starts_on_edge { n } else { 4 - n };
                    lines[found][n as usize] = bit_of((x + i * dx) as usize, (y + i * dy) as usize) as u8;
                });
                found += 1;
            }
        });
    });
    assert!(found == 32);
    lines
};

/// The 32 runs of five cells.
pub(crate) const LINES: [u64; 32] = {
    let mut lines = [0; 32];
    const_for!(0..32 * 5, |n| {
        lines[n / 5] |= 1 << CELLS_OF_LINES[n / 5][n % 5];
    });
    lines
};

/// `FILLED[quadrant][cells]`: a bit for each of the 32 lines, set if those cells of the quadrant
/// include all of the line's cells there. A line that misses a quadrant is always filled in it.
static FILLED: [[u32; 512]; 4] = {
    let mut table = [[0; 512]; 4];
    const_for!(0..4, |quadrant| {
        const_for!(0..32, |line| {
            let part = LINES[line] >> (9 * quadrant) & QUADRANT;
            const_for!(0..512, |cells| {
                if cells & part == part {
                    table[quadrant][cells as usize] |= 1 << line;
                }
            });
        });
    });
    table
};

/// The nine cells of quadrant 0..4.
#[inline]
pub(crate) const fn quadrant_of(stones: u64, quadrant: usize) -> usize {
    (stones >> (9 * quadrant) & QUADRANT) as usize
}

/// Whether `stones` holds a line: some line is filled in all four quadrants.
#[inline]
pub(crate) fn has_line(stones: u64) -> bool {
    FILLED[0][quadrant_of(stones, 0)]
        & FILLED[1][quadrant_of(stones, 1)]
        & FILLED[2][quadrant_of(stones, 2)]
        & FILLED[3][quadrant_of(stones, 3)]
        != 0
}

/// `stones` after a [rotation](Move::rotation).
#[inline]
pub(crate) fn turned(stones: u64, rotation: usize) -> u64 {
    let (quadrant, direction) = (rotation / 2, rotation % 2);
    let shift = 9 * quadrant;
    let after = u64::from(TURNED[direction][quadrant_of(stones, quadrant)]);
    stones & !(QUADRANT << shift) | after << shift
}

/// A position of Pentago.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pentago<R: Ruleset = Spec> {
    /// The stones of red and of black.
    pub(crate) stones: [u64; 2],
    /// The number of plies played, which determines who acts and how.
    pub(crate) ply: u8,
    outcome: Option<Outcome>,
    rules: PhantomData<R>,
}

/// A move of Pentago: place a stone or rotate a quadrant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(pub(crate) u8);

impl Move {
    /// Returns the placement of a stone in file `x` and rank `y`, both 0..6.
    ///
    /// # Panics
    /// If there is no such cell.
    #[must_use]
    pub const fn place(x: u8, y: u8) -> Self {
        assert!(x < 6 && y < 6);
        Self(bit_of(x as usize, y as usize) as u8)
    }

    /// Returns the rotation of quadrant 1..=4.
    ///
    /// # Panics
    /// If there is no such quadrant.
    #[must_use]
    pub const fn rotate(quadrant: u8, clockwise: bool) -> Self {
        assert!(1 <= quadrant && quadrant <= 4);
        Self(CELLS as u8 + 2 * (quadrant - 1) + !clockwise as u8)
    }

    /// The number of a rotation: twice the quadrant (0..4), and one more if it is counterclockwise.
    #[inline]
    pub(crate) const fn rotation(self) -> usize {
        self.0 as usize - CELLS
    }

    #[inline]
    pub(crate) const fn is_rotation(self) -> bool {
        self.0 as usize >= CELLS
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_rotation() {
            let rotation = self.rotation();
            write!(f, "{}{}", rotation / 2 + 1, ["cw", "ccw"][rotation % 2])
        } else {
            let (x, y) = PLACE_OF[usize::from(self.0)];
            CellName { x, y }.fmt(f)
        }
    }
}

impl<R: Ruleset> Pentago<R> {
    /// The color that acts at a ply (0 red, 1 black), and whether it rotates.
    #[inline]
    pub(crate) const fn phase(ply: u8) -> (usize, bool) {
        let (low, high) = (ply & 1, ply >> 1 & 1);
        if R::IS_GGP { (high as usize, low == 1) } else { (low as usize, high == 1) }
    }

    #[inline]
    pub(crate) const fn empty(&self) -> u64 {
        ALL & !(self.stones[0] | self.stones[1])
    }

    /// The outcome of the board if lines of both colors count.
    #[inline]
    fn judge(&self) -> Option<Outcome> {
        match (has_line(self.stones[0]), has_line(self.stones[1])) {
            (true, false) => Some(Outcome::Win(Side::First)),
            (false, true) => Some(Outcome::Win(Side::Second)),
            (true, true) => Some(Outcome::Draw),
            (false, false) if self.empty() == 0 => Some(Outcome::Draw),
            (false, false) => None,
        }
    }

    /// Whether this position, which has a line, follows in one ply from some position that is not
    /// over.
    fn has_predecessor(&self) -> bool {
        let (color, rotated) = Self::phase(self.ply - 1);
        if rotated {
            (0..8).any(|rotation| self.stones.iter().all(|&stones| !has_line(turned(stones, rotation))))
        } else {
            !has_line(self.stones[1 - color])
                && bits(self.stones[color]).any(|cell| !has_line(self.stones[color] & !(1 << cell)))
        }
    }

    /// The letter of the stone on a cell.
    fn stone_on(&self, bit: usize) -> Option<char> {
        text::letter_of(self.stones.map(|stones| stones >> bit & 1 == 1), STONE_LETTERS)
    }

    /// The legal moves as a mask of cells or of rotations, and the move number of bit 0.
    #[inline]
    fn choices(&self) -> (u64, u8) {
        if self.outcome.is_some() {
            (0, 0)
        } else if Self::phase(self.ply).1 {
            (0xFF, CELLS as u8)
        } else {
            (self.empty(), 0)
        }
    }
}

impl<R: Ruleset> Game for Pentago<R> {
    type Move = Move;

    const ROLES: &'static [Role] = &[Role::new("red", Side::First), Role::new("black", Side::Second)];
    const MAX_BRANCHING: usize = CELLS;
    const MAX_PLIES: usize = 2 * CELLS;

    fn initial() -> Self {
        Self { stones: [0; 2], ply: 0, outcome: None, rules: PhantomData }
    }

    #[inline]
    fn role_to_move(&self) -> usize {
        Self::phase(self.ply).0
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, moves: &mut MoveList<Move>) {
        let (choices, base) = self.choices();
        moves.clear();
        moves.extend(bits(choices).map(|choice| Move(base + choice)));
    }

    #[inline]
    fn move_count(&self) -> usize {
        self.choices().0.count_ones() as usize
    }

    #[inline]
    fn nth_move(&self, n: usize) -> Move {
        let (choices, base) = self.choices();
        Move(base + nth_bit(choices, n) as u8)
    }

    #[inline(always)]
    fn rollout(&self, rng: &mut Rng) -> Rollout {
        crate::rollout::rollout(self, rng)
    }

    #[inline]
    fn key(&self) -> u64 {
        hash::of_numbers([self.stones[0], self.stones[1], self.ply.into()])
    }

    #[inline]
    fn apply(&mut self, mv: Move) {
        let (color, rotates) = Self::phase(self.ply);
        self.apply_ongoing(mv);
        if rotates {
            self.outcome = self.judge();
        } else if has_line(self.stones[color]) {
            self.outcome = Some(Outcome::Win(Self::ROLES[color].side));
        } else if self.empty() == 0 {
            self.outcome = Some(Outcome::Draw);
        }
    }

    #[inline]
    fn apply_ongoing(&mut self, mv: Move) {
        let (color, rotates) = Self::phase(self.ply);
        debug_assert_eq!(rotates, mv.is_rotation(), "{mv} is the wrong kind of move");
        self.ply += 1;
        if rotates {
            for stones in &mut self.stones {
                *stones = turned(*stones, mv.rotation());
            }
        } else {
            debug_assert!(self.empty() >> mv.0 & 1 == 1, "{mv} is taken");
            self.stones[color] |= 1 << mv.0;
        }
    }
}

impl<R: Ruleset> fmt::Display for Pentago<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = text::write_board((6, 6), |x, y| self.stone_on(bit_of(usize::from(x), usize::from(y))));
        let (color, rotates) = Self::phase(self.ply);
        write!(f, "{board} {} {}", ["r", "b"][color], if rotates { "rotate" } else { "place" })
    }
}

impl<R: Ruleset> FromStr for Pentago<R> {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let [board, mover, action] = text::fields(text, ["board", "color to move", "place or rotate"])?;
        let mut position = Self::initial();
        text::read_board(board, (6, 6), false, text::rank_name, |x, y, c| {
            let color = text::read_letter(c, STONE_LETTERS, "stone")?;
            position.stones[color] |= 1 << bit_of(usize::from(x), usize::from(y));
            Ok(())
        })?;
        let color = text::either("color to move", mover, ["r", "b"])?;
        let rotates = text::either("place or rotate", action, ["place", "rotate"])? == 1;

        // Finds the plies with these numbers of stones, then the one of them with this color and
        // action.
        let wanted = position.stones.map(u64::count_ones);
        let mut placed = [0, 0];
        let plies = (0..=Self::MAX_PLIES as u8).filter(|&ply| {
            let found = placed == wanted;
            if let (by, false) = Self::phase(ply) {
                placed[by] += 1;
            }
            found
        });
        let plies: Vec<u8> = plies.collect();
        let Some(&ply) = plies.iter().find(|&&ply| Self::phase(ply) == (color, rotates)) else {
            let [red, black] = wanted;
            let reason = format!(
                "with {red} red and {black} black stones {mover} can't {action}",
                mover = Quoted(mover)
            );
            let part = if plies.iter().any(|&ply| Self::phase(ply).1 == rotates) {
                "color to move"
            } else if !plies.is_empty() {
                "place or rotate"
            } else {
                "board"
            };
            return Err(PositionError::new(part, reason));
        };
        position.ply = ply;
        position.outcome = position.judge();
        if position.stones.iter().any(|&stones| has_line(stones)) && !position.has_predecessor() {
            let last = if Self::phase(ply - 1).1 { "rotation" } else { "placement" };
            let reason = format!("no single {last} makes these lines, so the game ended earlier");
            return Err(PositionError::new("board", reason));
        }
        if position.empty() == 0 && ply > 0 && Self::phase(ply - 1).1 {
            return Err(PositionError::new("place or rotate", "the board is full: the game ended earlier"));
        }
        Ok(position)
    }
}

impl<R: Ruleset> Notation for Pentago<R> {
    const ABOUT: About = About {
        title: "Pentago",
        summary: "6×6 board of four quadrants; place a stone, rotate a quadrant; five in a row win.",
        moves: "place a stone (c4); rotate a quadrant 1 to 4 clockwise (1cw) or counterclockwise (1ccw); \
                quadrant 1 is top right, 2 top left, 3 bottom left, 4 bottom right",
        position: "board color action: ranks 6 to 1 with '/' between, 'r', 'b' or a number of empty cells; \
                   'r' or 'b' to move; 'place' or 'rotate'",
    };

    const RULES_TEXT: RulesText = RulesText {
        text: "Red and black each place a stone on an empty cell, and rotate a quadrant by a quarter \
               turn. Any quadrant may be rotated, even an empty one.\n\
               Five or more stones of one color in a row, column or diagonal win, also right after a \
               placement. If a rotation makes lines of both colors, the game is a draw. So is a full \
               board without a line.",
        differs: if R::IS_GGP {
            "A turn is a placement and a rotation: red place, red rotate, black place, black rotate, and \
             so on."
        } else {
            "Both place, then both rotate: red place, black place, red rotate, black rotate, and so on."
        },
        standard: if R::IS_GGP {
            Some("This is the game in the box, except that a full board ends it without a last rotation.")
        } else {
            None
        },
    };

    // The published versions 0 and 1. By a slip, version 0 gives black the score 0 besides 100 when it wins
    // before the board is full.
    const RULESHEET_FINGERPRINTS: &'static [&'static str] = if R::IS_GGP {
        &[
            "49ff8e89150170abf8aa724bb817604819abdbe952f23a40a746de667b410adb",
            "4182de1937e679179492a73a9a8569ee4a86629b71cfbe21405b4dd494027e0b",
        ]
    } else {
        &[]
    };

    fn term(&self, mv: Move) -> String {
        if mv.is_rotation() {
            let rotation = mv.rotation();
            format!("(rotate {} {})", rotation / 2 + 1, ["clockwise", "counterclockwise"][rotation % 2])
        } else {
            let (quadrant, y, x) = (mv.0 / 9, mv.0 % 9 / 3, mv.0 % 3);
            format!("(place {} {} {})", quadrant + 1, x + 1, y + 1)
        }
    }

    fn draw(&self, mark: Option<Move>) -> String {
        let marked = match mark {
            Some(mv) if mv.is_rotation() => QUADRANT << (9 * (mv.rotation() / 2)),
            Some(mv) => 1 << mv.0,
            None => 0,
        };
        let board = text::draw_board((6, 6), |x, y| {
            let bit = bit_of(usize::from(x), usize::from(y));
            text::drawn(self.stone_on(bit).unwrap_or(EMPTY), marked >> bit & 1 == 1)
                + if x == 2 { " " } else { "" }
        });
        let mut lines: Vec<&str> = board.lines().collect();
        lines.insert(3, "");
        lines.join("\n") + "\n"
    }

    fn task(&self) -> Option<String> {
        Some(match Self::phase(self.ply) {
            (color, false) => format!("place a {} stone", Self::ROLES[color].name),
            (_, true) => "rotate a quadrant, 1 to 4, cw or ccw".to_owned(),
        })
    }

    fn ending(&self) -> Option<String> {
        Some(picture::ending(self))
    }

    fn picture(&self, last: Option<Move>) -> Picture {
        Picture::Scene(picture::scene(self, last))
    }
}
