//! The lines of Qubic, all processed at once.
//!
//! A cell has three coordinates of two bits each. Along a line some of them run from 0 to 3 or from
//! 3 to 0. In other words, the cells of a line are any one of them with its running coordinates XOR
//! 0, 1, 2 and 3. So the three other cells of a line through a cell are found by XOR, whichever way
//! the line runs. For a set of cells in a 64-bit word, XOR is a swap of neighboring blocks of
//! bits: a few operations process the lines in one direction through all cells.

use crate::qubic::LINES;

/// The directions: which coordinates run. XOR with a direction moves one step along a line, XOR
/// with two or three times the direction two or three steps.
pub(super) const DIRECTIONS: [usize; 7] = {
    const COLUMN: usize = 1;
    const ROW: usize = 1 << 2;
    const LEVEL: usize = 1 << 4;
    [COLUMN, ROW, LEVEL, COLUMN + ROW, COLUMN + LEVEL, ROW + LEVEL, COLUMN + ROW + LEVEL]
};

/// The cells that a line in each direction goes through. A line starts at a face of the cube, so
/// its running coordinates are all equal or mirrored.
const ON_LINE: [u64; 7] = {
    let mut cells = [0; 7];
    const_for!(0..LINES.len(), |line| {
        let first = LINES[line].trailing_zeros() as usize;
        const_for!(0..7, |which| {
            if LINES[line] >> (first ^ DIRECTIONS[which]) & 1 == 1 {
                cells[which] |= LINES[line];
            }
        });
    });
    cells
};

/// The set with every cell number `XORed` with `by`.
// Shifts are fast only with constant directions.
#[inline(always)]
fn shifted(set: u64, by: usize) -> u64 {
    // Always in this order, so that the compiler shares common steps between shifts.
    let set = flipped::<0>(set, by);
    let set = flipped::<2>(set, by);
    let set = flipped::<4>(set, by);
    let set = flipped::<1>(set, by);
    let set = flipped::<3>(set, by);
    flipped::<5>(set, by)
}

/// The set with one bit of every cell number flipped, if that bit is set in `by`.
#[inline(always)]
fn flipped<const BIT: usize>(set: u64, by: usize) -> u64 {
    if by >> BIT & 1 == 0 {
        return set;
    }
    // The cells whose number has the bit clear.
    let clear = const { u64::MAX / ((1 << (1 << BIT)) + 1) };
    set >> (1 << BIT) & clear | (set & clear) << (1 << BIT)
}

/// The set shifted by one, two and three steps in a direction: a cell is in a result if that other
/// cell of its line is in the set.
#[inline(always)]
fn others(set: u64, direction: usize) -> [u64; 3] {
    [shifted(set, direction), shifted(set, 2 * direction), shifted(set, 3 * direction)]
}

/// Repeats the block for each direction, with its index, its value and its [`ON_LINE`] as
/// constants.
macro_rules! for_each_direction {
    (|$which:ident, $direction:ident, $on_line:ident| $block:block) => {
        for_each_direction!([0 1 2 3 4 5 6] $which $direction $on_line $block)
    };
    ([$($number:literal)*] $which:ident $direction:ident $on_line:ident $block:block) => {
        $({
            let ($which, $direction, $on_line) = ($number, DIRECTIONS[$number], ON_LINE[$number]);
            $block
        })*
    };
}

/// The cells whose three other cells on some line are all in `marks`; the blank ones complete a
/// line.
#[inline]
pub(super) fn completing(marks: u64) -> u64 {
    let mut found = 0;
    for_each_direction!(|_which, direction, on_line| {
        let one = shifted(marks, direction);
        let pair = marks & one;
        found |= one & shifted(pair, 2 * direction) & on_line;
    });
    found
}

/// The cells on which a team makes three in a line, which the other team has to stop.
pub(super) struct Attacks {
    /// `replies[which][step]`: the blank cells with a line in that direction that has two marks of
    /// the team and, `step + 1` steps on, another blank cell: the other team has to reply there.
    pub(super) replies: [[u64; 3]; 7],
    /// The cells on at least one such line.
    pub(super) once: u64,
    /// The cells on at least two. Their replies are different cells, as two cells share only one
    /// line.
    pub(super) twice: u64,
}

impl Attacks {
    /// Finds the attacks of the team with these marks, given the blank cells.
    #[inline]
    pub(super) fn new(marks: u64, blank: u64) -> Self {
        let mut found = Self { replies: [[0; 3]; 7], once: 0, twice: 0 };
        for_each_direction!(|which, direction, on_line| {
            let here = blank & on_line;
            let [m1, m2, m3] = others(marks, direction);
            let [b1, b2, b3] = others(blank, direction);
            let sets = [here & m2 & m3 & b1, here & m1 & m3 & b2, here & m1 & m2 & b3];
            for set in sets {
                found.twice |= found.once & set;
                found.once |= set;
            }
            found.replies[which] = sets;
        });
        found
    }

