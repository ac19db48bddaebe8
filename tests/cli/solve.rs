//! `quintet solve`: exact values, bounds, and certificates.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{
    Run, VARIANTS, command, fields, finished_trace, half_a_game, quintet, quintet_reading, state_after,
    strings,
};

/// More than enough time for what is solved at once.
const TIME: [&str; 2] = ["--time", "60s"];

fn solve(more: &[&str]) -> Run {
    quintet([&["solve"], more].concat())
}

/// The answer to a position that is settled.
#[track_caller]
fn settled(more: &[&str]) -> Value {
    let answer = solve(&[more, &TIME, &["--json"]].concat()).succeeds_quietly().json();
    assert_eq!(answer["settled"], true, "{answer}");
    assert_eq!((&answer["value"], &answer["value"]), (&answer["lower"], &answer["upper"]), "{answer}");
    answer
}

/// The score of the role to move in a settled position.
#[track_caller]
fn score(answer: &Value) -> &Value {
    &answer["value"][answer["to_move"].as_str().expect("a role")]
}

/// An answer without the fields that tell how the game is won, which are there if it is.
fn without_line(answer: &Value) -> Value {
    let mut answer = answer.clone();
    for field in ["plies", "plies_at_most", "line", "line_why"] {
        answer.as_object_mut().expect("an object").shift_remove(field);
    }
    answer
}

/// Checks that the line of an answer leads to the end that it claims, in as many plies as it claims.
fn check_line(problem: &Value, answer: &Value) {
    let line = strings(&answer["line"]);
    let mut record = problem.clone();
    record["moves"] = json!([strings(&problem["moves"]), line.clone()].concat());
    let replayed = quintet_reading(record.to_string(), ["replay", "--json", "-"]).succeeds_quietly().json();
    let last = replayed["steps"].as_array().and_then(|steps| steps.last()).expect("steps");
    assert_eq!((&last["terminal"], &last["scores"]), (&json!(true), &answer["value"]), "{record}");
    let plies = if answer["plies"].is_u64() { &answer["plies"] } else { &answer["plies_at_most"] };
    assert!(plies.is_null() || *plies == line.len(), "{answer}");
    let exact = &problem["plies_to_end"];
    if exact.is_u64() && answer["plies"].is_u64() {
        assert_eq!(&answer["plies"], exact, "{record}");
    }
    assert!(exact.is_null() || plies.is_null() || plies.as_u64() >= exact.as_u64(), "{record}");
    assert_eq!(strings(&answer["line_why"]).len(), line.len());
}

#[test]
fn positions_of_all_games_have_the_values_that_a_referee_found() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/suites"));
    let (mut settled_ones, mut lines) = (0, 0);
    for file in fs::read_dir(folder).expect("it is there") {
        let text = fs::read_to_string(file.expect("it can be listed").path()).expect("it can be read");
        let problems = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a problem"));
        for problem in problems.filter(|it| !it["value"].is_null()).take(6) {
            let [game, rules] = ["game", "rules"].map(|key| problem[key].as_str().expect("a name"));
            let moves = strings(&problem["moves"]).join(" ");
            let mut args = vec![game, "--rules", rules, "--moves", &moves];
            if let Some(position) = problem["position"].as_str() {
                args.extend(["--position", position]);
            }
            let answer = settled(&args);
            assert_eq!(score(&answer), &problem["value"], "{problem}: {answer}");
            let best = answer["move"].as_str().expect("a move");
            let is_right = |key: &str| !problem[key].is_null() && strings(&problem[key]).contains(&best);
            assert!(is_right("best") || is_right("unknown"), "{problem}: {answer}");
            settled_ones += 1;
            if answer["line"].is_array() {
                check_line(&problem, &answer);
                lines += 1;
            }
        }
    }
    assert!(settled_ones > 80, "{settled_ones}");
    assert!(lines > 60, "{lines}");
}

#[test]
fn krk_has_the_values_of_its_table() {
    for (rules, step, winner) in
        [("spec", "8", "white"), ("spec", "9", "black"), ("ggp", "7", "white"), ("ggp", "8", "black")]
    {
        let position = format!("k3/4/4/2KR w {step}");
        let answer = settled(&["krk", "--rules", rules, "--position", &position]);
        let loser = if winner == "white" { "black" } else { "white" };
        assert_eq!([&answer["value"][winner], &answer["value"][loser]], [&json!(100), &json!(0)]);
    }
}

#[test]
fn a_position_has_the_same_value_as_by_its_moves() {
    for (game, rules) in VARIANTS {
        let trace = finished_trace(game, rules);
        let moves = trace.moves[..trace.moves.len() - 1].join(" ");
        let by_moves = settled(&[game, "--rules", rules, "--moves", &moves]);
        let position = by_moves["position"].as_str().expect("a position");
        let by_position = settled(&[game, "--rules", rules, "--position", position]);
        assert_eq!((score(&by_moves), &by_moves["move"]), (score(&by_position), &by_position["move"]));
        // The move that was played was not the only one.
        let of_played =
            &trace.steps[trace.moves.len()]["scores"][by_moves["to_move"].as_str().expect("a role")];
        assert!(score(&by_moves).as_u64() >= of_played.as_u64(), "{game} {rules}: {by_moves}");
    }
}

