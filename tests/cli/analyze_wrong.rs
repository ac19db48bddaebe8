//! `quintet analyze`: wrong queries get an error with their id, and the next lines are still
//! answered.

use serde_json::{Value, json};

use crate::harness::{fields, quintet_reading, state_after, strings};

/// Sends these lines, each between two valid queries, and returns the ids and the errors of their answers.
#[track_caller]
fn errors_of<T: AsRef<[u8]>>(wrong: impl IntoIterator<Item = T>) -> Vec<(Value, String)> {
    let right = br#"{"id":"right","game":"krk","engine":"uct","iterations":20,"threads":1}"#;
    let mut lines = vec![right.to_vec()];
    for line in wrong {
        lines.extend([line.as_ref().to_vec(), right.to_vec()]);
    }
    let run = quintet_reading(lines.join(&b'\n'), ["analyze", "--threads", "1"]).exits(1);
    assert_eq!(run.stderr, "");
    let answers = run.json_lines();
    // Errors come at once, and in order; answers when they are found.
    let (errors, right): (Vec<_>, Vec<_>) = answers.into_iter().partition(|it| it["error"].is_string());
    assert_eq!((errors.len(), right.len()), (lines.len() / 2, lines.len() / 2 + 1), "{run}");
    assert!(right.iter().all(|it| it["id"] == "right" && it["iterations"] == 20), "{run}");
    let error = |answer: Value| {
        assert_eq!(fields(&answer), "error id");
        let error = answer["error"].as_str().unwrap_or_default().to_owned();
        assert!(!error.is_empty(), "{answer}");
        (answer["id"].clone(), error)
    };
    errors.into_iter().map(error).collect()
}

fn error_of(wrong: impl AsRef<[u8]>) -> (Value, String) {
    errors_of([wrong]).remove(0)
}

#[test]
fn a_query_with_a_mistake_gets_an_error_with_its_id() {
    let cases = [
        (json!({}), "game"),
        (json!({ "game": "chess" }), "chess"),
        (json!({ "game": 5 }), "string"),
        (json!({ "game": "krk", "rules": "house" }), "house"),
        (json!({ "game": "krk", "depth": 3 }), "depth"),
        (json!({ "game": "krk", "Iterations": 3 }), "Iterations"),
        (json!({ "game": "krk", "moves": "Kc1-c2" }), "Kc1-c2"),
        (json!({ "game": "krk", "moves": [5] }), "5"),
        (json!({ "game": "krk", "position": "k3/4/4/2KR x 1" }), "side to move"),
        (json!({ "game": "krk", "position": "" }), "position"),
        (json!({ "game": "krk", "engine": "deep" }), "deep"),
        (json!({ "game": "krk", "engine": "uct:depth=3" }), "depth"),
        (json!({ "game": "krk", "engine": "uct:c=-1" }), "exploration"),
        (json!({ "game": "krk", "iterations": 0 }), "iteration"),
        (json!({ "game": "krk", "iterations": -1 }), "-1"),
        (json!({ "game": "krk", "iterations": 1.5 }), "1.5"),
        (json!({ "game": "krk", "iterations": "100" }), "100"),
        (json!({ "game": "krk", "time_ms": 0 }), "time"),
        (json!({ "game": "krk", "time_ms": -1 }), "-1"),
        (json!({ "game": "krk", "threads": 0 }), "0"),
        (json!({ "game": "krk", "threads": 1_000_000_000 }), "at most 1024"),
        (json!({ "game": "krk", "seed": -1 }), "-1"),
        (json!({ "game": "krk", "memory": "1KiB", "threads": 1 }), "memory"),
        (json!({ "game": "krk", "memory": "plenty" }), "plenty"),
        (json!({ "game": "krk", "memory": 5 }), "5"),
    ];
    let queries = cases.map(|(mut query, part)| {
        query["id"] = json!({ "of": part });
        (query, part)
    });
    let errors = errors_of(queries.iter().map(|(query, _)| query.to_string()));
    for ((query, part), (id, error)) in queries.iter().zip(errors) {
        assert_eq!(id, query["id"]);
        assert!(error.contains(part), "{query}: {error}");
    }
}

#[test]
fn an_illegal_move_is_named_with_its_ply_and_the_legal_moves() {
    let (_, error) = error_of(r#"{"id":1,"game":"krk","moves":["Kc1-c2","z9"]}"#);
    assert!(error.contains("ply 2") && error.contains("z9"), "{error}");
    for token in strings(&state_after("krk", "spec", &["Kc1-c2".into()])["legal"]) {
        assert!(error.contains(token), "{token} in {error}");
    }
    let (_, error) = error_of(r#"{"id":1,"game":"krk","moves":["Kc1-b2","ka4-b4","Rd1-d4","kb4-a4"]}"#);
    assert!(error.contains("ply 4") && error.contains("over"), "{error}");
}

#[test]
fn what_is_no_json_object_gets_an_error_without_an_id() {
    let texts = [
        "nonsense",
        "5",
        "null",
        "\"krk\"",
        "[]",
        r#"[1,"krk"]"#,
        "{",
        r#"{"id":1,"game":"krk""#,
        r#"{"id":1,"game":"krk","iterations":5} {"id":2}"#,
        r#"{"id":1,"game":"krk",}"#,
        "\u{FEFF}",
    ];
    let bytes = [&b"\xFF\xFE\x00\x01"[..], b"{\"id\":1,\"game\":\"kr\xFF\"}", b"\x00"];
    let deep = "[".repeat(100_000);
    let wrong: Vec<&[u8]> =
        texts.iter().map(|it| it.as_bytes()).chain(bytes).chain([deep.as_bytes()]).collect();
    for (wrong, (id, _)) in wrong.iter().zip(errors_of(&wrong)) {
        assert_eq!(id, Value::Null, "{}", String::from_utf8_lossy(&wrong[..wrong.len().min(50)]));
    }
}

#[test]
fn a_time_beyond_all_clocks_does_not_end_the_session() {
    let queries = [
        r#"{"id":1,"game":"krk","moves":["Kc1-b2"],"engine":"uct:time=580000000000years"}"#,
        r#"{"id":2,"game":"krk","moves":["Kc1-b2"],"time_ms":18446744073709551615}"#,
    ];
    let run = quintet_reading(queries.join("\n"), ["analyze"]);
    let ids: Vec<Value> = run.json_lines().into_iter().map(|mut answer| answer["id"].take()).collect();
    assert_eq!(ids, [json!(1), json!(2)], "{run}");
}

#[test]
fn wrong_flags_are_refused_before_anything_is_read() {
    let run = quintet_reading(r#"{"id":1,"game":"krk","iterations":5}"#, ["analyze", "--iterations", "0"]);
    run.refused();
}
