//! Boards of quintet's games in HTML pages.
//!
//! [`SCRIPT`] and [`STYLE`] draw pictures of positions in a browser; the comment at the head of
//! `board.js` says how. They know no rules: [`layout`] and [`picture`] give the board of a game and
//! what stands on it as JSON types, and [`effects`] what each legal move changes there. [`svg()`] draws a
//! picture where no browser does it.
#![forbid(unsafe_code)]

mod svg;

use indexmap::IndexMap;
use quintet_core::game::{Picture, Scene, Surface, Turned};
use quintet_core::session::Session;
use quintet_protocol as json;

pub use svg::{CandidateMark, svg};

/// The JavaScript module that draws boards.
pub const SCRIPT: &str = include_str!("board.js");

/// The style sheet of the boards. Pages may set its custom properties to other colors.
pub const STYLE: &str = include_str!("board.css");

/// Returns a layout as JSON.
#[must_use]
pub fn layout(layout: &quintet_core::game::Layout) -> json::Layout {
    let quintet_core::game::Layout { levels, rows, columns, .. } = layout.clone();
    let (surface, quadrants) = match layout.surface {
        Surface::Squares => (json::Surface::Squares, Vec::new()),
        Surface::Checkered => (json::Surface::Checkered, Vec::new()),
        Surface::Wells => (json::Surface::Wells, Vec::new()),
        Surface::Lines => (json::Surface::Lines, Vec::new()),
        Surface::Quadrants(names) => (json::Surface::Quadrants, names.map(str::to_owned).into()),
    };
    let trays =
        layout.trays.iter().map(|tray| json::Tray { name: tray.name.to_owned(), places: tray.places });
    let glyphs = layout.glyphs.iter().cloned().map(|glyph| json::Glyph {
        code: glyph.code,
        name: glyph.name,
        token: glyph.token,
        svg: glyph.svg,
    });
    json::Layout {
        levels,
        rows,
        columns,
        surface,
        quadrants,
        trays: trays.collect(),
        glyphs: glyphs.collect(),
    }
}

/// Returns the layout of the position of `session`; `None` if it is drawn as text.
#[must_use]
pub fn layout_of(session: &dyn Session) -> Option<json::Layout> {
    match session.picture() {
        Picture::Scene(scene) => Some(layout(&scene.layout)),
        Picture::Text(_) => None,
    }
}

/// Returns a picture as JSON.
#[must_use]
pub fn picture(picture: Picture) -> json::Picture {
    match picture {
        Picture::Text(text) => json::Picture::Text(json::TextPicture { text }),
        Picture::Scene(Scene { places, open, turned, lines, more, .. }) => {
            json::Picture::Scene(json::Scene {
                places: places.into_iter().collect(),
                open,
                turned: turned.map(json_turned),
                lines,
                more,
            })
        }
    }
}

fn json_turned(turned: Turned) -> json::Turned {
    json::Turned { quadrant: turned.quadrant, clockwise: turned.clockwise }
}

/// Returns what each legal move of `session` changes in its picture, by the move's token, in the
/// order of [`Session::legal_moves`]. There is nothing for a position that is drawn as text, and a choice of a joint
/// move changes nothing, since it would show what others have chosen.
///
/// The position is the same afterwards.
pub fn effects(session: &mut dyn Session) -> IndexMap<String, json::Change> {
    let Picture::Scene(before) = session.picture() else { return IndexMap::new() };
    let is_hidden = session.unseen_moves() > 0;
    let mut effects = IndexMap::new();
    for token in session.legal_moves() {
        let cells = session.cells(&token);
        if session.play(&token).is_err() {
            continue;
        }
        let after = if is_hidden { Picture::Scene(before.clone()) } else { session.picture() };
        session.take_back();
        if let Picture::Scene(after) = after {
            effects.insert(token, change(&before, after, cells));
        }
    }
    effects
}

fn change(before: &Scene, after: Scene, cells: Vec<usize>) -> json::Change {
    let places = after.places.into_iter().zip(&before.places).enumerate();
    let changed = places.filter(|(_, (new, old))| new != *old);
    json::Change {
        places: changed.map(|(place, (new, _))| (place, new)).collect(),
        open: after.open,
        turned: after.turned.map(json_turned),
        cells,
    }
}

/// The code of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
