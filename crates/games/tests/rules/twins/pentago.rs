//! Pentago's twin.

use super::{Twin, cell_of, cell_token};
use crate::catalog::Rules;

const ROLES: [&str; 2] = ["red", "black"];

#[derive(Clone)]
pub(super) struct PentagoTwin {
    rules: Rules,
    /// `board[y - 1][x - 1]` is the player whose stone is on the cell.
    board: [[Option<usize>; 6]; 6],
    actions: usize,
}

impl PentagoTwin {
    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, board: [[None; 6]; 6], actions: 0 }
    }

    /// The player who acts and whether the action is a rotation.
    fn turn(&self) -> (usize, bool) {
        let round = match self.rules {
            Rules::Spec => [(0, false), (1, false), (0, true), (1, true)],
            Rules::Ggp => [(0, false), (0, true), (1, false), (1, true)],
        };
        round[self.actions % 4]
    }

    fn at(&self, x: i32, y: i32) -> Option<usize> {
        let row = self.board.get(usize::try_from(y).ok()?)?;
        *row.get(usize::try_from(x).ok()?)?
    }

    /// Whether the player has five in a row; a longer run contains five.
    fn has_line(&self, player: usize) -> bool {
        for y in 0..6 {
            for x in 0..6 {
                for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    if (0..5).all(|n| self.at(x + dx * n, y + dy * n) == Some(player)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn is_full(&self) -> bool {
        self.board.iter().flatten().all(Option::is_some)
    }

    fn has_ended(&self) -> bool {
        self.has_line(0) || self.has_line(1) || self.is_full()
    }

    fn rotate(&mut self, quadrant: &str, clockwise: bool) {
        // The numbers of files and ranks before the quadrant's first.
        let (left, below) = match quadrant {
            "1" => (3, 3),
            "2" => (0, 3),
            "3" => (0, 0),
            "4" => (3, 0),
            other => panic!("there is no quadrant {other}"),
        };
        let index = |x: usize, y: usize| (left + x - 1, below + y - 1);
        let before = self.board;
        for y in 1..=3 {
            for x in 1..=3 {
                let (from_x, from_y) = index(x, y);
                let (to_x, to_y) = if clockwise { index(y, 4 - x) } else { index(4 - y, x) };
                self.board[to_y][to_x] = before[from_y][from_x];
            }
        }
    }
}

impl Twin for PentagoTwin {
    fn roles(&self) -> &'static [&'static str] {
        &ROLES
    }

    fn to_move(&self) -> Option<&'static str> {
        if self.has_ended() { None } else { Some(ROLES[self.turn().0]) }
    }

    fn legal(&self) -> Vec<String> {
        if self.has_ended() {
            return Vec::new();
        }
        let (_, rotates) = self.turn();
        if rotates {
            return ["1cw", "1ccw", "2cw", "2ccw", "3cw", "3ccw", "4cw", "4ccw"].map(str::to_owned).to_vec();
        }
        let mut cells = Vec::new();
        for y in 1..=6 {
            for x in 1..=6 {
                if self.board[y - 1][x - 1].is_none() {
                    cells.push(cell_token(x, y));
                }
            }
        }
        cells
    }

    fn apply(&mut self, token: &str) {
        let (player, rotates) = self.turn();
        if rotates {
            let (quadrant, direction) = token.split_at(1);
            self.rotate(quadrant, direction == "cw");
        } else {
            let (x, y) = cell_of(token);
            self.board[y - 1][x - 1] = Some(player);
        }
        self.actions += 1;
    }

    fn scores(&self) -> Vec<u32> {
        match (self.has_line(0), self.has_line(1)) {
            (true, true) => vec![50, 50],
            (true, false) => vec![100, 0],
            (false, true) => vec![0, 100],
            (false, false) if self.is_full() => vec![50, 50],
            (false, false) => vec![0, 0],
        }
    }

    fn boxed(&self) -> Box<dyn Twin> {
        Box::new(self.clone())
    }
}
