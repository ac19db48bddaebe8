//! Pictures of Pentago positions: four quadrants, and the one that was turned last.

use super::{CELLS, LINES, Move, PLACE_OF, Pentago, bit_of};
use crate::Ruleset;
use quintet_core::bits::bits;
use quintet_core::game::{EMPTY, Glyph, Layout, Picture, Scene, Surface, Turned};

static LAYOUT: Layout = Layout {
    levels: &["board"],
    rows: &["6", "5", "4", "3", "2", "1"],
    columns: &["a", "b", "c", "d", "e", "f"],
    surface: Surface::Quadrants(["2", "1", "3", "4"]),
    trays: &[],
    glyphs,
};

/// The numbers of quadrants 1 to 4 in a [`Turned`].
const DRAWN: [usize; 4] = [1, 0, 2, 3];

pub(super) fn picture<R: Ruleset>(position: &Pentago<R>, last: Option<Move>) -> Picture {
    let code = |place: usize| {
        let bit = bit_of(place % 6, 5 - place / 6);
        match position.stones.map(|stones| stones >> bit & 1) {
            [1, _] => 'r',
            [_, 1] => 'b',
            _ => EMPTY,
        }
    };
    let turned = last.filter(|mv| mv.is_rotation()).map(|mv| {
        let (quadrant, direction) = mv.rotation();
        Turned { quadrant: DRAWN[quadrant], clockwise: direction == 0 }
    });
    let places = (0..CELLS).map(code).collect();
    Picture::Scene(Scene { turned, lines: lines(position), ..Scene::new(&LAYOUT, places) })
}

/// Returns the lines of both colors.
fn lines<R: Ruleset>(position: &Pentago<R>) -> Vec<Vec<usize>> {
    let lines = position.stones.into_iter().flat_map(|stones| {
        let held = LINES.iter().filter(move |line| stones & **line == **line);
        held.map(|&line| {
            let mut cells: Vec<(u8, u8)> = bits(line).map(|bit| PLACE_OF[usize::from(bit)]).collect();
            // Bits go quadrant by quadrant.
            cells.sort_unstable();
            cells.into_iter().map(|(x, y)| usize::from(6 * (5 - y) + x)).collect()
        })
    });
    lines.collect()
}

fn glyphs() -> Vec<Glyph> {
    let marble = |fill: &str, edge: &str| {
        format!(
            "<circle fill='{fill}' stroke='{edge}' stroke-width='3' cx='50' cy='50' r='38'/>\
             <circle fill='#fff' fill-opacity='0.35' cx='38' cy='37' r='10'/>"
        )
    };
    vec![
        Glyph { code: 'r', name: "red".to_owned(), token: None, svg: marble("#d23c32", "#6d150f") },
        Glyph { code: 'b', name: "black".to_owned(), token: None, svg: marble("#222226", "#000") },
    ]
}
