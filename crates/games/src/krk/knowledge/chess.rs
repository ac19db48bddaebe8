//! King and rook against king by the rules of chess, on 8×8 cells: the endgame that KRK is made of.
//!
//! The same [retrograde analysis](quintet_core::solver::retrograde) as for the small board gives the plies to
//! mate of all 399,112 positions, so that its figures can be compared with those that have been published
//! ever since the first endgame table. It is computed when first used, in a fraction of a second.
//!
//! White wins by checkmate. It is a draw if black captures the rook, or is not in check and has no move
//! (stalemate). The 50-move rule does not matter: mate comes in 16 moves at most. Castling is left out.
//!
//! # Position string
//!
//! `8/8/8/8/8/2k5/8/K6R w`: as in FEN, the ranks from 8 down to 1, `K` and `R` for white's pieces, `k` for
//! black's king, a number for that many empty cells; the side to move, `w` or `b`. The other four fields of
//! FEN may follow if they say nothing: `- - 0 1`.
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

/// The cells that a rook on `from` reaches along clear lines, the first blocker each way included.
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

/// A position of king and rook against king: the pieces on different cells, the kings not next to each other,
/// and black not in check if white is to move.
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

    /// Whether it captures the rook, after which nobody can win.
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

/// The numbers of positions are below this; a few stand for none.
const POSITIONS: usize = 2 * CELLS * CELLS * CELLS;
/// The number of what is left when the rook has been captured.
const BARE_KINGS: usize = POSITIONS;

impl Position {
    fn number(self) -> usize {
        let [white_king, rook, black_king] = [self.white_king, self.rook, self.black_king].map(usize::from);
        usize::from(self.white_to_move) << 18 | white_king << 12 | rook << 6 | black_king
    }

