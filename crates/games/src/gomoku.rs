//! Gomoku on an 11×11 board with a swap2 opening.
//!
//! # Rules
//!
//! Set-up: `player1` places black in step 1, white in step 2 and black in step 3. In step 4
//! `player2` either picks a color or places white; after placing, `player2` places black in step 5
//! and `player1` picks a color in step 6. A pick ends the set-up and gives the other player the
//! other color. Then the players take turns placing stones of their own color. Under `spec`
//! `player1` moves first, under `ggp` the player with white.
//!
//! A line is a maximal run of one color (across, up or diagonal) of exactly six stones under `spec`
//! and of exactly five under `ggp`. It wins; a longer run does not. A full board without a line is
//! a draw.
//!
//! # Cells and bits
//!
//! ```text
//! 11 | 110 111 112 …  120       cell = 11 * rank + file, both from 0
//!  … |   …
//!  2 |  11  12  13 …   21       a color's stones are a mask of 121 bits
//!  1 |   0   1   2 …   10
//!        a   b   c …    k
//! ```
//!
//! # Position string
//!
//! `11/11/11/11/11/5b5/11/11/11/11/11 - 1 2`: the ranks from 11 down to 1, with `b` and `w` for
//! stones and a number for each run of empty cells; the color of `player1`, `b` or `w`, or `-`
//! before the pick; the player to move, `1` or `2`; the set-up step, `1` to `6`, or `-` after the
//! set-up. A game without set-up is accepted too: colors picked, any number of stones, black first.

pub mod knowledge;
mod picture;
mod rollout;
mod windows;

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use super::{Ruleset, Spec};
use quintet_core::Quoted;
use quintet_core::bits::{bits_wide, nth_bit_wide};
use quintet_core::game::text::{self, CellName};
use quintet_core::game::{
    About, EMPTY, Game, MoveList, Notation, Outcome, Picture, PositionError, Rng, Role, Rollout, RulesText,
    Side,
};
use quintet_core::hash::of_numbers;

pub(crate) const SIZE: usize = 11;
pub(crate) const CELLS: usize = SIZE * SIZE;
const ALL: u128 = (1 << CELLS) - 1;

pub(crate) const BLACK: usize = 0;
pub(crate) const WHITE: usize = 1;
const COLOR_NAMES: [&str; 2] = ["black", "white"];
const STONE_LETTERS: [char; 2] = ['b', 'w'];

/// The set-up step that offers both placing and picking, and the one that only allows picking.
pub(crate) const CHOICE_STEP: u8 = 4;
pub(crate) const PICK_STEP: u8 = 6;
/// The value of `step` after the set-up.
pub(crate) const PLAY: u8 = 0;

/// The player who acts in each set-up step (from 1; entry 0 is unused).
const SETUP_PLAYER: [u8; 7] = [0, 0, 0, 0, 1, 1, 0];

/// The numbers of black and white stones on the board in each set-up step.
const SETUP_STONES: [[u32; 2]; 7] = [[0, 0], [0, 0], [1, 0], [1, 1], [2, 1], [2, 2], [3, 2]];

/// The difference in cell number of a step in each of the four directions (across, up, diagonal up,
/// diagonal down).
pub(crate) const STEPS: [usize; 4] = [1, SIZE, SIZE + 1, SIZE - 1];

/// `ROOM[cell][direction]`: the number of cells beyond `cell` against and along that direction.
pub(crate) static ROOM: [[[u8; 2]; 4]; CELLS] = {
    const fn min(a: usize, b: usize) -> u8 {
        if a < b { a as u8 } else { b as u8 }
    }
    let mut table = [[[0; 2]; 4]; CELLS];
    const_for!(0..CELLS, |cell| {
        let (left, down) = (cell % SIZE, cell / SIZE);
        let (right, up) = (SIZE - 1 - left, SIZE - 1 - down);
        table[cell] = [
            [left as u8, right as u8],
            [down as u8, up as u8],
            [min(left, down), min(right, up)],
            // Along this direction the cell number grows while the file falls.
            [min(right, down), min(left, up)],
        ];
    });
    table
};

