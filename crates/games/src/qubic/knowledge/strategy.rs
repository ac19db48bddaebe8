//! The strategy by which team X wins from the start.
//!
//! Patashnik (1980) and Allis and Schoo (1992) proved that the first player wins. The roles change
//! nothing: a team can mark every blank cell in its turn, so the strategy serves both rulesets.
//!
//! In most positions the strategy is to stop a line or to win by threats, which a search finds. A
//! table has the cell to mark in the others that X gets to.

use std::collections::HashSet;

use super::cube::Cube;
use super::lines::completing;
use super::proof::{ATTACKS, Choices, Proof, Walk};
use super::symmetry::Symmetries;
use super::threats::Threats;
use quintet_core::StaticMap;
use quintet_core::bits::bits;
use quintet_core::game::{Game, Side};
use quintet_core::knowledge::Effort;

/// For the positions in which X needs the table, by their [key](Game::key): the cell to mark. The
/// positions are the [canonical](Symmetries::canonical) ones. Other positions have any cell.
///
/// Made by the example `qubic_strategy`.
static CELLS: StaticMap = StaticMap::new(include_bytes!("strategy.bin"));

/// What X does in the canonical `position`, where it is to move, by the strategy: it wins by
/// threats, stops a line, or marks the cell of the table. The cell means nothing if X does not get
/// to that position by the strategy.
fn choice(position: &Cube) -> u8 {
    forced(position).unwrap_or_else(|| CELLS.get(position.key()))
}

/// The cell that X marks in a position in which it needs no table.
fn forced(position: &Cube) -> Option<u8> {
    let [own, other] = position.marks;
    if let Some(threats) = Threats::find(own, other, u64::MAX, ATTACKS) {
        return Some(threats.first() as u8);
    }
    let to_stop = completing(other) & position.blank();
    (to_stop != 0).then_some(to_stop.trailing_zeros() as u8)
}

/// The cells that X may mark in `position` by the strategy, which are symmetric to each other.
/// `None` if it is not X's turn, or X does not get there by the strategy, so that it is not known to
/// win.
pub(super) fn winning_cells(position: &Cube) -> Option<u64> {
    let leads = position.team() == 0 && Paths::to(position).leads_from(&Cube::initial());
    leads.then(|| choices(position, position.blank()))
}

/// Whether X has just marked a cell by the strategy, so that it wins.
pub(super) fn has_been_followed(position: &Cube) -> bool {
    let [x, o] = position.marks;
    position.team() == 1
        && bits(x).any(|cell| {
            let before = Cube { marks: [x & !(1 << cell), o] };
            choices(&before, 1 << cell) != 0 && Paths::to(&before).leads_from(&Cube::initial())
        })
}

/// Which of the blank `cells` are symmetric to the choice of the strategy.
fn choices(position: &Cube, cells: u64) -> u64 {
    let symmetries = Symmetries::get();
    let canonical = symmetries.canonical(position);
    let cell = choice(&canonical);
    if canonical.blank() >> cell & 1 == 0 {
        return 0;
    }
    let after = symmetries.canonical(&canonical.with(cell));
    let hashes = symmetries.hashes(position);
    let is_alike = |&cell: &u8| symmetries.canonical_after(position, &hashes, cell) == after;
    bits(cells).filter(is_alike).fold(0, |set, cell| set | 1 << cell)
}

/// A search for an order of the marks of a position in which X has followed the strategy.
///
/// Every position on such a path is one of the strategy, as it starts with one and the strategy has
/// an answer to all that the other team can do. So it does not matter that the table has a cell for
/// other positions too.
struct Paths {
    goal: Cube,
    /// The positions from which no such path leads to the goal.
    dead: HashSet<Cube>,
}

/// The most positions without a path that a search for one visits. Where X has followed its strategy,
/// it visits few: the next mark of X has to be one of the goal's.
const DEAD_ENDS: usize = 2_000;

impl Paths {
    fn to(goal: &Cube) -> Self {
        Self { goal: *goal, dead: HashSet::new() }
    }

    fn leads_from(&mut self, position: &Cube) -> bool {
        if *position == self.goal {
            return true;
        }
        let [x, o] = self.goal.marks;
        if self.dead.len() >= DEAD_ENDS || self.dead.contains(position) {
            return false;
        }
        let found = bits(choices(position, position.blank() & x)).any(|cell| {
            let next = position.with(cell);
            // Had the other team not stopped a line, X would have completed it next.
            let to_stop = completing(next.marks[0]) & next.blank();
            let is_last = next.marks[0] == x;
            let replies = if to_stop == 0 || is_last { next.blank() } else { to_stop };
            bits(o & replies).any(|reply| self.leads_from(&next.with(reply)))
        });
        if !found {
            self.dead.insert(*position);
        }
        found
    }
}

/// The choices of the strategy from `position` on, to which X has got by following it. `None` if the
/// effort is spent.
pub(super) fn choices_from(position: &Cube, effort: Effort) -> Option<Choices> {
    let choose = |position: &Cube| Some(CELLS.get(position.key()));
    Walk::new(Side::First, choose, effort).for_others().run(position)
}

/// Proves that X wins from the start: a mark in a corner wins against each reply. `watch` gets every
/// reply and the positions so far when it is done. Returns the bytes of the table; `None` if some
/// reply is not refuted.
pub fn prove_start(memory: usize, mut watch: impl FnMut(u8, u64)) -> Option<Vec<u8>> {
    /// X's first mark.
    const FIRST: u8 = 0;
    /// One reply of each class, the hardest first. One search for all would hop between them.
    const REPLIES: [u8; 12] = [21, 1, 15, 63, 3, 5, 6, 7, 22, 23, 27, 31];
    let mut proof = Proof::new(Side::First, memory);
    for reply in REPLIES {
        let position = Cube::initial().with(FIRST).with(reply);
        proof.decide(&position, Effort::UNLIMITED).filter(|&wins| wins)?;
        watch(reply, proof.positions());
    }
    let choose = |position: &Cube| {
        if *position == Cube::initial() {
            return Some(FIRST);
        }
        proof.winning_cell(position, Effort::UNLIMITED)
    };
    let choices = Walk::new(Side::First, choose, Effort::UNLIMITED).run(&Cube::initial())?;
    let pairs: Vec<(u64, u8)> = choices.iter().map(|(position, cell)| (position.key(), *cell)).collect();
    Some(StaticMap::build(&pairs, 6))
}

/// Tries to refute each reply to a first mark of X on `first`: of each class of replies the one with the
/// lowest cell, within `positions` positions. `watch` gets the reply, whether it is refuted, and the
/// positions so far.
pub fn try_first(first: u8, memory: usize, positions: u64, mut watch: impl FnMut(u8, bool, u64)) {
    let start = Cube::initial().with(first);
    let mut classes = HashSet::new();
    let mut proof = Proof::new(Side::First, memory);
    for reply in bits(start.blank()) {
        let position = start.with(reply);
        if classes.insert(Symmetries::get().canonical(&position)) {
            let effort = Effort { positions, ..Effort::UNLIMITED };
            watch(reply, proof.decide(&position, effort) == Some(true), proof.positions());
        }
    }
}
