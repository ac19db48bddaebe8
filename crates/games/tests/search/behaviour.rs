//! What a search finds, and that it is reproducible.

use std::num::NonZeroUsize;

use quintet_core::game::{Outcome, Rng, Side};
use quintet_core::search::{Report, SearchConfig, Technique, Techniques, Uct};
use quintet_core::session::EngineConfig;
use quintet_games::HasKnowledge;

use crate::catalog::{GameId, Rules, Visitor};
use crate::player::{self, Player};

/// A game that plain UCT plays.
fn uct(game: GameId, rules: Rules, trees: usize, seed: u64) -> Player {
    let config = SearchConfig { trees: NonZeroUsize::new(trees), seed, ..SearchConfig::default() };
    Player::new(game, rules, &EngineConfig::Uct(config))
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}

/// Searches two positions, with knowledge and without, on pools of one, two and three worker threads.
/// Returns the hashes of the visits.
fn search_on_pools(game: GameId, rules: Rules, trees: usize, seed: u64) -> Vec<u64> {
    let start = player::start(game, rules);
    let plies = start.variant().max_plies / 4;
    let middle = player::random_position(game, rules, plies, &mut Rng::stream(3, 0));
    let config = SearchConfig { trees: NonZeroUsize::new(trees), seed, ..SearchConfig::default() };
    let engines = [(EngineConfig::Quintet(config.clone()), 1_001), (EngineConfig::Uct(config), 3_000)];
    let positions = [start.position(), middle];
    let search = || -> Vec<Report<String>> {
        let reports = positions.iter().flat_map(|position| {
            engines.each_ref().map(|(engine, iterations)| {
                Player::new(game, rules, engine).at(position).iterate(*iterations).without_times()
            })
        });
        reports.collect()
    };
    let reports = [1, 2, 3].map(|threads| on_threads(threads, search));
    assert_eq!(reports[0], reports[1]);
    assert_eq!(reports[0], reports[2]);
    reports[0].iter().map(|report| report.visits_hash).collect()
}

#[test]
fn the_number_of_worker_threads_changes_nothing() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            for trees in [1, 2, 5] {
                search_on_pools(game, rules, trees, 7);
            }
        }
    }
}

/// Searches a position in batches, and then one after it with the same trees.
fn search_in_batches(game: GameId, rules: Rules) {
    let plies = player::start(game, rules).variant().max_plies / 5;
    let middle = player::random_position(game, rules, plies, &mut Rng::stream(5, 0));
    let search = |threads: usize, memory: usize| {
        let techniques = Techniques::ALL.and_not(Techniques::NONE.with(Technique::Solve));
        let config = SearchConfig { techniques, memory, early_stop: false, ..SearchConfig::default() };
        let mut player = Player::new(game, rules, &EngineConfig::Quintet(config)).at(&middle);
        on_threads(threads, || {
            let first = player.iterate(24_000).without_times();
            player.play(&first.best().mv);
            let goes_on = player.session.outcome().is_none();
            let second = goes_on.then(|| player.iterate(3_000).without_times());
            (first, second)
        })
    };
    for (memory, threads) in [(SearchConfig::DEFAULT_MEMORY, 5), (1 << 20, 2)] {
        assert_eq!(search(threads, memory), search(1, memory));
    }
}

#[test]
fn a_search_in_batches_is_the_same_on_any_number_of_threads() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            search_in_batches(game, rules);
        }
    }
}

/// The report of a search of the position, whose `proven` and whose first move must be worth the same.
fn report_on(
    game: GameId,
    rules: Rules,
    position: &str,
    trees: usize,
    seed: u64,
    iterations: u64,
) -> (Report<String>, Vec<String>) {
    let trees = NonZeroUsize::new(trees);
    let techniques = Techniques::ALL.and_not(Techniques::NONE.with(Technique::Solve));
    let config = SearchConfig { trees, seed, techniques, ..SearchConfig::default() };
    let mut player = Player::new(game, rules, &EngineConfig::Quintet(config)).at(position);
    let report = player.iterate(iterations);
    assert!(report.proven.is_none() || report.proven == report.best().proven, "{report:?}");
    (report, player.explain())
}

#[test]
fn a_move_that_keeps_a_proven_draw_is_played_however_promising_another_one_is() {
    let position = "bbrbbb/brrbbb/r1brbr/rrrbrr/rr2r1/bbrbrb r rotate";
    let (report, _) = report_on(GameId::Pentago, Rules::Spec, position, 2, 844_077_957, 50);
    assert_eq!(report.proven, Some(Outcome::Draw));
    let unproven = &report.candidates[1];
    assert!(unproven.proven.is_none() && unproven.value > report.best().value, "{report:?}");
    let (report, _) =
        report_on(GameId::Quarto, Rules::Ggp, "..2b/6.d9/...e/c7a0 - w", 1, 475_593_671_097, 300);
    assert_eq!(report.proven, Some(Outcome::Draw));
    assert_ne!(report.best().mv, "0001");
}

#[test]
fn before_a_draw_is_played_the_moves_that_were_not_tried_are_asked_whether_they_win() {
    let position = "brbrbr/rrbrrb/rb1bb1/rrbbrb/brrrbr/brbrbb b rotate";
    let (report, why) = report_on(GameId::Pentago, Rules::Spec, position, 1, 1, 10);
    assert_eq!(report.proven, Some(Outcome::Win(Side::Second)));
    assert_eq!((report.best().visits, report.best().mv.as_str()), (0, "2cw"), "{report:?}");
    assert!(why.iter().all(|it| it != "not tried: the best move is proven" || report.proven.is_some()));
}

