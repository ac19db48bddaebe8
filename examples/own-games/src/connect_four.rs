//! Connect Four, without knowledge beyond the rules but with `features` for a model that is learned.
//!
//! # Rules
//!
//! Yellow and red drop a disc in turn into one of seven columns, where it falls onto the discs that
//! are there. Four of one color in a row, column or diagonal win. A full board without such a line
//! is a draw.
//!
//! # Position string
//!
//! `7/7/7/7/3r3/3y3 y`: the ranks from 6 down to 1, `y` and `r` for discs and a number for that
//! many empty cells; the color to move. A string is refused if no game leads to its position.

mod features;

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use quintet_core::game::text;
use quintet_core::game::{
    About, EMPTY, Game, Glyph, Layout, MoveList, Notation, Outcome, Picture, PositionError, Role, Scene,
    Side, Surface,
};

pub use features::ConnectFourKnowledge;

const WIDTH: u8 = 7;
const HEIGHT: u8 = 6;

/// The codes of yellow and red.
const CODES: [char; 2] = ['y', 'r'];

/// The name that errors give the second field of a position string.
const MOVER: &str = "color to move";

/// Seven columns of six cells. A column takes seven bits, the topmost of which stays empty, so that
/// no line runs from the top of one column into the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConnectFour {
    /// The discs of yellow and of red.
    discs: [u64; 2],
    heights: [u8; WIDTH as usize],
    ply: u8,
    outcome: Option<Outcome>,
}

/// Drop a disc into a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Column(u8);

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", char::from(b'a' + self.0))
    }
}

/// The bit of column `x` and rank `y`, both from 0.
const fn bit(x: u8, y: u8) -> u64 {
    1 << ((HEIGHT + 1) * x + y)
}

/// Whether four of `discs` are in a line: a column, a row or a diagonal.
fn has_four(discs: u64) -> bool {
    [1, 7, 6, 8].iter().any(|step| {
        let pairs = discs & discs >> step;
        pairs & pairs >> (2 * step) != 0
    })
}

impl ConnectFour {
    /// Yellow (0) or red (1), if there is a disc.
    fn color_at(&self, x: u8, y: u8) -> Option<usize> {
        self.discs.iter().position(|discs| discs & bit(x, y) != 0)
    }

    /// How the game ended, where `last` is the color that moved last.
    fn judge(&self, last: usize) -> Option<Outcome> {
        if has_four(self.discs[last]) {
            Some(Outcome::Win(Self::ROLES[last].side))
        } else {
            (usize::from(self.ply) == Self::MAX_PLIES).then_some(Outcome::Draw)
        }
    }

    /// The position before this one, if the last disc is the one on top of column `x`; `None` if it
    /// can't be, by its color or because the game was over before it.
    fn before(&self, x: u8) -> Option<Self> {
        let mut before = *self;
        let color = 1 - self.role_to_move();
        let height = &mut before.heights[usize::from(x)];
        *height = height.checked_sub(1)?;
        before.discs[color] &= !bit(x, *height);
        before.ply -= 1;
        before.outcome = None;
        (before.discs != self.discs && !before.discs.into_iter().any(has_four)).then_some(before)
    }

    /// Whether some game leads here: whether discs can be taken back one by one until none is left.
    /// On the way, the heights of the columns identify a position.
    fn is_reachable(self) -> bool {
        let mut seen = HashSet::new();
        let mut pending = vec![self];
        while let Some(position) = pending.pop() {
            if position.ply == 0 {
                return true;
            }
            let before = (0..WIDTH).filter_map(|x| position.before(x));
            pending.extend(before.filter(|before| seen.insert(before.heights)));
        }
        false
    }
}

impl Game for ConnectFour {
    type Move = Column;

    const ROLES: &'static [Role] = &[Role::new("yellow", Side::First), Role::new("red", Side::Second)];
    const MAX_BRANCHING: usize = WIDTH as usize;
    const MAX_PLIES: usize = WIDTH as usize * HEIGHT as usize;

    fn initial() -> Self {
        Self { discs: [0; 2], heights: [0; WIDTH as usize], ply: 0, outcome: None }
    }

