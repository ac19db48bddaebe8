//! Budgets of iterations, time and memory.

use std::num::NonZeroUsize;
use std::time::Duration;

use cpu_time::ThreadTime;

use quintet_core::game::Game;
use quintet_core::knowledge::Selection;
use quintet_core::search::{Budget, Report, Search, SearchConfig, SearchError, Technique, Techniques, Uct};
use quintet_games::HasKnowledge;
use quintet_games::{Gomoku, Krk, Pentago, Quarto, Spec};

use crate::catalog::{GameId, Rules, Visitor};

fn config(trees: usize) -> SearchConfig {
    SearchConfig { trees: NonZeroUsize::new(trees), ..SearchConfig::default() }
}

#[test]
fn the_iterations_are_done_exactly_and_every_one_is_counted_at_the_root() {
    for (trees, iterations) in [(1, 1), (1, 1_000), (3, 1_000), (7, 5), (4, 4_001)] {
        let mut search = Uct::<Quarto>::new(config(trees)).expect("valid");
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
        let config = SearchConfig { selection: Some(Selection::Ucb1 { c }), ..SearchConfig::default() };
        assert!(matches!(Uct::<Krk>::new(config), Err(SearchError::Exploration(_))));
    }
    let config = SearchConfig { memory: 100_000, ..config(2) };
    assert!(matches!(Uct::<Krk>::new(config), Err(SearchError::TooLittleMemory { .. })));
}

#[test]
fn a_finished_game_is_refused() {
    let position: Krk = "k3/2K1/4/R3 w 3".parse().expect("a position");
    assert!(position.outcome().is_some());
    let mut search = Uct::new(config(1)).expect("valid");
    assert_eq!(search.run(&position, Budget::iterations(9).expect("not 0")), Err(SearchError::GameOver));
}

#[test]
fn a_single_legal_move_is_answered_at_once() {
    let position: Krk = "k3/4/4/2KR w 1".parse::<Krk>().expect("a position");
    let position = position.play(position.parse_move("Rd1-d3").expect("legal")).expect("legal");
    assert_eq!(position.move_count(), 1);
    let mut search = Uct::new(config(2)).expect("valid");
    let report =
        search.run(&position, Budget::time(Duration::from_secs(600)).expect("not 0")).expect("a move");
    assert_eq!(report.best().mv.to_string(), "ka4-b4");
    assert!(report.best().visits > 0);
    // Ten minutes are enough for hundreds of millions of iterations.
    assert!(report.iterations <= 1_000, "{} iterations", report.iterations);
}

#[test]
fn a_tree_that_has_used_up_its_memory_goes_on_in_the_nodes_it_has() {
    let memory = SearchConfig::MIN_MEMORY_PER_TREE;
    let mut search = Uct::new(SearchConfig { memory, ..config(1) }).expect("valid");
    let report =
        search.run(&Pentago::<Spec>::initial(), Budget::iterations(50_000).expect("not 0")).expect("moves");
    assert!(report.memory_was_full);
    assert!(report.bytes <= memory as u64, "{} bytes", report.bytes);
    assert_eq!(report.iterations, 50_000);
    assert_eq!(report.candidates.iter().map(|candidate| candidate.visits).sum::<u64>(), 50_000);

    let roomy = Uct::new(config(1))
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
        fn visit<G: HasKnowledge>(self) {
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
    let mut search = Uct::new(config(2)).expect("valid");
    let first = search.run(&position, budget).expect("moves");
    let elsewhere = position.play(position.parse_move("f6").expect("legal")).expect("legal");
    search.run(&elsewhere, Budget::iterations(5_000).expect("not 0")).expect("moves");
    let again = search.run(&position, budget).expect("moves");
    assert_eq!(first.visits_hash, again.visits_hash);
    assert_eq!(first.candidates, again.candidates);
}

/// The CPU time of this thread beyond the budget of a single-tree search. Unlike wall-clock time,
/// it does not grow when the machine is busy.
fn overrun<G: Game>(time: Duration, think: impl FnOnce(&G, Budget) -> Report<G::Move>) -> Duration {
    let start = ThreadTime::now();
    let report = think(&G::initial(), Budget::time(time).expect("not 0"));
    assert!(report.best().visits > 0 || report.best().proven.is_some());
    start.elapsed().saturating_sub(time)
}

struct Overrun;

impl Visitor for Overrun {
    type Output = Duration;

    fn visit<G: HasKnowledge>(self) -> Duration {
        let time = Duration::from_millis(40);
        // Building the tables is not part of a search.
        let knowledge = G::Knowledge::default();
        let mut uct = Uct::<G>::new(config(1)).expect("valid");
        let mut search = Search::<G, _>::new(config(1), knowledge).expect("valid");
        let little = Budget::iterations(10).expect("not 0");
        search.run(&G::initial(), little).expect("moves");
        let over = overrun(time, |position: &G, budget| uct.run(position, budget).expect("moves"));
        over.max(overrun(time, |position: &G, budget| search.run(position, budget).expect("moves")))
    }
}

#[test]
fn the_time_budget_is_kept_in_every_game() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            let over = game.visit(rules, Overrun);
            assert!(over < Duration::from_millis(20), "{game} {rules}: {over:?} over");
        }
    }
}
