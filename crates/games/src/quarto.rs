//! Quarto on a 4×4 board with 16 pieces.
//!
//! # Rules
//!
//! A piece is four bits, `0000` to `1111`; all sixteen start in the pool. A turn is two plies: a
//! piece is selected from the pool, then placed on an empty cell. Under `spec` the same player does
//! both. Under `ggp` the selected piece is handed over: white selects, black places, black selects,
//! white places, and so on.
//!
//! A line is a full row, column or main diagonal whose four pieces agree in at least one bit. The
//! player who completes one wins. A full board without a line is a draw.
//!
//! # Cells and bits
//!
//! ```text
//! 4 | 12 13 14 15        cell = 4 * rank + file, both from 0
//! 3 |  8  9 10 11
//! 2 |  4  5  6  7        ones:  four lanes of 16 bits; lane b has the cells whose piece has bit b set
//! 1 |  0  1  2  3        zeros: likewise, the cells whose piece has bit b clear
//!     a  b  c  d         pool:  16 bits, one per piece
//! ```
//!
//! For example, the piece 0101 on b1 is in lanes 0 and 2 of `ones` and in lanes 1 and 3 of `zeros`,
//! at bit 1 of each lane.
//!
//! # Position string
//!
//! `..../..../.5../.... - w`: the ranks from 4 down to 1, each piece as the hexadecimal digit of
//! its four bits, `.` for an empty cell; the selected piece or `-`; the side to move, `w` or `b`.
//! All other pieces are in the pool.

pub mod knowledge;
mod lanes;
mod picture;
mod rollout;

use std::fmt::{self, Write as _};
use std::marker::PhantomData;
use std::str::FromStr;

use super::{Ruleset, Spec, lines_through};
use quintet_core::Quoted;
use quintet_core::bits::{bits, nth_bit};
use quintet_core::game::text::{self, CellName};
use quintet_core::game::{
    About, Game, MoveList, Notation, Outcome, Picture, PositionError, Rng, Role, Rollout, RulesText, Side,
};

pub(crate) const CELLS: usize = 16;
const ALL: u16 = u16::MAX;

/// One bit in each of the four lanes.
pub(crate) const LANES: u64 = 0x0001_0001_0001_0001;

/// The ten lines.
pub(crate) const LINES: [u16; 10] =
    [0x000F, 0x00F0, 0x0F00, 0xF000, 0x1111, 0x2222, 0x4444, 0x8888, 0x8421, 0x1248];

/// The lines in all four lanes.
const LINES_IN_LANES: [u64; 10] = {
    let mut lines = [0; 10];
    const_for!(0..10, |line| {
        lines[line] = LINES[line] as u64 * LANES;
    });
    lines
};

/// The lines through each cell, in all four lanes, padded to three by repeating the last.
static LINES_THROUGH: [[u64; 3]; CELLS] = lines_through(&LINES_IN_LANES);

/// The bits of each piece, spread over the four lanes.
pub(crate) static SPREAD: [u64; 16] = {
    let mut table = [0; 16];
    const_for!(0..16, |piece| {
        const_for!(0..4, |bit| {
            table[piece] |= (piece as u64 >> bit & 1) << (16 * bit);
        });
    });
    table
};

/// Whether one of the four 16-bit lanes is zero.
#[inline]
const fn has_zero_lane(lanes: u64) -> bool {
    lanes.wrapping_sub(LANES) & !lanes & (LANES << 15) != 0
}

/// The lowest bits of the four lanes, side by side.
#[inline(always)]
pub(crate) const fn gather(lanes: u64) -> u8 {
    ((lanes & LANES).wrapping_mul(0x0001_0002_0004_0008) >> 48) as u8 & 15
}

/// The pieces on the board and those in the pool; a piece in hand is in neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct QuartoBoard {
    /// The cells whose piece has a bit set, a lane for each bit.
    pub(crate) ones: u64,
    /// The cells whose piece has a bit clear, likewise.
    pub(crate) zeros: u64,
    /// The pieces in the pool.
    pub(crate) pool: u16,
}

impl QuartoBoard {
    /// Nothing on the board, all pieces in the pool.
    pub(crate) const START: Self = Self { ones: 0, zeros: 0, pool: u16::MAX };

