//! `quintet analyze`: partial answers, many queries at a time, and actions.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::harness::{Child, VARIANTS, command, half_a_game, quintet, quintet_reading, without_seconds};

/// A running `quintet analyze`.
struct Analyze {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Analyze {
    fn start(args: &[&str]) -> Self {
        let mut command = command();
        command.arg("analyze").args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = Child::start(&mut command);
        let input = process.stdin.take().expect("piped");
        let output = BufReader::new(process.stdout.take().expect("piped"));
        Self { process, input, output }
    }

    fn write(&mut self, text: &str) {
        writeln!(self.input, "{text}").expect("it reads");
    }

    fn send(&mut self, line: &Value) {
        self.write(&line.to_string());
    }

    fn text(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("UTF-8");
        line.trim_end().to_owned()
    }

    fn next(&mut self) -> Value {
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"))
    }

    /// Ends the input; returns the answers that are left and the exit status.
    fn finish(mut self) -> (Vec<Value>, Option<i32>) {
        drop(self.input);
        let lines = self.output.lines().map(|line| line.expect("UTF-8"));
        let answers = lines.map(|line| serde_json::from_str(&line).expect("JSON")).collect();
        (answers, self.process.wait().expect("it ends").code())
    }
}

/// A query that is searched until it is terminated.
fn endless(id: &str) -> Value {
    json!({"id": id, "game": "gomoku", "moves": ["f6", "g7", "e6"], "time_ms": 3_600_000, "threads": 1})
}

fn small(id: &str) -> Value {
    json!({"id": id, "game": "quarto", "iterations": 100, "threads": 1})
}

fn ids(answers: &[Value]) -> Vec<&str> {
    answers.iter().map(|it| it["id"].as_str().expect("a text")).collect()
}

#[test]
fn the_session_of_the_manual_goes_as_it_says() {
    let Ok(page) = std::fs::read_to_string("docs/analyze.md") else {
        return; // A package has no docs.
    };
    let (_, rest) = page.split_once("```analyze\n").expect("a session");
    let (session, _) = rest.split_once("```").expect("its end");
    let mut analyze = Analyze::start(&[]);
    let mut answers = 0;
    for line in session.lines() {
        if let Some(query) = line.strip_prefix("> ") {
            analyze.write(query);
            continue;
        }
        let expected = line.strip_prefix("< ").expect("a direction");
        let answer = analyze.text();
        answers += 1;
        match expected.strip_suffix('…') {
            Some(start) => assert!(answer.starts_with(start), "{expected}\n{answer}"),
            None => assert_eq!(answer, expected),
        }
    }
    assert!(answers > 8);
    assert_eq!(analyze.finish(), (vec![], Some(1)));
}

#[test]
fn partial_answers_grow_and_the_last_one_is_as_without_them() {
    let query = json!({
        "id": "a", "game": "gomoku", "moves": ["f6", "g7", "e6", "white"], "iterations": 60_000, "threads": 2,
        "report_every_ms": 1, "variations": 2,
    });
    let answers = quintet_reading(query.to_string(), ["analyze"]).succeeds_quietly().json_lines();
    let (last, partial) = answers.split_last().expect("an answer");
    assert!(last.get("partial").is_none());
    let iterations = |it: &Value| it["iterations"].as_u64().expect("a number");
    assert!(answers.is_sorted_by_key(iterations), "{answers:?}");
    for it in partial {
        assert_eq!((&it["id"], &it["partial"], &it["ended"]), (&json!("a"), &json!(true), &Value::Null));
        assert!(it["candidates"].as_array().expect("moves").iter().all(|it| it["why"] == ""));
    }
    let mut alone = query;
    alone.as_object_mut().expect("an object").remove("report_every_ms");
    let alone = quintet_reading(alone.to_string(), ["analyze"]).succeeds_quietly().json();
    assert_eq!(without_seconds(last.clone()), without_seconds(alone));
}

#[test]
fn a_terminated_search_tells_what_it_has_found() {
    let mut analyze = Analyze::start(&["--concurrency", "2"]);
    let mut query = endless("long");
    query["report_every_ms"] = json!(100);
    analyze.send(&query);
    assert_eq!(analyze.next()["partial"], true);
    analyze.send(&json!({"id": 1, "action": "terminate", "terminate_id": "other"}));
    analyze.send(&json!({"id": 2, "action": "terminate", "terminate_id": "long"}));
    let mut answers = Vec::new();
    while answers.len() < 3 {
        let answer = analyze.next();
        if answer.get("partial").is_none() {
            answers.push(answer);
        }
    }
    assert_eq!((&answers[0]["id"], &answers[0]["terminated"]), (&json!(1), &json!(0)));
    let done = answers.iter().find(|it| it["id"] == 2).expect("an answer");
    assert_eq!((&done["terminate_id"], &done["terminated"]), (&json!("long"), &json!(1)));
    let last = answers.iter().find(|it| it["id"] == "long").expect("the last one");
    assert_eq!(last["ended"], "terminated");
    assert!(last["iterations"].as_u64() > Some(0) && last["move"].is_string());
    assert_eq!(analyze.finish(), (vec![], Some(0)));
}

#[test]
fn queries_that_wait_are_searched_by_priority_and_can_be_terminated() {
    let mut analyze = Analyze::start(&[]);
    let mut first = endless("first");
    first["report_every_ms"] = json!(1);
    analyze.send(&first);
    assert_eq!(analyze.next()["partial"], true);
    for (id, priority) in [("b", 0), ("low", -5), ("c", 0), ("high", 7), ("gone", 9)] {
        let mut query = small(id);
        query["priority"] = json!(priority);
        analyze.send(&query);
    }
    analyze.send(&json!({"action": "terminate", "terminate_id": "gone"}));
    analyze.send(&json!({"action": "terminate", "terminate_id": "first"}));
    let (answers, status) = analyze.finish();
    let answers: Vec<Value> =
        answers.into_iter().filter(|it| it["partial"] != true && it.get("action").is_none()).collect();
    assert_eq!(ids(&answers), ["gone", "first", "high", "b", "c", "low"]);
    assert_eq!(answers[0], json!({"id": "gone", "terminated": true}));
    assert_eq!(status, Some(0));
}

#[test]
fn all_queries_can_be_terminated_and_the_end_of_input_may_do_that() {
    let mut analyze = Analyze::start(&["--concurrency", "2"]);
    for id in ["a", "b", "c", "d"] {
        analyze.send(&endless(id));
    }
    // A wrong line is no query.
    analyze.send(&json!({"id": "wrong", "game": "nope"}));
    analyze.send(&json!({"id": "all", "action": "terminate_all"}));
    let (answers, _) = analyze.finish();
    assert!(answers.iter().any(|it| it["id"] == "wrong" && it["error"].is_string()), "{answers:?}");
    let all = answers.iter().find(|it| it["id"] == "all").expect("an answer");
    assert_eq!(all["terminated"], 4);
    let waited = answers.iter().filter(|it| it["terminated"] == true).count();
    assert!(waited >= 2, "{answers:?}");

    let mut analyze = Analyze::start(&["--drop-waiting"]);
    let mut first = json!({"id": "first", "game": "pentago", "iterations": 300_000, "threads": 1});
    first["report_every_ms"] = json!(1);
    analyze.send(&first);
    assert_eq!(analyze.next()["partial"], true);
    analyze.send(&small("second"));
    let (answers, status) = analyze.finish();
    assert!(answers.contains(&json!({"id": "second", "terminated": true})), "{answers:?}");
    assert!(answers.iter().any(|it| it["id"] == "first" && it.get("partial").is_none()), "{answers:?}");
    assert_eq!(status, Some(0));
}

#[test]
fn several_queries_at_a_time_have_the_answers_of_one_at_a_time() {
    let queries: Vec<Value> = VARIANTS
        .iter()
        .flat_map(|(game, rules)| {
            let moves = half_a_game(game, rules);
            [1, 2].map(|threads| {
                json!({
                    "id": format!("{game} {rules} {threads}"), "game": game, "rules": rules, "moves": moves,
                    "iterations": 400, "threads": threads, "seed": 3, "variations": 3,
                })
            })
        })
        .collect();
    let lines: Vec<String> = queries.iter().map(Value::to_string).collect();
    let answers = |concurrency| {
        let run = quintet_reading(lines.join("\n"), ["analyze", "--concurrency", concurrency]);
        let mut answers: Vec<Value> =
            run.succeeds_quietly().json_lines().into_iter().map(without_seconds).collect();
        answers.sort_by_key(|it| it["id"].to_string());
        answers
    };
    let one = answers("1");
    assert_eq!(one.len(), queries.len());
    assert_eq!(answers("4"), one);
}

#[test]
fn the_plies_of_a_game_are_answered_like_queries_of_their_own() {
    for (game, rules) in VARIANTS {
        let moves = half_a_game(game, rules);
        let query = |moves: &[String], more: Value| {
            let mut query =
                json!({"game": game, "rules": rules, "moves": moves, "iterations": 200, "threads": 1});
            query.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            query.to_string()
        };
        let plies = [0, moves.len() / 2, moves.len()];
        let all = query(&moves, json!({"analyze_plies": plies}));
        let singles = plies.map(|ply| query(&moves[..ply], json!({})));
        let lines = std::iter::once(all).chain(singles).collect::<Vec<_>>().join("\n");
        let answers = quintet_reading(lines, ["analyze"]).succeeds_quietly().json_lines();
        assert_eq!(answers.len(), 6, "{game} {rules}");
        for (index, ply) in plies.into_iter().enumerate() {
            let mut of_ply = without_seconds(answers[index].clone());
            assert_eq!(of_ply.as_object_mut().and_then(|it| it.shift_remove("ply")), Some(json!(ply)));
            assert_eq!(of_ply, without_seconds(answers[3 + index].clone()), "{game} {rules}");
        }
    }
}

#[test]
fn a_search_chooses_among_the_moves_that_it_may() {
    for (game, rules) in VARIANTS {
        let moves = half_a_game(game, rules);
        let query = |field: &str, list: &[&str]| {
            let query = json!({
                "game": game, "rules": rules, "moves": moves, "iterations": 300, "threads": 2,
                "variations": 99, field: list,
            });
            quintet_reading(query.to_string(), ["analyze"]).succeeds_quietly().json()
        };
        let candidates = |answer: &Value| -> Vec<String> {
            let list = answer["candidates"].as_array().expect("moves").iter();
            let mut tokens: Vec<String> =
                list.map(|it| it["move"].as_str().expect("a token").to_owned()).collect();
            tokens.sort();
            tokens
        };
        let legal = candidates(&query("avoid_moves", &[]));
        let (some, others) = legal.split_at(2.min(legal.len() - 1));
        let some: Vec<&str> = some.iter().map(String::as_str).collect();
        let allowed = query("allow_moves", &some);
        assert_eq!(candidates(&allowed), some, "{game} {rules}");
        for candidate in allowed["candidates"].as_array().expect("moves") {
            assert_eq!(candidate["pv"][0], candidate["move"], "{game} {rules}");
        }
        assert_eq!(candidates(&query("avoid_moves", &some)), others, "{game} {rules}");
    }
}

#[test]
fn a_search_ends_when_it_is_sure_enough() {
    let query = |confidence: f64| {
        let query = json!({
            "game": "pentago", "moves": ["a1"], "iterations": 400_000, "threads": 1, "until": {"confidence": confidence},
        });
        let run = || quintet_reading(query.to_string(), ["analyze"]).succeeds_quietly().json();
        let (answer, again) = (run(), run());
        assert_eq!(answer["iterations"], again["iterations"]);
        answer
    };
    let (little, much) = (query(0.5), query(0.7));
    for (answer, confidence) in [(&little, 0.5), (&much, 0.7)] {
        assert!(answer["confidence"].as_f64() >= Some(confidence), "{answer}");
        assert_eq!(answer["ended"], "confident");
    }
    assert!(little["iterations"].as_u64() < much["iterations"].as_u64());
}

#[test]
fn trees_are_kept_between_queries_of_a_game() {
    // Team X has not begun by its strategy, so nothing is solved.
    const MOVES: [&str; 4] = ["r2", "c1", "l1", "r1"];
    let query = |moves: &[&str], keep: Value| {
        json!({"game": "qubic", "moves": moves, "iterations": 1_000, "threads": 1, "keep": keep}).to_string()
    };
    let lines = [
        query(&MOVES, json!("a")),
        query(&MOVES, json!("a")),
        query(&MOVES, json!("b")),
        query(&MOVES, json!("a")),
        query(&MOVES, Value::Null),
    ];
    let answers = quintet_reading(lines.join("\n"), ["analyze"]).succeeds_quietly().json_lines();
    let visits = |answer: &Value| -> u64 {
        let candidates = answer["candidates"].as_array().expect("moves").iter();
        candidates.map(|it| it["visits"].as_u64().expect("a number")).sum()
    };
    let visits: Vec<u64> = answers.iter().map(visits).collect();
    assert_eq!(visits, [1_000, 2_000, 1_000, 3_000, 1_000]);
    // A position that follows has the visits that its move had.
    let next = answers[3]["move"].as_str().expect("a token");
    let before = answers[3]["candidates"][0]["visits"].as_u64().expect("a number");
    let lines = [
        query(&MOVES, json!("a")),
        query(&MOVES, json!("a")),
        query(&MOVES, json!("a")),
        query(&[&MOVES[..], &[next]].concat(), json!("a")),
    ];
    let answers = quintet_reading(lines.join("\n"), ["analyze"]).succeeds_quietly().json_lines();
    let last: u64 = {
        let candidates = answers[3]["candidates"].as_array().expect("moves").iter();
        candidates.map(|it| it["visits"].as_u64().expect("a number")).sum()
    };
    assert!(last > 1_000 && last <= 1_000 + before, "{last} of {before}");
}

#[test]
fn the_games_are_those_of_the_command_with_their_boards() {
    let listed = quintet(["games", "--json"]).succeeds_quietly().json_lines();
    let answer = quintet_reading(r#"{"id":1,"action":"games"}"#, ["analyze"]).succeeds_quietly().json();
    let games = answer["games"].as_array().expect("games");
    assert_eq!(games.len(), listed.len());
    for (game, listed) in games.iter().zip(&listed) {
        let mut game = game.clone();
        let fields = game.as_object_mut().expect("an object");
        let layout = fields.shift_remove("layout").expect("a board");
        assert!(layout["glyphs"].as_array().is_some_and(|it| it.len() > 1), "{layout}");
        let sides = fields.shift_remove("sides").expect("sides");
        assert_eq!(sides.as_array().map(Vec::len), listed["roles"].as_array().map(Vec::len));
        assert_eq!(game, *listed);
    }
}

#[test]
fn a_replay_is_that_of_the_command_with_pictures() {
    for (game, rules) in VARIANTS {
        let moves = half_a_game(game, rules);
        let record = json!({"game": game, "rules": rules, "moves": moves});
        let checked =
            quintet_reading(record.to_string(), ["replay", "--json", "-"]).succeeds_quietly().json();
        let mut line = record;
        line["action"] = json!("replay");
        line["pictures"] = json!(true);
        let shown = quintet_reading(line.to_string(), ["analyze"]).succeeds_quietly().json();
        let (steps, checked) = (shown["steps"].as_array(), checked["steps"].as_array());
        let (steps, checked) = (steps.expect("steps"), checked.expect("steps"));
        assert_eq!(steps.len(), moves.len() + 1);
        for (index, (step, checked)) in steps.iter().zip(checked).enumerate() {
            for field in ["to_move", "legal", "terminal", "scores"] {
                assert_eq!(step[field], checked[field], "{game} {rules} {index}");
            }
            assert!(step["picture"]["places"].is_string());
            assert_eq!(step.get("effects").is_some(), index == moves.len());
        }
        let last = &steps[moves.len()];
        let effects = last["effects"].as_object().expect("effects");
        let mut tokens: Vec<&String> = effects.keys().collect();
        tokens.sort();
        assert_eq!(json!(tokens), last["legal"], "{game} {rules}");
        // The position string leads to the same position.
        let from_there =
            json!({"action": "replay", "game": game, "rules": rules, "position": last["position"]});
        let again = quintet_reading(from_there.to_string(), ["analyze"]).succeeds_quietly().json();
        assert_eq!(again["steps"][0]["legal"], last["legal"]);
    }
}

#[test]
fn a_tournament_is_summed_up_as_the_arena_does_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("games.jsonl");
    let file = file.to_str().expect("UTF-8");
    let args = ["arena", "krk,quarto", "--engine", "random", "--engine", "uct:iterations=20,threads=1"];
    let more = ["--games", "4", "--out", file, "--json"];
    let run = quintet([&args[..], &more].concat());
    let results = run.json_lines().pop().expect("results");
    let records = std::fs::read_to_string(file).expect("the records");
    let records: Vec<Value> = records.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let sum_up = |records: &[Value]| {
        let line = json!({"id": 1, "action": "tournament", "records": records});
        quintet_reading(line.to_string(), ["analyze"]).json()
    };
    assert_eq!(sum_up(&records)["summary"]["results"], results["results"]);
    let twice = sum_up(&[records[0].clone(), records[0].clone()]);
    assert_eq!(twice["error"], "record 2: this game is there already");
    let line = json!({"action": "watch", "file": file});
    let none = quintet_reading(line.to_string(), ["analyze"]).json();
    assert!(none["error"].as_str().is_some_and(|it| it.starts_with("file: there is no ")), "{none}");
}

#[test]
fn wrong_fields_are_named() {
    for (line, error) in [
        (
            json!({"game": "krk", "until": {"confidence": 1.5}}),
            "until: the confidence 1.5 is not from 0.5 to 1",
        ),
        (json!({"game": "krk", "until": {}}), "until: missing field `confidence`"),
        (json!({"game": "krk", "report_every_ms": 0}), "report_every_ms: invalid value"),
        (json!({"game": "krk", "variations": 0}), "variations: invalid value"),
        (json!({"game": "krk", "priority": "high"}), "priority: invalid type"),
        (json!({"game": "krk", "analyze_plies": [1]}), "analyze_plies: 1 is beyond the 0 moves"),
        (json!({"game": "krk", "analyze_plies": []}), "analyze_plies: there is no ply"),
        (json!({"game": "krk", "analyze_plies": [0, 0]}), "analyze_plies: 0 is there twice"),
        (json!({"game": "krk", "avoid_moves": ["x"]}), "avoid_moves: \"x\" is no legal move"),
        (json!({"game": "krk", "allow_moves": []}), "allow_moves: no legal move is left"),
        (
            json!({"game": "krk", "allow_moves": ["Kc1-b1"], "avoid_moves": ["Kc1-b1"]}),
            "give allow_moves or avoid_moves, not both",
        ),
        (json!({"game": "krk", "keep": "x".repeat(1001)}), "keep: the name has more than 1000 characters"),
        (json!({"action": "terminate"}), "missing field `terminate_id`"),
        (json!({"action": "version", "terminate_id": 1}), "only the action `terminate` has a `terminate_id`"),
        (json!({"action": "fly"}), "action: unknown variant `fly`"),
        (json!({"action": 7}), "action: "),
        (json!({"action": "version", "game": "krk"}), "unknown field `game`"),
        (json!({"action": "replay", "game": "krk", "moves": ["Kc1-c2", "x"]}), "move 2: illegal move \"x\""),
        (json!({"action": "replay", "game": "krk", "position": "k3"}), "position"),
        (json!({"action": "replay", "game": "chess"}), "unknown game \"chess\""),
    ] {
        let run = quintet_reading(line.to_string(), ["analyze"]);
        let answer = run.json();
        let found = answer["error"].as_str().unwrap_or_default();
        assert!(found.contains(error), "{line}: {answer}");
        assert_eq!(run.code, Some(1));
    }
}

#[test]
fn a_broken_line_among_many_queries_changes_nothing_for_them() {
    let mut lines = vec!["{".to_owned(), "[]".to_owned(), "\u{0}".to_owned()];
    lines.extend((0..20).map(|number| small(&number.to_string()).to_string()));
    lines.insert(10, r#"{"id":"x","game":"krk","nonsense":1}"#.to_owned());
    let run = quintet_reading(lines.join("\n"), ["analyze", "--concurrency", "3"]);
    assert_eq!(run.code, Some(1));
    let answers = run.json_lines();
    assert_eq!(answers.iter().filter(|it| it.get("error").is_some()).count(), 4);
    assert_eq!(answers.iter().filter(|it| it.get("move").is_some()).count(), 20);
}
