//! Where a game is shown: in place on a terminal, or as plain text.

use std::env;
use std::io::{self, IsTerminal as _, Write};

use anstream::ColorChoice;
use anstream::adapter::strip_str;
use quintet_core::visible;
#[cfg(unix)]
use rustix::termios::{self, LocalModes, OptionalActions, Termios};

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
    terminal: Option<Terminal>,
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
        let source = if is_in_place { Source::Editor } else { Source::Lines };
        let screen = Self {
            out,
            is_in_place,
            echoes: !is_typed,
            has_color: anstream::AutoStream::choice(&io::stdout()) != ColorChoice::Never,
            notes: Vec::new(),
            page: None,
            shown: None,
            terminal: is_in_place.then(Terminal::remember),
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

    /// Takes the notes away from the next boards.
    pub(super) fn clear_notes(&mut self) {
        self.notes.clear();
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

    /// Runs something that takes time. What is typed meanwhile is shown at the next prompt.
    pub(super) fn busy<T>(&self, work: impl FnOnce() -> T) -> T {
        self.terminal.as_ref().inspect(|it| it.hide_input());
        let done = work();
        self.terminal.as_ref().inspect(|it| it.restore());
        done
    }

    /// Shows a prompt, unless an editor does so.
    pub(super) fn prompt(&mut self, prompt: &str) -> io::Result<()> {
        if !self.is_in_place {
            write!(self.out, "{prompt}")?;
        }
        self.out.flush()
    }

    /// Notes how a prompt ended; the cursor is at the start of a line then.
    pub(super) fn typed(&mut self, line: &str) -> io::Result<()> {
        self.clear_notes();
        if self.echoes { self.write(&[visible(line)]) } else { Ok(()) }
    }

    /// Ends the line of a prompt to which nothing was typed.
    pub(super) fn end_line(&mut self) -> io::Result<()> {
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

/// Wraps a text, if it goes to a terminal; lines after the first are indented.
pub(super) fn wrapped(text: &str) -> Vec<String> {
    let Some(width) = text_width() else { return vec![text.to_owned()] };
    let options = textwrap::Options::new(width).subsequent_indent("  ");
    textwrap::wrap(text, options).into_iter().map(Into::into).collect()
}

/// The terminal that a person types at. It is set as it was when this is dropped: an editor that
/// waits for a line has changed it.
struct Terminal {
    #[cfg(unix)]
    modes: Option<Termios>,
}

#[cfg_attr(not(unix), expect(clippy::unused_self, reason = "the modes of a terminal are those of Unix"))]
impl Terminal {
    fn remember() -> Self {
        Self {
            #[cfg(unix)]
            modes: termios::tcgetattr(io::stdin()).ok(),
        }
    }

    /// Hides what is typed, until it is restored: the next prompt shows it.
    fn hide_input(&self) {
        #[cfg(unix)]
        if let Some(mut modes) = self.modes.clone() {
            modes.local_modes.remove(LocalModes::ECHO);
            set(&modes);
        }
    }

    fn restore(&self) {
        #[cfg(unix)]
        if let Some(modes) = &self.modes {
            set(modes);
        }
    }
}

#[cfg(unix)]
fn set(modes: &Termios) {
    // If the terminal is gone, nobody misses it.
    let _ = termios::tcsetattr(io::stdin(), OptionalActions::Now, modes);
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.restore();
    }
}
