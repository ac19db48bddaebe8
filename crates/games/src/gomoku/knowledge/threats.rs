//! Fours, and wins by nothing but fours.
//!
//! Whoever has a four threatens to complete a line with the next stone. The other color can do no better than
//! to complete one itself or to occupy the very cell: stones elsewhere don't spoil the line, for it is only
//! too long a run of the *same* color that does. So a sequence of fours leaves no choice, and one that ends
//! with two ways to complete a line is a proven win.

use super::lines::{EMPTY, LINES, LineShapes, PLACES, SEATS, Shape, ShapeTable};
use crate::Ruleset;
use crate::gomoku::{BLACK, Gomoku, WHITE};
use quintet_core::bits::bits;

/// The stones of a position as lines, seen by both colors.
#[derive(Debug, Clone)]
pub(super) struct ThreatBoard {
    table: &'static ShapeTable,
    codes: [[u32; LINES]; 2],
    /// For each color the lines that a stone completes.
    with_line: [u64; 2],
    /// For each color the lines in which a stone makes a four.
    with_four: [u64; 2],
    /// For each color the lines with a stone of it; perhaps more.
    touched: [u64; 2],
}

/// A win by fours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ThreatSequence {
    /// The first stone of the color that wins.
    pub(super) first: u8,
    /// The stones it takes that color, the last of which completes a line.
    pub(super) stones: u32,
    /// The cells on which a stone of the other color, placed before all that, may spoil it; a stone anywhere
    /// else does not.
    pub(super) refutations: u128,
}

impl ThreatBoard {
    pub(super) fn new<R: Ruleset>(position: &Gomoku<R>, table: &'static ShapeTable) -> Self {
        let mut board =
            Self { table, codes: [EMPTY; 2], with_line: [0; 2], with_four: [0; 2], touched: [0; 2] };
        for color in [BLACK, WHITE] {
            let mut rest = position.stones[color];
            while rest != 0 {
                for seat in SEATS[rest.trailing_zeros() as usize] {
                    let line = usize::from(seat.line) % LINES;
                    board.codes[color][line] += seat.power;
                    board.codes[1 - color][line] += 2 * seat.power;
                    board.touched[color] |= 1 << line;
                }
                rest &= rest - 1;
            }
        }
        for color in [BLACK, WHITE] {
            for line in bits(board.touched[color]) {
                board.mark(color, usize::from(line));
            }
        }
        board
    }

    #[inline]
    fn entry(&self, color: usize, line: usize) -> LineShapes {
        self.table.entry(self.codes[color][line])
    }

    /// Takes note of what is to be had in a line.
    #[inline]
    fn mark(&mut self, color: usize, line: usize) {
        let entry = self.entry(color, line);
        let bit = 1 << line;
        self.with_line[color] = self.with_line[color] & !bit | u64::from(entry.has_line()) << line;
        self.with_four[color] = self.with_four[color] & !bit | u64::from(entry.has_four()) << line;
    }