    fn role_to_move(&self) -> usize {
        usize::from(self.ply % 2)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, moves: &mut MoveList<Column>) {
        moves.clear();
        if self.outcome.is_none() {
            moves.extend((0..WIDTH).filter(|&x| self.heights[usize::from(x)] < HEIGHT).map(Column));
        }
    }

    fn apply(&mut self, Column(x): Column) {
        let color = self.role_to_move();
        let height = &mut self.heights[usize::from(x)];
        self.discs[color] |= bit(x, *height);
        *height += 1;
        self.ply += 1;
        self.outcome = self.judge(color);
    }
}

impl fmt::Display for ConnectFour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = text::write_board((WIDTH, HEIGHT), |x, y| self.color_at(x, y).map(|color| CODES[color]));
        write!(f, "{board} {}", CODES[self.role_to_move()])
    }
}

impl FromStr for ConnectFour {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let [board, mover] = text::fields(text, ["board", MOVER])?;
        let mut position = Self::initial();
        text::read_board(board, (WIDTH, HEIGHT), false, text::rank_name, |x, y, c| {
            let color = CODES.iter().position(|&code| code == c);
            position.discs[color.ok_or_else(|| format!("{c:?} is no disc ('y' or 'r')"))?] |= bit(x, y);
            position.heights[usize::from(x)] += 1;
            position.ply += 1;
            Ok(())
        })?;
        for (x, &height) in (0..).zip(&position.heights) {
            if (0..height).any(|y| position.color_at(x, y).is_none()) {
                let reason = "there is an empty cell under a disc";
                return Err(PositionError::new(format!("column {}", Column(x)), reason));
            }
        }
        let [yellow, red] = position.discs.map(u64::count_ones);
        if yellow != red && yellow != red + 1 {
            let reason =
                format!("{yellow} yellow and {red} red discs: yellow starts and the colors alternate");
            return Err(PositionError::new("board", reason));
        }
        let wanted = CODES[position.role_to_move()].to_string();
        if mover != wanted {
            let reason = format!(
                "after {yellow} yellow and {red} red discs it is {wanted:?} who moves, not {mover:?}"
            );
            return Err(PositionError::new(MOVER, reason));
        }
        if !position.is_reachable() {
            return Err(PositionError::new("board", "no order of moves leads to these discs"));
        }
        position.outcome = position.judge(1 - position.role_to_move());
        Ok(position)
    }
}

impl Notation for ConnectFour {
    const ABOUT: About = About {
        title: "Connect Four",
        summary: "7×6 board; drop a disc into a column; four in a row win.",
        moves: "the column to drop a disc into, a to g",
        position: "board color: ranks 6 to 1 with '/' between, 'y', 'r' or a number of empty cells; 'y' or 'r' \
                   to move",
    };

    fn draw(&self, mark: Option<Column>) -> String {
        text::draw_board((WIDTH, HEIGHT), |x, y| {
            let content = self.color_at(x, y).map_or('.', |color| CODES[color]).to_string();
            let is_marked = mark == Some(Column(x)) && self.heights[usize::from(x)] == y;
            text::drawn(&content, is_marked)
        })
    }

    fn picture(&self, _last: Option<Column>) -> Picture {
        let code = |(x, y)| self.color_at(x, y).map_or(EMPTY, |color| CODES[color]);
        let cells = (0..HEIGHT).rev().flat_map(|y| (0..WIDTH).map(move |x| (x, y)));
        Picture::Scene(Scene::new(&LAYOUT, cells.map(code).collect()))
    }
}

static LAYOUT: LazyLock<Arc<Layout>> = LazyLock::new(|| {
    let rows = ["6", "5", "4", "3", "2", "1"];
    let columns = ["a", "b", "c", "d", "e", "f", "g"];
    Layout::flat(&rows, &columns, Surface::Squares, glyphs()).into()
});

