//! Where a game is shown: in place on a terminal, or as plain text.

use std::env;
use std::io::{self, IsTerminal as _, Write};

use anstream::ColorChoice;
use anstream::adapter::strip_str;
use quintet_core::visible;

use super::input::Source;
use crate::output::{text_width, width};

/// Moves the cursor to the top left corner and clears the screen from there.
const CLEAR: &str = "\x1b[H\x1b[J";

/// The columns of a drawing where there is no terminal.
const PLAIN_WIDTH: usize = 80;

/// Standard output as the place of a game.
pub(super) struct Screen<'a> {
    out: &'a mut dyn Write,
    /// Whether each view replaces the one before.
    pub(super) is_in_place: bool,
    /// Whether what a person types is not seen by itself.
    echoes: bool,
    has_color: bool,
    /// What has been said since a line was typed.
    notes: Vec<String>,
    /// What is shown instead of the next board.
    page: Option<Vec<String>>,
    /// The moves that led to the board that was shown last.
    shown: Option<Vec<String>>,
}

/// A board with what stands above and below.
pub(super) struct View {
    pub(super) title: String,
    pub(super) board: Vec<String>,
    /// The moves that led to it.
    pub(super) moves: Vec<String>,
    /// What happens now.
    pub(super) status: String,
}

impl<'a> Screen<'a> {
    /// The screen, and where lines come from.
    pub(super) fn new(out: &'a mut dyn Write) -> (Self, Source) {
        let is_typed = io::stdin().is_terminal();
        let is_capable = env::var_os("TERM").map_or(!cfg!(unix), |term| !term.is_empty() && term != "dumb");
        let is_in_place = is_typed && io::stdout().is_terminal() && is_capable;
        let source = if is_in_place {
            Source::Editor
        } else {
            Source::Lines(Box::new(|| Box::new(io::BufReader::new(io::stdin()))))
        };
        let screen = Self {
            out,
            is_in_place,
            echoes: !is_typed,
            has_color: anstream::AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            notes: Vec::new(),
            page: None,
            shown: None,
        };
        (screen, source)
    }

    /// The columns that a drawing may take up.
    pub(super) fn columns() -> usize {
        width().unwrap_or(PLAIN_WIDTH)
    }

    /// Begins: on a terminal, what is there moves up.
    pub(super) fn open(&mut self) -> io::Result<()> {
        if self.is_in_place {
            let rows = terminal_size::terminal_size_of(io::stdout()).map_or(24, |(_, rows)| rows.0);
            write!(self.out, "{}", "\n".repeat(rows.into()))?;
        }
        Ok(())
    }

    /// Says something: below the next boards, until a line is typed.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        let lines = wrapped(text);
        if self.is_in_place {
            self.notes.extend(lines);
            Ok(())
        } else {
            self.write(&lines)
        }
    }

    /// Shows a page of text, instead of the next board.
    pub(super) fn page(&mut self, lines: Vec<String>) -> io::Result<()> {
        if self.is_in_place {
            self.page = Some(lines);
            Ok(())
        } else {
            self.write(&lines)
        }
    }

    /// Shows the next board even if it is the one shown last.
    pub(super) fn forget(&mut self) {
        self.shown = None;
    }

    /// Shows a board. As plain text it is shown only if another one was shown last.
    pub(super) fn show(&mut self, view: View) -> io::Result<()> {
        let View { title, board, moves, status } = view;
        let is_new = self.shown.as_ref() != Some(&moves);
        self.shown = Some(moves);
        let mut lines = Vec::new();
        if self.is_in_place {
            write!(self.out, "{CLEAR}")?;
            lines.extend(wrapped(&title));
            lines.push(String::new());
            lines.extend(self.page.take().unwrap_or(board));
            lines.push(String::new());
            lines.extend(self.notes.clone());
            lines.extend(wrapped(&status));
        } else if is_new {
            lines.push(String::new());
            lines.extend(board);
            lines.push(String::new());
            lines.extend(wrapped(&status));
        }
        self.write(&lines)
    }

    /// Shows a prompt, unless an editor does so.
    pub(super) fn prompt(&mut self, prompt: &str) -> io::Result<()> {
        if !self.is_in_place {
            write!(self.out, "{prompt}")?;
        }
        self.out.flush()
    }

    /// Takes note of what came of a prompt; the cursor is at the start of a line then.
    pub(super) fn typed(&mut self, line: &str) -> io::Result<()> {
        self.notes.clear();
        if self.echoes { self.write(&[visible(line)]) } else { Ok(()) }
    }

    /// Leaves a prompt to which nothing was typed.
    pub(super) fn leave_prompt(&mut self) -> io::Result<()> {
        self.notes.clear();
        self.write(&[String::new()])
    }

    /// Writes lines of text below all that is there.
    pub(super) fn write(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            if self.has_color {
                writeln!(self.out, "{line}")?;
            } else {
                writeln!(self.out, "{}", strip_str(line))?;
            }
        }
        self.out.flush()
    }
}

/// Wraps a text into lines of at most `columns`; lines after the first are indented.
pub(super) fn wrapped(text: &str) -> Vec<String> {
    let options = textwrap::Options::new(text_width().unwrap_or(PLAIN_WIDTH)).subsequent_indent("  ");
    textwrap::wrap(text, options).into_iter().map(Into::into).collect()
}

/// Sets the terminal as it was before, when it is dropped: an editor that waits for a line has
/// changed it.
pub(super) struct Terminal {
    #[cfg(unix)]
    modes: Option<rustix::termios::Termios>,
}

impl Terminal {
    pub(super) fn remember() -> Self {
        Self {
            #[cfg(unix)]
            modes: rustix::termios::tcgetattr(io::stdin()).ok(),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(modes) = &self.modes {
            // If the terminal is gone, nobody misses it.
            let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, modes);
        }
    }
}
