//! `quintet suggest`: its output as text and as JSON.

use std::sync::LazyLock;

use serde_json::{Value, json};

use crate::harness::{VARIANTS, fields, half_a_game, quintet, replayed, state_after, strings, traces};

/// Runs `check` at the start and in the middle of a game, for every game and ruleset, with the answer there in JSON.
fn for_two_positions_of_each_game(check: impl Fn(&str, &str, &[String], &Value)) {
    static ANSWERS: LazyLock<Vec<(Vec<String>, Value)>> = LazyLock::new(|| {
        let positions = VARIANTS.map(|(game, rules)| (game, rules, [Vec::new(), half_a_game(game, rules)]));
        let all =
            positions.into_iter().flat_map(|(game, rules, both)| both.map(|moves| (game, rules, moves)));
        all.map(|(game, rules, moves)| {
            let answer = json_answer(game, rules, &moves);
            (moves, answer)
        })
        .collect()
    });
    let variants = VARIANTS.iter().flat_map(|it| [it; 2]);
    for ((game, rules), (moves, answer)) in variants.zip(&*ANSWERS) {
        check(game, rules, moves, answer);
    }
}

fn args(game: &str, rules: &str, moves: &[String]) -> Vec<String> {
    let moves = moves.join(" ");
    let search = ["--iterations", "400", "--threads", "2", "--seed", "3"];
    let args = ["suggest", game, "--rules", rules, "--moves", &moves];
    args.into_iter().chain(search).map(str::to_owned).collect()
}

fn json_answer(game: &str, rules: &str, moves: &[String]) -> Value {
    let mut args = args(game, rules, moves);
    args.push("--json".into());
    quintet(args).succeeds_quietly().json()
}

#[test]
fn a_whole_turn_ends_when_the_other_side_moves() {
    for_two_positions_of_each_game(|game, rules, moves, plain| {
        let with_turn = |more: &[&str]| {
            let more = more.iter().map(|&it| it.to_owned());
            quintet(args(game, rules, moves).into_iter().chain(["--turn".into()]).chain(more))
                .succeeds_quietly()
        };
        let answer = with_turn(&["--json"]).json();
        for key in ["move", "value", "candidates", "pv"] {
            assert_eq!(answer[key], plain[key], "{game} {rules}");
        }
        let turn: Vec<String> = strings(&answer["turn"]).into_iter().map(str::to_owned).collect();
        assert_eq!(plain["move"], turn[0]);
        // As `replay` sees it: one side moves up to the last of them, and another one after it.
        let all = [moves, &turn[..]].concat();
        let mover = |count: usize| state_after(game, rules, &all[..count])["to_move"].clone();
        let side = |role: &Value| match (game, role.as_str()) {
            ("qubic", Some(role)) => role[..1].to_owned(),
            (_, role) => role.unwrap_or_default().to_owned(),
        };
        let first = side(&mover(moves.len()));
        assert!(
            (moves.len()..all.len()).all(|count| side(&mover(count)) == first),
            "{game} {rules}: {turn:?}"
        );
        assert_ne!(side(&mover(all.len())), first, "{game} {rules}: {turn:?}");
        let text = with_turn(&[]).stdout;
        assert!(text.contains(&format!("whole turn: {} (then ", turn.join(" "))), "{text}");
    });
}

#[test]
fn the_json_answer_has_the_fields_that_programs_rely_on() {
    for_two_positions_of_each_game(|game, rules, moves, answer| {
        let expected = "candidates confidence cpu_seconds ended game iterations memory_full move nodes proven pv rules seconds to_move value";
        let has_line = !answer["line"].is_null();
        let fields_but_line = fields(answer);
        let of_line = ["plies", "plies_at_most", "line", "line_why"];
        let others: Vec<&str> = fields_but_line.split(' ').filter(|it| !of_line.contains(it)).collect();
        assert_eq!(others.join(" "), expected);
        assert!(!has_line || [0, 100].map(Value::from).contains(&answer["proven"]), "{answer}");
        assert_eq!((answer["game"].as_str(), answer["rules"].as_str()), (Some(game), Some(rules)));
        assert_eq!(answer["to_move"], state_after(game, rules, moves)["to_move"]);
        // Fewer if the position is solved early.
        assert!(answer["iterations"].as_u64() <= Some(400), "{answer}");
        for candidate in answer["candidates"].as_array().expect("candidates are an array") {
            assert_eq!(fields(candidate), "move plies proven value visits why");
            let (visits, value) = (&candidate["visits"], candidate["value"].as_f64());
            match value {
                Some(value) => {
                    let has_reason = *visits != 0 || !candidate["proven"].is_null();
                    assert!((0.0..=100.0).contains(&value) && has_reason, "{candidate}");
                }
                None => assert!(candidate["value"].is_null() && *visits == 0, "{candidate}"),
            }
            let proven = candidate["proven"].as_f64();
            assert!(proven.is_none() || proven == value, "{candidate}");
            let allowed = [Value::Null, json!(0), json!(50), json!(100)];
            assert!(allowed.contains(&candidate["proven"]), "{candidate}");
        }
        let best = &answer["candidates"][0];
        for key in ["move", "value", "proven"] {
            assert_eq!(answer[key], best[key], "{key} of the answer and of the best candidate");
        }
    });
}

