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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_an_outcome_and_of_either_side() {
        let outcomes = [Outcome::Win(Side::Second), Outcome::Draw, Outcome::Win(Side::First)];
        for (points, outcome) in (0..).zip(outcomes) {
            let exactly = Bounds { lower: points, upper: points };
            assert_eq!((Bounds::exactly(outcome), exactly.outcome()), (exactly, Some(outcome)));
            assert_eq!(
                [Side::First, Side::Second].map(|side| outcome.half_points(side)),
                [points, 2 - points]
            );
        }
        let (low, high) = (Bounds { lower: 0, upper: 1 }, Bounds { lower: 1, upper: 2 });
        assert_eq!([low, high, Bounds::UNKNOWN].map(Bounds::outcome), [None; 3]);
        assert_eq!((low.of(Side::First), low.of(Side::Second), high.of(Side::Second)), (low, high, low));
        assert_eq!(Bounds { lower: 0, upper: 0 }.of(Side::Second), Bounds { lower: 2, upper: 2 });
        assert_eq!((low.and(high), low.and(Bounds::UNKNOWN)), (Bounds { lower: 1, upper: 1 }, low));
        assert_eq!([Side::First, Side::Second].map(Side::opponent), [Side::Second, Side::First]);
    }
}
