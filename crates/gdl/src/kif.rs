//! The notation of rules and messages: symbols and lists in parentheses, and comments.

use std::collections::HashMap;
use std::fmt;

/// A symbol or a list, as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Kif {
    /// A symbol, such as `noop` or `?x`.
    Symbol(String),
    /// A list in parentheses.
    List(Vec<Kif>),
}

/// The deepest lists that are read: rules need about six.
const MAX_DEPTH: usize = 64;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// The character in the line, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct KifError {
    /// Where it was found.
    pub place: Place,
    /// What is wrong.
    pub reason: String,
}

/// The symbols and parentheses of a line without comments, each with its column.
fn tokens(line: &str) -> impl Iterator<Item = (u32, &str)> {
    let (mut rest, mut column) = (line, 1);
    std::iter::from_fn(move || {
        let trimmed = rest.trim_start();
        column += rest[..rest.len() - trimmed.len()].chars().count() as u32;
        rest = trimmed;
        let is_end = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
        let end = match rest.chars().next()? {
            '(' | ')' => 1,
            _ => rest.find(is_end).unwrap_or(rest.len()),
        };
        let (token, more) = rest.split_at(end);
        let at = column;
        column += token.chars().count() as u32;
        rest = more;
        Some((at, token))
    })
}

/// The symbols and parentheses of a text without comments, each with its place.
fn all_tokens(text: &str) -> impl Iterator<Item = (Place, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // A carriage return alone ends a line, too.
    let lines = text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'));
    (1..).zip(lines).flat_map(|(line, text)| {
        let text = text.split(';').next().unwrap_or_default();
        tokens(text).map(move |(column, token)| (Place { line, column }, token))
    })
}

/// The first symbol of a list; the rest of it is not read.
#[must_use]
pub fn head(text: &str) -> Option<&str> {
    let mut tokens = all_tokens(text).map(|(_, token)| token);
    (tokens.next() == Some("(")).then(|| tokens.next()).flatten()
}

/// Reads symbols and lists, and makes something of each: of a symbol, and of a list what was made of its parts.
///
/// # Errors
/// [`KifError`] if parentheses don't match, or lists are nested too deep.
pub fn read_with<T>(
    text: &str,
    symbol: impl Fn(Place, &str) -> T,
    list: impl Fn(Place, Vec<T>) -> T,
) -> Result<Vec<T>, KifError> {
    let mut all = Vec::new();
    // The lists that are open, each with the place of its parenthesis.
    let mut open: Vec<(Place, Vec<T>)> = Vec::new();
    for (place, token) in all_tokens(text) {
        let error = |reason: String| Err(KifError { place, reason });
        let made = match token {
            "(" if open.len() >= MAX_DEPTH => {
                return error(format!("lists are nested more than {MAX_DEPTH} deep"));
            }
            "(" => {
                open.push((place, Vec::new()));
                continue;
            }
            ")" => match open.pop() {
                Some((place, parts)) => list(place, parts),
                None => return error("a parenthesis closes that was not opened".to_owned()),
            },
            token => symbol(place, token),
        };
        open.last_mut().map_or(&mut all, |(_, parts)| parts).push(made);
    }
    match open.pop() {
        Some((place, _)) => Err(KifError { place, reason: "a parenthesis is not closed".to_owned() }),
        None => Ok(all),
    }
}

impl Kif {
    /// Reads one symbol or list, with nothing but blanks and comments around it.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut all = Self::parse_all(text)?;
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err("the message is empty".to_owned()),
            (Some(_), false) => Err("there is more than one list".to_owned()),
        }
    }

    /// Reads symbols and lists.
    ///
    /// # Errors
    /// The text of a [`KifError`].
    pub fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let all = read_with(text, |_, symbol| Self::Symbol(symbol.to_owned()), |_, list| Self::List(list));
        all.map_err(|error| error.to_string())
    }

    /// The symbol, if it is one.
    #[must_use]
    pub fn symbol(&self) -> Option<&str> {
        match self {
            Self::Symbol(symbol) => Some(symbol),
            Self::List(_) => None,
        }
    }

    /// Whether it is this symbol, in upper or lower case.
    #[must_use]
    pub fn is(&self, symbol: &str) -> bool {
        self.symbol().is_some_and(|it| it.eq_ignore_ascii_case(symbol))
    }

    /// The same in lower case. A list of one symbol is that symbol: `(noop)` is `noop`.
    #[must_use]
    pub fn normal(&self) -> Self {
        match self {
            Self::Symbol(symbol) => Self::Symbol(symbol.to_ascii_lowercase()),
            Self::List(list) => match &**list {
                [only @ Self::Symbol(_)] => only.normal(),
                _ => Self::List(list.iter().map(Self::normal).collect()),
            },
        }
    }
}

