//! The actions that search nothing.

use quintet_arena::tournament::summary;
use quintet_core::game::Side;
use quintet_core::registry::Variant;
use quintet_core::session::Session;
use quintet_protocol::{
    Action, ActionAnswer, FileList, GameList, Id, LevelList, ListedGame, ProgramVersion, ShownGame,
    ShownStep, Terminated, TerminatedAll, TournamentSummary,
};

use super::desk::{Client, Shared};
use super::search::find;
use super::watching;
use crate::levels::{self, Level};
use crate::{games, replay};

/// Does an action. `None` if its answers come later.
pub(super) fn done(
    id: Id,
    action: Action,
    client: &Client,
    desk: &Shared,
) -> Result<Option<ActionAnswer>, String> {
    let answer = match action {
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
            let listed = |&variant: &Variant| ListedGame {
                game: games::line(variant, &desk.games),
                sides: variant.roles.iter().map(|role| 1 + u8::from(role.side == Side::Second)).collect(),
                layout: quintet_board::layout_of(&*variant.start()),
            };
            let games = desk.games.variants().iter().map(listed);
            ActionAnswer::Games(GameList { id, games: games.collect() })
        }
        Action::Replay { game, rules, position, moves, pictures } => {
            let variant = find(&desk.games, &game, rules.as_deref())?;
            ActionAnswer::Replay(shown(id, variant, position.as_deref(), &moves, pictures)?)
        }
        Action::Levels {} => {
            let levels = levels::all().iter().map(Level::line).collect();
            ActionAnswer::Levels(LevelList { id, levels })
        }
        Action::Files {} => ActionAnswer::Files(FileList { id, files: watching::names(&desk.sources.files) }),
        Action::Watch { file } => {
            client.watch(id, &file)?;
            return Ok(None);
        }
        Action::Tournament { records } => {
            let (games, of_answer) = (desk.games.clone(), id.clone());
            client.act_later(id, move |stop| {
                let summary = summary(records, &games, stop).map_err(|error| error.to_string())?;
                Ok(ActionAnswer::Tournament(TournamentSummary { id: of_answer, summary }))
            });
            return Ok(None);
        }
    };
    Ok(Some(answer))
}

fn shown(
    id: Id,
    variant: Variant,
    position: Option<&str>,
    moves: &[String],
    pictures: bool,
) -> Result<ShownGame, String> {
    let mut session = variant.start();
    session.reset(position).map_err(|error| error.to_string())?;
    let mut steps = vec![step(&*session, pictures)];
    for (index, token) in moves.iter().enumerate() {
        session.play(token).map_err(|error| format!("move {}: {error}", index + 1))?;
        steps.push(step(&*session, pictures));
    }
    if let Some(last) = steps.last_mut().filter(|_| pictures) {
        last.effects = Some(quintet_board::effects(&mut *session));
    }
    let (game, rules) = (variant.game.to_owned(), variant.rules.to_owned());
    Ok(ShownGame { id, game, rules, ok: true, steps })
}

fn step(session: &dyn Session, pictures: bool) -> ShownStep {
    ShownStep {
        step: replay::step(session),
        position: session.position(),
        about: session.about_to_move().map(str::to_owned),
        task: session.task(),
        picture: pictures.then(|| quintet_board::picture(session.picture())),
        effects: None,
    }
}
