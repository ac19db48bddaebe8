//! Growing a tree in batches, on several threads.
//!
//! From a stated number of visits on, a tree has a [trunk](super::trunk) and grows in batches. The trunk
//! [deals](super::deal) the visits of a batch out to the branches, and each branch does its visits one after
//! the other, as a small tree does, with a random stream of its own that follows from the seed, its path and
//! its visits. What the branches have found flows back up the trunk, and the prover or its forks are asked about the
//! positions that are due while the next batch grows. Nothing of this depends on which thread does what, or on how
//! many there are.

use super::crew::Crew;
use super::guide::Guide;
use super::guided::owed_effort;
use super::jobs::{GrowOptions, Job, Proofs, Task, Work};
use super::pool::ROOT;
use super::shares::{Deal, Share};
use super::spans::{Stopwatch, Times};
use super::technique::Technique;
use super::tree::{OwedProof, Tree};
use super::trunk::{Leaf, nodes_of};
use super::worker::Worker;
use crate::game::Game;
use crate::knowledge::{Knowledge, MAX_FORKS, Prover};

/// The most effort that the proofs of a batch get, in positions for each of its visits. The larger a tree is, the more
/// positions that are due to be proven a visit passes by; without a limit proofs take half of the time in a tree of 10⁷
/// visits.
const PROOF_POSITIONS: u64 = 3;

/// The least effort for which a fork of the prover is worth it, in positions: forks do not learn from each other before
/// the end of a batch.
const FORK_POSITIONS: u64 = 512;

/// What it counts as to share what all forks have found, in visits.
const SHARE_WEIGHT: u64 = 256;

impl<G: Game> Tree<G> {
    /// Does `count` of the remaining iterations, or fewer if the root is proven first, or the tree grows in
    /// batches from there on. A tree that does so does at most a batch.
    pub(super) fn grow<K: Knowledge<G>>(
        &mut self,
        count: u64,
        guide: &Guide<K>,
        options: GrowOptions<'_>,
        crew: &Crew<Job<G>>,
    ) {
        let before_batches = guide.batch.first().saturating_sub(self.pool.node(ROOT).visits);
        if self.has_trunk() || before_batches == 0 && self.found_trunk() {
            return self.grow_batch(guide, options, crew);
        }
        let count = if before_batches == 0 { count } else { count.min(before_batches.into()) };
        self.grow_one_by_one(count, guide, options.techniques);
    }

    /// Deals a batch of the remaining iterations out and does them, or fewer where a branch can't take them or the
    /// effort is over.
    fn grow_batch<K: Knowledge<G>>(
        &mut self,
        guide: &Guide<K>,
        options: GrowOptions<'_>,
        crew: &Crew<Job<G>>,
    ) {
        let size = u64::from(guide.batch.size(self.pool.node(ROOT).visits)).min(self.remaining) as u32;
        let mut watch = Stopwatch::start(options.is_timed);
        let owes_proofs = self.prover.is_some() && options.techniques.contains(Technique::Proofs);
        let proofs = self.proofs().into_iter().map(|(work, weight)| {
            let times = Times { weight, is_proof: true, ..Times::default() };
            (Job { work, times }, weight)
        });
        crew.give(&mut proofs.collect());
        let mut deal = Deal::new(self, size, owes_proofs, crew);
        self.pool.allow(self.free_nodes());
        deal.deal_out(self, guide, options.techniques);
        let work = |worker: &mut Worker<G>, jobs: &mut [Job<G>]| worker.work(jobs, guide, options);
        let dealing = watch.lap();
        let jobs = crew.finish(&work, &mut Worker::new(&self.root));
        let times: Option<Vec<Times>> = options.is_timed.then(|| jobs.iter().map(|job| job.times).collect());
        watch.lap();
        let (mut tasks, mut proofs) = (Vec::new(), Vec::new());
        for Job { work, .. } in jobs {
            match work {
                Work::Grow(task) => tasks.push(task),
                Work::Prove(it) => proofs.push(it),
                Work::Share(forks) => self.forks = forks,
            }
        }
        let mut shares = deal.shares;
        for task in &mut tasks {
            self.branch_nodes -= task.nodes + task.room;
            self.branch_nodes += task.pool.len() + nodes_of(&task.parts);
            std::mem::swap(&mut task.pool, &mut self.branches[task.branch]);
            shares[task.share].gained.add(task.gained);
        }
        for task in &mut tasks {
            let parts = std::mem::take(&mut task.parts);
            if !parts.is_empty() && self.split_into(parts, task.branch, task.leaf) {
                self.split_large_children(task.leaf);
            }
        }
        for index in (1..shares.len()).rev() {
            let Share { parent, gained, .. } = shares[index];
            shares[parent].gained.add(gained);
        }
        let solves = options.techniques.contains(Technique::Solver);
        self.take_proofs(proofs, solves);
        if owes_proofs {
            self.owe_proofs(&shares, &mut tasks);
        }
        if const { G::KIND.has_one_player() } {
            for task in &mut tasks {
                if let Some(line) = task.line.take() {
                    let mut before = self.path_to(&shares, task.share);
                    before.push(self.pool.node(task.leaf.at).mv());
                    self.take_line_of_branch(before, line);
                }
            }
        }
        self.back_up_batch(&shares, &tasks, solves);
        let done = u64::from(shares[0].gained.visits);
        self.done += done;
        self.remaining -= done;
        let backing_up = watch.lap();
        if let (Some(spans), Some(times)) = (&mut self.spans, times) {
            spans.add_alone(backing_up);
            spans.add(dealing, &times);
            spans.measuring += watch.lap();
        }
    }

