//! A position as a picture, for programs that draw it.

/// The code of a place with nothing on it.
pub const EMPTY: char = '.';

/// How a position looks.
#[derive(Debug, Clone)]
pub enum Picture {
    /// As text of several lines.
    Text(String),
    /// As a board with things on it.
    Scene(Scene),
}

/// What stands where, on a board and beside it.
///
/// Places are numbered through: the cells of the board level by level, each row by row from the top, each row
/// from the left, then the places of the trays.
#[derive(Debug, Clone)]
pub struct Scene {
    /// What never changes in the course of a game.
    pub layout: &'static Layout,
    /// For each place the [code](Glyph::code) of what is on it, or [`EMPTY`].
    pub places: Vec<char>,
    /// The cells between which a move made in several steps still has to choose; empty if there is none.
    pub open: Vec<usize>,
    /// The quadrant that the last move turned.
    pub turned: Option<Turned>,
}

/// A quarter turn of a quadrant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turned {
    /// The quadrant: 0 top left, 1 top right, 2 bottom left, 3 bottom right.
    pub quadrant: usize,
    /// The direction.
    pub clockwise: bool,
}

/// The board of a game and what belongs beside it.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// The names of the levels; a single one for a flat board.
    pub levels: &'static [&'static str],
    /// The names of the rows, from the top.
    pub rows: &'static [&'static str],
    /// The names of the columns, from the left.
    pub columns: &'static [&'static str],
    /// What the board looks like.
    pub surface: Surface,
    /// Where pieces stand beside the board.
    pub trays: &'static [Tray],
    /// Lists everything that can stand on a place.
    pub glyphs: fn() -> Vec<Glyph>,
}

impl Layout {
    /// The number of places: cells of the board, and places of the trays.
    #[must_use]
    pub fn places(&self) -> usize {
        let cells = self.levels.len() * self.rows.len() * self.columns.len();
        cells + self.trays.iter().map(|tray| tray.places).sum::<usize>()
    }
}

/// What a board looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// Squares of one color.
    Squares,
    /// Light and dark squares, the bottom left one dark.
    Checkered,
    /// Lines, with stones on their crossings.
    Lines,
    /// Four quadrants that can turn.
    Quadrants,
}

impl Surface {
    /// The name in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Squares => "squares",
            Self::Checkered => "checkered",
            Self::Lines => "lines",
            Self::Quadrants => "quadrants",
        }
    }
}

/// A row of places beside the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tray {
    /// What it holds.
    pub name: &'static str,
    /// How many places it has.
    pub places: usize,
}

/// Something that can stand on a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyph {
    /// Stands for it in [`Scene::places`]: an ASCII letter or digit.
    pub code: char,
    /// What it is, in words.
    pub name: String,
    /// What it looks like: SVG elements in a box of 100 × 100.
    pub svg: String,
}