#[test]
fn the_candidates_are_the_legal_moves_and_their_visits_are_the_iterations() {
    for_two_positions_of_each_game(|game, rules, moves, answer| {
        let candidates = answer["candidates"].as_array().expect("candidates are an array");
        let visits: u64 =
            candidates.iter().map(|it| it["visits"].as_u64().expect("visits are counted")).sum();
        assert_eq!(answer["iterations"], visits, "{game} {rules}");
        let mut tokens: Vec<_> = candidates.iter().map(|it| it["move"].clone()).collect();
        tokens.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        assert_eq!(Value::from(tokens), state_after(game, rules, moves)["legal"], "{game} {rules}");
    });
}

#[test]
fn the_principal_variation_starts_with_the_best_move_and_can_be_played() {
    for_two_positions_of_each_game(|game, rules, moves, answer| {
        let line = strings(&answer["pv"]);
        assert_eq!(Some(line[0]), answer["move"].as_str());
        let moves: Vec<&str> = moves.iter().map(String::as_str).chain(line).collect();
        assert_eq!(replayed(&json!({ "game": game, "rules": rules, "moves": moves }))["ok"], true);
    });
}

#[test]
fn the_text_draws_the_best_move_in_brackets_and_explains_it_in_a_table() {
    for_two_positions_of_each_game(|game, rules, moves, answer| {
        let text = quintet(args(game, rules, moves)).succeeds_quietly().stdout;
        let best = answer["move"].as_str().expect("a token");

        let (head, rest) = text.split_once("\nposition: ").unwrap_or_else(|| panic!("no position: {text}"));
        let to_move = answer["to_move"].as_str().expect("a role");
        assert!(
            head.lines().next().is_some_and(|line| line.contains(rules) && line.contains(to_move)),
            "{text}"
        );
        assert!(head.contains('[') && head.contains(']'), "nothing is marked: {head}");

        let mut table = rest.lines().skip_while(|line| !line.starts_with("move ")).map(str::split_whitespace);
        let headings: Vec<&str> = table.next().unwrap_or_else(|| panic!("no table: {text}")).collect();
        assert_eq!(headings, ["move", "visits", "share", "score", "why"]);
        let candidates = answer["candidates"].as_array().expect("candidates are an array");
        let rows: Vec<Vec<&str>> =
            table.map(Iterator::collect).take_while(|row: &Vec<_>| !row.is_empty()).collect();
        let (rows, more) = match rows.split_last() {
            Some((last, rows)) if last[0] == "…" => (rows, last[2].parse().expect("a number")),
            // One row for moves that are all proven alike.
            Some((last, rows)) if last[0] == "all" => (rows, last[1].parse().expect("a number")),
            _ => (&rows[..], 0_usize),
        };
        assert_eq!(rows.len() + more, candidates.len(), "{text}");
        for (row, candidate) in rows.iter().zip(candidates) {
            assert_eq!(Some(row[0]), candidate["move"].as_str(), "{text}");
            assert_eq!(row[1].replace(',', ""), candidate["visits"].to_string(), "{text}");
        }

        let line = |start: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(start));
            line.unwrap_or_else(|| panic!("no {start}: {text}")).trim()
        };
        assert_eq!(line("best move:").split_whitespace().next(), Some(best), "{text}");
        assert_eq!(line("principal variation:"), strings(&answer["pv"]).join(" "), "{text}");
    });
}

