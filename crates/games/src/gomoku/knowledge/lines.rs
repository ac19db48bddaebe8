//! Tables of the shapes that a stone of a color makes on each cell of a line.
//!
//! A line is a row, column or diagonal of the board: each cell is empty, black or white. A line of *n*
//! cells has 3^*n* contents, and its code, the index into the tables, is a number in base three after
//! the codes of all shorter lines. Lines shorter than five cells have no shapes, and the code 0.

use std::fmt::Debug;
use std::sync::OnceLock;

use crate::gomoku::{CELLS, ROOM, SIZE, STEPS};
use quintet_core::bits::bits;

/// The number of rows, columns and diagonals of the board, including the shortest diagonals.
pub(super) const LINES: usize = 64;

/// The length of the shortest lines that have shapes.
const SHORTEST: usize = 5;

/// `POWERS[n]`: 3^*n*, what a black stone on cell `n` of a line adds to its code; a white stone adds twice
/// as much.
pub(super) const POWERS: [u32; SIZE + 1] = {
    let mut table = [1; SIZE + 1];
    const_for!(1..SIZE + 1, |n| {
        table[n] = 3 * table[n - 1];
    });
    table
};

/// The code of an empty line, by its length.
const EMPTY_OF_LENGTH: [u32; SIZE + 1] = {
    let mut table = [0; SIZE + 1];
    table[SHORTEST] = 1;
    const_for!(SHORTEST + 1..SIZE + 1, |length| {
        table[length] = table[length - 1] + POWERS[length - 1];
    });
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

/// The number of [`Shape`]s; 0 stands for none.
pub(super) const SHAPES: usize = 10;

/// The value of a digit in the number of a cell's shapes, by the direction of the line.
pub(super) const DIGITS: [i16; 4] = [1, 10, 100, 1000];

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
    const_for!(0..4, |direction| {
        const_for!(0..CELLS, |cell| {
            let [before, after] = ROOM[cell][direction];
            if before == 0 {
                let length = after as usize + 1;
                places[line] = Place { start: cell as u8, step: STEPS[direction] as u8 };
                empty[line] = EMPTY_OF_LENGTH[length];
                const_for!(0..length, |n| {
                    let power = if length < SHORTEST { 0 } else { POWERS[n] };
                    lines_of[cell + n * STEPS[direction]][direction] =
                        LinePlace { line: line as u8, n: n as u8, power };
                });
                line += 1;
            }
        });
    });
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
    const_for!(0..CELLS, |cell| {
        let [a, b, c, d] = LINES_OF[cell];
        table[cell] = 1 << a.line | 1 << b.line | 1 << c.line | 1 << d.line;
    });
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

    /// The number of the [`Shape`] that a stone on cell `n` of the line makes.
    #[inline]
    pub(super) const fn shape(self, n: usize) -> usize {
        (self.0 >> (n * Self::SHAPE_BITS) & 15) as usize
    }

    /// The cells but the cell `n` whose shape is another in `other`: bit 4 *n* is set for cell *n*.
    #[inline]
    pub(super) const fn differing(self, other: Self, n: usize) -> u64 {
        let bits = self.0 ^ other.0;
        let pairs = bits | bits >> 1;
        (pairs | pairs >> 2) & LineShapes::ONES & !(1 << (n * Self::SHAPE_BITS))
    }

    /// The cells on which a stone makes at least the shape `least`, which is better than the first: bit 4 *n* + 3 is set
    /// for cell *n*.
    #[inline]
    pub(super) const fn at_least(self, least: Shape) -> u64 {
        const EIGHTS: u64 = 8 * LineShapes::ONES;
        let shapes = self.0;
        // A shape of 8 or 9 has its highest bit. Of these, 9 alone is odd. No sum is above 15.
        let sums = match least {
            Shape::Line => shapes & shapes << 3,
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
    pub(super) fn add(&mut self, line: usize, threats: LineThreats) {
        let bits = u64::from(threats.0);
        for color in 0..2 {
            self.with_line[color] |= (bits >> color & 1) << line;
            self.with_four[color] |= (bits >> (2 + color) & 1) << line;
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
    /// The [`LineShapes`] by code and color. Plain numbers, so that the system provides the zeros of codes
    /// that do not occur.
    entries: Box<[[u64; 2]; SLOTS]>,
    /// The [`LineThreats`] by code: a part of `entries` that is small enough for the caches.
    threats: Box<[u8; SLOTS]>,
}

impl ShapeTable {
    /// The table for winning lines of exactly `winning` stones.
    pub(super) fn get(winning: usize) -> &'static Self {
        static TABLES: [OnceLock<ShapeTable>; 2] = [OnceLock::new(), OnceLock::new()];
        TABLES[usize::from(winning == 6)].get_or_init(|| Self::new(winning))
    }

    /// What a stone of `color` makes on the cells of the line with this code.
    #[inline]
    pub(super) fn shapes(&self, code: u32, color: usize) -> LineShapes {
        LineShapes(self.entries[code as usize % SLOTS][color])
    }

    /// By color, the [`LineShapes`] of the line with this code as bits, four for each cell.
    #[inline(always)]
    pub(super) fn bits(&self, code: u32) -> [u64; 2] {
        self.entries[code as usize % SLOTS]
    }

    #[inline]
    pub(super) fn threats(&self, code: u32) -> LineThreats {
        LineThreats(self.threats[code as usize % SLOTS])
    }

    fn new(winning: usize) -> Self {
        let of_contents = shapes_of_contents(winning);
        // As white sees it, black and white are exchanged.
        let mut exchanged = vec![0; CONTENTS];
        for contents in 1..CONTENTS {
            exchanged[contents] = 3 * exchanged[contents / 3] + [0, 2, 1][contents % 3];
        }
        let (mut entries, mut threats) = (vec![[0; 2]; SLOTS], vec![0; SLOTS]);
        for length in SHORTEST..=SIZE {
            let (first, count) = (EMPTY_OF_LENGTH[length] as usize, POWERS[length] as usize);
            // Cells beyond the end are blocked.
            let beyond = CONTENTS - count;
            for contents in 0..count {
                let [black, white] = [contents, exchanged[contents]].map(|it| of_contents[beyond + it]);
                entries[first + contents] = [black.0, white.0];
                threats[first + contents] = LineThreats::new([black, white]).0;
            }
        }
        Self { entries: boxed(entries), threats: boxed(threats) }
    }
}

/// The number of the contents of eleven cells as one color sees them: each is empty (0), has an own stone
/// (1), or is blocked (2) by the other color or the edge. Contents are numbers in base three.
const CONTENTS: usize = POWERS[SIZE] as usize;

/// By shape, the cells of a line on which an own stone makes it, and perhaps a better one too.
type Makes = [u16; SHAPES];

/// The shapes that lead to others, after those that they lead to.
const LEADS_TO: [(Shape, Shape); 6] = [
    (Shape::OpenThree, Shape::OpenFour),
    (Shape::ClosedThree, Shape::Four),
    (Shape::OpenTwo, Shape::OpenThree),
    (Shape::ClosedTwo, Shape::ClosedThree),
    (Shape::OpenOne, Shape::OpenTwo),
    (Shape::ClosedOne, Shape::ClosedTwo),
];

/// What an own stone makes on the cells of a line, by the contents of the line, if winning lines have exactly
/// `winning` stones.
fn shapes_of_contents(winning: usize) -> Vec<LineShapes> {
    let lead = &LEADS_TO[..if winning > 5 { 6 } else { 4 }];
    // By the own stones, the cells on which one more makes a winning line.
    let completing =
        |own: u16| mask((0..SIZE as u8).filter(|&cell| run(own | 1 << cell, cell.into()) == winning));
    let completing: Vec<u16> = (0..1_u16 << SIZE).map(completing).collect();
    // By a set of cells, a one in the shape of each.
    let ones =
        |cells: u16| bits(cells).fold(0, |ones, cell| ones | 1 << (LineShapes::SHAPE_BITS as u8 * cell));
    let ones: Vec<u64> = (0..1_u16 << SIZE).map(ones).collect();
    // Digit by digit: the line without its first cell has a smaller code.
    let (mut own, mut empty) = (vec![0_u16; CONTENTS], vec![(1_u16 << SIZE) - 1; CONTENTS]);
    for code in 1..CONTENTS {
        own[code] = own[code / 3] << 1 | u16::from(code % 3 == 1);
        empty[code] = (empty[code / 3] << 1 | u16::from(code % 3 == 0)) & ((1 << SIZE) - 1);
    }
    let mut entries = vec![LineShapes::default(); CONTENTS];
    let mut all: Vec<Makes> = vec![[0; SHAPES]; CONTENTS];
    // One more stone makes the code larger, so what it leads to is known.
    for code in (0..CONTENTS).rev() {
        let after = |cell: u8| &all[with(code, cell.into())];
        // Most lines lead to little.
        let mut anywhere = [0; SHAPES];
        for cell in bits(empty[code]) {
            for (anywhere, cells) in anywhere.iter_mut().zip(after(cell)) {
                *anywhere |= cells;
            }
        }
        let cells_where = |next: Shape, is_enough: &dyn Fn(u16) -> bool| {
            if anywhere[next as usize] == 0 {
                return 0;
            }
            mask(bits(empty[code]).filter(|&cell| is_enough(after(cell)[next as usize])))
        };
        let mut makes = [0; SHAPES];
        makes[Shape::Line as usize] = completing[usize::from(own[code])] & empty[code];
        makes[Shape::Four as usize] = cells_where(Shape::Line, &|cells| cells != 0);
        makes[Shape::OpenFour as usize] = cells_where(Shape::Line, &|cells| cells.count_ones() >= 2);
        for &(shape, next) in lead {
            let before = makes[next as usize];
            makes[shape as usize] = cells_where(next, &|cells| cells & !before != 0);
        }
        // A cell gets the best shape of a stone on it.
        let (mut shapes, mut done) = (0, 0);
        for (shape, &cells) in makes.iter().enumerate().rev() {
            shapes |= ones[usize::from(cells & !done)] * shape as u64;
            done |= cells;
        }
        entries[code] = LineShapes(shapes);
        all[code] = makes;
    }
    entries
}

fn mask(cells: impl Iterator<Item = u8>) -> u16 {
    cells.fold(0, |mask, cell| mask | 1 << cell)
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
