//! Fours, and victory by continuous fours (VCF).
//!
//! A four threatens to complete a line with the next stone. The other color must complete a line
//! itself or occupy that cell: a stone elsewhere does not spoil the line, since only a longer run
//! of the *same* color would. So each four leaves a single reply, and a sequence of fours that ends
//! with two ways to complete a line is a proven win.

use arrayvec::ArrayVec;

use super::lines::{
    DIGITS, EMPTY, LINES, LINES_OF, LINES_THROUGH, LineShapes, Marks, PLACES, POWERS, Shape, ShapeTable,
};
use crate::Ruleset;
use crate::gomoku::{BLACK, CELLS, Gomoku, SIZE, WHITE};
use quintet_core::bits::{bits, bits_wide};
use quintet_core::hash::mix;

/// The stones of a position as lines.
#[derive(Debug, Clone)]
pub(super) struct ThreatBoard {
    table: &'static ShapeTable,
    codes: [u32; LINES],
    marks: Marks,
    /// By color, the lines with a stone of that color, and perhaps some whose stones were removed.
    touched: [u64; 2],
    /// The exclusive or of the keys of all stones.
    hash: u64,
}

/// By color and cell, the key of a stone: the output of `SplitMix64` (Steele, Lea and Flood 2014).
static KEYS: [[u64; CELLS]; 2] = {
    let mut keys = [[0; CELLS]; 2];
    const_for!(0..2 * CELLS, |n| {
        keys[n / CELLS][n % CELLS] = mix((n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    });
    keys
};

/// The slots of a table for many searches of the positions that are known to have no VCF, a power of two.
pub(super) const FAILED_SLOTS: usize = 1 << 14;

/// The slot of a position in such a table. A position that is taken for another is only a VCF that is not
/// found.
#[inline]
const fn slot(failed: &[u64], key: u64) -> usize {
    (key >> 40) as usize & (failed.len() - 1)
}

/// A stone that makes a four.
#[derive(Clone, Copy)]
struct Four {
    cell: u8,
    line: u8,
    /// The cell's number along the line.
    n: u8,
}

/// A VCF.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ThreatSequence {
    /// The first stone of the winning color.
    pub(super) first: u8,
    /// The number of stones of that color, including the one that completes a line.
    pub(super) stones: u32,
    /// The cells on which a stone of the other color, placed before the sequence, may refute it. A
    /// stone anywhere else does not.
    pub(super) refutations: u128,
}

impl ThreatBoard {
    pub(super) fn new<R: Ruleset>(position: &Gomoku<R>, table: &'static ShapeTable) -> Self {
        let mut board = Self { table, codes: EMPTY, marks: Marks::default(), touched: [0; 2], hash: 0 };
        for color in [BLACK, WHITE] {
            for cell in bits_wide(position.stones[color]).map(usize::from) {
                board.hash ^= KEYS[color][cell];
                board.touched[color] |= LINES_THROUGH[cell];
                for place in LINES_OF[cell] {
                    board.codes[usize::from(place.line) % LINES] += place.power << color;
                }
            }
        }
        for line in bits(board.touched[BLACK] | board.touched[WHITE]) {
            let line = usize::from(line);
            board.marks.add(line, table.threats(board.codes[line]));
        }
        board
    }

    #[inline]
    fn entry(&self, color: usize, line: usize) -> LineShapes {
        self.table.shapes(self.codes[line % LINES], color)
    }

    /// Places a stone on an empty cell, and returns the marks from before.
    #[inline]
    pub(super) fn place(&mut self, color: usize, cell: usize) -> Marks {
        let before = self.marks;
        let mut marks = before.without(LINES_THROUGH[cell]);
        for place in LINES_OF[cell] {
            let line = usize::from(place.line) % LINES;
            let code = self.codes[line] + (place.power << color);
            self.codes[line] = code;
            marks.add(line, self.table.threats(code));
        }
        self.marks = marks;
        self.touched[color] |= LINES_THROUGH[cell];
        self.hash ^= KEYS[color][cell];
        before
    }

    /// Takes back the last stone placed; `before` are the marks from before.
    #[inline]
    pub(super) fn take_back(&mut self, color: usize, cell: usize, before: Marks) {
        for place in LINES_OF[cell] {
            self.codes[usize::from(place.line) % LINES] -= place.power << color;
        }
        self.marks = before;
        self.hash ^= KEYS[color][cell];
    }

    /// By color, the [`LineShapes`] of a line as bits.
    #[inline(always)]
    pub(super) fn shapes_of(&self, line: usize) -> [u64; 2] {
        self.table.bits(self.codes[line % LINES])
    }

    /// The shapes on other cells that a stone of `color` on an empty cell changes, by the color that makes them: the
    /// cell, and by how much the number of its shapes changes.
    #[inline(always)]
    pub(super) fn changes(&self, color: usize, cell: usize) -> [ArrayVec<(u8, i16), { 4 * SIZE }>; 2] {
        let mut changes = [const { ArrayVec::new_const() }; 2];
        for (place, digit) in LINES_OF[cell % CELLS].iter().zip(DIGITS) {
            let line = usize::from(place.line) % LINES;
            let code = self.codes[line] + (place.power << color);
            for (color, changes) in changes.iter_mut().enumerate() {
                let (before, after) = (self.entry(color, line), self.table.shapes(code, color));
                for bit in bits(before.differing(after, place.n.into())) {
                    let n = usize::from(bit / 4);
                    let by = after.shape(n) as i16 - before.shape(n) as i16;
                    changes.push((PLACES[line].cell(n) as u8, by * digit));
                }
            }
        }
        changes
    }

    /// Calls `see` with each cell on which a stone of `color` makes at least the shape `least` in one of
    /// these lines, and with the number of the shape.
    #[inline]
    fn shapes_from(&self, color: usize, lines: u64, least: Shape, mut see: impl FnMut(usize, usize)) {
        for line in bits(lines).map(usize::from) {
            let entry = self.entry(color, line);
            let place = PLACES[line % LINES];
            for bit in bits(entry.at_least(least)) {
                let n = usize::from(bit / 4);
                see(place.cell(n), entry.shape(n));
            }
        }
    }

    /// The cells on which a stone of `color` makes at least the shape `least` in one of these
    /// lines.
    #[inline]
    fn cells(&self, color: usize, lines: u64, least: Shape) -> u128 {
        let mut cells = 0;
        self.shapes_from(color, lines, least, |cell, _| cells |= 1 << cell);
        cells
    }

    /// The cells on which a stone of `color` completes a line.
    #[inline]
    pub(super) fn completing(&self, color: usize) -> u128 {
        self.cells(color, self.marks.with_line[color], Shape::Line)
    }

    /// The cells on which a stone of `color` makes a four, open or not, or completes a line.
    #[inline]
    pub(super) fn fours(&self, color: usize) -> u128 {
        self.cells(color, self.marks.with_line[color] | self.marks.with_four[color], Shape::Four)
    }

    /// The number of lines in which a stone of `color` makes an open four.
    pub(super) fn open_fours(&self, color: usize) -> usize {
        let is_open = |line: &u8| self.cells(color, 1 << line, Shape::OpenFour) != 0;
        bits(self.marks.with_four[color]).filter(is_open).count()
    }

    /// The cells on which a stone of `color` makes a four or an open three, or in each of two lines a closed
    /// three or an open two.
    pub(super) fn threats(&self, color: usize) -> u128 {
        let (mut threats, mut once) = (0_u128, 0_u128);
        self.shapes_from(color, self.touched[color], Shape::ClosedThree, |cell, shape| {
            let bit = 1_u128 << cell;
            if shape >= Shape::OpenThree as usize {
                threats |= bit;
            } else {
                threats |= once & bit;
                once |= bit;
            }
        });
        threats
    }

    /// The best shape that the stone of a four makes in another line.
    #[inline]
    fn best_in_other_lines(&self, color: usize, four: Four) -> usize {
        let others = LINES_OF[usize::from(four.cell) % CELLS].iter().filter(|place| place.line != four.line);
        let shapes = others.map(|place| self.entry(color, place.line.into()).shape(place.n.into()));
        shapes.fold(0, usize::max)
    }

    /// The only cell that stops a four which is not open.
    #[inline]
    fn reply(&self, color: usize, four: Four) -> usize {
        let (line, n) = (usize::from(four.line) % LINES, usize::from(four.n) % SIZE);
        let entry = self.table.shapes(self.codes[line] + (POWERS[n] << color), color);
        let n = entry.at_least(Shape::Line).trailing_zeros() as usize / 4;
        PLACES[line].cell(n)
    }

    /// The VCF by an open four or a double four: two cells complete a line, and the other color can stop
    /// only one of them.
    fn winning_four(&mut self, color: usize, first: u8) -> ThreatSequence {
        let before = self.place(color, first.into());
        let completing = self.completing(color);
        self.take_back(color, first.into(), before);
        ThreatSequence { first, stones: 2, refutations: completing | 1 << first | self.fours(1 - color) }
    }

    /// Looks for a VCF of `color`, which is to move. Tries at most `budget` fours. Goes past the positions
    /// that have `failed`, a table of a power of two of keys, and adds those that fail now.
    ///
    /// `None` proves nothing: there may be a VCF beyond the budget, or a win by quieter moves.
    pub(super) fn vcf(&mut self, color: usize, budget: u32, failed: &mut [u64]) -> Option<ThreatSequence> {
        self.search::<true>(color, &mut { budget }, failed)
    }

    /// As [`vcf`](Self::vcf), but tries only fours whose stones make a closed three, an open two or more in
    /// another line. The others only exchange two stones, and few VCFs need one.
    pub(super) fn quick_vcf(
        &mut self,
        color: usize,
        budget: u32,
        failed: &mut [u64],
    ) -> Option<ThreatSequence> {
        self.search::<false>(color, &mut { budget }, failed)
    }

    /// As [`quick_vcf`](Self::quick_vcf), with a table of its own: enough for nearly all searches, and little
    /// to clear.
    pub(super) fn small_vcf(&mut self, color: usize, budget: u32) -> Option<ThreatSequence> {
        // Most boards have nothing to start with, and need no table.
        if self.marks.with_line[color] | self.marks.with_four[color] == 0 {
            return None;
        }
        self.quick_vcf(color, budget, &mut [0; 64])
    }

    /// Deducts the fours that it tries from `budget`.
    fn search<const ALL: bool>(
        &mut self,
        color: usize,
        budget: &mut u32,
        failed: &mut [u64],
    ) -> Option<ThreatSequence> {
        let other = 1 - color;
        let completing = self.completing(color);
        if completing != 0 {
            let first = completing.trailing_zeros() as u8;
            return Some(ThreatSequence { first, stones: 1, refutations: completing | self.fours(other) });
        }
        if self.marks.with_four[color] == 0 {
            return None;
        }
        let key = self.hash ^ color as u64;
        if failed[slot(failed, key)] == key {
            return None;
        }
        // If the other color threatens a line, only a four that stops it will do.
        let forced = match self.completing(other) {
            0 => None,
            to_stop if to_stop.is_power_of_two() => Some(to_stop.trailing_zeros() as u8),
            _ => return None,
        };
        let mut fours = ArrayVec::<Four, CELLS>::new();
        for line in bits(self.marks.with_four[color]) {
            let (entry, place) = (self.entry(color, line.into()), PLACES[usize::from(line) % LINES]);
            for bit in bits(entry.at_least(Shape::Four)) {
                let n = usize::from(bit / 4);
                let four = Four { line, n: n as u8, cell: place.cell(n) as u8 };
                if forced.is_some_and(|cell| cell != four.cell) {
                    continue;
                }
                let in_others = self.best_in_other_lines(color, four);
                if entry.shape(n) >= Shape::OpenFour as usize || in_others >= Shape::Four as usize {
                    return Some(self.winning_four(color, four.cell));
                }
                if ALL || forced.is_some() || in_others >= Shape::ClosedThree as usize {
                    fours.push(four);
                }
            }
        }
        for four in fours {
            let (cell, reply) = (usize::from(four.cell), self.reply(color, four));
            let next = key ^ KEYS[color][cell % CELLS] ^ KEYS[other][reply % CELLS];
            if failed[slot(failed, next)] == next {
                continue;
            }
            if *budget == 0 {
                return None;
            }
            *budget -= 1;
            let before = self.place(color, cell);
            let between = self.place(other, reply);
            let rest = self.search::<ALL>(color, budget, failed);
            self.take_back(other, reply, between);
            self.take_back(color, cell, before);
            if let Some(rest) = rest {
                // A stone of the other color on this cell, or one that makes a four before it, may
                // refute the VCF.
                let refutations = rest.refutations | 1 << reply | 1 << cell | self.fours(other);
                return Some(ThreatSequence { first: four.cell, stones: rest.stones + 1, refutations });
            }
        }
        // With no budget left, some fours may not have been tried to their end.
        if *budget > 0 {
            failed[slot(failed, key)] = key;
        }
        None
    }
}
