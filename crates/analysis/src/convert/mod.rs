//! Games of Gomoku in the formats of other programs, made records of and back.
//!
//! The formats hold stones alone, black and white in turn. The game has a choice of colors, too: it is put in
//! before the fourth stone, and is the one after which white moves, as in the file. What no record can tell is
//! an error with the line and the move.

mod cells;
mod psq;
mod reader;
mod sgf;
#[cfg(test)]
mod tests;
mod write;

use std::fmt;

use indexmap::IndexMap;
use quintet_core::game::Side;
use quintet_core::registry::Variant;
use quintet_core::session::Session;
use quintet_protocol::gomocup::{Cell, SIZE};
use quintet_protocol::{ConvertedGame, PlayedEnd};

use crate::answer::scores;
pub(crate) use reader::converted;
pub use reader::{GameReader, UnknownFormat, file_game};
pub use write::{TextFormat, write};

/// The game that the formats hold.
const GAME: &str = "gomoku";
/// The stones that a board has room for.
const CELLS: usize = (SIZE * SIZE) as usize;
/// The stones before the choice of colors.
const BEFORE_CHOICE: usize = 3;
const BLACK: &str = "black";
const WHITE: &str = "white";

/// A game that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedGame {
    /// The line of the file, from 1.
    pub line: usize,
    /// The number of the stone, from 1, if it is about one.
    pub stone: Option<usize>,
    /// What is wrong, in words for people.
    pub message: String,
}

impl RefusedGame {
    fn at(line: usize, message: impl Into<String>) -> Self {
        Self { line, stone: None, message: message.into() }
    }
}

impl fmt::Display for RefusedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stone = self.stone.map_or(String::new(), |number| format!(", move {number}"));
        write!(f, "line {}{stone}: {}", self.line, self.message)
    }
}

/// A game that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadGame {
    /// Its record.
    pub record: ConvertedGame,
    /// The line where it begins, from 1.
    pub line: usize,
    /// The variations of it that were left out.
    pub variations: usize,
}

/// A color of stones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Color {
    Black,
    White,
}

impl Color {
    /// That of a stone, counted from 0, where black begins.
    fn of(index: usize) -> Self {
        if index.is_multiple_of(2) { Self::Black } else { Self::White }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Black => BLACK,
            Self::White => WHITE,
        }
    }
}

/// A stone of a file.
#[derive(Debug, Clone, Copy)]
struct Stone {
    cell: Cell,
    /// Its color, if the file tells it.
    color: Option<Color>,
    line: usize,
}

/// A game as its file has it.
#[derive(Debug, Default)]
struct FileGame {
    line: usize,
    stones: Vec<Stone>,
    /// The names of black and white.
    names: [Option<String>; 2],
    /// Who resigned.
    resigned: Option<Color>,
    variations: usize,
}

impl FileGame {
    /// Adds a stone. Of a game with more stones than the board has cells one too many is kept, which is
    /// refused.
    fn add(&mut self, stone: Stone) {
        if self.stones.len() <= CELLS {
            self.stones.push(stone);
        }
    }

    /// Plays the game and returns its record.
    fn record(self, variant: &Variant) -> Result<ReadGame, RefusedGame> {
        let mut session = variant.start();
        for (index, stone) in self.stones.iter().enumerate() {
            let wrong = |message| RefusedGame { line: stone.line, stone: Some(index + 1), message };
            let expected = Color::of(index);
            if let Some(color) = stone.color.filter(|color| *color != expected) {
                let (color, expected) = (color.name(), expected.name());
                return Err(wrong(format!(
                    "a {color} stone where {expected} is to move: colors alternate, and black begins"
                )));
            }
            if index == BEFORE_CHOICE {
                choose(&mut *session).map_err(wrong)?;
            }
            let Some(token) = stone.cell.name(SIZE) else {
                let (column, row) = (stone.cell.x.saturating_add(1), stone.cell.y.saturating_add(1));
                return Err(wrong(format!(
                    "column {column}, row {row} is not on the board of {SIZE}x{SIZE}"
                )));
            };
            if session.outcome().is_some() {
                return Err(wrong(format!("the game is over after move {index}, by the rules of {variant}")));
            }
            session.play(&token).map_err(|_| wrong(format!("there is a stone on {token} already")))?;
        }
        let names = self.names.map(|name| name.map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()));
        let seats = seats(&*session, names);
        let (outcome, resigned) = (session.outcome(), self.resigned);
        let (scores, end) = match (outcome, resigned) {
            (Some(_), _) => (Some(scores(&*session)), PlayedEnd::Rules),
            (None, Some(loser)) => {
                let loser = owner(&*session, loser);
                let score = |side| if side == loser { 0 } else { 100 };
                let roles = variant.roles.iter();
                let scores = roles.map(|role| (role.name.to_string(), score(role.side))).collect();
                (Some(scores), PlayedEnd::Resign)
            }
            (None, None) => (None, PlayedEnd::Unfinished),
        };
        let (game, rules) = (variant.game.to_string(), variant.rules.to_string());
        let record = ConvertedGame { game, rules, moves: session.moves(), seats, scores, end };
        Ok(ReadGame { record, line: self.line, variations: self.variations })
    }
}

/// Picks the color after which white moves.
fn choose(session: &mut dyn Session) -> Result<(), String> {
    for pick in [WHITE, BLACK] {
        session.play(pick).map_err(|error| error.to_string())?;
        if session.mover_color() == Some(WHITE) {
            break;
        }
        session.take_back();
    }
    Ok(())
}

/// The side that has a color. Until the choice that is the first for black, which places the first stone.
fn owner(session: &dyn Session, color: Color) -> Side {
    let mut at_choice = session.variant().start();
    let mut black = Side::First;
    for token in session.moves() {
        // All moves were legal.
        if at_choice.play(&token).is_err() {
            break;
        }
        if let (Some(role), Some(name)) = (at_choice.to_move(), at_choice.mover_color()) {
            black = if name == BLACK { role.side } else { role.side.opponent() };
            break;
        }
    }
    if color == Color::Black { black } else { black.opponent() }
}

/// Who plays each role, by the names of black and white.
fn seats(session: &dyn Session, [black, white]: [Option<String>; 2]) -> IndexMap<String, String> {
    let of_black = owner(session, Color::Black);
    let name = |side| {
        let (name, color) = if side == of_black { (&black, BLACK) } else { (&white, WHITE) };
        name.clone().unwrap_or_else(|| color.to_owned())
    };
    session.variant().roles.iter().map(|role| (role.name.to_string(), name(role.side))).collect()
}

/// The number of line ends.
fn line_ends(text: &[u8]) -> usize {
    text.split(|&byte| byte == b'\n').skip(1).count()
}