    /// The position with this number, if it is one.
    fn from_number(number: usize) -> Option<Self> {
        let [white_king, rook, black_king] = [number >> 12, number >> 6, number].map(|cell| cell as u8 % 64);
        let position = Self { white_king, rook, black_king, white_to_move: number >> 18 == 1 };
        let is_apart = white_king != rook && rook != black_king && white_king != black_king;
        (is_apart && !position.kings_touch() && !position.misses_a_turn()).then_some(position)
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

    /// Whether black is in check with white to move: so black would have had to do something about it.
    fn misses_a_turn(self) -> bool {
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
        // White's pieces don't go where the rook is.
        let moves_of = |piece: usize, from: u8, targets: u64| {
            cells(targets).map(move |to| Move { piece: PIECE_NAMES[piece], from, to, captures: to == rook })
        };
        if white_to_move {
            let king = by_white_king & !(by_black_king | rook_cell);
            let rook_targets = rook_reach(rook, white_cell | black_cell) & !(white_cell | black_cell);
            moves_of(0, white_king, king).chain(moves_of(1, rook, rook_targets)).collect()
        } else {
            // A rook that the white king guards is next to that king.
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

    /// The least number of a position that is the same but for turning and mirroring the board.
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

    /// The board as text of several lines, with the effect of `mark` shown in brackets.
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
                let reason = format!("expected '- -' (there is none), found '{castling} {en_passant}'");
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
        if position.misses_a_turn() {
            return Err(PositionError::new("side to move", "black is in check, so it can't be white's move"));
        }
        Ok(position)
    }
}

/// The plies to mate by the number of the position; [`NEVER`] for draws.
static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut states: Vec<State> = (0..POSITIONS)
        .map(|number| match Position::from_number(number) {
            None => State::NotWon,
            Some(position) if position.white_to_move => State::Attacker,
            Some(position) if position.moves().is_empty() && position.is_check() => State::Won,
            // In a stalemate there are no moves, and that is not won.
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

/// More plies than there are from any position.
const NEVER: u8 = u8::MAX;

/// The plies to mate; `None` if it is a draw.
#[must_use]
pub fn mate_in(position: &Position) -> Option<u32> {
    let plies = TABLE[position.number()];
    (plies != NEVER).then(|| u32::from(plies))
}

/// A move and what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RatedChessMove {
    /// The move.
    pub mv: Move,
    /// The plies to mate from before the move; `None` if it is a draw.
    pub mate_in: Option<u32>,
}

/// All legal moves of `position`, best first: for white the quickest mate, for black draws and then the
/// slowest mate.
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

/// The moves of `position` that are as good as the best, in the order of [`rated_moves`].
#[must_use]
pub fn best_moves(position: &Position) -> Vec<Move> {
    let rated = rated_moves(position);
    rated.iter().take_while(|it| it.mate_in == rated[0].mate_in).map(|it| it.mv).collect()
}

/// Counts the positions by the plies to mate, for one side to move.
///
/// With `up_to_symmetry`, positions that are the same but for turning and mirroring the board count once.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Position {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// The figures of the "Chess (King-Rook vs. King)" data set of the UCI repository (Bain and Hoff, 1994),
    /// which has the depth in moves, not plies.
    #[test]
    fn the_published_counts_come_out() {
        let published = [
            27, 78, 246, 81, 198, 471, 592, 683, 1_433, 1_712, 1_985, 2_854, 3_597, 4_194, 4_553, 2_166, 390,
        ];
        let histogram = histogram(false, true);
        let expected = published.iter().zip(0..).map(|(&count, moves)| (2 * moves, count)).collect();
        assert_eq!(histogram.mate_in, expected);
        assert_eq!(histogram.stuck + histogram.escapes, 2_796);
        assert_eq!(histogram.placements(), 28_056);
    }

    #[test]
    fn all_positions_are_there_and_white_to_move_always_wins() {
        let [white, black] = [true, false].map(|white_to_move| histogram(white_to_move, false));
        assert_eq!([white.placements(), black.placements()], [175_168, 223_944]);
        assert_eq!(white.won(), 175_168);
        assert!(white.mate_in.keys().all(|plies| plies % 2 == 1));
        assert_eq!(white.mate_in.keys().last(), Some(&31));
    }

    #[test]
    fn every_value_follows_from_those_after_the_moves() {
        for position in Position::all() {
            let rated = rated_moves(&position);
            let expected = match rated.first() {
                None if position.is_check() => Some(0),
                None => None,
                Some(best) => best.mate_in,
            };
            assert_eq!(mate_in(&position), expected, "{position}");
        }
    }

    #[test]
    fn moves_are_those_of_chess() {
        let tokens = |text: &str| -> Vec<String> { read(text).moves().iter().map(Move::to_string).collect() };
        // The king can't hide behind itself; it captures the rook unless that is guarded.
        assert_eq!(tokens("8/8/8/8/8/8/8/K1R1k3 b"), ["ke1-d2", "ke1-e2", "ke1-f2"]);
        assert_eq!(tokens("8/8/8/8/8/1K6/8/kR6 b"), ["ka1xb1"]);
        assert_eq!(tokens("8/8/8/8/8/K7/1R6/k7 b"), Vec::<String>::new());
        assert_eq!(tokens("8/8/8/8/K7/8/1R6/k7 b"), ["ka1xb2"]);
        let white = tokens("8/8/8/8/8/8/2k5/KR6 w");
        // The rook is blocked by its own king, and kings keep apart.
        assert!(white.contains(&"Ka1-a2".to_owned()) && !white.contains(&"Ka1-b2".to_owned()), "{white:?}");
        assert_eq!(white.iter().filter(|mv| mv.starts_with('R')).count(), 6 + 7);
    }

    #[test]
    fn draws_are_captures_and_stalemates() {
        let capture = read("8/8/8/8/K7/8/1R6/k7 b");
        assert_eq!((mate_in(&capture), best_moves(&capture).len()), (None, 1));
        assert!(rated_moves(&capture)[0].mv.captures());
        let stalemate = read("8/8/8/8/8/K7/1R6/k7 b");
        assert_eq!((mate_in(&stalemate), stalemate.moves().len()), (None, 0));
        let mate = read("8/8/8/8/8/1K6/8/k6R b");
        assert_eq!((mate_in(&mate), mate.is_check()), (Some(0), true));
    }

    #[test]
    fn a_position_string_is_read_back_and_a_wrong_one_is_refused() {
        for position in Position::all().step_by(97) {
            assert_eq!(read(&position.to_string()), position);
        }
        assert_eq!(read("8/8/8/8/8/2k5/8/K6R w - - 0 1").to_string(), "8/8/8/8/8/2k5/8/K6R w");
        for (text, part) in [
            ("", "fields"),
            ("8/8/8/8/8/2k5/8/K6R", "fields"),
            ("8/8/8/8/8/2k5/8/K6R w 1", "fields"),
            ("8/8/8/8/8/2k5/8/K6R w KQ - 0 1", "castling and en passant"),
            ("8/8/8/8/2k5/8/K6R w", "board"),
            ("8/8/8/8/8/2k5/8/K5R w", "rank 1"),
            ("8/8/8/8/8/2k5/8/K6Q w", "rank 1"),
            ("8/8/8/8/8/2k4K/8/K6R w", "rank 1"),
            ("8/8/8/8/8/8/8/K6R w", "board"),
            ("8/8/8/8/8/8/1k6/K6R w", "board"),
            ("8/8/8/8/8/2k5/8/K6R x", "side to move"),
            ("8/8/8/8/8/7k/8/K6R w", "side to move"),
        ] {
            let error = text.parse::<Position>().expect_err(text);
            assert_eq!(error.part, part, "{text}: {error}");
        }
    }
}
