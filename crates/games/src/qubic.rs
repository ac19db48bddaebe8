//! Qubic: tic-tac-toe on a 4×4×4 cube for two teams of three roles.
//!
//! # Rules
//!
//! Team X (`xrow`, `xcolumn`, `xlevel`) and team O (`orow`, `ocolumn`, `olevel`) take turns of
//! three plies: each role of the team chooses its coordinate, 1 to 4, and the third choice marks
//! that cell for the team. A choice is legal if some blank cell agrees with it and with the choices
//! already made in the turn.
//!
//! Under `spec` the roles always act in the order row, column, level. Under `ggp` the order is
//! cyclic, and the role that starts the team's turn moves on by one after each mark of the team:
//! row, then column, then level, then row again.
//!
//! The first team with four marks in one of the 76 straight lines wins. A full cube without a line
//! is a draw.
//!
//! # Cells and bits
//!
//! ```text
//!       level 1        level 2        level 3        level 4
//!     c1 c2 c3 c4    c1 c2 c3 c4    c1 c2 c3 c4    c1 c2 c3 c4
//! r1   0  1  2  3    16 17 18 19    32 33 34 35    48 49 50 51     cell = 16 * level + 4 * row + column,
//! r2   4  5  6  7    20 21 22 23    36 37 38 39    52 53 54 55            each from 0
//! r3   8  9 10 11    24 25 26 27    40 41 42 43    56 57 58 59
//! r4  12 13 14 15    28 29 30 31    44 45 46 47    60 61 62 63     a team's marks are a 64-bit mask
//! ```
//!
//! The choices of a turn are stored as the mask of the cells that agree with them.
//!
//! # Position string
//!
//! `4/4/4/4|4/1x2/4/4|4/4/4/4|4/4/4/4 o r4`: the levels from 1 to 4 with `|` between, in each the
//! rows from 1 to 4 with `/` between, in each the columns from 1 to 4, `x` and `o` for marks and a
//! number for each run of blanks; the team to move; the choices it has made in this turn, in order,
//! or `-`.

pub mod knowledge;
mod picture;
mod rollout;

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use super::{Ruleset, Spec, lines_through};
use quintet_core::Quoted;
use quintet_core::bits::{bits, nth_bit};
use quintet_core::game::text;
use quintet_core::game::{
    About, EMPTY, Game, MoveList, Notation, Outcome, Picture, PositionError, Rng, Role, Rollout, RulesText,
    Side,
};

pub(crate) const CELLS: usize = 64;

/// The three coordinates, in the order of the roles.
const AXES: usize = 3;
const AXIS_NAMES: [char; AXES] = ['r', 'c', 'l'];

const MARK_LETTERS: [char; 2] = ['x', 'o'];

/// The coordinates of a cell.
const fn coordinates(cell: usize) -> [usize; AXES] {
    [cell / 4 % 4, cell % 4, cell / 16]
}

/// `PLANES[axis][value]`: the cells with that coordinate.
pub(crate) static PLANES: [[u64; 4]; AXES] = {
    let mut planes = [[0; 4]; AXES];
    const_for!(0..CELLS, |cell| {
        let at = coordinates(cell);
        const_for!(0..AXES, |axis| {
            planes[axis][at[axis]] |= 1 << cell;
        });
    });
    planes
};

/// The 76 lines: every line starts at one face of the cube and ends at the opposite one.
pub(crate) static LINES: [u64; 76] = {
    let mut lines = [0; 76];
    let mut found = 0;
    const_for!(0..CELLS, |start| {
        const_for!(1..27, |direction| {
            // From the end with the lower number, so that a line is listed once.
            if on_line(start, direction, 0) == start && start < on_line(start, direction, 3) {
                const_for!(0..4, |n| {
                    lines[found] |= 1 << on_line(start, direction, n);
                });
                found += 1;
            }
        });
    });
    assert!(found == 76);
    lines
};

/// Cell number `n` of the line from `start` if there is one. The digits of `direction` in base 3 say
/// of each coordinate that it stays, runs from 0 to 3, or from 3 to 0.
const fn on_line(start: usize, direction: usize, n: usize) -> usize {
    let mut at = coordinates(start);
    const_for!(0..AXES, |axis| {
        match direction / 3_usize.pow(axis as u32) % 3 {
            0 => {}
            1 => at[axis] = n,
            _ => at[axis] = 3 - n,
        }
    });
    16 * at[2] + 4 * at[0] + at[1]
}

