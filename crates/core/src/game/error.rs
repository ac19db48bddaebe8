//! Errors in moves and positions that a caller gives.

use std::cmp::Reverse;
use std::fmt::Display;

use crate::Quoted;

/// A move that is not legal in its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe())]
pub struct IllegalMove {
    /// The rejected move's token, as given.
    pub token: String,
    /// The tokens of the legal moves, sorted bytewise; empty if the game was over.
    pub legal: Vec<String>,
}

impl IllegalMove {
    /// The error for `token` in a position whose legal moves are `legal`.
    pub fn new(token: &str, legal: &[impl Display]) -> Self {
        let mut legal: Vec<String> = legal.iter().map(ToString::to_string).collect();
        legal.sort_unstable();
        Self { token: token.to_owned(), legal }
    }

    fn describe(&self) -> String {
        let token = Quoted(&self.token);
        if self.legal.is_empty() {
            format!("the game is over, so no move is legal: {token}")
        } else {
            format!("illegal move {token}; legal here: {}", self.listed())
        }
    }

    /// The legal moves, or if they are many those that begin as the token does, and how many more there are.
    fn listed(&self) -> String {
        const MOST: usize = 12;
        let Some(more) = self.legal.len().checked_sub(MOST).filter(|more| *more > 0) else {
            return self.legal.join(" ");
        };
        let in_common = |it: &String| {
            let pairs = it.chars().zip(self.token.chars());
            pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
        };
        let mut some: Vec<&String> = self.legal.iter().collect();
        some.sort_by_key(|it| Reverse(in_common(it)));
        some.truncate(MOST);
        some.sort_unstable();
        let some: Vec<&str> = some.into_iter().map(String::as_str).collect();
        format!("{} and {more} more", some.join(" "))
    }
}

/// A position string that does not describe a position of the game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("bad position: {part}: {reason}")]
pub struct PositionError {
    /// The part of the string that is wrong, such as `rank 3` or `step`.
    pub part: String,
    /// What is wrong with it.
    pub reason: String,
}

impl PositionError {
    /// The error that `part` of the string is wrong, for `reason`.
    pub fn new(part: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { part: part.into(), reason: reason.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_move_and_the_legal_ones_in_order() {
        let error = IllegalMove::new("c", &["b", "a", "B"]);
        assert_eq!((error.token.as_str(), error.legal.join(" ").as_str()), ("c", "B a b"));
        assert_eq!(error.to_string(), "illegal move \"c\"; legal here: B a b");
        let cells: Vec<String> = ('a'..='k').flat_map(|x| (1..=11).map(move |y| format!("{x}{y}"))).collect();
        let error = IllegalMove::new("G12", &cells).to_string();
        assert_eq!(
            error,
            "illegal move \"G12\"; legal here: a1 g1 g10 g11 g2 g3 g4 g5 g6 g7 g8 g9 and 109 more"
        );
        let over = IllegalMove::new("c", &[""; 0]);
        assert_eq!(over.to_string(), "the game is over, so no move is legal: \"c\"");
        assert_eq!(PositionError::new("rank 3", "too long").to_string(), "bad position: rank 3: too long");
    }
}
