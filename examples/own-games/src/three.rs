//! Three in a row for three players on a 4×4 board.
//!
//! Red, green and blue set a stone in turn. Three in a row, column or diagonal win; on a full board each gets 33.
//!
//! Position string: `4/4/1r2/4 g`, the ranks from the top, and who is to move.

use std::fmt;
use std::str::FromStr;

use quintet_core::game::text::{self, CellName};
use quintet_core::game::{About, Game, MoveList, Notation, Outcome, PositionError, Role, Side};

const SIZE: u8 = 4;
const CODES: [char; 3] = ['r', 'g', 'b'];

/// The stones of each player, a bit for each cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Three([u16; 3]);

/// Set a stone on a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stone(u8);

impl fmt::Display for Stone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        CellName { x: self.0 % SIZE, y: self.0 / SIZE }.fmt(f)
    }
}

/// Whether three of these stones are in a line.
fn has_three(stones: u16) -> bool {
    // Where a line to the right, or up to the left, may begin.
    const LEFT: u16 = 0x3333;
    const RIGHT: u16 = 0xCCCC;
    let line = |step: u16, starts: u16| stones & stones >> step & stones >> (2 * step) & starts != 0;
    line(1, LEFT) || line(4, !0) || line(5, LEFT) || line(3, RIGHT)
}

impl Three {
    fn stones(&self) -> u16 {
        self.0.iter().fold(0, |all, stones| all | stones)
    }

    fn player_at(&self, cell: u8) -> Option<usize> {
        self.0.iter().position(|stones| stones >> cell & 1 == 1)
    }
}

impl Game for Three {
    type Move = Stone;

    const ROLES: &'static [Role] =
        &[Role::new("red", Side::First), Role::new("green", Side::Second), Role::new("blue", Side::Third)];
    const MAX_BRANCHING: usize = 16;
    const MAX_PLIES: usize = 16;

    fn initial() -> Self {
        Self([0; 3])
    }

    fn role_to_move(&self) -> usize {
        self.stones().count_ones() as usize % 3
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = Self::ROLES.iter().zip(self.0).find(|(_, stones)| has_three(*stones));
        let draw = || (self.stones() == u16::MAX).then(|| Outcome::of_scores(&[33, 33, 33]));
        winner.map(|(role, _)| Outcome::Win(role.side)).or_else(draw)
    }

    fn legal_moves(&self, moves: &mut MoveList<Stone>) {
        moves.clear();
        if self.outcome().is_none() {
            moves.extend((0..SIZE * SIZE).filter(|cell| self.stones() >> cell & 1 == 0).map(Stone));
        }
    }

    fn apply(&mut self, Stone(cell): Stone) {
        self.0[self.role_to_move()] |= 1 << cell;
    }
}

impl fmt::Display for Three {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = |x, y| self.player_at(SIZE * y + x).map(|player| CODES[player]);
        write!(f, "{} {}", text::write_board((SIZE, SIZE), code), CODES[self.role_to_move()])
    }
}

impl FromStr for Three {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let [board, mover] = text::fields(text, ["board", "player to move"])?;
        let mut position = Self::initial();
        text::read_board(board, (SIZE, SIZE), false, text::rank_name, |x, y, c| {
            let player = CODES.iter().position(|&code| code == c);
            position.0[player.ok_or_else(|| format!("{c:?} is no stone ('r', 'g' or 'b')"))?] |=
                1 << (SIZE * y + x);
            Ok(())
        })?;
        let [red, green, blue] = position.0.map(u16::count_ones);
        if !(red >= green && green >= blue && blue + 1 >= red) {
            return Err(PositionError::new("board", "red, green and blue stones are set in turn"));
        }
        if position.0.into_iter().filter(|&stones| has_three(stones)).count() > 1 {
            return Err(PositionError::new("board", "two players have three in a line"));
        }
        text::check_to_move(
            "player to move",
            mover,
            &CODES[position.role_to_move()].to_string(),
            "these stones",
        )?;
        Ok(position)
    }
}

impl Notation for Three {
    const ABOUT: About = About {
        title: "Three for three",
        summary: "4×4 board, three players; three in a line win.",
        moves: "the cell, such as b3",
        position: "board player: ranks 4 to 1 with '/' between, 'r', 'g', 'b' or a number of empty cells; who is to \
                   move",
    };

    fn draw(&self, mark: Option<Stone>) -> String {
        text::draw_board((SIZE, SIZE), |x, y| {
            let cell = SIZE * y + x;
            let code = self.player_at(cell).map_or('.', |player| CODES[player]);
            text::drawn(code, mark == Some(Stone(cell)))
        })
    }
}
