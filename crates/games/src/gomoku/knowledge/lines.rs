//! Tables of the shapes that a stone of a color makes on each cell of a line.
//!
//! A line is a row, column or diagonal of the board: each cell is empty, black or white. A line of *n*
//! cells has 3^*n* contents, and its code, the index into the tables, is a number in base three after
//! the codes of all shorter lines. Lines shorter than five cells have no shapes, and the code 0.

use std::fmt::Debug;
use std::sync::OnceLock;

use crate::gomoku::{CELLS, SIZE, STEPS};
use quintet_core::bits::bits;

/// The number of rows, columns and diagonals of the board, including the shortest diagonals.
pub(super) const LINES: usize = 64;

/// The length of the shortest lines that have shapes.
const SHORTEST: usize = 5;

/// `POWERS[n]`: 3^*n*, what a black stone on cell `n` of a line adds to its code; a white stone adds twice
/// as much.
pub(super) const POWERS: [u32; SIZE + 1] = {
    let mut table = [1; SIZE + 1];
    let mut n = 1;
    while n <= SIZE {
        table[n] = 3 * table[n - 1];
        n += 1;
    }
    table
};

/// The code of an empty line, by its length.
const EMPTY_OF_LENGTH: [u32; SIZE + 1] = {
    let mut table = [0; SIZE + 1];
    table[SHORTEST] = 1;
    let mut length = SHORTEST + 1;
    while length <= SIZE {
        table[length] = table[length - 1] + POWERS[length - 1];
        length += 1;
    }
    table
};

/// The codes, with some that do not occur: a power of two, so that a mask keeps an index in bounds.
const SLOTS: usize = (EMPTY_OF_LENGTH[SIZE] + POWERS[SIZE]).next_power_of_two() as usize;

/// What a stone on an empty cell of a line makes for its color in this line.
///
/// A "four" is a group of stones, possibly with gaps, that one more stone turns into a winning
/// line; under `spec` it has five stones. Likewise a "three" lacks two stones, a "two" three, and a
/// "one" four.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Shape {
    /// Nothing of note.
    None = 0,
    /// A one that leads to a closed two: a single stone of the other color stops it. Only under
    /// `spec`.
    ClosedOne = 1,
    /// A one that leads to an open two. Only under `spec`.
    OpenOne = 2,
    /// A two that a single stone of the other color stops.
    ClosedTwo = 3,
    /// A three that a single stone of the other color stops: it leads to a four, but not to an open
    /// four.
    ClosedThree = 4,
    /// A two that leads to an open three.
    OpenTwo = 5,
    /// A three that leads to an open four.
    OpenThree = 6,
    /// A four: one cell completes a line.
    Four = 7,
    /// An open four, or two fours in one: two or more cells complete a line.
    OpenFour = 8,
    /// A winning line.
    Line = 9,
}

/// The number of [`Shape`]s.
pub(super) const SHAPES: usize = 10;

/// Where a line lies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The first cell.
    start: u8,
    /// The difference in cell number of a step along the line.
    step: u8,
}

impl Place {
    /// The cell number `n` along the line.
    #[inline]
    pub(super) const fn cell(self, n: usize) -> usize {
        self.start as usize + n * self.step as usize
    }
}

/// A cell's place in one of its four lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinePlace {
    pub(super) line: u8,
    /// The cell's number along the line.
    pub(super) n: u8,
    /// What a black stone there adds to the line's code; a white one adds twice as much.
    pub(super) power: u32,
}

/// The board as lines.
struct Geometry {
    places: [Place; LINES],
    lines_of: [[LinePlace; 4]; CELLS],
    /// The code of each line on the empty board.
    empty: [u32; LINES],
}

