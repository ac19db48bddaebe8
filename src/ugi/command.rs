//! The commands of a UGI manager, the program that runs the engine.

use std::time::Duration;

use quintet_core::game::Side;
use quintet_core::search::{Budget, SearchError};

/// A command of the manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum UgiCommand {
    Ugi,
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: String,
    },
    Position {
        /// `None` for the start position.
        start: Option<String>,
        moves: Vec<String>,
    },
    Go(Go),
    Stop,
    Question(Question),
    Display,
    Quit,
}

/// A question about the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    P1Turn,
    GameOver,
    Result,
}

/// The limits of a search; a limit that is not given is `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Go {
    nodes: Option<u64>,
    movetime: Option<Duration>,
    /// The time left on the clock of each side.
    clocks: [Option<Duration>; 2],
    increments: [Option<Duration>; 2],
    infinite: bool,
}

impl Go {
    /// Returns the budget of a search for `side`; `None` if no limit is given.
    pub(super) fn budget(&self, side: Side) -> Result<Option<Budget>, String> {
        let has_clocks = self.clocks.iter().any(Option::is_some);
        let clock = self.clocks[side as usize];
        if has_clocks && clock.is_none() {
            return Err(format!("go: p{} is to move, but its time is missing", side as usize + 1));
        }
        let share = clock.map(|clock| share(clock, self.increments[side as usize].unwrap_or_default()));
        let time = [self.movetime, share].into_iter().flatten().min();
        match (self.nodes, time) {
            (None, None) => Ok(self.infinite.then(Budget::endless)),
            (nodes, time) => {
                Budget::new(nodes, time).map(Some).map_err(|error: SearchError| format!("go: {error}"))
            }
        }
    }

    /// Returns whether only `stop` ends the search.
    pub(super) fn is_endless(&self) -> bool {
        let Self { nodes, movetime, clocks, infinite, .. } = *self;
        infinite && nodes.is_none() && movetime.is_none() && clocks == [None; 2]
    }
}

/// Returns the time for a move: a twentieth of the time left plus half the increment, but at most
/// half the time left and at least 1 ms.
fn share(clock: Duration, increment: Duration) -> Duration {
    (clock / 20).saturating_add(increment / 2).min(clock / 2).max(Duration::from_millis(1))
}

/// Parses a line; `None` if it is empty.
pub(super) fn parse(line: &str) -> Result<Option<UgiCommand>, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((&word, rest)) = words.split_first() else { return Ok(None) };
    let no_arguments = |command: UgiCommand| match rest {
        [] => Ok(command),
        [more, ..] => Err(format!("{word}: takes no arguments, but got {more:?}")),
    };
    let command = match word {
        "ugi" => no_arguments(UgiCommand::Ugi),
        "isready" => no_arguments(UgiCommand::IsReady),
        "uginewgame" => no_arguments(UgiCommand::NewGame),
        "stop" => no_arguments(UgiCommand::Stop),
        "d" | "display" => no_arguments(UgiCommand::Display),
        "quit" => no_arguments(UgiCommand::Quit),
        "setoption" => set_option(rest),
        "position" => position(rest),
        "go" => go(rest).map(UgiCommand::Go),
        "query" => query(rest).map(UgiCommand::Question),
        _ => Err(format!(
            "unknown command {word:?}; known: ugi, isready, uginewgame, setoption, position, go, stop, query, \
             d, display, quit"
        )),
    };
    command.map(Some)
}

/// Parses `name NAME value VALUE`.
fn set_option(words: &[&str]) -> Result<UgiCommand, String> {
    let wrong = || "setoption: expected setoption name NAME value VALUE".to_owned();
    let rest = words.strip_prefix(&["name"]).ok_or_else(wrong)?;
    let end = rest.iter().position(|word| *word == "value").ok_or_else(wrong)?;
    let (name, value) = (rest[..end].join(" "), rest[end + 1..].join(" "));
    if name.is_empty() || value.is_empty() {
        return Err(wrong());
    }
    Ok(UgiCommand::SetOption { name, value })
}

/// Parses `startpos` or `fen STRING`, and then optionally `moves …`.
fn position(words: &[&str]) -> Result<UgiCommand, String> {
    let end = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
    let start = match &words[..end] {
        ["startpos"] => None,
        ["fen", string @ ..] if !string.is_empty() => Some(string.join(" ")),
        _ => return Err("position: expected position startpos|fen STRING [moves …]".to_owned()),
    };
    let moves = words[end..].iter().skip(1).map(|&token| token.to_owned()).collect();
    Ok(UgiCommand::Position { start, moves })
}

