//! Which moves become children, and in what order.

use arrayvec::ArrayVec;

use super::guide::Guide;
use super::node::Node;
use super::pool::{Pool, ROOT};
use super::technique::Techniques;
use super::tree::Tree;
use crate::game::{Game, MAX_MOVES, MAX_SCORE, MoveList, Side, is_chance};
use crate::knowledge::{Candidates, Knowledge};
use crate::learned::{UNIT, weight};

/// The points by which a certain win multiplies a prior. Chosen by the wins of a suite that are proven in the same
/// time.
const REFINEMENT: f32 = (3 * UNIT) as f32;

/// The first-play urgency of an untried move is its first value, from 0 to 1, less this. Chosen likewise.
const UNTRIED: f32 = 0.05;

impl<G: Game> Tree<G> {
    /// Adds children to `at`, whose position is `position`, the most promising first; `None` if all
    /// moves are expanded or there is no memory left.
    #[inline]
    pub(super) fn expand<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        path_hash: u64,
        guide: &Guide<K>,
        techniques: Techniques,
    ) -> Option<()> {
        if self.pool.node(at).is_fully_expanded() {
            return None;
        }
        if is_chance(position) {
            return self.expand_chance(at, position, path_hash);
        }
        self.expand_moves(at, position, path_hash, guide, techniques, Pool::widen)
    }

    /// Adds children to `at`, where a side is to move, until it has as many as `widen` makes room for, given
    /// the number of its candidates. `None` if it makes none or all moves are expanded.
    fn expand_moves<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        path_hash: u64,
        guide: &Guide<K>,
        techniques: Techniques,
        widen: impl FnOnce(&mut Pool<G::Move>, usize, usize) -> Option<usize>,
    ) -> Option<()> {
        let mut moves = Candidates::new();
        guide.candidates(position, &mut moves, techniques);
        if at == ROOT && self.choices_before == 0 {
            self.restrict_candidates(&mut moves);
        }
        debug_assert!(!moves.is_empty(), "no candidate, but the game is not over");
        let expanded = self.pool.node(at).child_count();
        if moves.len() <= expanded {
            // The list is shorter than before: the knowledge is wrong, but the search can go on.
            return None;
        }
        let room = widen(&mut self.pool, at, moves.len())?;
        self.expand_best(at, room, &moves, position.side_to_move(), path_hash);
        (self.pool.node(at).child_count() > expanded).then_some(())
    }

    /// Expands all moves of `at`, whose position is `position`, and [refines](super#refined-priors) their priors. Changes
    /// nothing if there is no memory for that.
    #[inline(never)]
    pub(super) fn refine_priors<K: Knowledge<G>>(
        &mut self,
        at: usize,
        position: &G,
        path_hash: u64,
        guide: &Guide<K>,
        techniques: Techniques,
    ) {
        // The root of a tree that shares its moves with others has priors, and an order, by who owns them.
        if at == ROOT && !self.not_owned.is_empty() {
            return;
        }
        let widen_to_all = |pool: &mut Pool<_>, at, count| pool.widen_to(at, count).map(|()| count);
        if !self.pool.node(at).is_fully_expanded() {
            self.expand_moves(at, position, path_hash, guide, techniques, widen_to_all);
        }
        if !self.pool.node(at).is_fully_expanded() {
            return;
        }
        let side = position.side_to_move();
        let moves: MoveList<G::Move> = self.pool.children(at).iter().map(Node::mv).collect();
        let priors = self.pool.extras(at).iter().map(|it| it.prior);
        let mut weighed: Candidates<G::Move> = moves.iter().copied().zip(priors).collect();
        guide.knowledge.reweigh(position, &mut weighed);
        let mut priors: ArrayVec<f32, MAX_MOVES> = weighed.iter().map(|&(_, weight)| weight).collect();
        let mut refined = priors.iter_mut();
        let mut urgencies = ArrayVec::<f32, MAX_MOVES>::new();
        guide.knowledge.evaluate_after(position, &moves, &mut self.rng, |value| {
            let expected = value.score(side) / f32::from(MAX_SCORE);
            if let Some(prior) = refined.next() {
                *prior *= weight((REFINEMENT * (2.0 * expected - 1.0)) as i32);
                urgencies.push(expected - UNTRIED);
            }
        });
        self.pool.set_urgencies(at, &urgencies);
        let sum: f32 = priors.iter().sum();
        priors.iter_mut().for_each(|prior| *prior /= sum);
        self.pool.set_priors(at, &priors);
    }

    /// Adds all that may happen at `at`, where chance is to move.
    fn expand_chance(&mut self, at: usize, position: &G, path_hash: u64) -> Option<()> {
        let moves: Candidates<G::Move> =
            position.move_list().into_iter().map(|mv| (mv, position.probability(mv))).collect();
        self.pool.widen_to(at, moves.len())?;
        self.expand_best(at, moves.len(), &moves, Side::Chance, path_hash);
        Some(())
    }

    /// Expands the most promising of `moves`, the candidates of `side` at `at`, that are not
    /// expanded, until `at` has `room` children. The caller has made room for them.
    pub(super) fn expand_best(
        &mut self,
        at: usize,
        room: usize,
        moves: &Candidates<G::Move>,
        side: Side,
        path_hash: u64,
    ) {
        let all = moves.len();
        let sum: f32 = moves.iter().map(|(_, weight)| weight).sum();
        // A reused tree has other path hashes than before: only the children tell what is expanded.
        let children = self.pool.children(at);
        let is_expanded = |index: usize| children.iter().any(|child| child.mv() == moves[index].0);
        let key = |index: usize| CandidateKey::new(moves[index].1, index as u16, path_hash);
        // Filled in place: a list that is collected is copied, with all its room.
        let mut order = ArrayVec::<CandidateKey, MAX_MOVES>::new();
        order.extend((0..all).filter(|&index| !is_expanded(index)).map(key));
        let wanted = room.saturating_sub(children.len()).min(order.len());
        sort_first(&mut order, wanted);
        for key in &order[..wanted] {
            let (mv, weight) = moves[key.index()];
            self.pool.add(at, all, Node::new(mv, side), weight / sum);
        }
    }
}

