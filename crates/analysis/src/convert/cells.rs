//! Cells in a row, such as `f6g7e6`.

use quintet_core::Quoted;
use quintet_protocol::gomocup::{Cell, SIZE};

use super::{FileGame, RefusedGame, Stone};

/// Whether a text begins with a cell.
pub(super) fn is_start(text: &[u8]) -> bool {
    matches!(text, [letter, digit, ..] if letter.is_ascii_alphabetic() && digit.is_ascii_digit())
}

/// Reads a line: cells with or without blanks and commas between them, in any case.
pub(super) fn read(text: &str, line: usize) -> Result<FileGame, RefusedGame> {
    let mut game = FileGame { line, ..FileGame::default() };
    let is_between = |c: char| c.is_whitespace() || c == ',';
    let mut rest = text.trim_matches(is_between);
    for number in 1.. {
        if rest.is_empty() || game.stones.len() > super::CELLS {
            break;
        }
        let digits = rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
        let letter = rest.bytes().next().filter(u8::is_ascii_alphabetic);
        let (Some(letter), 1..) = (letter, digits) else {
            let message = format!("expected a cell such as f6, found {}", Quoted(rest));
            return Err(RefusedGame { line, stone: Some(number), message });
        };
        let (name, after) = rest.split_at(1 + digits);
        // Off the board is off the board, however far.
        let row: i64 = name[1..].parse().unwrap_or(i64::MAX);
        let x = i64::from(letter.to_ascii_lowercase() - b'a');
        let cell = Cell { x, y: i64::from(SIZE) - row };
        if cell.name(SIZE).is_none() {
            let message = format!("{} is not on the board of {SIZE}x{SIZE}", Quoted(name));
            return Err(RefusedGame { line, stone: Some(number), message });
        }
        game.add(Stone { cell, color: None, line });
        rest = after.trim_start_matches(is_between);
    }
    Ok(game)
}
