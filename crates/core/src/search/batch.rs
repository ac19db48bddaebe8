//! Growing a tree in batches, on several threads.
//!
//! From a stated number of visits on, a tree has a [trunk](super::trunk) and grows in batches. The trunk
//! [deals](super::deal) the visits of a batch out to the branches, and each branch does its visits one after
//! the other, as a small tree does, with a random stream of its own that follows from the seed, its path and
//! its visits. What the branches have found flows back up the trunk, and provers are asked about the positions
//! that are due while the next batch grows. Nothing of this depends on which thread does what, or on how many
//! there are.

use super::crew::Crew;
use super::deal::Arms;
use super::guide::Guide;
use super::guided::owed_effort;
use super::pool::ROOT;
use super::shares::{Gained, Share, Task};
use super::technique::{Technique, Techniques};
use super::tree::{OwedProof, Tree, Turn};
use super::trunk::Leaf;
use crate::effort::Effort;
use crate::game::{Game, Outcome, Rng, Side};
use crate::hash;
use crate::knowledge::{Knowledge, Prover, Value};
use crate::order::in_order;

/// What the growth of a tree depends on besides its guide.
#[derive(Clone, Copy)]
pub(super) struct GrowOptions<'a> {
    pub(super) techniques: Techniques,
    /// When a batch is to be broken off.
    pub(super) effort: Effort<'a>,
}

/// The number of provers of a tree with a trunk.
const PROVERS: usize = 8;

/// A branch looks at the clock after so many visits.
const BETWEEN_LOOKS: u64 = 8;

/// What one prover is asked in a batch.
pub(super) struct Proofs<G: Game> {
    number: usize,
    prover: Box<dyn Prover<G>>,
    owed: Vec<OwedProof<G>>,
    found: Vec<Option<Outcome>>,
}

/// What one thread does of a batch.
pub(super) enum Job<G: Game> {
    Grow(Task<G>),
    Prove(Proofs<G>),
}

impl<G: Game> Job<G> {
    /// About how long it takes.
    fn weight(&self) -> u64 {
        match self {
            Self::Grow(task) => task.visits.into(),
            Self::Prove(proofs) => proofs.owed.iter().map(|proof| proof.effort).sum(),
        }
    }

    /// The key by which jobs that are done come into an order that does not depend on threads.
    fn key(&self) -> u64 {
        match self {
            Self::Grow(task) => task.branch as u64,
            Self::Prove(proofs) => proofs.number as u64,
        }
    }
}

impl<G: Game> Tree<G> {
    /// Does `count` of the remaining iterations, or fewer if the root is proven first, or the tree grows in
    /// batches from there on. A tree that does so does a whole batch.
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

    /// Does a batch of the remaining iterations.
    fn grow_batch<K: Knowledge<G>>(
        &mut self,
        guide: &Guide<K>,
        options: GrowOptions<'_>,
        crew: &Crew<Job<G>>,
    ) {
        if self.provers.len() == 1 {
            let more = (1..PROVERS).map_while(|_| guide.knowledge.prover(self.prover_memory / PROVERS));
            self.provers.extend(more);
            self.max_nodes = self.max_nodes.min(self.room());
        }
        let size = guide.batch.size(self.pool.node(ROOT).visits);
        let mut left = u64::from(size).min(self.remaining);
        // What branches could not take is dealt out again.
        while left > 0 && self.pool.node(ROOT).proven().is_none() {
            let done = u64::from(self.grow_pass(left as u32, guide, options, crew));
            self.done += done;
            self.remaining -= done;
            left -= done;
            if done == 0 || options.effort.is_over() {
                return;
            }
        }
    }

    /// Deals `visits` visits out and does them, or fewer where a branch can't take them or the effort is over;
    /// returns how many.
    fn grow_pass<K: Knowledge<G>>(
        &mut self,
        visits: u32,
        guide: &Guide<K>,
        options: GrowOptions<'_>,
        crew: &Crew<Job<G>>,
    ) -> u32 {
        let node = Leaf { at: ROOT, position: self.root, path_hash: self.salt, depth: 0 };
        let root = Share { node, parent: 0, turn: Turn::default(), visits, gained: Gained::default() };
        let (mut shares, mut tasks, mut arms) = (vec![root], Vec::new(), Arms::default());
        self.pool.allow(self.free_nodes());
        let mut next = 0;
        while next < shares.len() {
            self.deal_share(next, &mut shares, &mut tasks, &mut arms, guide, options.techniques);
            next += 1;
        }
        let (mut tasks, proofs) = self.run_jobs(tasks, guide, options, crew);
        for task in &tasks {
            shares[task.share].gained.add(task.gained);
        }
        for index in (1..shares.len()).rev() {
            let Share { parent, gained, .. } = shares[index];
            shares[parent].gained.add(gained);
        }
        let solves = options.techniques.contains(Technique::Solver);
        self.take_proofs(proofs, solves);
        if self.owes_proofs(options) {
            self.owe_proofs(&shares, &mut tasks);
        }
        self.back_up(&shares, &tasks, solves);
        self.pool.allow(self.free_nodes());
        for task in &tasks {
            self.split_if_large(task.branch, task.leaf);
        }
        shares[0].gained.visits
    }

