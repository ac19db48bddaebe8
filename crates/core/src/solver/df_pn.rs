//! Depth-first proof-number search (df-pn): proves or disproves a claim about a position.

use std::fmt::{self, Debug};

use super::claim::Claim;
use super::countdown::Countdown;
use super::proof_heuristic::{LeafStatus, ProofHeuristic, Successor};
use super::proof_table::{INFINITE, Numbers};
use super::shared_table::SharedTable;
use super::unsolvable;
use crate::effort::Effort;
use crate::game::Game;

/// A depth-first proof-number search for one claim, with the positions that it has met so far.
///
/// It always expands a position whose proof or disproof would decide the most with the least, by
/// their proof and disproof numbers (Nagai 2002). They are the greatest number among the successors
/// plus the count of the others, not their sum, as positions are reached in many ways (weak
/// proof-number search; Ueda et al. 2008).
///
/// ```
/// # use quintet_core::game::{Game, MoveList, Outcome, Role, Side};
/// use quintet_core::knowledge::{Effort, RulesOnly};
/// use quintet_core::solver::{KnowledgeHeuristic, Claim, DfPn};
/// # #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
/// # struct Nim(u8, usize);
/// # impl Game for Nim {
/// #     type Move = u8;
/// #     const ROLES: &'static [Role] =
/// #         &[Role::new("anna", Side::First), Role::new("otto", Side::Second)];
/// #     const MAX_BRANCHING: usize = 3;
/// #     const MAX_PLIES: usize = 21;
/// #     fn initial() -> Self { Self(21, 0) }
/// #     fn role_to_move(&self) -> usize { self.1 }
/// #     fn outcome(&self) -> Option<Outcome> {
/// #         (self.0 == 0).then(|| Outcome::Win(Self::ROLES[1 - self.1].side))
/// #     }
/// #     fn legal_moves(&self, moves: &mut MoveList<u8>) {
/// #         moves.clear();
/// #         moves.extend(1..=self.0.min(3));
/// #     }
/// #     fn apply(&mut self, taken: u8) { *self = Self(self.0 - taken, 1 - self.1); }
/// # }
///
/// // Nim with 21 sticks: whoever takes the last one wins.
/// let mut search = DfPn::new(KnowledgeHeuristic(&RulesOnly), Claim::win(Side::First), 1 << 20);
/// assert_eq!(search.decide(&Nim::initial(), Effort::UNLIMITED), Some(true));
/// ```
pub struct DfPn<G: Game, D: ProofHeuristic<G>> {
    heuristic: D,
    claim: Claim,
    table: SharedTable<G, D::Note>,
    /// The positions that are being searched, each a successor of the one before. They are not on the stack, which is
    /// small: a game may have any number of plies.
    frames: Vec<Frame<G, D::Note>>,
    /// The successors of the positions on the current path.
    path: Vec<PathEntry<G>>,
    /// Empty between uses.
    successors: Vec<Successor<G, D::Note>>,
    positions: u64,
}

impl<G: Game, D: ProofHeuristic<G>> Debug for DfPn<G, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DfPn")
            .field("claim", &self.claim)
            .field("positions", &self.positions)
            .finish_non_exhaustive()
    }
}

/// The successor to search next.
struct Choice {
    /// Its place on the path.
    best: usize,
    /// The least number of the others for the side to move.
    second: u32,
    /// How many others there are.
    others: u32,
    /// The numbers of the position before it.
    numbers: Numbers,
}

impl Choice {
    /// The limits of the search of the best successor, if `limits` are those of the position before it. They
    /// are reached when another successor is better, or when the position before it reaches its own.
    fn limits(&self, is_or_node: bool, limits: Numbers) -> Numbers {
        let (own_limit, other_limit) = limits.for_side_to_move(is_or_node);
        let own_limit = own_limit.min(self.second + self.second / BEYOND + 1).min(INFINITE);
        let other_limit = if other_limit == INFINITE { INFINITE } else { other_limit - self.others };
        Numbers::of_mover(is_or_node, own_limit, other_limit)
    }
}

/// A successor of a position on the path.
#[derive(Clone, Copy)]
struct PathEntry<G> {
    position: G,
    key: u64,
    numbers: Numbers,
}

/// A position that is being searched until one of its numbers reaches its limit.
struct Frame<G, N> {
    position: G,
    key: u64,
    note: N,
    is_or_node: bool,
    limits: Numbers,
    /// The positions judged before.
    before: u64,
    /// Where its undecided successors begin on the path, of which there is one at least.
    first: usize,
    /// The place on the path of the one that is searched.
    best: usize,
}

/// What came of a step of the search.
enum Step {
    /// The innermost frame goes on.
    On,
    /// A position has these numbers, `None` if the effort is spent. The frame around it goes on.
    Done(Option<Numbers>),
}

