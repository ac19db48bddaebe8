//! A position as a picture, for programs that draw it.

use std::sync::Arc;

/// The code of an empty place.
pub const EMPTY: char = '.';

/// A picture of a position.
#[derive(Debug, Clone)]
pub enum Picture {
    /// Text of several lines.
    Text(String),
    /// A board with things on it.
    Scene(Scene),
}

/// What stands on each place of a board and beside it.
///
/// Places are numbered: first the cells of the board, level by level, each level row by row from
/// the top, each row from the left; then the places of the trays.
#[derive(Debug, Clone)]
pub struct Scene {
    /// What stays the same throughout a game.
    pub layout: Arc<Layout>,
    /// The [code](Glyph::code) of what is on each place, or [`EMPTY`].
    pub places: Vec<char>,
    /// The cells to choose from in an unfinished turn of several plies; empty if there is none.
    pub open: Vec<usize>,
    /// The quadrant that the last move turned, if it turned one.
    pub turned: Option<Turned>,
    /// The lines that decided the game: the cells of each from end to end; empty if there is none.
    pub lines: Vec<Vec<usize>>,
    /// What else people have to know of the position, in a line below the board; empty if there is nothing.
    pub more: String,
}

impl Scene {
    /// Returns a scene with these places, no open cells, nothing turned, no lines and nothing more.
    #[must_use]
    pub fn new(layout: &Arc<Layout>, places: Vec<char>) -> Self {
        let layout = Arc::clone(layout);
        Self { layout, places, open: Vec::new(), turned: None, lines: Vec::new(), more: String::new() }
    }
}

/// A quarter turn of a quadrant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turned {
    /// The quadrant: 0 top left, 1 top right, 2 bottom left, 3 bottom right.
    pub quadrant: usize,
    /// Whether it turned clockwise.
    pub clockwise: bool,
}

/// The board of a game and the trays beside it.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The names of the levels; one for a flat board.
    pub levels: Vec<String>,
    /// The names of the rows, from the top.
    pub rows: Vec<String>,
    /// The names of the columns, from the left.
    pub columns: Vec<String>,
    /// What the board looks like.
    pub surface: Surface,
    /// Where pieces stand beside the board.
    pub trays: Vec<Tray>,
    /// Everything that can stand on a place.
    pub glyphs: Vec<Glyph>,
}

impl Layout {
    /// Returns a flat board without trays; the rows are named from the top.
    #[must_use]
    pub fn flat<N: ToString>(rows: &[N], columns: &[N], surface: Surface, glyphs: Vec<Glyph>) -> Self {
        let names = |names: &[N]| names.iter().map(ToString::to_string).collect();
        let levels = vec!["board".to_owned()];
        Self { levels, rows: names(rows), columns: names(columns), surface, trays: Vec::new(), glyphs }
    }

    /// The number of places: the cells of the board and the places of the trays.
    #[must_use]
    pub fn places(&self) -> usize {
        let cells = self.levels.len() * self.rows.len() * self.columns.len();
        cells + self.trays.iter().map(|tray| tray.places).sum::<usize>()
    }

    /// Returns the cells at the ends of a line by their names, such as `a1 to d4`; empty for a line without cells.
    ///
    /// # Panics
    /// If a cell is none of the board.
    #[must_use]
    pub fn ends(&self, line: &[usize]) -> String {
        let name = |&cell: &usize| {
            let (row, column) = (cell / self.columns.len(), cell % self.columns.len());
            let (level, row) = (row / self.rows.len(), row % self.rows.len());
            match &*self.levels {
                [_] => format!("{}{}", self.columns[column], self.rows[row]),
                levels => format!("{} {} {}", self.rows[row], self.columns[column], levels[level]),
            }
        };
        let ends: Vec<String> = line.first().into_iter().chain(line.last()).map(name).collect();
        ends.join(" to ")
    }
}

/// What a board looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// Squares of one color.
    Squares,
    /// Light and dark squares, the bottom left one dark.
    Checkered,
    /// Wood with a round well for each piece.
    Wells,
    /// Lines, with stones on their crossings.
    Lines,
    /// Four quadrants that can turn, and their names: top left, top right, bottom left, bottom
    /// right.
    Quadrants([&'static str; 4]),
}

/// A row of places beside the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tray {
    /// The name of what it holds.
    pub name: &'static str,
    /// The number of its places.
    pub places: usize,
}

/// Something that can stand on a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyph {
    /// The character for it in [`Scene::places`]: an ASCII letter or digit.
    pub code: char,
    /// Its description in words.
    pub name: String,
    /// The token of the moves that take it, if they are named after it.
    pub token: Option<String>,
    /// Its drawing: SVG elements in a box of 100 × 100, without `style` attributes.
    pub svg: String,
}

impl Glyph {
    /// Something that no move is named after.
    #[must_use]
    pub fn new(code: char, name: &str, svg: String) -> Self {
        Self { code, name: name.to_owned(), token: None, svg }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_has_places_on_the_board_and_beside_it() {
        let flat = Layout::flat(&["2", "1"], &["a", "b", "c"], Surface::Squares, Vec::new());
        let layout = Layout {
            levels: ["low", "high"].map(str::to_owned).into(),
            trays: vec![Tray { name: "left", places: 5 }, Tray { name: "right", places: 7 }],
            ..flat.clone()
        };
        assert_eq!(layout.places(), 2 * 2 * 3 + 5 + 7);
        assert_eq!(layout.ends(&[1, 4, 11]), "2 b low to 1 c high");
        assert_eq!((flat.ends(&[3, 1]), flat.ends(&[])), ("a1 to b2".to_owned(), String::new()));
    }
}
