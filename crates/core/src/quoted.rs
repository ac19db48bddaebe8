//! Text from outside in messages.

use std::fmt;

/// Shows text from outside in double quotes: at most 200 characters of it, so that a broken file
/// does not fill the screen, and with escapes for control characters and those that change the
/// direction of text.
///
/// ```
/// use quintet_core::Quoted;
///
/// assert_eq!(Quoted("a\u{1b}[31m\u{202e}b").to_string(), r#""a\u{1b}[31m\u{202e}b""#);
/// assert_eq!(Quoted(&"x".repeat(201)).to_string(), format!("\"{}\"…", "x".repeat(200)));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'a>(pub &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(200) {
            Some((end, _)) => write!(f, "{:?}…", &self.0[..end]),
            None => write!(f, "{:?}", self.0),
        }
    }
}