const GEOMETRY: Geometry = {
    let mut places = [Place { start: 0, step: 1 }; LINES];
    let mut lines_of = [[LinePlace { line: 0, n: 0, power: 1 }; 4]; CELLS];
    let mut empty = [0; LINES];
    let mut line = 0;
    let mut direction = 0;
    while direction < 4 {
        let mut cell = 0;
        while cell < CELLS {
            let (file, rank) = (cell % SIZE, cell / SIZE);
            let starts = match direction {
                0 => file == 0,
                1 => rank == 0,
                2 => file == 0 || rank == 0,
                _ => file == SIZE - 1 || rank == 0,
            };
            if starts {
                places[line] = Place { start: cell as u8, step: STEPS[direction] as u8 };
                let length = match direction {
                    0 | 1 => SIZE,
                    2 => SIZE - if file > rank { file } else { rank },
                    _ => {
                        if file + 1 < SIZE - rank {
                            file + 1
                        } else {
                            SIZE - rank
                        }
                    }
                };
                empty[line] = EMPTY_OF_LENGTH[length];
                let mut n = 0;
                while n < length {
                    let power = if length < SHORTEST { 0 } else { POWERS[n] };
                    lines_of[cell + n * STEPS[direction]][direction] =
                        LinePlace { line: line as u8, n: n as u8, power };
                    n += 1;
                }
                line += 1;
            }
            cell += 1;
        }
        direction += 1;
    }
    assert!(line == LINES);
    Geometry { places, lines_of, empty }
};

/// Where each line lies.
pub(super) static PLACES: [Place; LINES] = GEOMETRY.places;
/// The places of each cell in its four lines.
pub(super) static LINES_OF: [[LinePlace; 4]; CELLS] = GEOMETRY.lines_of;
/// The lines of each cell.
pub(super) static LINES_THROUGH: [u64; CELLS] = {
    let mut table = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        let [a, b, c, d] = LINES_OF[cell];
        table[cell] = 1 << a.line | 1 << b.line | 1 << c.line | 1 << d.line;
        cell += 1;
    }
    table
};
/// The code of each line on the empty board.
pub(super) static EMPTY: [u32; LINES] = GEOMETRY.empty;

/// The shapes of a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LineShapes(u64);

impl LineShapes {
    /// The number of bits of each cell's shape.
    const SHAPE_BITS: usize = 4;
    /// A one in the shape of each cell.
    const ONES: u64 = ((1 << (SIZE * Self::SHAPE_BITS)) - 1) / 15;

    fn new(shapes: [Shape; SIZE]) -> Self {
        let mut bits = 0;
        for (cell, &shape) in shapes.iter().enumerate() {
            bits |= (shape as u64) << (cell * Self::SHAPE_BITS);
        }
        Self(bits)
    }

    /// The number of the [`Shape`] that a stone on cell `n` of the line makes.
    #[inline]
    pub(super) const fn shape(self, n: usize) -> usize {
        (self.0 >> (n * Self::SHAPE_BITS) & 15) as usize
    }

    /// The cells on which a stone makes at least the shape `least`, which is not none: bit 4 *n* + 3 is set for cell *n*.
    #[inline]
    pub(super) const fn at_least(self, least: Shape) -> u64 {
        const SEVENS: u64 = 7 * LineShapes::ONES;
        const EIGHTS: u64 = 8 * LineShapes::ONES;
        let shapes = self.0;
        // A shape of 8 or 9 has its highest bit. Of these, 9 alone is odd. No sum is above 15.
        let sums = match least {
            Shape::Line => shapes & shapes << 3,
            Shape::None | Shape::ClosedOne => ((shapes & SEVENS) + SEVENS) | shapes,
            _ => shapes + (8 - least as u64) * Self::ONES,
        };
        sums & EIGHTS
    }
}

/// The lines with threats.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    /// By color, the lines in which one stone completes a winning line.
    pub(super) with_line: [u64; 2],
    /// By color, the lines in which one stone makes a four.
    pub(super) with_four: [u64; 2],
}