    /// The cells with a piece on them.
    #[inline(always)]
    pub(crate) const fn occupied(&self) -> u16 {
        (self.ones | self.zeros) as u16
    }

    /// The empty cells.
    #[inline(always)]
    pub(crate) const fn empty(&self) -> u16 {
        !self.occupied()
    }

    /// The piece on the occupied `cell`.
    #[inline(always)]
    pub(crate) const fn piece_on(&self, cell: u8) -> u8 {
        gather(self.ones >> cell)
    }

    /// The board with `piece` removed from the pool.
    #[inline(always)]
    pub(crate) const fn without(self, piece: u8) -> Self {
        Self { pool: self.pool & !(1 << piece), ..self }
    }

    /// The board with `piece`, which is in hand or in the pool, on `cell`.
    #[inline(always)]
    pub(crate) fn with(self, piece: u8, cell: u8) -> Self {
        Self {
            ones: self.ones | SPREAD[usize::from(piece & 15)] << cell,
            zeros: self.zeros | SPREAD[usize::from(!piece & 15)] << cell,
            pool: self.pool & !(1 << piece),
        }
    }
}

/// A position of Quarto.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Quarto<R: Ruleset = Spec> {
    pub(crate) board: QuartoBoard,
    /// The selected piece, to be placed next.
    pub(crate) hand: Option<u8>,
    outcome: Option<Outcome>,
    rules: PhantomData<R>,
}

/// A move of Quarto: select a piece, or place the selected one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u8);

impl Move {
    /// The move that selects `piece` (0..16) from the pool.
    ///
    /// # Panics
    /// If `piece` is not below 16.
    #[must_use]
    pub const fn select(piece: u8) -> Self {
        assert!(piece < 16);
        Self(piece)
    }

    /// The move that places the selected piece on `cell` (0..16).
    ///
    /// # Panics
    /// If `cell` is not below 16.
    #[must_use]
    pub const fn place(cell: u8) -> Self {
        assert!(cell < 16);
        Self(16 + cell)
    }

    /// The selected piece, or the cell on which it is placed.
    #[inline]
    pub(crate) const fn target(self) -> u8 {
        self.0 & 15
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            piece @ 0..16 => write!(f, "{piece:04b}"),
            placed => CellName { x: placed % 4, y: placed / 4 - 4 }.fmt(f),
        }
    }
}

impl<R: Ruleset> Quarto<R> {
    /// The piece on `cell`, if any.
    fn piece_on(&self, cell: u8) -> Option<u8> {
        (self.board.occupied() >> cell & 1 == 1).then(|| self.board.piece_on(cell))
    }

    /// The number of pieces on the board.
    #[inline]
    pub(crate) const fn placed(&self) -> u32 {
        self.board.occupied().count_ones()
    }

    /// The legal moves, as a mask of pieces or cells.
    #[inline]
    pub(crate) fn choices(&self) -> u16 {
        match (self.outcome, self.hand) {
            (Some(_), _) => 0,
            (None, None) => self.board.pool,
            (None, Some(_)) => self.board.empty(),
        }
    }

    /// The move that selects piece `choice`, or places on cell `choice`.
    #[inline]
    pub(crate) const fn choice(&self, choice: u8) -> Move {
        Move(if self.hand.is_some() { 16 } else { 0 } + choice)
    }

    /// Puts `piece` on `cell` and returns whether that completes a line.
    #[inline]
    fn put(&mut self, piece: u8, cell: u8) -> bool {
        self.board = self.board.with(piece, cell);
        let QuartoBoard { ones, zeros, .. } = self.board;
        LINES_THROUGH[usize::from(cell)]
            .iter()
            .any(|line| has_zero_lane(line & !ones) || has_zero_lane(line & !zeros))
    }

    /// Whether the cells of `among` hold a line; other cells are ignored.
    fn has_line(&self, among: u16) -> bool {
        let lanes = u64::from(among) * LANES;
        LINES_IN_LANES.iter().any(|line| {
            has_zero_lane(line & !(self.board.ones & lanes))
                || has_zero_lane(line & !(self.board.zeros & lanes))
        })
    }

