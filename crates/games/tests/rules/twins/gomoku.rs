//! Gomoku's twin.

use super::{Twin, cell_of, cell_token};
use crate::catalog::Rules;

const ROLES: [&str; 2] = ["player1", "player2"];

#[derive(Clone, Copy, PartialEq)]
enum Color {
    Black,
    White,
}

impl Color {
    fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }
}

#[derive(Clone, Copy)]
enum Phase {
    /// The set-up, at step 1 to 6.
    SetUp { step: u32 },
    /// After the set-up: the colors have owners, and the players place their own in turn.
    Play { mover: usize, color_of: [Color; 2] },
}

#[derive(Clone)]
pub(super) struct GomokuTwin {
    rules: Rules,
    /// `board[y][x]`; row 0, column 0, row 12 and column 12 lie beyond the edge and stay empty.
    board: [[Option<Color>; 13]; 13],
    phase: Phase,
}

impl GomokuTwin {
    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, board: [[None; 13]; 13], phase: Phase::SetUp { step: 1 } }
    }

    /// The color that has a maximal run of exactly the right length.
    fn winner(&self) -> Option<Color> {
        let wanted = match self.rules {
            Rules::Spec => 6,
            Rules::Ggp => 5,
        };
        for y in 1..=11 {
            for x in 1..=11 {
                let Some(color) = self.board[y][x] else { continue };
                // East, north, north-east and south-east.
                for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    let has = |n: i32| {
                        let (cx, cy) = (offset(x, dx * n), offset(y, dy * n));
                        self.board[cy][cx] == Some(color)
                    };
                    // A run is counted from its first cell only. There is always a cell beyond its
                    // last.
                    if has(-1) {
                        continue;
                    }
                    let length = 1 + (1..=11).take_while(|&n| has(n)).count();
                    if length == wanted {
                        return Some(color);
                    }
                }
            }
        }
        None
    }

    fn empty_cells(&self) -> Vec<String> {
        let mut cells = Vec::new();
        for y in 1..=11 {
            for x in 1..=11 {
                if self.board[y][x].is_none() {
                    cells.push(cell_token(x, y));
                }
            }
        }
        cells
    }

    fn has_ended(&self) -> bool {
        let stones = self.board.iter().flatten().flatten().count();
        stones == 11 * 11 || self.winner().is_some()
    }

    fn mover(&self) -> usize {
        match self.phase {
            Phase::SetUp { step: 4 | 5 } => 1,
            Phase::SetUp { .. } => 0,
            Phase::Play { mover, .. } => mover,
        }
    }

    fn pick(&mut self, picked: Color) {
        let by = self.mover();
        let mut color_of = [picked.other(); 2];
        color_of[by] = picked;
        let mover = match self.rules {
            Rules::Spec => 0,
            Rules::Ggp => usize::from(color_of[1] == Color::White),
        };
        self.phase = Phase::Play { mover, color_of };
    }

    fn place(&mut self, token: &str) {
        let color = match self.phase {
            Phase::SetUp { step: 2 | 4 } => Color::White,
            Phase::SetUp { .. } => Color::Black,
            Phase::Play { mover, color_of } => color_of[mover],
        };
        let (x, y) = cell_of(token);
        self.board[y][x] = Some(color);
        self.phase = match self.phase {
            Phase::SetUp { step } => Phase::SetUp { step: step + 1 },
            Phase::Play { mover, color_of } => Phase::Play { mover: 1 - mover, color_of },
        };
    }
}

fn offset(coordinate: usize, by: i32) -> usize {
    coordinate
        .checked_add_signed(isize::try_from(by).expect("a step is small"))
        .expect("runs stop at the edge")
}

impl Twin for GomokuTwin {
    fn roles(&self) -> &'static [&'static str] {
        &ROLES
    }

    fn to_move(&self) -> Option<&'static str> {
        if self.has_ended() { None } else { Some(ROLES[self.mover()]) }
    }

    fn legal(&self) -> Vec<String> {
        if self.has_ended() {
            return Vec::new();
        }
        let picks = || vec!["black".to_owned(), "white".to_owned()];
        match self.phase {
            Phase::SetUp { step: 4 } => [self.empty_cells(), picks()].concat(),
            Phase::SetUp { step: 6 } => picks(),
            _ => self.empty_cells(),
        }
    }

    fn apply(&mut self, token: &str) {
        match token {
            "black" => self.pick(Color::Black),
            "white" => self.pick(Color::White),
            cell => self.place(cell),
        }
    }

    fn scores(&self) -> Vec<u32> {
        match (self.winner(), self.phase) {
            (Some(winner), Phase::Play { color_of, .. }) => {
                color_of.iter().map(|&color| if color == winner { 100 } else { 0 }).collect()
            }
            _ => vec![50, 50],
        }
    }

    fn boxed(&self) -> Box<dyn Twin> {
        Box::new(self.clone())
    }
}
