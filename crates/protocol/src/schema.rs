//! The tests that `schema.json` and the tables of `docs/json.md` are what the types say.

use std::borrow::Cow;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::*;

/// An id may be anything.
impl JsonSchema for Id {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Value::json_schema(generator)
    }
}

/// Each kind of line: its name, what it is for, and its type's schema.
fn schema() -> Value {
    // A field that is always written, but may be null, need not be there when it is read.
    let mut reads = SchemaSettings::draft2020_12().into_generator();
    let mut writes = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let (mut lines, mut definitions) = (Map::new(), Map::new());
    macro_rules! add {
        ($($generator:ident $name:literal $what:literal $type:ty;)+) => {
            $(lines.insert($name.to_owned(), json!({
                "description": $what,
                "allOf": [$generator.subschema_for::<$type>()],
            }));
            let mut found = $generator.take_definitions(true);
            if stringify!($generator) == "writes" {
                found.values_mut().for_each(leave_out_null);
            }
            definitions.extend(found);)+
        };
    }
    add! {
        reads "query" "A line that `quintet analyze` reads: a position to search." Query;
        reads "action" "A line with the field `action` that `quintet analyze` reads." Action;
        writes "answer" "A line that `quintet analyze` and `quintet suggest --json` write." Answer;
        writes "solved position" "The line of `quintet solve --json`." SolvedPosition;
        writes "played game" "A line of the file that `quintet play --record` writes." PlayedGame;
        reads "replay record" "A line that `quintet replay` reads." ReplayRecord;
        writes "replay" "A line that `quintet replay --json` writes." ReplayLine;
        writes "converted game" "A line that `quintet convert` writes." ConvertedGame;
        reads "record to convert" "A line of game records that `quintet convert` reads." RecordToConvert;
        reads "certificate" "The first line of a certificate, which `quintet solve --certificate` writes and `quintet verify` reads." CertificateStart;
        reads "certificate turn" "Any other line of a certificate." CertificateTurn;
        writes "verify" "A line that `quintet verify --json` writes." VerifyLine;
        writes "game" "A line that `quintet games --json` writes." GameLine;
        writes "game record" "A line of the file that `quintet arena --out` writes." GameRecord;
        writes "playing game" "A line of the file that `quintet arena --out` keeps while games are played." PlayingGame;
        reads "opening" "A line of the file that `quintet arena --openings` reads." BookLine;
        writes "arena results" "The last line of `quintet arena --json`." ArenaResults;
        writes "bench" "A line that `quintet bench --json` writes." BenchLine;
        writes "span" "A line that `quintet bench --span --json` writes." SpanLine;
        writes "strength" "A line that `quintet bench strength --json` writes." StrengthLine;
        reads "problem" "A line of the files that `quintet suite` reads." Problem;
        writes "suite score" "A line that `quintet suite --json` writes." SuiteScore;
    }
    // Ids are read apart, since they are kept as they are written.
    let (id, terminated) = ("Any JSON value; the answer repeats it.", "The id, written as in the queries.");
    for case in definitions["Action"]["oneOf"].as_array_mut().expect("cases") {
        case["properties"]["id"] = json!({ "description": id });
        if case["properties"]["action"]["const"] == "terminate" {
            case["properties"]["terminate_id"] = json!({ "description": terminated });
            case["required"].as_array_mut().expect("names").push("terminate_id".into());
        }
    }
    definitions.values_mut().for_each(bound);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON lines of quintet",
        "lines": lines,
        "$defs": definitions,
    })
}

/// Says of the fields that are left out where there is nothing to say that they are never null.
fn leave_out_null(schema: &mut Value) {
    let required = schema["required"].clone();
    let is_required = |name: &str| required.as_array().is_some_and(|all| all.iter().any(|it| it == name));
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, field) in fields.into_iter().flatten().filter(|(name, _)| !is_required(name)) {
        let Some(field) = field.as_object_mut() else { continue };
        if let Some(Value::Array(kinds)) = field.get_mut("type") {
            kinds.retain(|it| it != "null");
            if let [only] = &kinds[..] {
                field["type"] = only.clone();
            }
        }
        if let Some(Value::Array(cases)) = field.get("anyOf")
            && let [Value::Object(only), _] = &cases[..]
        {
            let mut named = only.clone();
            field.shift_remove("anyOf");
            named.append(field);
            *field = named;
        }
    }
}