/// The number of `stones` in the run through `cell` along `direction`, without `cell` itself.
#[inline]
fn neighbors(stones: u128, cell: usize, direction: usize) -> usize {
    let step = STEPS[direction];
    let [back, ahead] = ROOM[cell][direction].map(usize::from);
    let has_stone = |cell: usize| stones >> cell & 1 == 1;
    let backward = (1..=back).take_while(|n| has_stone(cell - n * step));
    let forward = (1..=ahead).take_while(|n| has_stone(cell + n * step));
    backward.count() + forward.count()
}

/// A position of Gomoku.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Gomoku<R: Ruleset = Spec> {
    /// The black and the white stones.
    pub(crate) stones: [u128; 2],
    /// The set-up step, 1 to 6, or [`PLAY`].
    pub(crate) step: u8,
    /// The player (0 or 1) to move.
    player: u8,
    /// The player who has black; 0 before the pick.
    black: u8,
    outcome: Option<Outcome>,
    rules: PhantomData<R>,
}

/// A move of Gomoku: place a stone or pick a color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(pub(crate) u8);

impl Move {
    /// The pick of black.
    pub const PICK_BLACK: Self = Self(CELLS as u8);
    /// The pick of white.
    pub const PICK_WHITE: Self = Self(CELLS as u8 + 1);

    /// Returns the placement of a stone in file `x` and rank `y`, both 0..11.
    ///
    /// # Panics
    /// If there is no such cell.
    #[must_use]
    pub const fn place(x: u8, y: u8) -> Self {
        assert!(x < SIZE as u8 && y < SIZE as u8);
        Self(SIZE as u8 * y + x)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match usize::from(self.0) {
            cell @ 0..CELLS => CellName { x: (cell % SIZE) as u8, y: (cell / SIZE) as u8 }.fmt(f),
            pick => f.write_str(COLOR_NAMES[pick - CELLS]),
        }
    }
}

impl<R: Ruleset> Gomoku<R> {
    /// The length of a winning run.
    pub(crate) const WINNING: usize = if R::IS_GGP { 5 } else { 6 };

    /// Returns the empty board after the set-up: `player1` has black and is to move. This is the
    /// game without swap2.
    #[must_use]
    pub fn without_setup() -> Self {
        Self { step: PLAY, ..Self::initial() }
    }

    #[inline]
    pub(crate) const fn empty(&self) -> u128 {
        ALL & !(self.stones[BLACK] | self.stones[WHITE])
    }

    /// The color that the player to move places.
    #[inline]
    pub(crate) const fn color(&self) -> usize {
        match self.step {
            PLAY => (self.player != self.black) as usize,
            step => 1 - step as usize % 2,
        }
    }

    /// The cells on which a stone may be placed, and whether a color may be picked.
    #[inline]
    const fn choices(&self) -> (u128, bool) {
        if self.outcome.is_some() {
            return (0, false);
        }
        match self.step {
            CHOICE_STEP => (self.empty(), true),
            PICK_STEP => (0, true),
            _ => (self.empty(), false),
        }
    }

    /// The position if the player to move could pass. The set-up is over.
    pub(crate) const fn passed(mut self) -> Self {
        self.player = 1 - self.player;
        self
    }

    /// The position without these stones of the color that is not to move. The set-up is over.
    pub(crate) const fn without(mut self, stones: u128) -> Self {
        self.stones[1 - self.color()] &= !stones;
        self
    }

    /// The side of the player who has `color`.
    #[inline]
    pub(crate) const fn owner(&self, color: usize) -> Side {
        if (self.black == 0) == (color == BLACK) { Side::First } else { Side::Second }
    }

