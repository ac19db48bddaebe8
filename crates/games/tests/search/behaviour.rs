//! What a search finds, and that it is reproducible.

use std::num::NonZeroUsize;

use quintet_core::game::{Game, Outcome, Rng, Side};
use quintet_core::knowledge::RulesOnly;
use quintet_core::search::{Budget, Report, Search, SearchConfig, Technique, Techniques, Uct};
use quintet_games::HasKnowledge;
use quintet_games::gomoku::Move;
use quintet_games::{Ggp, Gomoku, Pentago, Quarto, Qubic, Ruleset, Spec};

use crate::catalog::{GameId, Rules, Visitor};

fn search<G: Game>(position: &G, trees: usize, seed: u64, iterations: u64) -> Report<G::Move> {
    let config = SearchConfig { trees: NonZeroUsize::new(trees), seed, ..SearchConfig::default() };
    let mut search = Uct::new(config).expect("valid");
    search.run(position, Budget::iterations(iterations).expect("not 0")).expect("there are moves")
}

/// Searches two positions, with knowledge and without, on pools of one, two and three worker threads.
struct OnPools {
    trees: usize,
    seed: u64,
}

impl OnPools {
    fn search<G: HasKnowledge>(&self) -> Vec<Report<G::Move>> {
        let mut rng = Rng::stream(3, 0);
        let mut middle = G::initial();
        let mut next = middle;
        for _ in 0..G::MAX_PLIES / 4 {
            next.apply(next.random_move(&mut rng));
            if next.outcome().is_some() {
                break;
            }
            middle = next;
        }
        let trees = NonZeroUsize::new(self.trees);
        let reports = [G::initial(), middle].into_iter().flat_map(|position| {
            let config = SearchConfig { trees, seed: self.seed, ..SearchConfig::default() };
            let mut search = Search::new(config, G::Knowledge::default()).expect("valid");
            let budget = Budget::iterations(1_001).expect("not 0");
            let known = search.run(&position, budget).expect("there are moves");
            [known, self::search(&position, self.trees, self.seed, 3_000)]
        });
        reports.map(Report::without_times).collect()
    }
}

impl Visitor for OnPools {
    type Output = Vec<u64>;

    fn visit<G: HasKnowledge>(self) -> Vec<u64> {
        let reports = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| self.search::<G>())
        });
        assert_eq!(reports[0], reports[1]);
        assert_eq!(reports[0], reports[2]);
        reports[0].iter().map(|report| report.visits_hash).collect()
    }
}

#[test]
fn the_number_of_worker_threads_changes_nothing() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            for trees in [1, 2, 5] {
                game.visit(rules, OnPools { trees, seed: 7 });
            }
        }
    }
}

/// Searches a position in batches, and then one after it with the same trees.
struct InBatches;

impl Visitor for InBatches {
    type Output = ();

    fn visit<G: HasKnowledge>(self) {
        let mut rng = Rng::stream(5, 0);
        let mut middle = G::initial();
        for _ in 0..G::MAX_PLIES / 5 {
            let next = middle.after(middle.random_move(&mut rng));
            if next.outcome().is_some() {
                break;
            }
            middle = next;
        }
        let search = |threads: usize, memory: usize| {
            let techniques = Techniques::ALL.and_not(Techniques::NONE.with(Technique::Solve));
            let config = SearchConfig { techniques, memory, early_stop: false, ..SearchConfig::default() };
            let mut search = Search::new(config, G::Knowledge::default()).expect("valid");
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                let mut run = |position: &G, iterations| {
                    let report = search.run(position, Budget::iterations(iterations).expect("not 0"));
                    report.expect("there are moves").without_times()
                };
                let first = run(&middle, 24_000);
                let next = middle.after(first.best().mv);
                let second = next.outcome().is_none().then(|| run(&next, 3_000));
                (first, second)
            })
        };
        for (memory, threads) in [(SearchConfig::DEFAULT_MEMORY, 5), (1 << 20, 2)] {
            assert_eq!(search(threads, memory), search(1, memory));
        }
    }
}