/// The lines through each cell, at most seven, padded to eight (a full vector) by repeating the
/// last.
static LINES_THROUGH: [[u64; 8]; CELLS] = lines_through(&LINES);

/// A position of Qubic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Qubic<R: Ruleset = Spec> {
    /// The marks of team X and of team O.
    pub(crate) marks: [u64; 2],
    /// The cells that agree with the choices made in this turn.
    open: u64,
    /// The number of cells marked.
    pub(crate) turns: u8,
    /// The number of choices made in this turn, 0 to 2.
    pub(crate) chosen: u8,
    outcome: Option<Outcome>,
    rules: PhantomData<R>,
}

/// A move of Qubic: the role to move chooses its coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(u8);

impl Move {
    /// The choice of `value` (0..4) on `axis` (0 row, 1 column, 2 level).
    ///
    /// # Panics
    /// If `axis` is not below 3 or `value` is not below 4.
    #[must_use]
    pub const fn choose(axis: u8, value: u8) -> Self {
        assert!(axis < 3 && value < 4);
        Self(4 * axis + value)
    }

    /// The cells with the chosen coordinate.
    #[inline]
    pub(crate) fn plane(self) -> u64 {
        PLANES[usize::from(self.0 >> 2)][usize::from(self.0 & 3)]
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", AXIS_NAMES[usize::from(self.0 / 4)], self.0 % 4 + 1)
    }
}

/// Whether `marks` holds a line.
fn has_line(marks: u64) -> bool {
    LINES.iter().any(|line| marks & line == *line)
}

impl<R: Ruleset> Qubic<R> {
    /// The letter of the mark on a cell.
    fn mark_on(&self, cell: usize) -> Option<char> {
        text::letter_of(self.marks.map(|marks| marks >> cell & 1 == 1), MARK_LETTERS)
    }

    /// The blank cells.
    #[inline]
    const fn blank(&self) -> u64 {
        !(self.marks[0] | self.marks[1])
    }

    /// The blank cells that agree with the choices made in this turn: the team may still mark
    /// these.
    #[inline]
    pub(crate) const fn reachable(&self) -> u64 {
        self.open & self.blank()
    }

    /// The axis on which the next choice is made.
    #[inline]
    pub(crate) const fn axis(&self) -> u8 {
        if R::IS_GGP { (self.turns / 2 + self.chosen) % 3 } else { self.chosen }
    }

    /// The legal values of the next choice, as a mask of four bits.
    #[inline]
    fn values(&self) -> u8 {
        if self.outcome.is_some() {
            return 0;
        }
        let open = self.reachable();
        let planes = &PLANES[usize::from(self.axis())];
        (0..4).map(|value| u8::from(open & planes[value] != 0) << value).sum()
    }

    /// The position at the start of a turn with these marks of X and O, none of which makes a line.
    pub(crate) fn at_turn(marks: [u64; 2]) -> Self {
        let turns = marks.map(u64::count_ones).iter().sum::<u32>() as u8;
        Self { marks, turns, ..Self::initial() }
    }

    /// Marks `cell` for the team to move and passes the turn to the other team.
    #[inline]
    fn mark(&mut self, cell: usize) {
        let team = usize::from(self.turns & 1);
        self.marks[team] |= 1 << cell;
        self.turns += 1;
        self.chosen = 0;
        self.open = u64::MAX;
        let marks = self.marks[team];
        if LINES_THROUGH[cell].iter().any(|line| marks & line == *line) {
            self.outcome = Some(Outcome::Win(side(team)));
        } else if self.blank() == 0 {
            self.outcome = Some(Outcome::Draw);
        }
    }
}

/// The side of team 0 (X) or 1 (O).
const fn side(team: usize) -> Side {
    if team == 0 { Side::First } else { Side::Second }
}

impl<R: Ruleset> Game for Qubic<R> {
    type Move = Move;

