//! Fours, and victory by continuous fours (VCF).
//!
//! A four threatens to complete a line with the next stone. The other color must complete a line
//! itself or occupy that cell: a stone elsewhere does not spoil the line, since only a longer run
//! of the *same* color would. So each four leaves a single reply, and a sequence of fours that ends
//! with two ways to complete a line is a proven win.

use super::lines::{CELLS_OF, EMPTY, LINES, LINES_OF, LinePlace, LineShapes, PLACES, Shape, ShapeTable};
use crate::Ruleset;
use crate::gomoku::{BLACK, CELLS, Gomoku, WHITE};
use quintet_core::bits::{bits, bits_wide};

/// The stones of a position as lines, seen by both colors.
#[derive(Debug, Clone)]
pub(super) struct ThreatBoard {
    table: &'static ShapeTable,
    codes: [[u32; LINES]; 2],
    marks: Marks,
    /// By color, the lines with a stone of that color, and perhaps some whose stones were removed.
    touched: [u64; 2],
    /// The exclusive or of the keys of all stones.
    hash: u64,
}

/// The lines with threats.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marks {
    /// By color, the lines in which one stone completes a winning line.
    with_line: [u64; 2],
    /// By color, the lines in which one stone makes a four.
    with_four: [u64; 2],
}

/// By color and cell, the key of a stone: the output of `SplitMix64` (Steele, Lea and Flood 2014).
static KEYS: [[u64; CELLS]; 2] = {
    let mut keys = [[0; CELLS]; 2];
    let mut n = 0;
    while n < 2 * CELLS {
        let mixed = (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        keys[n / CELLS][n % CELLS] = mixed ^ mixed >> 31;
        n += 1;
    }
    keys
};

/// The positions that are known to have no VCF, as many as there are slots, a power of two. A position that
/// is taken for another is only a VCF that is not found.
#[derive(Debug)]
pub(super) struct FailedTable<S = Box<[u64]>>(S);

impl FailedTable {
    const SLOTS: usize = 1 << 14;
    /// The memory of a table, in bytes.
    pub(super) const BYTES: usize = size_of::<u64>() * Self::SLOTS;
}

impl Default for FailedTable {
    fn default() -> Self {
        Self(vec![0; Self::SLOTS].into_boxed_slice())
    }
}

impl<S: AsRef<[u64]> + AsMut<[u64]>> FailedTable<S> {
    #[inline]
    fn slot(&self, key: u64) -> usize {
        (key >> 40) as usize & (self.0.as_ref().len() - 1)
    }

    #[inline]
    fn has(&self, key: u64) -> bool {
        self.0.as_ref()[self.slot(key)] == key
    }

    #[inline]
    fn add(&mut self, key: u64) {
        let slot = self.slot(key);
        self.0.as_mut()[slot] = key;
    }
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
        let mut board = Self { table, codes: [EMPTY; 2], marks: Marks::default(), touched: [0; 2], hash: 0 };
        for color in [BLACK, WHITE] {
            let mut rest = position.stones[color];
            while rest != 0 {
                board.hash ^= KEYS[color][rest.trailing_zeros() as usize];
                for place in LINES_OF[rest.trailing_zeros() as usize] {
                    let line = usize::from(place.line) % LINES;
                    board.codes[color][line] += place.power;
                    board.codes[1 - color][line] += 2 * place.power;
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

    /// Updates the marks of a line.
    #[inline]
    fn mark(&mut self, color: usize, line: usize) {
        let [has_line, has_four] = self.table.threats(self.codes[color][line]);
        let Marks { with_line, with_four } = &mut self.marks;
        let bit = 1 << line;
        with_line[color] = with_line[color] & !bit | has_line << line;
        with_four[color] = with_four[color] & !bit | has_four << line;
    }

    /// Places a stone on an empty cell, and returns the marks from before.
    #[inline]
    pub(super) fn place(&mut self, color: usize, cell: usize) -> Marks {
        let before = self.marks;
        for place in LINES_OF[cell] {
            let line = usize::from(place.line) % LINES;
            self.codes[color][line] += place.power;
            self.codes[1 - color][line] += 2 * place.power;
            self.touched[color] |= 1 << line;
            self.mark(color, line);
            self.mark(1 - color, line);
        }
        self.hash ^= KEYS[color][cell];
        before
    }

    /// Takes back the last stone placed; `before` are the marks from before.
    #[inline]
    pub(super) fn take_back(&mut self, color: usize, cell: usize, before: Marks) {
        for place in LINES_OF[cell] {
            let line = usize::from(place.line) % LINES;
            self.codes[color][line] -= place.power;
            self.codes[1 - color][line] -= 2 * place.power;
        }
        self.marks = before;
        self.hash ^= KEYS[color][cell];
    }

    /// Calls `see` with each cell on which a stone of `color` makes a shape, and with the number of
    /// the shape.
    #[inline]
    pub(super) fn all_shapes(&self, color: usize, see: impl FnMut(usize, usize)) {
        self.shapes_from(color, self.touched[color], Shape::ClosedOne, see);
    }

    /// Calls `see` with each cell on which a stone of `color` makes at least the shape `least` in one of these lines,
    /// and with the number of the shape.
    #[inline]
    fn shapes_from(&self, color: usize, lines: u64, least: Shape, mut see: impl FnMut(usize, usize)) {
        let mut lines = lines;
        while lines != 0 {
            let line = lines.trailing_zeros() as usize;
            lines &= lines - 1;
            let entry = self.entry(color, line);
            let place = PLACES[line];
            let mut those = entry.at_least(least);
            while those != 0 {
                let n = those.trailing_zeros() as usize / 4;
                those &= those - 1;
                see(usize::from(place.start) + n * usize::from(place.step), entry.shape(n));
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
        if self.marks.with_line[color] == 0 {
            0
        } else {
            self.cells(color, self.marks.with_line[color], Shape::Line)
        }
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

    /// The cells on which a stone of `color` makes a four or an open three, or two threes that can
    /// become fours.
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

    /// Those of `fours`, the cells on which `color` makes one, with a stone that may be of use later: in
    /// another line it makes a shape, stops a four to come, or lies with another of `fours`. The others only
    /// exchange two stones, and nearly no VCF needs one.
    fn useful(&self, color: usize, fours: u128) -> u128 {
        let is_useful = |cell: &u8| {
            let others = fours & !(1 << cell);
            let counts = |place: &&LinePlace| {
                let (line, n) = (usize::from(place.line) % LINES, usize::from(place.n));
                self.entry(color, line).shape(n) != Shape::None as usize
                    || self.entry(1 - color, line).shape(n) >= Shape::ClosedThree as usize
                    || CELLS_OF[line] & others != 0
            };
            // The line of the four itself counts too.
            LINES_OF[usize::from(*cell)].iter().filter(counts).count() > 1
        };
        bits_wide(fours).filter(is_useful).fold(0, |cells, cell| cells | 1 << cell)
    }

    /// Looks for a VCF of `color`, which is to move. Tries at most `budget` fours and deducts those
    /// it tries. Goes past the positions that have `failed`, and adds those that fail now.
    ///
    /// `None` proves nothing: there may be a VCF beyond the budget, or a win by quieter moves.
    pub(super) fn vcf(
        &mut self,
        color: usize,
        budget: &mut u32,
        failed: &mut FailedTable,
    ) -> Option<ThreatSequence> {
        self.search::<true, _>(color, budget, failed)
    }

    /// As [`vcf`](Self::vcf), but tries only [useful](Self::useful) fours, a fifth of all.
    pub(super) fn quick_vcf(&mut self, color: usize, budget: &mut u32) -> Option<ThreatSequence> {
        /// Enough for nearly all searches, and little to clear.
        const SLOTS: usize = 64;
        self.search::<false, _>(color, budget, &mut FailedTable([0; SLOTS]))
    }

    fn search<const ALL: bool, S: AsRef<[u64]> + AsMut<[u64]>>(
        &mut self,
        color: usize,
        budget: &mut u32,
        failed: &mut FailedTable<S>,
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
        // If the other color threatens a line, only a four that stops it will do.
        let must_stop = self.completing(other);
        let mut cells = self.fours(color);
        if must_stop != 0 {
            cells &= if must_stop.is_power_of_two() { must_stop } else { 0 };
        }
        if cells == 0 {
            return None;
        }
        let key = self.hash ^ color as u64;
        if failed.has(key) {
            return None;
        }
        if !ALL && must_stop == 0 {
            cells = self.useful(color, cells);
        }
        let open = cells & self.cells(color, self.marks.with_four[color], Shape::OpenFour);
        for cell in bits_wide(open).chain(bits_wide(cells & !open)) {
            if *budget == 0 {
                return None;
            }
            *budget -= 1;
            let before = self.place(color, usize::from(cell));
            let completing = self.completing(color);
            let win = if completing.count_ones() >= 2 {
                // The other color can't complete a line and can stop only one of these.
                Some(ThreatSequence { first: cell, stones: 2, refutations: completing })
            } else {
                let reply = completing.trailing_zeros() as usize;
                let between = self.place(other, reply);
                let rest = self.search::<ALL, _>(color, budget, failed);
                self.take_back(other, reply, between);
                rest.map(|rest| ThreatSequence {
                    first: cell,
                    stones: rest.stones + 1,
                    refutations: rest.refutations | completing,
                })
            };
            self.take_back(color, usize::from(cell), before);
            if let Some(win) = win {
                // A stone of the other color on this cell, or one that makes a four before it, may
                // refute the VCF.
                let refutations = win.refutations | 1 << cell | self.fours(other);
                return Some(ThreatSequence { refutations, ..win });
            }
        }
        // With no budget left, some fours may not have been tried to their end.
        if *budget > 0 {
            failed.add(key);
        }
        None
    }
}
