//! What a proof-number search proves or disproves of a position.

use crate::game::{Bounds, DRAW_SCORE, MAX_SCORE, Outcome, ScoreSet, Side};

/// The claim that a side gets at least some score under perfect play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The side.
    pub side: Side,
    /// The score, from 1 to 100: 50 for at least a draw, 100 for a win.
    pub score: u8,
}

impl Claim {
    /// The claim that `side` wins.
    #[must_use]
    pub const fn win(side: Side) -> Self {
        Self { side, score: MAX_SCORE }
    }

    /// The claim that `side` gets at least a draw.
    #[must_use]
    pub const fn draw(side: Side) -> Self {
        Self { side, score: DRAW_SCORE }
    }

    /// Whether the claim holds with this outcome.
    #[must_use]
    pub const fn holds(self, outcome: Outcome) -> bool {
        outcome.score(self.side) >= self.score
    }

    /// What these bounds say about the claim, if they decide it.
    #[must_use]
    pub fn decided_by(self, bounds: Bounds) -> Option<bool> {
        let Bounds { lower, upper } = bounds.of(self.side);
        if lower >= self.score {
            Some(true)
        } else if upper < self.score {
            Some(false)
        } else {
            None
        }
    }

    /// The bounds of the value if the claim is true, or if it is false; `scores` are those that the game may end
    /// with, as the first side sees them.
    #[must_use]
    pub fn bounds(self, is_true: bool, scores: ScoreSet) -> Bounds {
        let unknown = Bounds::UNKNOWN;
        let own = if is_true {
            Bounds { lower: self.score, ..unknown }
        } else {
            Bounds { upper: scores.of(self.side).below(self.score), ..unknown }
        };
        own.of(self.side)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_holds_by_the_half_points() {
        let [win, draw] = [Claim::win(Side::Second), Claim::draw(Side::Second)];
        let outcomes = [Outcome::Win(Side::First), Outcome::Draw, Outcome::Win(Side::Second)];
        assert_eq!(outcomes.map(|it| win.holds(it)), [false, false, true]);
        assert_eq!(outcomes.map(|it| draw.holds(it)), [false, true, true]);
        for (lower, upper, of_win, of_draw) in [
            (0, 100, None, None),
            (0, 50, None, Some(true)),
            (50, 100, Some(false), None),
            (0, 0, Some(true), Some(true)),
            (50, 50, Some(false), Some(true)),
            (100, 100, Some(false), Some(false)),
        ] {
            let bounds = Bounds { lower, upper };
            assert_eq!((win.decided_by(bounds), draw.decided_by(bounds)), (of_win, of_draw), "{bounds:?}");
        }
        for claim in [win, draw, Claim::win(Side::First), Claim::draw(Side::First)] {
            for is_true in [false, true] {
                let bounds = claim.bounds(is_true, ScoreSet::WIN_DRAW_LOSS);
                assert_eq!(claim.decided_by(bounds), Some(is_true), "{claim:?}");
            }
        }
        let usual = ScoreSet::WIN_DRAW_LOSS;
        assert_eq!(win.bounds(true, usual), Bounds { lower: 0, upper: 0 });
        assert_eq!(win.bounds(false, usual), Bounds { lower: 50, upper: 100 });
        assert_eq!(draw.bounds(false, usual), Bounds { lower: 100, upper: 100 });
        // The next lower score of the second side is 10.
        let scores = ScoreSet::new(&[0, 90, 100]);
        assert_eq!(draw.bounds(false, scores), Bounds { lower: 90, upper: 100 });
    }
}
