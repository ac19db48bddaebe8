//! The brain of the Gomocup protocol, also known as the protocol of Piskvork. It plays Gomoku with lines of
//! exactly five.

mod board;
mod brain;
mod limits;

use std::io::{Read, Write};
use std::time::Duration;

use quintet_arena::ProgramConfig;
use quintet_arena::engine::EngineSpec;
use quintet_protocol::gomocup::{Answer, Command};

use super::Error;
use super::conversation::{Conversation, Event, GRACE};
use brain::{Brain, Task};

/// Answers the commands of `input` until its end or until `END`. A search ends `margin` before a limit.
///
/// # Errors
/// [`Error`], but for nothing that the manager sends.
pub fn run(
    config: ProgramConfig,
    margin: Duration,
    input: impl Read + Send + 'static,
    out: &mut dyn Write,
) -> Result<(), Error> {
    EngineSpec::default().check(&config.settings)?;
    let game = config.games.find("gomoku", Some("ggp"))?;
    let mut conversation = Conversation::start(Brain::new(config, &game, margin), input)?;
    loop {
        if let Some(brain) = &conversation.searcher {
            let is_counted = brain.iterations().is_some();
            if let Some((line, is_hurried)) = conversation.next_line() {
                // The searches of a decision share what is left of the time.
                let cap = (conversation.has_ended() && !is_counted).then_some(GRACE);
                conversation.begin(Task { line, cap }, is_counted);
                if is_hurried {
                    conversation.stop();
                }
            } else if conversation.has_ended() {
                return conversation.finish();
            }
        }
        match conversation.next(None) {
            Event::Line(line, reservation) => {
                match line.as_ref().map(|line| line.parse()) {
                    Ok(Ok(Command::End)) => {
                        conversation.hurry();
                        conversation.end_input();
                        continue;
                    }
                    Ok(Ok(Command::YxStop)) => conversation.hurry(),
                    _ => {}
                }
                conversation.wait(line, reservation);
            }
            Event::Stop => conversation.stop(),
            Event::Found(answers) => {
                let error = |error| format!("{}\n", Answer::Error(error));
                out.write_all(answers.unwrap_or_else(error).as_bytes())?;
                out.flush()?;
            }
            Event::Full | Event::End | Event::Progress(_) | Event::Wake => {}
        }
    }
}
