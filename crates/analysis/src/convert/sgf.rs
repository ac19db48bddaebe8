//! SGF of Gomoku: `(;GM[4]SZ[11]PB[Anna]PW[Otto];B[ff];W[gg])`.
//!
//! The main line is read: of variations the first. Comments and all that is about other things than stones,
//! players and a resignation is skipped.

use std::io::{self, BufRead};

use quintet_core::Quoted;
use quintet_protocol::LONGEST_LINE;
use quintet_protocol::gomocup::{Cell, SIZE};

use super::{Color, FileGame, RefusedGame, Stone, line_ends};

/// Gomoku and Renju by the number that SGF gives them.
const GAME: &str = "4";

/// Whether a text begins as a game does.
pub(super) fn is_start(text: &[u8]) -> bool {
    text.starts_with(b"(")
}

/// The line where a game begins, and its text.
type Tree = (usize, Vec<u8>);

/// The next game of a file. `None` at the end; an inner error if there is
/// something else, or a game that has no end or is too long. `line` is the line of the next byte.
pub(super) fn next_tree(
    input: &mut dyn BufRead,
    line: &mut usize,
) -> io::Result<Option<Result<Tree, RefusedGame>>> {
    let (mut depth, mut is_value, mut is_escaped) = (0_usize, false, false);
    let mut first = *line;
    let mut tree = Vec::new();
    let mut is_too_long = false;
    while let Some(byte) = next_byte(input)? {
        if byte == b'\n' {
            *line += 1;
        }
        if tree.is_empty() && byte != b'(' {
            if !byte.is_ascii_whitespace() {
                // What follows up to the next game is skipped with it.
                let wrong = RefusedGame::at(*line, "this is outside of a game: expected \"(;\"");
                skip_to_game(input, line)?;
                return Ok(Some(Err(wrong)));
            }
            continue;
        }
        if tree.is_empty() {
            first = *line;
        }
        if tree.len() as u64 == LONGEST_LINE {
            is_too_long = true;
        } else {
            tree.push(byte);
        }
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_value => is_escaped = true,
            b']' => is_value = false,
            b'[' => is_value = true,
            b'(' if !is_value => depth += 1,
            b')' if !is_value => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let wrong = format!("the game is longer than {LONGEST_LINE} bytes");
            return Ok(Some(if is_too_long {
                Err(RefusedGame::at(first, wrong))
            } else {
                Ok((first, tree))
            }));
        }
    }
    let torn = || RefusedGame::at(first, "the file ends within this game: a \")\" or \"]\" is missing");
    Ok((!tree.is_empty()).then(|| Err(torn())))
}

fn next_byte(input: &mut dyn BufRead) -> io::Result<Option<u8>> {
    let byte = input.fill_buf()?.first().copied();
    input.consume(usize::from(byte.is_some()));
    Ok(byte)
}

fn skip_to_game(input: &mut dyn BufRead, line: &mut usize) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let end = buffer.iter().position(|&byte| byte == b'(').unwrap_or(buffer.len());
        *line += line_ends(&buffer[..end]);
        let is_done = end < buffer.len() || buffer.is_empty();
        input.consume(end);
        if is_done {
            return Ok(());
        }
    }
}

/// Reads a game that begins in this line.
pub(super) fn read(tree: &[u8], line: usize) -> Result<FileGame, RefusedGame> {
    let mut parser = Parser { rest: tree, line };
    let mut root = Properties { game: FileGame { line, ..FileGame::default() }, ..Properties::default() };
    let (mut depth, mut has_node, mut is_main_over) = (0_usize, false, false);
    loop {
        let Some(byte) = parser.next_mark() else {
            return Err(parser.wrong("the game has no end"));
        };
        match byte {
            b'(' if is_main_over => {
                parser.skip_variation();
                root.game.variations += 1;
            }
            b'(' => depth += 1,
            b')' => {
                is_main_over = true;
                depth -= 1;
                if depth == 0 {
                    return root.game();
                }
            }
            b';' if !is_main_over => has_node = true,
            letter if letter.is_ascii_alphabetic() && has_node && !is_main_over => {
                let (name, line) = (parser.name(letter), parser.line);
                let values = parser.values()?;
                root.take(&name, values, line);
            }
            other => {
                let found = String::from_utf8_lossy(&[other]).into_owned();
                return Err(parser.wrong(format!("unexpected {}", Quoted(&found))));
            }
        }
    }
}

