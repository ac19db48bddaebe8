//! Boards and positions as pictures, for programs that draw them.
//!
//! Places are numbered: first the cells of the board, level by level, each level row by row from
//! the top, each row from the left; then the places of the trays.

use serde::Serialize;

/// The board of a game, the trays beside it, and what can stand on them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Layout {
    /// The names of the levels; one for a flat board.
    pub levels: Vec<String>,
    /// The names of the rows, from the top.
    pub rows: Vec<String>,
    /// The names of the columns, from the left.
    pub columns: Vec<String>,
    /// What the board looks like.
    pub surface: Surface,
    /// The names of the four quadrants: top left, top right, bottom left, bottom right; none unless
    /// they can turn.
    pub quadrants: Vec<String>,
    /// The trays. Their places are numbered after the cells, tray by tray.
    pub trays: Vec<Tray>,
    /// Everything that can stand on a place.
    pub glyphs: Vec<Glyph>,
}

/// What a board looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// Squares of one color.
    Squares,
    /// Light and dark squares, the bottom left one dark.
    Checkered,
    /// Wood with a round well for each piece.
    Wells,
    /// Lines, with stones on their crossings.
    Lines,
    /// Four quadrants that can turn.
    Quadrants,
}

/// A row of places beside the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Tray {
    /// The name of what it holds.
    pub name: String,
    /// The number of its places.
    pub places: usize,
}

/// Something that can stand on a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Glyph {
    /// Its character in pictures: an ASCII letter or digit.
    pub code: char,
    /// Its description in words.
    pub name: String,
    /// The token of the moves that take it; null if they are not named after it.
    pub token: Option<String>,
    /// Its drawing: SVG elements in a box of 100 × 100, without `style` attributes.
    pub svg: String,
}

/// A picture of a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Picture {
    /// The position of a game with a layout.
    Scene(Scene),
    /// The position of a game without one.
    Text(TextPicture),
}

/// A position drawn in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TextPicture {
    /// The drawing, as lines.
    pub text: String,
}

/// What stands on each place of a layout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Scene {
    /// One character for each place: the code of what is on it, or `.` if it is empty.
    pub places: String,
    /// The cells to choose from in an unfinished turn of several plies; none if there is no such
    /// turn.
    pub open: Vec<usize>,
    /// The quadrant that the last move turned; left out if it turned none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turned: Option<Turned>,
    /// The lines that decided the game: the cells of each from end to end; none if there is no such
    /// line.
    pub lines: Vec<Vec<usize>>,
    /// What else people have to know of the position, in a line; left out if there is nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub more: String,
}

/// A quarter turn of a quadrant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Turned {
    /// The quadrant: 0 top left, 1 top right, 2 bottom left, 3 bottom right.
    pub quadrant: usize,
    /// Whether it turned clockwise.
    pub clockwise: bool,
}

/// What a move changes in the picture of a position.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Change {
    /// The places that change: the number of each and the code of what is on it then, or `.` if it
    /// is empty then.
    pub places: Vec<(usize, char)>,
    /// The open cells after the move.
    pub open: Vec<usize>,
    /// The quadrant that the move turns; left out if it turns none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turned: Option<Turned>,
    /// The cells that people click one after the other for the move; left out if a click on a cell that it changes
    /// means it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<usize>,
}
