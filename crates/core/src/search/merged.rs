//! What the trees have found at the root, added up.

use super::report::{Candidate, Child};
use super::tree::{Place, Tree};
use crate::game::{Bounds, Game, Outcome, Side};
use crate::knowledge::Value;

/// The statistics of one move, summed over trees.
#[derive(Clone, Copy)]
pub(super) struct MoveStats<M> {
    pub(super) mv: M,
    pub(super) visits: u64,
    /// The rewards for the side that makes the move, in steps of [`Value`].
    pub(super) reward: u64,
    pub(super) bounds: Bounds,
}

/// The mean of `visits` rewards, from 0 to 100; `reward` is their sum in steps of [`Value`].
pub(super) fn mean(reward: u64, visits: u64) -> f64 {
    50.0 * (reward as f64 / f64::from(Value::HALF_POINT)) / visits as f64
}

impl<M: Copy> MoveStats<M> {
    /// The candidate of `side`, to move.
    pub(super) fn candidate(&self, side: Side) -> Candidate<M> {
        let mean = (self.visits > 0).then(|| mean(self.reward, self.visits));
        let proven = self.bounds.outcome();
        let exact = proven.map(|outcome| 50.0 * f64::from(outcome.half_points(side)));
        Candidate::new(self.mv, self.visits, exact.or(mean), proven)
    }

    pub(super) fn child(&self) -> Child<M> {
        let value = (self.visits > 0).then(|| mean(self.reward, self.visits));
        Child { mv: self.mv, visits: self.visits, value, bounds: self.bounds }
    }

    fn numbers(&self) -> [u64; NUMBERS] {
        [self.visits, self.reward, votes(self.bounds)]
    }
}

/// The numbers that ranks add up for a move.
const NUMBERS: usize = 3;

/// The bits of a count of ranks: there are at most [`Ranks::MAX`](super::Ranks::MAX).
const COUNT_BITS: u32 = u16::BITS;

/// The bounds as four counts in one number: of ranks with a lower bound of at least 1 and 2, and of
/// ranks with an upper bound of at most 1 and 0.
fn votes(bounds: Bounds) -> u64 {
    let votes = [bounds.lower >= 1, bounds.lower >= 2, bounds.upper <= 1, bounds.upper == 0];
    (0..).zip(votes).fold(0, |sum, (place, vote)| sum | u64::from(vote) << (place * COUNT_BITS))
}

/// The bounds that follow from those of all ranks.
fn bounds_of(votes: u64) -> Bounds {
    let [one, two, draw, loss] = [0, 1, 2, 3].map(|place| (votes >> (place * COUNT_BITS)) as u16 != 0);
    Bounds { lower: u8::from(one) + u8::from(two), upper: 2 - u8::from(draw) - u8::from(loss) }
}

/// What is known of a position: of its moves, in list order, and of its value.
pub(super) struct PositionStats<M> {
    pub(super) side: Side,
    pub(super) moves: Vec<MoveStats<M>>,
    pub(super) bounds: Bounds,
}

/// The nodes after the move `mv`, of those trees that have it; `nodes` as in [`sum_children`].
pub(super) fn follow<G: Game>(
    trees: &[Tree<G>],
    nodes: &[(usize, Place)],
    mv: G::Move,
) -> Vec<(usize, Place)> {
    nodes.iter().filter_map(|&(tree, at)| Some((tree, trees[tree].child_of(at, mv)?))).collect()
}

/// Sums what the trees know about `position`; `nodes` are its nodes, each as the number of its tree and
/// its place there.
pub(super) fn sum_children<G: Game>(
    trees: &[Tree<G>],
    nodes: &[(usize, Place)],
    position: &G,
) -> PositionStats<G::Move> {
    let unknown = |mv| MoveStats { mv, visits: 0, reward: 0, bounds: Bounds::UNKNOWN };
    let mut sums: Vec<_> = position.move_list().into_iter().map(unknown).collect();
    let mut bounds = Bounds::UNKNOWN;
    for &(tree, at) in nodes {
        let tree = &trees[tree];
        bounds = bounds.and(tree.node_of(at).bounds());
        for (at, child) in tree.children_of(at) {
            let sum = sums.iter_mut().find(|sum| sum.mv == child.mv()).expect("a child's move is legal");
            sum.visits += u64::from(child.visits);
            sum.reward += tree.pool_of(at).reward_steps(at.at);
            sum.bounds = sum.bounds.and(child.bounds());
        }
    }
    let mut sums = PositionStats { side: position.side_to_move(), moves: sums, bounds };
    sums.conclude();
    sums
}