    /// The cells where the other team has to reply to a mark on `cell`, one for each line.
    #[inline]
    pub(super) fn replies_to(&self, cell: usize) -> u64 {
        let mut cells = 0;
        for (direction, sets) in DIRECTIONS.into_iter().zip(self.replies) {
            for (step, set) in (1..).zip(sets) {
                cells |= (set >> cell & 1) << (cell ^ (step * direction));
            }
        }
        cells
    }
}

/// The blank cells on a line that has at least two of `marks` and none of `other`.
#[inline]
pub(super) fn with_two(marks: u64, other: u64) -> u64 {
    let mut found = 0;
    for_each_direction!(|_which, direction, on_line| {
        let [m1, m2, m3] = others(marks, direction);
        let [o1, o2, o3] = others(other, direction);
        found |= (m1 & m2 | m1 & m3 | m2 & m3) & !(o1 | o2 | o3) & on_line;
    });
    found & !(marks | other)
}

/// Whether some line has none of these marks, so that the other team may still complete it.
#[inline]
pub(super) fn is_line_free_of(marks: u64) -> bool {
    let free = !marks;
    let mut found = 0;
    for_each_direction!(|_which, direction, on_line| {
        let pair = free & shifted(free, direction);
        found |= pair & shifted(pair, 2 * direction) & on_line;
    });
    found != 0
}

/// The number of kinds of line, by the marks on the three cells other than a given one.
///
/// Kind 0 has no marks, kinds 1 to 3 have that many of the own team and none of the other, kinds 4
/// to 6 have one to three of the other team and none of the own. A line with marks of both teams
/// has no kind: nobody can complete it.
pub(super) const KINDS: usize = 7;

/// Calls `work` with each kind of line in each direction and the cells that have such a line.
#[inline(always)]
pub(super) fn for_each_kind(own: u64, other: u64, mut work: impl FnMut(usize, u64)) {
    let counts = |[x1, x2, x3]: [u64; 3], cells: u64| {
        let (odd, two_or_more) = (x1 ^ x2 ^ x3, x1 & x2 | x1 & x3 | x2 & x3);
        [cells & odd & !two_or_more, cells & two_or_more & !odd, cells & odd & two_or_more]
    };
    for_each_direction!(|_which, direction, on_line| {
        let [a, b] = [others(own, direction), others(other, direction)];
        let [no_a, no_b] = [a, b].map(|[x1, x2, x3]| on_line & !(x1 | x2 | x3));
        work(0, no_a & no_b);
        for (kind, cells) in (1..).zip(counts(a, no_b)) {
            work(kind, cells);
        }
        for (kind, cells) in (4..).zip(counts(b, no_a)) {
            work(kind, cells);
        }
    });
}

/// For each direction, one cell of every line in it, and its group: the cells of the directions in
/// a group don't overlap, so one count covers them all.
const SAMPLES: [(u64, usize); 7] = {
    const COLUMN: u64 = 0x1111_1111_1111_1111;
    const ROW: u64 = 0x000F_000F_000F_000F;
    const LEVEL: u64 = 0xFFFF;
    [
        (ON_LINE[0] & COLUMN, 0),
        (ON_LINE[1] & ROW, 1),
        (ON_LINE[2] & LEVEL, 2),
        (ON_LINE[3] & COLUMN << 1, 0),
        (ON_LINE[4] & COLUMN << 2, 0),
        (ON_LINE[5] & ROW << 4, 1),
        (ON_LINE[6] & COLUMN << 3, 0),
    ]
};

/// For each team, the number of lines with one mark of the team and none of the other, and with
/// two.
#[inline]
pub(super) fn ones_and_twos(marks: [u64; 2]) -> [[u32; 2]; 2] {
    let mut groups = [[[0_u64; 3]; 2]; 2];
    for_each_direction!(|which, direction, _on_line| {
        let (sample, group) = SAMPLES[which];
        let lines = marks.map(|set| {
            let [x1, x2, x3] = others(set, direction);
            (set, x1, x2, x3)
        });
        let none = lines.map(|(x0, x1, x2, x3)| sample & !(x0 | x1 | x2 | x3));
        for team in 0..2 {
            let (x0, x1, x2, x3) = lines[team];
            let odd = x0 ^ x1 ^ x2 ^ x3;
            let two_or_more = x0 & x1 | x2 & x3 | (x0 | x1) & (x2 | x3);
            groups[team][0][group] |= none[1 - team] & odd & !two_or_more;
            groups[team][1][group] |= none[1 - team] & two_or_more & !odd;
        }
    });
    groups.map(|team| team.map(|sets| sets.map(u64::count_ones).iter().sum()))
}