    /// The side to move after `placed` pieces have been placed, with or without a piece in hand.
    const fn side(placed: u32, in_hand: bool) -> Side {
        let is_first = placed.is_multiple_of(2) ^ (R::IS_GGP && in_hand);
        if is_first { Side::First } else { Side::Second }
    }
}

impl<R: Ruleset> Game for Quarto<R> {
    type Move = Move;

    const ROLES: &'static [Role] = &[Role::new("white", Side::First), Role::new("black", Side::Second)];
    const MAX_BRANCHING: usize = 16;
    const MAX_PLIES: usize = 32;

    fn initial() -> Self {
        Self { board: QuartoBoard::START, hand: None, outcome: None, rules: PhantomData }
    }

    #[inline]
    fn role_to_move(&self) -> usize {
        self.side_to_move() as usize
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        Self::side(self.placed(), self.hand.is_some())
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, moves: &mut MoveList<Move>) {
        moves.clear();
        moves.extend(bits(self.choices()).map(|choice| self.choice(choice)));
    }

    #[inline]
    fn move_count(&self) -> usize {
        self.choices().count_ones() as usize
    }

    #[inline]
    fn nth_move(&self, n: usize) -> Move {
        self.choice(nth_bit(u64::from(self.choices()), n) as u8)
    }

    #[inline(always)]
    fn rollout(&self, rng: &mut Rng) -> Rollout {
        match self.outcome {
            Some(outcome) => Rollout { outcome, plies: 0 },
            None => rollout::rollout(self, rng),
        }
    }

    #[inline]
    fn apply(&mut self, mv: Move) {
        match self.hand.take() {
            None => {
                debug_assert!(mv.0 < 16 && self.board.pool >> mv.0 & 1 == 1, "{mv} can't be selected");
                self.board.pool &= !(1 << mv.0);
                self.hand = Some(mv.0);
            }
            Some(piece) => {
                debug_assert!(
                    (16..32).contains(&mv.0) && self.board.occupied() >> (mv.0 - 16) & 1 == 0,
                    "{mv} is taken"
                );
                let mover = Self::side(self.placed(), true);
                if self.put(piece, mv.0 & 15) {
                    self.outcome = Some(Outcome::Win(mover));
                } else if self.board.occupied() == ALL {
                    self.outcome = Some(Outcome::Draw);
                }
            }
        }
    }
}

/// A piece as the hexadecimal digit of its four bits.
fn digit(piece: Option<u8>) -> Option<char> {
    char::from_digit(piece?.into(), 16)
}

impl<R: Ruleset> fmt::Display for Quarto<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for y in (0..4).rev() {
            for x in 0..4 {
                f.write_char(digit(self.piece_on(4 * y + x)).unwrap_or('.'))?;
            }
            f.write_str(if y > 0 { "/" } else { " " })?;
        }
        f.write_char(digit(self.hand).unwrap_or('-'))?;
        f.write_str(if self.side_to_move() == Side::First { " w" } else { " b" })
    }
}

impl<R: Ruleset> FromStr for Quarto<R> {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let [board, hand, mover] = text::fields(text, ["board", "piece in hand", "side to move"])?;
        let mut position = Self::initial();
        let take = |from: &mut QuartoBoard, c: char| {
            let piece = c.to_digit(16).ok_or_else(|| format!("{c:?} is not a piece (0 to f)"))? as u8;
            if from.pool >> piece & 1 == 0 {
                return Err(format!("piece {piece:04b} ({c}) appears twice"));
            }
            *from = from.without(piece);
            Ok(piece)
        };
        text::read_board(board, (4, 4), true, text::rank_name, |x, y, c| {
            let piece = take(&mut position.board, c)?;
            position.put(piece, 4 * y + x);
            Ok(())
        })?;
        let wrong = |reason| PositionError::new("piece in hand", reason);
        position.hand = match hand.chars().collect::<Vec<_>>()[..] {
            ['-'] => None,
            [c] => Some(take(&mut position.board, c).map_err(wrong)?),
            _ => return Err(wrong(format!("{} is neither a piece nor '-'", Quoted(hand)))),
        };
        let wanted = if position.side_to_move() == Side::First { "w" } else { "b" };
        let after = format!("{} placed pieces", position.placed());
        text::check_to_move("side to move", mover, wanted, &after)?;
        if position.has_line(ALL) {
            if position.hand.is_some() {
                return Err(wrong("the board has a line, so the game is over".to_owned()));
            }
            let occupied = position.board.occupied();
            if !bits(occupied).any(|last| !position.has_line(occupied & !(1 << last))) {
                return Err(PositionError::new("board", "no single last piece completes all these lines"));
            }
            position.outcome = Some(Outcome::Win(Self::side(position.placed() - 1, true)));
        } else if position.board.occupied() == ALL {
            position.outcome = Some(Outcome::Draw);
        }
        Ok(position)
    }
}