    fn owes_proofs(&self, options: GrowOptions<'_>) -> bool {
        !self.provers.is_empty() && options.techniques.contains(Technique::Proofs)
    }

    /// Lets the crew do the tasks, and ask the provers what is owed since the last batch. Returns the tasks in
    /// the order of their branches.
    fn run_jobs<K: Knowledge<G>>(
        &mut self,
        tasks: Vec<Task<G>>,
        guide: &Guide<K>,
        options: GrowOptions<'_>,
        crew: &Crew<Job<G>>,
    ) -> (Vec<Task<G>>, Vec<Proofs<G>>) {
        // In proportion to the visits, so that no branch takes what another one gets.
        let all: u64 = tasks.iter().map(|task| u64::from(task.visits)).sum();
        let free = self.free_nodes() as u64;
        let owes_proofs = self.owes_proofs(options);
        let mut jobs = self.proofs();
        for mut task in tasks {
            task.room = (u128::from(free) * u128::from(task.visits) / u128::from(all)) as usize;
            task.owes_proofs = owes_proofs;
            std::mem::swap(&mut task.pool, &mut self.branches[task.branch]);
            jobs.push(Job::Grow(task));
        }
        let work = |tree: &mut Self, job: &mut Job<G>| tree.do_job(job, guide, options);
        let jobs = crew.run(jobs, Job::weight, &work, &mut Self::new(true));
        let keys: Vec<u64> = jobs.iter().map(Job::key).collect();
        let (mut tasks, mut proofs) = (Vec::new(), Vec::new());
        for job in in_order(jobs, &keys) {
            match job {
                Job::Grow(mut task) => {
                    self.branch_nodes += task.grown;
                    std::mem::swap(&mut task.pool, &mut self.branches[task.branch]);
                    tasks.push(task);
                }
                Job::Prove(it) => proofs.push(it),
            }
        }
        (tasks, proofs)
    }

    /// Adds what branches and nodes of the trunk have gained, and passes bounds on to the root.
    fn back_up(&mut self, shares: &[Share<G>], tasks: &[Task<G>], solves: bool) {
        for Task { leaf, branch, gained, .. } in tasks {
            let bounds = self.branches[*branch].node(ROOT).bounds();
            let node = self.pool.node_mut(leaf.at);
            node.set_bounds(node.bounds().and(bounds));
            self.pool.add_values(leaf.at, gained.visits, gained.steps);
        }
        for Share { node: Leaf { at, .. }, gained, .. } in shares.iter().rev() {
            if solves {
                self.pool.propagate_bounds(*at);
            }
            self.pool.add_values(*at, gained.visits, gained.steps);
        }
    }

    /// Does a part of a batch. This tree is the helper of a thread, which becomes the branch that grows.
    pub(super) fn do_job<K: Knowledge<G>>(
        &mut self,
        job: &mut Job<G>,
        guide: &Guide<K>,
        options: GrowOptions<'_>,
    ) {
        match job {
            Job::Grow(task) => {
                let Leaf { position, path_hash, depth, .. } = task.leaf;
                let nodes = task.pool.len();
                task.pool.allow(task.room);
                std::mem::swap(&mut self.pool, &mut task.pool);
                (self.root, self.salt, self.depth, self.turn) = (position, path_hash, depth, task.turn);
                self.rng = Rng::stream(task.seed, 0);
                self.owed = task.owes_proofs.then(Vec::new);
                task.gained = self.grow_branch(task.visits, guide, options);
                task.owed = self.owed.take().unwrap_or_default();
                std::mem::swap(&mut self.pool, &mut task.pool);
                task.grown = task.pool.len() - nodes;
            }
            Job::Prove(Proofs { prover, owed, found, .. }) => {
                for OwedProof { position, effort, .. } in owed {
                    if options.effort.is_over() {
                        return;
                    }
                    found.push(prover.prove(position, Effort::positions(*effort)));
                }
            }
        }
    }

