//! The commands at the prompt.

use quintet_core::Quoted;
use quintet_core::names;

/// What a person asks for, other than a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Hint,
    Why,
    Undo,
    Moves,
    Board,
    Resign,
    New,
    Save,
    Help,
    Quit,
}

/// A command as help lists it.
pub(super) struct Listed {
    command: Command,
    pub(super) name: &'static str,
    /// The name of its argument, if it has one.
    argument: Option<&'static str>,
    pub(super) what: &'static str,
}

/// All commands.
pub(super) static COMMANDS: [Listed; 10] = [
    listed(Command::Hint, "hint", "a strong move here, and what to expect of it"),
    listed(Command::Why, "why", "what is to be said of the engine's last move"),
    listed(Command::Undo, "undo", "take back your last turn and what followed"),
    listed(Command::Moves, "moves", "list the legal moves"),
    listed(Command::Board, "board", "show the board again, and the position string"),
    listed(Command::Resign, "resign", "give up"),
    listed(Command::New, "new", "leave this game and start another"),
    Listed {
        argument: Some("FILE"),
        ..listed(Command::Save, "save", "add the game so far to a file of records")
    },
    listed(Command::Help, "help", "show this"),
    listed(Command::Quit, "quit", "leave the game"),
];

const fn listed(command: Command, name: &'static str, what: &'static str) -> Listed {
    Listed { command, name, argument: None, what }
}

impl Listed {
    /// The name with the argument.
    pub(super) fn usage(&self) -> String {
        self.argument.map_or_else(|| self.name.to_owned(), |argument| format!("{} {argument}", self.name))
    }
}

impl Command {
    /// Parses a line into a command and its argument. Returns `None` if the first word is no command
    /// and has no `/` or `:` before it.
    ///
    /// # Errors
    /// What is wrong, in words for people.
    pub(super) fn parse(line: &str) -> Option<Result<(Self, &str), String>> {
        let line = line.trim();
        let (first, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let argument = argument.trim();
        let marked = first.strip_prefix(['/', ':']);
        let name = marked.unwrap_or(first).to_ascii_lowercase();
        let Some(listed) = COMMANDS.iter().find(|it| it.name == name) else {
            let known: Vec<&str> = COMMANDS.iter().map(|it| it.name).collect();
            let known = names::hint(&name, &known);
            return marked.map(|_| Err(format!("{} is no command{known}.", Quoted(first))));
        };
        Some(match (listed.argument, argument) {
            (Some(_), "") => Err(format!("{name} needs a file: {}.", listed.usage())),
            (None, "") | (Some(_), _) => Ok((listed.command, argument)),
            (None, _) => Err(format!("{name} stands alone: leave out {}.", Quoted(argument))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_may_be_marked_and_moves_are_none() {
        for line in ["hint", " HINT ", "/hint", ":Hint"] {
            assert_eq!(Command::parse(line), Some(Ok((Command::Hint, ""))), "{line}");
        }
        assert_eq!(Command::parse("save my games.jsonl "), Some(Ok((Command::Save, "my games.jsonl"))));
        for line in ["b2", "hints", "", " "] {
            assert_eq!(Command::parse(line), None, "{line}");
        }
    }

    #[test]
    fn a_wrong_command_is_named() {
        for (line, message) in [
            ("/hnit", "\"/hnit\" is no command; did you mean \"hint\"? known: hint, why, "),
            (":b2", "\":b2\" is no command; known: "),
            ("save", "save needs a file: save FILE."),
            ("undo 2", "undo stands alone: leave out \"2\"."),
        ] {
            let wrong = Command::parse(line).expect("it is marked or known").expect_err(line);
            assert!(wrong.starts_with(message), "{wrong}");
        }
    }
}
