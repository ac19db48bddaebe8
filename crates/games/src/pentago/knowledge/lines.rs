//! The lines of both colors, by the number of stones on them, after all rotations.

use std::ops::{BitAnd, BitOr, BitXor, Not};
use std::sync::LazyLock;

use super::board::PentagoBoard;
use crate::pentago::rollout::by_turns;
use crate::pentago::{CELLS, CELLS_OF_LINES, LINES, QUADRANT, TURNED, quadrant_of};
use quintet_core::bits::bits;

/// The number of stones on each line's part in a quadrant, 0 to 3, as two words: the low and the
/// high bits of all 32 lines. Indexed by labels and turns, as the parts of a [`PentagoBoard`].
pub(super) static COUNTS: [[[u32; 2]; 2048]; 4] = {
    let mut of_cells = [[[0; 2]; 512]; 4];
    const_for!(0..4 * 512, |index| {
        let (quadrant, cells) = (index / 512, index % 512);
        const_for!(0..32, |line| {
            let count = (LINES[line] >> (9 * quadrant) & QUADRANT & cells as u64).count_ones();
            of_cells[quadrant][cells][0] |= (count & 1) << line;
            of_cells[quadrant][cells][1] |= (count >> 1) << line;
        });
    });
    by_turns(&of_cells)
};

/// `CELLS_OF[rotation][line]`: the cells whose stones are on the line after the rotation; rotation
/// 8 stands for none.
pub(super) static CELLS_OF: [[[u8; 5]; 32]; PentagoBoard::ROTATIONS + 1] = {
    let mut table = [[[0; 5]; 32]; PentagoBoard::ROTATIONS + 1];
    const_for!(0..PentagoBoard::ROTATIONS + 1, |rotation| {
        const_for!(0..32, |line| {
            const_for!(0..5, |n| {
                let cell = CELLS_OF_LINES[line][n];
                table[rotation][line][n] = if rotation / 2 == cell as usize / 9 {
                    let back = TURNED[1 - rotation % 2][1 << (cell % 9)];
                    cell / 9 * 9 + back.trailing_zeros() as u8
                } else {
                    cell
                };
            });
        });
    });
    table
};

/// The lines through each quadrant, one bit each.
pub(super) const THROUGH: [u32; 4] = {
    let mut table = [0; 4];
    const_for!(0..32, |line| {
        const_for!(0..4, |quadrant| {
            if LINES[line] >> (9 * quadrant) & QUADRANT != 0 {
                table[quadrant] |= 1 << line;
            }
        });
    });
    table
};

/// The lines through three quadrants; the others go through two.
pub(super) const THROUGH_THREE: u32 = {
    let [a, b, c, d] = THROUGH;
    a & b & c | a & b & d | a & c & d | b & c & d
};

/// The open lines of a color, without a stone of the other color: masks of those with 1 to 5
/// stones.
pub(super) type LinesByStones = [u32; 5];

/// One bit for each of some lines.
pub(super) trait Word:
    Copy + Not<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self>
{
}

impl Word for u32 {}
impl Word for u64 {}

/// The number of stones on each line, as three words of one bit per line.
pub(super) type Sums = [u32; 3];

/// The sums with the [stones](COUNTS) of one more quadrant.
#[inline(always)]
pub(super) fn add<T: Word>([ones, twos, fours]: [T; 3], [low, high]: [T; 2]) -> [T; 3] {
    let carry = ones & low;
    [ones ^ low, twos ^ high ^ carry, fours | twos & high | carry & (twos ^ high)]
}

/// Sorts the lines of the mask `open` by the number of stones.
#[inline(always)]
pub(super) fn sorted<T: Word>([ones, twos, fours]: [T; 3], open: T) -> [T; 5] {
    let (low, fours) = (open & !fours, open & fours);
    [low & ones & !twos, low & !ones & twos, low & ones & twos, fours & !ones, fours & ones]
}

/// A bit for each line that is counted, after a rotation those through the rotated quadrant:
///
/// | words | lines |
/// |---|---|
/// | 0 and 1 | through two quadrants, after all rotations |
/// | 2 | through three quadrants, after all rotations |
/// | 3 | all on the board as it is |
pub(super) type Words = [u64; WORDS];

pub(super) const WORDS: usize = 4;
const THREE: usize = 2;
pub(super) const UNTURNED: usize = 3;

/// The lines that are counted after a rotation; rotation 8 stands for none.
const fn counted(rotation: usize) -> u32 {
    if rotation == PentagoBoard::ROTATIONS { u32::MAX } else { THROUGH[rotation / 2] }
}

/// `BIT_OF[rotation][line]`: the bit of a line that is counted, all words counted through.
const BIT_OF: [[usize; 32]; PentagoBoard::ROTATIONS + 1] = {
    let mut table = [[0; 32]; PentagoBoard::ROTATIONS + 1];
    let (mut two, mut three, mut unturned) = (0, 64 * THREE, 64 * UNTURNED);
    const_for!(0..PentagoBoard::ROTATIONS + 1, |rotation| {
        const_for!(0..32, |line| {
            if counted(rotation) >> line & 1 == 1 {
                let next = if rotation == PentagoBoard::ROTATIONS {
                    &mut unturned
                } else if THROUGH_THREE >> line & 1 == 1 {
                    &mut three
                } else {
                    &mut two
                };
                table[rotation][line] = *next;
                *next += 1;
            }
        });
    });
    table
};