#[test]
fn the_json_has_all_fields() {
    let expected =
        "certificate game lower method move position positions rules seconds settled to_move upper value";
    for (game, rules) in VARIANTS {
        let moves = half_a_game(game, rules);
        let flags = ["--rules", rules, "--time", "100ms", "--memory", "8MiB", "--json"];
        let run = solve(&[&[game, "--moves", &moves.join(" ")], &flags[..]].concat());
        let answer = run.json();
        assert_eq!(fields(&without_line(&answer)), expected);
        let state = state_after(game, rules, &moves);
        assert_eq!((answer["game"].as_str(), answer["rules"].as_str()), (Some(game), Some(rules)));
        assert_eq!(answer["to_move"], state["to_move"]);
        assert_eq!(run.code, Some(i32::from(answer["settled"] == false)), "{run}");
        assert!(run.stderr.is_empty() && answer["seconds"].as_f64() < Some(30.0), "{run}");
        for key in ["lower", "upper"] {
            assert_eq!(fields(&answer[key]), fields(&state["scores"]), "{answer}");
        }
        if answer["settled"] == false {
            assert!(answer["value"].is_null() && answer["lower"] != answer["upper"], "{answer}");
        } else {
            assert_eq!((&answer["lower"], &answer["upper"]), (&answer["value"], &answer["value"]));
            match answer["move"].as_str() {
                Some(mv) => assert!(strings(&state["legal"]).contains(&mv), "{answer}"),
                // The time was up once the value was known.
                None => assert!(answer["seconds"].as_f64() >= Some(0.1), "{answer}"),
            }
        }
    }
}

#[test]
fn the_text_says_who_wins_and_how_it_was_found() {
    let run = |args: &[&str]| solve(&[args, &TIME].concat()).succeeds_quietly().stdout;
    let text = run(&["krk"]);
    assert!(text.starts_with("KRK, king and rook against king (spec): white to move\n\n 4  k "), "{text}");
    assert!(text.contains(" 2  . [.] .  .\n"), "the best move is marked: {text}");
    let end = "\nposition: k3/4/4/2KR w 1\n\nwhite wins\nbest move: Kc1-b2\nwhite wins in 3 plies against the longest \
               resistance: Kc1-b2 (mate in 2 moves) ka4-b4 Rd1-d4 (checkmate)\nmethod: knowledge of the game, 0.";
    assert!(text.contains(end), "{text}");
    let text = run(&["quarto", "--position", "..45/0.6b/f81e/27ca - b"]);
    assert!(text.contains("\na draw\nbest move: "), "{text}");
    // A team is named by what its roles have in common.
    let line = "xxx1/4/4/4|ooo1/4/4/4|4/4/4/4|4/4/4/4 x -";
    assert!(run(&["qubic", "--position", line]).contains("\nx wins\nbest move: "), "{line}");
}

#[test]
fn a_game_that_is_over_has_its_result() {
    for (game, rules) in VARIANTS {
        let trace = finished_trace(game, rules);
        let moves = trace.moves.join(" ");
        let answer = settled(&[game, "--rules", rules, "--moves", &moves]);
        let state = &trace.steps[trace.moves.len()];
        assert_eq!(answer["value"], state["scores"], "{game} {rules}");
        assert_eq!(
            [&answer["to_move"], &answer["move"], &answer["positions"]],
            [&Value::Null, &Value::Null, &json!(0)]
        );
        let text = solve(&[game, "--rules", rules, "--moves", &moves]).succeeds_quietly().stdout;
        assert!(text.contains(&format!("({rules}): the game is over\n")), "{text}");
        assert!(text.ends_with(" wins\n") || text.ends_with("\na draw\n"), "{text}");
    }
}

#[test]
fn time_that_is_up_leaves_the_value_open() {
    let start = std::time::Instant::now();
    let args = ["pentago", "--time", "200ms", "--memory", "1MiB", "--threads", "1"];
    let run = solve(&args).exits(1);
    assert!(run.stdout.contains("\nnot settled: ") && run.stdout.ends_with("\nThe time was up.\n"), "{run}");
    assert!(!run.stdout.contains("best move"), "{run}");
    let answer = solve(&[&args[..], &["--json"]].concat()).exits(1).json();
    assert_eq!((&answer["settled"], &answer["value"]), (&json!(false), &Value::Null));
    assert!(answer["positions"].as_u64() > Some(0), "{answer}");
    assert!(start.elapsed().as_secs() < 30, "the limit is kept");
}

#[test]
fn a_game_without_certificates_is_refused_one_at_once() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = folder.path().join("proof");
    let path = path.to_str().expect("a name");
    for (game, rules) in [("gomoku", "spec"), ("pentago", "ggp"), ("krk", "ggp")] {
        let message = solve(&[game, "--rules", rules, "--certificate", path]).refused();
        assert!(message.contains(&format!("there are no certificates for {game} {rules}")), "{message}");
    }
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0);
}

