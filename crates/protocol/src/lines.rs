//! JSON objects from a stream, one per line.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, Read as _};

use serde::de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// The maximum length of a line in bytes; a file without line ends would otherwise be read into
/// memory as a whole.
pub const LONGEST_LINE: u64 = 16 << 20;

/// Reads the next line, without its end and the blanks before it. `None` at the end of the input. If
/// the line is too long, skips its rest and returns an inner error.
///
/// # Errors
/// Those of the reader.
pub fn next_line(input: &mut dyn BufRead) -> io::Result<Option<Result<Vec<u8>, String>>> {
    let mut line = next_whole_line(input)?;
    if let Some(Ok(line)) = &mut line {
        line.truncate(line.trim_ascii_end().len());
    }
    Ok(line)
}

/// Reads the [next line](next_line) as it is, with its end.
///
/// # Errors
/// Those of the reader.
pub fn next_whole_line(input: &mut dyn BufRead) -> io::Result<Option<Result<Vec<u8>, String>>> {
    let mut line = Vec::new();
    let read = (&mut *input).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
        skip_line(input)?;
        return Ok(Some(Err(format!("the line is longer than {LONGEST_LINE} bytes"))));
    }
    Ok(Some(Ok(line)))
}

fn skip_line(input: &mut dyn BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (used, done) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

/// Parses a line as a JSON object. Skips a byte order mark, which some editors write before the
/// first line. A number without a fraction is a whole number, as in JSON Schema: `1000.0` and `1e3`
/// are 1000.
///
/// # Errors
/// A message that says what is wrong. A field that is given twice is.
pub fn object(line: &[u8]) -> Result<Map<String, Value>, String> {
    if line.is_empty() {
        return Err("the line is empty".to_owned());
    }
    match serde_json::from_slice(content(line)) {
        Ok(Strict(Value::Object(object))) => Ok(object),
        Ok(_) => Err("not a JSON object".to_owned()),
        Err(error) if error.is_data() => Err(reason(&error)),
        Err(error) => Err(not_object(&error)),
    }
}

/// A JSON value in which no object has a field twice, and no number without a fraction a point or an
/// exponent.
pub(crate) struct Strict(pub(crate) Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ReadsStrictly)
    }
}

/// What is wrong with an object that has a field twice.
pub(crate) fn twice(name: &str) -> String {
    shortened(&format!("the field `{name}` is given twice"))
}

struct ReadsStrictly;

impl<'de> Visitor<'de> for ReadsStrictly {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Strict(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Strict, E> {
        // A whole number just outside of 64 bits is rounded to one of these.
        let (least, most) = (i64::MIN as f64, u64::MAX as f64);
        Ok(Strict(if value.fract() != 0.0 || value <= least || value >= most {
            value.into()
        } else if value < 0.0 {
            (value as i64).into()
        } else {
            (value as u64).into()
        }))
    }

    fn visit_str<E>(self, value: &str) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Strict, A::Error> {
        let mut array = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Strict(array.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Strict, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(twice(&name)));
            }
            let Strict(value) = fields.next_value()?;
            object.insert(name, value);
        }
        Ok(Strict(object.into()))
    }
}

/// Returns a line without a byte order mark.
pub(crate) fn content(line: &[u8]) -> &[u8] {
    line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line)
}

/// Says why a line is no JSON object.
pub(crate) fn not_object(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Data => "not a JSON object".to_owned(),
        _ => format!("not JSON: {}", reason(error)),
    }
}

/// Converts an object into a `T`. A field that is null is absent.
///
/// # Errors
/// A message that says what is wrong, with the name of the field.
pub fn read<T: DeserializeOwned>(mut object: Map<String, Value>) -> Result<T, String> {
    object.retain(|_, value| !value.is_null());
    read_at(object).map_err(|(field, reason)| named(field.as_deref(), reason))
}

