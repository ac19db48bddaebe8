//! JSON objects from a stream, one per line.

use std::io::{self, BufRead, Read as _};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The maximum length of a line in bytes; a file without line ends would otherwise be read into
/// memory as a whole.
pub const LONGEST_LINE: u64 = 16 << 20;

/// Reads the next line, without its end. `None` at the end of the input. If the line is too long,
/// skips its rest and returns an inner error.
///
/// # Errors
/// Those of the reader.
pub fn next_line(input: &mut dyn BufRead) -> io::Result<Option<Result<Vec<u8>, String>>> {
    let mut line = Vec::new();
    let read = (&mut *input).take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if read as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
        skip_line(input)?;
        return Ok(Some(Err(format!("the line is longer than {LONGEST_LINE} bytes"))));
    }
    line.truncate(line.trim_ascii_end().len());
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

/// Parses a line as a JSON object.
///
/// # Errors
/// A message that says what is wrong.
pub fn object(line: &[u8]) -> Result<Map<String, Value>, String> {
    if line.is_empty() {
        return Err("the line is empty".to_owned());
    }
    match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("not a JSON object".to_owned()),
        Err(error) => Err(format!("not JSON: {}", reason(&error))),
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
            field => format!("{field}: {reason}"),
        }
    })
}

/// What is wrong with a line, and in which column. The line number of the error is always 1 and
/// left out.
#[must_use]
pub fn reason(error: &serde_json::Error) -> String {
    format!("{} (column {})", without_place(error), error.column())
}

fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}
