//! The picture of Qubic: four levels.

use std::sync::{Arc, LazyLock};

use super::{CELLS, LINES, Qubic};
use crate::{Ruleset, in_a_row};
use quintet_core::bits::bits;
use quintet_core::game::{EMPTY, Glyph, Layout, Scene, Surface};

static LAYOUT: LazyLock<Arc<Layout>> = LazyLock::new(|| {
    let levels = (1..=4).map(|level| format!("level {level}")).collect();
    let level =
        Layout::flat(&["r1", "r2", "r3", "r4"], &["c1", "c2", "c3", "c4"], Surface::Squares, glyphs());
    Layout { levels, ..level }.into()
});

pub(super) fn scene<R: Ruleset>(position: &Qubic<R>) -> Scene {
    let places = (0..CELLS).map(|cell| position.mark_on(cell).unwrap_or(EMPTY)).collect();
    let open = if position.chosen == 0 { 0 } else { position.reachable() };
    let open = bits(open).map(usize::from).collect();
    // A line's cells are numbered in their order.
    let cells = |line: &u64| bits(*line).map(usize::from).collect();
    let is_line = |line: &&u64| position.marks.iter().any(|marks| marks & **line == **line);
    let lines = LINES.iter().filter(is_line).map(cells).collect();
    Scene { open, lines, ..Scene::new(&LAYOUT, places) }
}

/// How the game ended, in words.
pub(super) fn ending<R: Ruleset>(position: &Qubic<R>) -> String {
    in_a_row(&scene(position), "four", [('x', "X"), ('o', "O")])
        .unwrap_or_else(|| "the cube is full, and no team has four in a row".to_owned())
}

fn glyphs() -> Vec<Glyph> {
    let cross = "<path fill='none' stroke='#3a84ee' stroke-width='15' stroke-linecap='round' \
                 d='M25 25L75 75M75 25L25 75'/>";
    let ring = "<circle fill='none' stroke='#e0672a' stroke-width='14' cx='50' cy='50' r='27'/>";
    [('x', "X", cross), ('o', "O", ring)]
        .map(|(code, name, svg)| Glyph::new(code, name, svg.to_owned()))
        .into()
}