    /// Adds what branches and nodes of the trunk have gained, and passes bounds on to the root.
    fn back_up_batch(&mut self, shares: &[Share<G>], tasks: &[Box<Task<G>>], solves: bool) {
        for task in tasks {
            let Task { leaf, bounds, is_over, gained, .. } = &**task;
            self.pool.narrow(leaf.at, *bounds);
            if *is_over {
                self.pool.set_over(leaf.at);
            }
            self.pool.add_gained(leaf.at, gained);
        }
        for Share { node: Leaf { at, .. }, gained, .. } in shares.iter().rev() {
            if solves {
                self.pool.propagate_bounds(*at);
            }
            self.pool.add_gained(*at, gained);
        }
    }

    /// The moves from the root to the node of a share.
    fn path_to(&self, shares: &[Share<G>], mut share: usize) -> Vec<G::Move> {
        let mut moves = Vec::new();
        while share > 0 {
            moves.push(self.pool.node(shares[share].node.at).mv());
            share = shares[share].parent;
        }
        moves.reverse();
        moves
    }

    /// Notes the positions that the prover is due to be asked about while the next batch grows.
    fn owe_proofs(&mut self, shares: &[Share<G>], tasks: &mut [Box<Task<G>>]) {
        let mut owed = Vec::new();
        for (number, Share { node, gained, .. }) in shares.iter().enumerate().skip(1) {
            let Leaf { at, position, depth, .. } = *node;
            let effort = owed_effort(depth, self.pool.node(at).visits, gained.visits);
            if effort > 0 {
                owed.push(OwedProof { moves: self.path_to(shares, number), position, effort });
            }
        }
        for task in tasks {
            for proof in std::mem::take(&mut task.owed) {
                let mut moves = self.path_to(shares, task.share);
                moves.push(self.pool.node(task.leaf.at).mv());
                moves.extend(proof.moves);
                owed.push(OwedProof { moves, ..proof });
            }
        }
        limit_effort(&mut owed, PROOF_POSITIONS * u64::from(shares[0].gained.visits));
        self.owed.get_or_insert_default().append(&mut owed);
    }

    /// What there is to do for proofs, each with its weight: to ask the prover, or its forks if that is a lot. These
    /// share what they found in the batch before first.
    fn proofs(&mut self) -> Vec<(Work<G>, u64)> {
        if self.forks_know_more {
            self.forks_know_more = false;
            return vec![(Work::Share(std::mem::take(&mut self.forks)), SHARE_WEIGHT)];
        }
        let owed = self.owed.take().unwrap_or_default();
        let effort: u64 = owed.iter().map(|proof| proof.effort).sum();
        let parts = (effort / FORK_POSITIONS).min(MAX_FORKS as u64);
        let forks = if parts > 1 { self.take_forks(parts as usize) } else { Vec::new() };
        if forks.is_empty() {
            let prover = if owed.is_empty() { None } else { self.prover.take() };
            let all = prover.map(|prover| (Work::Prove(Proofs::new(prover, false, owed)), effort));
            return all.into_iter().collect();
        }
        let (count, mut before) = (forks.len() as u64, 0);
        let mut parts: Vec<(Proofs<G>, u64)> =
            forks.into_iter().map(|fork| (Proofs::new(fork, true, Vec::new()), 0)).collect();
        for proof in owed {
            let (proofs, of_part) = &mut parts[(before * count / effort) as usize];
            (before, *of_part) = (before + proof.effort, *of_part + proof.effort);
            proofs.owed.push(proof);
        }
        parts.into_iter().map(|(proofs, effort)| (Work::Prove(proofs), effort)).collect()
    }

