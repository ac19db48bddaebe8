//! The factor of PUCT, with the formula of [`search`](super).

use super::scales::{Scales, ln};

/// PUCT with an exploration constant.
#[derive(Debug)]
pub(super) struct Puct {
    /// c(N) · √N.
    scales: Scales,
    /// See [`Knowledge::ROOT_EXPLORATION`](crate::knowledge::Knowledge::ROOT_EXPLORATION).
    root_exploration: f32,
}

/// How much c(N) grows with the logarithm, and from about how many visits on. Chosen by matches.
const GROWTH: f32 = 0.44;
const FROM: f32 = 4096.0;

impl Puct {
    pub(super) fn new(exploration: f32, root_exploration: f32) -> Self {
        let grown = |visits: f32| exploration * (1.0 + GROWTH * ln(1.0 + visits / FROM));
        Self { scales: Scales::new(|visits| grown(visits) * visits.sqrt()), root_exploration }
    }

    /// c(N) · √N for a node with `visits` visits, at least 1.
    #[inline]
    pub(super) fn scale(&self, visits: u32) -> f32 {
        self.scales.of(visits)
    }

    /// The same for the root of a search.
    #[inline]
    pub(super) fn scale_at_root(&self, visits: u32) -> f32 {
        self.root_exploration * self.scale(visits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constant_grows_with_the_visits() {
        let puct = Puct::new(2.0, 3.0);
        for (visits, constant) in [(1, 2.0), (4_096, 2.61), (409_600, 6.06), (u32::MAX, 14.2)] {
            let found = puct.scale(visits) / (visits as f32).sqrt();
            assert!((found - constant).abs() < 0.01 * constant, "{visits}: {found}");
            assert!((puct.scale_at_root(visits) / puct.scale(visits) - 3.0).abs() < 1e-6, "{visits}");
        }
    }
}