/// Converts an object, whose field `tag` says which case of an enum it is, into a `T`. In the type, the
/// fields stand below the name of the case: beside it, serde would not tell which of them is wrong.
pub(crate) fn read_tagged<T: DeserializeOwned>(
    tag: &str,
    mut object: Map<String, Value>,
) -> Result<T, String> {
    let Some(Value::String(name)) = object.shift_remove(tag) else {
        return Err(format!("{tag}: expected a string"));
    };
    object.retain(|_, value| !value.is_null());
    read_at(Map::from_iter([(name.clone(), object.into())])).map_err(|(field, reason)| match field {
        None => named(Some(tag), reason),
        Some(field) => named(field.strip_prefix(&name).and_then(|it| it.strip_prefix('.')), reason),
    })
}

/// Converts an object into a `T`. The error is the field that is wrong, if it is one, and what is wrong.
fn read_at<T: DeserializeOwned>(object: Map<String, Value>) -> Result<T, (Option<String>, String)> {
    serde_path_to_error::deserialize(Value::Object(object)).map_err(|error| {
        let field = Some(error.path().to_string()).filter(|it| it != ".");
        (field, without_place(error.inner()))
    })
}

fn named(field: Option<&str>, reason: String) -> String {
    match field {
        None => reason,
        Some(field) => format!("{}: {reason}", shortened(field)),
    }
}

/// What is wrong with a line, and in which column. The line number of the error is always 1 and
/// left out.
#[must_use]
pub fn reason(error: &serde_json::Error) -> String {
    format!("{} (column {})", without_place(error), error.column())
}

pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // An error in a value, not in a text, has no place.
    let place = if error.line() > 0 { text.rfind(" at line ") } else { None };
    shortened(&in_words(&text[..place.unwrap_or(text.len())]))
}

/// Replaces the type that serde expects, as Rust calls it, by what JSON has for it.
fn in_words(message: &str) -> Cow<'_, str> {
    const EXPECTED: &str = ", expected ";
    let Some((found, expected)) = message.rsplit_once(EXPECTED) else { return message.into() };
    let words: Cow<'_, str> = match expected {
        "f32" | "f64" => "a number".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "an array".into(),
        "a map" => "an object".into(),
        _ if expected.starts_with("struct ") => "an object".into(),
        _ => match whole_numbers(expected) {
            Some((least, most)) => format!("a whole number from {least} to {most}").into(),
            None => return message.into(),
        },
    };
    format!("{found}{EXPECTED}{words}").into()
}

/// The range of a type of whole numbers, as serde calls it.
fn whole_numbers(name: &str) -> Option<(i64, u64)> {
    let (name, is_zero_out) = match name.strip_prefix("a nonzero ") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let (least, most) = match name {
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" => (0, u64::MAX),
        "usize" => (0, usize::MAX as u64),
        "i64" => (i64::MIN, i64::MAX as u64),
        _ => return None,
    };
    Some((if is_zero_out { 1 } else { least }, most))
}