#[test]
fn a_proven_win_is_told_as_one() {
    let args = ["suggest", "krk", "--moves", "Kc1-b2 ka4-b4", "--iterations", "1000", "--threads", "1"];
    let answer = quintet(args.into_iter().chain(["--json"])).succeeds_quietly().json();
    assert_eq!((&answer["move"], &answer["proven"]), (&json!("Rd1-d4"), &json!(100)), "{answer}");
    assert_eq!(answer["value"].as_f64(), Some(100.0), "{answer}");
    let text = quintet(args).succeeds_quietly().stdout;
    let row = text.lines().find(|line| line.starts_with("Rd1-d4"));
    assert!(row.is_some_and(|row| row.contains("checkmate")), "{text}");
}

#[test]
fn a_win_by_fours_and_threes_is_found_before_the_search() {
    let position = "w9w/11/11/11/11/5bb4/4b6/4b6/11/11/w9w b 1 -";
    let args = ["suggest", "gomoku", "--rules", "ggp", "--position", position, "--iterations", "1000"];
    let text = quintet(args).succeeds_quietly().stdout;
    assert!(text.contains("proven win: wins by forcing moves"), "{text}");
    assert!(
        text.contains(
            "\nThe best move was proven before the search. Moves without a score were not searched.\n"
        ),
        "{text}"
    );
}

#[test]
fn a_random_engine_answers_with_a_legal_move_that_its_seed_decides() {
    let answer = |seed: &str| {
        let args = ["suggest", "gomoku", "--engine", "random", "--json", "--seed", seed];
        quintet(args).succeeds_quietly().json()
    };
    let legal = &state_after("gomoku", "spec", &[])["legal"];
    let moves: Vec<Value> = (0..5).map(|seed| answer(&seed.to_string())["move"].clone()).collect();
    assert!(moves.iter().all(|mv| legal.as_array().is_some_and(|legal| legal.contains(mv))), "{moves:?}");
    assert!(moves.iter().any(|mv| *mv != moves[0]), "{moves:?}");
    assert_eq!(answer("4")["move"], moves[4]);
}

