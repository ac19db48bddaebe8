//! Which child an iteration with knowledge visits.

use super::node::{Cutoff, Extras, Node};
use super::pool::ROOT;
use super::puct::Puct;
use super::root_splitting::NOT_OWNED_SHARE;
use super::tree::Tree;
use super::ucb1::Ucb1;
use crate::game::{Game, Side, is_independent};

impl<G: Game> Tree<G> {
    /// The first unvisited child, else the best by UCB1; and whether that is final: no move that is
    /// not expanded comes before it.
    #[inline]
    pub(super) fn select_by_ucb1(&self, at: usize, ucb1: &Ucb1) -> (Option<usize>, bool) {
        let node = self.pool.node(at);
        let children = self.pool.children(at);
        let side = children[0].moved_by();
        let cutoff = Cutoff::of(self.pool.bounds(at), side);
        let scale = ucb1.scale(node.visits.max(1));
        let not_owned: &[bool] = if at == ROOT { &self.not_owned } else { &[] };
        let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
        for (offset, (child, extras)) in children.iter().zip(self.pool.extras(at)).enumerate() {
            if child.visits == 0 {
                return (Some(offset), true);
            }
            if extras.is_cut(cutoff) {
                continue;
            }
            let is_not_owned = not_owned.get(offset) == Some(&true);
            let scale = if is_not_owned { scale * NOT_OWNED_SHARE } else { scale };
            let score = ucb1.score_of(child.visits, extras.reward(child), scale);
            if score > best_score {
                (best, best_score) = (Some(offset), score);
            }
        }
        (best, node.is_fully_expanded())
    }

    /// The best child of the last node of `path` by PUCT; and whether that is final: no move that is
    /// not expanded can be better.
    #[inline]
    pub(super) fn select_by_puct(&self, path: &[u32], puct: &Puct) -> (Option<usize>, bool) {
        let at = path[path.len() - 1] as usize;
        let node = self.pool.node(at);
        let children = self.pool.children(at);
        let extras = self.pool.extras(at);
        let side = children[0].moved_by();
        let cutoff = Cutoff::of(self.pool.bounds(at), side);
        let first_play_urgency = self.first_play_urgency(at, side);
        let scale = if at == ROOT && self.depth == 0 {
            puct.scale_at_root(node.visits.max(1))
        } else {
            self.scale_in_turn(path, side, puct)
        };
        let (mut best, mut best_score) = (None, f32::NEG_INFINITY);
        let score = |count: f32, reward: f32, prior: f32| {
            // An untried move has its own urgency for a reward, or none.
            let urgency = if reward > 0.0 { reward } else { first_play_urgency };
            let value = if count == 0.0 { urgency } else { reward / (2.0 * count) };
            value + scale * prior / (1.0 + count)
        };
        // Where each has its own urgency, an untried move may be better than one before it.
        let last = children.len() - 1;
        let needs_all = children[last].visits > 0 || extras[last].reward(&children[last]) > 0.0;
        let mut first = 0;
        // Where many are tried, the scores of adjacent ones are computed side by side.
        while let (Some(tried), Some(extras)) =
            (children[first..].first_chunk::<LANES>(), extras[first..].first_chunk::<LANES>())
            && (needs_all || tried[LANES - 1].visits != 0)
        {
            // Plain loops: `array::from_fn` may stay a call. The divisions have a loop of their own, without branches, so that
            // they fill whole vectors. A vector of only the two divisions of a lane has unused places; denormal numbers left
            // there by other work make it up to eight times as slow.
            let (mut counts, mut rewards, mut priors) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
            for lane in 0..LANES {
                counts[lane] = tried[lane].visits as f32;
                rewards[lane] = extras[lane].reward(&tried[lane]);
                priors[lane] = extras[lane].prior;
            }
            let mut scores = [0.0; LANES];
            for lane in 0..LANES {
                scores[lane] = score(counts[lane], rewards[lane], priors[lane]);
            }
            for lane in 0..LANES {
                if extras[lane].is_cut(cutoff) {
                    scores[lane] = f32::NEG_INFINITY;
                }
            }
            // Not `f32::max`, which is slower as it looks for what is not a number.
            let highest = scores.into_iter().fold(f32::NEG_INFINITY, |a, b| if a > b { a } else { b });
            if highest > best_score {
                best = scores.iter().position(|&score| score >= highest).map(|lane| first + lane);
                best_score = highest;
            }
            first += LANES;
        }
        for (offset, (child, extras)) in children.iter().zip(extras).enumerate().skip(first) {
            let score = if extras.is_cut(cutoff) {
                f32::NEG_INFINITY
            } else {
                score(child.visits as f32, extras.reward(child), extras.prior)
            };
            if score > best_score {
                (best, best_score) = (Some(offset), score);
            }
            if child.visits == 0 && score > f32::NEG_INFINITY && !needs_all {
                // Those after it are untried too, and have no larger priors.
                break;
            }
        }
        // Moves that are not expanded have no larger priors than the last child.
        let bound = first_play_urgency + scale * extras[extras.len() - 1].prior;
        (best, node.is_fully_expanded() || best_score >= bound)
    }

