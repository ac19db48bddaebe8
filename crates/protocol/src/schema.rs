//! The test that `schema.json` is what the types say.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::*;

/// Each kind of line: its name, what it is for, and its type's schema.
fn schema() -> Value {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let mut lines = Map::new();
    macro_rules! add {
        ($($name:literal $what:literal $type:ty;)+) => {
            $(lines.insert($name.to_owned(), json!({
                "description": $what,
                "allOf": [generator.subschema_for::<$type>()],
            }));)+
        };
    }
    add! {
        "query" "A line that `quintet analyze` reads." Query;
        "answer" "A line that `quintet analyze` and `quintet suggest --json` write." Answer;
        "replay record" "A line that `quintet replay` reads." ReplayRecord;
        "replay" "A line that `quintet replay --json` writes." ReplayLine;
        "game" "A line that `quintet games --json` writes." GameLine;
        "game record" "A line of the file that `quintet arena --out` writes." GameRecord;
        "opening" "A line of the file that `quintet arena --openings` reads." BookLine;
        "arena results" "The last line of `quintet arena --json`." ArenaResults;
        "bench" "A line that `quintet bench --json` writes." BenchLine;
        "strength" "A line that `quintet bench strength --json` writes." StrengthLine;
        "problem" "A line of the files that `quintet suite` reads." Problem;
        "suite score" "A line that `quintet suite --json` writes." SuiteScore;
        "table position" "The line of `quintet table --json` with a position." LookedUp;
        "table" "The line of `quintet table --json` without a position." CountedTable;
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON lines of quintet",
        "lines": lines,
        "$defs": generator.take_definitions(true),
    })
}

/// Compares a file with its expected text; with `UPDATE_FILES` set, writes it.
fn check_file(path: &str, text: &str) {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_FILES").is_some() {
        std::fs::write(&path, text).expect("it can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{path} is not what the types say: set UPDATE_FILES=1 and run this test again");
}

#[test]
fn the_schema_is_that_of_the_types() {
    check_file("schema.json", &(serde_json::to_string_pretty(&schema()).expect("JSON") + "\n"));
}