    /// Whether `color` can be to move after the set-up, with these numbers of black and white
    /// stones.
    ///
    /// Alternate play gives equal numbers with black to move, or one more black stone with white to
    /// move. If black moves twice in a row, as after the set-up under `spec` if `player1` has
    /// black, there can be one more black stone in either case.
    fn can_be_to_move(color: usize, player1_has_black: bool, [black, white]: [u32; 2]) -> bool {
        let more = u32::from(color == WHITE);
        let after_setup = !R::IS_GGP && player1_has_black && white >= 1;
        black == white + more || after_setup && black == white + more + 1
    }

    /// Whether `cell` is in a maximal run of `stones` of the winning length.
    ///
    /// Not inlined: it is long and called once per iteration, so one copy is enough.
    #[inline(never)]
    fn wins(stones: u128, cell: usize) -> bool {
        // The bits around the cell, which becomes bit 12. In most directions no stone is beside the
        // cell, and they are skipped. A stone that wraps around an edge only costs a look in vain.
        let around = stones.rotate_left(12).rotate_right(cell as u32) as u32;
        (0..4).any(|direction| {
            let beside = 1 << (12 - STEPS[direction]) | 1 << (12 + STEPS[direction]);
            around & beside != 0 && neighbors(stones, cell, direction) + 1 == Self::WINNING
        })
    }

    /// The letter of the stone on a cell.
    fn stone_on(&self, cell: usize) -> Option<char> {
        text::letter_of(self.stones.map(|stones| stones >> cell & 1 == 1), STONE_LETTERS)
    }

    /// Whether `stones` hold a line.
    fn has_line(stones: u128) -> bool {
        bits_wide(stones).any(|cell| Self::wins(stones, usize::from(cell)))
    }
}

impl<R: Ruleset> Game for Gomoku<R> {
    type Move = Move;

    const ROLES: &'static [Role] = &[Role::new("player1", Side::First), Role::new("player2", Side::Second)];
    const MAX_BRANCHING: usize = CELLS;
    const MAX_PLIES: usize = CELLS + 1;

    fn initial() -> Self {
        Self { stones: [0; 2], step: 1, player: 0, black: 0, outcome: None, rules: PhantomData }
    }

    #[inline]
    fn role_to_move(&self) -> usize {
        usize::from(self.player)
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn legal_moves(&self, moves: &mut MoveList<Move>) {
        let (cells, picks) = self.choices();
        moves.clear();
        moves.extend(bits_wide(cells).map(Move));
        if picks {
            moves.extend([Move::PICK_BLACK, Move::PICK_WHITE]);
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        let [black, white] = self.stones;
        // The highest seven bits of a color's are free.
        let rest = u64::from(self.step << 2 | self.player << 1 | self.black) << 57;
        of_numbers([black as u64, (black >> 64) as u64, white as u64, (white >> 64) as u64 ^ rest])
    }

    #[inline]
    fn move_count(&self) -> usize {
        let (cells, picks) = self.choices();
        cells.count_ones() as usize + if picks { 2 } else { 0 }
    }

    #[inline]
    fn nth_move(&self, n: usize) -> Move {
        let (cells, _) = self.choices();
        let count = cells.count_ones() as usize;
        Move(if n < count { nth_bit_wide(cells, n) } else { CELLS + n - count } as u8)
    }

    #[inline(always)]
    fn rollout(&self, rng: &mut Rng) -> Rollout {
        crate::rollout::rollout(self, rng)
    }

    #[inline]
    fn apply(&mut self, mv: Move) {
        let (is_setup, color, cell) = (self.step != PLAY, self.color(), usize::from(mv.0));
        self.apply_ongoing(mv);
        if is_setup {
            // Lines do not count during the set-up.
            return;
        }
        if Self::wins(self.stones[color], cell) {
            self.outcome = Some(Outcome::Win(self.owner(color)));
        } else if self.empty() == 0 {
            self.outcome = Some(Outcome::Draw);
        }
    }

    #[inline]
    fn apply_ongoing(&mut self, mv: Move) {
        let cell = usize::from(mv.0);
        if cell >= CELLS {
            debug_assert!(self.choices().1, "no color may be picked");
            let picks_black = mv == Move::PICK_BLACK;
            self.black = if picks_black { self.player } else { 1 - self.player };
            self.step = PLAY;
            self.player = if R::IS_GGP { 1 - self.black } else { 0 };
            return;
        }
        debug_assert!(self.choices().0 >> cell & 1 == 1, "no stone may be placed on {mv}");
        let color = self.color();
        self.stones[color] |= 1 << cell;
        if self.step == PLAY {
            self.player = 1 - self.player;
        } else {
            self.step += 1;
            self.player = SETUP_PLAYER[usize::from(self.step)];
        }
    }
}

impl<R: Ruleset> fmt::Display for Gomoku<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = text::write_board((SIZE as u8, SIZE as u8), |x, y| {
            self.stone_on(SIZE * usize::from(y) + usize::from(x))
        });
        let (color, step) = match self.step {
            PLAY => (["b", "w"][usize::from(self.black)], "-".to_owned()),
            step => ("-", step.to_string()),
        };
        write!(f, "{board} {color} {} {step}", self.player + 1)
    }
}

