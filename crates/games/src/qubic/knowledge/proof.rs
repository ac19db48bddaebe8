//! Proofs that a team wins, and the choices that they consist of.

use std::collections::HashSet;

use super::attack::AttackGuide;
use super::cube::Cube;
use super::lines::completing;
use super::symmetry::Symmetries;
use super::threats::Threats;
use quintet_core::bits::bits;
use quintet_core::game::{Game, Side};
use quintet_core::knowledge::Effort;
use quintet_core::solver::{Claim, DfPn};

/// The attacks that a win by threats may take where there is no choice. Most take far fewer than
/// this, and this is far fewer than the million that a certificate allows.
const ATTACKS: u32 = 20_000;

/// The positions in which the attackers need a choice, each canonical, and the cell to mark. In the
/// others they stop a line or win by threats.
pub(super) type Choices = Vec<(Cube, u8)>;

/// A proof that a team wins.
#[derive(Debug)]
pub(super) struct Proof {
    attackers: Side,
    search: DfPn<Cube, AttackGuide>,
}

impl Proof {
    /// A proof that `attackers` win with at most `memory` bytes for the positions that it has met.
    pub(super) fn new(attackers: Side, memory: usize) -> Self {
        Self { attackers, search: DfPn::new(AttackGuide::new(), Claim::win(attackers), memory) }
    }

    /// The number of positions judged so far.
    pub(super) const fn positions(&self) -> u64 {
        self.search.positions()
    }

    /// Whether the attackers win from `position`, if that is found out. `Some(false)` says only that
    /// no way to win is left to try.
    pub(super) fn decide(&mut self, position: &Cube, effort: Effort) -> Option<bool> {
        self.search.decide(&Symmetries::get().canonical(position), effort)
    }

    /// The choices from `position` on, which is proven to be won. The attackers mark `first` there,
    /// if that is given. `None` if the effort is spent.
    pub(super) fn choices(&mut self, position: &Cube, first: Option<u8>, effort: Effort) -> Option<Choices> {
        let start = Symmetries::get().canonical(position);
        let attackers = self.attackers;
        let choose = |position: &Cube| match first {
            Some(cell) if *position == start => Some(cell),
            _ => self.winning_cell(position, effort),
        };
        Walk { attackers, choose, seen: HashSet::new(), choices: Vec::new() }.run(position)
    }

    /// The cells that are known to win in `position`, where the attackers are to move.
    pub(super) fn winning_cells(&self, position: &Cube) -> u64 {
        if position.side_to_move() != self.attackers {
            return 0;
        }
        let [own, other] = position.teams(self.attackers);
        if let Some(threats) = Threats::find(own, other, u64::MAX, ATTACKS) {
            return 1 << threats.first();
        }
        let symmetries = Symmetries::get();
        let images = symmetries.images(position);
        let wins = |&cell: &u8| {
            self.search.known(&symmetries.canonical_after(position, &images, cell)) == Some(true)
        };
        bits(position.blank()).filter(wins).fold(0, |set, cell| set | 1 << cell)
    }

    /// A cell that is proven to win in the canonical `position`.
    fn winning_cell(&mut self, position: &Cube, effort: Effort) -> Option<u8> {
        let symmetries = Symmetries::get();
        let images = symmetries.images(position);
        let find = |search: &DfPn<Cube, AttackGuide>| {
            let wins =
                |&cell: &u8| search.known(&symmetries.canonical_after(position, &images, cell)) == Some(true);
            bits(position.blank()).find(wins)
        };
        // What the table has lost is proven again.
        find(&self.search).or_else(|| {
            self.search.decide(position, effort).filter(|&wins| wins)?;
            find(&self.search)
        })
    }
}

/// A walk over all positions to which the defenders can lead the attackers.
struct Walk<F> {
    attackers: Side,
    /// The cell that the attackers mark in a position where they have a choice.
    choose: F,
    seen: HashSet<Cube>,
    choices: Choices,
}

impl<F: FnMut(&Cube) -> Option<u8>> Walk<F> {
    fn run(mut self, position: &Cube) -> Option<Choices> {
        if position.side_to_move() == self.attackers {
            self.visit(position)
        } else {
            self.visit_all(position)
        }?;
        Some(self.choices)
    }

    /// Visits the positions after all moves of the defenders.
    fn visit_all(&mut self, position: &Cube) -> Option<()> {
        bits(position.blank()).try_for_each(|reply| self.visit(&position.with(reply)))
    }

    fn visit(&mut self, position: &Cube) -> Option<()> {
        let position = Symmetries::get().canonical(position);
        if !self.seen.insert(position) {
            return Some(());
        }
        let [own, other] = position.teams(self.attackers);
        if Threats::find(own, other, u64::MAX, ATTACKS).is_some() {
            return Some(());
        }
        let to_stop = completing(other) & position.blank();
        let cell = if to_stop == 0 {
            let cell = (self.choose)(&position)?;
            self.choices.push((position, cell));
            cell
        } else {
            to_stop.trailing_zeros() as u8
        };
        self.visit_all(&position.with(cell))
    }
}
