//! Reads standard input while the brain thinks.

use std::io::{self, BufRead};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use quintet_protocol::gomocup::Command;

/// What comes from the manager.
pub(super) enum Event {
    Line(Result<String, String>),
    InputEnds(io::Result<()>),
}

/// Sends the lines of `input` as events, until its end. `END` sets `stop` at once, which ends the search
/// that is running.
pub(super) fn read(input: &mut dyn BufRead, events: &SyncSender<Event>, stop: &AtomicBool) {
    loop {
        let event = match quintet_protocol::next_line(input) {
            Ok(Some(line)) => Event::Line(line.and_then(|line| {
                String::from_utf8(line).map_err(|_| "the line is not UTF-8 text".to_owned())
            })),
            Ok(None) => Event::InputEnds(Ok(())),
            Err(error) => Event::InputEnds(Err(error)),
        };
        if let Event::Line(Ok(line)) = &event
            && line.parse() == Ok(Command::End)
        {
            stop.store(true, Ordering::Relaxed);
        }
        let is_end = matches!(event, Event::InputEnds(_));
        if events.send(event).is_err() || is_end {
            return;
        }
    }
}
