//! Pig: two players, a die, and the courage to roll once more.
//!
//! In a turn a player rolls as often as they like. A 1 ends the turn with nothing; any other number is added to the
//! turn's sum, which counts once the player holds, as they must from 20 on. Each has three turns; the greater sum
//! wins.
//!
//! Position string: `12 5 4 9 anna`, the sums of anna and otto, the turns left to both together, the sum of this
//! turn, and who acts: `anna`, `otto`, or `die` where the die is rolled.

use std::fmt;
use std::str::FromStr;

use quintet_core::game::text;
use quintet_core::game::{About, Game, MoveList, Notation, Outcome, PositionError, Role, Side};

const TURNS: u8 = 6;
/// From this sum on a player has to hold.
const ENOUGH: u8 = 20;

/// A position of Pig.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pig {
    sums: [u8; 2],
    turns_left: u8,
    of_turn: u8,
    is_rolled: bool,
}

/// A decision, or what the die decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// Roll the die.
    Roll,
    /// Let the sum of the turn count.
    Hold,
    /// What the die shows.
    Shows(u8),
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Roll => f.write_str("roll"),
            Self::Hold => f.write_str("hold"),
            Self::Shows(number) => write!(f, "{number}"),
        }
    }
}

impl Pig {
    fn player(&self) -> usize {
        usize::from(self.turns_left % 2)
    }

    fn end_turn(&mut self) {
        (self.of_turn, self.turns_left) = (0, self.turns_left - 1);
    }
}

impl Game for Pig {
    type Move = Move;

    // The last role is that of chance.
    const ROLES: &'static [Role] =
        &[Role::new("anna", Side::First), Role::new("otto", Side::Second), Role::new("die", Side::Chance)];
    const MAX_BRANCHING: usize = 6;
    /// Ten rolls of 2, and the decisions to roll and hold.
    const MAX_PLIES: usize = TURNS as usize * 21;

    fn initial() -> Self {
        Self { sums: [0; 2], turns_left: TURNS, of_turn: 0, is_rolled: false }
    }

    fn role_to_move(&self) -> usize {
        if self.is_rolled { 2 } else { self.player() }
    }

    fn outcome(&self) -> Option<Outcome> {
        let [anna, otto] = self.sums;
        (self.turns_left == 0).then(|| match anna.cmp(&otto) {
            std::cmp::Ordering::Greater => Outcome::Win(Side::First),
            std::cmp::Ordering::Equal => Outcome::Draw,
            std::cmp::Ordering::Less => Outcome::Win(Side::Second),
        })
    }

    fn legal_moves(&self, moves: &mut MoveList<Move>) {
        moves.clear();
        if self.turns_left == 0 {
        } else if self.is_rolled {
            moves.extend((1..=6).map(Move::Shows));
        } else {
            moves.extend((self.of_turn < ENOUGH).then_some(Move::Roll));
            moves.extend((self.of_turn > 0).then_some(Move::Hold));
        }
    }

    fn apply(&mut self, mv: Move) {
        self.is_rolled = mv == Move::Roll;
        match mv {
            Move::Roll => {}
            Move::Shows(1) => self.end_turn(),
            Move::Shows(number) => self.of_turn += number,
            Move::Hold => {
                self.sums[self.player()] += self.of_turn;
                self.end_turn();
            }
        }
    }
}

impl fmt::Display for Pig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sums: [anna, otto], turns_left, of_turn, .. } = self;
        write!(f, "{anna} {otto} {turns_left} {of_turn} {}", Self::ROLES[self.role_to_move()].name)
    }
}

impl FromStr for Pig {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let names = ["sum of anna", "sum of otto", "turns left", "sum of the turn", "who acts"];
        let fields = text::fields(text, names)?;
        let number = |index: usize, most: u8| {
            let read = fields[index].parse().ok().filter(|number: &u8| *number <= most);
            read.ok_or_else(|| PositionError::new(names[index], format!("expected a number up to {most}")))
        };
        let most = TURNS / 2 * (ENOUGH + 5);
        let sums = [number(0, most)?, number(1, most)?];
        let (turns_left, of_turn) = (number(2, TURNS)?, number(3, ENOUGH + 5)?);
        let is_rolled = fields[4] == "die";
        if is_rolled && (turns_left == 0 || of_turn >= ENOUGH) {
            return Err(PositionError::new("who acts", "nobody rolls the die here"));
        }
        if turns_left == 0 && of_turn > 0 {
            return Err(PositionError::new("sum of the turn", "there is no turn left"));
        }
        let position = Self { sums, turns_left, of_turn, is_rolled };
        text::check_to_move(
            "who acts",
            fields[4],
            &Self::ROLES[position.role_to_move()].name,
            "these turns",
        )?;
        Ok(position)
    }
}

impl Notation for Pig {
    const ABOUT: About = About {
        title: "Pig",
        summary: "Three turns each; roll as often as you like, but a 1 loses what the turn has brought.",
        moves: "roll or hold; 1 to 6 is what the die shows",
        position: "sums of anna and otto, turns left, sum of this turn, who acts",
    };

    fn draw(&self, mark: Option<Move>) -> String {
        let Self { sums: [anna, otto], turns_left, of_turn, .. } = self;
        let moves: String =
            self.move_list().into_iter().map(|mv| text::drawn(mv, mark == Some(mv))).collect();
        format!("anna {anna}, otto {otto}; turns left: {turns_left}; this turn: {of_turn}\n{moves}\n")
    }
}
