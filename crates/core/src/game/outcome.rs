//! Sides and outcomes.

/// One of the two sides that win or lose together: a player or a team of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side of the first role in [`Game::ROLES`](super::Game::ROLES).
    First,
    /// The other side.
    Second,
}

impl Side {
    /// The other side.
    #[must_use]
    #[inline]
    pub const fn opponent(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side won, the other lost.
    Win(Side),
    /// Neither won, or both did.
    Draw,
}

impl Outcome {
    /// The result for `side` in half points: 2 for a win, 1 for a draw, 0 for a loss.
    ///
    /// Search sums them as integers, so a sum never depends on the order of its terms.
    #[must_use]
    #[inline]
    pub const fn half_points(self, side: Side) -> u8 {
        match (self, side) {
            (Self::Draw, _) => 1,
            (Self::Win(Side::First), Side::First) | (Self::Win(Side::Second), Side::Second) => 2,
            (Self::Win(_), _) => 0,
        }
    }
}