fn glyphs() -> Vec<Glyph> {
    let disc = |color: usize, fill: &str, edge: &str| Glyph {
        code: CODES[color],
        name: ConnectFour::ROLES[color].name.to_string(),
        token: None,
        svg: format!("<circle fill='{fill}' stroke='{edge}' stroke-width='5' cx='50' cy='50' r='38'/>"),
    };
    vec![disc(0, "#f3c623", "#a57f00"), disc(1, "#d23c32", "#6d150f")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_core::game::Rng;

    /// The number of sequences of `depth` moves.
    fn perft(position: &ConnectFour, depth: usize) -> usize {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if depth == 1 {
            return moves.len();
        }
        let after = |mv| {
            let mut next = *position;
            next.apply(mv);
            next
        };
        moves.into_iter().map(|mv| perft(&after(mv), depth - 1)).sum()
    }

    #[test]
    fn seven_discs_fall_anywhere_but_into_one_column() {
        assert_eq!(perft(&ConnectFour::initial(), 7), 7_usize.pow(7) - 7);
    }

    #[test]
    fn every_position_of_random_games_is_written_and_read_back() {
        let mut rng = Rng::stream(1, 0);
        let mut outcomes = HashSet::new();
        for _ in 0..200 {
            let mut position = ConnectFour::initial();
            loop {
                assert_eq!(position.to_string().parse(), Ok(position), "{position}");
                if let Some(outcome) = position.outcome() {
                    outcomes.insert(outcome);
                    break;
                }
                position.apply(position.random_move(&mut rng));
            }
        }
        assert!(
            outcomes.contains(&Outcome::Win(Side::First)) && outcomes.contains(&Outcome::Win(Side::Second))
        );
    }

    #[test]
    fn lines_in_every_direction_win() {
        for (moves, winner) in [
            ("aabbccd", Side::First),
            ("abababa", Side::First),
            ("gabababa", Side::Second),
            ("abbccdcddgd", Side::First),
            ("gffeededdad", Side::First),
        ] {
            let mut position = ConnectFour::initial();
            for token in moves.split("").filter(|token| !token.is_empty()) {
                assert_eq!(position.outcome(), None, "{moves}");
                position.apply(position.parse_move(token).expect(moves));
            }
            assert_eq!(position.outcome(), Some(Outcome::Win(winner)), "{moves}\n{}", position.draw(None));
        }
    }

    #[test]
    fn a_full_board_without_a_line_is_a_draw() {
        let text = "rryyrry/yyrryyr/rryyrry/yyrryyr/rryyrry/yyrryyr y";
        assert_eq!(text.parse::<ConnectFour>().map(|it| it.outcome()), Ok(Some(Outcome::Draw)));
    }

    #[test]
    fn wrong_positions_are_refused_by_the_part_that_is_wrong() {
        for (text, part) in [
            ("7/7/7/7/7/7", "fields"),
            ("7/7/7/7/7 y", "board"),
            ("7/7/7/7/7/6 y", "rank 1"),
            ("7/7/7/7/3x3/3y3 y", "rank 2"),
            ("7/7/7/7/3y3/7 r", "column d"),
            ("7/7/7/7/7/yyy4 r", "board"),
            ("7/7/7/7/7/r6 y", "board"),
            ("7/7/7/7/7/y6 y", "color to move"),
            ("7/7/7/7/7/7 w", "color to move"),
            // Yellow can't have begun on red.
            ("7/7/7/7/y6/r6 y", "board"),
            // Red has gone on after the end.
            ("7/7/7/7/rrrr3/yyyy3 y", "board"),
            // Yellow has two lines that no single disc completes.
            ("yyyyrr1/rrrryy1/rryyrr1/yyyyrr1/rrryyy1/yyrrrr1 y", "board"),
        ] {
            let error = text.parse::<ConnectFour>().expect_err(text);
            assert_eq!(error.part, part, "{text}: {error}");
        }
    }

    #[test]
    fn a_drawing_marks_the_cell_that_the_disc_falls_to() {
        let position: ConnectFour = "7/7/7/7/7/3y3 r".parse().expect("a position");
        let drawing = position.draw(Some(Column(3)));
        assert!(
            drawing
                .ends_with("\n 2  .  .  . [.] .  .  .\n 1  .  .  .  y  .  .  .\n    a  b  c  d  e  f  g\n")
        );
    }
}
