//! The board as tables see it, and quick answers about lines on it.

use crate::pentago::rollout::{ROTATIONS, WIDTH, labels};
use crate::pentago::{LINES, QUADRANT, TURNED};

/// What the stones of one color in one quadrant mean for the 32 lines; a bit for each.
///
/// A line that misses the quadrant is filled in it, and never missing or blocked.
#[derive(Clone, Copy)]
struct Part {
    /// The line's cells in this quadrant all have stones.
    filled: u32,
    /// All but at most one have: these and the `filled` ones.
    near: u32,
    /// None has, so that the other color still can fill the line.
    open: u32,
}

/// The part of each quadrant, by its labels and, above them, two bits for its quarter turns clockwise.
static PARTS: [[Part; 2048]; 4] = {
    let mut table = [[Part { filled: 0, near: 0, open: 0 }; 2048]; 4];
    let mut quadrant = 0;
    while quadrant < 4 {
        let mut cells = 0;
        while cells < 512 {
            let mut part = Part { filled: 0, near: 0, open: 0 };
            let mut line = 0;
            while line < 32 {
                let wanted = LINES[line] >> (9 * quadrant) & QUADRANT;
                let missing = wanted & !(cells as u64);
                let bit = 1 << line;
                if missing == 0 {
                    part.filled |= bit;
                }
                if missing & missing.wrapping_sub(1) == 0 {
                    part.near |= bit;
                }
                if missing == wanted {
                    part.open |= bit;
                }
                line += 1;
            }
            // These are the cells after no turn, or, turned back by one, those before one turn, and so on.
            let mut labels = cells;
            let mut turns = 0;
            while turns < 4 {
                table[quadrant][turns << 9 | labels] = part;
                labels = TURNED[1][labels] as usize;
                turns += 1;
            }
            cells += 1;
        }
        quadrant += 1;
    }
    table
};

/// Stones that lie still under labels, and how far each quadrant has been turned since labels were cells.
///
/// Each quadrant has sixteen bits of a word: nine for labels, and above them the number of quarter turns, of
/// which two bits count. Turning a quadrant so only adds a number.
#[derive(Debug, Clone, Copy)]
pub(super) struct PentagoBoard {
    /// The labels with red and with black stones.
    pub(super) stones: [u64; 2],
    /// The quarter turns clockwise.
    pub(super) turns: u64,
}

/// The mask of a cell's label on a board that has not been turned.
#[inline]
pub(super) const fn label(cell: u8) -> u64 {
    1 << (WIDTH * (cell as usize / 9) + cell as usize % 9)
}

/// All labels.
pub(super) const ALL_LABELS: u64 = 0x01FF_01FF_01FF_01FF;

#[expect(clippy::inline_always, reason = "out of line, rollouts take a third longer")]
impl PentagoBoard {
    /// The number of rotations.
    pub(super) const ROTATIONS: usize = 8;

    /// A board with these cells.
    #[inline]
    pub(super) fn new(stones: [u64; 2]) -> Self {
        Self { stones: stones.map(labels), turns: 0 }
    }

    /// The board after rotation number 0..8, in the order of the moves.
    #[inline(always)]
    pub(super) fn rotated(self, rotation: usize) -> Self {
        Self { turns: self.turns.wrapping_add(ROTATIONS[rotation % Self::ROTATIONS]), ..self }
    }

    /// The board with a stone more.
    #[inline(always)]
    pub(super) fn placed(mut self, color: usize, label: u64) -> Self {
        self.stones[color & 1] |= label;
        self
    }

    /// The labels without a stone.
    #[inline(always)]
    pub(super) fn empty(&self) -> u64 {
        ALL_LABELS & !(self.stones[0] | self.stones[1])
    }

    #[inline(always)]
    fn index(&self, color: usize, quadrant: usize) -> usize {
        ((self.stones[color & 1] | self.turns) >> (WIDTH * quadrant)) as usize % 2048
    }