    /// Lets the forks of the prover share what they have found.
    pub(super) fn share_proofs(&mut self) {
        if std::mem::take(&mut self.forks_know_more) {
            self.forks.iter_mut().for_each(|fork| fork.share());
        }
    }

    /// So many forks of the prover, or none if it has none.
    fn take_forks(&mut self, count: usize) -> Vec<Box<dyn Prover<G>>> {
        while self.forks.len() < count
            && let Some(fork) = self.prover.as_mut().and_then(|prover| prover.fork())
        {
            self.forks.push(fork);
        }
        if self.forks.len() < count { Vec::new() } else { self.forks.drain(..count).collect() }
    }

    /// Takes the provers back, and what they have found.
    fn take_proofs(&mut self, proofs: Vec<Proofs<G>>, solves: bool) {
        let mut forks = Vec::new();
        for Proofs { prover, is_fork, owed, found } in proofs {
            if is_fork {
                forks.push(prover);
            } else {
                self.prover = Some(prover);
            }
            for (proof, outcome) in owed.iter().zip(found) {
                if let Some(outcome) = outcome {
                    self.set_proven(&proof.moves, outcome, solves);
                }
            }
        }
        self.forks_know_more |= !forks.is_empty();
        self.forks.splice(..0, forks);
    }
}

