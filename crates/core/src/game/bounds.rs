//! Proven bounds of a value.

use super::outcome::MAX_SCORE;
use super::{Outcome, Side};

/// Proven bounds of a position's value: the score of the first side under perfect play, 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    /// The lower bound.
    pub lower: u8,
    /// The upper bound.
    pub upper: u8,
}

impl Bounds {
    /// The bounds if nothing is proven.
    pub const UNKNOWN: Self = Self { lower: 0, upper: MAX_SCORE };

    /// The exact value of `outcome`.
    #[must_use]
    #[inline]
    pub const fn exactly(outcome: Outcome) -> Self {
        let value = outcome.score(Side::First);
        Self { lower: value, upper: value }
    }

    /// The outcome, if the bounds leave only one.
    #[must_use]
    #[inline]
    pub fn outcome(self) -> Option<Outcome> {
        (self.lower == self.upper).then_some(Outcome::of_score(Side::First, self.lower))
    }

    /// The intersection of both.
    #[must_use]
    #[inline]
    pub fn and(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }

    /// The same from the point of view of `side`: bounds of the score that it gets.
    /// Applied twice, it gives the same bounds again.
    #[must_use]
    #[inline]
    pub fn of(self, side: Side) -> Self {
        match side {
            Side::Second => Self { lower: MAX_SCORE - self.upper, upper: MAX_SCORE - self.lower },
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_an_outcome_and_of_either_side() {
        for score in [0, 30, 50, 100] {
            let outcome = Outcome::of_score(Side::First, score);
            let exactly = Bounds { lower: score, upper: score };
            assert_eq!((Bounds::exactly(outcome), exactly.outcome()), (exactly, Some(outcome)));
        }
        let (low, high) = (Bounds { lower: 0, upper: 30 }, Bounds { lower: 70, upper: 100 });
        assert_eq!([low, high, Bounds::UNKNOWN].map(Bounds::outcome), [None; 3]);
        assert_eq!((low.of(Side::First), low.of(Side::Second), high.of(Side::Second)), (low, high, low));
        let (a, b) = (Bounds { lower: 10, upper: 60 }, Bounds { lower: 20, upper: 100 });
        assert_eq!((a.and(b), a.and(Bounds::UNKNOWN)), (Bounds { lower: 20, upper: 60 }, a));
        assert_eq!([Side::First, Side::Second].map(Side::opponent), [Side::Second, Side::First]);
    }
}
