//! Hex on a board of any size from 3 to 19: `--set size=9`.
//!
//! Red and blue set a stone in turn. Red wins by a chain from the bottom to the top, blue by one from the left to
//! the right. A cell touches those beside it, above and below it, and those up to the left and down to the right.
//!
//! Position string: `3/1r1/3 b`, the ranks from the top; it tells the size.

use std::fmt;
use std::str::FromStr;

use quintet_core::game::text::{self, CellName};
use quintet_core::game::{About, Game, MoveList, Notation, Outcome, Parameter, PositionError, Role, Side};

const LEAST: u8 = 3;
const MOST: u8 = 19;
const CODES: [char; 2] = ['r', 'b'];

/// The cells of the largest board, a bit each.
type Cells = [u64; 6];

/// A position on a board of `size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hex {
    stones: [Cells; 2],
    size: u8,
    ply: u16,
    outcome: Option<Outcome>,
}

/// Set a stone on a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stone {
    x: u8,
    y: u8,
}

impl fmt::Display for Stone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        CellName { x: self.x, y: self.y }.fmt(f)
    }
}

/// The word and the bit of a cell.
fn place(x: u8, y: u8) -> (usize, u64) {
    let index = usize::from(MOST) * usize::from(y) + usize::from(x);
    (index / 64, 1 << (index % 64))
}

fn has(cells: &Cells, x: u8, y: u8) -> bool {
    let (word, bit) = place(x, y);
    cells[word] & bit != 0
}

fn set(cells: &mut Cells, x: u8, y: u8) {
    let (word, bit) = place(x, y);
    cells[word] |= bit;
}

impl Hex {
    fn empty(size: u8) -> Self {
        Self { stones: [[0; 6]; 2], size, ply: 0, outcome: None }
    }

    fn color_at(&self, x: u8, y: u8) -> Option<usize> {
        self.stones.iter().position(|cells| has(cells, x, y))
    }

    fn cells(&self) -> impl Iterator<Item = (u8, u8)> {
        let size = self.size;
        (0..size).flat_map(move |y| (0..size).map(move |x| (x, y)))
    }

    /// Whether the chain with this stone reaches both sides of its color.
    fn connects(&self, color: usize, x: u8, y: u8) -> bool {
        let (mut seen, mut open) = ([0; 6], vec![(x, y)]);
        let (mut reaches_start, mut reaches_end) = (false, false);
        set(&mut seen, x, y);
        while let Some((x, y)) = open.pop() {
            let along = if color == 0 { y } else { x };
            reaches_start |= along == 0;
            reaches_end |= along == self.size - 1;
            for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (-1, 1), (1, -1)] {
                let (Some(x), Some(y)) = (x.checked_add_signed(dx), y.checked_add_signed(dy)) else {
                    continue;
                };
                if x < self.size && y < self.size && has(&self.stones[color], x, y) && !has(&seen, x, y) {
                    set(&mut seen, x, y);
                    open.push((x, y));
                }
            }
        }
        reaches_start && reaches_end
    }
}

impl Game for Hex {
    type Move = Stone;

    const ROLES: &'static [Role] = &[Role::new("red", Side::First), Role::new("blue", Side::Second)];
    // Of the largest board; a position knows its own.
    const MAX_BRANCHING: usize = MOST as usize * MOST as usize;
    const MAX_PLIES: usize = Self::MAX_BRANCHING;

    fn initial() -> Self {
        Self::empty(7)
    }

    fn max_branching(&self) -> usize {
        usize::from(self.size).pow(2)
    }

    fn max_plies(&self) -> usize {
        self.max_branching()
    }

    fn role_to_move(&self) -> usize {
        usize::from(self.ply % 2)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, moves: &mut MoveList<Stone>) {
        moves.clear();
        if self.outcome.is_none() {
            let empty = self.cells().filter(|&(x, y)| self.color_at(x, y).is_none());
            moves.extend(empty.map(|(x, y)| Stone { x, y }));
        }
    }

