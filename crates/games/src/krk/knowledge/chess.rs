//! King and rook against king by the rules of chess, on 8×8 cells: the endgame behind KRK.
//!
//! The same [retrograde analysis](quintet_core::solver::retrograde) as for the small board gives
//! the plies to mate of all 399,112 positions, so that its figures can be compared with published
//! ones. The table is computed on first use, in a fraction of a second.
//!
//! White wins by checkmate. It is a draw if black captures the rook, or is not in check and has no
//! move (stalemate). The 50-move rule does not matter: mate takes at most 16 moves. There is no
//! castling.
//!
//! # Position string
//!
//! `8/8/8/8/8/2k5/8/K6R w`: as in FEN, the ranks from 8 down to 1, `K` and `R` for white's pieces,
//! `k` for black's king, a number for each run of empty cells; the side to move, `w` or `b`. The
//! other four fields of FEN may follow, without castling or en passant: `- - 0 1`.
//!
//! # Example
//!
//! ```
//! use quintet_games::krk::knowledge::chess::{Position, mate_in, rated_moves};
//!
//! let position: Position = "8/8/8/8/8/2k5/8/K6R w".parse()?;
//! assert_eq!(mate_in(&position), Some(27));
//! let best = rated_moves(&position)[0];
//! assert_eq!(best.mate_in, Some(27));
//! # Ok::<(), quintet_core::game::PositionError>(())
//! ```

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use super::Histogram;
use crate::krk::{PIECE_NAMES, kings_touch, read_pieces, read_side_to_move};
use quintet_core::Quoted;
use quintet_core::game::PositionError;
use quintet_core::game::text::{self, CellName};
use quintet_core::solver::retrograde::{State, plies_to_win};

const SIZE: u8 = 8;
const CELLS: usize = 64;

/// The cells next to each cell, as a mask of 64 bits; a cell is 8 * rank + file.
static NEXT_TO: [u64; CELLS] = {
    let mut table = [0; CELLS];
    let mut from = 0;
    while from < CELLS {
        let mut to = 0;
        while to < CELLS {
            let files = (from % 8).abs_diff(to % 8);
            let ranks = (from / 8).abs_diff(to / 8);
            if from != to && files <= 1 && ranks <= 1 {
                table[from] |= 1 << to;
            }
            to += 1;
        }
        from += 1;
    }
    table
};

/// The cells that a rook on `from` reaches along clear lines, including the first blocker each way.
fn rook_reach(from: u8, blockers: u64) -> u64 {
    let mut reach = 0;
    for (files, ranks) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
        let (mut file, mut rank) = ((from % SIZE) as i8 + files, (from / SIZE) as i8 + ranks);
        while (0..8).contains(&file) && (0..8).contains(&rank) {
            let cell = 1 << (8 * rank + file);
            reach |= cell;
            if blockers & cell != 0 {
                break;
            }
            (file, rank) = (file + files, rank + ranks);
        }
    }
    reach
}

/// The cells of a mask, ascending.
fn cells(mut mask: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let cell = mask.trailing_zeros() as u8;
        (mask != 0).then(|| {
            mask &= mask - 1;
            cell
        })
    })
}

/// A position of king and rook against king: the pieces on different cells, the kings not next to
/// each other, and black not in check if white is to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    white_king: u8,
    rook: u8,
    black_king: u8,
    white_to_move: bool,
}

/// A move: a piece, the cell it leaves and the cell it goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    piece: char,
    from: u8,
    to: u8,
    captures: bool,
}

impl Move {
    /// The cell (8 * rank + file) that the piece leaves.
    #[must_use]
    pub const fn from(self) -> u8 {
        self.from
    }

    /// The cell that the piece goes to.
    #[must_use]
    pub const fn to(self) -> u8 {
        self.to
    }

    /// Whether the move captures the rook, which draws the game.
    #[must_use]
    pub const fn captures(self) -> bool {
        self.captures
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |cell: u8| CellName { x: cell % SIZE, y: cell / SIZE };
        let sign = if self.captures { 'x' } else { '-' };
        write!(f, "{}{}{sign}{}", self.piece, name(self.from), name(self.to))
    }
}

/// The upper bound, exclusive, of position numbers; some numbers stand for no position.
const POSITIONS: usize = 2 * CELLS * CELLS * CELLS;
/// The number that stands for all positions without the rook.
const BARE_KINGS: usize = POSITIONS;

