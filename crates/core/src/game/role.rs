//! The roles of a game, and what follows from them.

use std::borrow::Cow;
use std::fmt;

use super::Side;

/// One player: a name, and the side that it plays for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// The role's name in records and protocols, such as `xrow`.
    pub name: Cow<'static, str>,
    /// The side that this role wins and loses with; [`Side::Chance`] if nobody plays it.
    pub side: Side,
}

impl Role {
    /// The role with this name, which plays for this side.
    #[must_use]
    pub const fn new(name: &'static str, side: Side) -> Self {
        Self { name: Cow::Borrowed(name), side }
    }
}

/// What a search must know of a game besides its moves. It is the same in all positions of a game.
///
/// ```
/// # use quintet_core::game::{Kind, Role, Side};
/// let kind = Kind::of(&[Role::new("anna", Side::First), Role::new("die", Side::Chance)]);
/// assert!(kind.has_chance() && !kind.may_repeat() && kind.with_repetition().may_repeat());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind(u8);

const CHANCE: u8 = 1;
const SEVERAL_SIDES: u8 = 1 << 1;
const ONE_PLAYER: u8 = 1 << 2;
const SIMULTANEOUS: u8 = 1 << 3;
const REPETITION: u8 = 1 << 4;

/// Lists what is special about the game.
impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = [
            (CHANCE, "chance"),
            (SEVERAL_SIDES, "several sides"),
            (ONE_PLAYER, "one player"),
            (SIMULTANEOUS, "simultaneous moves"),
            (REPETITION, "repetition"),
        ];
        f.debug_list().entries(all.into_iter().filter(|it| self.has(it.0)).map(|it| it.1)).finish()
    }
}

impl Kind {
    /// All that a game may be: the [`KIND`](super::Game::KIND) of a type whose rules are made at run time.
    pub const ANY: Self = Self(CHANCE | SEVERAL_SIDES | ONE_PLAYER | SIMULTANEOUS | REPETITION);

    /// That of a game with these roles, in which one role moves at a time and no position comes twice.
    #[must_use]
    pub const fn of(roles: &[Role]) -> Self {
        let (mut kind, mut index) = (0, 0);
        while index < roles.len() {
            kind |= match roles[index].side {
                Side::First | Side::Second => 0,
                Side::Chance => CHANCE,
                _ => SEVERAL_SIDES,
            };
            index += 1;
        }
        if roles.len() == 1 && matches!(roles[0].side, Side::First) {
            kind |= ONE_PLAYER;
        }
        Self(kind)
    }

    /// The same with [simultaneous moves](super::Game::before_joint_move).
    #[must_use]
    pub const fn with_simultaneous_moves(self) -> Self {
        Self(self.0 | SIMULTANEOUS)
    }

    /// The same where a position may come twice in a game. Solvers and provers, which go by positions and not by
    /// how they came about, are then off.
    #[must_use]
    pub const fn with_repetition(self) -> Self {
        Self(self.0 | REPETITION)
    }

    /// Whether a game of this kind has nothing that `other` has not.
    #[must_use]
    pub const fn is_within(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether a game with these roles may be of this kind.
    #[must_use]
    pub const fn is_of(self, roles: &[Role]) -> bool {
        self.0 & !(SIMULTANEOUS | REPETITION) == Self::of(roles).0
    }

    const fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }

    /// Whether chance has a role.
    #[must_use]
    #[inline(always)]
    pub const fn has_chance(self) -> bool {
        self.has(CHANCE)
    }

    /// Whether there are more than two sides.
    #[must_use]
    #[inline(always)]
    pub const fn has_several_sides(self) -> bool {
        self.has(SEVERAL_SIDES)
    }

    /// Whether the game is for one player, and chance does not move.
    #[must_use]
    #[inline(always)]
    pub const fn has_one_player(self) -> bool {
        self.has(ONE_PLAYER)
    }

    /// Whether some moves are made at the same time.
    #[must_use]
    #[inline(always)]
    pub const fn has_simultaneous_moves(self) -> bool {
        self.has(SIMULTANEOUS)
    }

    /// Whether a position may come twice in a game.
    #[must_use]
    #[inline(always)]
    pub const fn may_repeat(self) -> bool {
        self.has(REPETITION)
    }
}