/// Lessens the effort of all proofs alike if it is more than `most` in all.
fn limit_effort<G: Game>(owed: &mut Vec<OwedProof<G>>, most: u64) {
    let all: u64 = owed.iter().map(|proof| proof.effort).sum();
    if all > most {
        for proof in owed.iter_mut() {
            proof.effort = proof.effort * most / all;
        }
        owed.retain(|proof| proof.effort > 0);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::effort::Effort;
    use crate::game::{MoveList, Outcome, Rng, Side};
    use crate::hash;
    use crate::knowledge::{Candidates, NewPosition, Prover, RulesOnly, Selection, Value};
    use crate::search::deal::Arms;
    use crate::search::drawn::{Drawn, Told};
    use crate::search::gained::Gained;
    use crate::search::guide::Formula;
    use crate::search::node::Node;
    use crate::search::pool::Pool;
    use crate::search::tree::{Place, Turn};
    use crate::search::{Budget, Report, Search, SearchConfig, Techniques};

    /// Nine turns of two plies each.
    const PAIRS: Drawn = Drawn::new(12, 18).in_turns(2);

    /// Random values, and a prover that proves one of so many positions.
    fn noisy(proves: u64) -> Told<'static> {
        Told::default()
            .with_candidates(|_, moves| {
                moves.extend((0..12).map(|mv| (mv, 1.0 / f32::from(mv / 3 + 1))));
            })
            .with_value(|_, rng| Value::expected(Side::First, rng.below(1_001) as f32 / 500.0 - 1.0))
            .with_prover(move || ProvesLate { proves, asked: 0, by_all: None })
    }

    /// The same, which values so many positions at once.
    struct NoisyAtOnce<const COUNT: usize>(Told<'static>);

    impl<const COUNT: usize> Knowledge<Drawn> for NoisyAtOnce<COUNT> {
        const POSITIONS_AT_ONCE: usize = COUNT;
        fn evaluate_all(&self, positions: &mut [NewPosition<'_, Drawn>]) {
            assert!((1..=COUNT).contains(&positions.len()));
            self.0.evaluate_all(positions);
        }
        fn candidates(&self, position: &Drawn, moves: &mut Candidates<u8>) {
            self.0.candidates(position, moves);
        }
        fn evaluate(&self, position: &Drawn, rng: &mut Rng) -> Value {
            self.0.evaluate(position, rng)
        }
        fn prover(&self, memory: usize) -> Option<Box<dyn Prover<Drawn>>> {
            self.0.prover(memory)
        }
    }

    /// Proves positions late in the game when it and its forks have been asked often, so that the order matters.
    #[derive(Debug)]
    struct ProvesLate {
        proves: u64,
        /// Since it last shared that.
        asked: u64,
        by_all: Option<Arc<AtomicU64>>,
    }

    impl Prover<Drawn> for ProvesLate {
        fn prove(&mut self, position: &Drawn, effort: Effort) -> Option<Outcome> {
            self.asked += effort.positions;
            let all = self.asked + self.by_all.as_ref().map_or(0, |it| it.load(Ordering::Relaxed));
            (position.ply > 1 && hash::mix(all).is_multiple_of(self.proves)).then_some(Outcome::Draw)
        }
        fn fork(&mut self) -> Option<Box<dyn Prover<Drawn>>> {
            let by_all = Some(Arc::clone(self.by_all.get_or_insert_default()));
            Some(Box::new(Self { asked: 0, by_all, ..*self }))
        }
        fn share(&mut self) {
            let asked = std::mem::take(&mut self.asked);
            if let Some(by_all) = &self.by_all {
                by_all.fetch_add(asked, Ordering::Relaxed);
            }
        }
        fn forget(&mut self) {
            (self.asked, self.by_all) = (0, None);
        }
    }

    const ITERATIONS: u64 = 40_000;

    fn searched(config: SearchConfig) -> (Search<Drawn, Told<'static>>, Report<u8>) {
        searched_by(config, noisy(64))
    }

    fn searched_by<K: Knowledge<Drawn>>(config: SearchConfig, by: K) -> (Search<Drawn, K>, Report<u8>) {
        let selection = config.selection.or(Some(Selection::Puct { c: 1.0 }));
        let config = SearchConfig { selection, early_stop: false, ..config };
        let mut search = Search::new(config, by).expect("valid");
        let budget = Budget::iterations(ITERATIONS).expect("not 0");
        let report = search.run(&PAIRS, budget).expect("a report");
        (search, report)
    }

    /// Checks that visits and values add up at every node, and returns the visits of the root.
    fn check(tree: &Tree<Drawn>) -> u64 {
        let mut nodes = 0;
        let mut open = vec![Place::ROOT];
        while let Some(place) = open.pop() {
            nodes += 1;
            let pool = tree.pool_of(place);
            let (node, steps) = (tree.node_of(place), pool.reward_steps(place.at));
            let of_first = |node: &crate::search::node::Node<u8>, steps| {
                let all = u64::from(node.visits) * u64::from(Value::WIN);
                if node.moved_by() == Side::First { steps } else { all - steps }
            };
            let (mut visits, mut sum) = (0, 0);
            for (offset, (child_place, child)) in tree.children_of(place).enumerate() {
                // A leaf of the trunk and the root of its branch say the same.
                let root = tree.node_of(child_place);
                let steps = tree.pool_of(child_place).reward_steps(child_place.at);
                let bounds = |place: Place| tree.pool_of(place).bounds(place.at);
                let leaf = Place { branch: place.branch, at: pool.child(place.at, offset) };
                assert_eq!((child.visits, bounds(leaf)), (root.visits, bounds(child_place)));
                visits += child.visits;
                sum += of_first(root, steps);
                open.push(child_place);
            }
            let is_proven = node.is_known();
            if visits > 0 && !is_proven {
                let own = u64::from(node.visits - visits);
                // Without memory for its children a node is evaluated again.
                let may_repeat = place == Place::ROOT || tree.ran_out();
                assert!(own <= 1 || may_repeat, "{own} visits of {place:?} are lost");
                let values = of_first(node, steps) - sum.min(of_first(node, steps));
                assert!(values <= own * u64::from(Value::WIN), "{values} of {own} visits at {place:?}");
            }
        }
        assert!(nodes <= tree.node_count() && tree.node_count() <= tree.max_nodes);
        assert_eq!(tree.branch_nodes, tree.branches.iter().map(Pool::len).sum::<usize>());
        tree.node_of(Place::ROOT).visits.into()
    }

    #[test]
    fn visits_and_values_add_up_through_trunk_and_branches() {
        for selection in [None, Some(Selection::Ucb1 { c: 0.7 })] {
            let (search, report) = searched(SearchConfig { selection, ..SearchConfig::default() });
            let tree = &search.trees[0];
            assert!(tree.has_trunk() && tree.branches.len() > 20, "{} branches", tree.branches.len());
            assert_eq!((check(tree), report.iterations), (ITERATIONS, ITERATIONS));
            let visits: u64 = report.candidates.iter().map(|it| it.visits).sum();
            assert_eq!(visits, ITERATIONS);
            assert!(tree.branches.iter().all(|branch| branch.node(ROOT).visits < 1_000));
        }
    }

    #[test]
    fn what_branches_reserve_is_within_the_memory() {
        for memory in [5 << 19, 7 << 19] {
            let (search, _) = searched(SearchConfig { memory, ..SearchConfig::default() });
            let tree = &search.trees[0];
            assert!(tree.has_trunk() && tree.ran_out());
            let pools = tree.branches.iter().chain([&tree.pool]);
            let reserved: usize = pools.map(Pool::reserved).sum();
            assert!(reserved <= tree.memory, "{reserved} of {}", tree.memory);
        }
    }

    #[test]
    fn what_is_proven_in_a_branch_that_is_split_stays_proven() {
        for seed in 0..4 {
            let (search, _) = searched_by(SearchConfig { seed, ..SearchConfig::default() }, noisy(5));
            check(&search.trees[0]);
        }
    }

    #[test]
    fn a_batch_of_one_is_an_iteration_of_a_tree_without_a_trunk() {
        let (search, _) = searched(SearchConfig { batch: NonZero::new(1), ..SearchConfig::default() });
        assert!(!search.trees[0].has_trunk());
        assert_eq!(check(&search.trees[0]), ITERATIONS);
    }

    #[test]
    fn the_root_deals_out_by_an_exploration_of_its_own() {
        let mut tree = Tree::new(&PAIRS, true);
        tree.reset(&PAIRS, (0, 0), 1_000, 1 << 20).expect("there is memory");
        tree.pool.widen_to(ROOT, 2).expect("there is memory");
        for (mv, winner) in [(0, Side::First), (1, Side::Second)] {
            tree.pool.add(ROOT, 2, Node::new(mv, Side::First), 0.5);
            for at in [tree.pool.child(ROOT, mv.into()), ROOT].repeat(10) {
                tree.pool.add_value(at, Outcome::Win(winner).into());
            }
        }
        let node = Leaf { at: ROOT, position: PAIRS, path_hash: 0, depth: 0 };
        let (gained, choices) = (Gained::default(), Vec::new());
        let share = Share { node, parent: 0, turn: Turn::default(), visits: 100, gained, choices };
        let lost_visits = |root_exploration| {
            let mut arms = Arms::default();
            tree.arms_of(&share, &Formula::new(Selection::Puct { c: 0.1 }, root_exploration), &mut arms);
            arms.dealt().find(|it| it.0 == 1).map_or(0, |it| it.1)
        };
        // c(119) is 0.101: the move that lost scores 0.05 with ten visits, and 2.0 if it is explored forty times as much.
        assert_eq!(lost_visits(1.0), 0);
        assert!((5..12).contains(&lost_visits(40.0)), "{}", lost_visits(40.0));
    }

    #[test]
    fn the_answer_is_the_same_on_any_number_of_threads() {
        let on_threads = |threads, config: SearchConfig| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let (mut search, first) = searched(config);
                // The next position has the trees of this one.
                let next = PAIRS.at(1);
                let budget = Budget::iterations(5_000).expect("not 0");
                let kept = search.trees[0].child_of(Place::ROOT, first.best().mv).is_some();
                let forks = search.trees[0].forks.len();
                let second = search.run(&next, budget).expect("a report");
                check(&search.trees[0]);
                let hashes = [first.visits_hash, second.visits_hash];
                (kept, forks, hashes, first.candidates, second.candidates, second.nodes)
            })
        };
        for memory in [SearchConfig::DEFAULT_MEMORY, 1 << 20] {
            let config = SearchConfig { memory, ..SearchConfig::default() };
            let alone = on_threads(1, config.clone());
            assert_eq!(alone.1 > 1, memory > 1 << 20, "{} forks", alone.1);
            for threads in [2, 5] {
                assert_eq!(on_threads(threads, config.clone()), alone);
            }
            // Or with fewer threads than the pool has.
            let config = SearchConfig { threads: NonZero::new(2), ..config };
            assert_eq!(on_threads(4, config), alone);
        }
    }

    #[test]
    fn branches_that_grow_side_by_side_end_up_as_if_each_had_grown_alone() {
        for techniques in
            [Techniques::ALL, Techniques::NONE.with(Technique::Priors).with(Technique::Rollouts)]
        {
            let config = SearchConfig { techniques, threads: NonZero::new(2), ..SearchConfig::default() };
            let (alone, report) = searched(config.clone());
            let (few, few_report) = searched_by(config.clone(), NoisyAtOnce::<3>(noisy(64)));
            let (many, many_report) = searched_by(config, NoisyAtOnce::<64>(noisy(64)));
            let hash = report.visits_hash;
            assert_eq!([few_report.visits_hash, many_report.visits_hash], [hash; 2]);
            assert_eq!((&few_report.candidates, few_report.nodes), (&report.candidates, report.nodes));
            assert_eq!([check(&few.trees[0]), check(&many.trees[0])], [check(&alone.trees[0]); 2]);
        }
    }

    #[test]
    fn a_tree_with_a_trunk_goes_on_from_any_of_its_nodes() {
        let paths = |tree: &Tree<Drawn>| {
            // The most visited path: it leads through the trunk into a branch.
            let mut place = Place::ROOT;
            let mut moves = Vec::new();
            while let Some((next, child)) = tree.children_of(place).max_by_key(|(_, child)| child.visits)
                && child.visits > 30
            {
                moves.push(child.mv());
                place = next;
            }
            moves
        };
        let (search, _) = searched(SearchConfig::default());
        let line = paths(&search.trees[0]);
        assert!(line.len() > 3, "{line:?}");
        let mut had_trunk = [false; 2];
        for plies in 0..=line.len() {
            let (mut search, _) = searched(SearchConfig::default());
            let tree = &mut search.trees[0];
            let place = line[..plies]
                .iter()
                .try_fold(Place::ROOT, |place, &mv| tree.child_of(place, mv))
                .expect("a path");
            let visits = u64::from(tree.node_of(place).visits);
            let kept = tree.advance(&PAIRS.at(plies as u8), &line[..plies], (3, 0), 1_000, 1 << 30);
            let has_children = visits > 1;
            assert_eq!(kept, has_children, "after {plies}");
            if kept {
                assert_eq!(check(tree), visits);
                // Root splitting needs room at once.
                assert!(tree.pool.widen_to(ROOT, 12).is_some() && !tree.ran_out());
                had_trunk[usize::from(tree.has_trunk())] = true;
            }
        }
        assert_eq!(had_trunk, [true; 2]);
    }

    /// Four moves, and then one a ply for so many plies.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    struct Forced(u16);

    impl Game for Forced {
        type Move = u8;
        const MAX_BRANCHING: usize = 4;
        const MAX_PLIES: usize = 10_000;
        fn initial() -> Self {
            Self(0)
        }
        fn role_to_move(&self) -> usize {
            0
        }
        fn outcome(&self) -> Option<Outcome> {
            (usize::from(self.0) == Self::MAX_PLIES).then_some(Outcome::Draw)
        }
        fn legal_moves(&self, moves: &mut MoveList<u8>) {
            moves.clear();
            moves.extend(0..if self.outcome().is_some() { 0 } else { 1 + 3 * u8::from(self.0 == 0) });
        }
        fn apply(&mut self, _: u8) {
            self.0 += 1;
        }
        fn rollout(&self, _: &mut Rng) -> crate::game::Rollout {
            crate::game::Rollout { outcome: Outcome::Draw, plies: 0 }
        }
    }

    #[test]
    fn ten_thousand_forced_plies_need_little_stack() {
        let run = || {
            let mut search = Search::<Forced>::new(SearchConfig::default(), RulesOnly).expect("valid");
            let budget = Budget::iterations(24_000).expect("not 0");
            search.run(&Forced(0), budget).expect("a report").iterations
        };
        let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(run).expect("a thread");
        assert_eq!(thread.join().expect("no overflow"), 24_000);
    }

    #[test]
    fn too_much_effort_is_lessened_alike() {
        let limited = |most: u64| {
            let proof = |effort| OwedProof { moves: Vec::new(), position: PAIRS, effort };
            let mut owed = vec![proof(128), proof(8), proof(64)];
            limit_effort(&mut owed, most);
            owed.iter().map(|it| it.effort).collect::<Vec<u64>>()
        };
        assert_eq!(limited(200), [128, 8, 64]);
        assert_eq!(limited(100), [64, 4, 32]);
        assert_eq!(limited(20), [12, 6]);
        assert_eq!(limited(0), [0; 0]);
    }
}