impl<M: Copy> PositionStats<M> {
    /// Adds up the sums of all ranks, and `others`, of which each rank has as many, by a function that
    /// replaces numbers by their sums.
    pub(super) fn over(&mut self, others: &mut [u64], sum: impl FnOnce(&mut [u64])) {
        let mut numbers: Vec<u64> = self.moves.iter().flat_map(MoveStats::numbers).collect();
        numbers.push(votes(self.bounds));
        numbers.extend_from_slice(others);
        sum(&mut numbers);
        let (of_moves, rest) = numbers.split_at(NUMBERS * self.moves.len());
        self.bounds = bounds_of(rest[0]);
        others.copy_from_slice(&rest[1..]);
        for (sum, numbers) in self.moves.iter_mut().zip(of_moves.chunks_exact(NUMBERS)) {
            *sum =
                MoveStats { visits: numbers[0], reward: numbers[1], bounds: bounds_of(numbers[2]), ..*sum };
        }
        self.conclude();
    }

    /// Concludes the bounds of the position from those of its moves: trees may have proven different ones.
    pub(super) fn conclude(&mut self) {
        let moves = self.moves.iter().map(|sum| sum.bounds.of(self.side));
        let best = moves.fold(Bounds { lower: 0, upper: 0 }, |best, it| Bounds {
            lower: best.lower.max(it.lower),
            upper: best.upper.max(it.upper),
        });
        self.bounds = self.bounds.and(best.of(self.side));
    }
}

/// What all trees have found, those of the other ranks included.
pub(super) struct Merged<M> {
    /// What they know of the root.
    pub(super) root: PositionStats<M>,
    pub(super) totals: Totals,
}

/// Numbers of all trees together.
#[derive(Clone, Copy, Default)]
pub(super) struct Totals {
    /// The iterations done in this run.
    pub(super) iterations: u64,
    /// The iterations left of the budget.
    pub(super) remaining: u64,
    pub(super) nodes: u64,
    /// The number of trees that ran out of memory.
    pub(super) full: u64,
}

impl Totals {
    fn of<G: Game>(trees: &[Tree<G>]) -> Self {
        trees.iter().fold(Self::default(), |sum, tree| Self {
            iterations: sum.iterations + tree.done,
            remaining: sum.remaining + tree.remaining,
            nodes: sum.nodes + tree.node_count() as u64,
            full: sum.full + u64::from(tree.ran_out()),
        })
    }

    const NUMBERS: usize = 4;

    fn numbers(self) -> [u64; Self::NUMBERS] {
        let Self { iterations, remaining, nodes, full } = self;
        [iterations, remaining, nodes, full]
    }
}

impl<M: Copy> Merged<M> {
    /// What the trees of this rank have found.
    pub(super) fn here<G: Game<Move = M>>(trees: &[Tree<G>]) -> Self {
        let nodes: Vec<_> = (0..trees.len()).map(|tree| (tree, Place::ROOT)).collect();
        Self { root: sum_children(trees, &nodes, &trees[0].root), totals: Totals::of(trees) }
    }

    /// How many numbers are added up at a root with `moves` legal moves, with `signals` signals.
    pub(super) fn numbers(moves: usize, signals: usize) -> usize {
        NUMBERS * moves + 1 + Totals::NUMBERS + signals
    }