/// `CELLS_ON[bit][cell]`: 1 if a stone on the cell is on the line of this bit, else 0; on the board as it is
/// for lines through two quadrants only.
pub(super) static CELLS_ON: [[u8; CELLS_IN_VECTORS]; 64 * WORDS] = {
    let mut table = [[0; CELLS_IN_VECTORS]; 64 * WORDS];
    const_for!(0..PentagoBoard::ROTATIONS + 1, |rotation| {
        let left_out = if rotation == PentagoBoard::ROTATIONS { THROUGH_THREE } else { 0 };
        const_for!(0..32, |line| {
            if (counted(rotation) & !left_out) >> line & 1 == 1 {
                const_for!(0..5, |n| {
                    table[BIT_OF[rotation][line]][CELLS_OF[rotation][line][n] as usize] = 1;
                });
            }
        });
    });
    table
};

/// What fills whole vectors.
pub(super) const CELLS_IN_VECTORS: usize = CELLS.next_power_of_two();

/// What the stones of one color in a quadrant have on the lines.
#[derive(Clone, Copy)]
#[repr(align(128))]
struct Part {
    /// The low and the high bits of the number of stones on each line, as in [`COUNTS`].
    stones: [Words; 2],
    /// After so many quarter turns, the lines with one stone or more, with two or more, with three, and with
    /// none.
    turned: [[u32; 4]; 4],
}

/// Where [`Part::turned`] has the lines without a stone.
const NONE: usize = 3;

/// `PARTS[quadrant][cells]`: the part of stones on these cells of a quadrant.
static PARTS: LazyLock<Box<[[Part; 512]; 4]>> = LazyLock::new(|| {
    let mut table = Box::new([[Part { stones: [[0; WORDS]; 2], turned: [[0; 4]; 4] }; 512]; 4]);
    for (quadrant, parts) in table.iter_mut().enumerate() {
        for (cells, part) in parts.iter_mut().enumerate() {
            let after = |turns: usize| COUNTS[quadrant][turns << 9 | cells];
            for (turns, lines) in part.turned.iter_mut().enumerate() {
                let [low, high] = after(turns);
                *lines = [low | high, high, low & high, !(low | high)];
            }
            for (n, words) in part.stones.iter_mut().enumerate() {
                for (rotation, bit_of) in BIT_OF.iter().enumerate() {
                    let turns = if rotation / 2 == quadrant { 1 + 2 * (rotation % 2) } else { 0 };
                    for line in bits(after(turns)[n] & counted(rotation)) {
                        let bit = bit_of[usize::from(line)];
                        words[bit / 64] |= 1 << (bit % 64);
                    }
                }
            }
        }
    }
    table
});

/// What the stones of two colors have on the lines.
pub(super) struct Parts {
    parts: [[&'static Part; 4]; 2],
}

impl Parts {
    #[inline]
    pub(super) fn new(stones: [u64; 2]) -> Self {
        let table = &*PARTS;
        let part = |color: usize, quadrant: usize| &table[quadrant][quadrant_of(stones[color], quadrant)];
        let parts = |color: usize| [part(color, 0), part(color, 1), part(color, 2), part(color, 3)];
        Self { parts: [parts(0), parts(1)] }
    }

    /// The lines of each color without a stone of the other color, by the number of stones, 1 to 5.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "with iterators compilers find fewer vectors")]
    pub(super) fn lines(&self) -> [[Words; 5]; 2] {
        let mut lines = [[[0; WORDS]; 5]; 2];
        for word in 0..WORDS {
            let [red, black] = [self.sum(0, word), self.sum(1, word)];
            let of_colors =
                [sorted(red, !(black[0] | black[1] | black[2])), sorted(black, !(red[0] | red[1] | red[2]))];
            for color in 0..2 {
                for n in 0..5 {
                    lines[color][n][word] = of_colors[color][n];
                }
            }
        }
        lines
    }

    /// The number of stones of a color on each line of a word.
    #[inline(always)]
    fn sum(&self, color: usize, word: usize) -> [u64; 3] {
        let parts = self.parts[color];
        let of = |quadrant: usize| [parts[quadrant].stones[0][word], parts[quadrant].stones[1][word]];
        add(add(add(add([0; 3], of(0)), of(1)), of(2)), of(3))
    }

    /// The lines that each color can still fill if quadrants are turned, by the most stones that it can have
    /// on them, 1 to 5. Each quadrant is turned so that its part of the line has no stone of the other color
    /// and the most of this color.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "with iterators compilers find fewer vectors")]
    pub(super) fn reachable(&self) -> [LinesByStones; 2] {
        let mut most = [[[0; 4]; 4]; 2];
        for stones in 0..4 {
            for quadrant in 0..4 {
                let turned = [&self.parts[0][quadrant].turned, &self.parts[1][quadrant].turned];
                for color in 0..2 {
                    for turns in 0..4 {
                        most[color][quadrant][stones] |=
                            turned[color][turns][stones] & turned[1 - color][turns][NONE];
                    }
                }
            }
        }
        [sum_of_most(&most[0]), sum_of_most(&most[1])]
    }
}

#[inline(always)]
fn sum_of_most(most: &[[u32; 4]; 4]) -> LinesByStones {
    let (mut sums, mut is_open) = ([0; 3], u32::MAX);
    for [one, two, three, none] in most {
        sums = add(sums, [one & !two | three, *two]);
        is_open &= one | none;
    }
    sorted(sums, is_open)
}
