//! A picture as an SVG document that needs no style sheet, for notebooks and files. It looks as `board.js`
//! and `board.css` draw it on a light page, without the cube.

use std::collections::HashSet;

use maud::{Markup, PreEscaped, html};
use quintet_core::game::{EMPTY, Glyph, Layout, Picture, Scene, Surface, Turned};

const CELL: f64 = 100.0;
const HALF: f64 = CELL / 2.0;
/// Between quadrants.
const GAP: f64 = 24.0;
/// Around quadrants, for the arrow of the last turn.
const RIM: f64 = 38.0;
/// Between levels, and around the whole.
const SPACE: f64 = 30.0;
/// How wide a board is on the page, in pixels.
const ON_PAGE: f64 = 420.0;

// The colors of board.css on a light page; a test compares them.
const GROUND: &str = "#fff";
const LABEL: &str = "#5a606b";
const SQUARE: [&str; 2] = ["#eceef2", "#a3aab8"];
const CHECKERED: [&str; 2] = ["#b08a63", "#f1dfc2"];
const WOOD: [&str; 3] = ["#e3bd7c", "#c99b56", "#8a5c1f"];
const FRAME_LABEL: &str = "#5c4118";
const GRID_LINE: &str = "#5e4519";
const WELL: [&str; 2] = ["#b98547", "#cc9a5a"];
const BLOCK: [&str; 2] = ["#b98a54", "#7d5729"];
const HOLE: [&str; 2] = ["#7f5629", "#946735"];
const LAST: [&str; 2] = ["#d7dd00", "#a89c00"];
const ACCENT: &str = "#d97a00";
const WON: &str = "#0d9b4a";
const MARK_EDGE: &str = "#10141c";
const CANDIDATE: [&str; 2] = ["#1d6fc4", "#0b7d6d"];

/// A candidate move on a picture: a disc on a place.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateMark {
    /// The place.
    pub place: usize,
    /// From 0 to 1: the larger, the larger the disc is.
    pub share: f64,
    /// A few characters on it.
    pub text: String,
    /// Whether it is the best one, which has a color of its own.
    pub is_best: bool,
}

/// Returns a picture as an SVG document. The places of `last`, those that the last move changed, are
/// marked, and so are candidates.
#[must_use]
pub fn svg(picture: &Picture, last: &[usize], candidates: &[CandidateMark]) -> String {
    match picture {
        Picture::Text(text) => of_text(text),
        Picture::Scene(scene) => Drawing::new(scene, last, candidates).document(),
    }
}

/// Text of several lines, as it stands there.
fn of_text(text: &str) -> String {
    const LINE: f64 = 22.0;
    const LETTER: f64 = 10.0;
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let (width, height) = (widest as f64 * LETTER + 2.0 * SPACE, lines.len() as f64 * LINE + 2.0 * SPACE);
    let content = html! {
        g font-family="ui-monospace, monospace" font-size="16" fill=(MARK_EDGE) {
            @for (index, line) in lines.iter().enumerate() {
                text x=(SPACE) y=(SPACE + (index as f64 + 0.75) * LINE) xml:space="preserve" { (line) }
            }
        }
    };
    whole(width, height, 1.0, text.trim_end(), &content)
}

/// The document around `content`, which is `scale` times as large on the page; `title` is what it shows, in
/// words.
fn whole(width: f64, height: f64, scale: f64, title: &str, content: &Markup) -> String {
    let [wide, tall] = [width, height].map(f64::ceil);
    let on_page = |length: f64| (length * scale).round();
    let document = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (wide) " " (tall) } width=(on_page(wide)) height=(on_page(tall)) role="img" {
            title { (title) }
            rect width=(wide) height=(tall) rx="16" fill=(GROUND) {}
            g font-family="system-ui, sans-serif" font-weight="600" text-anchor="middle" fill=(LABEL) { (content) }
        }
    };
    document.into_string()
}

