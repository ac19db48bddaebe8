//! What is proven of a value.

use super::{Outcome, Side};

/// What is proven of the value of a position: the half points of the first side under perfect play, 0 to 2,
/// are at least `lower` and at most `upper`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// At least these half points.
    pub lower: u8,
    /// At most these.
    pub upper: u8,
}

impl Bounds {
    /// Nothing is proven.
    pub const UNKNOWN: Self = Self { lower: 0, upper: 2 };

    /// The value is that of `outcome`.
    #[must_use]
    #[inline]
    pub const fn exactly(outcome: Outcome) -> Self {
        let value = outcome.half_points(Side::First);
        Self { lower: value, upper: value }
    }

    /// The outcome, if only one is possible.
    #[must_use]
    #[inline]
    pub fn outcome(self) -> Option<Outcome> {
        (self.lower == self.upper).then_some(match self.lower {
            0 => Outcome::Win(Side::Second),
            1 => Outcome::Draw,
            _ => Outcome::Win(Side::First),
        })
    }

    /// What both say together.
    #[must_use]
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }

    /// The same from the point of view of `side`: the least and the most half points it gets.
    #[must_use]
    #[inline]
    pub fn of(self, side: Side) -> Self {
        match side {
            Side::First => self,
            Side::Second => Self { lower: 2 - self.upper, upper: 2 - self.lower },
        }
    }
}