#[test]
fn ten_moves_are_listed_and_all_of_them_if_wanted() {
    let args = ["suggest", "pentago", "--iterations", "3000", "--threads", "1"];
    let rows = |more: &[&str]| {
        let text = quintet([&args[..], more].concat()).succeeds_quietly().stdout;
        let (_, table) = text.split_once("\nmove ").unwrap_or_else(|| panic!("no table: {text}"));
        table.lines().skip(1).take_while(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let (best, all) = (rows(&[]), rows(&["--all"]));
    assert_eq!((best.len(), all.len()), (11, 36));
    assert_eq!(best[..10], all[..10]);
    assert_eq!(best[10], "… and 26 more (--all lists them)");
    let answer = quintet(args.into_iter().chain(["--json"])).succeeds_quietly().json();
    assert_eq!(answer["candidates"].as_array().map(Vec::len), Some(36));
}

#[test]
fn a_move_that_was_not_tried_says_why() {
    let why = |args: &[&str]| -> Vec<String> {
        let args = [&["suggest"], args, &["--threads", "1", "--json"]].concat();
        let answer = quintet(args).succeeds_quietly().json();
        let candidates = answer["candidates"].as_array().expect("candidates are an array").clone();
        let untried = candidates.iter().filter(|it| it["visits"] == 0);
        untried.map(|it| it["why"].as_str().expect("words").to_owned()).collect()
    };
    assert_eq!(why(&["quarto", "--iterations", "50"]), ["symmetric to 0000"; 15]);
    let few = why(&["gomoku", "--engine", "uct", "--iterations", "20"]);
    assert_eq!(few, ["not tried: too few iterations"; 101]);
    // Of the rotations that change nothing, one is enough.
    let rotations = why(&["pentago", "--moves", "b2 e5", "--iterations", "50"]);
    assert!(rotations.iter().any(|why| why == "changes nothing, same as 1cw"), "{rotations:?}");
    let win = ["gomoku", "--rules", "ggp", "--position", "w9w/11/11/11/11/5bb4/4b6/4b6/11/11/w9w b 1 -"];
    let proven = why(&[&win[..], &["--iterations", "1000"]].concat());
    assert!(proven.iter().any(|why| why == "not tried: the best move is proven"), "{proven:?}");
}

#[test]
fn a_search_that_ends_early_says_why() {
    let decided = ["suggest", "quarto", "--iterations", "5000", "--threads", "1"];
    let text = quintet(decided).succeeds_quietly().stdout;
    assert!(text.contains("\nThe search ended early: no other move could overtake the best.\n"), "{text}");
    let lost = ["suggest", "gomoku", "--rules", "ggp", "--iterations", "100000", "--threads", "1"];
    let moves = traces("gomoku", "ggp")[0].moves[..30].join(" ");
    let text = quintet(lost.into_iter().chain(["--moves", &moves])).succeeds_quietly().stdout;
    assert!(text.contains("\nThe search ended early: the value of the position is proven.\n"), "{text}");
}

#[test]
fn moves_that_are_all_alike_are_one_row() {
    let args = ["suggest", "gomoku", "--moves", "a1 k11", "--iterations", "20000", "--threads", "1"];
    let text = quintet(args).succeeds_quietly().stdout;
    let row = text.lines().find(|line| line.starts_with("all 119 "));
    assert!(row.is_some_and(|row| row.ends_with("no move stands out")), "{text}");
    assert!(!text.contains("more (--all"), "{text}");
    let text = quintet(args.into_iter().chain(["--all"])).succeeds_quietly().stdout;
    assert!(text.lines().count() > 119 && !text.contains("no move stands out"), "{text}");
}

#[test]
fn proofs_that_are_all_alike_are_one_row() {
    let args = ["suggest", "quarto", "--iterations", "2000000", "--threads", "1"];
    let text = quintet(args).succeeds_quietly().stdout;
    let row = text.lines().find(|line| line.starts_with("all 16 "));
    assert!(row.is_some_and(|row| row.ends_with("  0.0  proven loss")), "{text}");
    assert!(!text.contains("more (--all"), "{text}");
}

#[test]
fn an_order_by_neither_visits_nor_score_is_named() {
    let said = "\nMoves are ordered by lower confidence bounds of the score, since each tree has tried its own \
                moves.\n";
    let search = ["suggest", "qubic", "--moves", "r1 c1 l1", "--iterations", "5000", "--trees"];
    let text = |trees| quintet(search.into_iter().chain([trees])).succeeds_quietly().stdout;
    assert!(!text("1").contains(said), "{}", text("1"));
    assert!(text("3").contains(said), "{}", text("3"));
}

#[test]
fn the_color_of_the_player_to_move_stands_above_the_board() {
    let search = ["suggest", "gomoku", "--rules", "ggp", "--iterations", "100", "--threads", "1", "--moves"];
    for (moves, title) in [
        ("f6 f7 g8", "Gomoku, 11×11 with swap2 (ggp): player2 to move"),
        ("f6 f7 g8 black", "Gomoku, 11×11 with swap2 (ggp): player1 (white) to move"),
        ("f6 f7 g8 white", "Gomoku, 11×11 with swap2 (ggp): player2 (white) to move"),
    ] {
        let text = quintet(search.into_iter().chain([moves])).succeeds_quietly().stdout;
        assert_eq!(text.lines().next(), Some(title), "{text}");
    }
}

#[test]
fn an_answer_says_why_the_search_ended_and_what_it_took() {
    let answer = |args: &[&str]| {
        let args = [&["suggest"], args, &["--threads", "1", "--json"]].concat();
        quintet(args).succeeds_quietly().json()
    };
    let only = ["krk", "--moves", "Kc1-b2", "--engine", "uct", "--iterations", "20000"];
    for (args, ended) in [
        (&only[..], json!("only move")),
        (&["quarto", "--iterations", "5000"], json!("safe leader")),
        (&["krk", "--iterations", "5000"], json!("proven")),
        (&["pentago", "--engine", "uct", "--iterations", "50"], Value::Null),
        (&["pentago", "--engine", "random"], Value::Null),
    ] {
        assert_eq!(answer(args)["ended"], ended, "{args:?}");
    }
    let text = quintet(["suggest"].into_iter().chain(only)).succeeds_quietly().stdout;
    assert!(text.contains("\nThere is only one legal move, so the search stopped early.\n"), "{text}");
    let full = answer(&["pentago", "--engine=uct", "--iterations=20000", "--memory=128KiB"]);
    assert_eq!(full["memory_full"], true, "{full}");
    assert!(full["nodes"].as_u64().is_some_and(|nodes| nodes > 100), "{full}");
}