    /// Does `visits` visits of the root of a branch, or fewer if it is proven or the effort is over.
    fn grow_branch<K: Knowledge<G>>(
        &mut self,
        visits: u32,
        guide: &Guide<K>,
        options: GrowOptions<'_>,
    ) -> Gained {
        let techniques = options.techniques;
        let (visited, steps) = (self.pool.node(ROOT).visits, self.pool.reward_steps(ROOT));
        self.remaining = visits.into();
        if visited == 0 && !options.effort.is_over() {
            let root = self.root;
            let value = self.evaluate(ROOT, &root, guide, techniques);
            self.pool.add_value(ROOT, value);
            self.remaining -= 1;
        }
        while self.remaining > 0 && self.pool.node(ROOT).proven().is_none() && !options.effort.is_over() {
            let before = self.pool.node(ROOT).visits;
            self.grow_one_by_one(self.remaining.min(BETWEEN_LOOKS), guide, techniques);
            let effort = owed_effort(self.depth, before, self.pool.node(ROOT).visits - before);
            if effort > 0
                && let Some(owed) = &mut self.owed
            {
                owed.push(OwedProof { moves: Vec::new(), position: self.root, effort });
            }
        }
        let root = self.pool.node(ROOT);
        let visits = root.visits - visited;
        let steps = self.pool.reward_steps(ROOT) - steps;
        let of_first = root.moved_by() == Side::First;
        let steps = if of_first { steps } else { u64::from(visits) * u64::from(Value::WIN) - steps };
        Gained { visits, steps }
    }

    /// Notes the positions that provers are due to be asked about while the next batch grows.
    fn owe_proofs(&mut self, shares: &[Share<G>], tasks: &mut [Task<G>]) {
        let path_to = |mut share: usize| {
            let mut moves = Vec::new();
            while share > 0 {
                moves.push(self.pool.node(shares[share].node.at).mv());
                share = shares[share].parent;
            }
            moves.reverse();
            moves
        };
        let mut owed = Vec::new();
        for (number, Share { node, gained, .. }) in shares.iter().enumerate().skip(1) {
            let Leaf { at, position, depth, .. } = *node;
            let effort = owed_effort(depth, self.pool.node(at).visits, gained.visits);
            if effort > 0 {
                owed.push(OwedProof { moves: path_to(number), position, effort });
            }
        }
        for task in tasks {
            for proof in std::mem::take(&mut task.owed) {
                let mut moves = path_to(task.share);
                moves.push(self.pool.node(task.leaf.at).mv());
                moves.extend(proof.moves);
                owed.push(OwedProof { moves, ..proof });
            }
        }
        self.owed = Some(owed);
    }

    /// Jobs for the provers, each of which is asked about the positions of its part.
    fn proofs(&mut self) -> Vec<Job<G>> {
        let owed = self.owed.take().unwrap_or_default();
        if owed.is_empty() {
            return Vec::new();
        }
        let mut parts: Vec<Vec<_>> = self.provers.iter().map(|_| Vec::new()).collect();
        let count = parts.len() as u64;
        for proof in owed {
            parts[(hash::of(&proof.position) % count) as usize].push(proof);
        }
        let provers = std::mem::take(&mut self.provers).into_iter().zip(parts).enumerate();
        provers
            .map(|(number, (prover, owed))| Job::Prove(Proofs { number, prover, owed, found: Vec::new() }))
            .collect()
    }

