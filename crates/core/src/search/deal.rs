//! How the visits of a batch are dealt out to the children of a node of the trunk.
//!
//! A node that is to get *n* visits deals them out as *n* selections one after the other would, if each visit
//! counted at once and no value came back before the last: visits in flight count as visits (Liu et al.,
//! "Watch the unobserved: a simple approach to parallelizing Monte Carlo tree search", 2020). The means stay
//! what they are, so the score of a child falls from visit to visit, and the selections take the *n* highest
//! scores of all: those above a threshold. It is found by Newton's method.

/// The children of a node as the formula sees them, and the visits that they get.
#[derive(Debug, Default)]
pub(super) struct Arms {
    /// The mean of the rewards of each, or what stands in for it.
    means: Vec<f32>,
    /// What the exploration term is a multiple of.
    scales: Vec<f32>,
    visits: Vec<f32>,
    offsets: Vec<usize>,
    counts: Vec<u32>,
}

/// A formula whose score falls with the visits.
pub(super) trait Score {
    /// The score of a child with this mean, scale and number of visits.
    fn score(mean: f32, scale: f32, visits: f32) -> f32;

    /// The number of visits at which the score is `above` more than the mean, and by how much that number
    /// falls if `above` rises by 1.
    fn visits_at(scale: f32, above: f32) -> (f32, f32);
}

/// PUCT: mean + scale / (1 + visits).
#[derive(Debug)]
pub(super) struct ByPuct;

impl Score for ByPuct {
    #[inline(always)]
    fn score(mean: f32, scale: f32, visits: f32) -> f32 {
        mean + scale / (1.0 + visits)
    }

    #[inline(always)]
    fn visits_at(scale: f32, above: f32) -> (f32, f32) {
        let quotient = scale / above;
        (quotient - 1.0, quotient / above)
    }
}

/// UCB1: mean + scale / √visits.
#[derive(Debug)]
pub(super) struct ByUcb1;

impl Score for ByUcb1 {
    #[inline(always)]
    fn score(mean: f32, scale: f32, visits: f32) -> f32 {
        mean + scale / visits.sqrt()
    }

    #[inline(always)]
    fn visits_at(scale: f32, above: f32) -> (f32, f32) {
        let quotient = scale / above;
        (quotient * quotient, 2.0 * quotient * quotient / above)
    }
}

/// The steps of Newton's method. What it leaves is dealt out one by one.
const STEPS: usize = 8;

/// With fewer visits than this, dealing one by one is quicker.
const WORTH_A_THRESHOLD: u32 = 8;

/// Sums are added up in so many parts, which the compiler computes side by side.
const LANES: usize = 8;

impl Arms {
    /// Removes all children.
    pub(super) fn clear(&mut self) {
        self.means.clear();
        self.scales.clear();
        self.visits.clear();
        self.offsets.clear();
        self.counts.clear();
    }

    /// Adds the child at this offset.
    pub(super) fn push(&mut self, offset: usize, mean: f32, scale: f32, visits: f32) {
        self.means.push(mean);
        self.scales.push(scale);
        self.visits.push(visits);
        self.offsets.push(offset);
        self.counts.push(0);
    }

    /// Adds the child at this offset, which gets these visits and no others.
    pub(super) fn give(&mut self, offset: usize, visits: u32) {
        self.push(offset, f32::NEG_INFINITY, 0.0, 0.0);
        self.counts[self.offsets.len() - 1] = visits;
    }

    /// Whether there are no children.
    pub(super) fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// The offsets of the children that get visits, and how many.
    pub(super) fn dealt(&self) -> impl Iterator<Item = (usize, u32)> {
        self.offsets.iter().copied().zip(self.counts.iter().copied()).filter(|(_, count)| *count > 0)
    }

    /// The score of a child after it got `more` visits of this batch.
    #[inline(always)]
    fn score<S: Score>(&self, arm: usize, more: u32) -> f32 {
        S::score(self.means[arm], self.scales[arm], self.visits[arm] + more as f32)
    }

    /// Deals `visits` visits out, and returns the lowest score that got one.
    pub(super) fn deal<S: Score>(&mut self, visits: u32) -> f32 {
        let count = self.means.len();
        if count == 0 {
            return f32::NEG_INFINITY;
        }
        let mut left = visits;
        if visits >= WORTH_A_THRESHOLD {
            let threshold = self.threshold::<S>(visits);
            for arm in 0..count {
                let above = threshold - self.means[arm];
                let more = S::visits_at(self.scales[arm], above).0 - self.visits[arm];
                let dealt = if above > 0.0 { (more.ceil() as u32).min(left) } else { 0 };
                self.counts[arm] += dealt;
                left -= dealt;
            }
        }
        for _ in 0..left {
            let (mut best, mut best_score) = (0, f32::NEG_INFINITY);
            for arm in 0..count {
                let score = self.score::<S>(arm, self.counts[arm]);
                if score > best_score {
                    (best, best_score) = (arm, score);
                }
            }
            self.counts[best] += 1;
        }
        let visited = (0..count).filter(|&arm| self.counts[arm] > 0);
        visited.map(|arm| self.score::<S>(arm, self.counts[arm] - 1)).fold(f32::INFINITY, f32::min)
    }

