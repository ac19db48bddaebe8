//! The lines of the Gomocup protocol, also known as the protocol of Piskvork.
//!
//! A manager runs a game of Gomoku and sends [`Command`]s to its brains, the engines, which reply
//! with [`Answer`]s. This module reads and writes lines, and has the numbers that both sides
//! agree on; it knows no rules.

use std::fmt::{self, Display};
use std::str::FromStr;

/// The cells in a row of the board on which Gomoku is played here.
pub const SIZE: u32 = 11;
/// The number of the rule by which a run of exactly five wins, as `INFO rule` has it.
pub const EXACTLY_FIVE: i64 = 1;
/// The value of `INFO time_left`, in milliseconds, that stands for no limit.
pub const UNLIMITED: u64 = 2_147_483_647;

/// A cell of the board, written `x,y`. `0,0` is the upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The column, from 0 on the left. One that is not on the board can be read, too.
    pub x: i64,
    /// The row, from 0 at the top.
    pub y: i64,
}

impl Cell {
    /// Returns its name on a board of `size` rows: a letter for the column and a number for the row, so
    /// that `0,0` is a11 if there are eleven; `None` if it is not on the board.
    #[must_use]
    pub fn name(self, size: u32) -> Option<String> {
        let (x, y) = (u32::try_from(self.x).ok()?, u32::try_from(self.y).ok()?);
        let letter = char::from(b'a' + u8::try_from(x).ok().filter(|&x| x < 26)?);
        (x < size && y < size).then(|| format!("{letter}{}", size - y))
    }

    /// Returns the cell with this name, if there is one.
    #[must_use]
    pub fn named(name: &str, size: u32) -> Option<Self> {
        let letter = name.chars().next().filter(char::is_ascii_lowercase)?;
        let row: u32 = name[1..].parse().ok()?;
        let column = u32::from(letter) - u32::from('a');
        let cell = Self { x: column.into(), y: size.checked_sub(row)?.into() };
        (cell.name(size)? == name).then_some(cell)
    }
}

impl Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// The text is not what it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotRead;

/// Reads one number of several that commas separate.
fn number<N: FromStr>(text: Option<&str>) -> Result<N, NotRead> {
    text.and_then(|text| text.trim().parse().ok()).ok_or(NotRead)
}

/// Reads two numbers with a comma between them, and nothing else.
fn pair<N: FromStr>(text: &str) -> Result<(N, N), NotRead> {
    let mut parts = text.split(',');
    let pair = (number(parts.next())?, number(parts.next())?);
    if parts.next().is_none() { Ok(pair) } else { Err(NotRead) }
}

impl FromStr for Cell {
    type Err = NotRead;

    fn from_str(text: &str) -> Result<Self, NotRead> {
        pair(text).map(|(x, y)| Self { x, y })
    }
}

/// A stone in the list after `BOARD` or `SWAP2BOARD`, written `x,y,field` or `x,y`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stone {
    /// Where it is.
    pub cell: Cell,
    /// Whose it is: 1 for the brain that the list is sent to, 2 for its opponent. The protocol has it
    /// after `BOARD`; after `SWAP2BOARD` only some programs do.
    pub field: Option<u32>,
}

impl Display for Stone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            Some(field) => write!(f, "{},{field}", self.cell),
            None => self.cell.fmt(f),
        }
    }
}

impl FromStr for Stone {
    type Err = NotRead;

    fn from_str(text: &str) -> Result<Self, NotRead> {
        match text.match_indices(',').nth(1) {
            Some((at, _)) => {
                Ok(Self { cell: text[..at].parse()?, field: Some(number(Some(&text[at + 1..]))?) })
            }
            None => Ok(Self { cell: text.parse()?, field: None }),
        }
    }
}

/// The line that ends a list of stones.
pub const DONE: &str = "DONE";

