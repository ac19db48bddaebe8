//! Output shared by the commands: styles, tables, numbers, errors.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use indicatif::{ProgressBar, ProgressStyle};
use quintet_arena::files;
pub(crate) use quintet_arena::stats::text::{counted, counted_plies, rate, thousands};
use quintet_core::game::{Outcome, Role, Side};
use quintet_core::registry::{Registry, STANDARD, Variant};
use quintet_core::session::Session;
use quintet_core::visible;
use quintet_protocol::WinLine;
use textwrap::core::display_width;

use crate::WorkError;

/// The longest lines of running text, in columns.
pub(crate) const MAX_WIDTH: usize = 110;

/// The style of headings.
pub(crate) const HEADING: Style = Style::new().bold();
/// The style of wrong results.
pub(crate) const WRONG: Style = ERROR;
/// The style of the best move.
pub(crate) const BEST: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Green)));
const ERROR: Style = Style::new().bold().fg_color(Some(anstyle::Color::Ansi(AnsiColor::Red)));

/// Standard output, with colors if it supports them.
///
/// Its errors are marked, so that [`Stdout::error`] can tell them from those of other files.
#[derive(Debug)]
pub(crate) struct Stdout(anstream::AutoStream<io::StdoutLock<'static>>);

/// An error in writing standard output.
#[derive(Debug, thiserror::Error)]
#[error("can't write the output: {0}")]
struct StdoutError(io::Error);

impl Stdout {
    /// Standard output. If it `is_raw`, all bytes are written as they are.
    pub(crate) fn new(is_raw: bool) -> Self {
        let stdout = io::stdout().lock();
        Self(if is_raw {
            anstream::AutoStream::always_ansi(stdout)
        } else {
            anstream::AutoStream::auto(stdout)
        })
    }

    /// Returns the kind of an error in writing standard output; `None` for any other error.
    pub(crate) fn error(cause: &(dyn std::error::Error + 'static)) -> Option<io::ErrorKind> {
        let inner = cause.downcast_ref::<io::Error>()?.get_ref()?;
        inner.downcast_ref::<StdoutError>().map(|error| error.0.kind())
    }
}

fn tagged(error: io::Error) -> io::Error {
    io::Error::new(error.kind(), StdoutError(error))
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(tagged)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(tagged)
    }
}

/// Returns `text` in `style`.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Names the game of a session, and who is to move.
pub(crate) fn headline(session: &dyn Session) -> String {
    let variant = session.variant();
    let state = match (session.to_move(), session.mover_color()) {
        (None, _) => "the game is over".to_owned(),
        (Some(role), Some(color)) => format!("{} ({color}) to move", role.name),
        (Some(role), None) => format!("{} to move", role.name),
    };
    format!("{}: {state}", styled(HEADING, format!("{} ({})", variant.title(), variant.rules)))
}

/// The name of a side: that of its role, or what the names of its roles have in common.
pub(crate) fn side_name(roles: &[Role], side: Side) -> String {
    let mut names = roles.iter().filter(|role| role.side == side).map(|role| &*role.name);
    let first = names.next().unwrap_or_default();
    let common =
        |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|it| it.0).collect();
    let name: String = names.fold(first.to_owned(), |name, other| common(&name, other));
    if name.is_empty() { first.to_owned() } else { name }
}

/// Says who wins in how many plies and how, with what each move of the winner threatens; or how the only side solves the
/// game.
pub(crate) fn shown_win(session: &dyn Session, outcome: Option<Outcome>, win: &WinLine) -> String {
    let winner = match outcome {
        Some(Outcome::Win(side)) => side_name(&session.variant().roles, side),
        _ => "the winner".to_owned(),
    };
    let length = match (win.plies, win.plies_at_most) {
        (Some(plies), _) => format!(" in {}", counted_plies(plies)),
        (None, Some(most)) => format!(" in at most {}", counted_plies(most)),
        (None, None) => String::new(),
    };
    let reasons =
        win.line_why.iter().map(|why| if why.is_empty() { String::new() } else { format!(" ({why})") });
    let moves: Vec<String> = win.line.iter().zip(reasons).map(|(mv, why)| format!("{mv}{why}")).collect();
    let moves = moves.join(" ");
    if session.variant().sides().len() > 1 {
        return format!("{winner} wins{length} against the longest resistance: {moves}");
    }
    let solution = match (win.plies, win.plies_at_most) {
        (Some(plies), _) => format!("a shortest solution, {}", counted(plies.into(), "move")),
        (None, Some(most)) => format!("a solution in {}, not proven shortest", counted(most.into(), "move")),
        (None, None) => "a solution".to_owned(),
    };
    format!("{solution}: {moves}")
}

