//! The rulesheets of the repository: compiled games against the rules followed to the letter, and what is known of them.

use std::fs;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use quintet_core::check::CheckOptions;
use quintet_core::game::{Game, Outcome, Rng, Rules, Side};
use quintet_core::knowledge::Knowledge as _;
use quintet_core::registry::Variant;
use quintet_core::search::{Budget, SearchConfig};
use quintet_core::session::EngineConfig;
use quintet_gdl::reference::Reference;
use quintet_gdl::{Compiled, LaneRollouts, Limits, Position, compare, variant};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "rulesheets"].iter().collect()
}

fn text_of(name: &str) -> String {
    fs::read_to_string(folder().join(format!("{name}.kif"))).expect("the rulesheet is there")
}

fn compiled(name: &str) -> Compiled {
    Compiled::new(&text_of(name), Limits::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn game(name: &str) -> Variant {
    variant(name.to_owned(), compiled(name))
}

fn of_text(text: &str) -> Variant {
    variant("game".to_owned(), Compiled::new(text, Limits::default()).expect("it is right"))
}

fn all() -> Vec<String> {
    let files = fs::read_dir(folder()).expect("the folder is there").map(|it| it.expect("readable").path());
    let mut names: Vec<String> = files
        .filter(|it| it.extension().is_some_and(|it| it == "kif"))
        .map(|it| it.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 24, "{names:?}");
    names
}

/// Whether a game is long and wide. All of these but reversi are also compared with games written by hand, in
/// `five_games.rs`.
fn is_large(name: &str) -> bool {
    name == "reversi" || name.ends_with("-spec") || name.ends_with("-ggp")
}

#[test]
fn compiled_games_follow_the_rules_to_the_letter() {
    for name in all() {
        let steps = if is_large(&name) { 50 } else { 200 };
        let compared = compare::compare(&text_of(&name), &compiled(&name), steps, Duration::from_secs(60), 1);
        assert_eq!(compared, Ok(steps), "{name}");
    }
}

#[test]
fn games_keep_the_promises_of_games() {
    all().par_iter().filter(|it| !is_large(it)).for_each(|name| {
        let report = game(name).check(CheckOptions { games: 3, seed: 1 }, &AtomicBool::new(false));
        assert_eq!(report.faults, [], "{name}");
    });
}

#[test]
fn the_game_that_the_page_writes_is_right() {
    let page = fs::read_to_string(folder().join("../docs/gdl.md")).expect("the page is there");
    let parts = page.split("```lisp\n").skip(1).filter_map(|it| it.split("```").next());
    let text = parts.collect::<Vec<_>>().concat();
    let compiled = Compiled::new(&text, Limits::default()).expect("it compiles");
    assert_eq!(compare::compare(&text, &compiled, 100, Duration::from_secs(20), 1), Ok(100));
    let game = variant("nim".to_owned(), compiled);
    assert!(!game.kind.may_repeat() && !game.kind.has_simultaneous_moves() && game.max_plies == 7);
    let mut session = game.set_up(None, ["take-2", "take-2"]).expect("legal");
    session.add_engine(&EngineConfig::Quintet(SearchConfig::default())).expect("valid");
    let budget = Budget::iterations(500).expect("not 0");
    let report = session.think(0, budget, 1, &AtomicBool::new(false)).expect("a report");
    // Whoever faces three sticks loses.
    assert_eq!(report.candidates[0].proven.map(|it| it.score(Side::First)), Some(0));
}

/// The number of sequences of so many moves.
fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    position.move_list().iter().map(|&mv| perft(&position.after(mv), depth - 1)).sum()
}

#[test]
fn move_sequences_are_as_many_as_elsewhere() {
    // Breakthrough and Connect Four as `examples/own-games` has them, tic-tac-toe by hand.
    for (name, depth, expected) in [
        ("tic-tac-toe", 5, 15_120),
        ("tic-tac-toe", 6, 54_720),
        ("connect-four", 5, 16_807),
        ("breakthrough", 3, 4_308),
    ] {
        let rules = Rules::new(compiled(name));
        assert_eq!(perft(&Position::start(&rules), depth), expected, "{name} {depth}");
    }
}

#[test]
fn what_can_be_proven_of_a_game_is() {
    for (name, roles, is_in_turn, never_repeats, plies) in [
        ("tic-tac-toe", "x o", true, true, 30),
        ("connect-four", "yellow red", true, true, 130),
        ("hex", "red blue", true, true, 60),
        ("peg", "player", true, true, 20),
        ("breakthrough", "white black", true, false, 2_000),
        ("three-heaps", "anna bert cleo", true, true, 11),
        ("three-rounds", "left right", false, true, 6),
        ("dice-race", "walker runner", true, false, 2_000),
        ("reversi", "black white", true, true, 129),
        ("domineering", "upright across", true, true, 36),
        ("knights-tour", "rider", true, true, 25),
        ("eight-puzzle", "player", true, true, 24),
        ("goofspiel", "left right", false, true, 51),
        ("pursuit", "cat mouse", false, true, 40),
        ("quarto-spec", "white black", true, true, 200),
        ("quarto-ggp", "white black", true, true, 200),
        ("qubic-spec", "xrow xcolumn xlevel orow ocolumn olevel", true, true, 192),
        ("qubic-ggp", "xrow xcolumn xlevel orow ocolumn olevel", true, true, 192),
        ("gomoku-spec", "player1 player2", true, true, 300),
        ("gomoku-ggp", "player1 player2", true, true, 300),
        ("pentago-spec", "red black", true, true, 70),
        ("pentago-ggp", "red black", true, true, 71),
        ("krk-spec", "white black", true, true, 10),
        ("krk-ggp", "white black", true, true, 9),
    ] {
        let game = game(name);
        let names: Vec<&str> = game.roles.iter().map(|role| &*role.name).collect();
        assert_eq!(names.join(" "), roles);
        assert_eq!(
            (game.kind.has_simultaneous_moves(), game.kind.may_repeat()),
            (!is_in_turn, !never_repeats),
            "{name}"
        );
        assert!(game.max_plies <= plies, "{name}: {}", game.max_plies);
    }
    assert!(game("dice-race").kind.has_chance() && game("three-heaps").kind.has_several_sides());
    assert!(game("peg").kind.has_one_player() && game("three-rounds").is_for_two_sides());
}

#[test]
fn a_role_waits_also_for_one_that_never_has_a_choice() {
    let text = "(role a) (role b) (init (n 0)) (init (control a)) (other a b) (other b a)
        (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
        (<= (legal ?p go) (true (control ?p))) (<= (legal ?p jump) (true (control ?p)) (true (n 2)))
        (<= (legal ?p wait) (other ?p ?q) (true (control ?q)))
        (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y)) (<= (next (bonus)) (does a jump))
        (<= (next (bonus)) (true (bonus))) (<= (next (control ?p)) (true (control ?q)) (other ?p ?q))
        (<= terminal (true (n 4))) (<= (goal a 100) (true (bonus))) (<= (goal b 0) (true (bonus)))
        (<= (goal a 0) (not (true (bonus)))) (<= (goal b 100) (not (true (bonus))))";
    let game = of_text(text);
    assert!(!game.kind.has_simultaneous_moves() && !game.kind.may_repeat());
    // The second move is that of b, which has no other one, and not that of a, which waits.
    let session = game.set_up(None, ["go", "go", "jump", "go"]).expect("legal");
    assert_eq!(session.outcome(), Some(Outcome::Win(Side::First)));
}

#[test]
fn a_clock_that_goes_with_other_facts_proves_the_end() {
    // (hurry) is false at the start alone, and (then) true after the first step alone.
    let text = "(role a) (init (clock 0)) (succ 0 1) (succ 1 2) (init (then x))
        (<= (next (hurry)) (role a)) (<= (next (after)) (true (clock 0)))
        (<= (next (clock ?n)) (true (clock ?m)) (succ ?m ?n)) (<= terminal (true (clock 2)))
        (legal a pass) (<= (goal a 100) (true (hurry)) (not (true (after))))";
    let game = of_text(text);
    assert!(!game.kind.may_repeat());
    assert_eq!(game.max_plies, 2);
}

#[test]
fn a_move_is_read_as_it_is_shown() {
    let text = "(role a) (role b) (init (s 0)) (legal a (m 1 2)) (legal a m-1-2) (legal b wait)
        (<= (next (did ?m)) (does a ?m)) (<= (next (s 1)) (true (s 0))) (<= terminal (true (s 1)))
        (<= (goal a 100) (true (did (m 1 2)))) (<= (goal b 0) (true (did (m 1 2))))
        (<= (goal a 0) (true (did m-1-2))) (<= (goal b 100) (true (did m-1-2)))";
    let game = of_text(text);
    for (token, winner) in [("m-1-2", Side::Second), ("m-1-2~2", Side::First), ("(m 1 2)", Side::First)] {
        let session = game.set_up(None, [token]).expect("legal");
        assert_eq!(session.outcome(), Some(Outcome::Win(winner)), "{token}");
    }
    assert_eq!(game.set_up(None, []).expect("the start").legal_moves(), ["m-1-2~2", "m-1-2"]);
}

/// The scores of random games that are played move by move, as a mean and its variance.
fn move_by_move(start: &Position, games: u32, side: Side) -> (f64, f64) {
    let mut rng = Rng::stream(5, 0);
    let scores: Vec<f64> = (0..games).map(|_| start.rollout(&mut rng).outcome.score(side).into()).collect();
    let mean = scores.iter().sum::<f64>() / f64::from(games);
    (mean, scores.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / f64::from(games))
}

#[test]
fn games_in_lanes_end_as_games_move_by_move_do() {
    const IN_LANES: u32 = 512;
    for name in all() {
        let games = if is_large(&name) { 200 } else { 1_500 };
        let rules = Rules::new(compiled(&name));
        let mut start = Position::start(&rules);
        let mut rng = Rng::stream(7, 0);
        // From the start, after a move, and after another one: within a joint move, too.
        for ply in 0..3 {
            let value = LaneRollouts.evaluate(&start, &mut rng);
            let sides = if start.kind().has_one_player() { 1 } else { 2 };
            for side in [Side::First, Side::Second].into_iter().take(sides) {
                let (mean, variance) = move_by_move(&start, games, side);
                let error = (variance / f64::from(games) + variance / f64::from(IN_LANES)).sqrt();
                let off = (f64::from(value.score(side)) - mean).abs();
                assert!(
                    off <= 4.0 * error + 0.01,
                    "{name}, ply {ply}, {side:?}: off by {off}, error {error}"
                );
            }
            start.apply(start.random_move(&mut rng));
            if start.outcome().is_some() {
                break;
            }
        }
    }
}

#[test]
fn searches_find_what_is_best() {
    let stop = AtomicBool::new(false);
    let think = |name: &str, moves: &[&str], iterations: u64| {
        let mut session = game(name).set_up(None, moves.iter().copied()).expect("legal moves");
        session.add_engine(&EngineConfig::Quintet(SearchConfig::default())).expect("valid");
        session.think(0, Budget::iterations(iterations).expect("not 0"), 1, &stop).expect("a report")
    };
    let report = think("tic-tac-toe", &["mark-1-1", "mark-2-2", "(mark 2 1)"], 4_000);
    assert_eq!(report.best().mv, "mark-3-1");
    let report = think("connect-four", &["drop-4", "drop-1", "DROP-4", "drop-1", "drop-4", "drop-2"], 2_000);
    assert_eq!((&*report.best().mv, report.best().proven.is_some()), ("drop-4", true));
    // Rock counts twice: it is played more than a third of the time, and nothing is played always.
    let report = think("three-rounds", &[], 20_000);
    assert!(report.policies.iter().all(|policy| policy.moves.len() == 3), "{:?}", report.policies);
}

#[test]
fn a_tree_that_grows_in_batches_is_the_same_on_any_number_of_threads() {
    let think = |threads: usize| {
        let config = SearchConfig {
            threads: NonZeroUsize::new(threads),
            trees: NonZeroUsize::new(1),
            early_stop: false,
            ..SearchConfig::default()
        };
        let mut session = game("connect-four").set_up(None, []).expect("legal moves");
        session.add_engine(&EngineConfig::Quintet(config)).expect("valid");
        let budget = Budget::iterations(1_200).expect("not 0");
        session.think(0, budget, 1, &AtomicBool::new(false)).expect("a report").visits_hash
    };
    assert_eq!(think(1), think(2));
}

#[test]
fn positions_are_read_back_and_wrong_ones_refused() {
    let game = game("tic-tac-toe");
    let session = game.set_up(None, ["mark-2-2"]).expect("legal");
    let text = session.position();
    assert!(text.contains("(cell 2 2 x)") && text.contains("(control o)"), "{text}");
    assert_eq!(game.set_up(Some(&text), []).expect("a position").position(), text);
    let error = |text: &str| game.set_up(Some(text), []).expect_err("wrong").to_string();
    assert!(
        error("(cell 9 9 x)").contains("bad position: terms: \"(cell 9 9 x)\" is never true"),
        "{}",
        error("(cell 9 9 x)")
    );
    assert!(error("(cell 1 1").contains("a parenthesis is not closed"));
    let both = format!("{text} (control x)");
    assert!(error(&both).contains("is never true where the other terms are"), "{}", error(&both));
    let two = text.replace("(cell 1 1 empty)", "(cell 1 1 empty) (cell 1 1 x)");
    assert!(error(&two).contains("is never true where the other terms are"), "{}", error(&two));
    let joint = after_a_choice("three-rounds", "rock");
    assert!(joint.ends_with("| rock"), "{joint}");
}

#[test]
fn a_position_has_one_place_on_the_counter() {
    let game = game("three-rounds");
    for text in ["(points left 0) (points right 0)", "(round 1) (round 2) (points left 0) (points right 0)"] {
        let error = game.set_up(Some(text), []).expect_err("wrong").to_string();
        assert!(error.contains("(round 1)") || error.contains("(round 2)"), "{error}");
    }
}

/// The position string after one choice of a joint move, which is read back.
fn after_a_choice(name: &str, mv: &str) -> String {
    let game = game(name);
    let text = game.set_up(None, [mv]).expect("legal").position();
    assert_eq!(game.set_up(Some(&text), []).expect("a position").position(), text);
    text
}

#[test]
fn rulesheets_that_are_too_large_end_with_an_error() {
    let game = "(role a) (legal a b) (goal a 1) (<= terminal (true (x ?y)))";
    let limits = Limits { time: Duration::from_millis(300), ..Limits::default() };
    let error =
        |rules: &str| Compiled::new(&format!("{game} {rules}"), limits).expect_err("too large").to_string();
    let digits = (0..40).map(|it| format!("(digit {it})")).collect::<Vec<_>>().concat();
    for (rules, part) in [
        (
            "(init (x 0)) (<= (next (x (s ?y))) (true (x ?y)))",
            "line 1, column 74: the rule makes terms that are nested more than 64 deep",
        ),
        (
            "(init (x 0)) (p 0) (<= (p (s ?y)) (p ?y)) (<= (next (x 1)) (p 1))",
            "line 1, column 80: the rule makes terms that are nested more than 64 deep",
        ),
        (
            &format!(
                "{digits} (<= (init (x (f ?a ?b ?c ?d ?e ?f))) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) \
                 (digit ?f))"
            ),
            "\"init\" grew",
        ),
    ] {
        assert!(error(rules).contains(part), "{}", error(rules));
    }
    // Few facts, each of which is long.
    let long = "?d ?e ".repeat(50);
    let rules = format!(
        "{game} {digits} (<= (next (x (f {long}))) (digit ?d) (digit ?e) (true (x ?y))) (init (x 0))"
    );
    let limits = Limits { facts: 5_000, ..Limits::default() };
    let error = Compiled::new(&rules, limits).expect_err("too large").to_string();
    assert!(error.contains("\"next\" grew"), "{error}");
}

#[test]
fn terms_without_an_end_are_told_where_rules_are_followed_to_the_letter() {
    let text = "(role a) (legal a b) (goal a 1) (<= terminal (true (x ?y)))\n (p 0) (<= (p (s ?y)) (p ?y))
        (<= (next (x ?y)) (p ?y))";
    let error = Reference::new(text).expect_err("it has no end").to_string();
    assert_eq!(error, "line 2, column 8: the rule makes terms that are nested more than 64 deep");
}

#[test]
fn the_fingerprint_for_records_has_the_order_of_the_roles() {
    let fingerprint = |roles: &str, rest: &str| {
        let rules = "(<= (legal ?r m) (role ?r)) (goal a 0) (goal b 0) (init t) (<= terminal (true u))";
        of_text(&format!("{roles} {rules} {rest}")).rulesheet
    };
    let [next, same] = ["(<= (next u) (true t) (does a m))", "(<= (next u) (does a m) (true t))"];
    let usual = fingerprint("(role a) (role b)", next);
    assert!(usual.is_some() && usual == fingerprint("(role a) (role b)", same));
    assert_ne!(usual, fingerprint("(role b) (role a)", next));
}

#[test]
fn a_goal_that_is_none_is_told_with_the_rule_that_has_it() {
    let game = "(role a) (legal a b) (<= terminal (true t)) (init t)\n";
    for (rules, expected) in [
        ("(goal a 5) (<= (goal a ?v) (v ?v)) (v x33)", "line 2, column 12: the goal \"x33\" is no whole"),
        ("(<= (goal a ?v) (v ?v)) (v 7)\n(goal a x33)", "line 3, column 1: the goal \"x33\" is no whole"),
        ("(goal a +5)", "line 2, column 1: the goal \"+5\" is no whole number"),
        ("(goal a 101)", "line 2, column 1: the goal \"101\" is no whole number"),
    ] {
        let error =
            Compiled::new(&format!("{game}{rules}"), Limits::default()).expect_err("no goal").to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// A rule whose instances are joined over thousands of facts would not come to an end before the limit of time.
#[test]
fn hostile_rulesheets_end_in_time() {
    let game = "(role a) (legal a b) (goal a 1) (<= terminal (true t))";
    let deep = "(".repeat(1 << 20);
    assert!(Compiled::new(&deep, Limits::default()).is_err());
    let many = (0..2_000).map(|it| format!("(e {it})")).collect::<Vec<_>>().concat();
    let long = format!("{game} {many} (<= (next t) (e ?a) (e ?b) (e ?c) (e ?d) (distinct ?a ?b) (true t))");
    let limits = Limits { time: Duration::from_millis(300), ..Limits::default() };
    let start = std::time::Instant::now();
    assert!(Compiled::new(&long, limits).is_err() || start.elapsed() < Duration::from_secs(5));
    assert!(start.elapsed() < Duration::from_secs(5));
    let numbers = format!("{game} (init t) (goal a {})", "9".repeat(1_000));
    let error = Compiled::new(&numbers, limits).expect_err("no goal").to_string();
    assert!(
        error.starts_with("line 1, column 65: the goal \"999") && error.contains("no whole number"),
        "{error}"
    );
}

#[test]
fn one_player_goes_to_the_end_though_a_move_that_changes_nothing_seems_as_good() {
    let text = "(role a) (init (at 0)) (<= (legal a go) (true (at 0))) (<= (legal a stay) (true (at 0)))
        (<= (next (at 0)) (does a stay)) (<= (next (at 1)) (does a go)) (<= terminal (true (at 1)))
        (<= (goal a G) (true (at 1))) (<= (goal a 0) (true (at 0)))";
    for (goal, seed) in [("60", 0), ("60", 1), ("40", 0), ("40", 1), ("1", 0)] {
        let compiled = Compiled::new(&text.replace('G', goal), Limits::default()).expect("it is right");
        let mut session =
            variant("stay".to_owned(), compiled).set_up(None, [] as [&str; 0]).expect("the start");
        session.add_engine(&EngineConfig::Quintet(SearchConfig::default())).expect("valid");
        let budget = Budget::iterations(300).expect("not 0");
        let report = session.think(0, budget, seed, &AtomicBool::new(false)).expect("a report");
        assert_eq!(report.best().mv, "go", "{goal}, seed {seed}: {:?}", report.candidates);
    }
}
