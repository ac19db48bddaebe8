//! `quintet suggest`: the positions it accepts, and its limits.

use serde_json::{Value, json};

use crate::harness::{VARIANTS, finished_trace, half_a_game, quintet, replayed, traces, without_seconds};

const SEARCH: [&str; 5] = ["--iterations", "200", "--threads", "1", "--json"];

fn suggest<'a>(game: &'a str, rules: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["suggest", game, "--rules", rules], more].concat()
}

#[test]
fn a_finished_game_is_answered_with_its_scores() {
    for (game, rules) in VARIANTS {
        let trace = finished_trace(game, rules);
        let moves = trace.moves.join(" ");
        let end = &trace.steps[trace.moves.len()];
        let args = suggest(game, rules, &["--moves", &moves]);
        let answer = quintet([&args[..], &["--json"]].concat()).succeeds_quietly().json();
        assert_eq!(answer, json!({ "terminal": true, "scores": end["scores"] }), "{game} {rules}");

        let text = quintet(&args).succeeds_quietly().stdout;
        assert!(text.contains("the game is over") && !text.contains('['), "{text}");
        for (role, score) in end["scores"].as_object().expect("scores by role") {
            assert!(text.lines().any(|line| line == format!("{role}: {score}")), "{role}: {text}");
        }
    }
}

#[test]
fn a_single_legal_move_is_answered_at_once_however_much_time_there_is() {
    let mut found = 0;
    for (game, rules) in VARIANTS {
        let forced = traces(game, rules).into_iter().find_map(|trace| {
            let ply = trace
                .steps
                .iter()
                .position(|step| step["legal"].as_array().is_some_and(|it| it.len() == 1))?;
            Some((trace.moves[..ply].join(" "), trace.steps[ply]["legal"][0].clone()))
        });
        let Some((moves, only)) = forced else { continue };
        found += 1;
        let args = suggest(game, rules, &["--moves", &moves, "--time", "1h", "--json"]);
        let answer = quintet(args).succeeds_quietly().json();
        assert_eq!(answer["move"], only, "{game} {rules}");
        assert_eq!(answer["candidates"].as_array().map(Vec::len), Some(1), "{game} {rules}");
        assert_eq!(answer["iterations"], answer["candidates"][0]["visits"], "{game} {rules}");
    }
    assert!(found >= 8, "the traces have positions with one move in eight of the games and rulesets");
}

#[test]
fn a_position_string_stands_for_the_moves_that_led_there() {
    for (game, rules) in VARIANTS {
        let trace = finished_trace(game, rules);
        let ply = trace.moves.len() / 2;
        let moves = trace.moves[..ply].join(" ");
        let by_moves = [&["--moves", &moves], &SEARCH[..]].concat();
        let text = quintet(suggest(game, rules, &by_moves[..6])).succeeds_quietly().stdout;
        let position =
            text.lines().find_map(|line| line.strip_prefix("position: ")).expect("the text has the position");

        let by_position = [&["--position", position], &SEARCH[..]].concat();
        let answer =
            |more: &[&str]| without_seconds(quintet(suggest(game, rules, more)).succeeds_quietly().json());
        assert_eq!(answer(&by_position), answer(&by_moves), "{game} {rules}: {position}");

        let record =
            json!({ "game": game, "rules": rules, "position": position, "moves": trace.moves[ply..] });
        assert_eq!(
            replayed(&record)["steps"],
            Value::from(&trace.steps[ply..]),
            "{game} {rules}: {position}"
        );
    }
}

#[test]
fn moves_go_on_from_the_position_string() {
    for (game, rules) in VARIANTS {
        let lines = quintet(["games", "--json"]).json_lines();
        let line = lines.iter().find(|line| line["game"] == game && line["rules"] == rules);
        let start = line.and_then(|line| line["start"].as_str()).expect("a position string");
        let moves = half_a_game(game, rules).join(" ");
        // In any case, but for the colors of the pieces of KRK.
        let written = if game == "krk" { start.replace(" w", " W") } else { start.to_uppercase() };
        let in_capitals = moves.to_uppercase();
        let with = [&["--position", &written, "--moves", &in_capitals], &SEARCH[..]].concat();
        let without = [&["--moves", &moves], &SEARCH[..]].concat();
        let answer =
            |more: &[&str]| without_seconds(quintet(suggest(game, rules, more)).succeeds_quietly().json());
        assert_eq!(answer(&with), answer(&without), "{game} {rules}");
    }
}

#[test]
fn the_default_budget_is_one_second() {
    let answer = quintet(["suggest", "quarto", "--engine", "uct", "--json"]).succeeds_quietly().json();
    assert!(answer["seconds"].as_f64() >= Some(0.95), "{answer}");
}

#[test]
fn a_time_limit_is_kept_and_every_iteration_is_counted() {
    for threads in ["1", "3"] {
        let args =
            ["suggest", "pentago", "--engine", "uct", "--time", "50ms", "--threads", threads, "--json"];
        let answer = quintet(args).succeeds_quietly().json();
        assert!(answer["seconds"].as_f64() >= Some(0.049), "{answer}");
        let candidates = answer["candidates"].as_array().expect("candidates are an array");
        let visits: u64 = candidates.iter().filter_map(|it| it["visits"].as_u64()).sum();
        assert!(visits > 0 && answer["iterations"] == visits, "{answer}");
    }
}

#[test]
fn with_both_limits_the_first_one_ends_the_search() {
    let limits = ["--time", "1h", "--iterations", "77", "--threads", "2", "--json"];
    let args = [&["suggest", "qubic", "--moves", "r2 c1 l1"][..], &limits].concat();
    assert_eq!(quintet(args).succeeds_quietly().json()["iterations"], 77);
}

#[test]
fn fewer_iterations_than_trees_are_still_that_many_iterations() {
    let args = ["suggest", "gomoku", "--iterations", "3", "--threads", "8", "--json"];
    assert_eq!(quintet(args).succeeds_quietly().json()["iterations"], 3);
}

#[test]
fn an_engine_brings_its_own_settings() {
    let args = ["suggest", "krk", "--engine", "uct:iterations=123,threads=2,c=0.9", "--json"];
    assert_eq!(quintet(args).succeeds_quietly().json()["iterations"], 123);
}

#[test]
fn a_search_that_used_up_its_memory_goes_on_and_says_so() {
    let args = [
        "suggest",
        "quarto",
        "--engine",
        "uct",
        "--threads",
        "2",
        "--memory",
        "128KiB",
        "--iterations",
        "20000",
    ];
    let text = quintet(args).succeeds_quietly().stdout;
    assert!(text.contains("--memory"), "{text}");
    let answer = || quintet(args.into_iter().chain(["--json"])).succeeds_quietly().json();
    let first = answer();
    assert_eq!(first["iterations"], 20_000);
    assert_eq!(without_seconds(first), without_seconds(answer()));
}

#[test]
fn a_time_beyond_all_clocks_is_refused_or_taken_for_no_limit() {
    // There is only one legal move, so the search ends before the limit.
    let args = ["suggest", "krk", "--moves", "Kc1-b2", "--time", "580000000000years"];
    let run = quintet(args);
    assert!(matches!(run.code, Some(0 | 2)), "{run}");
}
