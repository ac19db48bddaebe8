//! Which child an iteration with knowledge visits.

use super::pool::{Guide, Node, ROOT};
use super::puct::Puct;
use super::root_splitting::NOT_OWNED_SHARE;
use super::tree::Tree;
use super::ucb1::Ucb1;
use crate::game::{Game, Side};

impl<G: Game> Tree<G> {
    /// The first unvisited child, else the best by UCB1; and whether that is final: no move that is
    /// not expanded comes before it.
    #[inline]
    pub(super) fn select_by_ucb1(&self, at: usize, ucb1: &Ucb1) -> (Option<usize>, bool) {
        let node = self.pool.node(at);
        let children = self.pool.children(at);
        let side = children[0].mover();
        let least = node.bounds().of(side).lower;
        let scale = ucb1.scale(node.visits.max(1));
        let not_owned: &[bool] = if at == ROOT { &self.not_owned } else { &[] };
        let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
        for (offset, (child, guide)) in children.iter().zip(self.pool.guides(at)).enumerate() {
            if child.visits == 0 {
                return (Some(offset), true);
            }
            if is_settled(child, side, least) {
                continue;
            }
            let is_not_owned = not_owned.get(offset) == Some(&true);
            let scale = if is_not_owned { scale * NOT_OWNED_SHARE } else { scale };
            let score = ucb1.score_of(child.visits, guide.reward(child), scale);
            if score > best_score {
                (best, best_score) = (Some(offset), score);
            }
        }
        (best, node.is_fully_expanded())
    }

    /// The best child by PUCT; and whether that is final: no move that is not expanded can be
    /// better.
    #[inline]
    pub(super) fn select_by_puct(&self, at: usize, puct: &Puct) -> (Option<usize>, bool) {
        let node = self.pool.node(at);
        let children = self.pool.children(at);
        let guides = self.pool.guides(at);
        let side = children[0].mover();
        let least = node.bounds().of(side).lower;
        // The mean of this node for its mover; the first-play urgency is that for the side to move.
        let visits = node.visits.max(1) as f32;
        let mean = self.pool.reward(at) / (2.0 * visits);
        let first_play_urgency = if node.visits == 0 {
            0.5
        } else if node.mover() == side {
            mean
        } else {
            1.0 - mean
        };
        let scale = puct.scale(node.visits.max(1));
        let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
        let score = |child: &Node<G::Move>, guide: &Guide| {
            if is_settled(child, side, least) {
                return f32::NEG_INFINITY;
            }
            let count = child.visits as f32;
            let mean = guide.reward(child) / (2.0 * count);
            let value = if child.visits == 0 { first_play_urgency } else { mean };
            value + scale * guide.prior / (1.0 + count)
        };
        let mut first = 0;
        // Where many are tried, the scores of adjacent ones are computed side by side.
        while let (Some(tried), Some(guides)) =
            (children[first..].first_chunk::<LANES>(), guides[first..].first_chunk::<LANES>())
            && tried[LANES - 1].visits != 0
        {
            let scores: [f32; LANES] = std::array::from_fn(|lane| score(&tried[lane], &guides[lane]));
            // Not `f32::max`, which is slower as it looks for what is not a number.
            let highest = scores.into_iter().fold(f32::NEG_INFINITY, |a, b| if a > b { a } else { b });
            if highest > best_score {
                best = scores.iter().position(|&score| score >= highest).map(|lane| first + lane);
                best_score = highest;
            }
            first += LANES;
        }
        for (offset, (child, guide)) in children.iter().zip(guides).enumerate().skip(first) {
            let score = score(child, guide);
            if score > best_score {
                (best, best_score) = (Some(offset), score);
            }
            if child.visits == 0 && score > f32::NEG_INFINITY {
                // Those after it are untried too, and have no larger priors.
                break;
            }
        }
        // Moves that are not expanded have no larger priors than the last child.
        let bound = first_play_urgency + scale * guides[guides.len() - 1].prior;
        (best, node.is_fully_expanded() || best_score >= bound)
    }
}

/// The number of children whose scores are computed side by side.
const LANES: usize = 8;

/// Whether `child` can't be worth more to `side` than the `least` half points that are proven for
/// its parent.
#[inline]
fn is_settled<M: Copy>(child: &Node<M>, side: Side, least: u8) -> bool {
    child.bounds().of(side).upper <= least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rng;
    use crate::knowledge::{Candidates, Knowledge, Selection, Value};
    use crate::search::drawn::Drawn;
    use crate::search::policy::Formula;
    use crate::search::{Budget, Search, SearchConfig};

    /// Few different values, so that scores tie, and weights that fall.
    struct Coarse;

    impl Knowledge<Drawn<20, 30>> for Coarse {
        const SELECTION: Selection = Selection::Puct { c: 1.0 };
        fn candidates(&self, _: &Drawn<20, 30>, moves: &mut Candidates<u8>) {
            moves.extend((0..20).map(|mv| (mv, 1.0 / f32::from(mv / 4 + 1))));
        }
        fn evaluate(&self, _: &Drawn<20, 30>, rng: &mut Rng) -> Value {
            Value::expected(Side::First, rng.below(3) as f32 - 1.0)
        }
    }

    #[test]
    fn children_side_by_side_give_the_same_as_one_after_the_other() {
        let mut search = Search::new(SearchConfig::default(), Coarse).expect("valid");
        search.run(&Drawn(0), Budget::iterations(20_000).expect("not 0")).expect("a report");
        let Formula::Puct(puct) = &search.policy.formula else { panic!("it is PUCT") };
        let tree = &search.trees[0];
        let (mut open, mut compared) = (vec![ROOT], 0);
        while let Some(at) = open.pop() {
            let node = tree.pool.node(at);
            let (children, guides) = (tree.pool.children(at), tree.pool.guides(at));
            open.extend((0..children.len()).map(|offset| tree.pool.child(at, offset)));
            let Some(side) = children.first().map(Node::mover) else { continue };
            let mean = tree.pool.reward(at) / (2.0 * node.visits.max(1) as f32);
            let of_untried = match node.visits {
                0 => 0.5,
                _ if node.mover() == side => mean,
                _ => 1.0 - mean,
            };
            let mut best = (0, f32::NEG_INFINITY);
            for (offset, (child, guide)) in children.iter().zip(guides).enumerate() {
                let visits = child.visits as f32;
                let value = if visits > 0.0 { guide.reward(child) / (2.0 * visits) } else { of_untried };
                let score = value + puct.scale(node.visits.max(1)) * guide.prior / (1.0 + visits);
                if score > best.1 {
                    best = (offset, score);
                }
            }
            assert_eq!(tree.select_by_puct(at, puct).0, Some(best.0), "node {at}");
            compared += u32::from(children.len() > LANES);
        }
        assert!(compared > 100, "{compared}");
    }
}
