//! The picture of KRK: a 4×4 chess board.

use std::sync::{Arc, LazyLock};

use super::{CELLS, Krk, PIECE_NAMES};
use crate::Ruleset;
use quintet_core::game::{EMPTY, Glyph, Layout, Picture, Scene, Surface};

static LAYOUT: LazyLock<Arc<Layout>> = LazyLock::new(|| {
    Layout::flat(&["4", "3", "2", "1"], &["a", "b", "c", "d"], Surface::Checkered, glyphs()).into()
});

pub(super) fn picture<R: Ruleset>(position: &Krk<R>) -> Picture {
    let code = |place: u8| position.piece_on(4 * (3 - place / 4) + place % 4).unwrap_or(EMPTY);
    let places = (0..CELLS as u8).map(code).collect();
    Picture::Scene(Scene::new(&LAYOUT, places))
}

fn glyphs() -> Vec<Glyph> {
    // Both stand on the same foot.
    const FOOT: &str = "M18 92V87Q18 80 28 79H72Q82 80 82 87V92Z";
    const KING: &str = "M28 79C32 70 38 66 38 53H62C62 66 68 70 72 79ZM31 53V46H69V53ZM35 46L24 29Q50 17 76 29L65 46Z\
                        M46 21V16H40V9H46V4H54V9H60V16H54V21Z";
    const ROOK: &str = "M29 79C34 69 36 62 36 46H64C64 62 66 69 71 79ZM29 46V39H71V46ZM24 39V17H37V25H43.5V17H56.5V25H63V17H76V39Z";
    let piece = |code, name: &str, path: &str, fill: &str, edge: &str| {
        let svg = format!(
            "<ellipse fill-opacity='.25' cx='53' cy='91' rx='37' ry='5'/>\
             <path fill='{fill}' stroke='{edge}' stroke-width='3' stroke-linejoin='round' d='{path}{FOOT}'/>"
        );
        Glyph::new(code, name, svg)
    };
    let [king, rook, black] = PIECE_NAMES;
    vec![
        piece(king, "white king", KING, "#fffdf6", "#222"),
        piece(rook, "white rook", ROOK, "#fffdf6", "#222"),
        piece(black, "black king", KING, "#2b2b2f", "#f4f4f4"),
    ]
}
