//! `Uct`, `Search` and `AlphaBeta` against minimax on random trees in which either side may be to
//! move at any node.
//!
//! A search that assumes alternating turns, or negates a value on every ply, passes many tests with
//! well-behaved games. It does not pass this one.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use quintet_core::clock::{Clock, Deadline};
use quintet_core::game::{Game, MAX_SCORE, MoveList, Outcome, Rng, Role, ScoreSet, Side, derive_seed};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, RulesOnly, Selection, SolveScope, Solved};
use quintet_core::search::{Budget, Search, SearchConfig, Technique, Techniques, Uct};
use quintet_core::solver::{AlphaBeta, Claim, DfPn, KnowledgeHeuristic, Progress, SettleOptions};

/// A position in a random tree, which is never built: everything about a node is drawn from its
/// hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RandomTree {
    node: u64,
    depth: u8,
    /// Whether it ends in more ways than by a win, a draw or a loss.
    has_shares: bool,
}

/// The scores of the trees that have shares.
const SHARES: [u8; 5] = [0, 20, 50, 70, 100];

const DEPTH: u8 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Child(u8);

impl fmt::Display for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl RandomTree {
    fn new(number: u64) -> Self {
        Self { node: derive_seed(0x7EE5, number), depth: 0, has_shares: !number.is_multiple_of(2) }
    }

    /// A number in 0..n that belongs to this node and `what`.
    fn draw(&self, what: u64, n: usize) -> usize {
        Rng::stream(self.node, what).below(n)
    }

    /// The score of the first side under perfect play.
    fn minimax(&self) -> u8 {
        if let Some(outcome) = self.outcome() {
            return outcome.score(Side::First);
        }
        let values = self.children().map(|(_, child)| child.minimax());
        if self.side_to_move() == Side::First { values.max() } else { values.min() }.expect("there are moves")
    }

    fn children(&self) -> impl Iterator<Item = (Child, Self)> {
        let position = *self;
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.into_iter().map(move |mv| (mv, position.play(mv).expect("legal")))
    }
}

impl Game for RandomTree {
    type Move = Child;

    const ROLES: &'static [Role] = &[Role::new("first", Side::First), Role::new("second", Side::Second)];
    const MAX_BRANCHING: usize = 4;
    const MAX_PLIES: usize = DEPTH as usize;

    fn initial() -> Self {
        Self::new(0)
    }

    fn role_to_move(&self) -> usize {
        self.draw(0, 2)
    }

    fn outcome(&self) -> Option<Outcome> {
        let ends = self.depth == DEPTH || self.depth > 1 && self.draw(1, 8) == 0;
        ends.then(|| match self.draw(2, 5) {
            place if self.has_shares => Outcome::of_score(Side::First, SHARES[place]),
            0 | 1 => Outcome::Win(Side::First),
            2 | 3 => Outcome::Win(Side::Second),
            _ => Outcome::Draw,
        })
    }

    fn scores(&self) -> ScoreSet {
        if self.has_shares { ScoreSet::new(&SHARES) } else { ScoreSet::WIN_DRAW_LOSS }
    }

    fn legal_moves(&self, moves: &mut MoveList<Child>) {
        moves.clear();
        if self.outcome().is_none() {
            moves.extend((0..=self.draw(3, 4) as u8).map(Child));
        }
    }

    fn apply(&mut self, mv: Child) {
        self.node = derive_seed(self.node, 100 + u64::from(mv.0));
        self.depth += 1;
    }
}

/// The trees whose choice at the root matters, with the moves that keep the minimax value.
fn trees() -> impl Iterator<Item = (u64, RandomTree, Vec<Child>)> {
    (0..).map(|number| (number, RandomTree::new(number))).filter_map(|(number, root)| {
        let best: Vec<Child> = root
            .children()
            .filter(|(_, child)| child.minimax() == root.minimax())
            .map(|(mv, _)| mv)
            .collect();
        (best.len() < root.move_count()).then_some((number, root, best))
    })
}

fn config(trees: usize) -> SearchConfig {
    SearchConfig { trees: NonZeroUsize::new(trees), ..SearchConfig::default() }
}