impl Position {
    fn number(self) -> usize {
        let [white_king, rook, black_king] = [self.white_king, self.rook, self.black_king].map(usize::from);
        usize::from(self.white_to_move) << 18 | white_king << 12 | rook << 6 | black_king
    }

    /// The position with this number, if there is one.
    fn from_number(number: usize) -> Option<Self> {
        let [white_king, rook, black_king] = [number >> 12, number >> 6, number].map(|cell| cell as u8 % 64);
        let position = Self { white_king, rook, black_king, white_to_move: number >> 18 == 1 };
        let is_apart = white_king != rook && rook != black_king && white_king != black_king;
        (is_apart && !position.kings_touch() && !position.ignores_check()).then_some(position)
    }

    /// All 399,112 positions.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..POSITIONS).filter_map(Self::from_number)
    }

    /// Whether white is to move.
    #[must_use]
    pub const fn white_to_move(self) -> bool {
        self.white_to_move
    }

    fn kings_touch(self) -> bool {
        NEXT_TO[usize::from(self.white_king)] >> self.black_king & 1 == 1
    }

    /// Whether black is in check with white to move, so that black's last move was illegal.
    fn ignores_check(self) -> bool {
        self.white_to_move && self.is_check()
    }

    /// The cells that the rook attacks; the black king can't hide behind itself.
    fn attacked(self) -> u64 {
        rook_reach(self.rook, 1 << self.white_king)
    }

    /// Whether the black king is attacked.
    #[must_use]
    pub fn is_check(self) -> bool {
        self.attacked() >> self.black_king & 1 == 1
    }

    /// All legal moves.
    #[must_use]
    pub fn moves(self) -> Vec<Move> {
        let Self { white_king, rook, black_king, white_to_move } = self;
        let [by_white_king, by_black_king] = [white_king, black_king].map(|king| NEXT_TO[usize::from(king)]);
        let [white_cell, rook_cell, black_cell] = [white_king, rook, black_king].map(|cell| 1 << cell);
        // White's pieces never move to the rook's cell, so only black captures.
        let moves_of = |piece: usize, from: u8, targets: u64| {
            cells(targets).map(move |to| Move { piece: PIECE_NAMES[piece], from, to, captures: to == rook })
        };
        if white_to_move {
            let king = by_white_king & !(by_black_king | rook_cell);
            let rook_targets = rook_reach(rook, white_cell | black_cell) & !(white_cell | black_cell);
            moves_of(0, white_king, king).chain(moves_of(1, rook, rook_targets)).collect()
        } else {
            // A rook guarded by the white king is next to it.
            let king = by_black_king & !(by_white_king | self.attacked());
            moves_of(2, black_king, king).collect()
        }
    }

    /// The position after a legal move; `None` if it captures the rook.
    #[must_use]
    pub fn after(self, mv: Move) -> Option<Self> {
        let Self { white_king, rook, black_king, white_to_move } = self;
        let mut pieces = [white_king, rook, black_king];
        for (cell, name) in pieces.iter_mut().zip(PIECE_NAMES) {
            if mv.piece == name {
                *cell = mv.to;
            }
        }
        let [white_king, rook, black_king] = pieces;
        (!mv.captures).then_some(Self { white_king, rook, black_king, white_to_move: !white_to_move })
    }

    /// The least number among the symmetric images of the position.
    fn representative(self) -> usize {
        let Self { white_king, rook, black_king, white_to_move } = self;
        let image = |symmetry: u8| {
            let [white_king, rook, black_king] = [white_king, rook, black_king].map(|cell| {
                let (mut file, mut rank) = (cell % SIZE, cell / SIZE);
                if symmetry & 1 != 0 {
                    file = SIZE - 1 - file;
                }
                if symmetry & 2 != 0 {
                    rank = SIZE - 1 - rank;
                }
                if symmetry & 4 != 0 {
                    (file, rank) = (rank, file);
                }
                SIZE * rank + file
            });
            Self { white_king, rook, black_king, white_to_move }.number()
        };
        (0..8).map(image).min().unwrap_or_default()
    }

    /// Draws the board as text of several lines, with the cells of `mark` in brackets.
    #[must_use]
    pub fn draw(self, mark: Option<Move>) -> String {
        text::draw_board((SIZE, SIZE), |x, y| {
            let cell = SIZE * y + x;
            let content = self.piece_on(cell).unwrap_or('.').to_string();
            text::drawn(&content, mark.is_some_and(|mv| mv.from == cell || mv.to == cell))
        })
    }

    fn piece_on(self, cell: u8) -> Option<char> {
        let pieces = [self.white_king, self.rook, self.black_king];
        pieces.iter().position(|&at| at == cell).map(|piece| PIECE_NAMES[piece])
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = text::write_board((SIZE, SIZE), |x, y| self.piece_on(SIZE * y + x));
        write!(f, "{board} {}", if self.white_to_move { "w" } else { "b" })
    }
}

