//! Pictures of Gomoku positions: the board, and the colors once they are picked.

use super::{BLACK, CELLS, Gomoku, PLAY, SIZE, WHITE};
use crate::Ruleset;
use quintet_core::game::{EMPTY, Glyph, Layout, Picture, Scene, Surface, Tray};

static LAYOUT: Layout = Layout {
    levels: &["board"],
    rows: &["11", "10", "9", "8", "7", "6", "5", "4", "3", "2", "1"],
    columns: &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"],
    surface: Surface::Lines,
    trays: &[Tray { name: "player1", places: 1 }, Tray { name: "player2", places: 1 }],
    glyphs,
};

pub(super) fn picture<R: Ruleset>(position: &Gomoku<R>) -> Picture {
    let board = (0..CELLS).map(|place| {
        let cell = SIZE * (SIZE - 1 - place / SIZE) + place % SIZE;
        match [BLACK, WHITE].map(|color| position.stones[color] >> cell & 1) {
            [1, _] => 'b',
            [_, 1] => 'w',
            _ => EMPTY,
        }
    });
    let colors = match (position.step, position.black) {
        (PLAY, 0) => ['b', 'w'],
        (PLAY, _) => ['w', 'b'],
        _ => [EMPTY; 2],
    };
    let places = board.chain(colors).collect();
    Picture::Scene(Scene { layout: &LAYOUT, places, open: Vec::new(), turned: None })
}

fn glyphs() -> Vec<Glyph> {
    let stone = |fill: &str, edge: &str, shine: &str| {
        format!(
            "<circle fill='{fill}' stroke='{edge}' stroke-width='3' cx='50' cy='50' r='44'/>\
             <ellipse fill='#fff' fill-opacity='{shine}' cx='38' cy='34' rx='17' ry='11' transform='rotate(-35 38 34)'/>"
        )
    };
    vec![
        Glyph { code: 'b', name: "black".to_owned(), svg: stone("#1c1c20", "#000", "0.22") },
        Glyph { code: 'w', name: "white".to_owned(), svg: stone("#f4f3ee", "#6b675c", "0.9") },
    ]
}
