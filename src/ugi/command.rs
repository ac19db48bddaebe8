//! The commands of a UGI manager, the program that runs the engine.

use super::limits::Go;
use quintet_core::Quoted;

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
}

/// The longest name or value of an option, in characters.
const LONGEST: usize = 200;

/// Parses a line; `None` if it is empty.
pub(super) fn parse(line: &str) -> Result<Option<UgiCommand>, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((&word, rest)) = words.split_first() else { return Ok(None) };
    let no_arguments = |command: UgiCommand| match rest {
        [] => Ok(command),
        [more, ..] => Err(format!("{word}: takes no arguments, but got {}", Quoted(more))),
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
        "ponderhit" => no_arguments(UgiCommand::PonderHit),
        "go" => Go::parse(rest).map(UgiCommand::Go),
        "query" => query(rest).map(UgiCommand::Question),
        _ => Err(format!(
            "unknown command {}; known: ugi, isready, uginewgame, setoption, position, go, stop, ponderhit, \
             query, d, display, quit",
            Quoted(word)
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
    let moves = words[end..].iter().skip(1).map(|&token| token.to_owned()).collect();
    Ok(UgiCommand::Position { start, moves })
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
            (&format!("setoption name Game value {}", "é".repeat(201)), "é\"… is longer than 200 characters"),
            (&"é".repeat(10_000), "unknown command \"é"),
            ("position", "expected "),
            ("position fen", "expected "),
            ("position fen moves a1", "expected "),
            ("position startpos a1", "expected "),
            ("query", "expected p1turn"),
            ("query p2turn", "expected p1turn"),
        ] {
            let error = parse(line).expect_err(line);
            assert!(error.contains(part), "{line}: {error}");
            assert!(error.chars().count() < 400, "{error}");
        }
    }
}
