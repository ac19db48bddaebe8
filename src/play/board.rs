//! A position as lines of text, with the last turn marked.

use std::collections::HashSet;

use anstyle::{AnsiColor, Style};
use quintet_core::game::{EMPTY, Glyph, Layout, Picture, Scene, Surface, Tray};

use crate::output::{BEST, styled};

/// The style of what the last turn changed, and of the lines that decided the game.
const MARK: Style = BEST;

/// The colors of the things on a board: those whose names begin alike have the same.
const COLORS: [AnsiColor; 2] = [AnsiColor::Cyan, AnsiColor::Yellow];

/// Draws the last one of some pictures in lines of at most `width` columns, if that is possible.
/// What has changed since the first one is in brackets, or else the lines that decided the game.
///
/// The pictures are those after each ply of a turn, after one before it.
pub(super) fn draw(pictures: &[Picture], width: usize) -> Vec<String> {
    match pictures.last() {
        None => Vec::new(),
        Some(Picture::Text(text)) => text.trim_end().lines().map(str::to_owned).collect(),
        Some(Picture::Scene(scene)) => {
            let marked = if scene.lines.is_empty() { changed(pictures) } else { scene.lines.concat() };
            Drawing::new(scene, marked.into_iter().collect()).lines(width)
        }
    }
}

/// Returns the places that each ply has changed, and the cells that are open after the last one.
fn changed(pictures: &[Picture]) -> Vec<usize> {
    let mut changed = Vec::new();
    let scene = |picture| match picture {
        &Picture::Scene(ref scene) => Some(scene),
        Picture::Text(_) => None,
    };
    let scenes: Vec<&Scene> = pictures.iter().filter_map(scene).collect();
    for pair in scenes.windows(2) {
        let [before, after] = pair else { continue };
        if let Some(turned) = after.turned {
            changed.extend(quadrant(after.layout, turned.quadrant));
        } else {
            let differs = |place: &usize| before.places[*place] != after.places[*place];
            changed.extend((0..after.places.len()).filter(differs));
        }
    }
    if scenes.len() > 1 {
        changed.extend(scenes.last().into_iter().flat_map(|scene| &scene.open));
    }
    changed
}

/// Returns the cells of a quadrant.
fn quadrant(layout: &Layout, quadrant: usize) -> impl Iterator<Item = usize> {
    let (rows, columns) = (layout.rows.len(), layout.columns.len());
    (0..rows * columns).filter(move |cell| {
        let (row, column) = (cell / columns, cell % columns);
        2 * (row / rows.div_ceil(2)) + column / columns.div_ceil(2) == quadrant
    })
}

/// What separates the levels of a board.
const GAP: &str = "   ";

struct Drawing<'a> {
    scene: &'a Scene,
    glyphs: Vec<Glyph>,
    marked: HashSet<usize>,
    /// The width of what is on a place, without the brackets.
    inner: usize,
}

impl<'a> Drawing<'a> {
    fn new(scene: &'a Scene, marked: HashSet<usize>) -> Self {
        let glyphs = (scene.layout.glyphs)();
        let inner = glyphs.iter().map(|it| text(it).chars().count()).max().unwrap_or(1);
        Self { scene, glyphs, marked, inner }
    }

    fn lines(&self, width: usize) -> Vec<String> {
        let layout = self.scene.layout;
        let label = layout.rows.iter().map(|name| name.len()).max().unwrap_or(0);
        let cells = layout.rows.len() * layout.columns.len();
        let room = (width.saturating_sub(label + 1) + GAP.len()) / (self.level_width() + GAP.len());
        let fits = |beside: &usize| layout.levels.len().is_multiple_of(*beside) && *beside <= room;
        let beside = (1..=layout.levels.len()).rev().find(fits).unwrap_or(1);
        let mut lines = Vec::new();
        for first in (0..layout.levels.len()).step_by(beside) {
            let levels = first..first + beside;
            if !lines.is_empty() {
                lines.push(String::new());
            }
            let mut all = vec![String::new(); layout.rows.len() + 1];
            for (row, line) in all.iter_mut().enumerate() {
                *line = format!("{:>label$} ", layout.rows.get(row).unwrap_or(&""));
            }
            for (index, level) in levels.clone().enumerate() {
                for (row, line) in all.iter_mut().enumerate() {
                    *line += if index == 0 { "" } else { GAP };
                    *line += &if row < layout.rows.len() {
                        self.row(level * cells + row * layout.columns.len())
                    } else {
                        self.column_names()
                    };
                }
            }
            if layout.levels.len() > 1 {
                let names = levels.map(|level| format!("{:^1$}", layout.levels[level], self.level_width()));
                let names: Vec<String> = names.collect();
                lines.push(format!("{:label$} {}", "", names.join(GAP)));
            }
            if let Surface::Quadrants(names) = layout.surface {
                all.insert(layout.rows.len() / 2, String::new());
                let named = |pair: &[&str]| format!("{:label$} {}", "", self.over_halves(pair));
                all.insert(0, named(&names[..2]));
                let columns = all.pop().unwrap_or_default();
                all.push(named(&names[2..]));
                all.push(columns);
            }
            lines.extend(all);
        }
        for line in &mut lines {
            line.truncate(line.trim_end().len());
        }
        lines.extend(self.trays());
        lines
    }

