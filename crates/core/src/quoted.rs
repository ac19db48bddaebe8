//! Text from outside in messages and on pages.

use std::fmt;

/// Whether a character must not be shown as it is: control characters would reach the terminal, and
/// those that change the direction of text would make it look like another.
#[must_use]
pub fn is_deceptive(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns a text with an escape such as `\u{202e}` for each [deceptive](is_deceptive) character.
///
/// ```
/// assert_eq!(quintet_core::visible("a\u{1b}[31m\u{202e}b"), "a\\u{1b}[31m\\u{202e}b");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let shown = |c: char| if is_deceptive(c) { c.escape_unicode().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// The characters that are shown of a text from outside, so that a broken file does not fill the screen.
pub const MOST_SHOWN: usize = 200;

/// Returns the beginning of a text, at most so many characters, and an ellipsis if there are more.
///
/// ```
/// assert_eq!(quintet_core::cut("été", 2), ("ét", "…"));
/// assert_eq!(quintet_core::cut("été", 3), ("été", ""));
/// ```
#[must_use]
pub fn cut(text: &str, most: usize) -> (&str, &'static str) {
    text.char_indices().nth(most).map_or((text, ""), |(end, _)| (&text[..end], "…"))
}

/// Shows text from outside in double quotes: at most [`MOST_SHOWN`] characters of it, and with escapes for control
/// characters and those that change the direction of text.
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
        let (shown, more) = cut(self.0, MOST_SHOWN);
        write!(f, "{shown:?}{more}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_deceives_is_escaped_and_what_is_long_is_cut() {
        for c in ['\u{7}', '\u{61C}', '\u{200E}', '\u{202A}', '\u{202E}', '\u{2066}', '\u{2069}'] {
            assert!(is_deceptive(c), "{c:?}");
            assert_eq!(visible(&format!("a{c}é")), format!("a{}é", c.escape_unicode()));
        }
        assert!(!['a', ' ', 'é', '\u{200D}', '\u{2065}'].into_iter().any(is_deceptive));
        let text = "é".repeat(200);
        assert_eq!(Quoted(&text).to_string(), format!("\"{text}\""));
        assert_eq!(Quoted(&format!("{text}\"")).to_string(), format!("\"{text}\"…"));
    }
}
