//! Pictures of Pentago positions: four quadrants, and the one that was turned last.

use std::sync::{Arc, LazyLock};

use super::{CELLS, LINES, Move, PLACE_OF, Pentago, bit_of};
use crate::{Ruleset, in_a_row};
use quintet_core::bits::bits;
use quintet_core::game::{EMPTY, Glyph, Layout, Scene, Surface, Turned};

static LAYOUT: LazyLock<Arc<Layout>> = LazyLock::new(|| {
    let rows = ["6", "5", "4", "3", "2", "1"];
    let columns = ["a", "b", "c", "d", "e", "f"];
    Layout::flat(&rows, &columns, Surface::Quadrants(["2", "1", "3", "4"]), glyphs()).into()
});

/// The numbers of quadrants 1 to 4 in a [`Turned`].
const DRAWN: [usize; 4] = [1, 0, 2, 3];

pub(super) fn scene<R: Ruleset>(position: &Pentago<R>, last: Option<Move>) -> Scene {
    let code = |place: usize| position.stone_on(bit_of(place % 6, 5 - place / 6)).unwrap_or(EMPTY);
    let turned = last.filter(|mv| mv.is_rotation()).map(|mv| {
        let rotation = mv.rotation();
        Turned { quadrant: DRAWN[rotation / 2], clockwise: rotation.is_multiple_of(2) }
    });
    let places = (0..CELLS).map(code).collect();
    Scene { turned, lines: lines(position), ..Scene::new(&LAYOUT, places) }
}

/// How the game ended, in words.
pub(super) fn ending<R: Ruleset>(position: &Pentago<R>) -> String {
    in_a_row(&scene(position, None), "five", [('r', "red marbles"), ('b', "black marbles")])
        .unwrap_or_else(|| "the board is full, and nobody has five in a row".to_owned())
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
    // A shadow, the marble, the light on it, and what tells it from the other one besides its color.
    let marble = |code, name: &str, [fill, edge]: [&str; 2], band: &str| {
        let svg = format!(
            "<circle fill-opacity='.3' cx='53' cy='54' r='38'/>\
             <circle fill='{fill}' stroke='{edge}' stroke-width='3' cx='50' cy='50' r='38'/>{band}\
             <ellipse fill='#fff' fill-opacity='.5' cx='37' cy='32' rx='12' ry='7' transform='rotate(-38 37 32)'/>"
        );
        Glyph::new(code, name, svg)
    };
    let band = "<path fill='none' stroke='#ffd9c9' stroke-width='8' stroke-linecap='round' d='M24 61C38 38 56 82 77 49'/>";
    vec![
        marble('r', "red marble", ["#dc3d31", "#6d150f"], band),
        marble('b', "black marble", ["#26262b", "#000"], ""),
    ]
}