    /// The columns that a level takes up.
    fn level_width(&self) -> usize {
        self.scene.layout.columns.len() * (self.inner + 2) + self.seam().map_or(0, |_| 1)
    }

    /// The column before which quadrants have a seam.
    fn seam(&self) -> Option<usize> {
        let layout = self.scene.layout;
        matches!(layout.surface, Surface::Quadrants(_)).then(|| layout.columns.len() / 2)
    }

    fn row(&self, first: usize) -> String {
        let places = (0..self.scene.layout.columns.len()).map(|column| {
            let seam = if self.seam() == Some(column) { " " } else { "" };
            format!("{seam}{}", self.place(first + column))
        });
        places.collect()
    }

    fn column_names(&self) -> String {
        let names = self.scene.layout.columns.iter().enumerate().map(|(column, name)| {
            let seam = if self.seam() == Some(column) { " " } else { "" };
            format!("{seam}{name:^0$}", self.inner + 2)
        });
        names.collect()
    }

    /// The names of two quadrants over the middle of each.
    fn over_halves(&self, names: &[&str]) -> String {
        let half = self.seam().unwrap_or_default() * (self.inner + 2);
        let names: Vec<String> = names.iter().map(|name| format!("{:^half$}", format!("({name})"))).collect();
        names.join(" ")
    }

    /// What is on a place, in brackets if it is marked.
    fn place(&self, place: usize) -> String {
        let code = self.scene.places[place];
        let content = match self.glyphs.iter().find(|it| it.code == code) {
            Some(glyph) => styled(self.style(glyph), format!("{:^1$}", text(glyph), self.inner)),
            None => ".".repeat(self.inner),
        };
        if self.marked.contains(&place) {
            format!("{}{content}{}", styled(MARK, "["), styled(MARK, "]"))
        } else {
            format!(" {content} ")
        }
    }

    fn style(&self, glyph: &Glyph) -> Style {
        let kind = |it: &Glyph| it.name.split(' ').next().unwrap_or_default().to_owned();
        let mut kinds: Vec<String> = self.glyphs.iter().map(kind).collect();
        kinds.dedup();
        let of_glyph = kind(glyph);
        let index = kinds.iter().position(|it| *it == of_glyph).unwrap_or(0);
        let color = if of_glyph == "red" { AnsiColor::Red } else { COLORS[index % COLORS.len()] };
        Style::new().bold().fg_color(Some(color.into()))
    }

    /// The trays that have something on them.
    fn trays(&self) -> Vec<String> {
        /// The places of a tray on a line.
        const BESIDE: usize = 8;
        let layout = self.scene.layout;
        let mut first = layout.places() - layout.trays.iter().map(|tray| tray.places).sum::<usize>();
        let mut lines = Vec::new();
        for &Tray { name, places } in layout.trays {
            let all: Vec<usize> = (first..first + places).collect();
            first += places;
            if all.iter().all(|&place| self.scene.places[place] == EMPTY) {
                continue;
            }
            for (number, part) in all.chunks(BESIDE).enumerate() {
                let name = if number == 0 { format!("{name}:") } else { " ".repeat(name.len() + 1) };
                let shown: Vec<String> = part.iter().map(|&place| self.on_tray(place, places)).collect();
                lines.push(format!("{name}{}", shown.concat()).trim_end().to_owned());
            }
        }
        lines
    }

    /// What is on a place of a tray: its name if that is all that the tray holds.
    fn on_tray(&self, place: usize, places: usize) -> String {
        let code = self.scene.places[place];
        match self.glyphs.iter().find(|it| it.code == code) {
            None => " ".repeat(self.inner + 2),
            Some(glyph) if places == 1 && glyph.token.is_none() => format!(" {}", glyph.name),
            Some(_) => self.place(place),
        }
    }
}

/// What stands for a thing: the move that takes it, or its code.
fn text(glyph: &Glyph) -> String {
    glyph.token.clone().unwrap_or_else(|| glyph.code.to_string())
}
