//! What a model sees of Connect Four: the contents of every four cells in a line.

use super::{ConnectFour, HEIGHT, WIDTH, bit};
use quintet_core::game::Game as _;
use quintet_core::knowledge::Knowledge;
use quintet_core::learned::{FeatureCounts, Features};

/// Nothing is known of Connect Four but what a model learns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConnectFourKnowledge;

impl Knowledge<ConnectFour> for ConnectFourKnowledge {}

/// Column, rank and direction of the first cell of each line, and their number.
const LINES: usize = 69;

/// The cells of each line, as column and rank.
const CELLS: [[(u8, u8); 4]; LINES] = {
    let mut lines = [[(0, 0); 4]; LINES];
    let mut found = 0;
    let mut at = 0;
    while at < WIDTH * HEIGHT * 4 {
        let (cell, direction) = (at / 4, at % 4);
        let (x, y) = ((cell / HEIGHT) as i8, (cell % HEIGHT) as i8);
        let (dx, dy) = [(1, 0), (0, 1), (1, 1), (1, -1)][direction as usize];
        let (last_x, last_y) = (x + 3 * dx, y + 3 * dy);
        if last_x < WIDTH as i8 && last_y >= 0 && last_y < HEIGHT as i8 {
            let mut n = 0;
            while n < 4 {
                lines[found][n as usize] = ((x + n * dx) as u8, (y + n * dy) as u8);
                n += 1;
            }
            found += 1;
        }
        at += 1;
    }
    assert!(found == LINES, "Connect Four has 69 lines");
    lines
};

/// The lines through each cell, by column and rank, and the number of them.
const THROUGH: [[([u8; 13], u8); HEIGHT as usize]; WIDTH as usize] = {
    let mut table = [[([0; 13], 0); HEIGHT as usize]; WIDTH as usize];
    let mut line = 0;
    while line < LINES {
        let mut n = 0;
        while n < 4 {
            let (x, y) = CELLS[line][n];
            let (lines, count) = &mut table[x as usize][y as usize];
            lines[*count as usize] = line as u8;
            *count += 1;
            n += 1;
        }
        line += 1;
    }
    table
};

/// The contents of four cells.
const PATTERNS: usize = 3 * 3 * 3 * 3;

impl ConnectFour {
    /// The contents of a line: of each cell nothing, a disc of the color to move, or one of the other.
    fn pattern(&self, line: usize) -> usize {
        let color = self.role_to_move();
        CELLS[line].iter().fold(0, |pattern, &(x, y)| {
            let is = |color: usize| usize::from(self.discs[color] & bit(x, y) != 0);
            3 * pattern + is(color) + 2 * is(1 - color)
        })
    }
}

impl Features<ConnectFour> for ConnectFourKnowledge {
    // The color that began wins other fights for the last cells, so that each color has its weights. Of a
    // move, the lines through its cell count, and those through the cell above.
    const COUNTS: FeatureCounts =
        FeatureCounts { positions: 2 * LINES * PATTERNS, moves: 2 * 4 * LINES * PATTERNS };

    fn of_position(position: &ConnectFour, mut see: impl FnMut(usize)) {
        let color = position.role_to_move();
        for line in 0..LINES {
            see((color * LINES + line) * PATTERNS + position.pattern(line));
        }
    }

    fn of_moves(position: &ConnectFour, moves: &[super::Column], mut see: impl FnMut(usize, usize)) {
        for (index, &super::Column(x)) in moves.iter().enumerate() {
            let height = position.heights[usize::from(x)];
            for (above, y) in (height..HEIGHT).take(2).enumerate() {
                let (lines, count) = &THROUGH[usize::from(x)][usize::from(y)];
                for &line in &lines[..usize::from(*count)] {
                    let line = usize::from(line);
                    let place = CELLS[line].iter().position(|&cell| cell == (x, y)).unwrap_or(0);
                    see(index, ((above * 4 + place) * LINES + line) * PATTERNS + position.pattern(line));
                }
            }
        }
    }
}