    const ROLES: &'static [Role] = &[
        Role::new("xrow", Side::First),
        Role::new("xcolumn", Side::First),
        Role::new("xlevel", Side::First),
        Role::new("orow", Side::Second),
        Role::new("ocolumn", Side::Second),
        Role::new("olevel", Side::Second),
    ];
    const MAX_BRANCHING: usize = 4;
    const MAX_PLIES: usize = 3 * CELLS;

    fn initial() -> Self {
        Self { marks: [0; 2], open: u64::MAX, turns: 0, chosen: 0, outcome: None, rules: PhantomData }
    }

    #[inline]
    fn role_to_move(&self) -> usize {
        usize::from(3 * (self.turns & 1) + self.axis())
    }

    #[inline]
    fn side_to_move(&self) -> Side {
        side(usize::from(self.turns & 1))
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, moves: &mut MoveList<Move>) {
        let axis = self.axis();
        moves.clear();
        moves.extend(bits(self.values()).map(|value| Move(4 * axis + value)));
    }

    #[inline]
    fn move_count(&self) -> usize {
        self.values().count_ones() as usize
    }

    #[inline]
    fn nth_move(&self, n: usize) -> Move {
        Move(4 * self.axis() + nth_bit(u64::from(self.values()), n) as u8)
    }

    #[inline(always)]
    fn rollout(&self, rng: &mut Rng) -> Rollout {
        crate::rollout::rollout(self, rng)
    }

    #[inline]
    fn apply(&mut self, mv: Move) {
        debug_assert!(mv.0 / 4 == self.axis() && self.values() >> (mv.0 % 4) & 1 == 1, "{mv} is not legal");
        self.open &= mv.plane();
        self.chosen += 1;
        if usize::from(self.chosen) == AXES {
            self.mark(self.open.trailing_zeros() as usize);
        }
    }
}

impl<R: Ruleset> fmt::Display for Qubic<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for level in 0..4 {
            let board = text::write_board((4, 4), |x, y| {
                self.mark_on(16 * level + 4 * (3 - usize::from(y)) + usize::from(x))
            });
            write!(f, "{board}{}", if level < 3 { '|' } else { ' ' })?;
        }
        f.write_str(if self.turns.is_multiple_of(2) { "x " } else { "o " })?;
        if self.chosen == 0 {
            f.write_str("-")?;
        }
        let open = coordinates(self.open.trailing_zeros() as usize);
        let mut turn = *self;
        for chosen in 0..self.chosen {
            turn.chosen = chosen;
            let axis = turn.axis();
            Move::choose(axis, open[usize::from(axis)] as u8).fmt(f)?;
        }
        Ok(())
    }
}

impl<R: Ruleset> FromStr for Qubic<R> {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let [board, mover, choices] = text::fields(text, ["board", "team to move", "choices"])?;
        let levels: Vec<&str> = board.split('|').collect();
        if levels.len() != 4 {
            let reason = format!("expected 4 levels separated by '|', found {}", levels.len());
            return Err(PositionError::new("board", reason));
        }
        let mut position = Self::initial();
        for (level, rows) in (0..4).zip(levels) {
            let name = |y| format!("level {} row {}", level + 1, 4 - y);
            text::read_board(rows, (4, 4), false, name, |x, y, c| {
                let team = text::read_letter(c, MARK_LETTERS, "mark")?;
                position.marks[team] |= 1 << (16 * level + 4 * (3 - y) + x);
                Ok(())
            })
            .map_err(|error| match error.part.as_str() {
                "board" => PositionError::new(format!("level {}", level + 1), error.reason),
                _ => error,
            })?;
        }

        let [x, o] = position.marks.map(u64::count_ones);
        if x != o && x != o + 1 {
            let reason = format!("{x} marks of x and {o} of o: x starts and the teams alternate");
            return Err(PositionError::new("board", reason));
        }
        position.turns = (x + o) as u8;
        let wanted = if x == o { "x" } else { "o" };
        text::check_to_move("team to move", mover, wanted, &format!("{x} marks of x and {o} of o"))?;

        let last = 1 - usize::from(position.turns & 1);
        if has_line(position.marks[1 - last]) {
            let reason = format!("team {wanted} has a line, but the other team marked last");
            return Err(PositionError::new("board", reason));
        }
        if has_line(position.marks[last]) {
            let marks = position.marks[last];
            if !bits(marks).any(|cell| !has_line(marks & !(1 << cell))) {
                return Err(PositionError::new("board", "no single last mark completes all these lines"));
            }
            position.outcome = Some(Outcome::Win(side(last)));
        } else if position.blank() == 0 {
            position.outcome = Some(Outcome::Draw);
        }

