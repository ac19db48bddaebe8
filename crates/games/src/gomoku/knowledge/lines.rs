//! Tables of the shapes that a stone of a color makes on each cell of a line.
//!
//! A line is a row, column or diagonal of the board, seen by one color: each cell is empty, has an
//! own stone, or is blocked by the other color or the edge. Lines are padded with blocked cells to
//! eleven, so there are 3^11 of them, and a number in base three is the index into the tables.

use std::sync::OnceLock;

use crate::gomoku::{CELLS, SIZE, STEPS};
use quintet_core::bits::bits;

/// The number of rows, columns and diagonals of the board, including the shortest diagonals.
pub(super) const LINES: usize = 64;

/// The number of codes: three states for each of eleven cells.
const CODES: usize = 3_usize.pow(SIZE as u32);

/// The codes, with some that do not occur: a power of two, so that a mask keeps an index in bounds.
const SLOTS: usize = CODES.next_power_of_two();

/// `POWERS[n]`: what an own stone on cell `n` of a line adds to its code; a blocked cell adds twice
/// as much.
const POWERS: [u32; SIZE] = {
    let mut table = [1; SIZE];
    let mut n = 1;
    while n < SIZE {
        table[n] = 3 * table[n - 1];
        n += 1;
    }
    table
};

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
    pub(super) start: u8,
    /// The difference in cell number of a step along the line.
    pub(super) step: u8,
}

/// A cell's place in one of its four lines.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinePlace {
    pub(super) line: u8,
    /// The cell's number along the line.
    pub(super) n: u8,
    /// What an own stone there adds to the line's code.
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
                let mut n = 0;
                while n < SIZE {
                    if n < length {
                        lines_of[cell + n * STEPS[direction]][direction] =
                            LinePlace { line: line as u8, n: n as u8, power: POWERS[n] };
                    } else {
                        empty[line] += 2 * POWERS[n];
                    }
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
/// The cells of each line.
pub(super) static CELLS_OF: [u128; LINES] = {
    let mut table = [0; LINES];
    let mut cell = 0;
    while cell < CELLS {
        let mut direction = 0;
        while direction < 4 {
            table[LINES_OF[cell][direction].line as usize] |= 1 << cell;
            direction += 1;
        }
        cell += 1;
    }
    table
};
/// The code of each line on the empty board, for either color.
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

/// The shapes of all lines.
#[derive(Debug)]
pub(super) struct ShapeTable {
    entries: Box<[LineShapes; SLOTS]>,
    /// For each line, whether some stone completes a winning line (1) and some stone makes a four (2):
    /// a part of `entries` that is small enough for the caches.
    threats: Box<[u8; SLOTS]>,
}

impl ShapeTable {
    /// The table for winning lines of exactly `winning` stones.
    pub(super) fn get(winning: usize) -> &'static Self {
        static TABLES: [OnceLock<ShapeTable>; 2] = [OnceLock::new(), OnceLock::new()];
        TABLES[usize::from(winning == 6)].get_or_init(|| Self::new(winning))
    }

    #[inline]
    pub(super) fn entry(&self, code: u32) -> LineShapes {
        self.entries[code as usize % SLOTS]
    }

    /// Whether some stone completes a winning line, and whether some stone makes a four, each as 0 or 1.
    #[inline]
    pub(super) fn threats(&self, code: u32) -> [u64; 2] {
        let flags = u64::from(self.threats[code as usize % SLOTS]);
        [flags & 1, flags >> 1]
    }

    fn new(winning: usize) -> Self {
        // Digit by digit: the line without its first cell has a smaller code.
        let (mut own, mut empty) = (vec![0_u16; CODES], vec![(1_u16 << SIZE) - 1; CODES]);
        for code in 1..CODES {
            own[code] = own[code / 3] << 1 | u16::from(code % 3 == 1);
            empty[code] = (empty[code / 3] << 1 | u16::from(code % 3 == 0)) & ((1 << SIZE) - 1);
        }
        let cells_where = |quality: &dyn Fn(usize, usize) -> bool| -> Vec<u16> {
            let those = |code: usize| {
                let cells = bits(empty[code]).map(usize::from);
                cells.filter(|&cell| quality(code, cell)).fold(0, |mask, cell| mask | 1 << cell)
            };
            (0..CODES).map(those).collect()
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
        let (mut open_one, mut closed_one) = (vec![0; CODES], vec![0; CODES]);
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
        let entries = (0..CODES).map(|code| {
            LineShapes::new(std::array::from_fn(|cell| {
                let is_in = |masks: &[u16]| masks[code] >> cell & 1 == 1;
                order.iter().find(|(masks, _)| is_in(masks)).map_or(Shape::None, |it| it.1)
            }))
        });
        let entries: Box<[_; SLOTS]> = padded(entries);
        let threats = |entry: &LineShapes| {
            let has =
                |those: &[Shape]| (0..SIZE).any(|n| those.iter().any(|&it| it as usize == entry.shape(n)));
            u8::from(has(&[Shape::Line])) | u8::from(has(&[Shape::Four, Shape::OpenFour])) << 1
        };
        let threats = padded(entries.iter().map(threats));
        Self { entries, threats }
    }
}

/// As many of these as there are slots, and the default in the slots that are left.
#[expect(clippy::unnecessary_box_returns, reason = "too large for the stack")]
fn padded<T: Clone + Default>(entries: impl Iterator<Item = T>) -> Box<[T; SLOTS]> {
    let mut slots = vec![T::default(); SLOTS];
    slots.iter_mut().zip(entries).for_each(|(slot, entry)| *slot = entry);
    slots.into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!("there are as many slots"))
}

/// The length of the run of stones through `cell`.
fn run(stones: u16, cell: usize) -> usize {
    let before = (0..cell).rev().take_while(|&at| stones >> at & 1 == 1).count();
    let after = (cell + 1..SIZE).take_while(|&at| stones >> at & 1 == 1).count();
    before + 1 + after
}

/// The code of the line with an own stone on `cell`, which is empty.
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
        for entry in [5, 6].map(ShapeTable::get).iter().flat_map(|table| &table.entries[..CODES]) {
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
