//! King and rook against king on a 4×4 board.
//!
//! # Rules
//!
//! White has a king and a rook, black a king. The game starts with Kc1, Rd1, ka4, white to move, at
//! step 1; every move adds one step.
//!
//! White moves the king one cell or the rook along a clear line, to an empty cell that is not next
//! to the black king. Black moves the king one cell to an empty cell that is neither attacked nor
//! guarded. A cell is attacked if it is on the rook's rank or file with no piece between; the black
//! king itself does not block, so it can't hide behind itself. A cell is guarded if it is next to
//! the white king. Black is stuck if it has no such move, whichever side is to move.
//!
//! Black is in check if its king's cell is attacked or, under `spec`, guarded. Checkmate means in
//! check and stuck. The game ends when black is stuck; under `spec` also when the side to move has
//! no legal move; and at step 11 under `spec`, at step 10 under `ggp`. White wins by checkmate,
//! black by any other end. There is no draw.
//!
//! # Cells and bits
//!
//! ```text
//! 4 | 12 13 14 15        cell = 4 * rank + file, both from 0
//! 3 |  8  9 10 11
//! 2 |  4  5  6  7        a set of cells is a mask of 16 bits
//! 1 |  0  1  2  3
//!     a  b  c  d
//! ```
//!
//! # Position string
//!
//! `k3/4/4/2KR w 1`: the ranks from 4 down to 1, `K` and `R` for white's pieces, `k` for black's
//! king, a number for each run of empty cells; the side to move, `w` or `b`; the step.

pub mod knowledge;
mod picture;
mod rollout;

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use super::{Ruleset, Spec};
use quintet_core::Quoted;
use quintet_core::bits::{bits, nth_bit};
use quintet_core::game::text::{self, CellName};
use quintet_core::game::{
    About, Game, MoveList, Notation, Outcome, Picture, PositionError, Rng, Role, Rollout, RulesText, Side,
};

const CELLS: usize = 16;

/// The upper bound, exclusive, of [`Krk::number`].
pub(crate) const PLACEMENTS: usize = 2 * CELLS * CELLS * CELLS;

/// The cells next to each cell.
static NEXT_TO: [u16; CELLS] = {
    let mut table = [0; CELLS];
    const_for!(0..CELLS, |from| {
        const_for!(0..CELLS, |to| {
            let files = (from % 4).abs_diff(to % 4);
            let ranks = (from / 4).abs_diff(to / 4);
            if from != to && files <= 1 && ranks <= 1 {
                table[from] |= 1 << to;
            }
        });
    });
    table
};

/// `LINES[cell]`: the other cells of its rank, and of its file.
static LINES: [[u16; 2]; CELLS] = {
    let mut table = [[0; 2]; CELLS];
    const_for!(0..CELLS, |cell| {
        table[cell] = [(0x000F << (cell / 4 * 4)) & !(1 << cell), (0x1111 << (cell % 4)) & !(1 << cell)];
    });
    table
};

/// The cells that a rook on `from` reaches along clear lines, including the first blocker each way.
#[inline]
fn rook_reach(from: u8, blockers: u16) -> u16 {
    let mut reach = 0;
    for line in LINES[usize::from(from)] {
        let below = line & ((1 << from) - 1);
        let above = line & !below;
        // Upwards: all cells up to the lowest blocker. Downwards: all cells down to the highest.
        let stop_above = above & blockers;
        reach |= above & (stop_above ^ stop_above.wrapping_sub(1));
        let stop_below = below & blockers;
        let highest = stop_below.checked_ilog2().unwrap_or(0);
        reach |= below & (u16::MAX << highest);
    }
    reach
}

/// A position of KRK.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Krk<R: Ruleset = Spec> {
    white_king: u8,
    rook: u8,
    black_king: u8,
    white_to_move: bool,
    step: u8,
    outcome: Option<Outcome>,
    rules: PhantomData<R>,
}

/// The numbers of the pieces in a move.
const KING: u16 = 0;
const ROOK: u16 = 1;
const BLACK_KING: u16 = 2;
const PIECE_NAMES: [char; 3] = ['K', 'R', 'k'];

