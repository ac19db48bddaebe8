//! The list of games.

use quintet_core::game::Side;
use quintet_core::registry::{Registry, STANDARD, Variant};
use quintet_protocol::{GRADES, GameLine, GameList, Id, ListedGame};

/// The line of `games --json` for a game.
#[must_use]
pub fn line(variant: &Variant, games: &Registry) -> GameLine {
    let Variant { game, rules, about, rules_text, roles, .. } = variant;
    let lines = [rules_text.text, rules_text.differs];
    GameLine {
        game: game.to_string(),
        rules: rules.to_string(),
        title: variant.title(),
        summary: about.summary.to_owned(),
        roles: roles.iter().map(|role| role.name.to_string()).collect(),
        moves: about.moves.to_owned(),
        position: about.position.to_owned(),
        start: variant.start().position(),
        rules_text: lines.into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join("\n"),
        differs: rules_text.differs.to_owned(),
        standard: is_standard(variant, games),
    }
}

/// Whether `standard` names this ruleset of the game.
#[must_use]
pub fn is_standard(variant: &Variant, games: &Registry) -> bool {
    games.find(&variant.game, Some(STANDARD)).is_ok_and(|it| it == *variant)
}

/// Returns the games that the page can play, with their boards: those for one player or two sides, without chance.
#[must_use]
pub fn listed(id: Id, games: &Registry) -> GameList {
    let listed = |variant: &Variant| ListedGame {
        game: line(variant, games),
        sides: variant.roles.iter().map(|role| 1 + u8::from(role.side == Side::Second)).collect(),
        layout: quintet_board::layout_of(&*variant.start()),
    };
    let is_shown =
        |it: &&Variant| (it.kind.has_one_player() || it.is_for_two_sides()) && !it.kind.has_chance();
    GameList { id, games: games.variants().iter().filter(is_shown).map(listed).collect(), grades: GRADES }
}
