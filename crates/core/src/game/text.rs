//! Shared parts of the games' text forms: tokens, cells, boards, fields of a position string, drawings.

use std::fmt::{Display, Write as _};

use super::PositionError;
use crate::Quoted;

/// The name of the cell in file `x` and rank `y`, both from 0: `a1`, `b1`, …
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellName {
    /// The file.
    pub x: u8,
    /// The rank.
    pub y: u8,
}

impl Display for CellName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.x), self.y + 1)
    }
}

/// Returns the index of the token that `word` means. In this order: the same text; the only one that is the
/// same but for case; where tokens are binary numbers, the one of a hexadecimal digit.
///
/// ```
/// use quintet_core::game::text::resolve_token;
///
/// assert_eq!(resolve_token("F6", &["e6", "f6"]), Some(1));
/// assert_eq!(resolve_token("a", &["A", "a"]), Some(1));
/// assert_eq!(resolve_token("ab", &["AB", "Ab"]), None);
/// assert_eq!(resolve_token("B", &["0101", "1011"]), Some(1));
/// ```
#[must_use]
pub fn resolve_token(word: &str, tokens: &[impl AsRef<str>]) -> Option<usize> {
    let only = |is_meant: &dyn Fn(&str) -> bool| {
        let mut found = (0..tokens.len()).filter(|&index| is_meant(tokens[index].as_ref()));
        found.next().filter(|_| found.next().is_none())
    };
    if let Some(same) = tokens.iter().position(|it| it.as_ref() == word) {
        return Some(same);
    }
    only(&|token| token.eq_ignore_ascii_case(word)).or_else(|| {
        let mut digits = word.chars();
        let (Some(number), None) = (digits.next()?.to_digit(16), digits.next()) else { return None };
        are_binary(tokens).then(|| only(&|token| u32::from_str_radix(token, 2) == Ok(number)))?
    })
}

/// Whether all tokens are numbers of several binary digits.
#[must_use]
pub fn are_binary(tokens: &[impl AsRef<str>]) -> bool {
    let is_binary = |token: &str| token.len() > 1 && token.bytes().all(|digit| matches!(digit, b'0' | b'1'));
    !tokens.is_empty() && tokens.iter().all(|it| is_binary(it.as_ref()))
}

/// Returns the index of the name that a field of a position string has, in any case.
#[must_use]
pub fn one_of(field: &str, names: &[&str]) -> Option<usize> {
    names.iter().position(|name| name.eq_ignore_ascii_case(field))
}

/// Reads the field `part` of a position string, which is one of two names in any case.
///
/// # Errors
/// If it is neither of them.
pub fn either(part: &str, field: &str, names: [&str; 2]) -> Result<usize, PositionError> {
    let [one, other] = names;
    one_of(field, &names).ok_or_else(|| {
        PositionError::new(part, format!("{} is neither '{one}' nor '{other}'", Quoted(field)))
    })
}

/// Checks that the field `part` of a position string, in any case, names who is to move `after` what stands
/// on the board.
///
/// # Errors
/// If somebody else is.
pub fn check_to_move(part: &str, field: &str, wanted: &str, after: &str) -> Result<(), PositionError> {
    if field.eq_ignore_ascii_case(wanted) {
        return Ok(());
    }
    let reason = format!("after {after} {wanted:?} is to move, not {}", Quoted(field));
    Err(PositionError::new(part, reason))
}

/// Which of two letters stands on a cell of a position string, in any case; they are for a `what`.
///
/// # Errors
/// If it is neither of them.
pub fn read_letter(c: char, letters: [char; 2], what: &str) -> Result<usize, String> {
    let [one, other] = letters;
    let found = letters.iter().position(|letter| letter.eq_ignore_ascii_case(&c));
    found.ok_or_else(|| format!("{c:?} is not a {what} ('{one}' or '{other}')"))
}

/// The letter of the one of two that `is_there`, if any.
#[must_use]
pub fn letter_of(is_there: [bool; 2], letters: [char; 2]) -> Option<char> {
    is_there.iter().position(|&it| it).map(|it| letters[it])
}

/// The moves of a line: words, and terms in parentheses with their blanks, such as `(mark 1 2)`.
pub fn moves(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let mut depth = 0_usize;
        let end = rest.find(|c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c.is_whitespace() && depth == 0
        });
        let (word, more) = rest.split_at(end.unwrap_or(rest.len()));
        rest = more;
        (!word.is_empty()).then_some(word)
    })
}

