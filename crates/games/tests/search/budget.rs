//! Budgets of iterations, time and memory.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cpu_time::ThreadTime;

use quintet_core::knowledge::Selection;
use quintet_core::search::{Budget, SearchConfig, SearchError, Technique, Techniques, Uct};
use quintet_core::session::EngineConfig;
use quintet_games::{Krk, Spec};

use crate::catalog::{GameId, Rules};
use crate::player::Player;

fn config(trees: usize) -> SearchConfig {
    SearchConfig { trees: NonZeroUsize::new(trees), ..SearchConfig::default() }
}

/// A game that plain UCT plays by the first ruleset.
fn uct(game: GameId, config: SearchConfig) -> Player {
    Player::new(game, Rules::Spec, &EngineConfig::Uct(config))
}

#[test]
fn the_iterations_are_done_exactly_and_every_one_is_counted_at_the_root() {
    for (trees, iterations) in [(1, 1), (1, 1_000), (3, 1_000), (7, 5), (4, 4_001)] {
        let report = uct(GameId::Quarto, config(trees)).iterate(iterations);
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
        assert!(matches!(Uct::<Krk<Spec>>::new(config), Err(SearchError::Exploration(_))));
    }
    let config = SearchConfig { memory: 100_000, ..config(2) };
    assert!(matches!(Uct::<Krk<Spec>>::new(config), Err(SearchError::TooLittleMemory { .. })));
}

#[test]
fn a_finished_game_is_refused() {
    let mut player = uct(GameId::Krk, config(1)).at("k3/2K1/4/R3 w 3");
    assert!(player.session.outcome().is_some());
    let report = player.session.think(0, Budget::endless(), 0, &AtomicBool::new(false));
    assert_eq!(report, Err(SearchError::GameOver));
}

#[test]
fn a_single_legal_move_is_answered_at_once() {
    let mut player = uct(GameId::Krk, config(2)).at("k3/4/4/2KR w 1");
    player.play("Rd1-d3");
    assert_eq!(player.session.legal_moves().len(), 1);
    let report = player.think(Budget::time(Duration::from_secs(600)).expect("not 0"));
    assert_eq!(report.best().mv, "ka4-b4");
    assert!(report.best().visits > 0);
    // Ten minutes are enough for hundreds of millions of iterations.
    assert!(report.iterations <= 1_000, "{} iterations", report.iterations);
}

#[test]
fn a_tree_that_has_used_up_its_memory_goes_on_in_the_nodes_it_has() {
    let memory = SearchConfig::MIN_MEMORY_PER_TREE;
    let report = uct(GameId::Pentago, SearchConfig { memory, ..config(1) }).iterate(50_000);
    assert!(report.memory_was_full);
    assert!(report.bytes <= memory as u64, "{} bytes", report.bytes);
    assert_eq!(report.iterations, 50_000);
    assert_eq!(report.candidates.iter().map(|candidate| candidate.visits).sum::<u64>(), 50_000);

    let roomy = uct(GameId::Pentago, config(1)).iterate(50_000);
    assert!(!roomy.memory_was_full);
}

#[test]
fn a_tree_that_is_kept_has_the_memory_that_the_next_search_needs() {
    let techniques = Techniques::ALL.and_not(Techniques::NONE.with(Technique::Solve));
    let engine = EngineConfig::Quintet(SearchConfig { techniques, ..SearchConfig::default() });
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            let mut player = Player::new(game, rules, &engine);
            let [small, large] = [50, 20_000].map(|iterations| player.iterate(iterations));
            assert!(!large.memory_was_full);
            let visits: u64 = large.candidates.iter().map(|candidate| candidate.visits).sum();
            assert_eq!(visits, small.iterations + large.iterations, "it was not kept");
        }
    }
}

#[test]
fn a_search_can_be_used_again_and_remembers_nothing() {
    let mut player = uct(GameId::Gomoku, config(2));
    let first = player.iterate(2_000);
    player.play("f6");
    player.iterate(5_000);
    assert!(player.session.take_back());
    let again = player.iterate(2_000);
    assert_eq!(first.visits_hash, again.visits_hash);
    assert_eq!(first.candidates, again.candidates);
}

/// The CPU time of this thread beyond the budget of a single-tree search. Unlike wall-clock time,
/// it does not grow when the machine is busy.
fn overrun(time: Duration, player: &mut Player) -> Duration {
    let start = ThreadTime::now();
    let report = player.think(Budget::time(time).expect("not 0"));
    assert!(report.best().visits > 0 || report.best().proven.is_some());
    start.elapsed().saturating_sub(time)
}

#[test]
fn the_time_budget_is_kept_in_every_game() {
    let time = Duration::from_millis(40);
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            let engines = [EngineConfig::Uct(config(1)), EngineConfig::Quintet(config(1))];
            let [mut uct, mut quintet] = engines.map(|engine| Player::new(game, rules, &engine));
            // Building the tables is not part of a search.
            quintet.iterate(10);
            let over = overrun(time, &mut uct).max(overrun(time, &mut quintet));
            assert!(over < Duration::from_millis(20), "{game} {rules}: {over:?} over");
        }
    }
}
