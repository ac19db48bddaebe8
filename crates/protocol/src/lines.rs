//! JSON objects from a stream, one per line.

use std::borrow::Cow;
use std::io::{self, BufRead, Read as _};

use serde::de::DeserializeOwned;
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
/// first line.
///
/// # Errors
/// A message that says what is wrong.
pub fn object(line: &[u8]) -> Result<Map<String, Value>, String> {
    if line.is_empty() {
        return Err("the line is empty".to_owned());
    }
    serde_json::from_slice(content(line)).map_err(|error| not_object(&error))
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

/// Converts an object into a `T`.
///
/// # Errors
/// A message that says what is wrong, with the name of the field.
pub fn read<T: DeserializeOwned>(object: Map<String, Value>) -> Result<T, String> {
    serde_path_to_error::deserialize(Value::Object(object)).map_err(|error| {
        let reason = without_place(error.inner());
        match error.path().to_string().as_str() {
            "." => reason,
            field => format!("{}: {reason}", shortened(field)),
        }
    })
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
    let words = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" | "u64" | "usize" => "a whole number of at least 0",
        "a nonzero u32" | "a nonzero u64" | "a nonzero usize" => "a whole number of at least 1",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        _ if expected.starts_with("struct ") => "an object",
        _ => return message.into(),
    };
    format!("{found}{EXPECTED}{words}").into()
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
    fn a_byte_order_mark_is_skipped() {
        assert_eq!(object("\u{feff}{}".as_bytes()), Ok(Map::new()));
        assert_eq!(
            object("\u{feff}".as_bytes()),
            Err("not JSON: EOF while parsing a value (column 0)".into())
        );
    }
}
