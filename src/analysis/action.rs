//! The actions that search nothing.

use quintet_core::registry::Variant;
use quintet_core::session::Session;
use quintet_protocol::{
    Action, ActionAnswer, GameList, Id, ProgramVersion, ShownGame, ShownStep, Terminated, TerminatedAll,
};

use super::desk::{Client, Shared};
use super::search::find;
use crate::{games, replay};

/// Does an action.
pub(super) fn done(id: Id, action: Action, client: &Client, desk: &Shared) -> Result<ActionAnswer, String> {
    Ok(match action {
        Action::Terminate { terminate_id } => {
            let terminated = client.terminate(Some(&terminate_id));
            ActionAnswer::Terminate(Terminated { id, terminate_id, terminated })
        }
        Action::TerminateAll {} => {
            ActionAnswer::TerminateAll(TerminatedAll { id, terminated: client.terminate(None) })
        }
        Action::Version {} => {
            let (name, version) = (desk.name.to_owned(), desk.version.to_owned());
            ActionAnswer::Version(ProgramVersion { id, name, version })
        }
        Action::Games {} => {
            let games = desk.games.variants().iter().map(|&it| games::line(it, &desk.games));
            ActionAnswer::Games(GameList { id, games: games.collect() })
        }
        Action::Replay { game, rules, position, moves } => {
            let variant = find(&desk.games, &game, rules.as_deref())?;
            ActionAnswer::Replay(shown(id, variant, position.as_deref(), &moves)?)
        }
    })
}

fn shown(id: Id, variant: Variant, position: Option<&str>, moves: &[String]) -> Result<ShownGame, String> {
    let mut session = variant.start();
    session.reset(position).map_err(|error| error.to_string())?;
    let mut steps = vec![step(&*session)];
    for (index, token) in moves.iter().enumerate() {
        session.play(token).map_err(|error| format!("move {}: {error}", index + 1))?;
        steps.push(step(&*session));
    }
    let (game, rules) = (variant.game.to_owned(), variant.rules.to_owned());
    Ok(ShownGame { id, game, rules, ok: true, steps })
}

fn step(session: &dyn Session) -> ShownStep {
    ShownStep {
        step: replay::step(session),
        position: session.position(),
        about: session.about_to_move().map(str::to_owned),
    }
}