/// A line of a manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A new game on a square board with this many cells in a row; to be answered by `OK`.
    Start(u32),
    /// A new game on a board of this width and height; to be answered by `OK`.
    RectStart(u32, u32),
    /// A new game on the same board; to be answered by `OK`.
    Restart,
    /// The first move of a game is to be made.
    Begin,
    /// The opponent has moved; a move is to be made.
    Turn(Cell),
    /// The brain has to move there after it had suggested a move.
    Play(Cell),
    /// A list of [stones](Stone) up to [`DONE`] follows; a move is to be made after them.
    Board,
    /// A list likewise; the next decision of the set-up swap2 is to be made.
    Swap2Board,
    /// The stone there is taken back; to be answered by `OK`.
    TakeBack(Cell),
    /// Something to know, which has no answer.
    Info {
        /// What it is about, in lower case.
        key: String,
        /// The rest of the line.
        value: String,
    },
    /// The brain has to tell about itself.
    About,
    /// By Yixin: a list as after [`Board`](Self::Board), without an answer.
    YxBoard,
    /// By Yixin: the search that runs is ended, and answered with what it has found.
    YxStop,
    /// By Yixin: the brain has to say its name and what may be set at most, in messages.
    YxShowInfo,
    /// By Yixin: a move is to be made on the board, after a search for this many good ones.
    YxNBest(u32),
    /// By Yixin: what searches have found so far is forgotten.
    YxHashClear,
    /// By Yixin: to be answered by the cells that are forbidden.
    YxShowForbid,
    /// By Yixin: the next decision of the set-up swap2 is to be made, and told in messages.
    YxSwap2(Swap2Step),
    /// The brain has to end.
    End,
}

/// A decision of the set-up swap2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swap2Step {
    /// Three stones are placed on the empty board.
    First,
    /// After them a color is picked, or two more stones are placed.
    Second,
    /// After these a color is picked.
    Third,
}

/// Why a line is no [`Command`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrongCommand {
    /// Its first word is no command.
    Unknown,
    /// The rest is not as in this form of the command.
    Arguments(&'static str),
}

/// The commands that stand alone, each with its word. Of two with one meaning, the first is written.
const ALONE: [(&str, Command); 15] = [
    ("RESTART", Command::Restart),
    ("BEGIN", Command::Begin),
    ("BOARD", Command::Board),
    ("SWAP2BOARD", Command::Swap2Board),
    ("ABOUT", Command::About),
    ("END", Command::End),
    ("YXBOARD", Command::YxBoard),
    ("YXSTOP", Command::YxStop),
    ("STOP", Command::YxStop),
    ("YXSHOWINFO", Command::YxShowInfo),
    ("YXHASHCLEAR", Command::YxHashClear),
    ("YXSHOWFORBID", Command::YxShowForbid),
    ("YXSWAP2STEP1", Command::YxSwap2(Swap2Step::First)),
    ("YXSWAP2STEP2", Command::YxSwap2(Swap2Step::Second)),
    ("YXSWAP2STEP3", Command::YxSwap2(Swap2Step::Third)),
];

impl FromStr for Command {
    type Err = WrongCommand;

    fn from_str(line: &str) -> Result<Self, WrongCommand> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let cell = |form| rest.parse().map_err(|_| WrongCommand::Arguments(form));
        let word = word.to_ascii_uppercase();
        if let Some((form, command)) = ALONE.into_iter().find(|(alone, _)| *alone == word) {
            return if rest.is_empty() { Ok(command) } else { Err(WrongCommand::Arguments(form)) };
        }
        match &*word {
            "START" => {
                // Yixin has width and height.
                let mut sizes = rest.split_whitespace().map(str::parse);
                match (sizes.next(), sizes.next(), sizes.next()) {
                    (Some(Ok(size)), None, _) => Ok(Self::Start(size)),
                    (Some(Ok(width)), Some(Ok(height)), None) if width == height => Ok(Self::Start(width)),
                    (Some(Ok(width)), Some(Ok(height)), None) => Ok(Self::RectStart(width, height)),
                    _ => Err(WrongCommand::Arguments("START SIZE")),
                }
            }
            "RECTSTART" => {
                let size = pair(rest).map_err(|_| WrongCommand::Arguments("RECTSTART WIDTH,HEIGHT"))?;
                Ok(Self::RectStart(size.0, size.1))
            }
            "TURN" => cell("TURN X,Y").map(Self::Turn),
            "PLAY" => cell("PLAY X,Y").map(Self::Play),
            "TAKEBACK" => cell("TAKEBACK X,Y").map(Self::TakeBack),
            "INFO" => {
                let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                Ok(Self::Info { key: key.to_ascii_lowercase(), value: value.trim().to_owned() })
            }
            "YXNBEST" => {
                let number = rest.parse().map_err(|_| WrongCommand::Arguments("YXNBEST NUMBER"))?;
                Ok(Self::YxNBest(number))
            }
            _ => Err(WrongCommand::Unknown),
        }
    }
}