/// A part of the drawing with its own coordinates: a level or a tray.
struct Part {
    content: Markup,
    /// Left, top, width and height.
    area: [f64; 4],
}

impl Part {
    /// The part with its top left corner at a point.
    fn at(&self, x: f64, y: f64, scale: f64) -> Markup {
        let [left, top, ..] = self.area;
        let (dx, dy) = (short(x - left * scale), short(y - top * scale));
        html! { g transform={ "translate(" (dx) " " (dy) ") scale(" (short(scale)) ")" } { (self.content) } }
    }
}

struct Drawing<'a> {
    scene: &'a Scene,
    layout: &'a Layout,
    last: HashSet<usize>,
    won: HashSet<usize>,
    candidates: &'a [CandidateMark],
}

impl<'a> Drawing<'a> {
    fn new(scene: &'a Scene, last: &[usize], candidates: &'a [CandidateMark]) -> Self {
        Self {
            scene,
            layout: &scene.layout,
            last: last.iter().copied().collect(),
            won: scene.lines.iter().flatten().copied().collect(),
            candidates,
        }
    }

    /// Levels two by two, and the trays below them.
    fn document(&self) -> String {
        let levels: Vec<Part> = (0..self.layout.levels.len()).map(|level| self.level(level)).collect();
        let [.., wide, tall] = levels.first().map_or([0.0; 4], |level| level.area);
        let across = levels.len().clamp(1, 2);
        let width = across as f64 * (wide + SPACE) - SPACE;
        let mut drawn = Vec::new();
        for (index, level) in levels.iter().enumerate() {
            let (column, row) = ((index % across) as f64, (index / across) as f64);
            drawn.push(level.at(SPACE + column * (wide + SPACE), SPACE + row * (tall + SPACE), 1.0));
        }
        let mut y = SPACE + levels.len().div_ceil(across) as f64 * (tall + SPACE);
        let (mut x, mut row_height) = (SPACE, 0.0_f64);
        for tray in 0..self.layout.trays.len() {
            let part = self.tray(tray);
            let [.., tray_width, tray_height] = part.area;
            // Pieces in trays are smaller than on the board.
            let scale = (wide / 800.0).min(1.0).min(width / tray_width);
            if x > SPACE && x + tray_width * scale > SPACE + width {
                (x, y, row_height) = (SPACE, y + row_height + SPACE / 2.0, 0.0);
            }
            drawn.push(part.at(x, y, scale));
            x += tray_width * scale + SPACE;
            row_height = row_height.max(tray_height * scale);
        }
        let height = if self.layout.trays.is_empty() { y } else { y + row_height + SPACE };
        let content = html! { @for part in &drawn { (part) } };
        let width = width + 2.0 * SPACE;
        whole(width, height, ON_PAGE / width, &self.words(), &content)
    }

    /// What stands where, in words.
    fn words(&self) -> String {
        let Layout { levels, rows, columns, .. } = self.layout;
        let named = |place: usize| {
            let glyph = self.glyph(place)?;
            let (level, row, column) = self.locate(place);
            let cell = if levels.len() > 1 {
                format!("{} {} {}", levels[level], rows[row], columns[column])
            } else {
                format!("{}{}", columns[column], rows[row])
            };
            Some(format!("{cell} {}", glyph.name))
        };
        let there: Vec<String> = (0..self.cells()).filter_map(named).collect();
        if there.is_empty() { "an empty board".to_owned() } else { there.join("; ") }
    }

    fn cells(&self) -> usize {
        self.layout.levels.len() * self.layout.rows.len() * self.layout.columns.len()
    }

    /// The level, row and column of a cell.
    fn locate(&self, cell: usize) -> (usize, usize, usize) {
        let (rows, columns) = (self.layout.rows.len(), self.layout.columns.len());
        (cell / (rows * columns), cell / columns % rows, cell % columns)
    }

