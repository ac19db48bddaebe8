//! Games that end before the rules end them, because both engines agree about them.

use std::fmt::{self, Display};
use std::str::FromStr;

use quintet_core::game::{Outcome, Side};
use quintet_protocol::Thought;

/// When a game is decided because the engines agree. `None` stands for never.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Adjudication {
    /// A side loses if both engines give it at most `value`.
    pub resign: Option<Agreement>,
    /// The game is drawn if both engines give values that differ from 50 by at most `value`.
    pub draw: Option<Agreement>,
}

/// An agreement of both engines, each in its last `moves` moves. Written as `value=5,moves=3`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// An expected score, or a distance from 50: at least 0 and below 50.
    pub value: f64,
    /// The number of moves of each engine; at least 1.
    pub moves: usize,
}

impl FromStr for Agreement {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "give value=5,moves=3: a value from 0 to below 50, and moves from 1".to_owned();
        let (mut value, mut moves) = (None, None);
        for setting in text.split(',') {
            match setting.split_once('=').ok_or_else(wrong)? {
                ("value", text) if value.is_none() => {
                    value = text.parse().ok().filter(|value: &f64| value.is_sign_positive() && *value < 50.0);
                }
                ("moves", text) if moves.is_none() => moves = text.parse().ok().filter(|&moves| moves > 0),
                _ => return Err(wrong()),
            }
        }
        value.zip(moves).map(|(value, moves)| Self { value, moves }).ok_or_else(wrong)
    }
}

impl Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "value={},moves={}", self.value, self.moves)
    }
}

impl Adjudication {
    /// Returns how the game ends if the engines agree, after moves of these sides with what they
    /// thought.
    pub(crate) fn outcome(&self, sides: &[Side], thoughts: &[Option<Thought>]) -> Option<Outcome> {
        let agree = |agreement: Agreement, holds: &dyn Fn(f64) -> bool| {
            [Side::First, Side::Second].into_iter().all(|side| {
                let moves = sides.iter().zip(thoughts).rev().filter(|&(&of, _)| of == side);
                let values = moves.take(agreement.moves).map(|(_, it)| value_of_first(side, it.as_ref()?));
                let values: Vec<Option<f64>> = values.collect();
                values.len() == agreement.moves && values.into_iter().all(|it| it.is_some_and(holds))
            })
        };
        if let Some(resign) = self.resign {
            if agree(resign, &|value| value <= resign.value) {
                return Some(Outcome::Win(Side::Second));
            }
            if agree(resign, &|value| value >= 100.0 - resign.value) {
                return Some(Outcome::Win(Side::First));
            }
        }
        let draw = self.draw?;
        agree(draw, &|value| (value - 50.0).abs() <= draw.value).then_some(Outcome::Draw)
    }
}

/// Returns what the first side has to expect by a thought of `side`.
fn value_of_first(side: Side, thought: &Thought) -> Option<f64> {
    let value = thought.proven.map(f64::from).or(thought.value)?;
    Some(if side == Side::First { value } else { 100.0 - value })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outcome after moves of both sides in turn that have these values for the side that moves.
    fn outcome(resign: Option<&str>, draw: Option<&str>, values: &[f64]) -> Option<Outcome> {
        let read = |text: &str| text.parse().expect(text);
        let adjudication = Adjudication { resign: resign.map(read), draw: draw.map(read) };
        let thought = |&value: &f64| {
            // A value below 0 stands for none.
            let value = Some(value).filter(|&value| value >= 0.0);
            Thought { value, proven: None, iterations: None, depth: None, ms: 0, cpu_ms: None }
        };
        let sides = [Side::First, Side::Second].repeat(values.len());
        let thoughts: Vec<_> = values.iter().map(thought).map(Some).collect();
        adjudication.outcome(&sides[..values.len()], &thoughts)
    }

    #[test]
    fn a_side_resigns_if_both_engines_agree_for_some_moves() {
        let resign = Some("value=5,moves=2");
        assert_eq!(outcome(resign, None, &[50.0, 97.0, 5.0, 95.0, 0.0]), Some(Outcome::Win(Side::Second)));
        assert_eq!(outcome(resign, None, &[97.0, 5.0, 95.0, 0.0]), Some(Outcome::Win(Side::First)));
        // The first side is not as sure, has too few moves, or says nothing.
        for values in [&[50.0, 97.0, 6.0, 95.0, 0.0][..], &[0.0, 100.0, 0.0], &[-1.0, 97.0, 5.0, 95.0]] {
            assert_eq!(outcome(resign, None, values), None, "{values:?}");
        }
        assert_eq!(outcome(None, None, &[0.0, 100.0, 0.0, 100.0]), None);
    }

    #[test]
    fn a_game_is_drawn_if_both_engines_agree_for_some_moves() {
        let draw = Some("value=2,moves=2");
        assert_eq!(outcome(None, draw, &[50.0, 52.0, 48.0, 50.0]), Some(Outcome::Draw));
        assert_eq!(outcome(None, draw, &[50.0, 52.0, 47.0, 50.0]), None);
    }

    #[test]
    fn what_is_proven_counts_more_than_the_mean() {
        let adjudication = Adjudication { resign: "value=0,moves=1".parse().ok(), draw: None };
        let proven = |proven| Thought {
            value: Some(50.0),
            proven: Some(proven),
            iterations: None,
            depth: None,
            ms: 0,
            cpu_ms: None,
        };
        let thoughts = [Some(proven(0)), Some(proven(100))];
        assert_eq!(
            adjudication.outcome(&[Side::First, Side::Second], &thoughts),
            Some(Outcome::Win(Side::Second))
        );
    }

    #[test]
    fn agreements_are_read_and_written() {
        let agreement: Agreement = "moves=3,value=2.5".parse().expect("right");
        assert_eq!(agreement.to_string(), "value=2.5,moves=3");
        for text in [
            "",
            "value=5",
            "moves=3",
            "value=50,moves=3",
            "value=5,moves=0",
            "value=nan,moves=1",
            "x=1",
            "value=1,moves=1,value=2",
            "value=-0,moves=1",
        ] {
            assert!(text.parse::<Agreement>().is_err(), "{text}");
        }
    }
}