impl Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(size) => write!(f, "START {size}"),
            Self::RectStart(width, height) => write!(f, "RECTSTART {width},{height}"),
            Self::Turn(cell) => write!(f, "TURN {cell}"),
            Self::Play(cell) => write!(f, "PLAY {cell}"),
            Self::TakeBack(cell) => write!(f, "TAKEBACK {cell}"),
            Self::Info { key, value } => write!(f, "INFO {key} {value}"),
            Self::YxNBest(number) => write!(f, "YXNBEST {number}"),
            alone => f.write_str(ALONE.iter().find(|(_, it)| it == alone).map_or("", |(word, _)| word)),
        }
    }
}

/// A line of a brain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It is done.
    Ok,
    /// Stones: a move, or several of the set-up.
    Cells(Vec<Cell>),
    /// In the set-up, the opponent is to make the next move.
    Swap,
    /// A move that the manager may change.
    Suggest(Cell),
    /// It can't be done, for this reason.
    Error(String),
    /// The command is not known.
    Unknown(String),
    /// A text for people.
    Message(String),
    /// A text for the author of the brain.
    Debug(String),
}

impl FromStr for Answer {
    type Err = NotRead;

    /// Reads a line. A cell may have a third number, as in a list of stones.
    fn from_str(line: &str) -> Result<Self, NotRead> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let text = || rest.trim().to_owned();
        match word.to_ascii_uppercase().as_str() {
            "OK" => Ok(Self::Ok),
            "SWAP" => Ok(Self::Swap),
            "SUGGEST" => rest.trim().parse().map(Self::Suggest),
            "ERROR" => Ok(Self::Error(text())),
            "UNKNOWN" => Ok(Self::Unknown(text())),
            "MESSAGE" => Ok(Self::Message(text())),
            "DEBUG" => Ok(Self::Debug(text())),
            "" => Err(NotRead),
            _ => {
                let cells = line.split_whitespace().map(|word| word.parse().map(|it: Stone| it.cell));
                cells.collect::<Result<_, _>>().map(Self::Cells)
            }
        }
    }
}

