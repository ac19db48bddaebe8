//! Victory by continuous threats (VCT): fours and threes.
//!
//! A three leads to an open four: if its color were to move again, it would have a VCF. The other
//! color has to refute that VCF, and the VCF itself says where a stone may do so. So threes and
//! fours leave few replies, and a sequence that wins against all of them is a proven win. This is
//! lambda search of order two, with VCF as order one (Thomsen, "Lambda-search in game trees, with
//! application to Go", 2000).

use super::THOROUGH;
use super::threats::{ThreatBoard, ThreatSequence};
use quintet_core::bits::bits_wide;
use quintet_core::knowledge::Effort;

impl ThreatBoard {
    /// Looks for a VCT of `color`, which is to move: at most `depth` threes and fours, then a VCF.
    /// Each stone of `color` that is tried counts as a position and is deducted from `effort`.
    /// Returns the first stone.
    ///
    /// `None` proves nothing, as for [`vcf`](Self::vcf).
    pub(super) fn vct(&mut self, color: usize, depth: u32, effort: &mut Effort<'_>) -> Option<u8> {
        if let Some(win) = self.vcf_within(color, effort) {
            return Some(win.first);
        }
        if depth == 0 {
            return None;
        }
        // If the other color threatens a line, it must be stopped. Two can't be stopped.
        let to_stop = self.completing(1 - color);
        let allowed = match to_stop.count_ones() {
            0 => u128::MAX,
            1 => to_stop,
            _ => 0,
        };
        let fours = self.fours(color) & allowed;
        let threes = self.threes(color) & allowed & !fours;
        bits_wide(threes)
            .find(|&cell| self.wins_by_three(color, cell, depth, effort))
            .or_else(|| bits_wide(fours).find(|&cell| self.wins_by_four(color, cell, depth, effort)))
    }

    /// Whether a stone of `color` on `cell` is a three that wins against each refutation, with at
    /// most `depth` threes and fours in all.
    pub(super) fn wins_by_three(
        &mut self,
        color: usize,
        cell: u8,
        depth: u32,
        effort: &mut Effort<'_>,
    ) -> bool {
        if !deduct_one(effort) {
            return false;
        }
        let other = 1 - color;
        self.place(color, usize::from(cell));
        let threat = if self.completing(other) == 0 { self.vcf_within(color, effort) } else { None };
        let wins = threat.is_some_and(|threat| {
            bits_wide(threat.refutations).all(|reply| {
                self.place(other, usize::from(reply));
                let wins = self.vct(color, depth - 1, effort).is_some();
                self.remove(other, usize::from(reply));
                wins
            })
        });
        self.remove(color, usize::from(cell));
        wins
    }

    /// Whether a four of `color` on `cell` wins after the reply to it.
    fn wins_by_four(&mut self, color: usize, cell: u8, depth: u32, effort: &mut Effort<'_>) -> bool {
        if !deduct_one(effort) {
            return false;
        }
        self.place(color, usize::from(cell));
        // There is at least one cell to stop. If there are more, the next stone wins.
        let reply = self.completing(color).trailing_zeros() as usize;
        self.place(1 - color, reply);
        let wins = self.vct(color, depth - 1, effort).is_some();
        self.remove(1 - color, reply);
        self.remove(color, usize::from(cell));
        wins
    }

    /// Looks for a VCF. Tries at most `THOROUGH` fours and deducts those it tries from `effort`.
    fn vcf_within(&mut self, color: usize, effort: &mut Effort<'_>) -> Option<ThreatSequence> {
        let share = effort.positions.min(THOROUGH.into()) as u32;
        let mut left = share;
        let win = self.vcf(color, &mut left);
        effort.positions -= u64::from(share - left);
        win
    }
}

/// Deducts one position from `effort` and returns whether there was one.
fn deduct_one(effort: &mut Effort<'_>) -> bool {
    if effort.is_over() {
        effort.positions = 0;
    }
    let left = effort.positions.checked_sub(1);
    effort.positions = left.unwrap_or(0);
    left.is_some()
}