/// Writes it with single spaces: `(mark 1 2)`.
impl fmt::Display for Kif {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbol(symbol) => f.write_str(symbol),
            Self::List(list) => {
                let parts: Vec<String> = list.iter().map(ToString::to_string).collect();
                write!(f, "({})", parts.join(" "))
            }
        }
    }
}

/// How a text spells its symbols: the protocol does not care about upper and lower case, but a server
/// may.
#[derive(Debug, Default)]
pub struct Spelling(HashMap<String, String>);

impl Spelling {
    /// The first spelling of each symbol.
    #[must_use]
    pub fn of(text: &[Kif]) -> Self {
        let mut spelling = Self::default();
        for kif in text {
            spelling.add(kif);
        }
        spelling
    }

    fn add(&mut self, kif: &Kif) {
        match kif {
            Kif::Symbol(symbol) => {
                self.0.entry(symbol.to_ascii_lowercase()).or_insert_with(|| symbol.clone());
            }
            Kif::List(list) => list.iter().for_each(|it| self.add(it)),
        }
    }

    /// Writes a term in lower case as the text spells it.
    #[must_use]
    pub fn spell(&self, term: &str) -> String {
        let spelled = |symbol: &str| self.0.get(symbol).cloned().unwrap_or_else(|| symbol.to_owned());
        let mut text = String::new();
        let mut rest = term;
        while !rest.is_empty() {
            let is_end = |c: char| matches!(c, '(' | ')' | ' ');
            let end = rest.find(is_end).unwrap_or(rest.len());
            text += &spelled(&rest[..end]);
            let next = rest[end..].find(|c: char| !is_end(c)).map_or(rest.len(), |at| end + at);
            text += &rest[end..next];
            rest = &rest[next..];
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_and_comments_are_left_out() {
        let text = " ( mark\t1;a comment (\r\n(x  Y)\n ) ; the end )";
        let kif = Kif::parse(text).expect("it is right");
        assert_eq!(kif.to_string(), "(mark 1 (x Y))");
        assert_eq!(Kif::parse("NIL").expect("a symbol"), Kif::Symbol("NIL".to_owned()));
    }

    #[test]
    fn wrong_text_is_refused_with_the_line() {
        for (text, part) in [
            ("", "empty"),
            (" ; nothing", "empty"),
            ("(a) b", "more than one"),
            ("(a\n (b) x", "line 1, column 1: a parenthesis is not closed"),
            ("(a)\r\n)", "line 2, column 1: a parenthesis closes"),
            ("(a) ; (\r(b)\r\r\n )", "line 4, column 2: a parenthesis closes"),
            (&"(".repeat(1_000_000), "line 1, column 65: lists are nested more than 64 deep"),
        ] {
            let error = Kif::parse(text).expect_err(part);
            assert!(error.contains(part), "{part}: {error}");
        }
    }

    #[test]
    fn answers_are_spelled_as_the_rules_are() {
        let rules = Kif::parse_all("(LEGAL ?x (Mark ?m A)) (legal ?x NOOP)").expect("it is right");
        let spelling = Spelling::of(&rules);
        assert_eq!(spelling.spell("(mark 1 a)"), "(Mark 1 A)");
        assert_eq!(spelling.spell("noop"), "NOOP");
        assert_eq!(spelling.spell("other"), "other");
    }

    #[test]
    fn a_list_of_one_symbol_is_that_symbol() {
        let normal = |text| Kif::parse(text).expect("it is right").normal().to_string();
        assert_eq!(normal("(NOOP)"), "noop");
        assert_eq!(normal("(Mark (X) 1)"), "(mark x 1)");
    }
}
