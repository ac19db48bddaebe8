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
        Some(Picture::Text(text)) => {
            let before = match pictures.first() {
                Some(Picture::Text(before)) => before,
                _ => text,
            };
            marked_text(before, text)
        }
        Some(Picture::Scene(scene)) => {
            let marked = if scene.lines.is_empty() { changed(pictures) } else { scene.lines.concat() };
            Drawing::new(scene, marked.into_iter().collect()).lines(width)
        }
    }
}

/// Returns the lines of a drawing. What differs from the drawing before is in brackets, in lines that
/// are as long as before and where spaces leave room.
fn marked_text(before: &str, text: &str) -> Vec<String> {
    let mut before = before.trim_end().lines();
    let mark_line = |line: &str| {
        let old: Vec<char> = before.next().unwrap_or(line).chars().collect();
        let mut new: Vec<char> = line.chars().collect();
        if old.len() != new.len() {
            return line.to_owned();
        }
        let is_space = |line: &[char], at: usize| line.get(at).is_none_or(|it| *it == ' ');
        let differs = |at: usize| old[at] != new[at] && new[at] != ' ';
        let changed: Vec<bool> = (0..new.len()).map(differs).collect();
        let runs = changed.chunk_by(|a, b| a == b).scan(0, |end, run| {
            *end += run.len();
            Some((*end - run.len(), *end, run[0]))
        });
        for (start, end, _) in runs.filter(|run| run.2) {
            if start > 0 && is_space(&new, start - 1) && is_space(&new, end) {
                new.resize(new.len().max(end + 1), ' ');
                (new[start - 1], new[end]) = ('[', ']');
            }
        }
        new.into_iter().collect()
    };
    text.trim_end().lines().map(mark_line).collect()
}

