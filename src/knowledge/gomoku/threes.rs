//! Wins by fours and threes.
//!
//! A three is a stone after which its color, were it to move again, would win by fours. The other color has to spoil
//! that win, and the win itself says where a stone may do so. So a sequence of threes and fours leaves few
//! replies, and one that wins whichever of them is played is a proven win. This is lambda search of order two,
//! with wins by fours as its order one (Thomsen, "Lambda-search in game trees, with application to Go", 2000).

use super::threats::Board;
use crate::games::bits::bits;

impl Board {
    /// Looks for a win of `color`, which is to move, by at most `depth` threes and fours in a row and a win by fours
    /// after them, with at most `budget` fours tried, which are taken off it. Gives the first stone.
    ///
    /// `None` says nothing, as for [`win_by_fours`](Self::win_by_fours).
    pub(super) fn win_by_threes(&mut self, color: usize, depth: u32, budget: &mut u32) -> Option<u8> {
        if let Some(win) = self.win_by_fours(color, budget) {
            return Some(win.first);
        }
        if depth == 0 {
            return None;
        }
        // What the other color would complete comes first. If it is more than one cell, all is lost.
        let to_stop = self.completing(1 - color);
        let allowed = match to_stop.count_ones() {
            0 => u128::MAX,
            1 => to_stop,
            _ => 0,
        };
        let fours = self.fours(color) & allowed;
        let threes = self.threes(color) & allowed & !fours;
        bits(threes)
            .find(|&cell| self.wins_by_three(color, cell, depth, budget))
            .or_else(|| bits(fours).find(|&cell| self.wins_by_four(color, cell, depth, budget)))
    }

    /// Whether a stone of `color` on `cell` is a three that wins against each stone that may spoil it.
    pub(super) fn wins_by_three(&mut self, color: usize, cell: u8, depth: u32, budget: &mut u32) -> bool {
        let other = 1 - color;
        self.place(color, usize::from(cell));
        let threat = if self.completing(other) == 0 { self.win_by_fours(color, budget) } else { None };
        let wins = threat.is_some_and(|threat| {
            bits(threat.spoilers).all(|reply| {
                self.place(other, usize::from(reply));
                let wins = self.win_by_threes(color, depth - 1, budget).is_some();
                self.remove(other, usize::from(reply));
                wins
            })
        });
        self.remove(color, usize::from(cell));
        wins
    }

    /// Whether a four of `color` on `cell` wins by what comes after the reply to it.
    fn wins_by_four(&mut self, color: usize, cell: u8, depth: u32, budget: &mut u32) -> bool {
        self.place(color, usize::from(cell));
        let reply = self.completing(color).trailing_zeros() as usize;
        self.place(1 - color, reply);
        let wins = self.win_by_threes(color, depth - 1, budget).is_some();
        self.remove(1 - color, reply);
        self.remove(color, usize::from(cell));
        wins
    }
}