#[test]
fn uct_converges_to_the_minimax_move_on_every_tree() {
    let mut search = Uct::new(config(1)).expect("valid");
    let mut repeats = 0;
    for (number, root, best) in trees().take(100) {
        repeats += usize::from(root.children().any(|(_, child)| child.side_to_move() == root.side_to_move()));
        let budget = Budget::iterations(10_000).expect("not 0");
        let report = search.run(&root, budget).expect("there are moves");
        assert!(best.contains(&report.best().mv), "tree {number}: chose {:?} of {best:?}", report.best());
    }
    assert!(repeats > 50, "in only {repeats} trees does a side act twice running");
}

#[test]
fn merged_trees_converge_too() {
    let mut search = Uct::new(config(3)).expect("valid");
    for (number, root, best) in trees().skip(100).take(30) {
        let report = search.run(&root, Budget::iterations(15_000).expect("not 0")).expect("there are moves");
        assert!(best.contains(&report.best().mv), "tree {number}: chose {:?} of {best:?}", report.best());
    }
}

#[test]
fn what_the_solver_proves_is_so_and_it_proves_small_trees_whole() {
    for selection in [Selection::Ucb1 { c: 0.7 }, Selection::Puct { c: 1.0 }] {
        for threads in [1, 2] {
            let config = SearchConfig { selection: Some(selection), ..config(threads) };
            let mut search = Search::new(config, RulesOnly).expect("valid");
            let (mut proofs, mut wholes) = (0, 0);
            for (number, root, best) in trees().take(80) {
                for iterations in [30, 300, 10_000] {
                    let budget = Budget::iterations(iterations).expect("not 0");
                    let report = search.run(&root, budget).expect("there are moves");
                    for candidate in &report.candidates {
                        if let Some(outcome) = candidate.proven {
                            let (_, child) =
                                root.children().find(|(mv, _)| *mv == candidate.mv).expect("a move");
                            let value = outcome.score(Side::First);
                            assert_eq!(value, child.minimax(), "tree {number}, {iterations}: {candidate:?}");
                            proofs += 1;
                        }
                    }
                    if iterations == 10_000 {
                        assert!(best.contains(&report.best().mv), "tree {number}: {:?}", report.best());
                        wholes += usize::from(report.best().proven.is_some());
                    }
                }
            }
            assert!(proofs > 150 && wholes > 60, "{proofs} proofs, {wholes} trees solved");
        }
    }
}

/// Knowledge that proves every position from depth 2 on, and thinks the first move best.
struct Oracle;

impl Knowledge<RandomTree> for Oracle {
    const SELECTION: Selection = Selection::Puct { c: 1.0 };

    fn candidates(&self, position: &RandomTree, moves: &mut Candidates<Child>) {
        moves.extend(position.children().map(|(mv, _)| (mv, 1.0 / (1.0 + f32::from(mv.0)))));
    }

    fn prove(&self, position: &RandomTree) -> Option<Outcome> {
        (position.depth >= 2).then(|| Outcome::of_score(Side::First, position.minimax()))
    }
}

#[test]
fn proofs_and_priors_of_the_knowledge_are_used() {
    let techniques = Techniques::ALL.and_not(Techniques::NONE.with(Technique::Reuse));
    let config = SearchConfig { techniques, ..config(2) };
    let mut search = Search::new(config, Oracle).expect("valid");
    for (number, root, best) in trees().take(100) {
        let report = search.run(&root, Budget::iterations(4_000).expect("not 0")).expect("there are moves");
        assert!(best.contains(&report.best().mv), "tree {number}: chose {:?} of {best:?}", report.best());

        // Two iterations, one per tree: they try the two moves with the highest priors.
        let first = search.run(&root, Budget::iterations(2).expect("not 0")).expect("there are moves");
        let mut tried: Vec<_> =
            first.candidates.iter().filter(|it| it.visits > 0).map(|it| (it.mv, it.visits)).collect();
        tried.sort_by_key(|&(Child(place), _)| place);
        assert_eq!(tried, [(Child(0), 1), (Child(1), 1)], "tree {number}");
    }
}

