//! Which moves become children, and in what order.

use arrayvec::ArrayVec;

use super::guide::Guide;
use super::node::Node;
use super::pool::ROOT;
use super::technique::Techniques;
use super::tree::Tree;
use crate::game::{Game, MAX_MOVES, Side, is_chance};
use crate::knowledge::{Candidates, Knowledge};

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
        let room = self.pool.widen(at, moves.len())?;
        self.expand_best(at, room, &moves, position.side_to_move(), path_hash);
        (self.pool.node(at).child_count() > expanded).then_some(())
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
    use super::*;
    use crate::search::drawn::Drawn;

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
}