impl<G: Game, D: ProofHeuristic<G>> DfPn<G, D> {
    /// A search for `claim` with a table of at most `memory` bytes, or 1,024 entries if that is more. The
    /// table starts small and grows.
    #[must_use]
    pub fn new(heuristic: D, claim: Claim, memory: usize) -> Self {
        Self::with_table(heuristic, claim, SharedTable::new(memory))
    }

    fn with_table(heuristic: D, claim: Claim, table: SharedTable<G, D::Note>) -> Self {
        Self {
            heuristic,
            claim,
            table,
            frames: Vec::new(),
            path: Vec::new(),
            successors: Vec::new(),
            positions: 0,
        }
    }

    /// A search for the same claim that knows what this one finds, for other positions at the same time. What it
    /// finds itself, in a table of at most `memory` bytes or 1,024 entries, this one and its other forks learn when it
    /// [shares](Self::share) that.
    #[must_use]
    pub fn fork(&mut self, heuristic: D, memory: usize) -> Self {
        Self::with_table(heuristic, self.claim, self.table.fork(memory))
    }

    /// If it is a fork: lets the others know what it has found, unless one of them is at work.
    pub fn share(&mut self) {
        self.table.share();
    }

    /// The number of positions judged so far.
    #[must_use]
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// Whether the claim is true of `position`; `None` if the effort is not enough. `false` may only mean that the
    /// [heuristic](ProofHeuristic) lists no successors that prove it. `None` as well if the game can't be solved so:
    /// see
    /// [`settle`](super::settle()). The positions of `effort` are counted
    /// from now on. What is found out is kept for the next call.
    pub fn decide(&mut self, position: &G, effort: Effort) -> Option<bool> {
        if unsolvable(position).is_some() {
            return None;
        }
        self.table.begin();
        let numbers = self.numbers_of(position, &mut Countdown::new(effort));
        self.table.end();
        Some(numbers?.proof == 0)
    }

    /// The numbers of a position that is decided; `None` if the effort is not enough.
    fn numbers_of(&mut self, position: &G, run: &mut Countdown<'_>) -> Option<Numbers> {
        let root = self.child(*position, None, run)?;
        if root.numbers.is_decided() {
            return Some(root.numbers);
        }
        self.frames.clear();
        self.path.clear();
        let mut step = self.open(&root, Numbers::new(INFINITE, INFINITE), run);
        loop {
            step = match step {
                Step::On => self.go_on(run),
                Step::Done(numbers) if self.frames.is_empty() => return numbers,
                Step::Done(numbers) => self.take(numbers),
            };
        }
    }

    /// What is known about the claim for `position` without a search, as [`decide`](Self::decide) would
    /// say it.
    #[must_use]
    pub fn known(&self, position: &G) -> Option<bool> {
        let (numbers, _) = self.table.look_up(position, position.key())?;
        numbers.is_decided().then_some(numbers.proof == 0)
    }

    /// Stores that the claim is true of `position`, which the caller has proven.
    pub fn set_proven(&mut self, position: &G) {
        self.table.begin();
        self.table.set(position, position.key(), Numbers::PROVEN, D::Note::default(), 1);
        self.table.end();
    }

    /// Forgets what is known about `position`, so that the next search goes through its successors
    /// again. Of a proven position with many successors, a full table may have lost the proven one.
    pub fn forget(&mut self, position: &G) {
        self.table.remove(position, position.key());
    }

    /// Not inlined, as lists of moves would be on the stack at every level of the search.
    #[inline(never)]
    fn list_successors(
        &mut self,
        position: &G,
        note: &mut D::Note,
        successors: &mut Vec<Successor<G, D::Note>>,
    ) {
        self.heuristic.successors(position, self.claim, note, successors);
    }

    #[inline(never)]
    fn child(
        &mut self,
        position: G,
        status: Option<LeafStatus<D::Note>>,
        run: &mut Countdown<'_>,
    ) -> Option<PathEntry<G>> {
        let key = position.key();
        if let Some((numbers, _)) = self.table.get(&position, key) {
            return Some(PathEntry { position, key, numbers });
        }
        run.count()?;
        self.positions += 1;
        let (numbers, note) =
            match status.unwrap_or_else(|| self.heuristic.leaf_status(&position, self.claim)) {
                LeafStatus::Proven => (Numbers::PROVEN, D::Note::default()),
                LeafStatus::Disproven => (Numbers::DISPROVEN, D::Note::default()),
                LeafStatus::Open { proof, disproof, note } => {
                    let within = |number: u32| number.clamp(1, INFINITE - 1);
                    (Numbers::new(within(proof), within(disproof)), note)
                }
            };
        self.table.set(&position, key, numbers, note, 1);
        Some(PathEntry { position, key, numbers })
    }