    fn glyph(&self, place: usize) -> Option<&Glyph> {
        let code = self.scene.places[place];
        if code == EMPTY { None } else { self.layout.glyphs.iter().find(|it| it.code == code) }
    }

    fn turns(&self) -> bool {
        matches!(self.layout.surface, Surface::Quadrants(_))
    }

    /// Where a row or column of `count` begins.
    fn begin(&self, index: usize, count: usize) -> f64 {
        let is_far = self.turns() && 2 * index >= count;
        index as f64 * CELL + if is_far { GAP } else { 0.0 }
    }

    /// The top left corner of a cell on its level.
    fn corner(&self, cell: usize) -> [f64; 2] {
        let (_, row, column) = self.locate(cell);
        [self.begin(column, self.layout.columns.len()), self.begin(row, self.layout.rows.len())]
    }

    fn level(&self, level: usize) -> Part {
        let Layout { levels, rows, columns, surface, .. } = self.layout;
        let (width, height) = (self.begin(columns.len(), columns.len()), self.begin(rows.len(), rows.len()));
        let size = if levels.len() > 1 { 36.0 } else { (width / 31.0).max(22.0) };
        let is_framed = matches!(surface, Surface::Lines | Surface::Wells | Surface::Checkered);
        let rim = if self.turns() { RIM } else { 0.0 };
        let edge = match surface {
            Surface::Lines => size * 1.7,
            _ if is_framed => size * 1.8,
            _ => size / 2.0,
        };
        let margin = if is_framed { edge } else { size * 2.0 };
        let above = edge + if levels.len() > 1 { size * 1.5 } else { rim };
        let area = [-margin - rim, -above, width + margin + edge + 2.0 * rim, height + above + margin + rim];
        let off = rim
            + match surface {
                Surface::Lines => edge * 0.45,
                _ if is_framed => edge / 2.0,
                _ => size,
            };
        let cells = level * rows.len() * columns.len()..(level + 1) * rows.len() * columns.len();
        let content = html! {
            @if is_framed {
                (framed([-edge + 2.0, -edge + 2.0, width + 2.0 * edge - 4.0, height + 2.0 * edge - 4.0], *surface != Surface::Checkered))
            }
            g font-size=(short(size)) fill=(if is_framed { FRAME_LABEL } else { LABEL }) {
                @if levels.len() > 1 { (label(width / 2.0, -size, &levels[level])) }
                @for (row, name) in rows.iter().enumerate() { (label(-off, self.begin(row, rows.len()) + HALF, name)) }
                @for (column, name) in columns.iter().enumerate() { (label(self.begin(column, columns.len()) + HALF, height + off, name)) }
            }
            (self.surface(width, height))
            @for place in cells.clone() { (self.place(place, self.corner(place))) }
            @for line in &self.scene.lines {
                @if let (Some(first), Some(end)) = (line.first(), line.last()) {
                    @if line.iter().all(|cell| cells.contains(cell)) { (self.won_line(*first, *end)) }
                }
            }
            @if let Some(turned) = self.scene.turned { (self.turn_arrow(turned)) }
        };
        Part { content, area }
    }

