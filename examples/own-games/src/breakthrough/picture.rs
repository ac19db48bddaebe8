//! Breakthrough as a picture: pawns on a chess board.

use std::sync::{Arc, LazyLock};

use super::{Breakthrough, CODES};
use quintet_core::game::{EMPTY, Game as _, Glyph, Layout, Picture, Scene, Surface};

static LAYOUT: LazyLock<Arc<Layout>> = LazyLock::new(|| {
    let rows = ["8", "7", "6", "5", "4", "3", "2", "1"];
    let columns = ["a", "b", "c", "d", "e", "f", "g", "h"];
    Layout::flat(&rows, &columns, Surface::Checkered, glyphs()).into()
});

pub(super) fn picture(position: &Breakthrough) -> Picture {
    let code = |place: u8| position.code_at(8 * (7 - place / 8) + place % 8).unwrap_or(EMPTY);
    let places = (0..64).map(code).collect();
    Picture::Scene(Scene::new(&LAYOUT, places))
}

fn glyphs() -> Vec<Glyph> {
    const PAWN: &str = "M26 88h48v-9H26zM33 75C42 66 45 58 44 50A17 17 0 1 1 56 50C55 58 58 66 67 75z";
    let pawn = |color: usize, fill: &str, edge: &str| Glyph {
        code: CODES[color],
        name: Breakthrough::ROLES[color].name.to_string(),
        token: None,
        svg: format!(
            "<path fill='{fill}' stroke='{edge}' stroke-width='3.5' stroke-linejoin='round' d='{PAWN}'/>"
        ),
    };
    vec![pawn(0, "#fff", "#222"), pawn(1, "#222", "#f4f4f4")]
}
