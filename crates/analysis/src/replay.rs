//! Recorded games.

use quintet_arena::tournament::record::check_game;
use quintet_core::registry::Registry;
use quintet_core::session::Session;
use quintet_protocol::{ReplayError, ReplayRecord, Replayed, Step};

use crate::answer;

/// Replays the game of a record: the JSON in `line`, whose number is `number`. A record of the arena is
/// checked as a whole.
///
/// # Errors
/// What is wrong with the record, and at which ply.
pub fn replayed(
    line: Result<Vec<u8>, String>,
    number: usize,
    games: &Registry,
) -> Result<Replayed, ReplayError> {
    let wrong = |message: String| ReplayError { line: number, message, ..ReplayError::default() };
    let object = line.and_then(|line| quintet_protocol::object(&line)).map_err(wrong)?;
    let of_arena = object.contains_key("arena").then(|| object.clone());
    let record: ReplayRecord = quintet_protocol::read(object).map_err(wrong)?;
    let found = games.find(&record.game, record.rules.as_deref());
    let game = found.map_err(|error| wrong(error.to_string()))?;
    let mut session = game.start();
    session.reset(record.position.as_deref()).map_err(|error| wrong(error.to_string()))?;
    let mut steps = vec![step(&*session)];
    for (index, token) in record.moves.iter().enumerate() {
        session.play(token).map_err(|error| ReplayError {
            ply: Some(index + 1),
            token: Some(token.clone()),
            ..wrong(error.to_string())
        })?;
        steps.push(step(&*session));
    }
    if let Some(object) = of_arena {
        let record = quintet_protocol::read(object).map_err(wrong)?;
        check_game(&record, games).map_err(|error| wrong(error.to_string()))?;
    }
    Ok(Replayed { game: game.game.to_owned(), rules: game.rules.to_owned(), ok: true, steps })
}

/// The state of a game as `replay --json` gives it.
pub(crate) fn step(session: &dyn Session) -> Step {
    let mut legal = session.legal_moves();
    legal.sort_unstable();
    let to_move = session.to_move().map(|role| role.name.to_owned());
    Step { terminal: to_move.is_none(), to_move, legal, scores: answer::scores(session) }
}
