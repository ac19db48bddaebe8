//! The twin of king and rook against king.

use super::{Twin, cell_of, cell_token};
use crate::catalog::Rules;

const ROLES: [&str; 2] = ["white", "black"];

/// File and rank, both counted from 1.
pub(crate) type Cell = (usize, usize);

#[derive(Clone, Copy)]
pub(crate) struct KrkTwin {
    rules: Rules,
    white_king: Cell,
    rook: Cell,
    black_king: Cell,
    whites_turn: bool,
    step: u32,
}

pub(crate) fn all_cells() -> Vec<Cell> {
    (1..=4).flat_map(|y| (1..=4).map(move |x| (x, y))).collect()
}

/// Whether the cells are a king's move apart.
pub(crate) fn adjacent(a: Cell, b: Cell) -> bool {
    a != b && a.0.abs_diff(b.0) <= 1 && a.1.abs_diff(b.1) <= 1
}

/// The cells strictly between two different cells of one rank or file; `None` for any other two.
fn between(a: Cell, b: Cell) -> Option<Vec<Cell>> {
    let inside = |from: usize, to: usize| from.min(to) + 1..from.max(to);
    if a == b {
        None
    } else if a.1 == b.1 {
        Some(inside(a.0, b.0).map(|x| (x, a.1)).collect())
    } else if a.0 == b.0 {
        Some(inside(a.1, b.1).map(|y| (a.0, y)).collect())
    } else {
        None
    }
}

impl KrkTwin {
    pub(crate) fn new(rules: Rules) -> Self {
        Self::at(rules, [(3, 1), (4, 1), (1, 4)], true, 1)
    }

    /// The position with these cells of the white king, the rook and the black king.
    pub(crate) fn at(rules: Rules, pieces: [Cell; 3], whites_turn: bool, step: u32) -> Self {
        let [white_king, rook, black_king] = pieces;
        Self { rules, white_king, rook, black_king, whites_turn, step }
    }

    /// The position's string, as the rules describe it: `k3/4/4/2KR w 1`.
    pub(crate) fn position(&self) -> String {
        let ranks: Vec<String> = (1..=4)
            .rev()
            .map(|y| {
                let mut rank = String::new();
                let mut empty = 0;
                for x in 1..=4 {
                    let piece = match (x, y) {
                        cell if cell == self.white_king => 'K',
                        cell if cell == self.rook => 'R',
                        cell if cell == self.black_king => 'k',
                        _ => {
                            empty += 1;
                            continue;
                        }
                    };
                    if empty > 0 {
                        rank += &empty.to_string();
                        empty = 0;
                    }
                    rank.push(piece);
                }
                if empty > 0 {
                    rank += &empty.to_string();
                }
                rank
            })
            .collect();
        format!("{} {} {}", ranks.join("/"), if self.whites_turn { 'w' } else { 'b' }, self.step)
    }

    fn is_empty(&self, cell: Cell) -> bool {
        ![self.white_king, self.rook, self.black_king].contains(&cell)
    }

    /// Whether the rook attacks the cell with no piece between. Only the white king can be such a
    /// piece.
    fn is_attacked(&self, cell: Cell) -> bool {
        between(self.rook, cell).is_some_and(|cells| !cells.contains(&self.white_king))
    }

    fn is_guarded(&self, cell: Cell) -> bool {
        adjacent(self.white_king, cell)
    }

    fn black_targets(&self) -> Vec<Cell> {
        let may_go = |&cell: &Cell| {
            adjacent(self.black_king, cell)
                && self.is_empty(cell)
                && !self.is_attacked(cell)
                && !self.is_guarded(cell)
        };
        all_cells().into_iter().filter(may_go).collect()
    }

    fn king_targets(&self) -> Vec<Cell> {
        let may_go = |&cell: &Cell| {
            adjacent(self.white_king, cell) && self.is_empty(cell) && !adjacent(self.black_king, cell)
        };
        all_cells().into_iter().filter(may_go).collect()
    }

    fn rook_targets(&self) -> Vec<Cell> {
        let may_go = |&cell: &Cell| {
            let clear = between(self.rook, cell).is_some_and(|cells| cells.iter().all(|&c| self.is_empty(c)));
            clear && self.is_empty(cell) && !adjacent(self.black_king, cell)
        };
        all_cells().into_iter().filter(may_go).collect()
    }

    /// The legal moves if the game is not over.
    fn moves(&self) -> Vec<String> {
        let write = |letter: char, from: Cell, targets: Vec<Cell>| -> Vec<String> {
            let from = cell_token(from.0, from.1);
            targets.into_iter().map(|(x, y)| format!("{letter}{from}-{}", cell_token(x, y))).collect()
        };
        if self.whites_turn {
            [write('K', self.white_king, self.king_targets()), write('R', self.rook, self.rook_targets())]
                .concat()
        } else {
            write('k', self.black_king, self.black_targets())
        }
    }

    pub(crate) fn is_stuck(&self) -> bool {
        self.black_targets().is_empty()
    }

    pub(crate) fn is_checkmate(&self) -> bool {
        let in_check = self.is_attacked(self.black_king)
            || (self.rules == Rules::Spec && self.is_guarded(self.black_king));
        in_check && self.is_stuck()
    }

    fn has_ended(&self) -> bool {
        match self.rules {
            Rules::Spec => self.is_stuck() || self.moves().is_empty() || self.step == 11,
            Rules::Ggp => self.is_stuck() || self.step == 10,
        }
    }
}

impl Twin for KrkTwin {
    fn roles(&self) -> &'static [&'static str] {
        &ROLES
    }

    fn to_move(&self) -> Option<&'static str> {
        let mover = if self.whites_turn { "white" } else { "black" };
        if self.has_ended() { None } else { Some(mover) }
    }

    fn legal(&self) -> Vec<String> {
        if self.has_ended() { Vec::new() } else { self.moves() }
    }

    fn apply(&mut self, token: &str) {
        let (_, to) = token.split_once('-').expect("a move names both cells");
        let piece = match &token[..1] {
            "K" => &mut self.white_king,
            "R" => &mut self.rook,
            _ => &mut self.black_king,
        };
        *piece = cell_of(to);
        self.whites_turn = !self.whites_turn;
        self.step += 1;
    }

    fn scores(&self) -> Vec<u32> {
        if self.is_checkmate() { vec![100, 0] } else { vec![0, 100] }
    }

    fn boxed(&self) -> Box<dyn Twin> {
        Box::new(*self)
    }
}
