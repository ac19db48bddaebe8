//! Positions for people: a board where fluents look like cells, and a list of what else is true.
//!
//! Fluents look like cells if they have a name and three arguments, such as `(cell 2 1 x)`, and if at the start no two
//! of a name are true with the same first two. The first argument is the column, from the left, the second one the
//! row, from the bottom. Of several such names, the board is that with the most cells. A move names the cells whose
//! columns and rows are arguments of it, side by side.

use std::collections::HashMap;
use std::sync::Arc;

use quintet_core::game::{EMPTY, Layout, Role, Scene, Surface};

use crate::ground::natural;
use crate::pieces;
use crate::terms::symbols;

/// The fewest cells of a board, and the most columns or rows.
const LEAST: usize = 4;
const MOST: usize = 40;
/// The most facts that are listed below a board.
const MOST_LISTED: usize = 40;

/// A fluent that looks like a cell: its name, column, row and what is there.
fn cell(fluent: &str) -> Option<[&str; 4]> {
    let inner = fluent.strip_prefix('(')?.strip_suffix(')')?;
    let parts: Vec<&str> = inner.split(' ').collect();
    parts.try_into().ok().filter(|parts: &[&str; 4]| parts.iter().all(|it| !it.contains(['(', ')'])))
}

/// The board of a game.
#[derive(Debug)]
pub(crate) struct Board {
    layout: Arc<Layout>,
    /// The cells by their columns and rows.
    places: HashMap<[String; 2], usize>,
    /// What the fluents of the board put on which cell.
    contents: HashMap<String, (usize, char)>,
}

impl Board {
    /// The board of a game with these fluents, of which those of `start` are true at first; `None` if they don't look
    /// like one.
    pub(crate) fn of<'a>(
        fluents: impl Iterator<Item = &'a str>,
        start: impl Iterator<Item = &'a str>,
        roles: &[Role],
    ) -> Option<Self> {
        let mut named: HashMap<&str, Vec<(&str, [&str; 4])>> = HashMap::new();
        for (fluent, parts) in fluents.filter_map(|it| Some((it, cell(it)?))) {
            named.entry(parts[0]).or_default().push((fluent, parts));
        }
        let mut taken: Vec<[&str; 3]> = start.filter_map(cell).map(|it| [it[0], it[1], it[2]]).collect();
        taken.sort_unstable();
        for pair in taken.windows(2).filter(|it| it[0] == it[1]) {
            named.remove(pair[0][0]);
        }
        let boards = named.iter().filter_map(|(name, cells)| {
            let [columns, rows] = [1, 2].map(|part| {
                let mut names: Vec<&str> = cells.iter().map(|it| it.1[part]).collect();
                names.sort_by_cached_key(|it| natural(it));
                names.dedup();
                names
            });
            let mut places: Vec<&[&str]> = cells.iter().map(|it| &it.1[1..3]).collect();
            places.sort_unstable();
            places.dedup();
            let fits = places.len() >= LEAST && columns.len() <= MOST && rows.len() <= MOST;
            fits.then_some((places.len(), std::cmp::Reverse(*name), columns, rows))
        });
        let (_, name, columns, mut rows) = boards.max_by_key(|it| (it.0, it.1))?;
        rows.reverse();
        let cells = &named[name.0];
        let codes = pieces::codes(cells.iter().map(|it| it.1[3]))?;
        let glyphs = codes.iter().map(|(content, code)| pieces::glyph(*code, content, roles)).collect();
        let pairs =
            rows.iter().flat_map(|row| columns.iter().map(|column| [*column, *row].map(str::to_owned)));
        let places: HashMap<[String; 2], usize> = pairs.zip(0..).collect();
        let code = |content| codes.iter().find(|it| it.0 == content).map_or(EMPTY, |it| it.1);
        let contents = cells.iter().filter_map(|(fluent, parts)| {
            let place = *places.get(&[parts[1], parts[2]].map(str::to_owned))?;
            Some(((*fluent).to_owned(), (place, code(parts[3]))))
        });
        Some(Self {
            contents: contents.collect(),
            layout: Layout::flat(&rows, &columns, Surface::Squares, glyphs).into(),
            places,
        })
    }

    /// What is on each cell, and what else is true. Of two fluents for one cell, the second is listed.
    fn split<'a>(&self, fluents: impl Iterator<Item = &'a str>) -> (Vec<char>, Vec<&'a str>) {
        let mut on: Vec<Option<char>> = vec![None; self.places.len()];
        let mut rest = Vec::new();
        for fluent in fluents {
            match self.contents.get(fluent) {
                Some(&(place, code)) if on[place].is_none() => on[place] = Some(code),
                _ => rest.push(fluent),
            }
        }
        rest.sort_by_cached_key(|it| natural(it));
        (on.into_iter().map(|it| it.unwrap_or(EMPTY)).collect(), rest)
    }

    /// The cells that a move names, in order.
    pub(crate) fn cells(&self, mv: &str) -> Vec<usize> {
        let symbols = symbols(mv);
        let mut left = symbols.get(1..).unwrap_or_default();
        let mut cells = Vec::new();
        // From the end: what comes first may be a piece.
        while let [before @ .., row] = left {
            let [rest @ .., column] = before else { break };
            match self.places.get(&[*column, *row].map(str::to_owned)) {
                Some(&place) => {
                    cells.push(place);
                    left = rest;
                }
                None => left = before,
            }
        }
        cells.reverse();
        cells
    }

    /// The picture of what is true. Whose turn it is, is told beside every picture.
    pub(crate) fn scene<'a>(&self, fluents: impl Iterator<Item = &'a str>, to_move: Option<&Role>) -> Scene {
        let (places, mut rest) = self.split(fluents);
        let turn = to_move.map(|role| format!("(control {})", role.name));
        rest.retain(|it| Some(*it) != turn.as_deref());
        let mut more = rest[..rest.len().min(MOST_LISTED)].join(" ");
        if rest.len() > MOST_LISTED {
            more += &format!(" and {} more", rest.len() - MOST_LISTED);
        }
        Scene { more, ..Scene::new(&self.layout, places) }
    }

    /// The board in lines, with some cells in brackets, and what else is true.
    fn lines<'a>(&self, fluents: impl Iterator<Item = &'a str>, marked: &[usize]) -> (String, Vec<&'a str>) {
        let Layout { rows, columns, glyphs, .. } = &*self.layout;
        let (places, rest) = self.split(fluents);
        let names = columns.iter().chain(glyphs.iter().map(|it| &it.name));
        let width = names.map(|it| it.chars().count()).max().unwrap_or(1) + 2;
        let margin = rows.iter().map(|it| it.chars().count()).max().unwrap_or(1);
        let head: Vec<String> = columns.iter().map(|it| format!("{:<width$}", format!(" {it}"))).collect();
        let mut text = format!("{:margin$} {}", "", head.concat()).trim_end().to_owned() + "\n";
        for (index, row) in rows.iter().enumerate() {
            let place = |column| index * columns.len() + column;
            let cells = (0..columns.len()).map(place).map(|place| {
                let here = glyphs.iter().find(|it| it.code == places[place]).map_or(".", |it| &it.name);
                let shown = if marked.contains(&place) { format!("[{here}]") } else { format!(" {here}") };
                format!("{shown:<width$}")
            });
            text += format!("{row:>margin$} {}", cells.collect::<Vec<_>>().concat()).trim_end();
            text += "\n";
        }
        (text, rest)
    }
}

