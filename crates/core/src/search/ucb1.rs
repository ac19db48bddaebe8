//! Selection of a child by UCB1, with the formula of [`search`](super).

use std::cmp::Ordering;
use std::sync::LazyLock;

use super::node::Node;
use super::scales::{Scales, ln};

/// UCB1 with an exploration constant, and tables of its terms for small numbers of visits.
#[derive(Debug)]
pub(super) struct Ucb1 {
    inverse_roots: &'static [f32; TABLED],
    /// 2 · c · √(ln N).
    scales: Scales,
}

/// The table covers the numbers of visits below this. In searches of usual length only children of
/// the root have more. With a smaller table every iteration would have to wait for a square root
/// and a quotient for each child with more.
const TABLED: usize = 1 << 16;

/// 1 / √n, by n.
static INVERSE_ROOTS: LazyLock<Box<[f32; TABLED]>> = LazyLock::new(|| {
    let roots: Box<[f32]> = (0..TABLED as u32).map(inverse_root).collect();
    roots.try_into().expect("the length is TABLED")
});

/// From this number of children on it pays to score several side by side; with fewer, combining the
/// results costs more.
const WORTH_LANES: usize = 40;

/// The number of children that are scored side by side.
const LANES: usize = 4;

impl Ucb1 {
    pub(super) fn new(exploration: f32) -> Self {
        Self {
            inverse_roots: &INVERSE_ROOTS,
            scales: Scales::new(|visits| 2.0 * exploration * ln(visits).sqrt()),
        }
    }

    /// Returns the offset of the best child; all children must have been visited.
    #[inline(always)]
    pub(super) fn select<M>(&self, children: &[Node<M>], parent_visits: u32) -> usize {
        let scale = self.scale(parent_visits);
        if children.len() >= WORTH_LANES {
            return self.best_side_by_side(children, scale);
        }
        self.best_from(0, (0, f32::NEG_INFINITY), children, scale)
    }

    /// Returns the offset of the best child of many.
    #[inline(always)]
    fn best_side_by_side<M>(&self, children: &[Node<M>], scale: f32) -> usize {
        // Each lane keeps the best of every fourth child, so that no comparison waits for another.
        let mut scores = [f32::NEG_INFINITY; LANES];
        let mut places = [0_u32; LANES];
        for (place, group) in children.chunks_exact(LANES).enumerate() {
            // Loading in a loop of its own lets the compiler use vectors for the scores. In one loop it
            // computes each score alone and puts them together.
            let (mut roots, mut rewards) = ([0.0; LANES], [0; LANES]);
            for lane in 0..LANES {
                roots[lane] = self.inverse_root(group[lane].visits);
                rewards[lane] = group[lane].reward as i32;
            }
            let mut found = [0.0; LANES];
            for lane in 0..LANES {
                found[lane] = score(roots[lane], rewards[lane] as f32, scale);
            }
            for lane in 0..LANES {
                let is_better = found[lane] > scores[lane];
                scores[lane] = if is_better { found[lane] } else { scores[lane] };
                places[lane] = if is_better { place as u32 } else { places[lane] };
            }
        }
        let (mut best, mut best_score) = (0, f32::NEG_INFINITY);
        for lane in 0..LANES {
            let offset = places[lane] as usize * LANES + lane;
            let comes_first = match scores[lane].total_cmp(&best_score) {
                Ordering::Greater => true,
                Ordering::Equal => offset < best,
                Ordering::Less => false,
            };
            if comes_first {
                (best, best_score) = (offset, scores[lane]);
            }
        }
        self.best_from(children.len() / LANES * LANES, (best, best_score), children, scale)
    }

    /// Returns the offset of the best child; `best` and `best_score` are those of the best child
    /// before the offset `from`.
    #[inline(always)]
    fn best_from<M>(
        &self,
        from: usize,
        (mut best, mut best_score): (usize, f32),
        children: &[Node<M>],
        scale: f32,
    ) -> usize {
        for (offset, child) in children.iter().enumerate().skip(from) {
            let score = self.score(child, scale);
            if score > best_score {
                (best, best_score) = (offset, score);
            }
        }
        best
    }

    /// 2 · c · √(ln N) for a node with `visits` visits, at least 1.
    #[inline]
    pub(super) fn scale(&self, visits: u32) -> f32 {
        self.scales.of(visits)
    }

    /// Twice the score of a visited child without a guide, with the [`scale`](Self::scale) of its parent.
    #[inline(always)]
    fn score<M>(&self, child: &Node<M>, scale: f32) -> f32 {
        self.score_of(child.visits, child.reward as i32 as f32, scale)
    }

    /// Twice the score of a child with so many visits and half points, with the [`scale`](Self::scale) of its
    /// parent.
    #[inline(always)]
    pub(super) fn score_of(&self, visits: u32, reward: f32, scale: f32) -> f32 {
        score(self.inverse_root(visits), reward, scale)
    }

    /// 1 / √n.
    #[inline(always)]
    fn inverse_root(&self, n: u32) -> f32 {
        match self.inverse_roots.get(n as usize) {
            Some(&root) => root,
            None => inverse_root(n),
        }
    }
}

/// Twice the score of a child with so many half points and this inverse root of its visits, with the
/// [`scale`](Ucb1::scale) of its parent.
#[inline(always)]
fn score(root: f32, reward: f32, scale: f32) -> f32 {
    root * (reward * root + scale)
}

/// 1 / √n.
#[inline]
fn inverse_root(n: u32) -> f32 {
    1.0 / (n as f32).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Rng, Side};

    #[test]
    fn many_children_side_by_side_give_the_same_as_one_after_the_other() {
        let (ucb1, mut rng) = (Ucb1::new(0.7), Rng::stream(1, 0));
        for count in WORTH_LANES..WORTH_LANES + 50 {
            // With few visits there are many ties.
            let mut most = 1;
            while most < 100_000 {
                let child = |mv| {
                    let mut node = Node::new(mv, Side::First);
                    node.visits = 1 + rng.below(most) as u32;
                    node.reward = rng.below(2 * node.visits as usize + 1) as u32;
                    node
                };
                let children: Vec<Node<u8>> = (0..count as u8).map(child).collect();
                let visits = children.iter().map(|it| it.visits).sum();
                let one_by_one = ucb1.best_from(0, (0, f32::NEG_INFINITY), &children, ucb1.scale(visits));
                assert_eq!(ucb1.select(&children, visits), one_by_one, "{count} children, {most} visits");
                most *= 3;
            }
        }
    }

    #[test]
    fn the_table_of_scales_is_right_to_one_part_in_five_thousand() {
        let ucb1 = Ucb1::new(0.7);
        for n in (2..5_000)
            .chain((12..32).flat_map(|e| [(1_u32 << e) - 1, 1 << e, 3 << (e - 1)]))
            .chain([u32::MAX])
        {
            let exact = 1.4 * f64::from(n).ln().sqrt();
            let found = f64::from(ucb1.scale(n));
            assert!((found - exact).abs() <= 2e-4 * exact, "{n}: {found} for {exact}");
        }
    }
}
