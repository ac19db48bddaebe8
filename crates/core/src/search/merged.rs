//! What the trees have found at the root, added up.

use super::joint::choices;
use super::joint_arms::JointArms;
use super::pool::ROOT;
use super::ranks::Ranks;
use super::report::{Candidate, Child};
use super::tree::{Place, Tree};
use crate::game::{Bounds, Game, MAX_SCORE, Outcome, Side, has_one_player};
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
        let exact = proven.map(|outcome| f64::from(outcome.score(side)));
        Candidate::new(self.mv, self.visits, exact.or(mean), proven)
    }

    pub(super) fn child(&self) -> Child<M> {
        let value = (self.visits > 0).then(|| mean(self.reward, self.visits));
        Child { mv: self.mv, visits: self.visits, value, bounds: self.bounds }
    }
}

/// The place of a rank among all ranks. Each has 16 bits of its own for the bounds of a move in the numbers that
/// are added up, so the sums have the bounds of all.
#[derive(Clone, Copy)]
pub(super) struct RankSlot {
    index: usize,
    count: usize,
}

impl RankSlot {
    /// The ranks in one number.
    const IN_NUMBER: usize = 4;

    pub(super) fn of(ranks: Ranks) -> Self {
        Self { index: ranks.index(), count: ranks.count() }
    }

    /// How many numbers hold the bounds that all ranks have for a move.
    fn of_bounds(self) -> usize {
        self.count.div_ceil(Self::IN_NUMBER)
    }

    /// How many numbers there are for a move.
    fn of_move(self) -> usize {
        2 + self.of_bounds()
    }

    /// These bounds, which this rank has found. What is not known is 0.
    fn numbers(self, bounds: Bounds) -> impl Iterator<Item = u64> {
        let bits = u64::from(bounds.lower) | u64::from(MAX_SCORE - bounds.upper) << u8::BITS;
        let own = bits << (self.index % Self::IN_NUMBER * u16::BITS as usize);
        (0..self.of_bounds()).map(move |index| if index == self.index / Self::IN_NUMBER { own } else { 0 })
    }
}

/// The bounds that follow from those of all ranks.
fn bounds_of(numbers: &[u64]) -> Bounds {
    let mut all = Bounds::UNKNOWN;
    for &[lower, above] in numbers.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>().as_chunks().0 {
        all = all.and(Bounds { lower, upper: MAX_SCORE.saturating_sub(above) });
    }
    all
}

/// What is known of a position: of its moves, in list order, and of its value.
pub(super) struct PositionStats<M> {
    pub(super) side: Side,
    pub(super) moves: Vec<MoveStats<M>>,
    pub(super) bounds: Bounds,
    /// Whether a greatest lower bound above 0 is the score of the best line that was found, in a game for one player.
    pub(super) has_lines: bool,
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
    let mut sums = PositionStats::unknown(position);
    for &(tree, at) in nodes {
        let tree = &trees[tree];
        sums.bounds = sums.bounds.and(tree.pool_of(at).bounds(at.at));
        for (at, child) in tree.children_of(at) {
            let sum =
                sums.moves.iter_mut().find(|sum| sum.mv == child.mv()).expect("a child's move is legal");
            sum.visits += u64::from(child.visits);
            let pool = tree.pool_of(at);
            sum.reward += pool.reward_steps(at.at);
            sum.bounds = sum.bounds.and(pool.bounds(at.at));
        }
    }
    sums.conclude();
    sums
}

/// What the trees know of the moves of a choice, `before` choices after the root, whose position is `position`. In a
/// joint move nothing is proven, and values are those against the policies of the others.
pub(super) fn sum_of_choice<G: Game>(
    trees: &[Tree<G>],
    before: usize,
    position: &G,
) -> PositionStats<G::Move> {
    let choices = choices(&trees[0].root);
    if const { !G::KIND.has_simultaneous_moves() } || choices.len() == 1 {
        let nodes: Vec<_> = (0..trees.len()).map(|tree| (tree, Place::ROOT)).collect();
        return sum_children(trees, &nodes, position);
    }
    let mut sums = PositionStats::unknown(position);
    for tree in trees.iter().filter(|tree| tree.pool.len() > 0) {
        let mut joint = JointArms::default();
        tree.look_at_joint_move(ROOT, &choices, &mut joint);
        let choice = &joint.choices[before];
        for (offset, mv) in tree.moves_of_choice(ROOT, before).into_iter().enumerate() {
            // A game that breaks its promises may list more moves.
            let Some(&(visits, _)) = choice.sums.get(offset) else { break };
            if let Some(mean) = choice.mean(offset)
                && let Some(sum) = sums.moves.iter_mut().find(|sum| sum.mv == mv)
            {
                sum.visits += u64::from(visits);
                sum.reward += (f64::from(mean) * f64::from(visits) * f64::from(Value::WIN)) as u64;
            }
        }
    }
    sums
}

