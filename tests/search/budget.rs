//! Budgets of iterations, time and memory.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use quintet::catalog::{GameId, Visitor};
use quintet::game::{Game, MoveList, Outcome, Role, Side};
use quintet::games::{Gomoku, Krk, Pentago, Quarto, Rules, Spec};
use quintet::knowledge::{Knowledge, Known, RulesOnly, Selection};
use quintet::search::{Budget, Search, SearchConfig, SearchError, Technique, Techniques};

fn config(trees: usize) -> SearchConfig {
    SearchConfig { trees: NonZeroUsize::new(trees).expect("not 0"), ..SearchConfig::uct() }
}

#[test]
fn the_iterations_are_done_exactly_and_every_one_is_counted_at_the_root() {
    for (trees, iterations) in [(1, 1), (1, 1_000), (3, 1_000), (7, 5), (4, 4_001)] {
        let mut search = Search::<Quarto, _>::new(config(trees), RulesOnly).expect("valid");
        let report =
            search.run(&Quarto::initial(), Budget::iterations(iterations).expect("not 0")).expect("moves");
        assert_eq!(report.iterations, iterations);
        assert_eq!(report.candidates.iter().map(|candidate| candidate.visits).sum::<u64>(), iterations);
        assert_eq!(report.candidates.len(), 16);
    }
}

#[test]
fn an_empty_budget_is_refused() {
    for budget in [Budget::iterations(0), Budget::time(Duration::ZERO), Budget::new(None, None)] {
        assert_eq!(budget, Err(SearchError::EmptyBudget));
    }
    assert_eq!(Budget::new(Some(5), Some(Duration::ZERO)), Err(SearchError::EmptyBudget));
}

#[test]
fn settings_out_of_range_are_refused() {
    for c in [-0.1, f32::NAN, f32::INFINITY] {
        let config = SearchConfig { selection: Some(Selection::Ucb1 { c }), ..SearchConfig::uct() };
        assert!(matches!(Search::<Krk>::new(config, RulesOnly), Err(SearchError::Exploration(_))));
    }
    let config = SearchConfig { memory: 100_000, ..config(2) };
    assert!(matches!(Search::<Krk>::new(config, RulesOnly), Err(SearchError::TooLittleMemory { .. })));
}

#[test]
fn a_finished_game_is_refused() {
    let position: Krk = "k3/2K1/4/R3 w 3".parse().expect("a position");
    assert!(position.outcome().is_some());
    let mut search = Search::new(config(1), RulesOnly).expect("valid");
    assert_eq!(search.run(&position, Budget::iterations(9).expect("not 0")), Err(SearchError::GameOver));
}

#[test]
fn a_single_legal_move_is_answered_at_once() {
    let start = Instant::now();
    let position: Krk = "k3/4/4/2KR w 1".parse::<Krk>().expect("a position");
    let position = position.play(position.parse_move("Rd1-d3").expect("legal")).expect("legal");
    assert_eq!(position.move_count(), 1);
    let mut search = Search::new(config(2), RulesOnly).expect("valid");
    let report =
        search.run(&position, Budget::time(Duration::from_secs(600)).expect("not 0")).expect("a move");
    assert_eq!(report.best().mv.to_string(), "ka4-b4");
    assert!(report.best().visits > 0);
    assert!(start.elapsed() < Duration::from_secs(60), "a forced move took {:?}", start.elapsed());
}

#[test]
fn a_tree_that_has_used_up_its_memory_goes_on_in_the_nodes_it_has() {
    let memory = SearchConfig::LEAST_MEMORY_PER_TREE;
    let mut search = Search::new(SearchConfig { memory, ..config(1) }, RulesOnly).expect("valid");
    let report =
        search.run(&Pentago::<Spec>::initial(), Budget::iterations(50_000).expect("not 0")).expect("moves");
    assert!(report.memory_was_full);
    assert!(report.bytes <= memory as u64, "{} bytes", report.bytes);
    assert_eq!(report.iterations, 50_000);
    assert_eq!(report.candidates.iter().map(|candidate| candidate.visits).sum::<u64>(), 50_000);

    let roomy = Search::new(config(1), RulesOnly)
        .expect("valid")
        .run(&Pentago::<Spec>::initial(), Budget::iterations(50_000).expect("not 0"))
        .expect("moves");
    assert!(!roomy.memory_was_full);
}