    /// What lies under the pieces of a level.
    fn surface(&self, width: f64, height: f64) -> Markup {
        let (rows, columns) = (self.layout.rows.len(), self.layout.columns.len());
        let corners: Vec<[f64; 2]> = (0..rows * columns).map(|cell| self.corner(cell)).collect();
        let squares = |fill: &dyn Fn(usize) -> &'static str, edge: Option<&str>| {
            html! {
                g stroke=[edge] stroke-width="2" {
                    @for (cell, [x, y]) in corners.iter().enumerate() { rect x=(x) y=(y) width=(CELL) height=(CELL) fill=(fill(cell)) {} }
                }
            }
        };
        let circles = |radius: f64, fill: &str| {
            html! { g fill=(fill) { @for [x, y] in &corners { circle cx=(x + HALF) cy=(y + HALF) r=(radius) {} } } }
        };
        match self.layout.surface {
            Surface::Squares => squares(&|_| SQUARE[0], Some(SQUARE[1])),
            Surface::Checkered => {
                squares(&|cell| CHECKERED[(rows - 1 - cell / columns + cell % columns) % 2], None)
            }
            Surface::Wells => html! {
                rect width=(width) height=(height) rx="10" fill="none" stroke=(WOOD[1]) stroke-width="3" {}
                (circles(45.0, WELL[0])) (circles(41.0, WELL[1]))
            },
            Surface::Lines => html! {
                path fill="none" stroke=(GRID_LINE) stroke-width="3" stroke-linecap="square" d={
                    @for column in 0..columns { "M" (column as f64 * CELL + HALF) " " (HALF) "V" (height - HALF) }
                    @for row in 0..rows { "M" (HALF) " " (row as f64 * CELL + HALF) "H" (width - HALF) }
                } {}
                g fill=(GRID_LINE) {
                    @for [column, row] in stars(columns, rows) {
                        circle cx=(column as f64 * CELL + HALF) cy=(row as f64 * CELL + HALF) r="9" {}
                    }
                }
            },
            Surface::Quadrants(names) => {
                let (wide, tall) = (columns as f64 / 2.0 * CELL, rows as f64 / 2.0 * CELL);
                let quadrants = names.iter().enumerate().map(|(index, name)| {
                    let [right, below] = [index % 2 == 1, index >= 2];
                    let at = |far: bool, length: f64| if far { length + GAP } else { 0.0 };
                    // Between the four outermost holes, where no marble is.
                    let sign = |far: bool, length: f64| if far { length + GAP + length - CELL } else { CELL };
                    (at(right, wide), at(below, tall), sign(right, wide), sign(below, tall), name)
                });
                let quadrants: Vec<_> = quadrants.collect();
                html! {
                    @for (x, y, ..) in &quadrants {
                        rect x=(x) y=(y + 5.0) width=(wide) height=(tall) rx="20" fill=(BLOCK[1]) {}
                        rect x=(x) y=(y) width=(wide) height=(tall) rx="20" fill=(BLOCK[0]) {}
                    }
                    (circles(33.0, HOLE[0])) (circles(27.0, HOLE[1]))
                    g font-size="34" fill="#fff" fill-opacity=".85" {
                        @for (_, _, x, y, name) in &quadrants { (label(*x, *y, name)) }
                    }
                }
            }
        }
    }

    /// A place with its marks and what stands on it.
    fn place(&self, place: usize, [x, y]: [f64; 2]) -> Markup {
        let is_cell = place < self.cells();
        let on_stones = is_cell && matches!(self.layout.surface, Surface::Lines | Surface::Quadrants(_));
        let is_round = self.layout.surface == Surface::Wells
            || (!is_cell && matches!(self.layout.surface, Surface::Lines));
        let fill = |color: &str| {
            html! {
                @if is_round { circle cx="50" cy="50" r="46" fill=(color) fill-opacity=".5" {} }
                @else { rect width=(CELL) height=(CELL) fill=(color) fill-opacity=".5" {} }
            }
        };
        let is_last = self.last.contains(&place);
        let glyph = self.glyph(place);
        let (won, open) = (self.won.contains(&place) && !on_stones, self.scene.open.contains(&place));
        let candidate = self.candidates.iter().find(|it| it.place == place);
        if glyph.is_none() && !is_last && !won && !open && candidate.is_none() {
            return Markup::default();
        }
        let disc = candidate.map(|it| disc(it, glyph.is_some()));
        html! {
            g transform={ "translate(" (short(x)) " " (short(y)) ")" } {
                @if won { (fill(WON)) }
                @if is_last && !on_stones {
                    @if self.layout.surface == Surface::Squares {
                        rect x="5" y="5" width="90" height="90" fill=(LAST[0]) fill-opacity=".2" stroke=(LAST[1]) stroke-width="7" {}
                    } @else { (fill(LAST[0])) }
                }
                @if open {
                    rect x="12" y="12" width="76" height="76" rx="10" fill=(ACCENT) fill-opacity=".14" stroke=(ACCENT) stroke-width="6" stroke-dasharray="12 9" {}
                }
                @if let Some((disc, _)) = &disc { (disc) }
                @if let Some(glyph) = glyph { g fill="#000" { (PreEscaped(&glyph.svg)) } }
                @if let Some((_, text)) = &disc { (text) }
                @if is_last && on_stones && glyph.is_some() {
                    @for (color, thick) in [(MARK_EDGE, 13), (LAST[0], 8)] { circle cx="50" cy="50" r="20" fill="none" stroke=(color) stroke-width=(thick) {} }
                }
            }
        }
    }

    fn won_line(&self, first: usize, last: usize) -> Markup {
        let [[x1, y1], [x2, y2]] = [first, last].map(|cell| self.corner(cell).map(|it| it + HALF));
        html! {
            g stroke-linecap="round" {
                line x1=(x1) y1=(y1) x2=(x2) y2=(y2) stroke="#fff" stroke-width="16" stroke-opacity=".8" {}
                line x1=(x1) y1=(y1) x2=(x2) y2=(y2) stroke=(WON) stroke-width="9" {}
            }
        }
    }

    /// An arrow around the outer corner of the quadrant that has turned.
    fn turn_arrow(&self, Turned { quadrant, clockwise }: Turned) -> Markup {
        let (wide, tall) =
            (self.layout.columns.len() as f64 / 2.0 * CELL, self.layout.rows.len() as f64 / 2.0 * CELL);
        let middle = |is_far: bool, length: f64| length / 2.0 + if is_far { length + GAP } else { 0.0 };
        let (x, y) = (middle(quadrant % 2 == 1, wide), middle(quadrant >= 2, tall));
        // Drawn for a clockwise turn of the top left one. A counterclockwise turn is its mirror image.
        let angle = [0, 90, 270, 180].get(quadrant).copied().unwrap_or(0);
        let mirror = if clockwise { "" } else { " matrix(0 1 1 0 0 0)" };
        let out = wide / 2.0 + RIM / 2.0;
        let near = 60.0 - out;
        html! {
            path fill="none" stroke=(ACCENT) stroke-width="10" stroke-linecap="round" stroke-linejoin="round"
                d={ "M" (-out) " 40V" (near) "Q" (-out) " " (-out) " " (near) " " (-out) "H40M40 " (-out) "l-22 -15M40 " (-out) "l-22 15" }
                transform={ "translate(" (x) " " (y) ") rotate(" (angle) ")" (mirror) } {}
        }
    }

    /// The places beside the board, with their name to the left.
    fn tray(&self, tray: usize) -> Part {
        /// The places of a tray side by side.
        const BESIDE: usize = 8;
        const FRAME: f64 = 8.0;
        const NAME: f64 = 46.0;
        let trays = &self.layout.trays;
        let first = self.cells() + trays[..tray].iter().map(|it| it.places).sum::<usize>();
        let count = trays[tray].places;
        let (wide, tall) = (count.clamp(1, BESIDE), count.div_ceil(BESIDE));
        let (width, height) = (wide as f64 * CELL, tall as f64 * CELL);
        let is_wood = matches!(self.layout.surface, Surface::Wells | Surface::Lines);
        let corner = |index: usize| [(index % BESIDE) as f64 * CELL, (index / BESIDE) as f64 * CELL];
        let content = html! {
            g font-size="34" text-anchor="start" { (label(-FRAME + 2.0, -NAME / 2.0 - 4.0, trays[tray].name)) }
            @if is_wood { (framed([2.0 - FRAME, 2.0 - FRAME, width + 2.0 * FRAME - 4.0, height + 2.0 * FRAME - 4.0], true)) }
            @for (index, [x, y]) in (0..count).map(|index| (index, corner(index))) {
                @if is_wood { circle cx=(x + HALF) cy=(y + HALF) r="42" fill=(WELL[1]) {} }
                @else { rect x=(x) y=(y) width=(CELL) height=(CELL) fill=(SQUARE[0]) stroke=(SQUARE[1]) stroke-width="2" {} }
                (self.place(first + index, [x, y]))
            }
        };
        // A name may be wider than a single place.
        let name_width = trays[tray].name.chars().count() as f64 * 20.0;
        let area = [-FRAME, -NAME - FRAME, width.max(name_width) + 2.0 * FRAME, height + NAME + 2.0 * FRAME];
        Part { content, area }
    }
}

