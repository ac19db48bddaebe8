//! What clients may ask besides searches.

use quintet_core::game::Side;
use quintet_core::registry::{Registry, Variant};
use quintet_core::session::Session;
use quintet_protocol::{
    GameList, Id, LevelLine, LevelList, ListedGame, ProgramVersion, ShownGame, ShownStep,
};

use crate::games::line;
use crate::replay;

/// Who answers, and what there is.
#[derive(Debug, Clone)]
pub struct About {
    /// The name of the program.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The games that there are.
    pub games: Registry,
    /// The levels for people, the weakest first.
    pub levels: Vec<LevelLine>,
}

impl About {
    pub(crate) fn version(&self, id: Id) -> ProgramVersion {
        ProgramVersion { id, name: self.name.to_owned(), version: self.version.to_owned() }
    }

    /// Returns the games and rulesets.
    #[must_use]
    pub fn games(&self, id: Id) -> GameList {
        let listed = |&variant: &Variant| ListedGame {
            game: line(variant, &self.games),
            sides: variant.roles.iter().map(|role| 1 + u8::from(role.side == Side::Second)).collect(),
            layout: quintet_board::layout_of(&*variant.start()),
        };
        GameList { id, games: self.games.variants().iter().map(listed).collect() }
    }

    pub(crate) fn levels(&self, id: Id) -> LevelList {
        LevelList { id, levels: self.levels.clone() }
    }
}

/// Returns the steps of a game, with `pictures` if they are asked for.
///
/// # Errors
/// What is wrong with the position or a move, in words for people.
pub fn shown(
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
        about: session.mover_color().map(str::to_owned),
        task: session.task(),
        picture: pictures.then(|| quintet_board::picture(session.picture())),
        effects: None,
    }
}
