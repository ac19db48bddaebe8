//! Root splitting: several trees split the moves of the root between them.
//!
//! Trees with the same priors, or with none, search the same moves and find much the same, so a
//! second tree adds little. Here every move of the root is owned by one tree, and the others treat
//! it as less promising. No tree excludes a move: a tree whose own moves turn out badly goes over
//! to those of the others, and its proofs hold whatever its priors.

use arrayvec::ArrayVec;

use super::guide::Guide;
use super::node::Node;
use super::pool::ROOT;
use super::ranks::Ranks;
use super::technique::Techniques;
use super::tree::Tree;
use crate::game::{Game, MAX_MOVES};
use crate::knowledge::{Candidates, Knowledge};
use crate::order::{ascending, descending};

/// In the trees that don't own a move, PUCT divides its prior by this, and UCB1 its exploration
/// term by the square root of this, as if it had this many times the visits. Chosen by matches:
/// with PUCT no difference was found from 4 to 1,000. It holds for later moves of the same turn too.
const NOT_OWNED_DIVISOR: f32 = 16.0;
/// The factor of UCB1's exploration term for a move that the tree does not own.
pub(super) const NOT_OWNED_SHARE: f32 = 0.25;
const _: () = assert!(NOT_OWNED_SHARE * NOT_OWNED_SHARE * NOT_OWNED_DIVISOR == 1.0);

/// Gives each tree its moves of `root`, where all trees of all ranks start: the best goes to the
/// first tree, the next to the second, and so on to the last, then from the last back to the first,
/// and so on. `trees` are those of this rank.
pub(super) fn split_root<G: Game, K: Knowledge<G>>(
    trees: &mut [Tree<G>],
    ranks: Ranks,
    root: &G,
    guide: &Guide<K>,
    techniques: Techniques,
) {
    let mut moves = Candidates::new();
    guide.candidates(root, &mut moves, techniques);
    trees[0].restrict_candidates(&mut moves);
    let keys: ArrayVec<u64, MAX_MOVES> = moves.iter().map(|it| descending(it.1)).collect();
    let moves: Candidates<G::Move> = ascending(&keys).into_iter().map(|index| moves[index]).collect();
    let count = trees.len() * ranks.count();
    let first = trees.len() * ranks.index();
    for (index, tree) in (first..).zip(trees) {
        let is_not_owned = |place: usize| {
            let (round, owner) = (place / count, place % count);
            index != if round.is_multiple_of(2) { owner } else { count - 1 - owner }
        };
        tree.leave_to_others(&moves, is_not_owned);
    }
}

impl<G: Game> Tree<G> {
    /// Expands all `moves`, the candidates of the root by falling weights, and leaves those with
    /// `is_not_owned(place)` to other trees. Changes nothing if there is no memory for that.
    fn leave_to_others(&mut self, moves: &Candidates<G::Move>, is_not_owned: impl Fn(usize) -> bool) {
        if !self.pool.node(ROOT).is_fully_expanded() {
            // Wrong knowledge may list fewer moves than before.
            let count = moves.len().max(self.pool.node(ROOT).child_count());
            if self.pool.widen_to(ROOT, count).is_none() {
                return;
            }
            self.expand_best(ROOT, count, moves, self.root.side_to_move(), self.salt);
        }
        let place = |mv| moves.iter().position(|it| it.0 == mv);
        let weight =
            |place: usize| moves[place].1 / if is_not_owned(place) { NOT_OWNED_DIVISOR } else { 1.0 };
        let sum: f32 = (0..moves.len()).map(weight).sum();
        let prior = |child: &Node<G::Move>| place(child.mv()).map_or(0.0, weight) / sum;
        let priors: Vec<f32> = self.pool.children(ROOT).iter().map(prior).collect();
        self.pool.set_priors(ROOT, &priors);
        let children = self.pool.children(ROOT).iter();
        self.not_owned = children.map(|child| place(child.mv()).is_some_and(&is_not_owned)).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Selection;
    use crate::search::drawn::{Drawn, Told};
    use crate::search::guide::{BatchRule, Formula};
    use crate::search::{Budget, Search, SearchConfig, Technique, Techniques};

    const LONG: Drawn = Drawn::new(20, 30);

    /// Gives moves of higher numbers larger weights.
    fn rising() -> Told<'static> {
        Told::default().with_candidates(|_, moves| {
            moves.extend((0..20).map(|mv| (mv, f32::from(mv) + 1.0)));
        })
    }

    const PUCT: Selection = Selection::Puct { c: 1.0 };
    const PRIORS: Techniques = Techniques::NONE.with(Technique::Priors);