/// Adds the ends of the ranges of whole numbers, which schemars leaves out for all but small types.
fn bound(schema: &mut Value) {
    let ends = match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => Some((0, u32::MAX.into())),
        Some("uint64" | "uint") => Some((0, u64::MAX)),
        Some("int64") => Some((i64::MIN, i64::MAX as u64)),
        _ => None,
    };
    match schema {
        Value::Object(fields) => {
            if let Some((least, most)) = ends {
                fields.entry("minimum").or_insert_with(|| least.into());
                fields.entry("maximum").or_insert_with(|| most.into());
            }
            fields.values_mut().for_each(bound);
        }
        Value::Array(items) => items.iter_mut().for_each(bound),
        _ => {}
    }
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

/// The type of a field as the tables name it.
fn type_name(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.trim_start_matches("#/$defs/");
        return format!("[{name}](#{})", name.to_lowercase());
    }
    let plural = |name: String| match &name {
        _ if name.contains(" or ") => format!("({name})"),
        // Links and plurals stay as they are.
        _ if name.ends_with([')', 's']) => name,
        _ => name + "s",
    };
    let name = |kind: &Value| match kind.as_str().expect("a name") {
        "array" => {
            let count = schema["minItems"].as_u64().map_or(String::new(), |count| format!("{count} "));
            format!("array of {count}{}", plural(type_name(&schema["items"])))
        }
        "object" => format!("object of {}", plural(type_name(&schema["additionalProperties"]))),
        name => name.to_owned(),
    };
    if let Some(cases) = schema["anyOf"].as_array() {
        return cases.iter().map(type_name).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::Null => "any".to_owned(),
        Value::Array(kinds) => kinds.iter().map(name).collect::<Vec<_>>().join(" or "),
        kind => name(kind),
    }
}

/// What a type is for, and a table of its fields, or of the values or types that it may be.
fn table(schema: &Value) -> String {
    let meaning = |it: &Value| it["description"].as_str().expect("it is documented").replace('\n', " ");
    let head = schema["description"].as_str().expect("it is documented");
    let (columns, rows): (_, Vec<String>) = if let Some(fields) = schema["properties"].as_object() {
        let required = schema["required"].as_array().expect("some are");
        let row = |(name, field): (&String, &Value)| {
            let of_type = type_name(field);
            let is_optional = !required.iter().any(|it| it == name);
            // What may be absent may be null.
            let of_type = if is_optional {
                of_type.trim_end_matches(" or null").to_owned() + ", optional"
            } else {
                of_type
            };
            format!("| `{name}` | {of_type} | {} |", meaning(field))
        };
        ("| field | type | meaning |\n|---|---|---|", fields.iter().map(row).collect())
    } else {
        let cases = schema.get("oneOf").or(schema.get("anyOf")).and_then(Value::as_array);
        let row = |case: &Value| {
            let name =
                match (&case["const"], case["properties"].as_object().and_then(|tag| tag.iter().next())) {
                    (Value::String(value), _) => format!("`{value}`"),
                    (_, Some((tag, value))) if case.get("$ref").is_none() => {
                        format!("`\"{tag}\":{}`", value["const"])
                    }
                    (_, Some((tag, value))) => {
                        format!("{} with `\"{tag}\":{}`", type_name(case), value["const"])
                    }
                    _ => type_name(case),
                };
            // A case that is no type of its own has its fields here, after the tag. All may have an id.
            let fields = case["properties"].as_object().into_iter().flatten().skip(1);
            let fields = fields.filter(|(name, _)| *name != "id");
            let fields = fields.map(|(name, it)| format!("`{name}`: {}", meaning(it)));
            let sentences: Vec<String> = std::iter::once(meaning(case)).chain(fields).collect();
            format!("| {name} | {} |", sentences.join(" "))
        };
        ("| one of | meaning |\n|---|---|", cases.expect("cases").iter().map(row).collect())
    };
    format!("{head}\n\n{columns}\n{}", rows.join("\n"))
}

#[test]
fn the_tables_of_the_manual_are_those_of_the_types() {
    let path = "../../docs/json.md";
    if !std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").exists() {
        return; // A package of this crate alone.
    }
    let page = std::fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).expect("the page");
    let schema = schema();
    let mut types: Vec<&String> = schema["$defs"].as_object().expect("types").keys().collect();
    let (start, end) = ("<!-- fields: ", "<!-- end -->");
    let mut parts = page.split(start);
    let mut expected = parts.next().expect("the head").to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->").expect("a name");
        let (_, rest) = rest.split_once(end).expect("an end");
        assert!(expected.ends_with(&format!("# {name}\n\n")), "{path}: the links to {name} need a heading");
        types.retain(|it| *it != name);
        let table = table(&schema["$defs"][name]);
        expected += &format!("{start}{name} -->\n\n{table}\n\n{end}{rest}");
    }
    assert!(types.is_empty(), "{path} has no table of {types:?}");
    check_file(path, &expected);
}