#[test]
fn alpha_beta_has_the_minimax_value_of_every_move() {
    for looks_ahead in [true, false] {
        for (number, root, best) in trees().take(60) {
            let solver = AlphaBeta::new(&RulesOnly, 8, Effort::UNLIMITED);
            let mut solver = if looks_ahead { solver } else { solver.without_looking_ahead() };
            let moves = solver.solve(&root, SolveScope::All).expect("no limit");
            assert_eq!(moves.len(), root.move_count(), "tree {number}");
            assert!(best.contains(&moves[0].mv), "tree {number}");
            for solved in &moves {
                let (_, child) = root.children().find(|(mv, _)| *mv == solved.mv).expect("a move");
                assert_eq!(solved.outcome.score(Side::First), child.minimax(), "tree {number}");
            }
            // With too little effort it returns nothing, or still the right value.
            let mut hasty = AlphaBeta::new(&RulesOnly, 8, Effort::positions(1));
            assert!(
                hasty.solve(&root, SolveScope::All).is_none_or(|hasty| hasty[0].outcome == moves[0].outcome)
            );
        }
    }
}

/// A random tree in which many moves lead to the same position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RandomGraph {
    tree: u64,
    node: u8,
    depth: u8,
}

impl RandomGraph {
    fn here(&self) -> RandomTree {
        RandomTree {
            node: derive_seed(self.tree, u64::from(self.node) << 8 | u64::from(self.depth)),
            depth: self.depth,
            has_shares: self.tree & 1 == 1,
        }
    }

    fn minimax(&self) -> u8 {
        if let Some(outcome) = self.outcome() {
            return outcome.score(Side::First);
        }
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        let values = moves.into_iter().map(|mv| self.play(mv).expect("legal").minimax());
        if self.side_to_move() == Side::First { values.max() } else { values.min() }.expect("there are moves")
    }
}

impl Game for RandomGraph {
    type Move = Child;

    const ROLES: &'static [Role] = RandomTree::ROLES;
    const MAX_BRANCHING: usize = RandomTree::MAX_BRANCHING;
    const MAX_PLIES: usize = RandomTree::MAX_PLIES;

    fn initial() -> Self {
        Self { tree: 0, node: 0, depth: 0 }
    }

    fn role_to_move(&self) -> usize {
        self.here().role_to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.here().outcome()
    }

    fn scores(&self) -> ScoreSet {
        self.here().scores()
    }

    fn legal_moves(&self, moves: &mut MoveList<Child>) {
        self.here().legal_moves(moves);
    }

    fn apply(&mut self, mv: Child) {
        // Three positions at each depth: most can be reached in several ways.
        self.node = self.here().draw(10 + u64::from(mv.0), 3) as u8;
        self.depth += 1;
    }
}

/// Every claim about every position, decided with a table of every size.
fn df_pn_agrees_with<G: Game>(positions: impl Iterator<Item = (G, u8)>) {
    let mut seen = [0; 2];
    for (position, minimax) in positions {
        for side in [Side::First, Side::Second] {
            for score in [20, 50, 100] {
                let claim = Claim { side, score };
                let own = if side == Side::First { minimax } else { MAX_SCORE - minimax };
                for memory in [0, 1 << 20] {
                    let mut search = DfPn::new(KnowledgeHeuristic(&RulesOnly), claim, memory);
                    // In parts, which must not change the answer.
                    let decided = (0..).find_map(|_| search.decide(&position, Effort::positions(7)));
                    let expected = own >= score;
                    assert_eq!(decided, Some(expected), "{position:?} {claim:?}");
                    assert_eq!(search.decide(&position, Effort::UNLIMITED), Some(expected));
                    seen[usize::from(expected)] += 1;
                }
            }
        }
    }
    assert!(seen.iter().all(|&it| it > 100), "{seen:?}");
}

#[test]
fn df_pn_decides_every_claim_about_trees() {
    df_pn_agrees_with(trees().take(100).map(|(_, root, _)| (root, root.minimax())));
}