impl Marks {
    /// The marks without those of these lines.
    #[inline]
    pub(super) const fn without(self, lines: u64) -> Self {
        let Self { with_line: [a, b], with_four: [c, d] } = self;
        Self { with_line: [a & !lines, b & !lines], with_four: [c & !lines, d & !lines] }
    }

    /// Adds the marks of a line that has none.
    #[inline]
    pub(super) const fn add(&mut self, line: usize, threats: LineThreats) {
        let bits = threats.0 as u64;
        let mut color = 0;
        while color < 2 {
            self.with_line[color] |= (bits >> color & 1) << line;
            self.with_four[color] |= (bits >> (2 + color) & 1) << line;
            color += 1;
        }
    }
}

/// The threats in a line: bit *c* is set if one stone of color *c* completes a winning line, bit 2 + *c* if
/// one makes a four.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineThreats(u8);

impl LineThreats {
    fn new(shapes: [LineShapes; 2]) -> Self {
        let [black, white] = shapes.map(|shapes| {
            let lines = shapes.at_least(Shape::Line);
            let fours = shapes.at_least(Shape::Four) & !lines;
            u8::from(lines != 0) | u8::from(fours != 0) << 2
        });
        Self(black | white << 1)
    }
}

/// The shapes of all lines.
#[derive(Debug)]
pub(super) struct ShapeTable {
    /// By code and color.
    entries: Box<[[LineShapes; 2]; SLOTS]>,
    /// By code: a part of `entries` that is small enough for the caches.
    threats: Box<[LineThreats; SLOTS]>,
}

impl ShapeTable {
    /// The table for winning lines of exactly `winning` stones.
    pub(super) fn get(winning: usize) -> &'static Self {
        static TABLES: [OnceLock<ShapeTable>; 2] = [OnceLock::new(), OnceLock::new()];
        TABLES[usize::from(winning == 6)].get_or_init(|| Self::new(winning))
    }

    /// What a stone of each color makes on the cells of the line with this code.
    #[inline]
    pub(super) fn entry(&self, code: u32) -> &[LineShapes; 2] {
        &self.entries[code as usize % SLOTS]
    }

    #[inline]
    pub(super) fn threats(&self, code: u32) -> LineThreats {
        self.threats[code as usize % SLOTS]
    }

    fn new(winning: usize) -> Self {
        let of_contents = shapes_of_contents(winning);
        // As white sees it, black and white are exchanged.
        let mut exchanged = vec![0; CONTENTS];
        for contents in 1..CONTENTS {
            exchanged[contents] = 3 * exchanged[contents / 3] + [0, 2, 1][contents % 3];
        }
        let mut entries = vec![[LineShapes::default(); 2]; SLOTS];
        for length in SHORTEST..=SIZE {
            let (first, count) = (EMPTY_OF_LENGTH[length] as usize, POWERS[length] as usize);
            // Cells beyond the end are blocked.
            let beyond = CONTENTS - count;
            for contents in 0..count {
                let seen = [contents, exchanged[contents]];
                entries[first + contents] = seen.map(|contents| of_contents[beyond + contents]);
            }
        }
        let threats: Vec<_> = entries.iter().map(|&shapes| LineThreats::new(shapes)).collect();
        Self { entries: boxed(entries), threats: boxed(threats) }
    }
}

/// The number of the contents of eleven cells as one color sees them: each is empty (0), has an own stone
/// (1), or is blocked (2) by the other color or the edge. Contents are numbers in base three.
const CONTENTS: usize = POWERS[SIZE] as usize;