impl<R: Ruleset> FromStr for Gomoku<R> {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let names = ["board", "color of player1", "player to move", "set-up step"];
        let [board, color, player, step] = text::fields(text, names)?;
        let wrong = |part, reason: String| Err(PositionError::new(part, reason));
        let mut position = Self::initial();
        text::read_board(board, (SIZE as u8, SIZE as u8), false, text::rank_name, |x, y, c| {
            let color = text::read_letter(c, STONE_LETTERS, "stone")?;
            position.stones[color] |= 1 << (SIZE * usize::from(y) + usize::from(x));
            Ok(())
        })?;
        let [black, white] = position.stones.map(u128::count_ones);

        position.player = text::either(names[2], player, ["1", "2"])? as u8;
        if color == "-" {
            let Some(step @ 1..=PICK_STEP) = text::number(step) else {
                let step = Quoted(step);
                return wrong(names[3], format!("{step} is not 1 to 6, and no color has been picked yet"));
            };
            position.step = step;
            let at = usize::from(position.step);
            if SETUP_STONES[at] != [black, white] {
                let [b, w] = SETUP_STONES[at];
                let reason =
                    format!("set-up step {at} has {b} black and {w} white stones, not {black} and {white}");
                return wrong("board", reason);
            }
            if SETUP_PLAYER[at] != position.player {
                return wrong(names[2], format!("in set-up step {at} player {} acts", SETUP_PLAYER[at] + 1));
            }
            return Ok(position);
        }

        position.black = text::one_of(color, &["b", "w"]).ok_or_else(|| {
            PositionError::new(names[1], format!("{color} is not 'b', 'w' or '-'", color = Quoted(color)))
        })? as u8;
        if step != "-" {
            let step = Quoted(step);
            return wrong(names[3], format!("{step} should be '-': the pick of colors ends the set-up"));
        }
        position.step = PLAY;
        let to_move = position.color();
        if !Self::can_be_to_move(to_move, position.black == 0, [black, white]) {
            let stones = format!("{black} black and {white} white stones");
            let possible = [BLACK, WHITE]
                .into_iter()
                .any(|color| Self::can_be_to_move(color, position.black == 0, [black, white]));
            if !possible {
                return wrong("board", format!("{stones} are impossible"));
            }
            return wrong(names[2], format!("with {stones} it can't be {} to move", COLOR_NAMES[to_move]));
        }
        let last = 1 - to_move;
        if Self::has_line(position.stones[to_move]) {
            let reason = format!("{} has a line, but the other color moved last", COLOR_NAMES[to_move]);
            return wrong("board", reason);
        }
        let stones = position.stones[last];
        if Self::has_line(stones) {
            if !bits_wide(stones).any(|cell| !Self::has_line(stones & !(1 << cell))) {
                return wrong("board", "no single last stone makes all these lines".to_owned());
            }
            position.outcome = Some(Outcome::Win(position.owner(last)));
        } else if position.empty() == 0 {
            position.outcome = Some(Outcome::Draw);
        }
        Ok(position)
    }
}

