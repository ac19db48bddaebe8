//! Threats under `ggp`: turns, a placement and a rotation, after which the same color would win with its
//! next turn.

use super::board::PentagoBoard;
use super::lines::{COUNTS, Sums, THROUGH, add};
use crate::pentago::rollout::WIDTH;
use crate::pentago::{LINES, QUADRANT, TURNED};
use quintet_core::bits::bits;

/// `LABELS[quadrant][turns][line]`: the labels on a line's part in a quadrant after so many quarter turns
/// clockwise.
static LABELS: [[[u16; 32]; 4]; 4] = {
    let mut table = [[[0; 32]; 4]; 4];
    const_for!(0..4, |quadrant| {
        const_for!(0..32, |line| {
            let mut labels = (LINES[line] >> (9 * quadrant) & QUADRANT) as u16;
            const_for!(0..4, |turns| {
                table[quadrant][turns][line] = labels;
                labels = TURNED[1][labels as usize];
            });
        });
    });
    table
};

/// The empty labels on a line.
// Out of line, a search for threats takes half as long again.
#[inline(always)]
fn empty_on(board: &PentagoBoard, line: u8) -> u64 {
    let line = usize::from(line) % 32;
    let mut labels = 0;
    for (quadrant, of_turns) in LABELS.iter().enumerate() {
        let turns = (board.turns >> (WIDTH * quadrant + 9)) as usize % 4;
        labels |= u64::from(of_turns[turns][line]) << (WIDTH * quadrant);
    }
    labels & board.empty()
}

/// How a color could win with a turn, as masks of empty labels.
#[derive(Debug, Clone, Copy)]
struct Wins {
    /// Where a stone of the other color stops them all, unless that stone makes a line; all empty labels if
    /// there are none.
    stops: u64,
    /// Where a stone of this color completes a line, with at most one rotation.
    completing: u64,
    /// Where a stone of this color makes or keeps a line that lacks just one stone, after at most one
    /// rotation.
    near: u64,
}

impl Wins {
    /// The wins of both colors; `near` is of use only with `NEAR`.
    #[inline(always)]
    fn of<const NEAR: bool>(board: &PentagoBoard) -> [Self; 2] {
        let all = board.empty();
        let mut wins = [Self { stops: all, completing: 0, near: 0 }; 2];
        let at = |color: usize, quadrant: usize, turns: u64| {
            COUNTS[quadrant][((board.stones[color] | turns) >> (WIDTH * quadrant)) as usize % 2048]
        };
        // For each color, the sums over all quadrants and over all but one.
        let mut whole = [[0; 3]; 2];
        let mut rests = [[[0; 3]; 4]; 2];
        for color in 0..2 {
            let turns = board.turns;
            let [a, b, c, d] =
                [at(color, 0, turns), at(color, 1, turns), at(color, 2, turns), at(color, 3, turns)];
            let (left, right) = (add([a[0], a[1], 0], b), add([c[0], c[1], 0], d));
            rests[color] = [add(right, b), add(right, a), add(left, d), add(left, c)];
            whole[color] = add(rests[color][0], a);
        }
        let mut take = |[red, black]: [Sums; 2], through: u32, after: &PentagoBoard| {
            let is_open = [!(black[0] | black[1] | black[2]), !(red[0] | red[1] | red[2])];
            let five = [red[0] & red[2] & through, black[0] & black[2] & through];
            for (color, [ones, twos, fours]) in [red, black].into_iter().enumerate() {
                let open = is_open[color] & through;
                let wins = &mut wins[color];
                // Lines of both colors are a draw.
                let is_win = five[1 - color] == 0;
                if five[color] != 0 {
                    wins.near = all;
                    if is_win {
                        wins.stops = 0;
                    }
                }
                for line in bits(open & fours & !ones) {
                    let label = empty_on(after, line);
                    wins.near = all;
                    wins.completing |= label;
                    if is_win {
                        wins.stops &= label;
                    }
                }
                if NEAR && wins.near != all {
                    for line in bits(open & !fours & twos & ones) {
                        wins.near |= empty_on(after, line);
                    }
                }
            }
        };
        take(whole, u32::MAX, board);
        for rotation in 0..PentagoBoard::ROTATIONS {
            let quadrant = rotation / 2;
            let after = board.rotated(rotation);
            let sums = [
                add(rests[0][quadrant], at(0, quadrant, after.turns)),
                add(rests[1][quadrant], at(1, quadrant, after.turns)),
            ];
            take(sums, THROUGH[quadrant], &after);
        }
        wins
    }
}

/// The labels of the stones of `color` that threaten to win after this rotation and leave the other color no
/// win. A few may threaten nothing, and a few threats may be missing, where lines of both colors come
/// together. The color can't win with this turn, and at least three cells are empty.
#[inline]
pub(super) fn attacks(board: &PentagoBoard, color: usize, rotation: usize) -> u64 {
    let after = board.rotated(rotation);
    if after.has_line(1 - color) {
        return 0;
    }
    let wins = Wins::of::<true>(&after);
    wins[color].near & wins[1 - color].stops
}

/// The labels of all stones of `color` that, before this rotation, leave the other color no win: neither by
/// the rotation nor with its next turn. The color can't win with this turn, and at least three cells are
/// empty.
#[inline]
pub(super) fn defenses(board: &PentagoBoard, color: usize, rotation: usize) -> u64 {
    let other = 1 - color;
    let after = board.rotated(rotation);
    let is_lost = after.has_line(other);
    if is_lost && after.has_line(color) {
        return board.empty();
    }
    let wins = Wins::of::<false>(&after);
    let mut found = if is_lost { 0 } else { wins[other].stops };
    // A line of this color may make a draw of a win.
    for label in bits(wins[color].completing & !found) {
        let label = 1 << label;
        let after = after.placed(color, label);
        let is_lost = if after.has_line(other) { !after.has_line(color) } else { after.wins_by_turn(other) };
        if !is_lost {
            found |= label;
        }
    }
    found
}
