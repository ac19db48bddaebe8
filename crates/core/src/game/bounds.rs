//! Proven bounds of a value.

use super::{Outcome, Side};

/// Proven bounds of a position's value: half points of the first side under perfect play, 0 to 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The lower bound.
    pub lower: u8,
    /// The upper bound.
    pub upper: u8,
}

impl Bounds {
    /// The bounds if nothing is proven.
    pub const UNKNOWN: Self = Self { lower: 0, upper: 2 };

    /// The exact value of `outcome`.
    #[must_use]
    #[inline]
    pub const fn exactly(outcome: Outcome) -> Self {
        let value = outcome.half_points(Side::First);
        Self { lower: value, upper: value }
    }

    /// The outcome, if the bounds leave only one.
    #[must_use]
    #[inline]
    pub fn outcome(self) -> Option<Outcome> {
        (self.lower == self.upper).then_some(match self.lower {
            0 => Outcome::Win(Side::Second),
            1 => Outcome::Draw,
            _ => Outcome::Win(Side::First),
        })
    }

    /// The intersection of both.
    #[must_use]
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }

    /// The same from the point of view of `side`: bounds of the half points that it gets.
    /// Applied twice, it gives the same bounds again.
    #[must_use]
    #[inline]
    pub fn of(self, side: Side) -> Self {
        match side {
            Side::First => self,
            Side::Second => Self { lower: 2 - self.upper, upper: 2 - self.lower },
        }
    }
}
