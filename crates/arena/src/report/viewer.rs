//! The game data for the page's viewer.
//!
//! The data holds what each ply changes on the board, so that the viewer needs no rules. A game's
//! `film` is a string with one word for each position, including the start. A word has these parts:
//!
//! * for each place that changed, a character for the place, `U+00C0` plus its number, and the code
//!   of what is on it; before the start, all places are empty;
//! * `|` and characters for the open cells, if there are any;
//! * `@`, the quadrant's number and `+` (clockwise) or `-`, if a quadrant has turned;
//! * `=` and characters for the cells of each line that decided the game, joined by `,`.
//!
//! For a game drawn as text, the film is a list of strings instead.

use maud::{Markup, PreEscaped, html};
use quintet_core::game::{self, EMPTY, Picture, Scene, Side};
use quintet_core::session::Session;
use quintet_protocol::Layout;
use serde_json::{Value, json};

use super::entry::CheckedGame;
use super::format::visible;
use super::section::Section;
use super::thoughts::{self, Blunder};

/// The character for the first place. Neither it nor any later character has a meaning in JSON,
/// HTML or a film.
const FIRST_PLACE: u32 = 0xC0;

/// The positions of a game.
#[derive(Debug)]
pub(super) struct Film {
    /// The layout of its board; `None` if it is drawn as text.
    pub(super) layout: Option<&'static game::Layout>,
    /// The film, as a string or a list of strings (see the module documentation).
    pub(super) pictures: Value,
    /// For each position, the index of the role to move as one base-36 digit, `-` if the game is
    /// over.
    pub(super) turns: String,
}

/// Returns the film of a record.
fn film_of(entry: &CheckedGame) -> Film {
    let mut session = entry.game.start();
    // The record has been checked.
    let _ = session.reset(entry.record.position.as_deref());
    film(session, &entry.record.moves)
}

/// Returns the film of a game that starts at the position of `session`.
pub(super) fn film(mut session: Box<dyn Session>, moves: &[String]) -> Film {
    let turn = |session: &dyn Session| match session.to_move() {
        Some(role) => {
            let index = session.variant().roles.iter().position(|it| *it == role);
            index.and_then(|index| char::from_digit(index as u32, 36)).unwrap_or('?')
        }
        None => '-',
    };
    let mut turns = String::from(turn(&*session));
    let mut pictures = vec![session.picture()];
    for token in moves {
        if session.play(token).is_err() {
            break;
        }
        turns.push(turn(&*session));
        pictures.push(session.picture());
    }

    let mut layout = None;
    let mut places = Vec::new();
    let mut words = Vec::new();
    let mut texts = Vec::new();
    for picture in pictures {
        match picture {
            Picture::Text(text) => texts.push(text),
            Picture::Scene(scene) => {
                layout = Some(scene.layout);
                places.resize(scene.layout.places(), EMPTY);
                words.push(word(&places, &scene));
                places = scene.places;
            }
        }
    }
    let pictures = if layout.is_some() { words.join(" ").into() } else { texts.into() };
    Film { layout, pictures, turns }
}

/// Returns the word for the change from `before` to `scene`.
fn word(before: &[char], scene: &Scene) -> String {
    let name = |place: usize| char::from_u32(FIRST_PLACE + place as u32).unwrap_or_default();
    let mut word = String::new();
    for (place, (old, new)) in before.iter().zip(&scene.places).enumerate() {
        if old != new {
            word.extend([name(place), *new]);
        }
    }
    if !scene.open.is_empty() {
        word.push('|');
        word.extend(scene.open.iter().map(|&cell| name(cell)));
    }
    if let Some(turned) = scene.turned {
        word.push_str(&format!("@{}{}", turned.quadrant, if turned.clockwise { '+' } else { '-' }));
    }
    let lines = scene.lines.iter().map(|line| line.iter().map(|&cell| name(cell)).collect::<String>());
    let lines = lines.collect::<Vec<_>>().join(",");
    if !lines.is_empty() {
        word.push('=');
        word.push_str(&lines);
    }
    word
}

/// Whether the viewer holds the game with this index of `total`, if it holds at most `most`.
pub(super) fn is_held(index: usize, total: usize, most: usize) -> bool {
    total <= most || (index + 1) * most / total > index * most / total
}

/// Returns the games and the layouts of their boards as JSON for the script.
pub(super) fn data(sections: &[Section], total: usize, most: usize) -> Markup {
    let mut layouts = Vec::new();
    let list: Vec<Value> = sections
        .iter()
        .map(|section| {
            let mut layout = None;
            let held = section.games.iter().filter(|(number, _)| is_held(number - 1, total, most));
            let games: Vec<Value> = held
                .map(|(number, entry)| {
                    let film = film_of(entry);
                    layout = film.layout;
                    game(*number, entry, &film)
                })
                .collect();
            json!({
                "game": section.game.game,
                "rules": section.game.rules,
                "title": section.game.about.title,
                "roles": section.game.roles.iter().map(|role| role.name).collect::<Vec<_>>(),
                "sides": section.game.roles.iter().map(|role| u8::from(role.side == Side::Second)).collect::<Vec<_>>(),
                "layout": layout.map(|layout| index_of(&mut layouts, quintet_board::layout(layout))),
                "games": games,
            })
        })
        .collect();
    // An engine's name must not end the element.
    let data = json!({ "layouts": layouts, "sections": list }).to_string().replace('<', "\\u003c");
    html! { script #games type="application/json" { (PreEscaped(data)) } }
}

/// Returns where in `layouts` this one is, and adds it if it is new.
fn index_of(layouts: &mut Vec<Layout>, layout: Layout) -> usize {
    layouts.iter().position(|it| *it == layout).unwrap_or_else(|| {
        layouts.push(layout);
        layouts.len() - 1
    })
}

fn game(number: usize, entry: &CheckedGame, film: &Film) -> Value {
    let record = &entry.record;
    let mut game = json!({
        "number": number,
        "engines": entry.engines,
        "points": entry.half_points,
        "end": record.end,
        "fault": record.fault,
        "opening": record.opening.len(),
        "moves": visible(&record.moves.join(" ")),
        "film": film.pictures,
        "turns": film.turns,
    });
    if let Some(data) = thoughts::data(&record.thoughts) {
        game["thoughts"] = data.into();
        let tenths = |score: f64| (score * 10.0).round() / 10.0;
        let blunder = |it: Blunder| {
            let [before, after] = it.opinions.map(tenths);
            json!([it.ply, before, after, it.by])
        };
        game["blunders"] = thoughts::blunders(entry, &film.turns).into_iter().map(blunder).collect();
    }
    game
}