#[test]
fn another_seed_gives_other_visits() {
    for &game in GameId::ALL {
        let [a, b] = [1, u64::MAX].map(|seed| search_on_pools(game, Rules::Spec, 2, seed));
        assert_ne!(a, b, "{game}");
    }
}

#[test]
fn every_node_takes_sixteen_bytes() {
    struct NodeBytes;
    impl Visitor for NodeBytes {
        type Output = usize;
        fn visit<G: HasKnowledge>(self) -> usize {
            Uct::<G>::NODE_BYTES
        }
    }
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            assert_eq!(game.visit(rules, NodeBytes), 16, "{game} {rules}");
        }
    }
}

#[test]
fn a_win_in_one_is_found_and_known_for_certain() {
    // The three pieces on rank 1 and the piece in hand share the first bit.
    let mut player = uct(GameId::Quarto, Rules::Spec, 2, 0).at("..../..../..../89a. c b");
    let best = player.iterate(5_000).best().clone();
    assert_eq!(best.mv, "d1");
    assert_eq!(best.proven, Some(Outcome::Win(Side::Second)));
    assert_eq!(best.value, Some(100.0));
}

#[test]
fn no_winning_piece_is_handed_over() {
    // Under ggp black places the piece that white selects. Only pieces 0 to 7 lack the first bit.
    let report = uct(GameId::Quarto, Rules::Ggp, 1, 0).at("..../..../..7./89a. - w").iterate(30_000);
    let piece = u8::from_str_radix(&report.best().mv, 2).expect("a piece");
    assert!(piece < 8, "handed over {piece:04b}");
}

/// The value for the player to move after a set-up that the engine plays against itself.
fn value_after_set_up(rules: Rules, seed: u64) -> f64 {
    let engine = EngineConfig::Quintet(SearchConfig { seed, ..SearchConfig::default() });
    let mut position = player::start(GameId::Gomoku, rules).position();
    let mut is_set_up = false;
    loop {
        let mut player = Player::new(GameId::Gomoku, rules, &engine).at(&position);
        let best = player.iterate(4_000).best().clone();
        if is_set_up {
            return best.value.expect("a value");
        }
        player.play(&best.mv);
        position = player.session.position();
        is_set_up = ["black", "white"].contains(&best.mv.as_str());
    }
}

#[test]
fn a_set_up_of_gomoku_is_fair() {
    for seed in 0..5 {
        let values = Rules::ALL.map(|rules| value_after_set_up(rules, seed));
        assert!(values.iter().all(|value| (30.0..=70.0).contains(value)), "{seed}: {values:?}");
    }
}

#[test]
fn a_team_finishes_its_line_by_three_choices_of_its_own() {
    // X has three in the first column of level 1; r4, c1, l1 completes it, in three plies of the
    // same side.
    let position = "x3/xo2/xo2/4|4/4/4/4|o3/4/4/4|4/4/4/4 x -";
    let mut player = uct(GameId::Qubic, Rules::Spec, 1, 0).at(position);
    for wanted in ["r4", "c1", "l1"] {
        let report = player.iterate(20_000);
        assert_eq!(report.best().mv, wanted);
        player.play(wanted);
    }
    assert_eq!(player.session.outcome(), Some(Outcome::Win(Side::First)));
}

#[test]
fn the_principal_variation_is_a_legal_line_that_starts_with_the_best_move() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            let mut player = uct(game, rules, 3, 5);
            let report = player.iterate(4_000);
            assert_eq!(report.principal_variation[0], report.best().mv);
            for mv in &report.principal_variation {
                player.play(mv);
            }
        }
    }
}

#[test]
fn more_search_plays_better() {
    // In the middle of this game one move wins for certain: the search must see it with many
    // iterations.
    let moves = "b3 2ccw a4 4cw d1 2cw b5 4ccw f6 4cw d6 1cw f3 3cw e6 4cw b4 4cw f2 4cw d1 3cw b2 2ccw c6 4cw a3 4ccw d4 \
                 1cw f3 3ccw b3 4ccw e5 4cw a6 1ccw c3 4cw b1 4cw a3 1ccw e2 3cw e4 1ccw a5 1ccw d5 4cw e4 4cw f6 4cw";
    let mut player = uct(GameId::Pentago, Rules::Ggp, 1, 0);
    moves.split_whitespace().for_each(|token| player.play(token));
    assert_eq!(player.iterate(100_000).best().mv, "c4");
}

#[test]
fn the_tree_is_kept_where_a_position_follows_from_the_last() {
    let visits_after = |techniques: Techniques| {
        let config = SearchConfig { techniques, early_stop: false, ..SearchConfig::default() };
        let mut player = Player::new(GameId::Pentago, Rules::Ggp, &EngineConfig::Quintet(config));
        let line = player.iterate(20_000).principal_variation;
        line[..2].iter().for_each(|mv| player.play(mv));
        let report = player.iterate(100);
        assert_eq!(report.iterations, 100);
        report.candidates.iter().map(|candidate| candidate.visits).sum::<u64>()
    };
    let kept = visits_after(Techniques::ALL);
    assert!(kept > 200, "{kept} visits");
    let anew = visits_after(Techniques::ALL.and_not(Techniques::NONE.with(Technique::Reuse)));
    assert!(anew <= 100, "{anew} visits");
}