/// Says what is special about the ruleset of a game that has several, and how to get the usual one; `None` for
/// another game.
pub(crate) fn ruleset(variant: &Variant, games: &Registry) -> Option<String> {
    let Variant { game, rules, rules_text, .. } = variant;
    let has_others = games.game(game).is_ok_and(|all| all.len() > 1);
    if !has_others || rules_text.differs.is_empty() {
        return None;
    }
    let usual = games.find(game, Some(STANDARD)).ok();
    let (kind, how) = match usual {
        Some(usual) if usual == *variant => ("Usual rules", String::new()),
        Some(_) => ("Rules", format!(" Not the usual rules: for those add --rules {STANDARD}.")),
        None => ("Rules", String::new()),
    };
    Some(format!("{kind} ({rules}): {}{how}", rules_text.differs))
}

/// Returns the number of columns for running text: those of the terminal that standard output goes
/// to, from 40 to [`MAX_WIDTH`]; `None` if it goes elsewhere.
pub(crate) fn text_width() -> Option<usize> {
    width().map(|width| width.clamp(40, MAX_WIDTH))
}

/// Writes a file as a whole. If that fails, an earlier content stays.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<(), WorkError> {
    replace_file(path, content).map_err(WorkError::unwritten(path))
}

fn replace_file(path: &Path, content: &[u8]) -> io::Result<()> {
    // The content of a link's target is replaced, not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&path).ok();
    if old.as_ref().is_some_and(|it| !it.is_file()) {
        // A device, such as /dev/stdout.
        return fs::write(path, content);
    }
    let (mut file, new) = new_beside(&path)?;
    let written = file.write_all(content).and_then(|()| file.sync_all()).and_then(|()| {
        if let Some(old) = old {
            fs::set_permissions(&new, old.permissions())?;
        }
        files::replace(Path::new(&new), &path)
    });
    if written.is_err() {
        // What is left of it is of no use.
        let _ = fs::remove_file(&new);
    }
    written
}

/// Checks that [`replace`] can write a file at this place, as far as that can be known before.
pub(crate) fn check_replace(path: &Path) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&path).is_ok_and(|it| !it.is_file()) {
        return fs::OpenOptions::new().write(true).open(path).map(drop);
    }
    let (file, new) = new_beside(&path)?;
    drop(file);
    fs::remove_file(new)
}

/// Creates a file beside `path`, and returns it with its name.
fn new_beside(path: &Path) -> io::Result<(fs::File, OsString)> {
    // Somebody may have a file of this name.
    let names = (1..100).map(|number| {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { ".new".to_owned() } else { format!(".{number}.new") });
        name
    });
    let is_free = |name: &OsString| !Path::new(name).exists();
    let new = names.into_iter().find(is_free).ok_or(io::ErrorKind::AlreadyExists)?;
    Ok((fs::File::create_new(&new)?, new))
}