impl FromStr for Position {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [board, mover] = match fields[..] {
            [board, mover, "-", "-", _, _] => [board, mover],
            [_, _, castling, en_passant, _, _] => {
                let reason = format!(
                    "expected \"- -\" (neither is possible), found {}",
                    Quoted(&format!("{castling} {en_passant}"))
                );
                return Err(PositionError::new("castling and en passant", reason));
            }
            _ => text::fields(text, ["board", "side to move"])?,
        };
        let [white_king, rook, black_king] = read_pieces(board, SIZE)?;
        let white_to_move = read_side_to_move(mover)?;
        let position = Self { white_king, rook, black_king, white_to_move };
        if position.kings_touch() {
            return Err(kings_touch());
        }
        if position.ignores_check() {
            return Err(PositionError::new("side to move", "black is in check, so white can't be to move"));
        }
        Ok(position)
    }
}

/// The plies to mate by position number; [`NEVER`] for draws.
static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut states: Vec<State> = (0..POSITIONS)
        .map(|number| match Position::from_number(number) {
            None => State::NotWon,
            Some(position) if position.white_to_move => State::Attacker,
            Some(position) if position.moves().is_empty() && position.is_check() => State::Won,
            // A stalemate has no moves and is not won.
            Some(_) => State::Defender,
        })
        .collect();
    states.push(State::NotWon);
    let plies = plies_to_win(&states, |number, next| {
        if let Some(position) = Position::from_number(number) {
            let number = |mv| position.after(mv).map_or(BARE_KINGS, Position::number);
            next.extend(position.moves().into_iter().map(number));
        }
    });
    plies.into_iter().map(|plies| plies.map_or(NEVER, |plies| plies as u8)).collect()
});

/// More than the plies to mate from any position.
const NEVER: u8 = u8::MAX;

/// Returns the plies to mate; `None` for a draw.
#[must_use]
pub fn mate_in(position: &Position) -> Option<u32> {
    let plies = TABLE[position.number()];
    (plies != NEVER).then(|| u32::from(plies))
}

/// A move and the plies to mate after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatedChessMove {
    /// The move.
    pub mv: Move,
    /// The plies to mate, counted from before the move; `None` for a draw.
    pub mate_in: Option<u32>,
}

/// Returns all legal moves of `position`, best first: for white the quickest mates, for black draws
/// and then the slowest mates.
#[must_use]
pub fn rated_moves(position: &Position) -> Vec<RatedChessMove> {
    let mut rated: Vec<RatedChessMove> = position
        .moves()
        .into_iter()
        .map(|mv| {
            let after = position.after(mv).and_then(|after| mate_in(&after));
            RatedChessMove { mv, mate_in: after.map(|plies| plies + 1) }
        })
        .collect();
    rated.sort_by_key(|it| {
        let plies = it.mate_in.map_or(i64::MAX, i64::from);
        if position.white_to_move { plies } else { -plies }
    });
    rated
}

/// Returns the best moves of `position`, in the order of [`rated_moves`].
#[must_use]
pub fn best_moves(position: &Position) -> Vec<Move> {
    let rated = rated_moves(position);
    rated.iter().take_while(|it| it.mate_in == rated[0].mate_in).map(|it| it.mv).collect()
}

/// Counts the positions with one side to move by plies to mate.
///
/// With `up_to_symmetry`, positions that are rotations or reflections of each other count once.
#[must_use]
pub fn histogram(white_to_move: bool, up_to_symmetry: bool) -> Histogram {
    let mut histogram = Histogram::default();
    for position in Position::all().filter(|position| position.white_to_move == white_to_move) {
        if !up_to_symmetry || position.number() == position.representative() {
            let plies = mate_in(&position);
            histogram.add(plies, plies.is_none() && position.moves().is_empty());
        }
    }
    histogram
}