impl<R: Ruleset> Notation for Gomoku<R> {
    const ABOUT: About = About {
        title: "Gomoku, 11×11 with swap2",
        summary: "swap2 set-up, then stones in turn; a run of exactly six (spec) or exactly five (ggp) wins.",
        moves: "place a stone (f6, k11); pick a color (black, white)",
        position: "board color player step: ranks 11 to 1 with '/' between, 'b', 'w' or a number of empty cells; \
                   player1's color or '-'; '1' or '2' to move; set-up step 1 to 6 or '-'",
    };

    const RULES_TEXT: RulesText = RulesText {
        text: "The set-up is swap2: player1 places black, white, black. Then player2 picks a color, or \
               places white and black and leaves the pick to player1. From then on the players place \
               stones of their own color in turn.\n\
               A line is an unbroken run across, up or diagonal, and a longer run than the ruleset asks \
               for does not count. The first line wins. A full board without one is a draw.",
        differs: if R::IS_GGP {
            "A run of exactly five wins. After the set-up white moves first. player2 has at least a draw: it may \
             pick the better color after the third stone."
        } else {
            "A run of exactly six wins. After the set-up player1 moves first, whatever the colors."
        },
        standard: if R::IS_GGP {
            Some("This is tournament Gomoku, on 11×11 instead of 15×15.")
        } else {
            None
        },
    };

    fn score(&self, side: Side) -> u8 {
        self.outcome.map_or(50, |outcome| outcome.score(side))
    }

    /// The color that the player to move has; none before the pick.
    fn mover_color(&self) -> Option<&'static str> {
        (self.step == PLAY).then(|| COLOR_NAMES[self.color()])
    }

    const RULESHEET_FINGERPRINTS: &'static [&'static str] =
        if R::IS_GGP { &["e5c763e4ed880e87373842ec80cd014feed9bebe2f476031a53700ff7bed6640"] } else { &[] };

    fn term(&self, mv: Move) -> String {
        match usize::from(mv.0) {
            cell @ 0..CELLS => format!("(place {} {})", cell % SIZE + 1, cell / SIZE + 1),
            pick => format!("(pick {})", COLOR_NAMES[pick - CELLS]),
        }
    }

    fn draw(&self, mark: Option<Move>) -> String {
        let mut text = text::draw_board((SIZE as u8, SIZE as u8), |x, y| {
            let cell = SIZE * usize::from(y) + usize::from(x);
            text::drawn(self.stone_on(cell).unwrap_or(EMPTY), mark == Some(Move(cell as u8)))
        });
        if self.choices().1 {
            let picks =
                [Move::PICK_BLACK, Move::PICK_WHITE].map(|pick| text::drawn(pick, mark == Some(pick)));
            text += &format!("   pick: {}\n", picks.concat().trim_end());
        }
        text
    }

    fn task(&self) -> Option<String> {
        let other = &Self::ROLES[1 - self.role_to_move()].name;
        let color = COLOR_NAMES[self.color()];
        Some(match self.step {
            PLAY => format!("place a {color} stone"),
            PICK_STEP => "pick your color, black or white".to_owned(),
            CHOICE_STEP => format!(
                "pick your color, black or white, or place a white and a black stone and let {other} pick"
            ),
            step if step < CHOICE_STEP => format!("place a {color} stone, number {step} of 3 of the set-up"),
            _ => format!("place a {color} stone; then {other} picks a color"),
        })
    }

    fn ending(&self) -> Option<String> {
        Some(picture::ending(self))
    }

    fn picture(&self, _last: Option<Move>) -> Picture {
        Picture::Scene(picture::scene(self))
    }

    fn benchmark() -> Self {
        Self::without_setup()
    }
}
