//! The picture of Quarto: the board, the piece in hand and the pool.

use std::sync::{Arc, LazyLock};

use super::{CELLS, LINES, Move, Quarto, digit};
use crate::Ruleset;
use quintet_core::bits::bits;
use quintet_core::game::{EMPTY, Glyph, Layout, Scene, Surface, Tray};

static LAYOUT: LazyLock<Arc<Layout>> = LazyLock::new(|| {
    let trays = vec![Tray { name: "in hand", places: 1 }, Tray { name: "pool", places: 16 }];
    let board = Layout::flat(&["4", "3", "2", "1"], &["a", "b", "c", "d"], Surface::Wells, glyphs());
    Layout { trays, ..board }.into()
});

pub(super) fn scene<R: Ruleset>(position: &Quarto<R>) -> Scene {
    let code = |piece| digit(piece).unwrap_or(EMPTY);
    let board = (0..CELLS as u8).map(|place| code(position.piece_on(self::place(place))));
    let pool = (0..16).map(|piece| code((position.board.pool >> piece & 1 == 1).then_some(piece)));
    let places = board.chain([code(position.hand)]).chain(pool).collect();
    // A line's cells are numbered in their order.
    let cells = |&line: &u16| bits(line).map(|cell| usize::from(place(cell))).collect();
    let lines = LINES.iter().filter(|line| position.has_line(**line)).map(cells).collect();
    Scene { lines, ..Scene::new(&LAYOUT, places) }
}

/// How the game ended, in words.
pub(super) fn ending<R: Ruleset>(position: &Quarto<R>) -> String {
    let Scene { layout, lines, .. } = scene(position);
    let told = lines.iter().map(|line| {
        let pieces = line.iter().filter_map(|&at| position.piece_on(place(at as u8)));
        let (ones, zeros) =
            pieces.fold((15, 15), |(ones, zeros): (u8, u8), piece| (ones & piece, zeros & !piece));
        let [ones, zeros] = [ones, zeros].map(properties);
        let is_alike = |at: &usize| ones[*at] || zeros[*at];
        let alike = AS_SAID.into_iter().filter(is_alike).map(|at| PROPERTIES[at][usize::from(ones[at])]);
        format!("four {} pieces, {}", alike.collect::<Vec<_>>().join(" "), layout.ends(line))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() { "the board is full, and no line has four alike".to_owned() } else { told.join("; ") }
}

/// The place of a cell, and the cell of a place.
const fn place(cell: u8) -> u8 {
    4 * (3 - cell / 4) + cell % 4
}

/// What the bits of a piece mean, from the left: 0 and 1.
const PROPERTIES: [[&str; 2]; 4] =
    [["light", "dark"], ["short", "tall"], ["square", "round"], ["solid", "hollow"]];

/// The order in which people name them.
const AS_SAID: [usize; 4] = [1, 0, 2, 3];

/// The bits of a piece from the left.
fn properties(piece: u8) -> [bool; 4] {
    [3, 2, 1, 0].map(|bit| piece >> bit & 1 == 1)
}

fn glyphs() -> Vec<Glyph> {
    let glyph = |piece: u8| {
        let bits = properties(piece);
        let words = AS_SAID.map(|at| PROPERTIES[at][usize::from(bits[at])]);
        Glyph {
            code: digit(Some(piece)).unwrap_or(EMPTY),
            name: words.join(" "),
            token: Some(Move::select(piece).to_string()),
            svg: drawn(piece),
        }
    };
    (0..16).map(glyph).collect()
}

/// Draws a piece: a cylinder, or a block seen from an edge, with or without a hole in its top.
fn drawn(piece: u8) -> String {
    let [dark, tall, round, hollow] = properties(piece);
    let [top, left, right, edge, hole] = if dark {
        ["#95623f", "#754529", "#5a311b", "#1f0d04", "#1f0d04"]
    } else {
        ["#faeac6", "#ecd09a", "#d6b072", "#6e4a1c", "#76531f"]
    };
    let height = if tall { 52 } else { 20 };
    let y = 78 - height;
    let body = if round {
        let ends = y + 4;
        format!(
            "<path fill='{left}' d='M24 {y}v{height}a26 12 0 0 0 52 0v-{height}z'/>\
             <path fill='{right}' stroke='none' d='M60 {ends}v{height}q12 -1 15 -8v-{height}z'/>\
             <ellipse fill='{top}' cx='50' cy='{y}' rx='26' ry='12'/>"
        )
    } else {
        format!(
            "<path fill='{left}' d='M20 {y}v{height}l30 14v-{height}z'/>\
             <path fill='{right}' d='M80 {y}v{height}l-30 14v-{height}z'/>\
             <path fill='{top}' d='M20 {y}l30 -14l30 14l-30 14z'/>"
        )
    };
    let hole = if hollow {
        format!("<ellipse fill='{hole}' cx='50' cy='{y}' rx='13' ry='6'/>")
    } else {
        String::new()
    };
    let shadow = "<ellipse fill-opacity='.22' cx='53' cy='82' rx='35' ry='12'/>";
    format!("{shadow}<g stroke='{edge}' stroke-width='2.5' stroke-linejoin='round'>{body}{hole}</g>")
}
