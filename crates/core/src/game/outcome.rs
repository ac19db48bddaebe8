//! Sides, outcomes and their scores.

/// One of the sides that win or lose together: a player or a team of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side of the first role in [`Game::ROLES`](super::Game::ROLES).
    First,
    /// The other of two sides. In a game for one player nobody plays it.
    Second,
    /// The third of several sides.
    Third,
    /// The fourth of several sides.
    Fourth,
    /// The fifth of several sides.
    Fifth,
    /// The sixth of several sides.
    Sixth,
    /// The seventh of several sides.
    Seventh,
    /// No side: chance moves for this role, by the [probabilities](super::Game::probability) of the game.
    Chance,
}

/// The maximum number of sides.
pub const MAX_SIDES: usize = 7;

/// What a side may be, with chance.
pub(crate) const SIDES: usize = MAX_SIDES + 1;

impl Side {
    /// All sides that a game may have, without chance.
    pub const ALL: [Self; MAX_SIDES] =
        [Self::First, Self::Second, Self::Third, Self::Fourth, Self::Fifth, Self::Sixth, Self::Seventh];

    /// The side with this number, modulo 8; chance comes last.
    #[inline]
    pub(crate) const fn of_bits(bits: u16) -> Self {
        match bits & 7 {
            0 => Self::First,
            1 => Self::Second,
            2 => Self::Third,
            3 => Self::Fourth,
            4 => Self::Fifth,
            5 => Self::Sixth,
            6 => Self::Seventh,
            _ => Self::Chance,
        }
    }

    /// The other of two sides.
    #[must_use]
    #[inline]
    pub const fn opponent(self) -> Self {
        match self {
            Self::First => Self::Second,
            _ => Self::First,
        }
    }
}

/// The highest score, that of a win.
pub const MAX_SCORE: u8 = 100;

/// The score of a draw.
pub const DRAW_SCORE: u8 = 50;

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// This side won, all others lost: 100 and 0.
    Win(Side),
    /// Of two sides neither won, or both did: 50 each.
    Draw,
    /// Other scores; [`Outcome::of_score`] and [`Outcome::of_scores`] make it.
    Scores(Scores),
}

/// The scores of all sides, which are none of a win or a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scores([u8; SIDES]);

impl Outcome {
    /// The outcome in which two sides share 100: this score is that of `side`, the other one gets the rest. A
    /// score above [`MAX_SCORE`] counts as that. It is also the outcome of a game for one player.
    #[must_use]
    #[inline]
    pub const fn of_score(side: Side, score: u8) -> Self {
        match score {
            0 => Self::Win(side.opponent()),
            DRAW_SCORE => Self::Draw,
            MAX_SCORE.. => Self::Win(side),
            _ => {
                let rest = MAX_SCORE - score;
                let (first, second) = if matches!(side, Side::First) { (score, rest) } else { (rest, score) };
                Self::Scores(Scores([first, second, 0, 0, 0, 0, 0, 0]))
            }
        }
    }

    /// The outcome in which each side has a score of its own: those of the first sides, in their order. Those
    /// above [`MAX_SCORE`] count as that; more than [`MAX_SIDES`] are left out.
    ///
    /// ```
    /// # use quintet_core::game::{Outcome, Side};
    /// let outcome = Outcome::of_scores(&[20, 0, 80]);
    /// assert_eq!((outcome.score(Side::Third), outcome.score(Side::Fourth)), (80, 0));
    /// assert_eq!(Outcome::of_scores(&[0, 0, 100]), Outcome::Win(Side::Third));
    /// ```
    #[must_use]
    pub fn of_scores(scores: &[u8]) -> Self {
        let mut all = [0; SIDES];
        all[..MAX_SIDES].iter_mut().zip(scores).for_each(|(it, &score)| *it = score.min(MAX_SCORE));
        let usual = Side::ALL.map(Self::Win).into_iter().chain([Self::Draw]);
        usual.into_iter().find(|it| it.all_scores() == all).unwrap_or(Self::Scores(Scores(all)))
    }

    /// The scores of all sides that there can be.
    #[must_use]
    #[inline]
    pub(crate) const fn all_scores(self) -> [u8; SIDES] {
        match self {
            Self::Win(side) => {
                let mut scores = [0; SIDES];
                scores[side as usize] = MAX_SCORE;
                scores
            }
            Self::Draw => [DRAW_SCORE, DRAW_SCORE, 0, 0, 0, 0, 0, 0],
            Self::Scores(Scores(scores)) => scores,
        }
    }

