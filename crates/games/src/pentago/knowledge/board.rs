//! A board for table lookups, with fast queries about lines.

use crate::pentago::rollout::{ROTATIONS, WIDTH, by_turns, labels};
use crate::pentago::{LINES, QUADRANT};
use quintet_core::bits::bits;

/// The state of the 32 lines for the stones of one color in one quadrant; a bit for each line.
///
/// A line that misses the quadrant has all three bits set.
#[derive(Clone, Copy)]
struct Part {
    /// All of the line's cells in this quadrant have stones.
    filled: u32,
    /// At most one of these cells has no stone; includes the `filled` lines.
    near: u32,
    /// None of these cells has a stone, so the other color can still fill the line.
    open: u32,
}

/// `PARTS[quadrant][turns << 9 | labels]`: the part of these labels after `turns` quarter turns
/// clockwise.
static PARTS: [[Part; 2048]; 4] = {
    let mut of_cells = [[Part { filled: 0, near: 0, open: 0 }; 512]; 4];
    const_for!(0..4 * 512, |index| {
        let (quadrant, cells) = (index / 512, index % 512);
        let part = &mut of_cells[quadrant][cells];
        const_for!(0..32, |line| {
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
        });
    });
    by_turns(&of_cells)
};

/// Stones under fixed labels, and the number of quarter turns of each quadrant since labels equaled
/// cells.
///
/// Each quadrant has sixteen bits of a word: nine for labels, and above them the number of quarter
/// turns, of which two bits count. So a rotation is an addition.
#[derive(Debug, Clone, Copy)]
pub(super) struct PentagoBoard {
    /// The labels with red and with black stones.
    pub(super) stones: [u64; 2],
    /// The quarter turns clockwise.
    pub(super) turns: u64,
}

/// The mask of a cell's label on an unturned board.
#[inline]
pub(super) const fn label(cell: u8) -> u64 {
    1 << (WIDTH * (cell as usize / 9) + cell as usize % 9)
}

/// All labels.
pub(super) const ALL_LABELS: u64 = 0x01FF_01FF_01FF_01FF;

// Out of line, rollouts take a third longer.
impl PentagoBoard {
    /// The number of rotations.
    pub(super) const ROTATIONS: usize = 8;

    /// An unturned board with these stones.
    #[inline]
    pub(super) fn new(stones: [u64; 2]) -> Self {
        Self { stones: [labels(stones[0]), labels(stones[1])], turns: 0 }
    }

    /// The board after rotation `rotation`, 0..8, in the order of the moves.
    #[inline(always)]
    pub(super) fn rotated(self, rotation: usize) -> Self {
        Self { turns: self.turns.wrapping_add(ROTATIONS[rotation % Self::ROTATIONS]), ..self }
    }

    /// The board with one more stone.
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
    fn part(&self, color: usize, quadrant: usize) -> &'static Part {
        &PARTS[quadrant][((self.stones[color & 1] | self.turns) >> (WIDTH * quadrant)) as usize % 2048]
    }

    #[inline(always)]
    fn parts(&self, color: usize) -> [&'static Part; 4] {
        // Spelled out: `map` would not be inlined.
        [self.part(color, 0), self.part(color, 1), self.part(color, 2), self.part(color, 3)]
    }

    /// Whether this color has a line.
    #[inline(always)]
    pub(super) fn has_line(&self, color: usize) -> bool {
        let [a, b, c, d] = self.parts(color);
        a.filled & b.filled & c.filled & d.filled != 0
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
        let labels = bits(self.empty()).map(|label| 1 << label);
        labels
            .filter(|&label| self.placed(color, label).has_line(color))
            .fold(0, |found, label| found | label)
    }

    /// The lines that lack at most one stone. The four parts of the board are given as two pairs.
    #[inline(always)]
    fn one_missing([a, b]: [&Part; 2], [c, d]: [&Part; 2]) -> u32 {
        let (first, second) = (a.filled & b.filled, c.filled & d.filled);
        (a.filled & b.near | a.near & b.filled) & second | first & (c.filled & d.near | c.near & d.filled)
    }

    /// Whether this color, about to place a stone and then rotate a quadrant, can win by the stone
    /// alone, or by both without a line for the other color. No color has a line yet.
    ///
    /// On the board rotated without the stone, a line that needs the stone lacks just that one. If
    /// the rotated board already has a line, the stone may go anywhere. If the stone fills the
    /// board, there is no rotation.
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
