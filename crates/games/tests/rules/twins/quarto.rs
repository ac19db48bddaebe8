//! Quarto's twin.

use super::{Twin, cell_of, cell_token};
use crate::catalog::Rules;

const ROLES: [&str; 2] = ["white", "black"];

#[derive(Clone)]
pub(super) struct QuartoTwin {
    rules: Rules,
    /// `board[y - 1][x - 1]` is the piece on the cell.
    board: [[Option<String>; 4]; 4],
    pool: Vec<String>,
    hand: Option<String>,
    mover: usize,
    last_to_place: usize,
}

impl QuartoTwin {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            board: Default::default(),
            pool: (0..16).map(|piece| format!("{piece:04b}")).collect(),
            hand: None,
            mover: 0,
            last_to_place: 0,
        }
    }

    fn lines() -> Vec<[(usize, usize); 4]> {
        let mut lines = vec![[(0, 0), (1, 1), (2, 2), (3, 3)], [(0, 3), (1, 2), (2, 1), (3, 0)]];
        for i in 0..4 {
            lines.push([(0, i), (1, i), (2, i), (3, i)]);
            lines.push([(i, 0), (i, 1), (i, 2), (i, 3)]);
        }
        lines
    }

    fn has_line(&self) -> bool {
        Self::lines().into_iter().any(|line| {
            let pieces: Vec<&String> = line.iter().filter_map(|&(x, y)| self.board[y][x].as_ref()).collect();
            pieces.len() == 4
                && (0..4).any(|bit| {
                    let first = pieces[0].as_bytes()[bit];
                    pieces.iter().all(|piece| piece.as_bytes()[bit] == first)
                })
        })
    }

    fn is_full(&self) -> bool {
        self.board.iter().flatten().all(Option::is_some)
    }
}

impl Twin for QuartoTwin {
    fn roles(&self) -> &'static [&'static str] {
        &ROLES
    }

    fn to_move(&self) -> Option<&'static str> {
        if self.has_line() || self.is_full() { None } else { Some(ROLES[self.mover]) }
    }

    fn legal(&self) -> Vec<String> {
        if self.to_move().is_none() {
            return Vec::new();
        }
        if self.hand.is_none() {
            return self.pool.clone();
        }
        let mut cells = Vec::new();
        for y in 1..=4 {
            for x in 1..=4 {
                if self.board[y - 1][x - 1].is_none() {
                    cells.push(cell_token(x, y));
                }
            }
        }
        cells
    }

    fn apply(&mut self, token: &str) {
        let selects = self.hand.is_none();
        if selects {
            self.pool.retain(|piece| piece != token);
            self.hand = Some(token.to_owned());
        } else {
            let (x, y) = cell_of(token);
            self.board[y - 1][x - 1] = self.hand.take();
            self.last_to_place = self.mover;
        }
        // Under `ggp` the turn passes with the piece; under `spec` it passes once the piece is
        // placed.
        let passes = match self.rules {
            Rules::Spec => !selects,
            Rules::Ggp => selects,
        };
        if passes {
            self.mover = 1 - self.mover;
        }
    }

    fn scores(&self) -> Vec<u32> {
        if self.has_line() {
            let mut scores = vec![0, 0];
            scores[self.last_to_place] = 100;
            scores
        } else if self.is_full() {
            vec![50, 50]
        } else {
            vec![0, 0]
        }
    }

    fn boxed(&self) -> Box<dyn Twin> {
        Box::new(self.clone())
    }
}