/// A bar of this form on standard error, or without a number of steps a line, which is redrawn regularly if it
/// is shown and there is a thread for that.
pub(crate) fn bar(form: &str, steps: Option<u64>) -> ProgressBar {
    let style = ProgressStyle::with_template(form).expect("the template is valid");
    let bar = steps.map_or_else(ProgressBar::new_spinner, ProgressBar::new).with_style(style);
    // The bar would panic without a thread.
    if !bar.is_hidden() && thread::Builder::new().spawn(|| ()).is_ok() {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    bar
}

/// Prints an error and its causes on standard error.
pub(crate) fn error(error: &anyhow::Error) {
    // If standard error is closed, the error can't be reported anywhere.
    let error = visible_lines(&format!("{error:#}"));
    let _ = writeln!(anstream::stderr().lock(), "{}: {error}", styled(ERROR, "error"));
}

/// Prints a message on standard error.
pub(crate) fn note(text: impl Display) {
    let _ = writeln!(anstream::stderr().lock(), "{}", visible_lines(&text.to_string()));
}

/// Returns a message of one line or more, a part of which may be from outside, such as the name of a
/// file.
fn visible_lines(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// A table with headings: the first `left` columns are aligned left, the others right.
#[derive(Debug, Clone)]
pub(crate) struct TextTable {
    left: usize,
    /// Whether the last column is text: aligned left too, and wrapped.
    ends_in_words: bool,
    /// The headings of columns that may be left out where the terminal is narrow, the least
    /// important first.
    optional: Vec<&'static str>,
    rows: Vec<Vec<String>>,
    highlighted: Option<usize>,
}

impl TextTable {
    /// Creates a table with these headings and the first `left` columns aligned left.
    pub(crate) fn new<'a>(left: usize, headings: impl IntoIterator<Item = &'a str>) -> Self {
        let headings = headings.into_iter().map(str::to_owned).collect();
        Self { left, ends_in_words: false, optional: Vec::new(), rows: vec![headings], highlighted: None }
    }

    /// Takes the last column for text: aligns it left, and wraps it where the terminal is narrow.
    pub(crate) fn ending_in_words(self) -> Self {
        Self { ends_in_words: true, ..self }
    }

    /// Lets columns be left out where the terminal is narrow: those with these headings, the least
    /// important first.
    pub(crate) fn with_optional(self, headings: impl Into<Vec<&'static str>>) -> Self {
        Self { optional: headings.into(), ..self }
    }

    /// Adds a row with a cell for each heading.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Highlights the row with this number, from 1.
    pub(crate) fn highlight(&mut self, row: usize) {
        self.highlighted = Some(row);
    }

    /// Returns the width of the table, in columns.
    pub(crate) fn width(&self) -> usize {
        let gaps = GAP.len() * (self.rows[0].len() - 1);
        self.widths().iter().sum::<usize>() + gaps
    }

    fn widths(&self) -> Vec<usize> {
        let width_of =
            |column: usize| self.rows.iter().map(|row| display_width(&row[column])).max().unwrap_or(0);
        (0..self.rows[0].len()).map(width_of).collect()
    }

    /// Prints the table, in the width of the terminal if that is possible.
    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = width();
        let mut table = self.clone();
        let mut left_out = Vec::new();
        for &heading in &self.optional {
            if width.is_none_or(|width| table.width() <= width) {
                break;
            }
            if let Some(column) = table.rows[0].iter().position(|it| it == heading) {
                table.rows.iter_mut().for_each(|row| _ = row.remove(column));
                left_out.push(heading);
            }
        }
        table.print_all(width, out)?;
        if left_out.is_empty() {
            return Ok(());
        }
        writeln!(out, "{}", wrapped(&format!("(no room for: {})", left_out.join(", "))))
    }

    fn print_all(&self, width: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
        let columns = self.rows[0].len();
        let widths = self.widths();
        let before_last: usize = widths[..columns - 1].iter().map(|width| width + GAP.len()).sum();
        for (index, row) in self.rows.iter().enumerate() {
            let style = match index {
                0 => HEADING,
                _ if self.highlighted == Some(index) => BEST,
                _ => Style::new(),
            };
            let words = match width {
                Some(width) if self.ends_in_words => {
                    let room = width.saturating_sub(before_last).max(MIN_WORDS);
                    textwrap::wrap(&row[columns - 1], room)
                }
                _ => vec![Cow::from(&row[columns - 1])],
            };
            for (number, last) in words.iter().enumerate() {
                let cells = row[..columns - 1].iter().map(|cell| if number == 0 { cell } else { "" });
                let cells =
                    cells.chain([&**last]).zip(&widths).enumerate().map(|(column, (cell, &width))| {
                        let is_left = column < self.left || self.ends_in_words && column + 1 == columns;
                        let gap = " ".repeat(width - display_width(cell).min(width));
                        if is_left { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
                    });
                let line = cells.collect::<Vec<String>>().join(GAP);
                writeln!(out, "{}", styled(style, line.trim_end()))?;
            }
        }
        Ok(())
    }
}

/// What separates the columns of a table.
const GAP: &str = "  ";

/// The least room for the words of a table, however narrow the terminal.
const MIN_WORDS: usize = 16;

/// Returns the width of the terminal that standard output goes to; `None` if it goes elsewhere.
pub(crate) fn width() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0))
}

/// Wraps a text at [`text_width`], if standard output goes to a terminal.
pub(crate) fn wrapped(text: &str) -> String {
    text_width().map_or_else(|| text.to_owned(), |width| textwrap::fill(text, width))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_are_shown() {
        let mut table = TextTable::new(1, ["engine", "games"]);
        table.row(["棋手".to_owned(), "1".to_owned()]);
        table.row(["e\u{301}t\u{301}".to_owned(), "12".to_owned()]);
        let mut out = Vec::new();
        table.print_all(None, &mut out).expect("memory has room");
        let text = String::from_utf8(out).expect("text");
        let text = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(text, "engine  games\n棋手        1\ne\u{301}t\u{301}         12\n");
    }
}
