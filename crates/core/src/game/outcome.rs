//! Sides, outcomes and their scores.

/// One of the two sides that win or lose together: a player or a team of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side of the first role in [`Game::ROLES`](super::Game::ROLES).
    First,
    /// The other side. In a game for one player nobody plays it.
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

/// The highest score, that of a win. The scores of the two sides add up to it.
pub const MAX_SCORE: u8 = 100;

/// The score of a draw.
pub const DRAW_SCORE: u8 = 50;

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side won, the other lost: 100 and 0.
    Win(Side),
    /// Neither won, or both did: 50 each.
    Draw,
    /// The sides share the 100 in another way; [`Outcome::of_score`] makes it.
    Shared(Share),
}

/// The score of the first side, which is none of a win, a draw and a loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Share(u8);

impl Outcome {
    /// The outcome with this score for `side`, at most [`MAX_SCORE`]: a larger one counts as that. The other
    /// side gets the rest.
    #[must_use]
    #[inline]
    pub const fn of_score(side: Side, score: u8) -> Self {
        match score {
            0 => Self::Win(side.opponent()),
            DRAW_SCORE => Self::Draw,
            MAX_SCORE.. => Self::Win(side),
            _ => match side {
                Side::First => Self::Shared(Share(score)),
                Side::Second => Self::Shared(Share(MAX_SCORE - score)),
            },
        }
    }

    /// The side that gets more than the other; `None` if both get 50.
    #[must_use]
    #[inline]
    pub const fn winner(self) -> Option<Side> {
        match self {
            Self::Win(side) => Some(side),
            Self::Draw => None,
            Self::Shared(Share(score)) => Some(if score > DRAW_SCORE { Side::First } else { Side::Second }),
        }
    }

    /// The score of `side`, from 0 for a loss to 100 for a win.
    #[must_use]
    #[inline]
    pub const fn score(self, side: Side) -> u8 {
        match (self, side) {
            (Self::Draw, _) => DRAW_SCORE,
            (Self::Win(Side::First), Side::First) | (Self::Win(Side::Second), Side::Second) => MAX_SCORE,
            (Self::Win(_), _) => 0,
            (Self::Shared(Share(score)), Side::First) => score,
            (Self::Shared(Share(score)), Side::Second) => MAX_SCORE - score,
        }
    }
}

/// Scores that a side may get at the end of a game.
///
/// ```
/// # use quintet_core::game::ScoreSet;
/// const SCORES: ScoreSet = ScoreSet::new(&[0, 25, 100]);
/// assert_eq!(SCORES.iter().collect::<Vec<_>>(), [0, 25, 100]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScoreSet(u128);

impl ScoreSet {
    /// A loss, a draw or a win.
    pub const WIN_DRAW_LOSS: Self = Self::new(&[0, DRAW_SCORE, MAX_SCORE]);
    /// Any score.
    pub const ANY: Self = Self((1 << (MAX_SCORE + 1)) - 1);

    /// These scores. Those above [`MAX_SCORE`] count as that.
    #[must_use]
    pub const fn new(scores: &[u8]) -> Self {
        let (mut set, mut index) = (0, 0);
        while index < scores.len() {
            let score = if scores[index] > MAX_SCORE { MAX_SCORE } else { scores[index] };
            set |= 1_u128 << score;
            index += 1;
        }
        Self(set)
    }

    /// Whether it has this score.
    #[must_use]
    pub const fn contains(self, score: u8) -> bool {
        score <= MAX_SCORE && self.0 >> score & 1 == 1
    }

    /// The scores, from the lowest to the highest.
    #[must_use]
    pub fn iter(self) -> impl DoubleEndedIterator<Item = u8> {
        (0..=MAX_SCORE).filter(move |&score| self.contains(score))
    }

    /// The same scores of the first side, as `side` sees them.
    #[must_use]
    pub const fn of(self, side: Side) -> Self {
        match side {
            Side::First => self,
            Side::Second => Self(self.0.reverse_bits() >> (u128::BITS - 1 - MAX_SCORE as u32)),
        }
    }

    /// The highest of the scores below this one, or 0.
    #[must_use]
    pub const fn below(self, score: u8) -> u8 {
        let below = self.0 & ((1 << score) - 1);
        (u128::BITS - 1).saturating_sub(below.leading_zeros()) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_has_one_outcome_and_the_sides_share_100() {
        for score in 0..=MAX_SCORE {
            let outcome = Outcome::of_score(Side::First, score);
            assert_eq!(outcome, Outcome::of_score(Side::Second, MAX_SCORE - score));
            assert_eq!([Side::First, Side::Second].map(|it| outcome.score(it)), [score, MAX_SCORE - score]);
            let better = |side| outcome.score(side) > DRAW_SCORE;
            assert_eq!(outcome.winner(), [Side::First, Side::Second].into_iter().find(|it| better(*it)));
        }
        let known = [0, 50, 100, 255].map(|score| Outcome::of_score(Side::Second, score));
        let [win, loss] = [Side::Second, Side::First].map(Outcome::Win);
        assert_eq!(known, [loss, Outcome::Draw, win, win]);
    }

    #[test]
    fn a_set_has_its_scores() {
        let set = ScoreSet::new(&[10, 0, 70, 200]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 10, 70, 100]);
        assert_eq!(set.of(Side::Second).iter().collect::<Vec<_>>(), [0, 30, 90, 100]);
        assert_eq!([0, 1, 10, 11, 70, 100].map(|score| set.below(score)), [0, 0, 0, 10, 10, 70]);
        assert!(set.contains(10) && !set.contains(11) && !set.contains(200));
        assert_eq!(ScoreSet::ANY.iter().count(), 101);
        assert_eq!(ScoreSet::WIN_DRAW_LOSS.of(Side::Second), ScoreSet::WIN_DRAW_LOSS);
    }
}
