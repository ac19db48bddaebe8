//! The notation of rules and messages: symbols and lists in parentheses, and comments.

use std::collections::HashMap;
use std::fmt;

/// A symbol or a list, as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Kif {
    Symbol(String),
    List(Vec<Kif>),
}

/// The deepest lists that are read: rules need about six.
const MAX_DEPTH: usize = 64;

/// The symbols and parentheses of a line without comments.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let is_end = |c: char| c.is_whitespace() || matches!(c, '(' | ')');
        let end = match rest.chars().next()? {
            '(' | ')' => 1,
            _ => rest.find(is_end).unwrap_or(rest.len()),
        };
        let (token, more) = rest.split_at(end);
        rest = more;
        Some(token)
    })
}

/// The symbols and parentheses of a text without comments, each with its line.
fn all_tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.split('\n')).flat_map(|(number, line)| {
        // A comment ends at a carriage return, too.
        line.split('\r').map(move |line| (number, line.split(';').next().unwrap_or_default()))
    });
    lines.flat_map(|(number, line)| tokens(line).map(move |it| (number, it)))
}

/// The first symbol of a list; the rest of it is not read.
pub(super) fn head(text: &str) -> Option<&str> {
    let mut tokens = all_tokens(text).map(|(_, token)| token);
    (tokens.next() == Some("(")).then(|| tokens.next()).flatten()
}

impl Kif {
    /// Reads one symbol or list, with nothing but blanks and comments around it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut all = Self::parse_all(text)?;
        match (all.pop(), all.is_empty()) {
            (Some(only), true) => Ok(only),
            (None, _) => Err("the message is empty".to_owned()),
            (Some(_), false) => Err("there is more than one list".to_owned()),
        }
    }

    /// Reads symbols and lists.
    pub(super) fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        // The lists that are open, each with the place of its parenthesis; the first is the whole text.
        let mut open = vec![(1, Vec::new())];
        for (number, token) in all_tokens(text) {
            match token {
                "(" if open.len() > MAX_DEPTH => {
                    return Err(format!("line {number}: lists are nested more than {MAX_DEPTH} deep"));
                }
                "(" => open.push((number, Vec::new())),
                ")" => {
                    let closed = open.pop().map(|(_, list)| Self::List(list));
                    match open.last_mut().zip(closed) {
                        Some(((_, outer), closed)) => outer.push(closed),
                        None => {
                            return Err(format!("line {number}: a parenthesis closes that was not opened"));
                        }
                    }
                }
                symbol => {
                    if let Some((_, list)) = open.last_mut() {
                        list.push(Self::Symbol(symbol.to_owned()));
                    }
                }
            }
        }
        match (open.pop(), open.is_empty()) {
            (Some((_, all)), true) => Ok(all),
            (Some((number, _)), false) => Err(format!("line {number}: a parenthesis is not closed")),
            (None, _) => Ok(Vec::new()),
        }
    }

    /// The symbol, if it is one.
    pub(super) fn symbol(&self) -> Option<&str> {
        match self {
            Self::Symbol(symbol) => Some(symbol),
            Self::List(_) => None,
        }
    }

    /// Whether it is this symbol, in upper or lower case.
    pub(super) fn is(&self, symbol: &str) -> bool {
        self.symbol().is_some_and(|it| it.eq_ignore_ascii_case(symbol))
    }

    /// The same in lower case. A list of one symbol is that symbol: `(noop)` is `noop`.
    pub(super) fn normal(&self) -> Self {
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
pub(super) struct Spelling(HashMap<String, String>);

impl Spelling {
    /// The first spelling of each symbol.
    pub(super) fn of(text: &[Kif]) -> Self {
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
    pub(super) fn spell(&self, term: &str) -> String {
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
            ("(a\n(b)", "line 1: a parenthesis is not closed"),
            ("(a)\r\n)", "line 2: a parenthesis closes"),
            (&"(".repeat(1_000_000), "line 1: lists are nested more than 64 deep"),
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