#[test]
fn a_tree_that_is_kept_has_the_memory_that_the_next_search_needs() {
    struct SmallThenLarge;
    impl Visitor for SmallThenLarge {
        type Output = ();
        fn visit<G: Known>(self) {
            let techniques = Techniques::ALL.and_not(Techniques::NONE.with(Technique::Solve));
            let config = SearchConfig { techniques, ..SearchConfig::default() };
            let mut search = Search::<G, _>::new(config, G::Knowledge::default()).expect("valid");
            let [small, large] = [50, 20_000].map(|iterations| {
                let budget = Budget::iterations(iterations).expect("not 0");
                search.run(&G::initial(), budget).expect("moves")
            });
            assert!(!large.memory_was_full);
            let visits: u64 = large.candidates.iter().map(|candidate| candidate.visits).sum();
            assert_eq!(visits, small.iterations + large.iterations, "it was not kept");
        }
    }
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            game.visit(rules, SmallThenLarge);
        }
    }
}

#[test]
fn a_search_can_be_used_again_and_remembers_nothing() {
    let position = Gomoku::<Spec>::initial();
    let budget = Budget::iterations(2_000).expect("not 0");
    let mut search = Search::new(config(2), RulesOnly).expect("valid");
    let first = search.run(&position, budget).expect("moves");
    let elsewhere = position.play(position.parse_move("f6").expect("legal")).expect("legal");
    search.run(&elsewhere, Budget::iterations(5_000).expect("not 0")).expect("moves");
    let again = search.run(&position, budget).expect("moves");
    assert_eq!(first.visits_hash, again.visits_hash);
    assert_eq!(first.candidates, again.candidates);
}

/// A game whose rollouts take long: the clock must be read all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Slow(u8);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Step(u16);

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Game for Slow {
    type Move = Step;
    const ROLES: &'static [Role] = &[Role { name: "only", side: Side::First }];
    const MAX_BRANCHING: usize = 512;
    const MAX_PLIES: usize = 4;
    fn initial() -> Self {
        Self(0)
    }
    fn role_to_move(&self) -> usize {
        0
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.0 == 4).then_some(Outcome::Draw)
    }
    fn legal_moves(&self, moves: &mut MoveList<Step>) {
        moves.clear();
        moves.extend((0..if self.0 < 4 { 512 } else { 0 }).map(Step));
    }
    fn apply(&mut self, _: Step) {
        std::thread::sleep(Duration::from_micros(300));
        self.0 += 1;
    }
}

/// How far over its time budget a search went, at the best of three tries: a busy machine may add any amount
/// to one.
fn overrun<G: Game, K: Knowledge<G>>(
    position: &G,
    (config, knowledge): (SearchConfig, K),
    time: Duration,
) -> Duration {
    let mut search = Search::new(config, knowledge).expect("valid");
    (0..3)
        .map(|_| {
            let start = Instant::now();
            let report = search.run(position, Budget::time(time).expect("not 0")).expect("moves");
            assert!(report.best().visits > 0 || report.best().proven.is_some());
            start.elapsed().saturating_sub(time)
        })
        .min()
        .expect("three tries")
}

#[test]
fn the_time_budget_is_kept_whatever_an_iteration_takes() {
    let limit = Duration::from_millis(20);
    for trees in [1, 2, 5] {
        let plain = config(trees);
        let full = SearchConfig { trees: plain.trees, ..SearchConfig::default() };
        for config in [plain, full] {
            let over = overrun(&Slow::initial(), (config, RulesOnly), Duration::from_millis(30));
            assert!(over < limit, "slow rollouts, {trees} trees: {over:?} over");
        }
    }
}

struct Overrun(usize);

impl Visitor for Overrun {
    type Output = Duration;

    fn visit<G: Known>(self) -> Duration {
        let plain = config(self.0);
        let full = SearchConfig { trees: plain.trees, ..SearchConfig::default() };
        let time = Duration::from_millis(40);
        let over = overrun(&G::initial(), (plain, RulesOnly), time);
        over.max(overrun(&G::initial(), (full, G::Knowledge::default()), time))
    }
}

#[test]
fn the_time_budget_is_kept_in_every_game() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            for trees in [1, 3] {
                let over = game.visit(rules, Overrun(trees));
                assert!(over < Duration::from_millis(20), "{game} {rules}, {trees} trees: {over:?} over");
            }
        }
    }
}