/// A move of KRK: a piece, the cell it stands on and the cell it goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u16);

impl Move {
    #[inline]
    const fn new(piece: u16, from: u8, to: u8) -> Self {
        Self(piece << 8 | (from as u16) << 4 | to as u16)
    }

    #[inline]
    const fn piece(self) -> u16 {
        self.0 >> 8
    }

    /// The cell (0..16) that the piece leaves.
    #[must_use]
    #[inline]
    pub const fn from(self) -> u8 {
        (self.0 >> 4) as u8 & 15
    }

    /// The cell (0..16) that the piece goes to.
    #[must_use]
    #[inline]
    pub const fn to(self) -> u8 {
        self.0 as u8 & 15
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |cell: u8| CellName { x: cell % 4, y: cell / 4 };
        write!(f, "{}{}-{}", PIECE_NAMES[usize::from(self.piece())], name(self.from()), name(self.to()))
    }
}

impl<R: Ruleset> Krk<R> {
    /// The step at which the game ends.
    pub(crate) const LAST_STEP: u8 = if R::IS_GGP { 10 } else { 11 };

    /// The placement of the pieces and the side to move as a number, independent of the step.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        let white_to_move = usize::from(self.white_to_move) << 12;
        white_to_move
            | usize::from(self.white_king) << 8
            | usize::from(self.rook) << 4
            | usize::from(self.black_king)
    }

    /// The placement with this [`number`](Self::number) at step 1; `None` if pieces share a cell or
    /// the kings touch.
    pub(crate) fn from_number(number: usize) -> Option<Self> {
        let [white_king, rook, black_king] = [number >> 8, number >> 4, number].map(|cell| cell as u8 % 16);
        let touching = NEXT_TO[usize::from(white_king)] | 1 << white_king;
        if white_king == rook || rook == black_king || touching >> black_king & 1 == 1 {
            return None;
        }
        let white_to_move = number >> 12 == 1;
        let mut position = Self { white_king, rook, black_king, white_to_move, ..Self::initial() };
        position.outcome = position.judge();
        Some(position)
    }

    /// The number of plies left before the step limit ends the game.
    #[inline]
    pub(crate) fn steps_left(&self) -> u32 {
        u32::from(Self::LAST_STEP - self.step)
    }

    /// Whether the rook attacks the black king's cell. With white to move, this never occurs in
    /// play.
    #[must_use]
    pub fn black_king_is_attacked(&self) -> bool {
        self.attacked() >> self.black_king & 1 == 1
    }

    /// The cells that the rook attacks.
    #[inline]
    fn attacked(&self) -> u16 {
        rook_reach(self.rook, 1 << self.white_king)
    }

    /// The cells that the black king can go to.
    #[inline]
    fn black_moves(&self) -> u16 {
        let white = 1 << self.white_king | 1 << self.rook;
        let guarded = NEXT_TO[usize::from(self.white_king)];
        NEXT_TO[usize::from(self.black_king)] & !(white | guarded | self.attacked())
    }

    /// The cells that the white king and the rook can go to.
    #[inline]
    fn white_moves(&self) -> [u16; 2] {
        let taken = 1 << self.white_king | 1 << self.rook | 1 << self.black_king;
        let allowed = !(taken | NEXT_TO[usize::from(self.black_king)]);
        [NEXT_TO[usize::from(self.white_king)] & allowed, rook_reach(self.rook, taken) & allowed]
    }

    /// The outcome of the position by the rules, if the game is over.
    ///
    /// White always has a move unless black is stuck; a test checks all placements.
    #[inline]
    fn judge(&self) -> Option<Outcome> {
        let king = 1 << self.black_king;
        if self.black_moves() == 0 {
            let guarded = !R::IS_GGP && NEXT_TO[usize::from(self.white_king)] & king != 0;
            let in_check = guarded || self.attacked() & king != 0;
            Some(Outcome::Win(if in_check { Side::First } else { Side::Second }))
        } else if self.step >= Self::LAST_STEP {
            Some(Outcome::Win(Side::Second))
        } else {
            None
        }
    }

    /// The target cells of the first and second piece of the side to move, and those pieces.
    #[inline]
    fn choices(&self) -> ([u16; 2], [(u16, u8); 2]) {
        let pieces = if self.white_to_move {
            [(KING, self.white_king), (ROOK, self.rook)]
        } else {
            [(BLACK_KING, self.black_king); 2]
        };
        let targets = match (self.outcome.is_some(), self.white_to_move) {
            (true, _) => [0; 2],
            (false, true) => self.white_moves(),
            (false, false) => [self.black_moves(), 0],
        };
        (targets, pieces)
    }
}

