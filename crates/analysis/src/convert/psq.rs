//! The `.psq` of Piskvork and Gomocup.
//!
//! ```text
//! Piskvorky 11x11, 0:0, 0      width and height, the levels of both players, and which of them begins
//! 6,6,1500                     column and row from 1 at the upper left, and milliseconds
//! 7,5,800
//! black                        the players, in tournaments
//! white
//! -1                           a code, and whatever other programs add
//! ```

use quintet_core::Quoted;
use quintet_protocol::gomocup::{Cell, SIZE};

use super::{FileGame, RefusedGame, Stone};

const START: &str = "Piskvorky";

/// Whether a text begins as a game does.
pub(super) fn is_start(text: &[u8]) -> bool {
    text.starts_with(START.as_bytes())
}

/// A game as its lines come.
pub(super) struct Game {
    read: FileGame,
    /// Whether the player who is named second begins.
    second_begins: bool,
    /// The line that ended the moves.
    end: Option<usize>,
    names: Vec<String>,
    wrong: Option<RefusedGame>,
}

impl Game {
    /// Reads the first line.
    pub(super) fn begin(text: &str, line: usize) -> Self {
        let mut fields = text.strip_prefix(START).unwrap_or(text).split(',').map(str::trim);
        let size = fields.next().unwrap_or_default();
        let board = format!("{SIZE}x{SIZE}");
        let is_size = |size: &str| {
            let number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
            size.split_once('x').is_some_and(|(width, height)| number(width) && number(height))
        };
        let wrong = if size == board {
            None
        } else if is_size(size) {
            Some(format!("the board is {}: only {board} can be converted", Quoted(size)))
        } else {
            Some(format!("expected a size such as {START} {board}, found {}", Quoted(text)))
        };
        Self {
            read: FileGame { line, ..FileGame::default() },
            second_begins: fields.nth(1) == Some("1"),
            end: None,
            names: Vec::new(),
            wrong: wrong.map(|message| RefusedGame::at(line, message)),
        }
    }

    /// Refuses the game, unless something was wrong before.
    pub(super) fn refuse(&mut self, wrong: RefusedGame) {
        self.wrong.get_or_insert(wrong);
    }

    /// Reads another line.
    pub(super) fn line(&mut self, text: &str, line: usize) {
        match (Kind::of(text), self.end) {
            (Kind::Move(cell), None) => self.read.add(Stone { cell, color: None, line }),
            (Kind::Move(_), Some(end)) => {
                self.refuse(RefusedGame::at(
                    line,
                    format!("a move, but line {end} is none, and ends the moves"),
                ));
            }
            (Kind::Torn, None) => {
                let message = format!("expected a move such as 6,6,0, found {}", Quoted(text));
                self.refuse(RefusedGame { line, stone: Some(self.read.stones.len() + 1), message });
            }
            (Kind::Name, _) if self.names.len() < 2 => {
                self.end.get_or_insert(line);
                self.names.push(text.to_owned());
            }
            _ => {
                self.end.get_or_insert(line);
            }
        }
    }

    /// Returns the game after its last line.
    pub(super) fn end(self) -> Result<FileGame, RefusedGame> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        let mut names = self.names.into_iter();
        let mut names = [names.next(), names.next()];
        if self.second_begins {
            names.reverse();
        }
        Ok(FileGame { names, ..self.read })
    }
}

/// What a line is.
enum Kind {
    Move(Cell),
    /// Numbers, but no move.
    Torn,
    /// A code, or what begins with one.
    Code,
    Name,
}

impl Kind {
    fn of(text: &str) -> Self {
        let numbers: Option<Vec<i64>> = text.split(',').map(|it| it.trim().parse().ok()).collect();
        let first = || text.split(',').next().and_then(|it| it.trim().parse::<i64>().ok());
        match numbers.as_deref() {
            Some(&[column, row] | &[column, row, _]) => {
                Self::Move(Cell { x: column.saturating_sub(1), y: row.saturating_sub(1) })
            }
            Some([_]) => Self::Code,
            Some(_) => Self::Torn,
            None if text.bytes().all(|it| b"0123456789,- ".contains(&it)) => Self::Torn,
            None => match first() {
                Some(0..) => Self::Torn,
                Some(_) => Self::Code,
                None => Self::Name,
            },
        }
    }
}

/// Whether a line with this text is taken for the name of a player.
pub(super) fn is_name(text: &str) -> bool {
    !is_start(text.as_bytes()) && matches!(Kind::of(text), Kind::Name)
}