/// What an own stone makes on the cells of a line, by the contents of the line, if winning lines have exactly
/// `winning` stones.
fn shapes_of_contents(winning: usize) -> Vec<LineShapes> {
    // Digit by digit: the line without its first cell has a smaller code.
    let (mut own, mut empty) = (vec![0_u16; CONTENTS], vec![(1_u16 << SIZE) - 1; CONTENTS]);
    for code in 1..CONTENTS {
        own[code] = own[code / 3] << 1 | u16::from(code % 3 == 1);
        empty[code] = (empty[code / 3] << 1 | u16::from(code % 3 == 0)) & ((1 << SIZE) - 1);
    }
    let cells_where = |quality: &dyn Fn(usize, usize) -> bool| -> Vec<u16> {
        let those = |code: usize| {
            let cells = bits(empty[code]).map(usize::from);
            cells.filter(|&cell| quality(code, cell)).fold(0, |mask, cell| mask | 1 << cell)
        };
        (0..CONTENTS).map(those).collect()
    };
    // The cells that complete a line, then those that make a four, and so on backwards.
    let line = cells_where(&|code, cell| run(own[code] | 1 << cell, cell) == winning);
    let has = |masks: &[u16], code: usize| masks[code] != 0;
    let four = cells_where(&|code, cell| has(&line, with(code, cell)));
    let open_four = cells_where(&|code, cell| line[with(code, cell)].count_ones() >= 2);
    let is_new = |masks: &[u16], code: usize, cell: usize| masks[with(code, cell)] & !masks[code] != 0;
    let open_three = cells_where(&|code, cell| is_new(&open_four, code, cell));
    let closed_three = cells_where(&|code, cell| is_new(&four, code, cell));
    let open_two = cells_where(&|code, cell| is_new(&open_three, code, cell));
    let closed_two = cells_where(&|code, cell| is_new(&closed_three, code, cell));
    let (mut open_one, mut closed_one) = (vec![0; CONTENTS], vec![0; CONTENTS]);
    if winning > 5 {
        open_one = cells_where(&|code, cell| is_new(&open_two, code, cell));
        closed_one = cells_where(&|code, cell| is_new(&closed_two, code, cell));
    }
    // A cell gets the best shape of a stone on it.
    let order = [
        (&line, Shape::Line),
        (&open_four, Shape::OpenFour),
        (&four, Shape::Four),
        (&open_three, Shape::OpenThree),
        (&open_two, Shape::OpenTwo),
        (&closed_three, Shape::ClosedThree),
        (&closed_two, Shape::ClosedTwo),
        (&open_one, Shape::OpenOne),
        (&closed_one, Shape::ClosedOne),
    ];
    let entry = |code| {
        LineShapes::new(std::array::from_fn(|cell| {
            let is_in = |masks: &[u16]| masks[code] >> cell & 1 == 1;
            order.iter().find(|(masks, _)| is_in(masks)).map_or(Shape::None, |it| it.1)
        }))
    };
    (0..CONTENTS).map(entry).collect()
}

/// As many of these as there are slots.
fn boxed<T: Debug>(slots: Vec<T>) -> Box<[T; SLOTS]> {
    slots.into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!("there are as many slots"))
}

/// The length of the run of stones through `cell`.
fn run(stones: u16, cell: usize) -> usize {
    let before = (0..cell).rev().take_while(|&at| stones >> at & 1 == 1).count();
    let after = (cell + 1..SIZE).take_while(|&at| stones >> at & 1 == 1).count();
    before + 1 + after
}

/// The contents with an own stone on `cell`, which is empty.
fn with(code: usize, cell: usize) -> usize {
    code + POWERS[cell] as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_shape_or_better_are_those_that_have_it() {
        let shapes = [
            Shape::ClosedTwo,
            Shape::ClosedThree,
            Shape::OpenThree,
            Shape::Four,
            Shape::OpenFour,
            Shape::Line,
        ];
        for entry in [5, 6].into_iter().flat_map(shapes_of_contents) {
            for least in shapes {
                let expected = (0..SIZE).filter(|&n| entry.shape(n) >= least as usize);
                assert_eq!(
                    entry.at_least(least),
                    expected.fold(0, |mask, n| mask | 8 << (4 * n)),
                    "{least:?}"
                );
            }
        }
    }
}