impl<R: Ruleset> Game for Krk<R> {
    type Move = Move;

    const ROLES: &'static [Role] = &[Role::new("white", Side::First), Role::new("black", Side::Second)];
    /// Eight moves of the king and six of the rook.
    const MAX_BRANCHING: usize = 14;
    const MAX_PLIES: usize = Self::LAST_STEP as usize - 1;

    fn initial() -> Self {
        Self {
            white_king: 2,
            rook: 3,
            black_king: 12,
            white_to_move: true,
            step: 1,
            outcome: None,
            rules: PhantomData,
        }
    }

    #[inline]
    fn role_to_move(&self) -> usize {
        usize::from(!self.white_to_move)
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, moves: &mut MoveList<Move>) {
        let (targets, pieces) = self.choices();
        moves.clear();
        for (targets, (piece, from)) in targets.into_iter().zip(pieces) {
            moves.extend(bits(targets).map(|to| Move::new(piece, from, to)));
        }
    }

    #[inline]
    fn move_count(&self) -> usize {
        self.choices().0.iter().map(|targets| targets.count_ones() as usize).sum()
    }

    #[inline]
    fn nth_move(&self, n: usize) -> Move {
        let ([first, second], pieces) = self.choices();
        let both = u64::from(second) << CELLS | u64::from(first);
        let bit = nth_bit(both, n);
        let (piece, from) = pieces[bit / CELLS];
        Move::new(piece, from, (bit % CELLS) as u8)
    }

    #[inline(always)]
    fn rollout(&self, rng: &mut Rng) -> Rollout {
        rollout::rollout(self, rng)
    }

    #[inline]
    fn apply(&mut self, mv: Move) {
        self.apply_ongoing(mv);
        self.outcome = self.judge();
    }

    #[inline]
    fn apply_ongoing(&mut self, mv: Move) {
        match mv.piece() {
            KING => self.white_king = mv.to(),
            ROOK => self.rook = mv.to(),
            _ => self.black_king = mv.to(),
        }
        self.white_to_move = !self.white_to_move;
        self.step += 1;
    }
}

impl<R: Ruleset> fmt::Display for Krk<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = text::write_board((4, 4), |x, y| self.piece_on(4 * y + x));
        write!(f, "{board} {} {}", if self.white_to_move { "w" } else { "b" }, self.step)
    }
}

impl<R: Ruleset> Krk<R> {
    fn piece_on(&self, cell: u8) -> Option<char> {
        let pieces = [self.white_king, self.rook, self.black_king];
        pieces.iter().position(|&at| at == cell).map(|piece| PIECE_NAMES[piece])
    }
}

/// Reads a board and returns the cells of white king, rook and black
/// king.
fn read_pieces(board: &str) -> Result<[u8; 3], PositionError> {
    let mut pieces = [None; 3];
    text::read_board(board, (4, 4), false, text::rank_name, |x, y, c| {
        let piece = PIECE_NAMES
            .iter()
            .position(|&name| name == c)
            .ok_or_else(|| format!("{c:?} is not a piece ('K', 'R' or 'k')"))?;
        match pieces[piece].replace(4 * y + x) {
            None => Ok(()),
            Some(_) => Err(format!("the piece {c} appears twice")),
        }
    })?;
    let mut cells = [0; 3];
    for ((cell, found), name) in cells.iter_mut().zip(pieces).zip(PIECE_NAMES) {
        *cell = found.ok_or_else(|| PositionError::new("board", format!("the piece {name} is missing")))?;
    }
    Ok(cells)
}