/// The text of a game from some place on.
struct Parser<'a> {
    rest: &'a [u8],
    line: usize,
}

impl Parser<'_> {
    fn wrong(&self, message: impl Into<String>) -> RefusedGame {
        RefusedGame::at(self.line, message)
    }

    fn next(&mut self) -> Option<u8> {
        let (&byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        if byte == b'\n' {
            self.line += 1;
        }
        Some(byte)
    }

    /// The next byte that is no blank.
    fn next_mark(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.next()
    }

    fn skip_blanks(&mut self) {
        while self.rest.first().is_some_and(u8::is_ascii_whitespace) {
            self.next();
        }
    }

    /// The name of a property. Small letters of older files do not count.
    fn name(&mut self, first: u8) -> String {
        let mut name = String::new();
        let mut letter = Some(first);
        while let Some(byte) = letter {
            if byte.is_ascii_uppercase() {
                name.push(char::from(byte));
            }
            let is_more = self.rest.first().is_some_and(u8::is_ascii_alphabetic);
            letter = if is_more { self.next() } else { None };
        }
        name
    }

    fn values(&mut self) -> Result<Vec<String>, RefusedGame> {
        let mut values = Vec::new();
        loop {
            self.skip_blanks();
            if self.rest.first() != Some(&b'[') {
                break;
            }
            self.next();
            values.push(self.value()?);
        }
        if values.is_empty() { Err(self.wrong("expected a value in brackets")) } else { Ok(values) }
    }

    /// A value after its bracket. A backslash takes away the meaning of what follows, and a line end after it
    /// is none.
    fn value(&mut self) -> Result<String, RefusedGame> {
        let mut value = Vec::new();
        loop {
            match self.next() {
                None => return Err(self.wrong("a value has no end: \"]\" is missing")),
                Some(b']') => return Ok(String::from_utf8_lossy(&value).into_owned()),
                Some(b'\\') => value.extend(self.next().filter(|&it| it != b'\n')),
                Some(byte) => value.push(byte),
            }
        }
    }

    /// Goes to the end of a variation whose bracket was read.
    fn skip_variation(&mut self) {
        let (mut depth, mut is_value) = (1_usize, false);
        while depth > 0 {
            match self.next() {
                None => return,
                Some(b'\\') if is_value => drop(self.next()),
                Some(b']') => is_value = false,
                Some(b'[') => is_value = true,
                Some(b'(') if !is_value => depth += 1,
                Some(b')') if !is_value => depth -= 1,
                Some(_) => {}
            }
        }
    }
}

/// What the properties of a game say.
#[derive(Default)]
struct Properties {
    game: FileGame,
    kind: Option<(String, usize)>,
    size: Option<(String, usize)>,
    /// The black and the white stones that stand on the board before the first move.
    set_up: [Vec<Stone>; 2],
    to_move: Option<(String, usize)>,
    has_moves: bool,
    /// What is wrong with a stone. Another game or another board is worse.
    wrong: Option<RefusedGame>,
}

impl Properties {
    fn take(&mut self, name: &str, mut values: Vec<String>, line: usize) {
        let first = values.remove(0);
        let is_alone = values.is_empty();
        match name {
            "GM" => self.kind = Some((first, line)),
            "SZ" => self.size = Some((first, line)),
            "PB" => self.game.names[0] = Some(first),
            "PW" => self.game.names[1] = Some(first),
            "RE" => self.game.resigned = loser(&first),
            "PL" => self.to_move = Some((first, line)),
            "B" | "W" if !is_alone => self.refuse(line, "a move has one cell".to_owned()),
            "B" | "W" => self.play(if name == "B" { Color::Black } else { Color::White }, &first, line),
            "AB" | "AW" if !self.has_moves => {
                let color = if name == "AB" { Color::Black } else { Color::White };
                for value in std::iter::once(first).chain(values) {
                    self.add(color, &value, line);
                }
            }
            "AB" | "AW" | "AE" => {
                self.refuse(line, format!("stones are set up by {name}: only moves can be converted"));
            }
            _ => {}
        }
    }