/// The points of a board of lines that are marked, as on boards for Go and Renju: columns and rows.
fn stars(columns: usize, rows: usize) -> Vec<[usize; 2]> {
    let near = if columns >= 13 { 3 } else { 2 };
    let of = |count: usize| match count {
        7.. if count % 2 == 1 => vec![near, (count - 1) / 2, count - 1 - near],
        _ => Vec::new(),
    };
    let is_middle = |index: usize, count: usize| 2 * index + 1 == count;
    let points =
        of(columns).into_iter().flat_map(|column| of(rows).into_iter().map(move |row| [column, row]));
    points.filter(|&[column, row]| is_middle(column, columns) == is_middle(row, rows)).collect()
}

/// The disc of a candidate, and the text on it. If something stands there, the disc is around it and the text
/// below.
fn disc(CandidateMark { share, text, is_best, .. }: &CandidateMark, is_taken: bool) -> (Markup, Markup) {
    let root = share.clamp(0.0, 1.0).sqrt();
    let radius = if is_taken { 30.0 + 18.0 * root } else { 15.0 + 29.0 * root };
    let (edge, thick, seen) = if *is_best { ("#fff", 5, 1.0) } else { (MARK_EDGE, 2, 0.5) };
    let (y, most) = if is_taken { (86.0, 34.0) } else { (50.0, 42.0) };
    let size = (132.0 / text.chars().count().max(1) as f64).min(most);
    let disc = html! {
        circle cx="50" cy="50" r=(short(radius)) fill=(CANDIDATE[usize::from(*is_best)]) fill-opacity=(short(0.45 + 0.5 * share))
            stroke=(edge) stroke-width=(thick) stroke-opacity=(seen) {}
    };
    let text = html! {
        g font-size=(short(size)) fill="#fff" stroke=(MARK_EDGE) stroke-width="6" stroke-linejoin="round" paint-order="stroke" { (label(50.0, y, text)) }
    };
    (disc, text)
}