fn go(words: &[&str]) -> Result<Go, String> {
    let mut go = Go::default();
    let mut words = words.iter();
    while let Some(&word) = words.next() {
        let mut number = || {
            let value = words.next().ok_or_else(|| format!("go: {word} needs a number"))?;
            value.parse::<u64>().map_err(|_| format!("go: {word}: {value:?} is not a number in range"))
        };
        match word {
            "infinite" => go.infinite = true,
            "nodes" => go.nodes = Some(number()?),
            "movetime" => go.movetime = Some(Duration::from_millis(number()?)),
            "p1time" => go.clocks[0] = Some(Duration::from_millis(number()?)),
            "p2time" => go.clocks[1] = Some(Duration::from_millis(number()?)),
            "p1inc" => go.increments[0] = Some(Duration::from_millis(number()?)),
            "p2inc" => go.increments[1] = Some(Duration::from_millis(number()?)),
            _ => {
                return Err(format!(
                    "go: {word:?} is not supported; known: nodes, movetime, p1time, p2time, p1inc, p2inc, \
                     infinite"
                ));
            }
        }
    }
    Ok(go)
}

fn query(words: &[&str]) -> Result<Question, String> {
    match words {
        ["p1turn"] => Ok(Question::P1Turn),
        ["gameover"] => Ok(Question::GameOver),
        ["result"] => Ok(Question::Result),
        _ => Err("query: expected p1turn, gameover or result".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_whatever_the_space_between_words() {
        let text = |text: &str| text.to_owned();
        for (line, command) in [
            ("", None),
            ("  \t", None),
            (" ugi ", Some(UgiCommand::Ugi)),
            ("d", Some(UgiCommand::Display)),
            ("query  p1turn", Some(UgiCommand::Question(Question::P1Turn))),
            (
                "setoption name Two  Words value a b",
                Some(UgiCommand::SetOption { name: text("Two Words"), value: text("a b") }),
            ),
            ("position startpos", Some(UgiCommand::Position { start: None, moves: vec![] })),
            ("position startpos moves", Some(UgiCommand::Position { start: None, moves: vec![] })),
            (
                "position fen k3/4/4/2KR w 1 moves Kc1-c2 ka4-a3",
                Some(UgiCommand::Position {
                    start: Some(text("k3/4/4/2KR w 1")),
                    moves: vec![text("Kc1-c2"), text("ka4-a3")],
                }),
            ),
        ] {
            assert_eq!(parse(line), Ok(command), "{line}");
        }
    }

    #[test]
    fn wrong_lines_are_refused_with_what_is_wrong() {
        for (line, part) in [
            ("dance", "unknown command \"dance\""),
            ("ugi now", "takes no arguments, but got \"now\""),
            ("setoption Game krk", "expected "),
            ("setoption name Game krk", "expected "),
            ("setoption name value krk", "expected "),
            ("setoption name Game value", "expected "),
            ("position", "expected "),
            ("position fen", "expected "),
            ("position fen moves a1", "expected "),
            ("position startpos a1", "expected "),
            ("go nodes", "go: nodes needs a number"),
            ("go nodes many", "go: nodes: \"many\" is not a number"),
            ("go movetime -5", "go: movetime: \"-5\" is not a number"),
            ("go depth 3", "go: \"depth\" is not supported"),
            ("query", "expected p1turn"),
            ("query p2turn", "expected p1turn"),
        ] {
            let error = parse(line).expect_err(line);
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    fn budget(line: &str, side: Side) -> Result<Option<Budget>, String> {
        match parse(line) {
            Ok(Some(UgiCommand::Go(go))) => go.budget(side),
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn limits_become_a_budget() {
        let milliseconds = Duration::from_millis;
        let both = |nodes, time| Ok(Some(Budget::new(nodes, time).expect("not empty")));
        for (line, budget_of_p2) in [
            ("go", Ok(None)),
            ("go infinite", Ok(Some(Budget::endless()))),
            ("go nodes 7", both(Some(7), None)),
            ("go infinite nodes 7", both(Some(7), None)),
            ("go movetime 30 nodes 7", both(Some(7), Some(milliseconds(30)))),
            ("go p1time 10 p2time 20000", both(None, Some(milliseconds(1000)))),
            ("go p1time 10 p2time 20000 p2inc 500 p1inc 7", both(None, Some(milliseconds(1250)))),
            ("go p2time 1000 p2inc 9000", both(None, Some(milliseconds(500)))),
            ("go p1time 0 p2time 0", both(None, Some(milliseconds(1)))),
            ("go p2time 20000 movetime 10", both(None, Some(milliseconds(10)))),
        ] {
            assert_eq!(budget(line, Side::Second), budget_of_p2, "{line}");
        }
        assert!(budget("go p1time 5", Side::Second).expect_err("no clock").contains("p2 is to move"));
        assert!(budget("go nodes 0", Side::First).expect_err("empty").contains("budget is zero"));
    }
}