/// Splits a position string into its fields, one for each of `names`.
///
/// # Errors
/// If there are more or fewer fields than names.
pub fn fields<'a, const N: usize>(text: &'a str, names: [&str; N]) -> Result<[&'a str; N], PositionError> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let found = fields.len();
    fields.try_into().map_err(|_| {
        let wanted = format!("{N} fields separated by spaces ({})", names.join(", "));
        PositionError::new("fields", format!("expected {wanted}, found {found}"))
    })
}

/// Reads a board rank by rank, the highest first, separated by `/`. A number stands for that many
/// empty cells, `.` for one. Every other character is passed to `cell(x, y, character)` as it is, which
/// returns the reason if it is wrong.
///
/// With `digits_are_pieces`, digits are passed to `cell` too. `name_rank(y)` names rank `y` in
/// errors.
///
/// # Errors
/// If there are not `height` ranks, a rank does not have `width` cells, or `cell` returns a reason.
pub fn read_board(
    text: &str,
    (width, height): (u8, u8),
    digits_are_pieces: bool,
    name_rank: impl Fn(u8) -> String,
    mut cell: impl FnMut(u8, u8, char) -> Result<(), String>,
) -> Result<(), PositionError> {
    let ranks: Vec<&str> = text.split('/').collect();
    if ranks.len() != usize::from(height) {
        let reason = format!("expected {height} ranks separated by '/', found {}", ranks.len());
        return Err(PositionError::new("board", reason));
    }
    for (y, rank) in (0..height).rev().zip(ranks) {
        let wrong = |reason: String| PositionError::new(name_rank(y), reason);
        let mut x = 0_u32;
        let mut rest = rank;
        while let Some(c) = rest.chars().next() {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if digits > 0 && !digits_are_pieces {
                let (number, tail) = rest.split_at(digits);
                let empty: u32 = number.parse().unwrap_or(u32::MAX);
                if empty == 0 {
                    return Err(wrong("a run of 0 empty cells".into()));
                }
                x = x.saturating_add(empty);
                rest = tail;
            } else {
                if c != '.' && x < u32::from(width) {
                    cell(x as u8, y, c).map_err(wrong)?;
                }
                x = x.saturating_add(1);
                rest = &rest[c.len_utf8()..];
            }
        }
        if x != u32::from(width) {
            return Err(wrong(format!("expected {width} cells, found {x}")));
        }
    }
    Ok(())
}

/// Reads a number written in digits only: no sign, unlike `str::parse`.
#[must_use]
pub fn number(text: &str) -> Option<u8> {
    text.parse().ok().filter(|_| !text.starts_with('+'))
}

/// The name of rank `y` on a board of files and ranks.
#[must_use]
pub fn rank_name(y: u8) -> String {
    format!("rank {}", y + 1)
}

/// Writes a board as [`read_board`] reads it; `cell` returns a cell's character, `None` if it is
/// empty.
pub fn write_board((width, height): (u8, u8), cell: impl Fn(u8, u8) -> Option<char>) -> String {
    let mut text = String::new();
    for y in (0..height).rev() {
        let mut empty = 0;
        for x in 0..width {
            let content = cell(x, y);
            empty += u8::from(content.is_none());
            if empty > 0 && (content.is_some() || x + 1 == width) {
                let _ = write!(text, "{empty}");
                empty = 0;
            }
            text.extend(content);
        }
        if y > 0 {
            text.push('/');
        }
    }
    text
}

/// Draws the content of one cell, in brackets if `marked`.
#[must_use]
pub fn drawn(content: impl Display, marked: bool) -> String {
    if marked { format!("[{content}]") } else { format!(" {content} ") }
}

