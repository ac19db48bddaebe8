//! A game for tests.

use std::fmt;
use std::str::FromStr;

use crate::game::{
    About, Bounds, Game, MoveList, Notation, Outcome, Picture, PositionError, Role, RulesText, Side, text,
};
use crate::knowledge::{Knowledge, Selection};
use crate::learned::{FeatureCounts, PositionFeatures};
use crate::solver::{Claim, SettleOptions, SettleResult, Strategy};

/// Nim: whoever takes the last stick wins. A move takes up to `MOST` sticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Nim<const MOST: u8> {
    pub(crate) sticks: u8,
    pub(crate) role: usize,
}

impl<const MOST: u8> Nim<MOST> {
    /// `role` moves, with so many sticks.
    pub(crate) const fn new(sticks: u8, role: usize) -> Self {
        Self { sticks, role }
    }
}

impl<const MOST: u8> Game for Nim<MOST> {
    type Move = u8;
    const ROLES: &'static [Role] = &[Role::new("anna", Side::First), Role::new("otto", Side::Second)];
    const MAX_BRANCHING: usize = MOST as usize;
    const MAX_PLIES: usize = 21;
    fn initial() -> Self {
        Self::new(21, 0)
    }
    fn role_to_move(&self) -> usize {
        self.role
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.sticks == 0).then(|| Outcome::Win(Self::ROLES[1 - self.role].side))
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(1..=self.sticks.min(MOST));
    }
    fn apply(&mut self, taken: u8) {
        *self = Self::new(self.sticks - taken, 1 - self.role);
    }
}

impl<const MOST: u8> fmt::Display for Nim<MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.sticks, Self::ROLES[self.role].name)
    }
}

impl<const MOST: u8> FromStr for Nim<MOST> {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let [sticks, role] = text::fields(text, ["sticks", "role"])?;
        let sticks = text::number(sticks).ok_or_else(|| PositionError::new("sticks", "no number"))?;
        let role = text::one_of(role, &["anna", "otto"]);
        Ok(Self::new(sticks, role.ok_or_else(|| PositionError::new("role", "nobody"))?))
    }
}

impl<const MOST: u8> Notation for Nim<MOST> {
    const ABOUT: About = About { title: "Nim", summary: "Take the last stick.", moves: "", position: "" };
    const RULES_TEXT: RulesText = match MOST {
        3 => RulesText { standard: Some("as people play it"), ..RulesText::NONE },
        _ => RulesText::NONE,
    };

    fn term(&self, mv: u8) -> String {
        format!("(take {mv})")
    }
    fn draw(&self, mark: Option<u8>) -> String {
        let sticks = |count: u8| "|".repeat(usize::from(count));
        match mark {
            Some(mv) => format!("[{}]{}", sticks(mv), sticks(self.sticks - mv)),
            None => sticks(self.sticks),
        }
    }
    fn mover_color(&self) -> Option<&'static str> {
        Some("with red hair")
    }
    fn task(&self) -> Option<String> {
        Some(format!("take 1 to {}", self.sticks.min(MOST)))
    }
    fn ending(&self) -> Option<String> {
        Some("the last stick is taken".to_owned())
    }
    fn picture(&self, last: Option<u8>) -> Picture {
        Picture::Text(format!("{self} after {last:?}"))
    }
    fn benchmark() -> Self {
        Self::new(9, 0)
    }
}

/// As people play it.
pub(crate) type Three = Nim<3>;

/// Knowledge for tests: nothing that a search needs, but something to tell.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Expert;

pub(crate) const COUNTS: FeatureCounts = FeatureCounts { positions: 22, moves: 4 };

impl Knowledge<Three> for Expert {
    const SELECTION: Selection = Selection::Ucb1 { c: 1.25 };
    const HAS_STRATEGIES: bool = true;
    const FEATURES: Option<FeatureCounts> = Some(COUNTS);

    fn position_features(&self, position: &Three) -> Option<PositionFeatures<u8>> {
        let moves = vec![(2, 0.5, vec![2, 3])];
        Some(PositionFeatures {
            position: vec![usize::from(position.sticks)],
            moves,
            shares_in_fit: [1.0, 0.5],
        })
    }
    fn settle(&self, position: &Three, _: &SettleOptions) -> SettleResult<Three, u8> {
        let claim = Claim::win(Side::First);
        let strategy = Strategy { claim, search_from: 7, choices: vec![(*position, vec![1, 2])] };
        let bounds = Bounds { lower: 50, upper: 100 };
        SettleResult {
            best: Some(3),
            strategies: vec![strategy],
            ..SettleResult::of_bounds(bounds, "a look")
        }
    }
    fn explain(&self, position: &Three, mv: u8) -> Option<String> {
        Some(format!("leaves {}", position.sticks - mv))
    }
}
