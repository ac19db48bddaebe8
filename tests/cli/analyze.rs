//! `quintet analyze`: valid queries.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::sync::mpsc;

use serde_json::{Value, json};

use crate::harness::{
    Run, TIMEOUT, VARIANTS, command, fields, finished_trace, half_a_game, quintet, quintet_reading,
    without_seconds,
};

fn analyze(queries: &[Value]) -> Run {
    let lines: Vec<String> = queries.iter().map(Value::to_string).collect();
    quintet_reading(lines.join("\n"), ["analyze"])
}

#[test]
fn the_documented_query_gets_the_documented_answer() {
    let query =
        r#"{"id":1,"game":"krk","rules":"spec","moves":["Kc1-c2"],"iterations":10000,"threads":1,"seed":7}"#;
    let answer = quintet_reading(format!("{query}\n"), ["analyze"]).succeeds_quietly().json();
    let expected = "candidates confidence cpu_seconds ended game id iterations line line_why memory_full move nodes plies proven pv rules \
                    seconds to_move value";
    assert_eq!(fields(&answer), expected);
    for (key, value) in
        [("id", json!(1)), ("game", json!("krk")), ("rules", json!("spec")), ("to_move", json!("black"))]
    {
        assert_eq!(answer[key], value, "{key}");
    }
    assert!(answer["candidates"].as_array().is_some_and(|it| it.iter().any(|it| it["move"] == "ka4-a3")));
}

#[test]
fn an_answer_is_the_one_of_suggest() {
    let mut queries = Vec::new();
    let mut suggested = Vec::new();
    for (game, rules) in VARIANTS {
        let moves = half_a_game(game, rules);
        for threads in [1, 3] {
            let more = ["--iterations", "300", "--seed", "5", "--threads", &threads.to_string(), "--json"];
            let args = ["suggest", game, "--rules", rules, "--moves", &moves.join(" ")];
            suggested.push(without_seconds(quintet([&args[..], &more].concat()).succeeds_quietly().json()));
            queries.push(json!({
                "game": game, "rules": rules, "moves": moves, "iterations": 300, "seed": 5, "threads": threads,
            }));
        }
    }
    let answers = analyze(&queries).succeeds_quietly().json_lines();
    assert_eq!(answers.len(), suggested.len());
    for (mut answer, suggested) in answers.into_iter().zip(suggested) {
        assert_eq!(answer.as_object_mut().and_then(|fields| fields.shift_remove("id")), Some(Value::Null));
        assert_eq!(without_seconds(answer), suggested);
    }
}

#[test]
fn the_id_is_given_back_as_it_was() {
    let ids = [
        json!("\u{7f}"),
        json!(1),
        json!(-7),
        json!(u64::MAX),
        json!(0.5),
        json!("a \"b\" ü\n"),
        json!({ "z": [1, null], "a": true }),
        json!([]),
        json!(false),
        json!(null),
    ];
    let query = |id: &Value| json!({ "id": id, "game": "krk", "iterations": 5, "threads": 1 });
    let run = analyze(&ids.iter().map(query).collect::<Vec<_>>()).succeeds_quietly();
    let given: Vec<String> = run.json_lines().iter().map(|answer| answer["id"].to_string()).collect();
    assert_eq!(given, ids.map(|id| id.to_string()));
    let without = analyze(&[json!({ "game": "krk", "iterations": 5 })]).succeeds_quietly().json();
    assert_eq!(without.as_object().and_then(|fields| fields.get("id")), Some(&Value::Null));
}