/// A frame of wood, with its grain if it is seen.
fn framed([x, y, width, height]: [f64; 4], has_grain: bool) -> Markup {
    let [wood, edge, grain] = WOOD;
    html! {
        rect x=(short(x)) y=(short(y)) width=(short(width)) height=(short(height)) rx="12" fill=(wood) stroke=(edge) stroke-width="4" {}
        @if has_grain {
            path fill="none" stroke=(grain) stroke-opacity=".1" stroke-width="3" d={
                @for index in (1..).take_while(|index| f64::from(*index) * 23.0 < height) {
                    "M" (short(x)) " " (short(y + f64::from(index) * 23.0)) "h" (short(width))
                }
            } {}
        }
    }
}

/// Centered text.
fn label(x: f64, y: f64, name: &str) -> Markup {
    html! { text x=(short(x)) y=(short(y)) dy=".35em" { (name) } }
}

/// A length with one decimal place at most.
fn short(length: f64) -> f64 {
    quintet_protocol::rounded(length, 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::STYLE;

    /// The picture of a position, and its document.
    fn drawn(game: &str, rules: &str, moves: &str, last: &[usize]) -> (Picture, String) {
        let variant = quintet_games::registry().find(game, Some(rules)).expect("a game");
        let session = variant.set_up(None, moves.split_whitespace()).expect("legal moves");
        let picture = session.picture();
        let document = svg(&picture, last, &[]);
        (picture, document)
    }

    #[test]
    fn every_piece_is_drawn_once_and_named() {
        for (game, moves) in [
            ("quarto", "0101 b2 1111 c3 0000"),
            ("qubic", "r1 c1 l1 r2"),
            ("gomoku", "a1 b1 c1 black"),
            ("pentago", "c4 2cw a1"),
            ("krk", "Kc1-c2"),
        ] {
            let (picture, document) = drawn(game, "ggp", moves, &[]);
            let Picture::Scene(scene) = picture else { panic!("{game} has a layout") };
            for glyph in &scene.layout.glyphs {
                let there = scene.places.iter().filter(|code| **code == glyph.code).count();
                assert_eq!(document.matches(&glyph.svg).count(), there, "{game}, {}", glyph.name);
                let on_board = scene.places[..Drawing::new(&scene, &[], &[]).cells()].contains(&glyph.code);
                let title = document.split("</title>").next().unwrap_or_default();
                assert_eq!(title.contains(&glyph.name), on_board, "{game}, {}", glyph.name);
            }
            assert!(document.starts_with("<svg xmlns=") && !document.contains("class="), "{game}");
        }
    }

    #[test]
    fn marks_are_drawn_where_they_are() {
        let count = |document: &str, color: &str| document.matches(color).count();
        let (_, plain) = drawn("krk", "spec", "Kc1-c2", &[]);
        let (_, marked) = drawn("krk", "spec", "Kc1-c2", &[10, 14]);
        assert_eq!([count(&plain, LAST[0]), count(&marked, LAST[0])], [0, 2]);
        let (_, turned) = drawn("pentago", "ggp", "c4 2cw", &[]);
        let (_, placed) = drawn("pentago", "ggp", "c4", &[]);
        assert_eq!([count(&placed, ACCENT), count(&turned, ACCENT)], [0, 1]);
        let (_, open) = drawn("qubic", "spec", "r1 c2", &[]);
        assert_eq!(count(&open, "stroke-dasharray"), 4);
        let (_, won) =
            drawn("qubic", "spec", "r1 c1 l1 r2 c1 l1 r1 c2 l1 r2 c2 l1 r1 c3 l1 r2 c3 l1 r1 c4 l1", &[]);
        assert_eq!(count(&won, WON), 4 + 1, "the cells, and the line through them");
    }

    #[test]
    fn candidates_are_discs_on_their_places() {
        let (picture, _) = drawn("krk", "spec", "", &[]);
        let mark = |place, share, text: &str, is_best| CandidateMark {
            place,
            share,
            text: text.to_owned(),
            is_best,
        };
        let document = svg(&picture, &[], &[mark(5, 1.0, "80", true), mark(14, 0.25, "<", false)]);
        assert!(document.contains(&format!("r=\"44\" fill=\"{}\"", CANDIDATE[1])), "{document}");
        assert!(document.contains(&format!("r=\"39\" fill=\"{}\"", CANDIDATE[0])), "around the king");
        assert!(document.contains(">80</text>") && document.contains(">&lt;</text>"));
    }

    #[test]
    fn text_is_shown_as_it_is_and_escaped() {
        let document = svg(&Picture::Text("a < b\n  &\n".to_owned()), &[], &[]);
        assert!(document.contains("a &lt; b</text>") && document.contains("  &amp;</text>"), "{document}");
    }

    #[test]
    fn colors_are_those_of_the_style_sheet() {
        let all = [
            &[GROUND, LABEL, FRAME_LABEL, GRID_LINE, ACCENT, WON, MARK_EDGE][..],
            &SQUARE,
            &CHECKERED,
            &WOOD,
            &WELL,
            &BLOCK,
            &HOLE,
            &LAST,
            &CANDIDATE,
        ];
        for color in all.concat() {
            assert!(STYLE.contains(color), "{color} is not in board.css");
        }
    }
}