#[test]
fn a_search_in_batches_is_the_same_on_any_number_of_threads() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            game.visit(rules, InBatches);
        }
    }
}

/// The report of a search of the position, whose `proven` and whose first move must be worth the same.
fn report_on<G: HasKnowledge>(
    position: &str,
    trees: usize,
    seed: u64,
    iterations: u64,
) -> (Report<G::Move>, Vec<String>) {
    let position: G = position.parse().expect("a position");
    let trees = NonZeroUsize::new(trees);
    let techniques = Techniques::ALL.and_not(Techniques::NONE.with(Technique::Solve));
    let config = SearchConfig { trees, seed, techniques, ..SearchConfig::default() };
    let mut search = Search::new(config, G::Knowledge::default()).expect("valid");
    let report = search.run(&position, Budget::iterations(iterations).expect("not 0")).expect("a report");
    let why = search.explain(&position, &report);
    assert!(report.proven.is_none() || report.proven == report.best().proven, "{report:?}");
    (report, why)
}

#[test]
fn a_move_that_keeps_a_proven_draw_is_played_however_promising_another_one_is() {
    let position = "bbrbbb/brrbbb/r1brbr/rrrbrr/rr2r1/bbrbrb r rotate";
    let (report, _) = report_on::<Pentago<Spec>>(position, 2, 844_077_957, 50);
    assert_eq!(report.proven, Some(Outcome::Draw));
    let unproven = &report.candidates[1];
    assert!(unproven.proven.is_none() && unproven.value > report.best().value, "{report:?}");
    let (report, _) = report_on::<Quarto<Ggp>>("..2b/6.d9/...e/c7a0 - w", 1, 475_593_671_097, 300);
    assert_eq!(report.proven, Some(Outcome::Draw));
    assert_ne!(report.best().mv.to_string(), "0001");
}

#[test]
fn before_a_draw_is_played_the_moves_that_were_not_tried_are_asked_whether_they_win() {
    let position = "brbrbr/rrbrrb/rb1bb1/rrbbrb/brrrbr/brbrbb b rotate";
    let (report, why) = report_on::<Pentago<Spec>>(position, 1, 1, 10);
    assert_eq!(report.proven, Some(Outcome::Win(Side::Second)));
    assert_eq!((report.best().visits, report.best().mv.to_string().as_str()), (0, "2cw"), "{report:?}");
    assert!(why.iter().all(|it| it != "not tried: the best move is proven" || report.proven.is_some()));
}

