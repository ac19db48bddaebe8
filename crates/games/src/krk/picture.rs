//! The picture of KRK: a 4×4 chess board.

use super::{CELLS, Krk, PIECE_NAMES};
use crate::Ruleset;
use quintet_core::game::{EMPTY, Glyph, Layout, Picture, Scene, Surface};

static LAYOUT: Layout = Layout {
    levels: &["board"],
    rows: &["4", "3", "2", "1"],
    columns: &["a", "b", "c", "d"],
    surface: Surface::Checkered,
    trays: &[],
    glyphs,
};

pub(super) fn picture<R: Ruleset>(position: &Krk<R>) -> Picture {
    let code = |place: u8| position.piece_on(4 * (3 - place / 4) + place % 4).unwrap_or(EMPTY);
    let places = (0..CELLS as u8).map(code).collect();
    Picture::Scene(Scene::new(&LAYOUT, places))
}

fn glyphs() -> Vec<Glyph> {
    const KING: &str = "M24 88h52v-9H24zM30 75C30 66 18 58 18 47C18 35 34 32 46 42V31H38V23H46V14H54V23H62V31H54V42\
                        C66 32 82 35 82 47C82 58 70 66 70 75z";
    const ROOK: &str = "M22 88h56v-9H22zM30 75l4-32h32l4 32zM25 39V18h11v8h8.5v-8h11v8h8.5v-8h11v21z";
    let drawn = |path: &str, fill: &str, edge: &str| {
        format!("<path fill='{fill}' stroke='{edge}' stroke-width='3.5' stroke-linejoin='round' d='{path}'/>")
    };
    let looks = [
        ("white king", drawn(KING, "#fff", "#222")),
        ("white rook", drawn(ROOK, "#fff", "#222")),
        ("black king", drawn(KING, "#222", "#f4f4f4")),
    ];
    let glyph =
        |(code, (name, svg)): (char, (&str, String))| Glyph { code, name: name.to_owned(), token: None, svg };
    PIECE_NAMES.into_iter().zip(looks).map(glyph).collect()
}