    /// The side that gets more than any other; `None` if there is none.
    #[must_use]
    #[inline]
    pub fn winner(self) -> Option<Side> {
        let Self::Scores(Scores(scores)) = self else {
            return if let Self::Win(side) = self { Some(side) } else { None };
        };
        let most = scores.into_iter().max()?;
        let mut first = Side::ALL.into_iter().filter(|&side| scores[side as usize] == most);
        first.next().filter(|_| first.next().is_none())
    }

    /// The score of `side`, from 0 for a loss to 100 for a win.
    #[must_use]
    #[inline]
    pub const fn score(self, side: Side) -> u8 {
        match self {
            Self::Win(winner) => {
                if winner as usize == side as usize {
                    MAX_SCORE
                } else {
                    0
                }
            }
            Self::Draw => {
                if matches!(side, Side::First | Side::Second) {
                    DRAW_SCORE
                } else {
                    0
                }
            }
            Self::Scores(Scores(scores)) => scores[side as usize],
        }
    }
}

/// The scores with which a game may end.
///
/// Two sides share 100, so those of the first side tell all. In a game for one player nobody has the rest.
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
    /// Each side has a score of its own, whatever the others have: the game is for more than two sides, or for two
    /// that may both win or both lose.
    pub const INDEPENDENT: Self = Self(Self::ANY.0 | 1 << 127);

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

    /// Whether each side has a score of its own.
    #[must_use]
    #[inline]
    pub const fn is_independent(self) -> bool {
        self.0 >> 127 == 1
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
            Side::Second if !self.is_independent() => {
                Self(self.0.reverse_bits() >> (u128::BITS - 1 - MAX_SCORE as u32))
            }
            _ => self,
        }
    }

    /// The lowest and the highest score; those of a loss and a win if it is empty.
    #[must_use]
    pub fn ends(self) -> [u8; 2] {
        [self.iter().next().unwrap_or(0), self.iter().next_back().unwrap_or(MAX_SCORE)]
    }

    /// The highest of the scores below this one, or 0.
    #[must_use]
    pub const fn below(self, score: u8) -> u8 {
        let below = self.0 & Self::ANY.0 & ((1 << score) - 1);
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
    fn each_of_several_sides_has_a_score() {
        let outcome = Outcome::of_scores(&[10, 120, 30]);
        assert_eq!(Side::ALL.map(|it| outcome.score(it)), [10, 100, 30, 0, 0, 0, 0]);
        assert_eq!(outcome.winner(), Some(Side::Second));
        for outcome in Side::ALL.map(Outcome::Win).into_iter().chain([Outcome::Draw]) {
            assert_eq!(Outcome::of_scores(&Side::ALL.map(|it| outcome.score(it))), outcome);
        }
        assert_eq!(Outcome::of_scores(&[70, 30]), Outcome::of_score(Side::First, 70));
        assert_eq!((Outcome::of_scores(&[5, 5, 5]).winner(), Outcome::of_scores(&[]).winner()), (None, None));
        assert_eq!(Outcome::Win(Side::Fifth).winner(), Some(Side::Fifth));
    }

    #[test]
    fn a_set_has_its_scores() {
        let set = ScoreSet::new(&[10, 0, 70, 200]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 10, 70, 100]);
        assert_eq!(set.of(Side::Second).iter().collect::<Vec<_>>(), [0, 30, 90, 100]);
        assert_eq!((set.ends(), ScoreSet::new(&[]).ends()), ([0, 100], [0, 100]));
        assert_eq!([0, 1, 10, 11, 70, 100].map(|score| set.below(score)), [0, 0, 0, 10, 10, 70]);
        assert!(set.contains(10) && !set.contains(11) && !set.contains(200));
        assert_eq!(ScoreSet::ANY.iter().count(), 101);
        let independent = ScoreSet::INDEPENDENT;
        assert!(independent.is_independent() && !ScoreSet::ANY.is_independent());
        assert_eq!((independent.of(Side::Second), independent.iter().count()), (independent, 101));
        assert_eq!(ScoreSet::WIN_DRAW_LOSS.of(Side::Second), ScoreSet::WIN_DRAW_LOSS);
    }
}