#[test]
fn another_seed_gives_other_visits() {
    for &game in GameId::ALL {
        let [a, b] = [1, u64::MAX].map(|seed| game.visit(Rules::Spec, OnPools { trees: 2, seed }));
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
    let position: Quarto<Spec> = "..../..../..../89a. c b".parse().expect("a position");
    let best = search(&position, 2, 0, 5_000).best().clone();
    assert_eq!(best.mv.to_string(), "d1");
    assert_eq!(best.proven, Some(Outcome::Win(Side::Second)));
    assert_eq!(best.value, Some(100.0));
}

#[test]
fn no_winning_piece_is_handed_over() {
    // Under ggp black places the piece that white selects. Only pieces 0 to 7 lack the first bit.
    let position: Quarto<Ggp> = "..../..../..7./89a. - w".parse().expect("a position");
    let report = search(&position, 1, 0, 30_000);
    let piece = u8::from_str_radix(&report.best().mv.to_string(), 2).expect("a piece");
    assert!(piece < 8, "handed over {piece:04b}");
}

/// The value for the player to move after a set-up that the engine plays against itself.
fn value_after_set_up<R: Ruleset>(seed: u64) -> f64 {
    let mut position = Gomoku::<R>::initial();
    let mut is_set_up = false;
    loop {
        let config = SearchConfig { seed, ..SearchConfig::default() };
        let mut search =
            Search::new(config, <Gomoku<R> as HasKnowledge>::Knowledge::default()).expect("valid");
        let report =
            search.run(&position, Budget::iterations(4_000).expect("not 0")).expect("there are moves");
        let best = report.best();
        if is_set_up {
            return best.value.expect("a value");
        }
        position.apply(best.mv);
        is_set_up = [Move::PICK_BLACK, Move::PICK_WHITE].contains(&best.mv);
    }
}

#[test]
fn a_set_up_of_gomoku_is_fair() {
    for seed in 0..5 {
        let values = [value_after_set_up::<Spec>(seed), value_after_set_up::<Ggp>(seed)];
        assert!(values.iter().all(|value| (30.0..=70.0).contains(value)), "{seed}: {values:?}");
    }
}

#[test]
fn a_team_finishes_its_line_by_three_choices_of_its_own() {
    // X has three in the first column of level 1; r4, c1, l1 completes it, in three plies of the
    // same side.
    let mut position: Qubic<Spec> = "x3/xo2/xo2/4|4/4/4/4|o3/4/4/4|4/4/4/4 x -".parse().expect("a position");
    for wanted in ["r4", "c1", "l1"] {
        let report = search(&position, 1, 0, 20_000);
        assert_eq!(report.best().mv.to_string(), wanted);
        position.apply(report.best().mv);
    }
    assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)));
}

#[test]
fn the_principal_variation_is_a_legal_line_that_starts_with_the_best_move() {
    struct Line;
    impl Visitor for Line {
        type Output = ();
        fn visit<G: HasKnowledge>(self) {
            let mut position = G::initial();
            let report = search(&position, 3, 5, 4_000);
            assert_eq!(report.principal_variation[0], report.best().mv);
            for mv in report.principal_variation {
                position = position.play(mv).expect("legal");
            }
        }
    }
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            game.visit(rules, Line);
        }
    }
}

#[test]
fn more_search_plays_better() {
    // In the middle of this game one move wins for certain: the search must see it with many
    // iterations.
    let moves = "b3 2ccw a4 4cw d1 2cw b5 4ccw f6 4cw d6 1cw f3 3cw e6 4cw b4 4cw f2 4cw d1 3cw b2 2ccw c6 4cw a3 4ccw d4 \
                 1cw f3 3ccw b3 4ccw e5 4cw a6 1ccw c3 4cw b1 4cw a3 1ccw e2 3cw e4 1ccw a5 1ccw d5 4cw e4 4cw f6 4cw";
    let mut position = Pentago::<Ggp>::initial();
    for token in moves.split_whitespace() {
        position.apply(position.parse_move(token).expect("legal"));
    }
    assert_eq!(search(&position, 1, 0, 100_000).best().mv.to_string(), "c4");
}

#[test]
fn the_tree_is_kept_where_a_position_follows_from_the_last() {
    let visits_after = |techniques: Techniques| {
        let config = SearchConfig { techniques, ..SearchConfig::default() };
        let mut search = Search::<Pentago<Ggp>>::new(config, RulesOnly).expect("valid");
        let mut position = Pentago::initial();
        let run = |search: &mut Search<Pentago<Ggp>>, position: &_, iterations| {
            search.run(position, Budget::iterations(iterations).expect("not 0")).expect("there are moves")
        };
        let line = run(&mut search, &position, 20_000).principal_variation;
        line[..2].iter().for_each(|mv| position.apply(*mv));
        let report = run(&mut search, &position, 100);
        assert_eq!(report.iterations, 100);
        report.candidates.iter().map(|candidate| candidate.visits).sum::<u64>()
    };
    let kept = visits_after(Techniques::ALL);
    assert!(kept > 200, "{kept} visits");
    let anew = visits_after(Techniques::ALL.and_not(Techniques::NONE.with(Technique::Reuse)));
    assert!(anew <= 100, "{anew} visits");
}