#[test]
fn the_id_is_given_back_to_the_letter() {
    for id in
        ["123456789012345678901234567890", "-0", "1.50", "1e2", r#""\u0041""#, r#"{"b": [1 ,2],"a":-0.0}"#]
    {
        for rest in
            [r#""game":"krk","iterations":1,"threads":1"#, r#""game":"krk","position":"x""#, "\"x\":1"]
        {
            let run = quintet_reading(format!("{{\"id\":{id},{rest}}}\n"), ["analyze"]);
            assert!(run.stdout.starts_with(&format!("{{\"id\":{id},\"")), "{run}");
        }
    }
    let run = quintet_reading("[5]\n", ["analyze"]).exits(1);
    assert!(run.json()["id"].is_null(), "{run}");
}

#[test]
fn a_finished_game_is_answered_with_its_scores() {
    let query = |(game, rules)| {
        let moves = finished_trace(game, rules).moves;
        json!({ "id": game, "game": game, "rules": rules, "moves": moves })
    };
    let answers = analyze(&VARIANTS.map(query)).succeeds_quietly().json_lines();
    for ((game, rules), answer) in VARIANTS.into_iter().zip(answers) {
        let trace = finished_trace(game, rules);
        let scores = &trace.steps[trace.moves.len()]["scores"];
        assert_eq!(answer, json!({ "id": game, "terminal": true, "scores": scores }));
    }
}

#[test]
fn a_query_may_start_from_a_position() {
    let common = json!({ "game": "krk", "iterations": 100, "threads": 1 });
    let with = |more: Value| {
        let mut query = common.clone();
        let more = more.as_object().expect("an object").clone();
        query.as_object_mut().expect("an object").extend(more);
        query
    };
    let answers = analyze(&[
        with(json!({ "position": "k3/4/1K2/3R b 2", "moves": ["ka4-b4"] })),
        with(json!({ "moves": ["Kc1-b2", "ka4-b4"] })),
    ]);
    let answers: Vec<Value> =
        answers.succeeds_quietly().json_lines().into_iter().map(without_seconds).collect();
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn a_query_may_be_limited_by_time() {
    let answer = analyze(&[json!({ "game": "quarto", "engine": "uct", "time_ms": 30, "threads": 1 })])
        .succeeds_quietly()
        .json();
    assert!(answer["seconds"].as_f64() >= Some(0.029), "{answer}");
    assert!(answer["iterations"].as_u64() > Some(0), "{answer}");
}

#[test]
fn a_query_may_name_its_engine() {
    let answers = analyze(&[
        json!({ "game": "krk", "engine": "uct:iterations=40,threads=1" }),
        json!({ "game": "krk", "engine": "random" }),
        json!({ "game": "gomoku", "engine": "quintet", "iterations": 50, "memory": "1MiB" }),
    ]);
    let answers = answers.succeeds_quietly().json_lines();
    let iterations: Vec<_> = answers.iter().map(|answer| answer["iterations"].as_u64()).collect();
    assert_eq!(iterations, [Some(40), Some(0), Some(50)]);
}

#[test]
fn what_a_query_leaves_out_is_taken_from_the_flags() {
    let flags = ["analyze", "--iterations", "200", "--threads", "2", "--seed", "8"];
    let answer = |query: Value, flags: &[&str]| {
        without_seconds(quintet_reading(query.to_string(), flags).succeeds_quietly().json())
    };
    let full = json!({ "game": "qubic", "iterations": 200, "threads": 2, "seed": 8 });
    assert_eq!(answer(json!({ "game": "qubic" }), &flags), answer(full, &["analyze"]));
    let own = json!({ "game": "qubic", "iterations": 20, "threads": 1, "seed": 0 });
    assert_eq!(answer(own.clone(), &flags), answer(own, &["analyze"]));
}

#[test]
fn empty_lines_are_skipped_and_no_queries_get_no_answers() {
    assert_eq!(analyze(&[]).succeeds_quietly().stdout, "");
    assert_eq!(quintet_reading("\n  \n\r\n", ["analyze"]).succeeds_quietly().stdout, "");
    let query = r#"{"id":1,"game":"krk","iterations":5}"#;
    let run = quintet_reading(format!("\n{query}\r\n\n{query}"), ["analyze"]).succeeds_quietly();
    assert_eq!(run.json_lines().len(), 2, "the last line needs no end");
}

#[test]
fn each_answer_comes_before_the_next_query_is_written() {
    let mut command = command();
    command.arg("analyze").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the binary starts");
    let mut input = child.stdin.take().expect("it is piped");
    let output = BufReader::new(child.stdout.take().expect("it is piped"));
    let (sender, answers) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in output.lines() {
            sender.send(line.expect("it can be read")).expect("somebody waits for it");
        }
    });
    for id in 0..5 {
        let game = if id == 3 { "chess" } else { "krk" };
        writeln!(input, "{}", json!({ "id": id, "game": game, "iterations": 50 }))
            .expect("it can be written");
        let answer = answers.recv_timeout(TIMEOUT).inspect_err(|_| child.kill().expect("it can be stopped"));
        let answer: Value = serde_json::from_str(&answer.expect("it answers")).expect("the answer is JSON");
        assert_eq!((answer["id"].as_u64(), answer["error"].is_string()), (Some(id), id == 3), "{answer}");
    }
    drop(input);
    assert_eq!(child.wait().expect("it ends").code(), Some(1));
    reader.join().expect("the reader ends with the output");
    assert!(answers.try_recv().is_err(), "nothing comes after the last answer");
}