    /// Begins the search of an undecided position, until one of its numbers reaches its limit.
    fn open(&mut self, parent: &PathEntry<G>, limits: Numbers, run: &mut Countdown<'_>) -> Step {
        let before = self.positions;
        let &PathEntry { position, key, .. } = parent;
        let is_or_node = position.side_to_move() == self.claim.side;
        let mut note = match self.table.get(&position, key) {
            Some((numbers, _)) if numbers.is_decided() => return Step::Done(Some(numbers)),
            Some((_, note)) => note,
            // Another position took its place in the table.
            None => {
                if run.count().is_none() {
                    return Step::Done(None);
                }
                self.positions += 1;
                match self.heuristic.leaf_status(&position, self.claim) {
                    LeafStatus::Open { note, .. } => note,
                    LeafStatus::Proven => return Step::Done(Some(Numbers::PROVEN)),
                    LeafStatus::Disproven => return Step::Done(Some(Numbers::DISPROVEN)),
                }
            }
        };
        let mut successors = std::mem::take(&mut self.successors);
        self.list_successors(&position, &mut note, &mut successors);
        let first = self.path.len();
        let (mut deciding, mut is_spent) = (None, false);
        for Successor { position, status } in successors.drain(..) {
            let Some(child) = self.child(position, status, run) else {
                is_spent = true;
                break;
            };
            if child.numbers.decides(is_or_node) {
                deciding = Some(child.numbers);
                break;
            }
            let is_open = !child.numbers.is_decided();
            let is_new = |it: &PathEntry<G>| it.key != child.key || it.position != child.position;
            if is_open && self.path[first..].iter().all(is_new) {
                self.path.push(child);
            }
        }
        self.successors = successors;
        if is_spent {
            self.path.truncate(first);
            return Step::Done(None);
        }
        self.frames.push(Frame { position, key, note, is_or_node, limits, before, first, best: first });
        if deciding.is_some() { self.close(deciding) } else { Step::On }
    }

    /// Ends the search of the innermost frame, whose position has these numbers.
    fn close(&mut self, numbers: Option<Numbers>) -> Step {
        let Some(frame) = self.frames.pop() else { return Step::Done(numbers) };
        let Frame { position, key, note, is_or_node, before, first, .. } = frame;
        // Where the effort is spent, the next search goes on from here.
        let known = numbers.unwrap_or_else(|| self.choose(first, is_or_node).numbers);
        self.path.truncate(first);
        self.table.set(&position, key, known, note, self.positions - before + 1);
        Step::Done(numbers)
    }

    /// The best of the undecided successors on the path from `first` on. There must be one.
    ///
    /// For the side to move: its own number is the least of the successors'; the other is the greatest
    /// and one for each other successor.
    fn choose(&self, first: usize, is_or_node: bool) -> Choice {
        let open = &self.path[first..];
        let (mut best, mut least, mut second, mut greatest) = (first, INFINITE, INFINITE, 0);
        for (index, child) in (first..).zip(open) {
            let (own, other) = child.numbers.for_side_to_move(is_or_node);
            if own < least {
                (best, second, least) = (index, least, own);
            } else {
                second = second.min(own);
            }
            greatest = greatest.max(other);
        }
        let others = (open.len() - 1) as u32;
        let other = greatest.saturating_add(others).min(INFINITE - 1);
        Choice { best, second, others, numbers: Numbers::of_mover(is_or_node, least, other) }
    }

    /// Searches the best successor of the innermost frame, unless one of its numbers has reached its limit.
    fn go_on(&mut self, run: &mut Countdown<'_>) -> Step {
        let Some(&Frame { first, is_or_node, limits, .. }) = self.frames.last() else {
            return Step::Done(None);
        };
        if self.path.len() == first {
            return self.close(Some(if is_or_node { Numbers::DISPROVEN } else { Numbers::PROVEN }));
        }
        let choice = self.choose(first, is_or_node);
        let Choice { best, numbers, .. } = choice;
        let (least, other) = numbers.for_side_to_move(is_or_node);
        let (own_limit, other_limit) = limits.for_side_to_move(is_or_node);
        if least >= own_limit || other >= other_limit {
            return self.close(Some(numbers));
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.best = best;
        }
        let child = self.path[best];
        self.open(&child, choice.limits(is_or_node, limits), run)
    }

    /// Takes the numbers of the successor that was searched.
    fn take(&mut self, numbers: Option<Numbers>) -> Step {
        let Some(&Frame { is_or_node, best, .. }) = self.frames.last() else { return Step::Done(numbers) };
        match numbers {
            None => {
                let child = self.path[best];
                if let Some((numbers, _)) = self.table.get(&child.position, child.key) {
                    self.path[best].numbers = numbers;
                }
                self.close(None)
            }
            Some(numbers) if numbers.decides(is_or_node) => self.close(Some(numbers)),
            Some(numbers) if numbers.is_decided() => {
                self.path.remove(best);
                Step::On
            }
            Some(numbers) => {
                self.path[best].numbers = numbers;
                Step::On
            }
        }
    }
}

