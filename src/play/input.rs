//! What people type: lines from an editor in a terminal, or from a pipe.

use std::io::{self, BufRead};
use std::sync::mpsc::{self, Receiver, SyncSender};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use crate::WorkError;

/// What came of a prompt.
#[derive(Debug)]
pub(super) enum Typed {
    Line(String),
    /// A line that can't be read, and why.
    Wrong(String),
    /// The input has ended.
    End,
    /// Ctrl-C.
    Interrupt,
    Failed(io::Error),
}

/// A prompt, and the words that Tab completes.
pub(super) struct Prompt {
    pub(super) text: String,
    pub(super) words: Vec<String>,
}

/// Where lines come from.
pub(super) enum Source {
    /// An editor in the terminal.
    Editor,
    /// Standard input, as it is.
    Lines,
}

/// Starts to read: a line for each prompt.
pub(super) fn start(
    source: Source,
    typed: impl Fn(Typed) + Send + 'static,
) -> Result<SyncSender<Prompt>, WorkError> {
    let (ask, prompts) = mpsc::sync_channel(1);
    let read = move || match source {
        Source::Editor => edit(&prompts, &typed),
        Source::Lines => read_lines(&mut io::stdin().lock(), &prompts, &typed),
    };
    crate::start_thread(read)?;
    Ok(ask)
}

fn read_lines(input: &mut dyn BufRead, prompts: &Receiver<Prompt>, typed: &dyn Fn(Typed)) {
    for _ in prompts {
        typed(match quintet_protocol::next_line(input) {
            // Whatever is no text is no move either.
            Ok(Some(Ok(line))) => Typed::Line(String::from_utf8_lossy(&line).into_owned()),
            Ok(Some(Err(wrong))) => Typed::Wrong(wrong),
            Ok(None) => Typed::End,
            Err(error) => Typed::Failed(error),
        });
    }
}

/// Edits lines, with a history of this game.
fn edit(prompts: &Receiver<Prompt>, typed: &dyn Fn(Typed)) {
    let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true).build();
    let history = MemHistory::with_config(&config);
    let editor = Editor::<Words, MemHistory>::with_history(config, history);
    let mut editor = match editor {
        Ok(editor) => editor,
        Err(error) => return typed(Typed::Failed(io::Error::other(error))),
    };
    for Prompt { text, words } in prompts {
        editor.set_helper(Some(Words(words)));
        typed(match editor.readline(&text) {
            Ok(line) => Typed::Line(line),
            Err(ReadlineError::Eof) => Typed::End,
            Err(ReadlineError::Interrupted | ReadlineError::Signal(_)) => Typed::Interrupt,
            Err(ReadlineError::Io(error)) => Typed::Failed(error),
            Err(error) => Typed::Failed(io::Error::other(error)),
        });
    }
}

/// The words that Tab completes.
struct Words(Vec<String>);

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, end: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let start = line[..end].rfind(char::is_whitespace).map_or(0, |space| space + 1);
        let begun = line[start..end].to_lowercase();
        let begin_so = |word: &&String| word.to_lowercase().starts_with(&begun);
        Ok((start, self.0.iter().filter(begin_so).cloned().collect()))
    }
}

impl Helper for Words {}
impl Highlighter for Words {}
impl Hinter for Words {
    type Hint = String;
}
impl Validator for Words {}