/// Returns the places that each ply has changed, and the cells that are open after the last one.
fn changed(pictures: &[Picture]) -> Vec<usize> {
    let mut changed = Vec::new();
    let scenes: Vec<&Scene> = pictures.iter().filter_map(scene).collect();
    for pair in scenes.windows(2) {
        let [before, after] = pair else { continue };
        if let Some(turned) = after.turned {
            changed.extend(quadrant(&after.layout, turned.quadrant));
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

fn scene(picture: &Picture) -> Option<&Scene> {
    match picture {
        Picture::Scene(scene) => Some(scene),
        Picture::Text(_) => None,
    }
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
    marked: HashSet<usize>,
    /// The width of what is on a place, without the brackets.
    inner: usize,
}

impl<'a> Drawing<'a> {
    fn new(scene: &'a Scene, marked: HashSet<usize>) -> Self {
        let inner = scene.layout.glyphs.iter().map(|it| text(it).chars().count()).max().unwrap_or(1);
        Self { scene, marked, inner }
    }

    fn lines(&self, width: usize) -> Vec<String> {
        let layout = &self.scene.layout;
        let label = layout.rows.iter().map(String::len).max().unwrap_or(0);
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
                *line = format!("{:>label$} ", layout.rows.get(row).map_or("", |it| it));
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
        lines.extend((!self.scene.more.is_empty()).then(|| self.scene.more.clone()));
        lines
    }

    /// The columns that a level takes up.
    fn level_width(&self) -> usize {
        self.scene.layout.columns.len() * (self.inner + 2) + self.seam().map_or(0, |_| 1)
    }

    /// The column before which quadrants have a seam.
    fn seam(&self) -> Option<usize> {
        let layout = &self.scene.layout;
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
        let content = match self.scene.layout.glyphs.iter().find(|it| it.code == code) {
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
        let mut kinds: Vec<String> = self.scene.layout.glyphs.iter().map(kind).collect();
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
        let layout = &self.scene.layout;
        let mut first = layout.places() - layout.trays.iter().map(|tray| tray.places).sum::<usize>();
        let mut lines = Vec::new();
        for &Tray { name, places } in &layout.trays {
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
        match self.scene.layout.glyphs.iter().find(|it| it.code == code) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The board after `before` and the plies of `turn`, without colors.
    fn drawn(game: (&str, &str), before: &str, turn: &str, width: usize) -> Vec<String> {
        let variant = quintet_games::registry().find(game.0, Some(game.1)).expect("a game");
        let mut session = variant.set_up(None, before.split_whitespace()).expect("legal moves");
        let mut pictures = vec![session.picture()];
        for token in turn.split_whitespace() {
            session.play(token).expect("a legal move");
            pictures.push(session.picture());
        }
        let lines = draw(&pictures, width);
        lines.iter().map(|line| anstream::adapter::strip_str(line).to_string()).collect()
    }

    #[test]
    fn a_piece_is_marked_where_it_comes_from_and_goes_to() {
        let lines = drawn(("krk", "spec"), "", "Rd1-d3", 80);
        assert_eq!(
            lines,
            ["4  k  .  .  .", "3  .  .  . [R]", "2  .  .  .  .", "1  .  .  K [.]", "   a  b  c  d"]
        );
    }

    #[test]
    fn a_turn_of_several_plies_is_marked_as_a_whole() {
        let lines = drawn(("quarto", "ggp"), "0101", "b2 1111", 80);
        assert_eq!(lines[2], "2  .... [0101] ....  ....");
        assert_eq!(
            lines[5..],
            [
                "in hand:[1111]",
                "pool: 0000  0001  0010  0011  0100        0110  0111",
                "      1000  1001  1010  1011  1100  1101  1110"
            ]
        );
        let set_up = drawn(("gomoku", "ggp"), "", "a1 b1 c1", 80);
        assert_eq!(set_up[10], " 1 [b][w][b] .  .  .  .  .  .  .  .");
    }

    #[test]
    fn a_rotation_marks_its_quadrant() {
        let lines = drawn(("pentago", "ggp"), "", "c4 2cw", 80);
        let expected = [
            "     (2)       (1)",
            "6 [.][.][.]  .  .  .",
            "5 [.][.][.]  .  .  .",
            "4 [r][.][.]  .  .  .",
            "",
            "3  .  .  .   .  .  .",
            "2  .  .  .   .  .  .",
            "1  .  .  .   .  .  .",
            "     (3)       (4)",
            "   a  b  c   d  e  f",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn levels_stand_side_by_side_where_there_is_room() {
        let (wide, narrow) =
            (drawn(("qubic", "spec"), "r1", "c2", 63), drawn(("qubic", "spec"), "r1", "c2", 59));
        let (head, row) = ("     level 1        level 2", "r1  . [.] .  .     . [.] .  .");
        assert_eq!((wide.len(), narrow.len()), (6, 13));
        assert!(wide[0].starts_with(head) && wide[1].starts_with(row), "{wide:?}");
        assert_eq!((&*narrow[0], &*narrow[1], &*narrow[6]), (head, row, ""));
        assert!(narrow.iter().all(|line| line.chars().count() <= 59), "{narrow:?}");
        assert_eq!(drawn(("qubic", "spec"), "r1", "c2", 10).len(), 27, "as narrow as it can be");
    }

    #[test]
    fn the_line_that_won_is_marked_instead_of_the_last_turn() {
        let moves = "r1 c1 l1 r2 c1 l1 r1 c2 l1 r2 c2 l1 r1 c3 l1 r2 c3 l1";
        let lines = drawn(("qubic", "spec"), moves, "r1 c4 l1", 80);
        assert!(lines[1].starts_with("r1 [x][x][x][x]   "), "{lines:?}");
        assert!(lines[2].starts_with("r2  o  o  o  .    "), "{lines:?}");
    }

    #[test]
    fn drawings_in_text_are_marked_where_they_differ() {
        let pictures = |texts: [&str; 2]| texts.map(|text| Picture::Text(text.to_owned()));
        let drawn = |texts| draw(&pictures(texts), 80);
        assert_eq!(
            drawn(["2  .  .\n1  .  x\n   a  b\n", "2  .  o\n1  .  x\n   a  b\n"]),
            ["2  . [o]", "1  .  x", "   a  b"]
        );
        assert_eq!(drawn(["..x\n", "o.x\n"]), ["o.x"], "there is no room");
        assert_eq!(drawn(["3 left\n", "10 left\nagain\n"]), ["10 left", "again"]);
    }

    #[test]
    fn the_colors_of_the_players_are_told_by_name() {
        let lines = drawn(("gomoku", "ggp"), "a1 b1 c1", "white", 80);
        assert_eq!(lines[12..], ["player1: black stone", "player2: white stone"]);
    }
}