impl Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("OK"),
            Self::Swap => f.write_str("SWAP"),
            Self::Suggest(cell) => write!(f, "SUGGEST {cell}"),
            Self::Error(text) => write!(f, "ERROR {text}"),
            Self::Unknown(text) => write!(f, "UNKNOWN {text}"),
            Self::Message(text) => write!(f, "MESSAGE {text}"),
            Self::Debug(text) => write!(f, "DEBUG {text}"),
            Self::Cells(cells) => {
                let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
                f.write_str(&cells.join(" "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: Cell = Cell { x: 3, y: 10 };

    #[test]
    fn names_are_counted_from_the_lower_left_corner() {
        for ((x, y), name) in [((0, 0), "a11"), ((10, 0), "k11"), ((0, 10), "a1"), ((5, 4), "f7")] {
            assert_eq!(Cell { x, y }.name(11).as_deref(), Some(name));
            assert_eq!(Cell::named(name, 11), Some(Cell { x, y }));
        }
        for (x, y) in [(11, 0), (0, 11), (256, 0), (-1, 0), (0, -1), (i64::MAX, i64::MAX), (0, i64::MIN)] {
            assert_eq!(Cell { x, y }.name(11), None);
        }
        for name in ["", "a", "a0", "a12", "l1", "a01", "A1", "black", "é1", "a-1", "a+1"] {
            assert_eq!(Cell::named(name, 11), None, "{name}");
        }
    }

    #[test]
    fn commands_are_read_as_they_are_written() {
        let info = |key: &str, value: &str| Command::Info { key: key.into(), value: value.into() };
        for (line, command) in [
            ("START 11", Command::Start(11)),
            ("RECTSTART 11,12", Command::RectStart(11, 12)),
            ("RESTART", Command::Restart),
            ("BEGIN", Command::Begin),
            ("TURN 3,10", Command::Turn(CELL)),
            ("PLAY 3,10", Command::Play(CELL)),
            ("BOARD", Command::Board),
            ("SWAP2BOARD", Command::Swap2Board),
            ("TAKEBACK 3,10", Command::TakeBack(CELL)),
            ("INFO folder C:\\My Files", info("folder", "C:\\My Files")),
            ("ABOUT", Command::About),
            ("END", Command::End),
            ("YXBOARD", Command::YxBoard),
            ("YXSTOP", Command::YxStop),
            ("YXSHOWINFO", Command::YxShowInfo),
            ("YXNBEST 3", Command::YxNBest(3)),
            ("YXHASHCLEAR", Command::YxHashClear),
            ("YXSHOWFORBID", Command::YxShowForbid),
            ("YXSWAP2STEP2", Command::YxSwap2(Swap2Step::Second)),
        ] {
            assert_eq!(line.parse(), Ok(command.clone()));
            assert_eq!(command.to_string(), line);
            assert!(format!(" {}\r\n", line.to_lowercase()).parse::<Command>().is_ok(), "{line}");
        }
        assert_eq!("info TIMEOUT_TURN  5 \r".parse(), Ok(info("timeout_turn", "5")));
        assert_eq!("INFO".parse(), Ok(info("", "")));
        assert_eq!("START 11 11".parse(), Ok(Command::Start(11)));
        assert_eq!("start 11  12".parse(), Ok(Command::RectStart(11, 12)));
        assert_eq!("stop".parse(), Ok(Command::YxStop));
    }

    #[test]
    fn wrong_commands_say_what_is_wrong() {
        for (line, wrong) in [
            ("", WrongCommand::Unknown),
            ("DANCE 3,10", WrongCommand::Unknown),
            ("3,10", WrongCommand::Unknown),
            ("START", WrongCommand::Arguments("START SIZE")),
            ("START -1", WrongCommand::Arguments("START SIZE")),
            ("START 11 -1", WrongCommand::Arguments("START SIZE")),
            ("START 11 11 11", WrongCommand::Arguments("START SIZE")),
            ("YXNBEST", WrongCommand::Arguments("YXNBEST NUMBER")),
            ("START 99999999999", WrongCommand::Arguments("START SIZE")),
            ("RECTSTART 11", WrongCommand::Arguments("RECTSTART WIDTH,HEIGHT")),
            ("TURN 3", WrongCommand::Arguments("TURN X,Y")),
            ("TURN 3,", WrongCommand::Arguments("TURN X,Y")),
            ("TURN 3,10,1", WrongCommand::Arguments("TURN X,Y")),
            ("TURN 3,y", WrongCommand::Arguments("TURN X,Y")),
            ("BEGIN 3,10", WrongCommand::Arguments("BEGIN")),
        ] {
            assert_eq!(line.parse::<Command>(), Err(wrong), "{line}");
        }
    }

    #[test]
    fn stones_have_a_field_or_none() {
        assert_eq!("3,10".parse(), Ok(Stone { cell: CELL, field: None }));
        assert_eq!("3,10,2".parse(), Ok(Stone { cell: CELL, field: Some(2) }));
        assert_eq!(Stone { cell: CELL, field: Some(2) }.to_string(), "3,10,2");
        assert_eq!(Stone { cell: CELL, field: None }.to_string(), "3,10");
        for text in ["", DONE, "3", "3,", "3,10,", "3,10,2,1", "3,x", "3,10,-1"] {
            assert_eq!(text.parse::<Stone>(), Err(NotRead), "{text}");
        }
    }

    #[test]
    fn answers_are_read_as_they_are_written() {
        for (line, answer) in [
            ("OK", Answer::Ok),
            ("SWAP", Answer::Swap),
            ("SUGGEST 3,10", Answer::Suggest(CELL)),
            ("3,10", Answer::Cells(vec![CELL])),
            ("3,10 0,0", Answer::Cells(vec![CELL, Cell { x: 0, y: 0 }])),
            ("-1,-1", Answer::Cells(vec![Cell { x: -1, y: -1 }])),
            ("ERROR too  small", Answer::Error("too  small".into())),
            ("UNKNOWN", Answer::Unknown(String::new())),
            ("MESSAGE 3,10", Answer::Message("3,10".into())),
            ("DEBUG x", Answer::Debug("x".into())),
        ] {
            assert_eq!(line.parse(), Ok(answer.clone()));
            assert_eq!(answer.to_string().trim_end(), line);
        }
        assert_eq!("3,10,1 0,0,2\r".parse(), "3,10 0,0".parse::<Answer>());
        assert_eq!("ok - everything is good".parse(), Ok(Answer::Ok));
        for line in ["", "name=\"x\"", "3,10 and", "OKAY", "SUGGEST", "3.5,1"] {
            assert_eq!(line.parse::<Answer>(), Err(NotRead), "{line}");
        }
    }
}