/// Draws what is true, with the cells of a move in brackets, or if it has none, all else that is true.
pub(crate) fn draw<'a>(
    board: Option<&Board>,
    fluents: impl Iterator<Item = &'a str>,
    mark: Option<&str>,
) -> String {
    let marked = board.zip(mark).map(|(board, mark)| board.cells(mark)).unwrap_or_default();
    let (mut text, rest) = if let Some(board) = board {
        board.lines(fluents, &marked)
    } else {
        let mut all: Vec<&str> = fluents.collect();
        all.sort_by_cached_key(|it| natural(it));
        (String::new(), all)
    };
    let rest = rest.join(" ");
    if mark.is_some() && marked.is_empty() {
        text += &format!("[{rest}]\n");
    } else if !rest.is_empty() {
        text += &format!("{rest}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use quintet_core::game::Side;

    use super::*;

    const FLUENTS: [&str; 7] = [
        "(cell 1 1 x)",
        "(cell 10 1 b)",
        "(cell 2 1 b)",
        "(cell 1 2 oo)",
        "(control x)",
        "(step 1 2 3)",
        "(cell 1 3 x)",
    ];

    fn board() -> Board {
        let roles = [Role::new("x", Side::First), Role::new("oo", Side::Second)];
        Board::of(FLUENTS.into_iter(), FLUENTS[..6].iter().copied(), &roles).expect("they look like cells")
    }

    #[test]
    fn cells_are_a_board_and_the_rest_a_list() {
        let draw_with = |mark| draw(Some(&board()), FLUENTS[..6].iter().copied(), mark);
        let rest = "(control x) (step 1 2 3)";
        let plain = format!("   1   2   10\n3  .   .   .\n2  oo  .   .\n1  x   .   .\n{rest}\n");
        assert_eq!(draw_with(None), plain);
        let marked = format!("   1   2   10\n3 [.]  .   .\n2 [oo] .   .\n1  x   .   .\n{rest}\n");
        assert_eq!(draw_with(Some("(move 1 2 1 3)")), marked);
        assert!(draw_with(Some("noop")).ends_with("\n[(control x) (step 1 2 3)]\n"));
        let scene = board().scene(FLUENTS[..6].iter().copied(), Some(&Role::new("x", Side::First)));
        assert_eq!(
            (scene.places.iter().collect::<String>(), &*scene.more),
            ("...o..x..".to_owned(), "(step 1 2 3)")
        );
    }

    #[test]
    fn a_move_names_cells_beside_other_things() {
        let board = board();
        assert_eq!(board.cells("(move oo 1 2 10 3 queen)"), [3, 2]);
        assert_eq!(board.cells("(drop 1 1 2)"), [3], "what comes first may be a piece");
        assert!(board.cells("noop").is_empty() && board.cells("(drop 2)").is_empty());
    }

    #[test]
    fn what_may_stand_on_one_cell_at_once_is_no_board() {
        let twice = ["(at 1 1 x)", "(at 1 1 y)", "(at 1 2 x)", "(at 2 1 x)", "(at 2 2 x)"];
        assert!(Board::of(twice.into_iter(), twice.into_iter(), &[]).is_none());
        assert!(Board::of(twice.into_iter(), twice[1..].iter().copied(), &[]).is_some());
        assert!(
            Board::of(twice[..3].iter().copied(), twice[1..3].iter().copied(), &[]).is_none(),
            "too few cells"
        );
        assert_eq!(draw(None, twice[..2].iter().copied(), None), "(at 1 1 x) (at 1 1 y)\n");
    }
}
