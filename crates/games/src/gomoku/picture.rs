//! Pictures of Gomoku positions: the board, and the colors once they are picked.

use std::sync::{Arc, LazyLock};

use super::{CELLS, Gomoku, PLAY, ROOM, SIZE, STEPS};
use crate::{Ruleset, in_a_row};
use quintet_core::bits::bits_wide;
use quintet_core::game::{EMPTY, Glyph, Layout, Scene, Surface, Tray};

static LAYOUT: LazyLock<Arc<Layout>> = LazyLock::new(|| {
    let rows = ["11", "10", "9", "8", "7", "6", "5", "4", "3", "2", "1"];
    let columns = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"];
    let trays = ["player1", "player2"].map(|name| Tray { name, places: 1 }).into();
    Layout { trays, ..Layout::flat(&rows, &columns, Surface::Lines, glyphs()) }.into()
});

pub(super) fn scene<R: Ruleset>(position: &Gomoku<R>) -> Scene {
    let board = (0..CELLS).map(|place| position.stone_on(self::place(place)).unwrap_or(EMPTY));
    let colors = match (position.step, position.black) {
        (PLAY, 0) => ['b', 'w'],
        (PLAY, _) => ['w', 'b'],
        _ => [EMPTY; 2],
    };
    let places = board.chain(colors).collect();
    Scene { lines: lines(position), ..Scene::new(&LAYOUT, places) }
}

/// How the game ended, in words.
pub(super) fn ending<R: Ruleset>(position: &Gomoku<R>) -> String {
    let number = if R::IS_GGP { "five" } else { "six" };
    in_a_row(&scene(position), number, [('b', "black stones"), ('w', "white stones")])
        .unwrap_or_else(|| format!("the board is full, and nobody has {number} in a row"))
}

/// Returns the winning lines: the maximal runs of the winning length, if the game is over.
fn lines<R: Ruleset>(position: &Gomoku<R>) -> Vec<Vec<usize>> {
    if position.outcome.is_none() {
        return Vec::new();
    }
    let run = |stones: u128, cell: usize, direction: usize| {
        let [back, ahead] = ROOM[cell][direction].map(usize::from);
        let is_stone = |at: usize| stones >> at & 1 == 1;
        let is_start = back == 0 || !is_stone(cell - STEPS[direction]);
        let cells = (0..=ahead).map(|distance| cell + distance * STEPS[direction]);
        if is_start { cells.take_while(|&cell| is_stone(cell)).collect() } else { Vec::new() }
    };
    let runs = position.stones.into_iter().flat_map(|stones| {
        bits_wide(stones)
            .flat_map(move |cell| (0..STEPS.len()).map(move |direction| run(stones, cell.into(), direction)))
    });
    let lines = runs.filter(|run: &Vec<usize>| run.len() == Gomoku::<R>::WINNING);
    lines.map(|cells| cells.into_iter().map(place).collect()).collect()
}

/// The place of a cell, and the cell of a place.
const fn place(cell: usize) -> usize {
    SIZE * (SIZE - 1 - cell / SIZE) + cell % SIZE
}

fn glyphs() -> Vec<Glyph> {
    // A shadow, the stone, the side away from the light, and the light on it.
    let stone = |code, name: &str, [fill, edge, shade]: [&str; 3], shine: &str| {
        let svg = format!(
            "<circle fill-opacity='.3' cx='53' cy='55' r='44'/>\
             <circle fill='{fill}' stroke='{edge}' stroke-width='3' cx='50' cy='50' r='44'/>\
             <path fill='{shade}' fill-opacity='.4' d='M87 27A44 44 0 1 1 18 80A52 52 0 0 0 87 27Z'/>\
             <ellipse fill='#fff' fill-opacity='{shine}' cx='36' cy='33' rx='17' ry='11' transform='rotate(-40 36 33)'/>"
        );
        Glyph::new(code, name, svg)
    };
    vec![
        stone('b', "black stone", ["#26262b", "#000", "#000"], ".28"),
        stone('w', "white stone", ["#f6f4ee", "#6b675c", "#b9b2a0"], ".95"),
    ]
}
