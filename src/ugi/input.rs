//! What happens to the engine: lines of standard input, and the progress of searches.

use std::io::{self, BufRead};
use std::sync::mpsc::SyncSender;

use quintet_core::search::Report;

use super::searcher::Searcher;

/// An event that the engine handles.
pub(super) enum Event {
    Line(Result<String, String>),
    InputEnds(io::Result<()>),
    /// What the search has found so far.
    Progress(Report<String>),
    SearchEnds(Searcher, Result<Report<String>, String>),
}

/// Sends the lines of `input` as events, until its end.
pub(super) fn read(input: &mut dyn BufRead, events: &SyncSender<Event>) {
    loop {
        let event = match quintet_protocol::next_line(input) {
            Ok(Some(line)) => Event::Line(line.and_then(|line| {
                String::from_utf8(line).map_err(|_| "the line is not UTF-8 text".to_owned())
            })),
            Ok(None) => Event::InputEnds(Ok(())),
            Err(error) => Event::InputEnds(Err(error)),
        };
        let is_end = matches!(event, Event::InputEnds(_));
        if events.send(event).is_err() || is_end {
            return;
        }
    }
}