impl<M: Copy> PositionStats<M> {
    /// The legal moves of a position of which nothing is known.
    pub(super) fn unknown<G: Game<Move = M>>(position: &G) -> Self {
        let unknown = |mv| MoveStats { mv, visits: 0, reward: 0, bounds: Bounds::UNKNOWN };
        let moves = position.move_list().into_iter().map(unknown).collect();
        Self { side: position.side_to_move(), moves, bounds: Bounds::UNKNOWN, has_lines: false }
    }

    /// Adds up the sums of all ranks, and `others`, of which each rank has as many, by a function that
    /// replaces numbers by their sums. `slot` is that of this rank.
    pub(super) fn over(&mut self, slot: RankSlot, others: &mut [u64], sum: &mut dyn FnMut(&mut [u64])) {
        let mut numbers = Vec::new();
        for it in &self.moves {
            numbers.extend_from_slice(&[it.visits, it.reward]);
            numbers.extend(slot.numbers(it.bounds));
        }
        numbers.extend(slot.numbers(self.bounds));
        numbers.extend_from_slice(others);
        sum(&mut numbers);
        let (of_moves, rest) = numbers.split_at(slot.of_move() * self.moves.len());
        let (of_position, rest) = rest.split_at(slot.of_bounds());
        self.bounds = bounds_of(of_position);
        others.copy_from_slice(rest);
        for (sum, numbers) in self.moves.iter_mut().zip(of_moves.chunks_exact(slot.of_move())) {
            let bounds = bounds_of(&numbers[2..]);
            *sum = MoveStats { visits: numbers[0], reward: numbers[1], bounds, ..*sum };
        }
        self.conclude();
    }

