//! Recorded games.

use quintet_arena::tournament::record::{check_game, check_rulesheet, game_of};
use quintet_core::registry::{Registry, Variant};
use quintet_core::session::Session;
use quintet_protocol::{Id, ReplayError, ReplayRecord, Replayed, ShownGame, ShownStep, Step};

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
    let rulesheet =
        of_arena.as_ref().map_or(record.rulesheet.as_deref(), |it| it["arena"]["rulesheet"].as_str());
    let game = game_of(games, &record.game, record.rules.as_deref(), rulesheet).map_err(wrong)?;
    // By other rules a legal move may be none, so they come first.
    if of_arena.is_some() || rulesheet.is_some() {
        check_rulesheet(&game, rulesheet).map_err(wrong)?;
    }
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
        check_game(&record, games).map_err(wrong)?;
    }
    Ok(Replayed { game: game.game.to_string(), rules: game.rules.to_string(), ok: true, steps })
}

/// The state of a game as `replay --json` gives it.
fn step(session: &dyn Session) -> Step {
    let mut legal = session.legal_moves();
    legal.sort_unstable();
    let to_move = session.to_move().map(|role| role.name.to_string());
    Step { terminal: to_move.is_none(), to_move, legal, scores: answer::scores(session) }
}

/// Returns the steps of a game with what a board shows.
///
/// # Errors
/// What is wrong with the position or a move, in words for people.
pub fn shown(
    id: Id,
    variant: &Variant,
    position: Option<&str>,
    moves: &[String],
    pictures: bool,
) -> Result<ShownGame, String> {
    let mut session = variant.start();
    session.reset(position).map_err(|error| error.to_string())?;
    let mut steps = vec![shown_step(&*session, pictures)];
    for (index, token) in moves.iter().enumerate() {
        session.play(token).map_err(|error| format!("move {}: {error}", index + 1))?;
        steps.push(shown_step(&*session, pictures));
    }
    if let Some(last) = steps.last_mut().filter(|_| pictures) {
        last.effects = Some(quintet_board::effects(&mut *session));
    }
    let (game, rules) = (variant.game.to_string(), variant.rules.to_string());
    Ok(ShownGame { id, game, rules, ok: true, steps })
}

/// The last step of a game with its picture and the effects of its moves.
pub(crate) fn last_shown(session: &mut dyn Session) -> ShownStep {
    ShownStep { effects: Some(quintet_board::effects(session)), ..shown_step(session, true) }
}

fn shown_step(session: &dyn Session, pictures: bool) -> ShownStep {
    ShownStep {
        step: step(session),
        position: session.position(),
        about: session.mover_color().map(str::to_owned),
        task: session.task(),
        ending: session.ending(),
        unseen: session.unseen_moves(),
        picture: pictures.then(|| quintet_board::picture(session.picture())),
        effects: None,
        win: None,
    }
}
