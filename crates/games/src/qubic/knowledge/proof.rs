//! Proofs that a team wins, and the choices that they consist of.

use std::collections::HashSet;

use super::attack::{AttackGuide, next_win};
use super::cube::Cube;
use super::lines::completing;
use super::symmetry::{self, Symmetries};
use super::threats::{Sequence, Threats, attacks_to_find};
use quintet_core::bits::bits;
use quintet_core::game::{Game, Side};
use quintet_core::knowledge::Effort;
use quintet_core::solver::{Claim, DfPn};

/// The attacks that a win by threats may take where there is no choice. Most take far fewer.
pub(super) const ATTACKS: u32 = 20_000;

/// Whether a win by threats is easy to find, from wherever the position is seen, by a search that
/// remembers nothing and does not look ahead. A certificate allows fifty times as many attacks.
fn is_easy(teams: [u64; 2]) -> bool {
    const ATTACKS: u32 = 20_000;
    /// The attacks from all sides. Where they are many, another order of cells may take far more.
    const ALL_ATTACKS: u32 = 96_000;
    /// Sides that differ much come first: if the win is hard to find, it shows soon.
    const STEP: usize = 53;
    let mut left = ALL_ATTACKS;
    (0..symmetry::COUNT).all(|index| {
        let position = Cube { marks: teams };
        let [own, other] = Symmetries::get().image(STEP * index % symmetry::COUNT, &position).marks;
        let found = attacks_to_find(own, other, ATTACKS.min(left));
        left -= found.unwrap_or(0);
        found.is_some()
    })
}

/// The attacks of a search where nothing else is known.
const MAX_ATTACKS: u32 = 1_000_000;

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
        Self { attackers, search: DfPn::new(AttackGuide, Claim::win(attackers), memory) }
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

    /// The choices from `position` on, which is proven to be won. `None` if the effort is spent.
    pub(super) fn choices(&mut self, position: &Cube, effort: Effort) -> Option<Choices> {
        let attackers = self.attackers;
        let choose = |position: &Cube| self.winning_cell(position, effort);
        Walk::new(attackers, choose, effort).for_others().run(position)
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
        self.known_wins(position).fold(0, |set, cell| set | 1 << cell)
    }

    /// The cells after whose mark the table says that the attackers win.
    fn known_wins(&self, position: &Cube) -> impl Iterator<Item = u8> {
        let symmetries = Symmetries::get();
        let hashes = symmetries.hashes(position);
        let after = move |cell| symmetries.canonical_after(position, &hashes, cell);
        bits(position.blank()).filter(move |&cell| self.search.known(&after(cell)) == Some(true))
    }

    /// A cell that is proven to win in the canonical `position`.
    pub(super) fn winning_cell(&mut self, position: &Cube, effort: Effort) -> Option<u8> {
        let known = self.known_wins(position).next();
        if known.is_some() {
            return known;
        }
        if self.search.known(position) != Some(true) {
            let [own, other] = position.teams(self.attackers);
            if let Some(threats) = Threats::find(own, other, u64::MAX, MAX_ATTACKS) {
                return Some(threats.first() as u8);
            }
        }
        // What the table has lost is proven again.
        self.search.forget(position);
        self.search.decide(position, effort).filter(|&wins| wins)?;
        self.known_wins(position).next()
    }
}

/// A walk over all positions to which the defenders can lead the attackers.
///
/// Some wins by threats are known from the position before: what is left of a win after its first
/// attack, and a win that the last reply does not spoil. If the attackers do not find them again, since
/// the same position seen from another side may take many more attacks, they have a choice there: the
/// next attack.
pub(super) struct Walk<'a, F> {
    attackers: Side,
    /// The cell that the attackers mark in a position where they have a choice.
    choose: F,
    /// Whether the choices are for a reader who searches for wins by threats in another way than the
    /// attackers do. Then there is a choice at each attack too, as long as the win is not easy to find.
    is_for_others: bool,
    /// When to give up; the number of positions does not matter.
    effort: Effort<'a>,
    seen: HashSet<Cube>,
    choices: Choices,
}

impl<'a, F: FnMut(&Cube) -> Option<u8>> Walk<'a, F> {
    pub(super) fn new(attackers: Side, choose: F, effort: Effort<'a>) -> Self {
        let (seen, choices) = (HashSet::new(), Vec::new());
        Self { attackers, choose, is_for_others: false, effort, seen, choices }
    }

    /// The same walk with choices for a reader who searches in another way.
    pub(super) fn for_others(self) -> Self {
        Self { is_for_others: true, ..self }
    }

    /// The choices from `position` on; `None` if there is a position without one, or the effort is
    /// spent.
    pub(super) fn run(mut self, position: &Cube) -> Option<Choices> {
        if position.side_to_move() == self.attackers {
            self.visit(position, None)
        } else {
            self.visit_all(position, None)
        }?;
        Some(self.choices)
    }

    /// Visits the positions after all moves of the defenders. `left` is what may be left of a win by
    /// threats.
    fn visit_all(&mut self, position: &Cube, left: Option<&Sequence>) -> Option<()> {
        let (position, image) = Symmetries::get().canonical_with_cells(position);
        let [own, other] = position.teams(self.attackers);
        let left = left.map(|left| left.map(|cell| image[usize::from(cell)]));
        let next = next_win(own, other);
        // Any other reply lets the attackers complete a line.
        let to_stop = completing(own) & position.blank();
        let replies = if to_stop == 0 { position.blank() } else { to_stop & to_stop.wrapping_neg() };
        bits(replies).try_for_each(|reply| {
            let known = [&left, &next].into_iter().flatten().find(|it| it.wins(own, other | 1 << reply));
            self.visit(&position.with(reply), known)
        })
    }

    /// Visits a position where the attackers are to move. `known` is a win by threats.
    fn visit(&mut self, position: &Cube, known: Option<&Sequence>) -> Option<()> {
        let (position, image) = Symmetries::get().canonical_with_cells(position);
        if !self.seen.insert(position) {
            return Some(());
        }
        if self.effort.is_over() {
            return None;
        }
        let [own, other] = position.teams(self.attackers);
        let to_stop = completing(other) & position.blank();
        // Others may stop a line before they look for a win.
        let may_end = !self.is_for_others || to_stop == 0 || completing(own) & position.blank() != 0;
        if self.is_for_others && may_end && is_easy([own, other]) {
            return Some(());
        }
        let found = match (may_end, self.is_for_others) {
            (false, _) => None,
            (true, false) => Threats::find(own, other, u64::MAX, ATTACKS),
            (true, true) => Threats::find_shortest(own, other, ATTACKS),
        };
        if let Some(threats) = found {
            let (attack, left) = threats.sequence().split_first()?;
            if self.is_for_others {
                self.choices.push((position, attack));
                return self.visit_all(&position.with(attack), Some(&left));
            }
            // Without a reply, there are two lines to stop, or a line is complete.
            return threats
                .forced
                .first()
                .map_or(Some(()), |&(_, reply)| self.visit(&position.with(attack).with(reply), Some(&left)));
        }
        let known = known.and_then(|known| known.map(|cell| image[usize::from(cell)]).split_first());
        let cell = if to_stop == 0 {
            let cell = match &known {
                Some((attack, _)) => *attack,
                None => (self.choose)(&position)?,
            };
            self.choices.push((position, cell));
            cell
        } else {
            to_stop.trailing_zeros() as u8
        };
        let left = known.filter(|(attack, _)| *attack == cell).map(|(_, left)| left);
        self.visit_all(&position.with(cell), left.as_ref())
    }
}
