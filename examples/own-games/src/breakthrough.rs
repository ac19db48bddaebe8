//! Breakthrough, with `knowledge` of its own.
//!
//! # Rules
//!
//! White and black have two rows of pawns each, on an 8×8 board, and move in turn, white first. A
//! pawn goes one step ahead, straight or diagonally, to an empty cell; diagonally, it may also
//! capture. The first color with a pawn on the last row wins, and so does one that captures all
//! pawns of the other.
//!
//! There is always a move: no pawn of its own color blocks the foremost pawn.
//!
//! # Cells and bits
//!
//! A color's pawns are a mask of 64 bits: bit 0 is a1, bit 7 is h1, bit 63 is h8.
//!
//! # Position string
//!
//! `bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w`: the ranks from 8 down to 1, `w` and `b` for
//! pawns and a number for that many empty cells; the color to move. A string is refused if the game
//! must have been over before, if a color has more than 16 pawns, or if no numbers of moves by
//! white and black fit the places of the pawns and the color to move. Whether pawns could get to
//! their places past each other is not tested.

mod features;
mod knowledge;
mod picture;

use std::fmt;
use std::str::FromStr;

use quintet_core::bits::{bits, nth_bit};
use quintet_core::game::text::{self, CellName};
use quintet_core::game::{About, Game, MoveList, Notation, Outcome, Picture, PositionError, Role, Side};

pub use knowledge::BreakthroughKnowledge;

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;
const RANK_1: u64 = 0xFF;
const RANK_8: u64 = RANK_1 << 56;

/// The pawns of each color at the start.
const PAWNS: u32 = 16;

/// The last rows of white and of black.
const LAST_ROW: [u64; 2] = [RANK_8, RANK_1];

/// The codes of white and black.
const CODES: [char; 2] = ['w', 'b'];

/// The name that errors give the second field of a position string.
const MOVER: &str = "color to move";

/// What a step adds to a cell's number, for white and for black: straight, towards file a, towards
/// file h.
const STEPS: [[i8; 3]; 2] = [[8, 7, 9], [-8, -9, -7]];

/// The cells that `pawns` of a color reach by one step in a direction, as in [`STEPS`].
const fn stepped(pawns: u64, color: usize, direction: usize) -> u64 {
    let step = STEPS[color][direction];
    let cells = if step > 0 { pawns << step } else { pawns >> -step };
    // A pawn that left the board on one side would reappear on the other.
    match direction {
        0 => cells,
        1 => cells & !FILE_H,
        _ => cells & !FILE_A,
    }
}

/// The cells that `pawns` of a color could capture on.
const fn attacks(pawns: u64, color: usize) -> u64 {
    stepped(pawns, color, 1) | stepped(pawns, color, 2)
}

/// The number of rows that a pawn of `color` on `cell` is ahead of its first row.
const fn advance(cell: u8, color: usize) -> u8 {
    if color == 0 { cell / 8 } else { 7 - cell / 8 }
}

/// A position of Breakthrough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Breakthrough {
    /// The pawns of white and of black.
    pawns: [u64; 2],
    /// White (0) or black (1).
    mover: u8,
    outcome: Option<Outcome>,
}

/// Move a pawn from one cell to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    from: u8,
    to: u8,
}

impl Move {
    /// The move of `color` in a direction, as in [`STEPS`], that ends on `to`.
    #[inline]
    const fn ending_on(to: u8, color: usize, direction: usize) -> Self {
        Self { from: to.wrapping_add_signed(-STEPS[color][direction]), to }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |cell: u8| CellName { x: cell % 8, y: cell / 8 };
        write!(f, "{}-{}", name(self.from), name(self.to))
    }
}

impl Breakthrough {
    /// The code of the pawn on `cell`, if there is one.
    fn code_at(&self, cell: u8) -> Option<char> {
        let color = self.pawns.iter().position(|pawns| pawns >> cell & 1 == 1);
        color.map(|color| CODES[color])
    }

    /// The cells that the mover can reach in each direction, as in [`STEPS`]; none if the game is
    /// over.
    #[inline]
    fn targets(&self) -> [u64; 3] {
        if self.outcome.is_some() {
            return [0; 3];
        }
        let color = self.role_to_move();
        let own = self.pawns[color];
        let occupied = self.pawns[0] | self.pawns[1];
        [stepped(own, color, 0) & !occupied, stepped(own, color, 1) & !own, stepped(own, color, 2) & !own]
    }

    /// Whether the pawns say that `color` has won.
    #[inline]
    const fn has_won(&self, color: usize) -> bool {
        self.pawns[color] & LAST_ROW[color] != 0 || self.pawns[1 - color] == 0
    }

    /// The fewest and the most moves that `color` can have made.
    ///
    /// Every move takes a pawn one row ahead, and the second row is one ahead of the first at the
    /// start. A captured pawn was one to six rows ahead of its first row; on that row, only the
    /// last move of a game can capture. The captures of `color` are among its moves.
    fn moves_made(&self, color: usize) -> (u32, u32) {
        let rows: u32 = bits(self.pawns[color]).map(|cell| u32::from(advance(cell, color))).sum();
        let [lost, captured] = [color, 1 - color].map(|color| PAWNS - self.pawns[color].count_ones());
        let on_first_row = u32::from(self.pawns[1 - color] & LAST_ROW[1 - color] != 0).min(lost);
        let least = (rows + lost - on_first_row).saturating_sub(8).max(captured);
        (least, (rows + 6 * lost).saturating_sub(8))
    }

