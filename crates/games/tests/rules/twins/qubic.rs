//! Qubic's twin.

use super::Twin;
use crate::catalog::Rules;

const ROLES: [&str; 6] = ["xrow", "xcolumn", "xlevel", "orow", "ocolumn", "olevel"];
const LETTERS: [char; 3] = ['r', 'c', 'l'];

/// Row, column and level, each 1 to 4.
type Cell = [i32; 3];

#[derive(Clone)]
pub(super) struct QubicTwin {
    rules: Rules,
    /// The cells that each team has marked, X first.
    marks: [Vec<Cell>; 2],
    team: usize,
    /// The row, the column and the level chosen so far in this turn.
    chosen: [Option<i32>; 3],
}

fn all_cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for row in 1..=4 {
        for column in 1..=4 {
            for level in 1..=4 {
                cells.push([row, column, level]);
            }
        }
    }
    cells
}

/// The 76 lines: four cells in a row in one of the 26 directions. Each is found from both ends.
fn all_lines() -> Vec<[Cell; 4]> {
    let mut lines = Vec::new();
    for start in all_cells() {
        for direction in 0..27 {
            let step = [direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1];
            if step == [0, 0, 0] {
                continue;
            }
            let mut line = [0, 1, 2, 3].map(|i| [0, 1, 2].map(|axis| start[axis] + i * step[axis]));
            if line.iter().flatten().all(|coordinate| (1..=4).contains(coordinate)) {
                line.sort_unstable();
                lines.push(line);
            }
        }
    }
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), 76, "the number of lines that the rules state");
    lines
}

impl QubicTwin {
    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, marks: Default::default(), team: 0, chosen: [None; 3] }
    }

    /// The axis that is chosen next: row, column or level.
    fn axis(&self) -> usize {
        let already = self.chosen.iter().flatten().count();
        let starter = match self.rules {
            Rules::Spec => 0,
            Rules::Ggp => self.marks[self.team].len() % 3,
        };
        (starter + already) % 3
    }

    fn is_blank(&self, cell: Cell) -> bool {
        !self.marks[0].contains(&cell) && !self.marks[1].contains(&cell)
    }

    fn is_legal(&self, axis: usize, choice: i32) -> bool {
        let mut wanted = self.chosen;
        wanted[axis] = Some(choice);
        all_cells().into_iter().any(|cell| {
            self.is_blank(cell) && (0..3).all(|i| wanted[i].is_none_or(|coordinate| coordinate == cell[i]))
        })
    }

    fn winner(&self) -> Option<usize> {
        thread_local!(static LINES: Vec<[Cell; 4]> = all_lines());
        LINES.with(|lines| {
            (0..2).find(|&team| {
                lines.iter().any(|line| line.iter().all(|cell| self.marks[team].contains(cell)))
            })
        })
    }
}

impl Twin for QubicTwin {
    fn roles(&self) -> &'static [&'static str] {
        &ROLES
    }

    fn to_move(&self) -> Option<&'static str> {
        let full = self.marks[0].len() + self.marks[1].len() == 64;
        if full || self.winner().is_some() { None } else { Some(ROLES[3 * self.team + self.axis()]) }
    }

    fn legal(&self) -> Vec<String> {
        if self.to_move().is_none() {
            return Vec::new();
        }
        let axis = self.axis();
        (1..=4)
            .filter(|&choice| self.is_legal(axis, choice))
            .map(|choice| format!("{}{choice}", LETTERS[axis]))
            .collect()
    }

    fn apply(&mut self, token: &str) {
        let axis = self.axis();
        self.chosen[axis] = Some(token[1..].parse().expect("a choice ends with its coordinate"));
        if let [Some(row), Some(column), Some(level)] = self.chosen {
            self.marks[self.team].push([row, column, level]);
            self.team = 1 - self.team;
            self.chosen = [None; 3];
        }
    }

    fn scores(&self) -> Vec<u32> {
        match self.winner() {
            None => vec![50; 6],
            Some(winner) => (0..6).map(|role| if role / 3 == winner { 100 } else { 0 }).collect(),
        }
    }

    fn boxed(&self) -> Box<dyn Twin> {
        Box::new(self.clone())
    }
}