    /// Takes the provers back, and what they have found.
    fn take_proofs(&mut self, proofs: Vec<Proofs<G>>, solves: bool) {
        for proofs in proofs {
            self.provers.push(proofs.prover);
            for (proof, outcome) in proofs.owed.iter().zip(proofs.found) {
                if let Some(outcome) = outcome {
                    self.set_proven(&proof.moves, outcome, solves);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;
    use crate::game::{MoveList, Role};
    use crate::knowledge::{Candidates, RulesOnly, Selection};
    use crate::search::drawn::Pairs;
    use crate::search::pool::Pool;
    use crate::search::tree::Place;
    use crate::search::{Budget, Report, Search, SearchConfig};

    /// Random values, and a prover that proves what it is asked about if the position's random number says
    /// so.
    #[derive(Debug, Clone, Copy)]
    struct Noisy;

    impl Knowledge<Pairs> for Noisy {
        const SELECTION: Selection = Selection::Puct { c: 1.0 };
        fn candidates(&self, _: &Pairs, moves: &mut Candidates<u8>) {
            moves.extend((0..12).map(|mv| (mv, 1.0 / f32::from(mv / 3 + 1))));
        }
        fn evaluate(&self, _: &Pairs, rng: &mut Rng) -> Value {
            Value::expected(Side::First, rng.below(1_001) as f32 / 500.0 - 1.0)
        }
        fn prover(&self, _: usize) -> Option<Box<dyn Prover<Pairs>>> {
            Some(Box::new(ProvesLate(0)))
        }
    }

    /// Proves positions late in the game when it has been asked often, so that the order matters.
    #[derive(Debug)]
    struct ProvesLate(u64);

    impl Prover<Pairs> for ProvesLate {
        fn prove(&mut self, position: &Pairs, effort: Effort) -> Option<Outcome> {
            self.0 += effort.positions;
            (position.0 > 1 && hash::mix(self.0).is_multiple_of(16)).then_some(Outcome::Draw)
        }
        fn forget(&mut self) {
            self.0 = 0;
        }
    }

    const ITERATIONS: u64 = 30_000;

    fn searched(config: SearchConfig) -> (Search<Pairs, Noisy>, Report<u8>) {
        let config = SearchConfig { early_stop: false, ..config };
        let mut search = Search::new(config, Noisy).expect("valid");
        let budget = Budget::iterations(ITERATIONS).expect("not 0");
        let report = search.run(&Pairs(0), budget).expect("a report");
        (search, report)
    }

    /// Checks that visits and values add up at every node, and returns the visits of the root.
    fn check(tree: &Tree<Pairs>) -> u64 {
        let mut nodes = 0;
        let mut open = vec![Place::ROOT];
        while let Some(place) = open.pop() {
            nodes += 1;
            let pool = tree.pool_of(place);
            let (node, steps) = (tree.node_of(place), pool.reward_steps(place.at));
            let of_first = |node: &crate::search::pool::Node<u8>, steps| {
                let all = u64::from(node.visits) * u64::from(Value::WIN);
                if node.moved_by() == Side::First { steps } else { all - steps }
            };
            let (mut visits, mut sum) = (0, 0);
            for (child_place, child) in tree.children_of(place) {
                // A leaf of the trunk and the root of its branch say the same.
                let root = tree.node_of(child_place);
                let steps = tree.pool_of(child_place).reward_steps(child_place.at);
                assert_eq!((child.visits, child.bounds()), (root.visits, root.bounds()));
                visits += child.visits;
                sum += of_first(root, steps);
                open.push(child_place);
            }
            let is_proven = node.proven().is_some();
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
    fn a_batch_of_one_is_an_iteration_of_a_tree_without_a_trunk() {
        let (search, _) = searched(SearchConfig { batch: NonZero::new(1), ..SearchConfig::default() });
        assert!(!search.trees[0].has_trunk());
        assert_eq!(check(&search.trees[0]), ITERATIONS);
    }

    #[test]
    fn the_answer_is_the_same_on_any_number_of_threads() {
        let on_threads = |threads, config: SearchConfig| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let (mut search, first) = searched(config);
                // The next position has the trees of this one.
                let next = Pairs(1);
                let budget = Budget::iterations(5_000).expect("not 0");
                let kept = search.trees[0].child_of(Place::ROOT, first.best().mv).is_some();
                let second = search.run(&next, budget).expect("a report");
                check(&search.trees[0]);
                let hashes = [first.visits_hash, second.visits_hash];
                (kept, hashes, first.candidates, second.candidates, second.nodes)
            })
        };
        for memory in [SearchConfig::DEFAULT_MEMORY, 1 << 20] {
            let config = SearchConfig { memory, ..SearchConfig::default() };
            let alone = on_threads(1, config.clone());
            for threads in [2, 5] {
                assert_eq!(on_threads(threads, config.clone()), alone);
            }
            // Or with fewer threads than the pool has.
            let config = SearchConfig { threads: NonZero::new(2), ..config };
            assert_eq!(on_threads(4, config), alone);
        }
    }

    #[test]
    fn a_tree_with_a_trunk_goes_on_from_any_of_its_nodes() {
        let paths = |tree: &Tree<Pairs>| {
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
            let kept = tree.advance(&Pairs(plies as u8), &line[..plies], (3, 0), 1_000, 1 << 30);
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
        const ROLES: &'static [Role] = &[Role { name: "only", side: Side::First }];
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
    fn a_jump_of_visits_owes_what_visits_one_after_the_other_do() {
        for depth in [1, 2] {
            for (first, more) in [(0, 3_000), (31, 2), (32, 1), (100, 500), (511, 2), (512, 512), (700, 1)] {
                let one_by_one: u64 = (first..first + more).map(|it| owed_effort(depth, it, 1)).sum();
                assert_eq!(owed_effort(depth, first, more), one_by_one, "{first} and {more} more");
            }
        }
        assert_eq!([31, 32, 33, 64, 511, 512, 513].map(|it| owed_effort(2, it, 1)), [0, 8, 0, 16, 0, 128, 0]);
    }
}
