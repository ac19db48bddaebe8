//! Tests that numbers are accepted exactly where the JSON schema allows them.

use quintet_arena::ProgramConfig;
use quintet_arena::engine::Models;
use quintet_protocol::{GameRecord, PlayingGame, Request, SCHEMA};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::problem::check_problem;
use crate::query::{Context, prepare};

/// Whether a type of the schema is one of `kinds`, or may be.
fn is_a(schema: &Value, kinds: &[&str]) -> bool {
    let is_one = |it: &Value| it.as_str().is_some_and(|it| kinds.contains(&it));
    is_one(&schema["type"]) || schema["type"].as_array().is_some_and(|all| all.iter().any(is_one))
}

/// The pointers to all numbers of `line`, each with its part of the schema.
fn numbers(definitions: &Value, schema: &Value, line: &Value, pointer: &str) -> Vec<(String, Value)> {
    let below = |schema: &Value, name: &str| {
        let line = line.get(name).or_else(|| line.get(name.parse::<usize>().ok()?));
        let pointer = format!("{pointer}/{name}");
        let has_number = |it: &Value| !numbers(definitions, schema, it, &pointer).is_empty();
        match line {
            Some(line) => numbers(definitions, schema, line, &pointer),
            None if has_number(&json!({})) || has_number(&json!([0])) || has_number(&json!(0)) => {
                panic!("the line has no {pointer}")
            }
            None => Vec::new(),
        }
    };
    if let Some(name) = schema["$ref"].as_str() {
        let schema = &definitions[name.trim_start_matches("#/$defs/")];
        return numbers(definitions, schema, line, pointer);
    }
    if let Some(kinds) = schema["anyOf"].as_array() {
        return kinds.iter().flat_map(|it| numbers(definitions, it, line, pointer)).collect();
    }
    if is_a(schema, &["integer", "number"]) {
        return vec![(pointer.to_owned(), schema.clone())];
    }
    let fields = schema["properties"].as_object().into_iter().flatten();
    let mut all: Vec<_> = fields.flat_map(|(name, it)| below(it, name)).collect();
    if schema.get("items").is_some() {
        all.extend(below(&schema["items"], "0"));
    }
    if let (Some(schema), Some(object)) = (schema.get("additionalProperties"), line.as_object()) {
        all.extend(object.keys().flat_map(|name| below(schema, name)));
    }
    all
}

/// A number in JSON, as it is written, and its value if it is whole.
fn whole(number: &str) -> Option<i128> {
    let of_float = || number.parse::<f64>().ok().filter(|it| it.fract() == 0.0 && it.abs() < 1e30);
    number.parse().ok().or_else(|| of_float().map(|it| it as i128))
}

/// Whether the schema has a number.
fn has(schema: &Value, number: &str) -> bool {
    let order = |limit: &Value| {
        let limit = limit.to_string();
        match (whole(number), whole(&limit)) {
            (Some(number), Some(limit)) => number.cmp(&limit),
            _ => number.parse::<f64>().expect("a number").total_cmp(&limit.parse().expect("a number")),
        }
    };
    let is_of_type = is_a(schema, &["number"]) || whole(number).is_some();
    is_of_type
        && schema.get("minimum").is_none_or(|least| order(least).is_ge())
        && schema.get("maximum").is_none_or(|most| order(most).is_le())
        && schema["enum"]
            .as_array()
            .is_none_or(|all| all.iter().any(|it| it.is_number() && order(it).is_eq()))
}

/// Numbers in and beside the range of a part of the schema, in several forms.
fn probes(schema: &Value) -> Vec<String> {
    let mut probes: Vec<String> =
        ["-1", "-0.5", "0", "0.0", "0.75", "1", "1.0", "1.5", "50", "1e2", "255.0", "256", "1e300", "-1e19"]
            .map(str::to_owned)
            .to_vec();
    for limit in ["minimum", "maximum"].iter().filter_map(|end| whole(&schema[end].to_string())) {
        probes.extend([limit - 1, limit, limit + 1].map(|it| it.to_string()));
    }
    probes
}

fn query(line: &[u8]) -> Result<(), String> {
    let request = Request::parse(line).map_err(|wrong| wrong.error)?;
    let Request::Search(query) = request else { panic!("no query") };
    let config = ProgramConfig { games: quintet_games::registry(), ..ProgramConfig::default() };
    let context = Context { config: &config, models: &Models::default(), limits: None };
    match prepare(&query, &context) {
        // The other fields say how many there are.
        Err(wrong) if !wrong.error.contains(" is beyond the 1 moves") => Err(wrong.error),
        _ => Ok(()),
    }
}

fn read<T: DeserializeOwned>(line: &[u8]) -> Result<(), String> {
    quintet_protocol::read::<T>(quintet_protocol::object(line)?).map(|_| ())
}

fn problem(line: &[u8]) -> Result<(), String> {
    let mut problem = quintet_protocol::read(quintet_protocol::object(line)?)?;
    check_problem(&mut problem, &quintet_games::registry())
}

#[test]
fn the_numbers_of_the_schema_are_those_that_are_accepted() {
    type Accepts = fn(&[u8]) -> Result<(), String>;
    let thought = json!({ "value": 1, "proven": 50, "iterations": 1, "depth": 1, "ms": 1, "cpu_ms": 1 });
    let game = json!({
        "game": "krk", "rules": "spec", "pair": 1, "opening": [], "moves": ["Kc1-c2"], "seats": {},
        "arena": { "seed": 1, "openings": "", "engines": {} }, "thoughts": [thought], "seed": 1,
        "scores": { "white": 1 }, "end": "rules", "times": { "a": { "ms": 1, "cpu_ms": 1 } },
        "started_ms": 1, "moved_ms": 1,
    });
    let cases: [(&str, Value, Accepts); 4] = [
        (
            "Query",
            json!({
                "game": "krk", "moves": ["Kc1-c2"], "iterations": 1, "time_ms": 1, "threads": 1, "trees": 1, "seed": 1,
                "report_every_ms": 1, "priority": 1, "variations": 1, "analyze_plies": [1],
                "until": { "confidence": 1 },
            }),
            query,
        ),
        ("Problem", json!({ "game": "krk", "moves": [], "best": ["Kc1-c2"], "value": 100 }), problem),
        ("GameRecord", game.clone(), read::<GameRecord>),
        ("PlayingGame", game, read::<PlayingGame>),
    ];
    let schema: Value = serde_json::from_str(SCHEMA).expect("JSON");
    let definitions = &schema["$defs"];
    for (name, line, accepts) in cases {
        let fields = numbers(definitions, &definitions[name], &line, "");
        assert!(!fields.is_empty(), "{name}");
        for (pointer, schema) in fields {
            const PLACE: &str = "the place of the number";
            let mut line = line.clone();
            *line.pointer_mut(&pointer).expect("it is there") = PLACE.into();
            let line = line.to_string();
            for number in probes(&schema) {
                let line = line.replace(&format!("{PLACE:?}"), &number);
                let accepted = accepts(line.as_bytes());
                assert_eq!(
                    accepted.is_ok(),
                    has(&schema, &number),
                    "{name}{pointer}: {number}: {accepted:?}"
                );
            }
        }
    }
}