    #[inline(always)]
    fn part(&self, color: usize, quadrant: usize) -> &'static Part {
        &PARTS[quadrant][self.index(color, quadrant)]
    }

    #[inline(always)]
    fn parts(&self, color: usize) -> [&'static Part; 4] {
        // Spelled out: `map` would not be inlined.
        [self.part(color, 0), self.part(color, 1), self.part(color, 2), self.part(color, 3)]
    }

    /// Whether this color has a line.
    #[inline(always)]
    pub(super) fn has_line(&self, color: usize) -> bool {
        {
            let [a, b, c, d] = self.parts(color);
            a.filled & b.filled & c.filled & d.filled != 0
        }
    }

    /// Whether this color has a line after some rotation, and the other has none.
    #[inline(always)]
    pub(super) fn wins_by_rotation(&self, color: usize) -> bool {
        let [a, b, c, d] = self.parts(color);
        let (left, right) = (a.filled & b.filled, c.filled & d.filled);
        let rest = [b.filled & right, a.filled & right, left & d.filled, left & c.filled];
        for (quadrant, rest) in rest.into_iter().enumerate() {
            if rest == 0 {
                continue;
            }
            for rotation in [2 * quadrant, 2 * quadrant + 1] {
                let after = self.rotated(rotation);
                if after.part(color, quadrant).filled & rest != 0 && !after.has_line(1 - color) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether this color has a line after one more stone.
    #[inline(always)]
    pub(super) fn wins_by_placing(&self, color: usize) -> bool {
        let [a, b, c, d] = self.parts(color);
        let near = a.near & b.near & c.near & d.near;
        if near == 0 {
            return false;
        }
        let other = self.parts(1 - color);
        let open = other[0].open & other[1].open & other[2].open & other[3].open;
        near & open & Self::one_missing([a, b], [c, d]) != 0
    }

    /// The empty labels where one more stone of this color makes a line.
    pub(super) fn completing(&self, color: usize) -> u64 {
        let mut found = 0;
        let mut rest = self.empty();
        while rest != 0 {
            let label = rest & rest.wrapping_neg();
            rest &= rest - 1;
            if self.placed(color, label).has_line(color) {
                found |= label;
            }
        }
        found
    }

    /// The lines for which at most one stone is missing in two pairs of quadrants together.
    #[inline(always)]
    fn one_missing([a, b]: [&Part; 2], [c, d]: [&Part; 2]) -> u32 {
        let (first, second) = (a.filled & b.filled, c.filled & d.filled);
        (a.filled & b.near | a.near & b.filled) & second | first & (c.filled & d.near | c.near & d.filled)
    }

    /// Whether this color, about to place a stone and then to rotate a quadrant, can win by the stone alone
    /// or by both, in the latter case with no line for the other color. No color has a line yet.
    ///
    /// A line that the stone helps to make after the rotation lacks one stone on the board that has been
    /// rotated without it; and one that needs no stone leaves the stone free. If the stone is the last, there
    /// is no rotation.
    #[inline(always)]
    pub(super) fn wins_by_turn(&self, color: usize) -> bool {
        let own @ [a, b, c, d] = self.parts(color);
        let [near_ab, near_cd] = [a.near & b.near, c.near & d.near];
        let rest_near = [b.near & near_cd, a.near & near_cd, near_ab & d.near, near_ab & c.near];
        if rest_near[0] | rest_near[1] | rest_near[2] | rest_near[3] == 0 {
            return false;
        }
        let other = self.parts(1 - color);
        let (open_ab, open_cd) = (other[0].open & other[1].open, other[2].open & other[3].open);
        if Self::one_missing([a, b], [c, d]) & open_ab & open_cd != 0 {
            return true;
        }
        let empty = self.empty();
        if empty & empty.wrapping_sub(1) == 0 {
            return false;
        }
        let rest_open = [
            other[1].open & open_cd,
            other[0].open & open_cd,
            open_ab & other[3].open,
            open_ab & other[2].open,
        ];
        for quadrant in 0..4 {
            let rest_open = rest_open[quadrant];
            if rest_near[quadrant] & rest_open == 0 {
                continue;
            }
            // The other three quadrants: nothing missing, at most one stone missing.
            let (first, second, third) = (
                own[usize::from(quadrant == 0)],
                own[if quadrant < 2 { 2 } else { 1 }],
                own[if quadrant < 3 { 3 } else { 2 }],
            );
            let full = first.filled & second.filled;
            let near =
                (first.filled & second.near | first.near & second.filled) & third.filled | full & third.near;
            let (full, near) = (full & third.filled & rest_open, near & rest_open);
            if near == 0 {
                continue;
            }
            for rotation in [2 * quadrant, 2 * quadrant + 1] {
                let after = self.rotated(rotation);
                let own = after.part(color, quadrant);
                let made = own.filled & near | own.near & full;
                if made & after.part(1 - color, quadrant).open != 0 && !after.has_line(1 - color) {
                    return true;
                }
            }
        }
        false
    }
}
