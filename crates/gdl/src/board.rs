//! Positions as text for people: a board where fluents look like cells, and a list of what else is true.
//!
//! Fluents look like cells if they have a name and three arguments, such as `(cell 2 1 x)`, and each pair of the first
//! two is there once at most. The first argument is the column, from the left, the second one the row, from the top.

use std::collections::BTreeMap;

use crate::ground::natural;

/// The fewest cells of a board.
const LEAST: usize = 4;

/// A fluent that looks like a cell: its name, column, row and what is there.
fn cell(fluent: &str) -> Option<[&str; 4]> {
    let inner = fluent.strip_prefix('(')?.strip_suffix(')')?;
    let parts: Vec<&str> = inner.split(' ').collect();
    parts.try_into().ok().filter(|parts: &[&str; 4]| parts.iter().all(|it| !it.contains(['(', ')'])))
}

/// Draws what is true.
pub(crate) fn draw<'a>(fluents: impl Iterator<Item = &'a str>) -> String {
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
    let mut text = String::new();
    for cells in boards.values() {
        let names = |at: usize| {
            let mut all: Vec<&str> = cells.iter().map(|it| it[at]).collect();
            all.sort_by_cached_key(|it| natural(it));
            all.dedup();
            all
        };
        let (columns, rows) = (names(1), names(2));
        let width =
            cells.iter().flat_map(|it| [it[1], it[3]]).map(|it| it.chars().count()).max().unwrap_or(1);
        let margin = rows.iter().map(|it| it.chars().count()).max().unwrap_or(1);
        let mut line = |row: &str, parts: Vec<&str>| {
            let parts: Vec<String> = parts.iter().map(|it| format!("{it:<width$}")).collect();
            text += format!("{row:>margin$}  {}", parts.join(" ")).trim_end();
            text += "\n";
        };
        line("", columns.clone());
        for row in rows {
            let at = |column: &&str| {
                cells.iter().find(|it| it[1] == *column && it[2] == row).map_or(".", |it| it[3])
            };
            line(row, columns.iter().map(at).collect());
        }
    }
    let rest = fluents.iter().filter(|it| cell(it).is_none_or(|it| !boards.contains_key(it[0])));
    let rest: Vec<&str> = rest.copied().collect();
    if !rest.is_empty() {
        text += &rest.join(" ");
        text += "\n";
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
        assert_eq!(
            draw(fluents.into_iter()),
            "   1  2  10\n1  x  b  b\n2  oo .  .\n(control x) (step 1 2 3)\n"
        );
        assert_eq!(
            draw(["(at 1 1 x)", "(at 1 1 y)", "(at 1 2 x)", "(at 2 1 x)"].into_iter()).lines().count(),
            1
        );
    }
}