impl<R: Ruleset> FromStr for Krk<R> {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let [board, mover, step] = text::fields(text, ["board", "side to move", "step"])?;
        let [white_king, rook, black_king] = read_pieces(board)?;
        let mut position = Self {
            white_king,
            rook,
            black_king,
            white_to_move: text::either("side to move", mover, ["w", "b"])? == 0,
            step: match text::number(step) {
                Some(step) if (1..=Self::LAST_STEP).contains(&step) => step,
                _ => {
                    let reason =
                        format!("{step} is not a number from 1 to {}", Self::LAST_STEP, step = Quoted(step));
                    return Err(PositionError::new("step", reason));
                }
            },
            ..Self::initial()
        };
        if NEXT_TO[usize::from(position.white_king)] >> position.black_king & 1 == 1 {
            return Err(PositionError::new("board", "the two kings are next to each other"));
        }
        position.outcome = position.judge();
        Ok(position)
    }
}

impl<R: Ruleset> Notation for Krk<R> {
    const ABOUT: About = About {
        title: "KRK, king and rook against king",
        summary: "4×4 board; white mates within the step limit, or black wins.",
        moves: "piece, from, to: white Kc1-c2, Rd1-d4, black ka4-a3",
        position: "board side step: FEN ranks 4 to 1 with '/' between ('K', 'R', 'k', numbers); 'w' or 'b' to \
                   move; step",
    };

    const RULES_TEXT: RulesText = RulesText {
        text: "White has a king and a rook, black a king. White moves first, then both in turn. Every \
               move adds one to the step, which starts at 1.\n\
               White moves the king one cell, or the rook along a clear line, to an empty cell that is \
               not next to the black king, the rook's neither. Black moves the king one cell, to an empty \
               cell that the rook does not attack, also through the cell that the king leaves, and that \
               is not next to the white king.\n\
               The game ends when black has no such cell to go to, whoever is to move, or at the last \
               step. White wins if black is then checkmated: in check with no cell to go to. Any other \
               end, stalemate too, is a win for black.",
        differs: if R::IS_GGP {
            "The game ends after nine plies, at step 10. Only the rook gives check."
        } else {
            "The game ends after ten plies, at step 11. The white king gives check too, and a side without a move \
             ends the game; neither ever comes up."
        },
        standard: if R::IS_GGP {
            Some("Nearest to chess, which has 64 cells and no last step, and where stalemate is a draw.")
        } else {
            None
        },
    };

    fn score(&self, side: Side) -> u8 {
        let outcome = self.outcome.unwrap_or(Outcome::Win(Side::Second));
        outcome.score(side)
    }

    const RULESHEET_FINGERPRINTS: &'static [&'static str] =
        if R::IS_GGP { &["91a34d8e046d54fcb2daa061652e074970f4e096ea0216fa8bfbb47318b1b3b5"] } else { &[] };

    fn term(&self, mv: Move) -> String {
        let name = |cell: u8| format!("{} {}", ["a", "b", "c", "d"][usize::from(cell % 4)], cell / 4 + 1);
        let piece = ["wk", "wr", "bk"][usize::from(mv.piece())];
        format!("(move {piece} {} {})", name(mv.from()), name(mv.to()))
    }

    fn draw(&self, mark: Option<Move>) -> String {
        text::draw_board((4, 4), |x, y| {
            let cell = 4 * y + x;
            let is_marked = mark.is_some_and(|mv| [mv.from(), mv.to()].contains(&cell));
            text::drawn(self.piece_on(cell).unwrap_or('.'), is_marked)
        })
    }

    fn task(&self) -> Option<String> {
        let what = if self.white_to_move { "move the king or the rook" } else { "move the king" };
        Some(format!("{what} (move {} of {})", self.step, Self::LAST_STEP - 1))
    }

    fn ending(&self) -> Option<String> {
        Some(match self.outcome? {
            Outcome::Win(Side::First) => "checkmate".to_owned(),
            _ if self.black_moves() == 0 => "stalemate: black has no move".to_owned(),
            _ => format!("the moves ran out: all {} are made, and black is not mated", Self::LAST_STEP - 1),
        })
    }

    fn picture(&self, _last: Option<Move>) -> Picture {
        picture::picture(self)
    }
}