#[test]
fn df_pn_decides_every_claim_about_graphs() {
    let graphs = (0..200).map(|tree| RandomGraph { tree: derive_seed(0x6EA9, tree), node: 0, depth: 0 });
    df_pn_agrees_with(graphs.map(|root| (root, root.minimax())));
}

#[test]
fn every_tree_is_settled_with_a_best_move() {
    for (number, root, best) in trees().take(80) {
        let progress = Progress::new();
        let effort = |positions| SettleOptions {
            effort: Effort::positions(positions),
            memory: 1 << 20,
            threads: NonZeroUsize::MIN,
            wants_strategies: false,
            progress: &progress,
        };
        let settled = RulesOnly.settle(&root, &effort(u64::MAX));
        let outcome = settled.bounds.outcome().expect("no limit");
        assert_eq!(outcome.score(Side::First), root.minimax(), "tree {number}");
        assert!(settled.best.is_some_and(|mv| best.contains(&mv)), "tree {number}");
        assert!(progress.positions() > 0);
        let claims = root.scores().iter().count() as u64 - 1;
        assert_eq!(progress.parts(), (claims, claims));
        // Two threads find the same.
        let two = NonZeroUsize::new(2).expect("not 0");
        let together = RulesOnly.settle(&root, &SettleOptions { threads: two, ..effort(u64::MAX) });
        assert_eq!((together.bounds, together.best), (settled.bounds, settled.best), "tree {number}");
        // With little effort, the bounds are wider but right.
        let hasty = RulesOnly.settle(&root, &effort(5)).bounds;
        assert!((hasty.lower..=hasty.upper).contains(&root.minimax()), "tree {number}: {hasty:?}");
    }
}

/// Knowledge that proves every position from some depth on.
#[derive(Debug)]
struct KnownFrom(u8);

impl Knowledge<RandomTree> for KnownFrom {
    fn prove(&self, position: &RandomTree) -> Option<Outcome> {
        let is_known = position.depth == 0 || position.depth >= self.0;
        is_known.then(|| Outcome::of_score(Side::First, position.minimax()))
    }
}

#[test]
fn a_tree_that_is_known_at_once_gets_a_best_move_too() {
    for (number, root, best) in trees().take(50) {
        for known_from in [1, 2, 3] {
            let progress = Progress::new();
            let options = SettleOptions {
                effort: Effort::UNLIMITED,
                memory: 1 << 20,
                threads: NonZeroUsize::MIN,
                wants_strategies: false,
                progress: &progress,
            };
            let settled = KnownFrom(known_from).settle(&root, &options);
            let outcome = settled.bounds.outcome().expect("it is known");
            assert_eq!(outcome.score(Side::First), root.minimax(), "tree {number}");
            assert!(settled.best.is_some_and(|mv| best.contains(&mv)), "tree {number}");
        }
    }
}

/// A solver that finds nothing, however long it takes.
#[derive(Debug)]
struct Endless(Clock);

impl Knowledge<RandomTree> for Endless {
    fn solve(&self, _: &RandomTree, _: SolveScope, effort: Effort) -> Option<Vec<Solved<Child>>> {
        while !effort.is_over() {
            self.0.advance(Duration::from_millis(10));
        }
        None
    }
}

#[test]
fn a_solver_that_finds_nothing_leaves_time_for_another_method() {
    let (clock, progress) = (Clock::manual(), Progress::new());
    let deadline = Deadline::new(clock.now() + Duration::from_secs(10), &clock);
    let (_, root, _) = trees().next().expect("a tree");
    let settled = Endless(clock.clone()).settle(
        &root,
        &SettleOptions {
            effort: Effort { deadline: Some(deadline), ..Effort::UNLIMITED },
            memory: 1 << 20,
            threads: NonZeroUsize::MIN,
            wants_strategies: false,
            progress: &progress,
        },
    );
    assert_eq!((deadline.left(), settled.method), (Duration::from_secs(5), "df-pn"));
    assert_eq!(settled.bounds.outcome().map(|it| it.score(Side::First)), Some(root.minimax()));
}