/// Draws a board with its rank numbers and file letters; `cell` returns each cell's text, all of
/// one width.
pub fn draw_board((width, height): (u8, u8), cell: impl Fn(u8, u8) -> String) -> String {
    let rank = |y| format!("{:>2} ", y + 1) + &(0..width).map(|x| cell(x, y)).collect::<String>();
    let file = |x| {
        let columns = cell(x, 0).chars().count();
        format!("{:^columns$}", char::from(b'a' + x))
    };
    let files = "   ".to_owned() + &(0..width).map(file).collect::<String>();
    let lines = (0..height).rev().map(rank).chain([files]);
    lines.map(|line| line.trim_end_matches(' ').to_owned() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of a board of three files and two ranks.
    fn read(text: &str, digits_are_pieces: bool) -> Result<Vec<(u8, u8, char)>, String> {
        let mut cells = Vec::new();
        let cell = |x, y, c| {
            if c == '?' {
                return Err("what is this".to_owned());
            }
            cells.push((x, y, c));
            Ok(())
        };
        let read = read_board(text, (3, 2), digits_are_pieces, rank_name, cell);
        read.map(|()| cells).map_err(|error| error.to_string())
    }

    #[test]
    fn terms_in_parentheses_are_one_move() {
        let all = |line| moves(line).collect::<Vec<_>>();
        assert_eq!(all(" a4  (mark 1 (f 2))b\tc "), ["a4", "(mark 1 (f 2))b", "c"]);
        assert_eq!(all("(a b) ) c"), ["(a b)", ")", "c"]);
        assert_eq!(all("(a b"), ["(a b"]);
        assert!(all(" ").is_empty());
    }

    #[test]
    fn a_board_is_read_from_its_highest_rank() {
        for text in ["1x1/2o", ".x./..o", "1x./1.o"] {
            assert_eq!(read(text, false), Ok(vec![(1, 1, 'x'), (2, 0, 'o')]), "{text}");
        }
        assert_eq!(read("1.2/..0", true), Ok(vec![(0, 1, '1'), (2, 1, '2'), (2, 0, '0')]));
    }

    #[test]
    fn a_board_that_is_wrong_is_refused_with_its_rank() {
        for (text, error) in [
            ("3", "board: expected 2 ranks separated by '/', found 1"),
            ("3/3/3", "board: expected 2 ranks separated by '/', found 3"),
            ("3/2", "rank 1: expected 3 cells, found 2"),
            ("xxé1/3", "rank 2: expected 3 cells, found 4"),
            ("12/3", "rank 2: expected 3 cells, found 12"),
            ("99999999999/3", "rank 2: expected 3 cells, found 4294967295"),
            ("3/0xxx", "rank 1: a run of 0 empty cells"),
            ("3/1?1", "rank 1: what is this"),
        ] {
            assert_eq!(read(text, false), Err(format!("bad position: {error}")), "{text}");
        }
    }

    #[test]
    fn a_board_is_written_as_it_is_read() {
        for text in ["1x1/2o", "3/3", "xox/o2", "1xo/o1x"] {
            let cells = read(text, false).expect("right");
            let cell = |x, y| cells.iter().find(|it| (it.0, it.1) == (x, y)).map(|it| it.2);
            assert_eq!(write_board((3, 2), cell), text);
        }
    }

    #[test]
    fn a_board_is_drawn_with_ranks_and_files() {
        let cell = |x, y| drawn(if x == y { "x" } else { "." }, (x, y) == (1, 1));
        assert_eq!(draw_board((2, 2), cell), " 2  . [x]\n 1  x  .\n    a  b\n");
        assert_eq!(draw_board((1, 1), |_, _| String::new()), " 1\n   a\n");
        assert_eq!(CellName { x: 1, y: 9 }.to_string(), "b10");
    }

    #[test]
    fn parts_of_a_position_are_read() {
        assert_eq!(
            ["7", "255", "256", "+7", "-1", ""].map(number),
            [Some(7), Some(255), None, None, None, None]
        );
        assert_eq!(fields(" a  b ", ["x", "y"]), Ok(["a", "b"]));
        for (text, found) in [("a", 1), ("a b c", 3)] {
            let error = fields(text, ["x", "y"]).expect_err("a wrong number").to_string();
            assert_eq!(
                error,
                format!("bad position: fields: expected 2 fields separated by spaces (x, y), found {found}")
            );
        }
        assert_eq!(["B", "b", "c"].map(|field| one_of(field, &["a", "b"])), [Some(1), Some(1), None]);
        let wrong = |error: PositionError| error.to_string();
        assert_eq!(["A", "b"].map(|field| either("mover", field, ["a", "b"])), [Ok(0), Ok(1)]);
        let message = "bad position: mover: \"c\" is neither 'a' nor 'b'";
        assert_eq!(either("mover", "c", ["a", "b"]).map_err(wrong), Err(message.to_owned()));
        assert_eq!(check_to_move("mover", "A", "a", "two stones"), Ok(()));
        let message = "bad position: mover: after two stones \"a\" is to move, not \"b\"";
        assert_eq!(check_to_move("mover", "b", "a", "two stones").map_err(wrong), Err(message.to_owned()));
        assert_eq!(['x', 'O'].map(|c| read_letter(c, ['x', 'o'], "mark")), [Ok(0), Ok(1)]);
        assert_eq!(read_letter('z', ['x', 'o'], "mark"), Err("'z' is not a mark ('x' or 'o')".to_owned()));
        let letters = [[true, false], [false, true], [false, false]].map(|it| letter_of(it, ['x', 'o']));
        assert_eq!(letters, [Some('x'), Some('o'), None]);
        let lists: [&[&str]; 5] = [&["01", "10"], &["0", "1"], &["01", "1"], &["01", "12"], &[]];
        assert_eq!(lists.map(are_binary), [true, false, false, false, false]);
    }
}