    fn refuse(&mut self, line: usize, message: String) {
        let stone = Some(self.count() + 1);
        self.wrong.get_or_insert(RefusedGame { line, stone, message });
    }

    /// The stones so far.
    fn count(&self) -> usize {
        if self.has_moves { self.game.stones.len() } else { self.set_up.iter().map(Vec::len).sum() }
    }

    fn add(&mut self, color: Color, value: &str, line: usize) {
        match cell(value) {
            Ok(cell) if self.count() <= super::CELLS => {
                self.set_up[color as usize].push(Stone { cell, color: Some(color), line });
            }
            Ok(_) => {}
            Err(message) => self.refuse(line, message),
        }
    }

    fn play(&mut self, color: Color, value: &str, line: usize) {
        if !self.has_moves {
            self.begin();
        }
        match cell(value) {
            Ok(cell) => self.game.add(Stone { cell, color: Some(color), line }),
            Err(message) => self.refuse(line, message),
        }
    }

    /// Makes moves of the stones that were set up: black and white in turn.
    fn begin(&mut self) {
        self.has_moves = true;
        let [black, white] = std::mem::take(&mut self.set_up);
        let counts = [black.len(), white.len()];
        if let Some(last) = black.last().or(white.last())
            && counts[0].wrapping_sub(counts[1]) > 1
        {
            let message = format!(
                "{} black and {} white stones are set up: black has as many as white or one more",
                counts[0], counts[1]
            );
            self.wrong.get_or_insert(RefusedGame::at(last.line, message));
        }
        if let Some((color, line)) = &self.to_move {
            let expected = Color::of(counts[0] + counts[1]);
            let is_expected = color.trim().chars().next().map(|it| it.to_ascii_lowercase())
                == expected.name().chars().next();
            if !is_expected {
                let message = format!(
                    "PL has {}, but {} is to move: colors alternate, and black begins",
                    Quoted(color),
                    expected.name()
                );
                self.wrong.get_or_insert(RefusedGame::at(*line, message));
            }
        }
        let mut white = white.into_iter();
        for stone in black {
            self.game.add(stone);
            white.next().into_iter().for_each(|stone| self.game.add(stone));
        }
    }

    /// The game after its last property.
    fn game(mut self) -> Result<FileGame, RefusedGame> {
        if !self.has_moves {
            self.begin();
        }
        let line = self.game.line;
        if let Some((kind, line)) = self.kind.filter(|(kind, _)| kind.trim() != GAME) {
            let message = format!("GM is {}, another game: Gomoku is GM[{GAME}]", Quoted(kind.trim()));
            return Err(RefusedGame::at(line, message));
        }
        match self.size.as_ref().map(|(size, line)| (size.trim(), *line)) {
            None => {
                let message = format!("the size of the board is missing: expected SZ[{SIZE}]");
                return Err(RefusedGame::at(line, message));
            }
            Some((size, line))
                if ![format!("{SIZE}"), format!("{SIZE}:{SIZE}")].contains(&size.to_owned()) =>
            {
                let message = format!(
                    "the board is {}: only {SIZE}x{SIZE}, SZ[{SIZE}], can be converted",
                    Quoted(size)
                );
                return Err(RefusedGame::at(line, message));
            }
            Some(_) => {}
        }
        self.wrong.map_or(Ok(self.game), Err)
    }
}

/// Who resigned, if a result says so, such as `B+R`.
fn loser(result: &str) -> Option<Color> {
    let (winner, how) = result.trim().split_once('+')?;
    let is_resigned = ["r", "resign"].contains(&how.trim().to_ascii_lowercase().as_str());
    match winner.chars().next()?.to_ascii_lowercase() {
        'b' if is_resigned => Some(Color::White),
        'w' if is_resigned => Some(Color::Black),
        _ => None,
    }
}

/// Reads a cell, such as `ff`: letters of the column and of the row from the top.
fn cell(value: &str) -> Result<Cell, String> {
    match value.trim().as_bytes() {
        [] | [b't', b't'] => Err("a pass: Gomoku has none".to_owned()),
        &[x @ b'a'..=b'z', y @ b'a'..=b'z'] => Ok(Cell { x: i64::from(x - b'a'), y: i64::from(y - b'a') }),
        _ => Err(format!("expected a cell of two small letters such as ff, found {}", Quoted(value))),
    }
}