    #[inline]
    pub(super) fn place(&mut self, color: usize, cell: usize) {
        for seat in SEATS[cell] {
            let line = usize::from(seat.line) % LINES;
            self.codes[color][line] += seat.power;
            self.codes[1 - color][line] += 2 * seat.power;
            self.touched[color] |= 1 << line;
            self.mark(color, line);
            self.mark(1 - color, line);
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, color: usize, cell: usize) {
        for seat in SEATS[cell] {
            let line = usize::from(seat.line) % LINES;
            self.codes[color][line] -= seat.power;
            self.codes[1 - color][line] -= 2 * seat.power;
            self.mark(color, line);
            self.mark(1 - color, line);
        }
    }

    /// The sum of what the lines are worth for `color` if it is to move, less that for the other color if not.
    #[inline]
    pub(super) fn balance(&self, color: usize) -> i32 {
        self.worth(color, 0) - self.worth(1 - color, 1)
    }

    #[inline]
    fn worth(&self, color: usize, waiting: usize) -> i32 {
        let mut lines = self.touched[color];
        let mut sum = 0;
        while lines != 0 {
            let line = lines.trailing_zeros() as usize;
            lines &= lines - 1;
            sum += i32::from(self.table.worth(self.codes[color][line])[waiting]);
        }
        sum
    }

    /// Calls `see` with each cell on which a stone of `color` does something, and with the number of the
    /// shape.
    #[inline]
    pub(super) fn all_shapes(&self, color: usize, see: impl FnMut(usize, usize)) {
        self.shapes(color, self.touched[color], see);
    }

    /// Calls `see` with each cell on which a stone of `color` does something in one of these lines, and with
    /// the number of the shape.
    #[inline]
    pub(super) fn shapes(&self, color: usize, lines: u64, mut see: impl FnMut(usize, usize)) {
        let mut lines = lines;
        while lines != 0 {
            let line = lines.trailing_zeros() as usize;
            lines &= lines - 1;
            let entry = self.entry(color, line);
            let place = PLACES[line];
            let mut worthy = entry.worthy();
            while worthy != 0 {
                let n = worthy.trailing_zeros() as usize;
                worthy &= worthy - 1;
                see(usize::from(place.start) + n * usize::from(place.step), entry.shape(n));
            }
        }
    }

    /// The cells on which a stone of `color` does at least `shape` in one of these lines.
    #[inline]
    fn cells(&self, color: usize, lines: u64, least: Shape) -> u128 {
        let mut cells = 0;
        self.shapes(color, lines, |cell, shape| cells |= u128::from(shape >= least as usize) << cell);
        cells
    }

    /// The cells on which a stone of `color` completes a line.
    #[inline]
    pub(super) fn completing(&self, color: usize) -> u128 {
        if self.with_line[color] == 0 { 0 } else { self.cells(color, self.with_line[color], Shape::Line) }
    }

    /// The cells on which a stone of `color` makes a four, open or not, or completes a line.
    #[inline]
    pub(super) fn fours(&self, color: usize) -> u128 {
        self.cells(color, self.with_line[color] | self.with_four[color], Shape::Four)
    }

    /// The cells on which a stone of `color` makes a way to an open four, or more.
    #[inline]
    pub(super) fn threes(&self, color: usize) -> u128 {
        self.cells(color, self.touched[color], Shape::OpenThree)
    }

    /// Looks for a win of `color`, which is to move, by fours alone, with at most `budget` fours tried, which
    /// are taken off it.
    ///
    /// `None` says nothing: there may be one that would have taken more, or one by quieter moves.
    pub(super) fn vcf(&mut self, color: usize, budget: &mut u32) -> Option<ThreatSequence> {
        let other = 1 - color;
        let completing = self.completing(color);
        if completing != 0 {
            let first = completing.trailing_zeros() as u8;
            return Some(ThreatSequence { first, stones: 1, refutations: completing | self.fours(other) });
        }
        if self.with_four[color] == 0 {
            return None;
        }
        // What the other color would complete must be stopped, by a four.
        let must_stop = self.completing(other);
        let mut cells = self.fours(color);
        if must_stop != 0 {
            cells &= if must_stop.is_power_of_two() { must_stop } else { 0 };
        }
        if cells == 0 {
            return None;
        }
        let open = cells & self.cells(color, self.with_four[color], Shape::OpenFour);
        for cell in bits(open).chain(bits(cells & !open)) {
            if *budget == 0 {
                return None;
            }
            *budget -= 1;
            self.place(color, usize::from(cell));
            let completing = self.completing(color);
            let win = if completing.count_ones() >= 2 {
                // The other color has nothing to complete, and can stop only one of these.
                Some(ThreatSequence { first: cell, stones: 2, refutations: completing })
            } else {
                let reply = completing.trailing_zeros() as usize;
                self.place(other, reply);
                let rest = self.vcf(color, budget);
                self.remove(other, reply);
                rest.map(|rest| ThreatSequence {
                    first: cell,
                    stones: rest.stones + 1,
                    refutations: rest.refutations | completing,
                })
            };
            self.remove(color, usize::from(cell));
            if let Some(win) = win {
                // A stone of the other color here, or one that gives it a four at this time, may spoil it.
                let refutations = win.refutations | 1 << cell | self.fours(other);
                return Some(ThreatSequence { refutations, ..win });
            }
        }
        None
    }
}
