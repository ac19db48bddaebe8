//! The commands of a UGI manager, the program that runs the engine.

use super::limits::Go;
use quintet_core::Quoted;

/// A line of the manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// The command, or what is wrong.
    pub(super) command: Result<UgiCommand, String>,
    /// The parts that can't be used, each with the reason.
    pub(super) left_out: Vec<String>,
}

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
    /// Moves from the position on.
    Moves(Vec<String>),
    Go(Go),
    Stop,
    PonderHit,
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
    /// One that is not known.
    Other,
}

/// The longest name or value of an option, in characters.
const LONGEST: usize = 200;

/// Parses a line; `None` if it is empty.
pub(super) fn parse(line: &str) -> Option<Line> {
    // Some programs write a byte order mark first.
    let words: Vec<&str> = line.trim_start_matches('\u{feff}').split_whitespace().collect();
    let (&word, rest) = words.split_first()?;
    let mut left_out = Vec::new();
    // Where a command takes no arguments, or no more, they can't keep it from being answered.
    let (command, more): (Result<UgiCommand, String>, &[&str]) = match word {
        "ugi" => (Ok(UgiCommand::Ugi), rest),
        "isready" => (Ok(UgiCommand::IsReady), rest),
        "uginewgame" => (Ok(UgiCommand::NewGame), rest),
        "stop" => (Ok(UgiCommand::Stop), rest),
        "ponderhit" => (Ok(UgiCommand::PonderHit), rest),
        "d" | "display" => (Ok(UgiCommand::Display), rest),
        "quit" => (Ok(UgiCommand::Quit), rest),
        "setoption" => (set_option(rest), &[]),
        "position" => (position(rest), &[]),
        "moves" => (Ok(UgiCommand::Moves(owned(rest))), &[]),
        "go" => (Ok(UgiCommand::Go(Go::parse(rest, &mut left_out))), &[]),
        "query" => match rest.split_first() {
            Some((&"p1turn", more)) => (Ok(UgiCommand::Question(Question::P1Turn)), more),
            Some((&"gameover", more)) => (Ok(UgiCommand::Question(Question::GameOver)), more),
            Some((&"result", more)) => (Ok(UgiCommand::Question(Question::Result)), more),
            _ => {
                let question = Quoted(rest.first().unwrap_or(&"")).to_string();
                left_out.push(format!("{question}: expected p1turn, gameover or result"));
                (Ok(UgiCommand::Question(Question::Other)), &[])
            }
        },
        _ => {
            let error = format!(
                "unknown command {}; known: ugi, isready, uginewgame, setoption, position, moves, go, stop, \
                 ponderhit, query, d, display, quit",
                Quoted(word)
            );
            (Err(error), &[])
        }
    };
    if !more.is_empty() {
        left_out.push(format!("{}: no argument of {word}", Quoted(&more.join(" "))));
    }
    Some(Line { command, left_out })
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
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
    if let Some(long) = [&name, &value].into_iter().find(|it| it.chars().nth(LONGEST).is_some()) {
        return Err(format!("setoption: {} is longer than {LONGEST} characters", Quoted(long)));
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
    let moves = words.get(end + 1..).map_or_else(Vec::new, owned);
    Ok(UgiCommand::Position { start, moves })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_whatever_the_space_between_words() {
        let text = |text: &str| text.to_owned();
        for (line, command) in [
            (" ugi ", UgiCommand::Ugi),
            ("\u{feff}ugi\r", UgiCommand::Ugi),
            ("d", UgiCommand::Display),
            ("query  p1turn", UgiCommand::Question(Question::P1Turn)),
            (
                "setoption name Two  Words value a b",
                UgiCommand::SetOption { name: text("Two Words"), value: text("a b") },
            ),
            ("position startpos", UgiCommand::Position { start: None, moves: vec![] }),
            ("position startpos moves", UgiCommand::Position { start: None, moves: vec![] }),
            (
                "position  fen k3/4/4/2KR  w 1\tmoves Kc1-c2  ka4-a3 \r",
                UgiCommand::Position {
                    start: Some(text("k3/4/4/2KR w 1")),
                    moves: vec![text("Kc1-c2"), text("ka4-a3")],
                },
            ),
            ("moves Kc1-c2 ka4-a3", UgiCommand::Moves(vec![text("Kc1-c2"), text("ka4-a3")])),
        ] {
            assert_eq!(parse(line), Some(Line { command: Ok(command), left_out: vec![] }), "{line}");
        }
        for line in ["", "  \t\r", "\u{feff}"] {
            assert_eq!(parse(line), None);
        }
    }

    #[test]
    fn what_has_to_be_answered_is_read_whatever_else_is_in_the_line() {
        for (line, command, reason) in [
            ("ugi now", UgiCommand::Ugi, "\"now\": no argument of ugi"),
            ("isready or not", UgiCommand::IsReady, "\"or not\": no argument of isready"),
            ("ponderhit a1", UgiCommand::PonderHit, "\"a1\": no argument of ponderhit"),
            ("quit now", UgiCommand::Quit, "\"now\": no argument of quit"),
            ("query result x", UgiCommand::Question(Question::Result), "\"x\": no argument of query"),
            ("query", UgiCommand::Question(Question::Other), "\"\": expected p1turn, gameover or result"),
            (
                "query p2turn",
                UgiCommand::Question(Question::Other),
                "\"p2turn\": expected p1turn, gameover or result",
            ),
            ("go depth 3", UgiCommand::Go(Go::default()), "\"depth 3\": not known here"),
        ] {
            let left_out = vec![reason.to_owned()];
            assert_eq!(parse(line), Some(Line { command: Ok(command), left_out }), "{line}");
        }
    }

    #[test]
    fn wrong_lines_are_refused_with_what_is_wrong() {
        for (line, part) in [
            ("dance", "unknown command \"dance\""),
            ("setoption Game krk", "expected "),
            ("setoption name Game krk", "expected "),
            ("setoption name value krk", "expected "),
            ("setoption name Game value", "expected "),
            ("setoption name Clear Hash", "expected "),
            (&format!("setoption name Game value {}", "é".repeat(201)), "é\"… is longer than 200 characters"),
            (&"é".repeat(10_000), "unknown command \"é"),
            ("position", "expected "),
            ("position fen", "expected "),
            ("position fen moves a1", "expected "),
            ("position startpos a1", "expected "),
        ] {
            let error = parse(line).expect("not empty").command.expect_err(line);
            assert!(error.contains(part), "{line}: {error}");
            assert!(error.chars().count() < 400, "{error}");
        }
    }
}