    /// The child of `at`, where chance is to move, whose part of the visits is the furthest below its probability.
    pub(super) fn select_by_chance(&self, at: usize) -> usize {
        let (children, extras) = (self.pool.children(at), self.pool.extras(at));
        let visits = 1.0 + children.iter().map(|it| it.visits).sum::<u32>() as f32;
        let lack = |(_, (child, extras)): &(usize, (&Node<G::Move>, &Extras))| {
            extras.prior * visits - child.visits as f32
        };
        let all = children.iter().zip(extras).enumerate();
        // The first of those that lack as much.
        all.rev().max_by(|a, b| lack(a).total_cmp(&lack(b))).map_or(0, |it| it.0)
    }

    /// What stands in for the mean of an untried move of `side` at the node `at`.
    #[inline(always)]
    pub(super) fn first_play_urgency(&self, at: usize, side: Side) -> f32 {
        if is_independent(&self.root) {
            return self.mean_of_children(at);
        }
        // The mean of the node is for the side that moved there.
        let node = self.pool.node(at);
        let mean = self.pool.reward(at) / (2.0 * node.visits.max(1) as f32);
        if node.visits == 0 {
            0.5
        } else if node.moved_by() == side || node.moved_by() == Side::Chance && side == Side::First {
            mean
        } else {
            1.0 - mean
        }
    }

    /// The mean of the children of the node `at` that were tried, whose moves are those of one side.
    fn mean_of_children(&self, at: usize) -> f32 {
        let tried =
            self.pool.children(at).iter().zip(self.pool.extras(at)).filter(|(child, _)| child.visits > 0);
        let (reward, visits) = tried.fold((0.0, 0), |(reward, visits), (child, extras)| {
            (reward + extras.reward(child), visits + child.visits)
        });
        if visits == 0 { 0.5 } else { reward / (2.0 * visits as f32) }
    }

    /// The factor of PUCT for the moves of `side` after `path`: c(N) · √N · P by the visits N of the
    /// position in which its turn began and the product P of the priors of its moves since then, but
    /// at most c(N) · √N by the visits N after `path`.
    #[inline]
    fn scale_in_turn(&self, path: &[u32], side: Side, puct: &Puct) -> f32 {
        let scale_at = |at: u32| puct.scale(self.pool.node(at as usize).visits.max(1));
        let is_before_turn =
            |&at: &u32| at as usize == ROOT || self.pool.node(at as usize).moved_by() != side;
        let start = path.iter().rposition(is_before_turn).unwrap_or(0);
        let prior: f32 = path[start + 1..].iter().map(|&at| self.pool.prior(at as usize)).product();
        let began_above = start == 0 && self.depth > 0 && self.pool.node(ROOT).moved_by() == side;
        let of_turn =
            if began_above { puct.scale(self.turn.visits) * self.turn.prior } else { scale_at(path[start]) };
        (of_turn * prior).min(scale_at(path[path.len() - 1]))
    }
}