/// The search stays with the best successor until its number is beyond that of the second by one and
/// by this part, so that it does not hop between two that are about equal (1 + ε; Pawlewicz and Lew
/// 2007). With 1/16 a search visits about as many positions and takes 0.6 of the time.
const BEYOND: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::knowledge::RulesOnly;
    use crate::nim::Nim;
    use crate::solver::KnowledgeHeuristic;

    type Search = DfPn<Nim<3>, KnowledgeHeuristic<'static, RulesOnly>>;

    const WIN: Claim = Claim::win(Side::First);

    fn search() -> Search {
        DfPn::new(KnowledgeHeuristic(&RulesOnly), WIN, 1 << 20)
    }

    #[test]
    fn the_successor_is_chosen_by_the_numbers_of_all() {
        let mut search = search();
        // The first belongs to another position.
        search.path = [(1, 1), (9, 4), (5, 6), (7, 2)]
            .map(|(proof, disproof)| PathEntry {
                position: Nim::initial(),
                key: 0,
                numbers: Numbers::new(proof, disproof),
            })
            .to_vec();
        // For the claiming side: the least proof number, and the greatest disproof number plus one for
        // each other.
        let own = search.choose(1, true);
        assert_eq!((own.best, own.second, own.others, own.numbers), (2, 7, 2, Numbers::new(5, 6 + 2)));
        let other = search.choose(1, false);
        assert_eq!(
            (other.best, other.second, other.others, other.numbers),
            (3, 4, 2, Numbers::new(9 + 2, 2))
        );
        let last = search.choose(3, true);
        assert_eq!((last.best, last.second, last.others, last.numbers), (3, INFINITE, 0, Numbers::new(7, 2)));
        search.path[1].numbers.disproof = INFINITE - 1;
        assert_eq!(search.choose(1, true).numbers.disproof, INFINITE - 1);
    }

    #[test]
    fn a_successor_is_searched_until_another_is_better_or_its_parent_is_done() {
        let choice = |second| Choice { best: 0, second, others: 2, numbers: Numbers::new(5, 8) };
        let limits = |second, own, other| choice(second).limits(true, Numbers::new(own, other));
        // Beyond the second by one and by a sixteenth; the parent adds one for each other successor.
        assert_eq!(limits(33, INFINITE, 20), Numbers::new(33 + 2 + 1, 18));
        assert_eq!(limits(7, 100, INFINITE), Numbers::new(8, INFINITE));
        assert_eq!(limits(33, 34, 20), Numbers::new(34, 18));
        assert_eq!(limits(INFINITE, INFINITE, INFINITE), Numbers::new(INFINITE, INFINITE));
        let of_other = choice(33).limits(false, Numbers::new(20, INFINITE));
        assert_eq!(of_other, Numbers::new(18, 36));
    }

    #[test]
    fn positions_are_counted_once_and_what_is_found_is_kept() {
        let (mut search, last) = (search(), Nim::new(1, 0));
        assert_eq!((search.known(&last), search.positions()), (None, 0));
        assert_eq!(search.decide(&last, Effort::positions(1)), None);
        assert_eq!((search.known(&last), search.positions()), (None, 1));
        assert_eq!(search.decide(&last, Effort::positions(1)), Some(true));
        assert_eq!((search.known(&last), search.positions()), (Some(true), 2));
        assert_eq!(search.decide(&last, Effort::positions(0)), Some(true));
        search.forget(&last);
        assert_eq!(search.known(&last), None);
        // Only the position itself is judged again.
        assert_eq!(search.decide(&last, Effort::UNLIMITED), Some(true));
        assert_eq!(search.positions(), 3);
        for (sticks, role) in [(8, 0), (9, 0), (8, 1), (9, 1)] {
            let wins = (sticks % 4 == 0) == (role == 1);
            assert_eq!(
                search.decide(&Nim::new(sticks, role), Effort::UNLIMITED),
                Some(wins),
                "{sticks} {role}"
            );
        }
        // There are two roles and ten numbers of sticks.
        assert!(search.positions() <= 1 + 20, "{}", search.positions());
    }

    #[test]
    fn a_full_table_changes_only_the_effort() {
        // Two searches that share a small table's places, with more positions than it has.
        let mut search: DfPn<Nim<2>, _> = DfPn::new(KnowledgeHeuristic(&RulesOnly), WIN, 0);
        for sticks in 0..=u8::MAX {
            let wins = sticks % 3 != 0;
            assert_eq!(search.decide(&Nim::new(sticks, 0), Effort::UNLIMITED), Some(wins), "{sticks}");
        }
    }
}
