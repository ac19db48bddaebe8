//! The arguments of `go`: what is searched, and how long.

use std::time::Duration;

use quintet_core::Quoted;
use quintet_core::game::Side;
use quintet_core::search::{Budget, SearchError};

/// The arguments of `go`; a limit that is not given is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Go {
    pub(super) nodes: Option<u64>,
    movetime: Option<Duration>,
    /// The time left on the clock of each side.
    clocks: [Option<Duration>; 2],
    increments: [Option<Duration>; 2],
    infinite: bool,
    /// Whether the limits count from `ponderhit`.
    pub(super) ponder: bool,
    /// The tokens of the moves to choose from; all moves if it is empty.
    pub(super) moves: Vec<String>,
}

/// The words that `go` knows; any other after `searchmoves` is a move.
const WORDS: [&str; 9] =
    ["nodes", "movetime", "p1time", "p2time", "p1inc", "p2inc", "infinite", "ponder", "searchmoves"];

impl Go {
    /// Parses the words after `go`.
    pub(super) fn parse(words: &[&str]) -> Result<Self, String> {
        let mut go = Self::default();
        let mut words = words.iter().peekable();
        while let Some(&word) = words.next() {
            if word == "searchmoves" {
                while let Some(&&token) = words.peek().filter(|it| !WORDS.contains(it)) {
                    go.moves.push(token.to_owned());
                    words.next();
                }
                if go.moves.is_empty() {
                    return Err("go: searchmoves needs a move".to_owned());
                }
                continue;
            }
            let mut number = || {
                let value = words.next().ok_or_else(|| format!("go: {word} needs a number"))?;
                let wrong = |_| format!("go: {word}: {} is not a number in range", Quoted(value));
                value.parse::<u64>().map_err(wrong)
            };
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "nodes" => go.nodes = Some(number()?),
                "movetime" => go.movetime = Some(Duration::from_millis(number()?)),
                "p1time" => go.clocks[0] = Some(Duration::from_millis(number()?)),
                "p2time" => go.clocks[1] = Some(Duration::from_millis(number()?)),
                "p1inc" => go.increments[0] = Some(Duration::from_millis(number()?)),
                "p2inc" => go.increments[1] = Some(Duration::from_millis(number()?)),
                _ => {
                    let (word, known) = (Quoted(word), WORDS.join(", "));
                    return Err(format!("go: {word} is not supported; known: {known}"));
                }
            }
        }
        Ok(go)
    }

    /// Returns the budget of a search for `side`; `None` if no limit is given.
    pub(super) fn budget(&self, side: Side) -> Result<Option<Budget>, String> {
        let has_clocks = self.clocks.iter().any(Option::is_some);
        let clock = self.clocks[side as usize];
        if has_clocks && clock.is_none() {
            return Err(format!("go: p{} is to move, but its time is missing", side as usize + 1));
        }
        let increment = self.increments[side as usize].unwrap_or_default();
        let of_clock = clock.map(|left| Budget::time_of_clock(left, increment));
        let time = [self.movetime, of_clock].into_iter().flatten().min();
        match (self.nodes, time) {
            (None, None) => Ok(self.infinite.then(Budget::endless)),
            (nodes, time) => {
                Budget::new(nodes, time).map(Some).map_err(|error: SearchError| format!("go: {error}"))
            }
        }
    }

    /// Whether only `stop` ends the search.
    pub(super) fn is_endless(&self) -> bool {
        self.infinite && self.nodes.is_none() && self.movetime.is_none() && self.clocks == [None; 2]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Go, String> {
        Go::parse(&line.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn wrong_arguments_are_refused_with_what_is_wrong() {
        for (line, part) in [
            ("nodes", "go: nodes needs a number"),
            ("nodes many", "go: nodes: \"many\" is not a number"),
            ("movetime -5", "go: movetime: \"-5\" is not a number"),
            ("depth 3", "go: \"depth\" is not supported; known: nodes, "),
            ("searchmoves", "go: searchmoves needs a move"),
            ("searchmoves nodes 7", "go: searchmoves needs a move"),
        ] {
            let error = parse(line).expect_err(line);
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn moves_go_on_until_a_word_that_go_knows() {
        let go = parse("searchmoves a1 b2 nodes 7 searchmoves c3 ponder").expect("it is right");
        assert_eq!(
            (go.moves, go.nodes, go.ponder),
            (vec!["a1".into(), "b2".into(), "c3".into()], Some(7), true)
        );
    }

    #[test]
    fn limits_become_a_budget() {
        let budget = |line, side| parse(line).expect("it can be parsed").budget(side);
        let milliseconds = Duration::from_millis;
        let both = |nodes, time| Ok(Some(Budget::new(nodes, time).expect("not empty")));
        for (line, budget_of_p2) in [
            ("", Ok(None)),
            ("ponder searchmoves a1", Ok(None)),
            ("infinite", Ok(Some(Budget::endless()))),
            ("nodes 7", both(Some(7), None)),
            ("infinite nodes 7", both(Some(7), None)),
            ("movetime 30 nodes 7", both(Some(7), Some(milliseconds(30)))),
            ("p1time 10 p2time 20000", both(None, Some(milliseconds(1000)))),
            ("p1time 10 p2time 20000 p2inc 500 p1inc 7", both(None, Some(milliseconds(1250)))),
            ("p2time 1000 p2inc 9000", both(None, Some(milliseconds(500)))),
            ("p1time 0 p2time 0", both(None, Some(milliseconds(1)))),
            ("p2time 20000 movetime 10", both(None, Some(milliseconds(10)))),
        ] {
            assert_eq!(budget(line, Side::Second), budget_of_p2, "{line}");
        }
        assert!(budget("p1time 5", Side::Second).expect_err("no clock").contains("p2 is to move"));
        assert!(budget("nodes 0", Side::First).expect_err("empty").contains("budget is zero"));
    }
}