        let mut rest = if choices == "-" { "" } else { choices };
        while !rest.is_empty() {
            let token: String = rest.chars().take(2).collect();
            let wrong = |reason| PositionError::new("choices", reason);
            if position.chosen == 2 {
                return Err(wrong(format!(
                    "{choices} has more than two choices: the third ends the turn",
                    choices = Quoted(choices)
                )));
            }
            let mv = position.parse_move(&token).map_err(|error| wrong(error.to_string()))?;
            position.apply(mv);
            rest = &rest[token.len()..];
        }
        Ok(position)
    }
}

impl<R: Ruleset> Notation for Qubic<R> {
    const ABOUT: About = About {
        title: "Qubic, 4×4×4 tic-tac-toe",
        summary: "two teams whose three roles choose row, column and level; four marks in a straight line win.",
        moves: "choose a row (r2), a column (c3) or a level (l1)",
        position: "board team choices: levels 1 to 4 with '|' between, their rows with '/' between, 'x', 'o' or a \
                   number of blanks; 'x' or 'o' to move; the choices made this turn (r4c1) or '-'",
    };

    const RULES_TEXT: RulesText = RulesText {
        text: "Two teams, X and O, each with a row, a column and a level role. A turn of a team is three \
               moves: each role chooses its coordinate, 1 to 4, and the third choice marks that cell for \
               the team. Then it is the other team's turn. X begins.\n\
               A choice is legal if a blank cell agrees with it and with the choices before it in the \
               turn.\n\
               The first team with four marks in one of the 76 straight lines wins. A full cube without \
               one is a draw.",
        differs: if R::IS_GGP {
            "A team's first turn goes row, column, level, its second column, level, row, its third \
             level, row, column, and so on."
        } else {
            "Every turn goes row, column, level."
        },
        standard: if R::IS_GGP {
            None
        } else {
            Some(
                "Nearest to the game in the box, where a player marks any blank cell: so does a turn, here always in the same order.",
            )
        },
    };

    fn score(&self, side: Side) -> u8 {
        self.outcome.map_or(50, |outcome| outcome.score(side))
    }

    const RULESHEET_FINGERPRINTS: &'static [&'static str] =
        if R::IS_GGP { &["8a6612e3b81f62f1835a0ceaffe11187f590989fe22a988c1c56e94b79b91984"] } else { &[] };

    fn term(&self, mv: Move) -> String {
        let axis = ["row", "column", "level"][usize::from(mv.0 / 4)];
        format!("(select {axis} {})", mv.0 % 4 + 1)
    }

    fn draw(&self, mark: Option<Move>) -> String {
        let marked = mark.map_or(0, |mv| self.open & mv.plane() & self.blank());
        let level = |level| format!("{:^17}", format!("level {level}"));
        let levels: String = (1..=4).map(level).collect();
        let mut lines = vec![format!("   {levels}"), format!("   {}", "  c1 c2 c3 c4    ".repeat(4))];
        for row in 0..4 {
            let mut line = format!("r{} ", row + 1);
            for level in 0..4 {
                line.push(' ');
                for column in 0..4 {
                    let cell = 16 * level + 4 * row + column;
                    line += &text::drawn(self.mark_on(cell).unwrap_or(EMPTY), marked >> cell & 1 == 1);
                }
                line += "    ";
            }
            lines.push(line);
        }
        lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    fn task(&self) -> Option<String> {
        let left = AXES - usize::from(self.chosen);
        let name = |later: usize| ["row", "column", "level"][(usize::from(self.axis()) + later) % AXES];
        let others: Vec<String> = (1..left).map(|later| format!("a {}", name(later))).collect();
        let then = if others.is_empty() { String::new() } else { format!(", then {}", others.join(" and ")) };
        Some(format!("choose a {}{then}", name(0)))
    }

    fn ending(&self) -> Option<String> {
        Some(picture::ending(self))
    }

    fn picture(&self, _last: Option<Move>) -> Picture {
        Picture::Scene(picture::scene(self))
    }
}