    /// Checks the conditions for position strings in the documentation of this module.
    fn check(&self) -> Result<(), PositionError> {
        let wrong_board = |reason: String| PositionError::new("board", reason);
        for (role, pawns) in Self::ROLES.iter().zip(self.pawns) {
            if pawns.count_ones() > PAWNS {
                let (found, name) = (pawns.count_ones(), &role.name);
                return Err(wrong_board(format!("{found} {name} pawns are more than {PAWNS}")));
            }
        }
        let [mover, last] = [self.role_to_move(), 1 - self.role_to_move()];
        let name = &Self::ROLES[mover].name;
        if self.has_won(mover) && self.has_won(last) {
            return Err(wrong_board("both colors have won".to_owned()));
        }
        if self.has_won(mover) {
            return Err(PositionError::new(MOVER, format!("{name} has won, so the other color moved last")));
        }
        if (self.pawns[last] & LAST_ROW[last]).count_ones() > 1 {
            let reason = "the game was over when the first pawn came to the last row";
            return Err(wrong_board(reason.to_owned()));
        }
        let [white, black] = [0, 1].map(|color| self.moves_made(color));
        // If black is to move, white has made one move more.
        let fits = |mover: u32| white.0.max(black.0 + mover) <= white.1.min(black.1 + mover);
        if fits(mover as u32) {
            Ok(())
        } else if fits(last as u32) {
            Err(PositionError::new(MOVER, format!("with these pawns it can't be {name} to move")))
        } else {
            Err(wrong_board("no numbers of moves by white and black lead to these pawns".to_owned()))
        }
    }
}

impl Game for Breakthrough {
    type Move = Move;

    const ROLES: &'static [Role] = &[Role::new("white", Side::First), Role::new("black", Side::Second)];
    const MAX_BRANCHING: usize = 3 * PAWNS as usize;
    /// Before the last move no pawn is on its last row, so eight pawns of each color have made at
    /// most six moves, and the other eight at most five.
    const MAX_PLIES: usize = 2 * (8 * 6 + 8 * 5) + 1;

    fn initial() -> Self {
        Self { pawns: [RANK_1 | RANK_1 << 8, RANK_8 | RANK_8 >> 8], mover: 0, outcome: None }
    }

    #[inline]
    fn role_to_move(&self) -> usize {
        usize::from(self.mover)
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, moves: &mut MoveList<Move>) {
        moves.clear();
        for (direction, targets) in self.targets().into_iter().enumerate() {
            moves.extend(bits(targets).map(|to| Move::ending_on(to, self.role_to_move(), direction)));
        }
    }

    #[inline]
    fn move_count(&self) -> usize {
        self.targets().iter().map(|targets| targets.count_ones() as usize).sum()
    }

    #[inline]
    fn nth_move(&self, n: usize) -> Move {
        let targets = self.targets();
        let [straight, low, _] = targets.map(|targets| targets.count_ones() as usize);
        let (direction, n) = if n < straight {
            (0, n)
        } else if n < straight + low {
            (1, n - straight)
        } else {
            (2, n - straight - low)
        };
        Move::ending_on(nth_bit(targets[direction], n) as u8, self.role_to_move(), direction)
    }

    #[inline]
    fn apply(&mut self, mv: Move) {
        let color = self.role_to_move();
        self.pawns[color] ^= 1 << mv.from | 1 << mv.to;
        self.pawns[1 - color] &= !(1 << mv.to);
        self.mover = 1 - self.mover;
        self.outcome = self.has_won(color).then_some(Outcome::Win(Self::ROLES[color].side));
    }
}

impl fmt::Display for Breakthrough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = text::write_board((8, 8), |x, y| self.code_at(8 * y + x));
        write!(f, "{board} {}", CODES[self.role_to_move()])
    }
}

impl FromStr for Breakthrough {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let [board, mover] = text::fields(text, ["board", MOVER])?;
        let mut position = Self { pawns: [0; 2], mover: 0, outcome: None };
        text::read_board(board, (8, 8), false, text::rank_name, |x, y, c| {
            let color = CODES.iter().position(|&code| code == c);
            let color = color.ok_or_else(|| format!("{c:?} is no pawn ('w' or 'b')"))?;
            position.pawns[color] |= 1 << (8 * y + x);
            Ok(())
        })?;
        position.mover = match mover {
            "w" => 0,
            "b" => 1,
            _ => return Err(PositionError::new(MOVER, format!("{mover:?} is neither 'w' nor 'b'"))),
        };
        position.check()?;
        let last = 1 - position.role_to_move();
        position.outcome = position.has_won(last).then_some(Outcome::Win(Self::ROLES[last].side));
        Ok(position)
    }
}

impl Notation for Breakthrough {
    const ABOUT: About = About {
        title: "Breakthrough",
        summary: "8×8 board; pawns step ahead and capture diagonally; a pawn on the last row wins.",
        moves: "the pawn's cell and the cell it goes to (a2-b3), also for a capture",
        position: "board color: ranks 8 to 1 with '/' between, 'w', 'b' or a number of empty cells; 'w' or 'b' \
                   to move",
    };

    fn draw(&self, mark: Option<Move>) -> String {
        text::draw_board((8, 8), |x, y| {
            let cell = 8 * y + x;
            let content = self.code_at(cell).unwrap_or('.').to_string();
            text::drawn(&content, mark.is_some_and(|mv| mv.from == cell || mv.to == cell))
        })
    }

    fn picture(&self, _last: Option<Move>) -> Picture {
        picture::picture(self)
    }
}

#[cfg(test)]
mod tests;