/// Returns a message of serde with at most 200 characters of each text that it quotes, and with
/// escapes for characters that a terminal would not print.
fn shortened(message: &str) -> String {
    const MOST: usize = 200;
    let cut = |piece: &str, most| match piece.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &piece[..end]),
        None => piece.to_owned(),
    };
    let pieces: Vec<String> = message.split('"').map(|piece| cut(piece, MOST)).collect();
    let message = pieces.join("\"");
    let pieces: Vec<String> = message.split('`').map(|piece| cut(piece, MOST)).collect();
    // Quotes within what is quoted may leave more.
    let escaped = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        _ => c.escape_debug().to_string(),
    };
    cut(&pieces.join("`"), 5 * MOST).chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_quote_the_beginning_of_a_long_text() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Line {
            #[serde(rename = "number")]
            _number: u8,
        }
        let long = "x".repeat(100_000);
        for line in [
            format!(r#"{{"number":"{long}"}}"#),
            format!(r#"{{"{long}":7}}"#),
            format!(r#"{{"number":"{}"}}"#, "`\\\"".repeat(50_000)),
        ] {
            let error = read::<Line>(object(line.as_bytes()).expect("an object")).expect_err("wrong");
            let shown: String = error.chars().take(2_000).collect();
            assert!(shown.chars().count() < 1_500 && !error.contains(&long[..201]), "{shown}");
        }
    }

    #[test]
    fn errors_show_what_is_wrong_as_it_is_written() {
        let wrong = |line: &str| {
            read::<std::collections::HashMap<String, u8>>(object(line.as_bytes()).expect("an object"))
                .expect_err("wrong")
        };
        assert_eq!(
            wrong(r#"{"a":"b at line 7"}"#),
            r#"a: invalid type: string "b at line 7", expected a whole number from 0 to 255"#
        );
        assert_eq!(in_words("invalid type: map, expected struct X"), "invalid type: map, expected an object");
        assert_eq!(in_words("an x, expected y"), "an x, expected y");
        let control = wrong(r#"{"\u001b[2J\u202e":"x"}"#);
        assert!(control.starts_with(r"\u{1b}[2J\u{202e}: "), "{control}");
    }

    #[test]
    fn a_number_without_a_fraction_is_a_whole_number() {
        let read = |number: &str| {
            let line = format!(r#"{{"a":[{{"b":{number}}}]}}"#);
            Value::Object(object(line.as_bytes()).expect("an object"))["a"][0]["b"].to_string()
        };
        for (number, whole) in [
            ("1000.0", "1000"),
            ("1e3", "1000"),
            ("-2.50e1", "-25"),
            ("-0.0", "0"),
            ("1e18", "1000000000000000000"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
        ] {
            assert_eq!(read(number), whole, "{number}");
        }
        for number in ["0.5", "-1.5", "1e300", "18446744073709551616", "-9223372036854775809"] {
            assert_eq!(read(number).parse::<f64>(), number.parse(), "{number}");
            let wrong = read_as::<u64>(number);
            assert!(wrong.starts_with("a: invalid type: floating point `"), "{wrong}");
        }
    }

    /// What is wrong with a number that is read as a `T`.
    fn read_as<T: DeserializeOwned + std::fmt::Debug>(number: &str) -> String {
        let line = format!(r#"{{"a":{number}}}"#);
        let object = object(line.as_bytes()).expect("an object");
        read::<std::collections::HashMap<String, T>>(object).expect_err("wrong")
    }

    #[test]
    fn a_wrong_number_is_told_the_range() {
        use std::num::NonZeroU64;
        let range = |wrong: String| wrong.rsplit_once("expected ").map(|it| it.1.to_owned());
        for (wrong, expected) in [
            (read_as::<u8>("-1"), "a whole number from 0 to 255"),
            (read_as::<u32>("4294967296"), "a whole number from 0 to 4294967295"),
            (read_as::<u64>("-5"), "a whole number from 0 to 18446744073709551615"),
            (read_as::<NonZeroU64>("-5"), "a whole number from 1 to 18446744073709551615"),
            (read_as::<NonZeroU64>("0"), "a whole number from 1 to 18446744073709551615"),
            (read_as::<i64>("1.5"), "a whole number from -9223372036854775808 to 9223372036854775807"),
            (read_as::<f64>("true"), "a number"),
        ] {
            assert_eq!(range(wrong).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_field_is_given_once() {
        let wrong = |line: &str| object(line.as_bytes()).expect_err("twice");
        assert_eq!(wrong(r#"{"a":1,"b":2,"a":1}"#), "the field `a` is given twice (column 16)");
        assert_eq!(wrong(r#"{"x":[{"a":{},"\u0061":1}]}"#), "the field `a` is given twice (column 22)");
        let long = "x".repeat(100_000);
        assert!(wrong(&format!(r#"{{"{long}":1,"{long}":1}}"#)).len() < 300);
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(object("\u{feff}{}".as_bytes()), Ok(Map::new()));
        assert_eq!(
            object("\u{feff}".as_bytes()),
            Err("not JSON: EOF while parsing a value (column 0)".into())
        );
    }
}
