//! Positions as text for people: a board where fluents look like cells, and a list of what else is true.
//!
//! Fluents look like cells if they have a name and three arguments, such as `(cell 2 1 x)`, and each pair of the first
//! two is there once at most. The first argument is the column, from the left, the second one the row, from the top.
//! A move marks the cells whose columns and rows its last arguments are, two by two; if there are none, all else that
//! is true.

use std::collections::BTreeMap;

use crate::compiled::symbols;
use crate::ground::natural;

/// The fewest cells of a board.
const LEAST: usize = 4;

/// A fluent that looks like a cell: its name, column, row and what is there.
fn cell(fluent: &str) -> Option<[&str; 4]> {
    let inner = fluent.strip_prefix('(')?.strip_suffix(')')?;
    let parts: Vec<&str> = inner.split(' ').collect();
    parts.try_into().ok().filter(|parts: &[&str; 4]| parts.iter().all(|it| !it.contains(['(', ')'])))
}

/// The cells of a board.
struct Board<'a> {
    columns: Vec<&'a str>,
    rows: Vec<&'a str>,
    /// The width of a cell.
    width: usize,
    cells: Vec<[&'a str; 4]>,
}

impl<'a> Board<'a> {
    /// The board of these cells, which are all that there may be.
    fn new(cells: Vec<[&'a str; 4]>, may_be: &[[&'a str; 4]]) -> Self {
        let own = || may_be.iter().filter(|it| cells.iter().any(|cell| cell[0] == it[0]));
        let names = |at: usize| {
            let mut all: Vec<&str> = own().map(|it| it[at]).collect();
            all.sort_by_cached_key(|it| natural(it));
            all.dedup();
            all
        };
        let width = own().flat_map(|it| [it[1], it[3]]).map(|it| it.chars().count()).max();
        Self { columns: names(1), rows: names(2), width: width.unwrap_or(1) + 2, cells }
    }

    /// Its lines, with the cells in brackets that are marked.
    fn draw(&self, is_marked: impl Fn(&str, &str) -> bool) -> String {
        let margin = self.rows.iter().map(|it| it.chars().count()).max().unwrap_or(1);
        let width = self.width;
        let mut text = String::new();
        let head: Vec<String> =
            self.columns.iter().map(|it| format!("{:<width$}", format!(" {it}"))).collect();
        text += format!("{:margin$} {}", "", head.concat()).trim_end();
        text += "\n";
        for row in &self.rows {
            let cells = self.columns.iter().map(|column| {
                let here =
                    self.cells.iter().find(|it| it[1] == *column && it[2] == *row).map_or(".", |it| it[3]);
                let shown = if is_marked(column, row) { format!("[{here}]") } else { format!(" {here}") };
                format!("{shown:<width$}")
            });
            text += format!("{row:>margin$} {}", cells.collect::<Vec<_>>().concat()).trim_end();
            text += "\n";
        }
        text
    }
}

/// Draws what is true of all that may be, with the effect of a move.
pub(crate) fn draw<'a>(
    all: impl Iterator<Item = &'a str>,
    fluents: impl Iterator<Item = &'a str>,
    mark: Option<&str>,
) -> String {
    let may_be: Vec<[&str; 4]> = all.filter_map(cell).collect();
    let fluents: Vec<&str> = fluents.collect();
    let mut boards: BTreeMap<&str, Vec<[&str; 4]>> = BTreeMap::new();
    for cell in fluents.iter().filter_map(|it| cell(it)) {
        boards.entry(cell[0]).or_default().push(cell);
    }
    boards.retain(|_, cells| {
        let mut places: Vec<[&str; 2]> = cells.iter().map(|it| [it[1], it[2]]).collect();
        places.sort_unstable();
        cells.len() >= LEAST && places.windows(2).all(|it| it[0] != it[1])
    });
    let rest = fluents.iter().filter(|it| cell(it).is_none_or(|it| !boards.contains_key(it[0])));
    let rest = rest.copied().collect::<Vec<&str>>().join(" ");
    let mark = mark.map(symbols).unwrap_or_default();
    let arguments = mark.get(1..).unwrap_or_default();
    let is_marked = |column: &str, row: &str| arguments.rchunks(2).any(|it| it == [column, row]);
    let mut text = String::new();
    for cells in boards.into_values() {
        text += &Board::new(cells, &may_be).draw(is_marked);
    }
    let marks_rest = !mark.is_empty() && !text.contains('[');
    if marks_rest {
        text += &format!("[{rest}]\n");
    } else if !rest.is_empty() {
        text += &format!("{rest}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_a_board_and_the_rest_a_list() {
        let fluents =
            ["(cell 1 1 x)", "(cell 10 1 b)", "(cell 2 1 b)", "(cell 1 2 oo)", "(control x)", "(step 1 2 3)"];
        let draw_with = |mark| draw(fluents.into_iter().chain(["(cell 1 3 x)"]), fluents.into_iter(), mark);
        let rest = "(control x) (step 1 2 3)";
        let plain = format!("   1   2   10\n1  x   b   b\n2  oo  .   .\n3  .   .   .\n{rest}\n");
        assert_eq!(draw_with(None), plain);
        let marked = format!("   1   2   10\n1  x   b   b\n2 [oo] .   .\n3 [.]  .   .\n{rest}\n");
        assert_eq!(draw_with(Some("(move 1 2 1 3)")), marked);
        assert!(draw_with(Some("noop")).ends_with("\n[(control x) (step 1 2 3)]\n"));
        let twice = ["(at 1 1 x)", "(at 1 1 y)", "(at 1 2 x)", "(at 2 1 x)"];
        assert_eq!(draw(twice.into_iter(), twice.into_iter(), None).lines().count(), 1);
    }
}