#[cfg(unix)]
#[test]
fn a_certificate_does_not_take_the_place_of_the_answer() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let output = folder.path().join("answer");
    let names = ["/dev/stdout", &output.to_string_lossy()].map(str::to_owned);
    for name in names {
        let file = fs::File::create(&output).expect("created");
        let mut command = command();
        command.args(["solve", "quarto", "--rules", "ggp", "--certificate", &name]).stdout(file);
        let ended = command.output().expect("it runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2));
        assert!(said.contains(&format!("--certificate {name}: standard output goes there")), "{said}");
    }
}

#[test]
fn a_value_without_a_certificate_is_told_all_the_same() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = folder.path().join("proof");
    let path = path.to_str().expect("a name");
    // A draw, in the middle of a turn.
    let args = ["quarto", "--rules", "ggp", "--position", "94c3/b.17/..e./.f6. - w", "--certificate", path];
    let run = solve(&args).exits(1);
    assert!(run.stdout.contains("\na draw\n") && run.stderr.contains("proof was not written: "), "{run}");
    let run = solve(&[&args[..], &["--json"]].concat()).exits(1);
    let answer = run.json();
    assert_eq!((&answer["settled"], &answer["certificate"]), (&json!(true), &Value::Null), "{answer}");
    assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0);
}

#[test]
fn a_certificate_passes_the_check() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = folder.path().join("proof.jsonl");
    let path = path.to_str().expect("a name");
    // Qubic: X wins, but not by threats alone. Quarto: a draw, for which there are two claims.
    for (game, rules, position, claims) in [
        ("qubic", "spec", "x3/1o2/4/4|4/1xo1/4/4|4/4/2x1/4|4/4/4/o3 x -", 1),
        ("qubic", "ggp", "x3/1o2/4/4|4/1xo1/4/4|4/4/2x1/4|4/4/4/o3 x -", 1),
        ("quarto", "ggp", "0.../..3./.5../...6 9 b", 2),
    ] {
        let answer = settled(&[game, "--rules", rules, "--position", position, "--certificate", path]);
        assert_eq!(answer["certificate"], *path);
        let checked = quintet(["verify", path, "--json"]).succeeds_quietly().stdout;
        // A line for each claim, and what they prove together.
        assert_eq!(checked.lines().count(), claims + 1, "{checked}");
    }
}

#[test]
fn its_lines_are_those_of_the_schema() {
    let schema: Value = serde_json::from_str(&quintet(["schema"]).succeeds_quietly().stdout).expect("JSON");
    let answer = settled(&["krk"]);
    let name = schema["lines"]["solved position"]["allOf"][0]["$ref"].as_str().expect("a reference");
    let definition = schema.pointer(name.trim_start_matches('#')).expect("it is there");
    // A line is as long as it says, or at most so long.
    let mut properties = definition["properties"].clone();
    properties.as_object_mut().expect("an object").shift_remove("plies_at_most").expect("it is there");
    assert_eq!(fields(&properties), fields(&answer));
}

#[cfg(target_os = "linux")]
#[test]
fn a_table_that_the_system_has_no_memory_for_grows_no_more() {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "ulimit -v 250000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_quintet")]);
    // One arena: glibc would reserve 64 MiB of the limit for each thread.
    shell
        .args(["solve", "gomoku", "--time", "2s", "--memory", "8GiB", "--json"])
        .env("RAYON_NUM_THREADS", "1")
        .env("MALLOC_ARENA_MAX", "1");
    let answer = crate::harness::run(shell, "").exits(1).json();
    assert!(answer["positions"].as_u64() > Some(10_000), "{answer}");
}

#[test]
fn engines_and_the_solver_agree() {
    // What `analyze` proves of the positions of recorded games is within the bounds.
    for (game, rules) in VARIANTS {
        let trace = finished_trace(game, rules);
        for back in [2, 4, 7] {
            let Some(plies) = trace.moves.len().checked_sub(back) else { continue };
            let moves = &trace.moves[..plies];
            let query =
                json!({ "game": game, "rules": rules, "moves": moves, "iterations": 2000, "threads": 1 });
            let engine = quintet_reading(query.to_string(), ["analyze"]).succeeds_quietly().json();
            let flags = ["--time", "200ms", "--memory", "8MiB", "--json"];
            let line = moves.join(" ");
            let answer = solve(&[&[game, "--rules", rules, "--moves", &line], &flags[..]].concat()).json();
            let role = answer["to_move"].as_str().expect("a role");
            let candidates = engine["candidates"].as_array().expect("candidates");
            for candidate in candidates.iter().filter(|it| !it["proven"].is_null()) {
                let proven = candidate["proven"].as_u64();
                assert!(proven <= answer["upper"][role].as_u64(), "{candidate} {answer}");
                if candidate["move"] == answer["move"] {
                    assert_eq!(proven, answer["lower"][role].as_u64(), "{candidate} {answer}");
                }
            }
        }
    }
}