impl<R: Ruleset> Notation for Quarto<R> {
    const ABOUT: About = About {
        title: "Quarto",
        summary: "4×4 board, 16 pieces; completing a line of four that are alike wins: all dark, tall, round or hollow, or all \
                  not.",
        moves: "select a piece by four digits (0101), 1 for dark, tall, round and hollow; place it on a cell (b3)",
        position: "board hand mover: ranks 4 to 1 with '/' between, a piece as a hex digit, '.' empty; \
                   the selected piece or '-'; 'w' or 'b'",
    };

    const RULES_TEXT: RulesText = RulesText {
        text: "Each of the sixteen pieces is light or dark, short or tall, square or round, and solid or hollow; no \
               two are the same. All start in the pool. A turn is two moves: select a piece from the pool, and place \
               it on an empty cell. White selects first.\n\
               Who completes a row, a column or a main diagonal of four pieces that are alike in at least one of these \
               wins. A full board without such a line is a draw.\n\
               A piece is written as four digits for these properties in this order, 0 for the first word and 1 for the \
               second: 0101 is light, tall, square and hollow.",
        differs: if R::IS_GGP {
            "The selected piece is handed over: white selects, black places, black selects, white \
             places, and so on."
        } else {
            "The same player selects and places: white both, then black both, and so on."
        },
        standard: if R::IS_GGP { Some("This is the game in the box.") } else { None },
    };

    const RULESHEET_FINGERPRINTS: &'static [&'static str] =
        if R::IS_GGP { &["54d80ff5626c1322cc4e54e7576c6a607ce8ffa943640f3c0d228d624d567fd7"] } else { &[] };

    fn term(&self, mv: Move) -> String {
        match (mv.0, self.hand) {
            (cell @ 16.., Some(piece)) => format!("(place p{piece:04b} {} {})", cell % 4 + 1, cell / 4 - 3),
            (piece, _) => format!("(select p{piece:04b})"),
        }
    }

    fn draw(&self, mark: Option<Move>) -> String {
        let mark = mark.map(|mv| mv.0);
        let mut text = text::draw_board((4, 4), |x, y| {
            let cell = 4 * y + x;
            let content =
                self.piece_on(cell).map_or_else(|| "....".to_owned(), |piece| format!("{piece:04b}"));
            text::drawn(content, mark == Some(16 + cell))
        });
        let pool: Vec<String> = bits(self.board.pool)
            .map(|piece| text::drawn(format!("{piece:04b}"), mark == Some(piece)))
            .collect();
        for (row, pieces) in pool.chunks(8).enumerate() {
            let label = if row == 0 { "pool:" } else { "     " };
            text += &format!("   {label}{}\n", pieces.concat().trim_end());
        }
        if let Some(piece) = self.hand {
            text += &format!("   in hand: {piece:04b}\n");
        }
        text
    }

    fn task(&self) -> Option<String> {
        Some(match (self.hand, self.side_to_move()) {
            (Some(piece), _) => format!("place the piece {piece:04b}"),
            (None, side) if R::IS_GGP => {
                let other = &Self::ROLES[side.opponent() as usize].name;
                format!("select the piece that {other} has to place")
            }
            (None, _) => "select a piece, then place it".to_owned(),
        })
    }

    fn ending(&self) -> Option<String> {
        Some(picture::ending(self))
    }

    fn picture(&self, _last: Option<Move>) -> Picture {
        Picture::Scene(picture::scene(self))
    }
}