    fn apply(&mut self, Stone { x, y }: Stone) {
        let color = self.role_to_move();
        set(&mut self.stones[color], x, y);
        self.ply += 1;
        self.outcome = self.connects(color, x, y).then_some(Outcome::Win(Self::ROLES[color].side));
    }
}

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = |x, y| self.color_at(x, y).map(|color| CODES[color]);
        write!(f, "{} {}", text::write_board((self.size, self.size), code), CODES[self.role_to_move()])
    }
}

impl FromStr for Hex {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let [board, mover] = text::fields(text, ["board", "color to move"])?;
        let ranks = board.split('/').count();
        let size = u8::try_from(ranks).ok().filter(|size| (LEAST..=MOST).contains(size));
        let size =
            size.ok_or_else(|| PositionError::new("board", format!("{ranks} ranks, not {LEAST} to {MOST}")))?;
        let mut position = Self::empty(size);
        text::read_board(board, (size, size), false, text::rank_name, |x, y, c| {
            let color = CODES.iter().position(|&code| code == c);
            set(&mut position.stones[color.ok_or_else(|| format!("{c:?} is no stone ('r' or 'b')"))?], x, y);
            position.ply += 1;
            Ok(())
        })?;
        let [red, blue] =
            position.stones.map(|cells| cells.iter().map(|word| word.count_ones()).sum::<u32>());
        if red != blue && red != blue + 1 {
            return Err(PositionError::new("board", format!("{red} red and {blue} blue stones")));
        }
        text::check_to_move(
            "color to move",
            mover,
            &CODES[position.role_to_move()].to_string(),
            "these stones",
        )?;
        // Whoever moved last may have won, the other one not.
        let wins = [0, 1].map(|color| {
            let mut stones = position.cells().filter(|&(x, y)| has(&position.stones[color], x, y));
            stones.any(|(x, y)| position.connects(color, x, y))
        });
        let last = 1 - position.role_to_move();
        if wins[1 - last] {
            return Err(PositionError::new("board", "the color to move has won already"));
        }
        position.outcome = wins[last].then_some(Outcome::Win(Self::ROLES[last].side));
        Ok(position)
    }
}

impl Notation for Hex {
    const ABOUT: About = About {
        title: "Hex",
        summary: "Connect your two sides: red the bottom with the top, blue the left with the right.",
        moves: "the cell, such as c4",
        position: "board color: the ranks from the top with '/' between, 'r', 'b' or a number of empty cells; 'r' or \
                   'b' to move",
    };

    const PARAMETERS: &'static [Parameter] =
        &[Parameter { name: "size", about: "cells along a side", least: 3, most: 19, usual: 7 }];

    fn start(values: &[u32]) -> Self {
        Self::empty(values[0] as u8)
    }

    fn draw(&self, mark: Option<Stone>) -> String {
        text::draw_board((self.size, self.size), |x, y| {
            let code = self.color_at(x, y).map_or('.', |color| CODES[color]);
            text::drawn(code, mark == Some(Stone { x, y }))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_full_board_has_one_winner() {
        use quintet_core::game::Rng;
        let mut rng = Rng::stream(1, 0);
        for size in [3, 5, 11] {
            for _ in 0..200 {
                let rollout = Hex::empty(size).rollout(&mut rng);
                assert!(rollout.plies <= u32::from(size).pow(2));
                assert!(matches!(rollout.outcome, Outcome::Win(_)));
            }
        }
    }

    #[test]
    fn chains_go_up_to_the_left_but_not_to_the_right() {
        let red = |text: &str| text.parse::<Hex>().expect("a position").outcome();
        assert_eq!(red("r1b/1rb/2r b"), Some(Outcome::Win(Side::First)));
        assert_eq!(red("2r/1rb/r1b b"), None);
    }
}