/// The sort key of candidates: the larger weight first. Moves are listed by their place on the
/// board; those of equal weight are tried in an order that depends on the path, the same every
/// time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CandidateKey(u64, u16);

impl CandidateKey {
    /// The key of the candidate number `index`, whose weight is above 0: the bits of positive
    /// floats are ordered like their values.
    #[inline]
    fn new(weight: f32, index: u16, path_hash: u64) -> Self {
        let scrambled = (u64::from(index) + 1).wrapping_mul(path_hash | 1) >> 32;
        Self(u64::from(!weight.to_bits()) << 32 | scrambled, index)
    }

    /// The number of the candidate.
    #[inline]
    fn index(self) -> usize {
        usize::from(self.1)
    }
}

/// Puts the `wanted` least keys first, in order. Not generic, so that it is compiled once.
fn sort_first(keys: &mut [CandidateKey], wanted: usize) {
    if wanted < keys.len() {
        keys.select_nth_unstable(wanted);
    }
    keys[..wanted].sort_unstable();
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::knowledge::{Selection, Value};
    use crate::search::drawn::{Drawn, Told};
    use crate::search::{Budget, Search, SearchConfig, Technique};

    const TWENTY: Drawn = Drawn::new(20, 30);

    #[test]
    fn the_most_promising_moves_come_first_and_equal_ones_in_an_order_of_the_path() {
        let order = |path_hash: u64| {
            let mut tree = Tree::new(&TWENTY, true);
            tree.reset(&TWENTY, (0, 0), 100, 1 << 20).expect("there is memory");
            // Four moves of each weight from 1 to 5.
            let moves: Candidates<u8> = (0..20).map(|mv| (mv, f32::from(mv % 5 + 1))).collect();
            for room in [7, 20] {
                tree.pool.widen_to(ROOT, room).expect("there is memory");
                tree.expand_best(ROOT, room, &moves, Side::First, path_hash);
                assert_eq!(tree.pool.node(ROOT).child_count(), room);
            }
            let children = tree.pool.children(ROOT).iter().map(Node::mv);
            let priors = tree.pool.extras(ROOT).iter().map(|it| it.prior);
            for (mv, prior) in children.clone().zip(priors) {
                assert!((prior - f32::from(mv % 5 + 1) / 60.0).abs() < 1e-6);
            }
            children.collect::<Vec<u8>>()
        };
        let orders = [1 << 40, 0x9E37_79B9_7F4A_7C15].map(order);
        for order in &orders {
            assert!(order.is_sorted_by(|a, b| a % 5 >= b % 5), "{order:?}");
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..20).collect::<Vec<u8>>());
        }
        assert_ne!(orders[0], orders[1]);
    }

    const PUCT: Option<Selection> = Some(Selection::Puct { c: 1.0 });

    #[test]
    fn refined_priors_count_the_weights_of_the_knowledge_for_them() {
        // Weights 20 to 1, and 1 to 20 in refined priors.
        let knowledge = Told::default()
            .with_candidates(|_, moves| moves.extend((0..20).map(|mv| (mv, f32::from(20 - mv)))))
            .with_weights_of_refined(|_, moves| {
                moves.iter_mut().for_each(|(mv, weight)| *weight = f32::from(*mv + 1));
            })
            .with_value(|_, _| Value::expected(Side::First, 0.0));
        let config = SearchConfig { selection: PUCT, ..SearchConfig::default() };
        let guide = Search::new(config, knowledge).expect("valid").guide;
        let mut tree = Tree::new(&TWENTY, true);
        tree.reset(&TWENTY, (0, 0), 100, 1 << 20).expect("there is memory");
        tree.grow_one_by_one(2, &guide, Techniques::ALL);
        tree.refine_priors(ROOT, &TWENTY, tree.salt, &guide, Techniques::ALL);
        let priors = tree.pool.extras(ROOT).iter().map(|it| it.prior);
        let found: Vec<(u8, f32)> = tree.pool.children(ROOT).iter().map(Node::mv).zip(priors).collect();
        assert_eq!(found.len(), 20);
        for (mv, prior) in found {
            assert!((prior - f32::from(mv + 1) / 210.0).abs() < 1e-6, "{mv}: {prior}");
        }
    }

    #[test]
    fn refined_priors_count_the_first_values_of_all_moves() {
        // Weights 20 to 1. The third move is worth 75 of 100 and the last 100; the others 50.
        let asked = AtomicUsize::new(0);
        let knowledge = Told::default()
            .with_candidates(|_, moves| moves.extend((0..20).map(|mv| (mv, f32::from(20 - mv)))))
            .with_value(|_, _| {
                let expectation = match asked.fetch_add(1, Ordering::Relaxed) {
                    2 => 0.5,
                    19 => 1.0,
                    _ => 0.0,
                };
                Value::expected(Side::First, expectation)
            });
        let config = SearchConfig { selection: PUCT, ..SearchConfig::default() };
        let guide = Search::new(config, knowledge).expect("valid").guide;
        let mut tree = Tree::new(&TWENTY, true);
        tree.reset(&TWENTY, (0, 0), 100, 1 << 20).expect("there is memory");
        // Eight children, the first two of which have a visit.
        tree.grow_one_by_one(2, &guide, Techniques::ALL);
        asked.store(0, Ordering::Relaxed);
        tree.refine_priors(ROOT, &TWENTY, tree.salt, &guide, Techniques::ALL);
        assert_eq!(asked.load(Ordering::Relaxed), 20);
        let priors = tree.pool.extras(ROOT).iter().map(|it| it.prior);
        let found: Vec<(u8, f32)> = tree.pool.children(ROOT).iter().map(Node::mv).zip(priors).collect();
        let factor = |mv: u8| match mv {
            // Linear from 2^1 to 2^2.
            2 => 3.0,
            19 => 8.0,
            _ => 1.0,
        };
        let weight = |mv: u8| factor(mv) * f32::from(20 - mv);
        let sum: f32 = (0..20).map(weight).sum();
        let urgency = |mv: u8| match mv {
            2 => 0.70,
            19 => 0.95,
            _ => 0.45,
        };
        for &(mv, prior) in &found {
            assert!((prior - weight(mv) / sum).abs() < 1e-6, "{mv}: {prior}");
        }
        for (child, extras) in tree.pool.children(ROOT).iter().zip(tree.pool.extras(ROOT)) {
            let mv = child.mv();
            // One visit that found a half point.
            let expected = if child.visits > 0 { 1.0 } else { urgency(mv) };
            assert!((extras.reward(child) - expected).abs() < 1e-3, "{mv}: {}", extras.reward(child));
        }
        // The visited ones first, then by falling priors.
        assert_eq!(found[..5].iter().map(|it| it.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        // The moves of a root that trees share have priors by who owns them.
        tree.not_owned = vec![false; 20];
        tree.refine_priors(ROOT, &TWENTY, tree.salt, &guide, Techniques::ALL);
        assert_eq!(asked.load(Ordering::Relaxed), 20);
    }

    #[test]
    fn priors_are_refined_after_their_number_of_visits() {
        let expanded = |iterations, techniques| {
            let config = SearchConfig { selection: PUCT, techniques, ..SearchConfig::default() };
            let knowledge = Told::default().with_priors_refined_at(5);
            let mut search = Search::new(config, knowledge).expect("valid");
            search.run(&TWENTY, Budget::iterations(iterations).expect("not 0")).expect("a report");
            search.trees[0].pool.node(ROOT).child_count()
        };
        let without = |technique| Techniques::ALL.and_not(Techniques::NONE.with(technique));
        assert_eq!(expanded(5, Techniques::ALL), 8);
        assert_eq!(expanded(6, Techniques::ALL), 20);
        for technique in [Technique::Priors, Technique::Rollouts] {
            assert_eq!(expanded(6, without(technique)), 8);
        }
    }
}