    /// Concludes the bounds of the position from those of its moves: trees may have proven different ones.
    pub(super) fn conclude(&mut self) {
        let moves = self.moves.iter().map(|sum| sum.bounds.of(self.side));
        let worst = Bounds { lower: 0, upper: 0 };
        let best = moves.fold(worst, |best, it| Bounds {
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

impl<M: Copy + PartialEq> Merged<M> {
    /// What the trees of this rank have found.
    pub(super) fn here<G: Game<Move = M>>(trees: &[Tree<G>]) -> Self {
        let mut root = sum_of_choice(trees, trees[0].choices_before, &trees[0].asked);
        // All ranks say the same, whichever of them has found a line.
        root.has_lines = trees[0].keeps_line;
        if has_one_player(&trees[0].root) {
            for line in trees.iter().filter_map(|tree| tree.line.as_ref()) {
                if let Some(sum) = root.moves.iter_mut().find(|sum| sum.mv == line.moves[0]) {
                    sum.bounds = sum.bounds.and(line.bounds(trees[0].root.scores()));
                }
                root.conclude();
            }
        }
        Self { root, totals: Totals::of(trees) }
    }

    /// How many numbers are added up at a root with `moves` legal moves, with `signals` signals.
    pub(super) fn numbers(slot: RankSlot, moves: usize, signals: usize) -> usize {
        slot.of_move() * moves + slot.of_bounds() + Totals::NUMBERS + signals
    }

    /// The outcome of the position under perfect play, if it is proven.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        self.root.bounds.outcome()
    }

    /// Adds what the other ranks have found, and adds up `signals` with it, by a function that replaces
    /// numbers by their sums. `slot` is that of this rank.
    pub(super) fn over<const N: usize>(
        mut self,
        slot: RankSlot,
        signals: &mut [u64; N],
        sum: &mut dyn FnMut(&mut [u64]),
    ) -> Self {
        let mut others = self.totals.numbers().to_vec();
        others.extend_from_slice(signals);
        self.root.over(slot, &mut others, sum);
        let [iterations, remaining, nodes, full, ..] = others[..] else { return self };
        signals.copy_from_slice(&others[others.len() - N..]);
        self.totals = Totals { iterations, remaining, nodes, full };
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_ranks_add_up_to_their_intersection() {
        let levels = [0, 30, 50, 100];
        let all = levels.into_iter().flat_map(|lower| levels.map(|upper| Bounds { lower, upper }));
        let all: Vec<Bounds> = all.filter(|it| it.lower <= it.upper).collect();
        for count in [1, 4, 9] {
            for (index, &a) in all.iter().enumerate() {
                let of_rank = |rank| if rank == 0 { a } else { all[(index + 3 * rank) % all.len()] };
                let mut sums = vec![0; RankSlot { index: 0, count }.of_bounds()];
                for index in 0..count {
                    let own = RankSlot { index, count }.numbers(of_rank(index));
                    sums.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
                }
                let both = (0..count).map(of_rank).fold(Bounds::UNKNOWN, Bounds::and);
                assert_eq!(bounds_of(&sums), both, "{a:?} of {count}");
            }
        }
    }

    /// The sums of a rank, with numbers that differ in every place.
    fn of_rank(rank: u64) -> Merged<u8> {
        let bounds = |lower, upper| Bounds { lower, upper };
        let sum = |mv, bounds| MoveStats { mv, visits: 100 * rank + u64::from(mv), reward: 7 * rank, bounds };
        // Only the first rank knows of one move, and only the second of another.
        let moves = if rank == 1 {
            vec![sum(3, bounds(0, 50)), sum(5, Bounds::UNKNOWN)]
        } else {
            vec![sum(3, Bounds::UNKNOWN), sum(5, bounds(50, 50))]
        };
        let root = PositionStats {
            side: Side::First,
            moves,
            bounds: bounds(0, 150 - 50 * rank as u8),
            has_lines: false,
        };
        Merged {
            root,
            totals: Totals { iterations: rank, remaining: 10 * rank, nodes: 50 * rank, full: rank - 1 },
        }
    }

    #[test]
    fn all_that_ranks_know_is_added_up() {
        let slot = |index| RankSlot { index, count: 2 };
        let mut numbers = Vec::new();
        of_rank(2).over(slot(1), &mut [40, 400], &mut |own| numbers = own.to_vec());
        assert_eq!(numbers.len(), Merged::<u8>::numbers(slot(0), 2, 2));
        let mut signals = [1, 2];
        let merged = of_rank(1).over(slot(0), &mut signals, &mut |own| {
            own.iter_mut().zip(&numbers).for_each(|(own, other)| *own += other);
        });
        assert_eq!(signals, [41, 402]);
        let of_moves: Vec<_> =
            merged.root.moves.iter().map(|it| (it.mv, it.visits, it.reward, it.bounds)).collect();
        let bounds = |lower, upper| Bounds { lower, upper };
        assert_eq!(of_moves, [(3, 306, 21, bounds(0, 50)), (5, 310, 21, bounds(50, 50))]);
        // One of the moves draws, and none is better.
        assert_eq!((merged.root.bounds, merged.outcome()), (bounds(50, 50), Some(Outcome::Draw)));
        assert_eq!(merged.totals.numbers(), [3, 30, 150, 1]);
    }

    #[test]
    fn the_bounds_of_a_position_are_those_of_its_best_move() {
        let of = |side, moves: &[(u8, u8)]| {
            let sum =
                |&(lower, upper)| MoveStats { mv: 0, visits: 0, reward: 0, bounds: Bounds { lower, upper } };
            let moves = moves.iter().map(sum).collect();
            let mut sums = PositionStats { side, moves, bounds: Bounds::UNKNOWN, has_lines: false };
            sums.conclude();
            (sums.bounds.lower, sums.bounds.upper)
        };
        let moves = [(0, 50), (50, 50), (0, 0)];
        assert_eq!(of(Side::First, &moves), (50, 50));
        assert_eq!(of(Side::Second, &moves), (0, 0));
        assert_eq!(of(Side::Second, &[(30, 100), (0, 100)]), (0, 100));
        assert_eq!(of(Side::First, &[(30, 100), (0, 50)]), (30, 100));
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
        assert_eq!(of(sum(4, 6 * half, (0, 100))), (Some(75.0), Some(75.0)));
        assert_eq!(of(sum(0, 0, (0, 100))), (None, None));
        // What is proven is the value of a candidate.
        assert_eq!(of(sum(4, 6 * half, (0, 0))), (Some(100.0), Some(75.0)));
        assert_eq!(of(sum(0, 0, (100, 100))), (Some(0.0), None));
    }
}