    /// A threshold above which about `wanted` scores lie, or a few less.
    fn threshold<S: Score>(&self, wanted: u32) -> f32 {
        // If one child got all, the others could only add to that. From there the numbers fall, ever more
        // slowly, so that the method never steps too far.
        let alone = (0..self.means.len()).map(|arm| self.score::<S>(arm, wanted));
        let mut threshold = alone.fold(f32::NEG_INFINITY, f32::max);
        let mut wanted = wanted as f32;
        for step in 0..STEPS {
            let (sum, slope, arms) = self.visits_above::<S>(threshold);
            if step == STEPS / 2 {
                // Each number is rounded up.
                wanted -= arms;
            }
            if slope > 0.0 && sum > wanted {
                threshold += (sum - wanted) / slope;
            }
        }
        threshold
    }

    /// The number of visits that bring all scores down to the threshold, how fast that falls, and the number of
    /// children that get some.
    fn visits_above<S: Score>(&self, threshold: f32) -> (f32, f32, f32) {
        let (mut sums, mut slopes, mut arms) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        let mut add = |lane: usize, arm: (f32, f32, f32)| {
            let (mean, scale, visits) = arm;
            let (at, slope) = S::visits_at(scale, threshold - mean);
            let more = at - visits;
            let counts = more > 0.0;
            sums[lane] += if counts { more } else { 0.0 };
            slopes[lane] += if counts { slope } else { 0.0 };
            arms[lane] += if counts { 1.0 } else { 0.0 };
        };
        let whole = self.means.len() / LANES * LANES;
        let parts = self.means[..whole].chunks_exact(LANES).zip(self.scales.chunks_exact(LANES));
        for ((means, scales), visits) in parts.zip(self.visits.chunks_exact(LANES)) {
            for lane in 0..LANES {
                add(lane, (means[lane], scales[lane], visits[lane]));
            }
        }
        for arm in whole..self.means.len() {
            add(0, (self.means[arm], self.scales[arm], self.visits[arm]));
        }
        (sums.iter().sum(), slopes.iter().sum(), arms.iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rng;

    /// What selections one after the other give.
    fn one_by_one<S: Score>(arms: &Arms, visits: u32) -> Vec<u32> {
        let mut counts = vec![0; arms.means.len()];
        for _ in 0..visits {
            let score = |arm: usize| arms.score::<S>(arm, counts[arm]);
            // The first of those that are equal.
            let best = (0..counts.len()).rev().max_by(|&a, &b| score(a).total_cmp(&score(b)));
            counts[best.expect("there are arms")] += 1;
        }
        counts
    }

    fn agrees<S: Score>(least: u32) {
        let mut rng = Rng::stream(5, 0);
        for round in 0..400 {
            let mut arms = Arms::default();
            let unit = |rng: &mut Rng| rng.below(10_000) as f32 / 10_000.0;
            for offset in 0..=rng.below(60) {
                let visits = least + rng.below(1 << (round % 14)) as u32;
                let scale = if round % 3 == 0 { 0.3 } else { unit(&mut rng) + 1e-3 };
                arms.push(offset, unit(&mut rng), scale, visits as f32);
            }
            let visits = 1 + rng.below(3_000) as u32;
            let expected = one_by_one::<S>(&arms, visits);
            let lowest = arms.deal::<S>(visits);
            assert_eq!(arms.counts.iter().sum::<u32>(), visits);
            // Where scores are nearly equal, rounding may decide otherwise.
            let off: u32 = arms.counts.iter().zip(&expected).map(|(a, b)| a.abs_diff(*b)).sum();
            assert!(off <= 2 + visits / 100, "{off} of {visits}: {:?} for {expected:?}", arms.counts);
            let scores = (0..expected.len()).filter(|&arm| expected[arm] > 0);
            let exact =
                scores.map(|arm| arms.score::<S>(arm, expected[arm] - 1)).fold(f32::INFINITY, f32::min);
            assert!((lowest - exact).abs() <= 1e-3, "{lowest} for {exact}");
            assert_eq!(arms.dealt().map(|it| it.1).sum::<u32>(), visits);
        }
    }

    #[test]
    fn visits_are_dealt_out_as_selections_one_after_the_other_would() {
        agrees::<ByPuct>(0);
        agrees::<ByUcb1>(1);
    }

    #[test]
    fn odd_arms_get_all_that_is_dealt() {
        for (mean, scale, visits) in [(0.5, 0.0, 3.0), (1.0, 1.0, 1e9), (0.0, 1e-30, 0.0)] {
            for count in [1, 3] {
                let mut arms = Arms::default();
                (0..count).for_each(|offset| arms.push(offset, mean, scale, visits));
                arms.deal::<ByPuct>(1_000);
                assert_eq!(arms.counts.iter().sum::<u32>(), 1_000);
            }
        }
        let mut none = Arms::default();
        assert_eq!((none.deal::<ByPuct>(5), none.dealt().count()), (f32::NEG_INFINITY, 0));
    }
}