    /// The outcome of the position under perfect play, if it is proven.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.root.bounds.outcome()
    }

    /// Adds what the other ranks have found, and adds up `signals` with it, by a function that replaces
    /// numbers by their sums.
    pub(super) fn over<const N: usize>(
        mut self,
        signals: &mut [u64; N],
        sum: impl FnOnce(&mut [u64]),
    ) -> Self {
        let mut others = self.totals.numbers().to_vec();
        others.extend_from_slice(signals);
        self.root.over(&mut others, sum);
        let [iterations, remaining, nodes, full, ..] = others[..] else { return self };
        signals.copy_from_slice(&others[others.len() - N..]);
        self.totals = Totals { iterations, remaining, nodes, full };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Ranks;

    #[test]
    fn the_bounds_of_ranks_add_up_to_their_intersection() {
        let all: Vec<Bounds> =
            (0..=2).flat_map(|lower| (lower..=2).map(move |upper| Bounds { lower, upper })).collect();
        for &a in &all {
            assert_eq!(bounds_of(votes(a)), a);
            for &b in &all {
                let both = a.and(b);
                assert_eq!(bounds_of(votes(a) + votes(b)), both, "{a:?} {b:?}");
            }
            let sum = (0..Ranks::MAX).fold(0_u64, |sum, _| sum.wrapping_add(votes(a)));
            assert_eq!(bounds_of(sum), a, "from all the ranks that there can be");
        }
    }

    /// The sums of a rank, with numbers that differ in every place.
    fn of_rank(rank: u64) -> Merged<u8> {
        let bounds = |lower, upper| Bounds { lower, upper };
        let sum = |mv, bounds| MoveStats { mv, visits: 100 * rank + u64::from(mv), reward: 7 * rank, bounds };
        // Only the first rank knows of one move, and only the second of another.
        let moves = if rank == 1 {
            vec![sum(3, bounds(0, 1)), sum(5, Bounds::UNKNOWN)]
        } else {
            vec![sum(3, Bounds::UNKNOWN), sum(5, bounds(1, 1))]
        };
        let root = PositionStats { side: Side::First, moves, bounds: bounds(0, 3 - rank as u8) };
        Merged {
            root,
            totals: Totals { iterations: rank, remaining: 10 * rank, nodes: 50 * rank, full: rank - 1 },
        }
    }

    #[test]
    fn all_that_ranks_know_is_added_up() {
        let mut numbers = Vec::new();
        of_rank(2).over(&mut [40, 400], |own| numbers = own.to_vec());
        assert_eq!(numbers.len(), Merged::<u8>::numbers(2, 2));
        let mut signals = [1, 2];
        let merged = of_rank(1).over(&mut signals, |own| {
            own.iter_mut().zip(&numbers).for_each(|(own, other)| *own += other);
        });
        assert_eq!(signals, [41, 402]);
        let of_moves: Vec<_> =
            merged.root.moves.iter().map(|it| (it.mv, it.visits, it.reward, it.bounds)).collect();
        let bounds = |lower, upper| Bounds { lower, upper };
        assert_eq!(of_moves, [(3, 306, 21, bounds(0, 1)), (5, 310, 21, bounds(1, 1))]);
        // One of the moves draws, and none is better.
        assert_eq!((merged.root.bounds, merged.outcome()), (bounds(1, 1), Some(Outcome::Draw)));
        assert_eq!(merged.totals.numbers(), [3, 30, 150, 1]);
    }

    #[test]
    fn the_bounds_of_a_position_are_those_of_its_best_move() {
        let of = |side, moves: &[(u8, u8)]| {
            let sum =
                |&(lower, upper)| MoveStats { mv: 0, visits: 0, reward: 0, bounds: Bounds { lower, upper } };
            let moves = moves.iter().map(sum).collect();
            let mut sums = PositionStats { side, moves, bounds: Bounds::UNKNOWN };
            sums.conclude();
            (sums.bounds.lower, sums.bounds.upper)
        };
        let moves = [(0, 1), (1, 1), (0, 0)];
        assert_eq!(of(Side::First, &moves), (1, 1));
        assert_eq!(of(Side::Second, &moves), (0, 0));
        assert_eq!(of(Side::Second, &[(1, 2), (0, 2)]), (0, 2));
        assert_eq!(of(Side::First, &[(1, 2), (0, 1)]), (1, 2));
    }

    #[test]
    fn values_are_means_from_0_to_100() {
        let half = u64::from(Value::HALF_POINT);
        let sum = |visits, reward, (lower, upper)| MoveStats {
            mv: 1,
            visits,
            reward,
            bounds: Bounds { lower, upper },
        };
        let of = |sum: MoveStats<u8>| (sum.candidate(Side::Second).value, sum.child().value);
        assert_eq!(of(sum(4, 6 * half, (0, 2))), (Some(75.0), Some(75.0)));
        assert_eq!(of(sum(0, 0, (0, 2))), (None, None));
        // What is proven is the value of a candidate.
        assert_eq!(of(sum(4, 6 * half, (0, 0))), (Some(100.0), Some(75.0)));
        assert_eq!(of(sum(0, 0, (2, 2))), (Some(0.0), None));
    }
}
