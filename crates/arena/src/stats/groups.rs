//! The scores of the groups of games of a match.

/// How often each score came up among the complete groups of games of a match.
///
/// The games of a group have the same opening, from which two engines play once with each way to share the
/// seats. The score of a group, 0 to 1, is the mean of its comparisons, each 0, ½ or 1: it is one of *c* + 1
/// scores in steps of 1/*c*, where *c* is twice the number of comparisons.
///
/// Where two sides play, a group is a pair of games, each a comparison, and its scores are counted by the five
/// pentanomial counts: `Groups::from([0, 0, 6, 0, 6])`.
///
/// Where engines or openings are few, games repeat move by move. A group whose games all repeat earlier ones counts in
/// the mean: to leave it out would favor results that come about in many ways. But it is no further evidence. So the
/// groups weigh as much together as those of them that are new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    games: usize,
    counts: Vec<u64>,
    repeated: u64,
}

impl Groups {
    /// No groups, each of which will be of `games` games and `comparisons` comparisons, both at least 1; less
    /// counts as 1.
    #[must_use]
    pub fn of(games: usize, comparisons: usize) -> Self {
        Self { games: games.max(1), counts: vec![0; 2 * comparisons.max(1) + 1], repeated: 0 }
    }

    /// Adds a group whose comparisons brought this number of half points: 2 for each that was won, 1 for each
    /// with equal scores.
    ///
    /// # Panics
    /// If they are more than all comparisons can bring.
    pub fn add(&mut self, half_points: usize) {
        self.counts[half_points] += 1;
    }

    /// [Adds](Self::add) a group whose games all repeat earlier ones.
    ///
    /// # Panics
    /// If the half points are more than all comparisons can bring.
    pub fn add_repeated(&mut self, half_points: usize) {
        self.add(half_points);
        self.repeated += 1;
    }

    /// The number of games of a group.
    #[must_use]
    pub fn games(&self) -> usize {
        self.games
    }

    /// The number of groups by their scores: the first got 0, the last 1, in equal steps.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The number of groups.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The number of groups whose games all repeat earlier ones.
    #[must_use]
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// The weights of the groups by their scores, as [`counts`](Self::counts).
    pub(super) fn weights(&self) -> Vec<f64> {
        let all = self.count();
        let each = (all - self.repeated) as f64 / all.max(1) as f64;
        self.counts.iter().map(|&count| count as f64 * each).collect()
    }

    /// The same groups as the other engine sees them.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { counts: self.counts.iter().rev().copied().collect(), ..*self }
    }

    /// The steps from a score of 0 to one of 1.
    pub(super) fn steps(&self) -> usize {
        self.counts.len() - 1
    }

    /// The half points of each group if all got the same; `None` if not, or without groups.
    pub(super) fn only(&self) -> Option<usize> {
        let mut got = (0..).zip(&self.counts).filter(|(_, count)| **count > 0);
        let (half_points, _) = got.next()?;
        got.next().is_none().then_some(half_points)
    }

    /// The mean and the standard deviation of the scores, as [`MatchScore`](super::MatchScore) describes them.
    pub(super) fn spread(&self) -> Option<Spread> {
        let weights = self.weights();
        let count: f64 = weights.iter().sum();
        if count == 0.0 {
            return None;
        }
        let weigh = |value: &dyn Fn(f64) -> f64| -> f64 {
            let scores = weights.iter().enumerate();
            scores.map(|(i, weight)| value(score_of(i, self.steps())) * weight / count).sum()
        };
        let mean = weigh(&|score| score);
        let pairs = self.games as f64 / 2.0;
        let min_variance = mean.max(1.0 - mean).powi(2) / pairs / count;
        let variance = weigh(&|score| (score - mean).powi(2)).max(min_variance);
        Some(Spread { count, mean, deviation: variance.sqrt() })
    }
}

/// No pairs.
impl Default for Groups {
    fn default() -> Self {
        Self::of(2, 2)
    }
}

/// The pairs with 0, ½, 1, 1½ and 2 points: the pentanomial counts.
impl From<[u64; 5]> for Groups {
    fn from(counts: [u64; 5]) -> Self {
        Self { games: 2, counts: counts.into(), repeated: 0 }
    }
}

/// Returns the score of a group that got so many of `steps` half points.
pub(super) fn score_of(half_points: usize, steps: usize) -> f64 {
    half_points as f64 / steps as f64
}

/// The mean and the standard deviation of the scores of groups.
pub(super) struct Spread {
    /// What the groups weigh together.
    pub(super) count: f64,
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

impl Spread {
    /// Returns the standard error of the mean.
    pub(super) fn error(&self) -> f64 {
        self.deviation / self.count.sqrt()
    }
}