/// The number of children whose scores are computed side by side.
const LANES: usize = 8;

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;
    use crate::knowledge::{Selection, Value};
    use crate::search::drawn::{Drawn, Told};
    use crate::search::guide::Formula;
    use crate::search::{Budget, Search, SearchConfig};

    /// Few different values, so that scores tie, and weights that fall.
    fn coarse() -> Told<'static> {
        Told::default()
            .with_candidates(|_, moves| {
                moves.extend((0..12).map(|mv| (mv, 1.0 / f32::from(mv / 4 + 1))));
            })
            .with_value(|_, rng| Value::expected(Side::First, rng.below(3) as f32 - 1.0))
    }

    #[test]
    fn children_side_by_side_give_the_same_as_one_after_the_other() {
        children_side_by_side_are_one_after_the_other(coarse());
    }

    #[test]
    fn children_with_urgencies_side_by_side_give_the_same_as_one_after_the_other() {
        children_side_by_side_are_one_after_the_other(coarse().with_priors_refined_at(20));
    }

    fn children_side_by_side_are_one_after_the_other(knowledge: Told<'_>) {
        // All nodes in one pool.
        let selection = Some(Selection::Puct { c: 1.0 });
        let config = SearchConfig { selection, batch: NonZero::new(1), ..SearchConfig::default() };
        let mut search = Search::new(config, knowledge).expect("valid");
        search.guide.formula = Formula::new(Selection::Puct { c: 1.0 }, 2.0);
        search
            .run(&Drawn::new(12, 18).in_turns(2), Budget::iterations(20_000).expect("not 0"))
            .expect("a report");
        let Formula::Puct(puct) = &search.guide.formula else { panic!("it is PUCT") };
        let tree = &search.trees[0];
        let (mut compared, mut compared_within_turn) = (0, 0);
        let mut open = vec![vec![ROOT as u32]];
        while let Some(path) = open.pop() {
            let at = path[path.len() - 1] as usize;
            let node = tree.pool.node(at);
            let (children, extras) = (tree.pool.children(at), tree.pool.extras(at));
            open.extend((0..children.len()).map(|offset| {
                let child = tree.pool.child(at, offset) as u32;
                path.iter().copied().chain([child]).collect()
            }));
            let Some(side) = children.first().map(Node::moved_by) else { continue };
            let mean = tree.pool.reward(at) / (2.0 * node.visits.max(1) as f32);
            let of_untried = match node.visits {
                0 => 0.5,
                _ if node.moved_by() == side => mean,
                _ => 1.0 - mean,
            };
            let (mut turn_visits, mut turn_prior) = (node.visits, 1.0);
            let mut rest = &path[..];
            while let [before @ .., at] = rest
                && !before.is_empty()
                && tree.pool.node(*at as usize).moved_by() == side
            {
                turn_prior *= tree.pool.prior(*at as usize);
                turn_visits = tree.pool.node(before[before.len() - 1] as usize).visits;
                rest = before;
            }
            let scale = puct.scale(turn_visits.max(1)) * turn_prior;
            let scale = scale.min(puct.scale(node.visits.max(1)));
            let scale = if at == ROOT { 2.0 * scale } else { scale };
            let mut best = (0, f32::NEG_INFINITY);
            for (offset, (child, extras)) in children.iter().zip(extras).enumerate() {
                let visits = child.visits as f32;
                let value = match extras.reward(child) {
                    reward if visits > 0.0 => reward / (2.0 * visits),
                    urgency if urgency > 0.0 => urgency,
                    _ => of_untried,
                };
                let score = value + scale * extras.prior / (1.0 + visits);
                if score > best.1 {
                    best = (offset, score);
                }
            }
            assert_eq!(tree.select_by_puct(&path, puct).0, Some(best.0), "node {at}");
            compared += u32::from(children.len() > LANES);
            compared_within_turn += u32::from(children.len() > LANES && rest.len() < path.len());
        }
        assert!(compared_within_turn > 100, "{compared_within_turn}");
        assert!(compared - compared_within_turn > 100, "{compared}");
    }
}