    fn guide() -> Guide<Told<'static>> {
        let batch = BatchRule { divisor: 64, most: 1, least: 1 };
        Guide { knowledge: rising(), formula: Formula::new(PUCT, 1.0), batch }
    }

    fn trees<const N: usize>(memory: usize) -> [Tree<Drawn>; N] {
        std::array::from_fn(|index| {
            let mut tree = Tree::new(&LONG, true);
            tree.reset(&LONG, (0, index as u64), 10_000, memory).expect("there is memory");
            tree
        })
    }

    /// The moves of the root with their priors, in the order of the children.
    fn priors(tree: &Tree<Drawn>) -> Vec<(u8, f32)> {
        let moves = tree.pool.children(ROOT).iter().map(Node::mv);
        moves.zip(tree.pool.extras(ROOT).iter().map(|it| it.prior)).collect()
    }

    #[test]
    fn every_move_is_likely_in_one_tree_and_possible_in_all() {
        let mut trees: [_; 3] = trees(1 << 20);
        split_root(&mut trees, Ranks::ALONE, &LONG, &guide(), PRIORS);
        let owners = [vec![19, 14, 13, 8, 7, 2, 1], vec![18, 15, 12, 9, 6, 3, 0], vec![17, 16, 11, 10, 5, 4]];
        for (tree, own) in trees.iter().zip(owners) {
            let priors = priors(tree);
            assert_eq!(priors.len(), 20);
            assert!((priors.iter().map(|(_, prior)| prior).sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(priors.is_sorted_by(|a, b| a.1 >= b.1));
            let of = |mv: u8| priors.iter().find(|it| it.0 == mv).expect("it is expanded").1;
            for mv in 0..20 {
                let weight = (f32::from(mv) + 1.0) / if own.contains(&mv) { 1.0 } else { NOT_OWNED_DIVISOR };
                let best = 20.0 / if own.contains(&19) { 1.0 } else { NOT_OWNED_DIVISOR };
                assert!((of(mv) / of(19) - weight / best).abs() < 1e-4, "{mv}");
            }
        }
    }

    #[test]
    fn ucb1_visits_its_own_moves_sixteen_times_as_often_as_equal_moves_of_others() {
        let guide = Guide { formula: Formula::new(Selection::Ucb1 { c: 1.0 }, 1.0), ..guide() };
        let mut trees: [_; 2] = trees(1 << 20);
        split_root(&mut trees, Ranks::ALONE, &LONG, &guide, PRIORS);
        let visits = trees.each_mut().map(|tree| {
            tree.grow_one_by_one(10_000, &guide, PRIORS);
            let mut visits = [0; 20];
            tree.pool.children(ROOT).iter().for_each(|child| visits[usize::from(child.mv())] = child.visits);
            visits
        });
        for (mv, visits) in std::iter::zip(visits[0], visits[1]).enumerate() {
            let (own, others) = (visits.0.max(visits.1), visits.0.min(visits.1));
            assert!((12..20).contains(&(own / others)), "{mv}: {visits:?}");
            assert_eq!(visits.0 > visits.1, [19, 16, 15, 12, 11, 8, 7, 4, 3, 0].contains(&mv));
        }
    }

    #[test]
    fn a_tree_that_is_kept_keeps_what_it_found() {
        let guide = guide();
        let mut trees: [_; 2] = trees(1 << 20);
        for tree in &mut trees {
            tree.grow_one_by_one(500, &guide, PRIORS);
        }
        let visits = |tree: &Tree<Drawn>| {
            let mut visits = [0; 20];
            for child in tree.pool.children(ROOT) {
                visits[usize::from(child.mv())] = child.visits;
            }
            visits
        };
        let before = trees.each_ref().map(visits);
        split_root(&mut trees, Ranks::ALONE, &LONG, &guide, PRIORS);
        assert_eq!(trees.each_ref().map(visits), before);
        for tree in &mut trees {
            let first_untried =
                tree.pool.children(ROOT).iter().position(|child| child.visits == 0).unwrap_or(20);
            assert!(tree.pool.children(ROOT)[first_untried..].iter().all(|child| child.visits == 0));
            assert!(priors(tree)[first_untried..].is_sorted_by(|a, b| a.1 >= b.1));
            tree.grow_one_by_one(500, &guide, PRIORS);
            assert_eq!(tree.pool.node(ROOT).visits, 1_000);
        }
    }

    #[test]
    fn without_memory_for_all_moves_the_trees_go_by_the_plain_priors() {
        // Room for the root and its first eight children.
        let mut trees: [_; 2] = trees(12 * 24);
        split_root(&mut trees, Ranks::ALONE, &LONG, &guide(), PRIORS);
        for tree in &mut trees {
            tree.grow_one_by_one(100, &guide(), PRIORS);
            assert_eq!(priors(tree).len(), 8);
            assert!(priors(tree).iter().all(|&(mv, _)| mv >= 12));
        }
    }

    #[test]
    fn a_position_that_only_another_tree_knows_is_found_there() {
        let config = SearchConfig {
            trees: std::num::NonZero::new(2),
            selection: Some(PUCT),
            techniques: Techniques::NONE.with(Technique::Priors).with(Technique::Reuse),
            ..SearchConfig::default()
        };
        let mut search = Search::new(config, rising()).expect("valid");
        let few = Budget::iterations(40).expect("not zero");
        search.run(&LONG, few).expect("a report");
        // The first tree starts over without children and so knows no position but its root.
        let stream = (0, 0);
        search.trees[0].reset(&LONG, stream, 1, 1 << 20).expect("there is memory");
        let next = LONG.at(1);
        assert_eq!(search.trees[0].moves_to(&next), None);
        let known = search.trees[1].pool.children(ROOT)[0].visits;
        assert!(known > 0);
        search.run(&next, few).expect("a report");
        assert_eq!(search.trees[1].pool.node(ROOT).visits, known + 20);
    }
}
