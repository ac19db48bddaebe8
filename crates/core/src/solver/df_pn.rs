//! Depth-first proof-number search (df-pn): proves or disproves a claim about a position.

use std::fmt::{self, Debug};

use super::countdown::Countdown;
use crate::game::{Bounds, Game, Outcome, Side};
use crate::knowledge::{Candidates, Effort, Knowledge};

/// The claim that a side gets at least some half points under perfect play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The side.
    pub side: Side,
    /// The half points: 1 for at least a draw, 2 for a win.
    pub half_points: u8,
}

impl Claim {
    /// The claim that `side` wins.
    #[must_use]
    pub const fn win(side: Side) -> Self {
        Self { side, half_points: 2 }
    }

    /// The claim that `side` gets at least a draw.
    #[must_use]
    pub const fn draw(side: Side) -> Self {
        Self { side, half_points: 1 }
    }

    /// Whether the claim holds with this outcome.
    #[must_use]
    pub const fn holds(self, outcome: Outcome) -> bool {
        outcome.half_points(self.side) >= self.half_points
    }

    /// What these bounds say about the claim, if they decide it.
    #[must_use]
    pub fn decided_by(self, bounds: Bounds) -> Option<bool> {
        let Bounds { lower, upper } = bounds.of(self.side);
        if lower >= self.half_points {
            Some(true)
        } else if upper < self.half_points {
            Some(false)
        } else {
            None
        }
    }

    /// The bounds of the value if the claim is true, or if it is false.
    #[must_use]
    pub fn bounds(self, is_true: bool) -> Bounds {
        let unknown = Bounds::UNKNOWN;
        let own = if is_true {
            Bounds { lower: self.half_points, ..unknown }
        } else {
            Bounds { upper: self.half_points - 1, ..unknown }
        };
        own.of(self.side)
    }
}

/// What is known of a new position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement<N> {
    /// The claim is true.
    Proven,
    /// The claim is false, or not provable with the [successors](Guide::successors) of this guide.
    Disproven,
    /// Neither is known.
    Open {
        /// The first guess of the proof number, at least 1: how many positions have to be proven to
        /// prove this one.
        proof: u32,
        /// The same for the disproof.
        disproof: u32,
        /// What the guide needs to know when it lists the successors.
        note: N,
    },
}

/// A position after a move.
#[derive(Debug, Clone, Copy)]
pub struct Successor<G, N> {
    /// The position, or one that has the same value.
    pub position: G,
    /// Its judgement, if the guide has it already.
    pub judgement: Option<Judgement<N>>,
}

/// The knowledge that a [proof](DfPn) is guided by.
///
/// A proof is sound if every judgement [`Proven`](Judgement::Proven) is, and if the successors of a
/// position with the *other* side to move have a best reply among them. A disproof is sound if every
/// judgement `Disproven` is, and if the successors of a position with the claiming side to move have
/// a best move among them.
pub trait Guide<G: Game> {
    /// What a judgement finds out that the list of successors needs. It is stored with the position.
    type Note: Copy + Default + Debug;

    /// Judges a position that was not met before, or was forgotten.
    fn judge(&mut self, position: &G, claim: Claim) -> Judgement<Self::Note>;

    /// Adds the positions after the moves that matter to the empty list `successors`, at least one.
    /// A changed note is stored.
    fn successors(
        &mut self,
        position: &G,
        claim: Claim,
        note: &mut Self::Note,
        successors: &mut Vec<Successor<G, Self::Note>>,
    );
}

/// The guide by the [candidates](Knowledge::candidates) and [proofs](Knowledge::prove) of a
/// knowledge. Its proofs and disproofs are sound.
#[derive(Debug, Clone, Copy)]
pub struct ByKnowledge<'a, K>(pub &'a K);

impl<G: Game, K: Knowledge<G>> Guide<G> for ByKnowledge<'_, K> {
    type Note = ();

    fn judge(&mut self, position: &G, claim: Claim) -> Judgement<()> {
        match position.outcome().or_else(|| self.0.prove(position)) {
            Some(outcome) if claim.holds(outcome) => Judgement::Proven,
            Some(_) => Judgement::Disproven,
            None => {
                // Whoever is to move needs one good move; the other needs an answer to all.
                let moves = u32::try_from(position.move_count()).unwrap_or(u32::MAX);
                let (proof, disproof) =
                    if position.side_to_move() == claim.side { (1, moves) } else { (moves, 1) };
                Judgement::Open { proof, disproof, note: () }
            }
        }
    }

    fn successors(&mut self, position: &G, _: Claim, (): &mut (), successors: &mut Vec<Successor<G, ()>>) {
        let mut moves = Candidates::new();
        self.0.candidates(position, &mut moves);
        successors.extend(moves.into_iter().map(|(mv, _)| {
            let mut next = *position;
            next.apply(mv);
            Successor { position: next, judgement: None }
        }));
    }
}

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
/// use quintet_core::solver::{ByKnowledge, Claim, DfPn};
/// # #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
/// # struct Nim(u8, usize);
/// # impl Game for Nim {
/// #     type Move = u8;
/// #     const ROLES: &'static [Role] =
/// #         &[Role { name: "anna", side: Side::First }, Role { name: "otto", side: Side::Second }];
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
/// let mut search = DfPn::new(ByKnowledge(&RulesOnly), Claim::win(Side::First), 1 << 20);
/// assert_eq!(search.decide(&Nim::initial(), Effort::UNLIMITED), Some(true));
/// ```
pub struct DfPn<G: Game, D: Guide<G>> {
    guide: D,
    claim: Claim,
    table: Table<G, D::Note>,
    /// The successors of the positions on the current path.
    path: Vec<Child<G>>,
    /// Empty between uses.
    successors: Vec<Successor<G, D::Note>>,
    positions: u64,
}

impl<G: Game, D: Guide<G>> Debug for DfPn<G, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DfPn")
            .field("claim", &self.claim)
            .field("positions", &self.positions)
            .finish_non_exhaustive()
    }
}

/// A successor of a position on the path.
#[derive(Clone, Copy)]
struct Child<G> {
    position: G,
    key: u64,
    numbers: Numbers,
}

impl<G: Game, D: Guide<G>> DfPn<G, D> {
    /// A search for `claim` with a table of at most `memory` bytes, which starts small and grows.
    #[must_use]
    pub fn new(guide: D, claim: Claim, memory: usize) -> Self {
        let table = Table::new(memory);
        Self { guide, claim, table, path: Vec::new(), successors: Vec::new(), positions: 0 }
    }

    /// The number of positions judged so far.
    #[must_use]
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// Whether the claim is true of `position`; `None` if the effort is not enough. The positions of
    /// `effort` are counted from now on. What is found out is kept for the next call.
    pub fn decide(&mut self, position: &G, effort: Effort) -> Option<bool> {
        let mut run = Countdown::new(effort);
        let root = self.child(*position, None, &mut run)?;
        let numbers = if root.numbers.is_decided() {
            root.numbers
        } else {
            self.path.clear();
            self.expand(&root, Numbers::new(INFINITE, INFINITE), &mut run)?
        };
        Some(numbers.proof == 0)
    }

    /// What is known about the claim for `position` without a search.
    #[must_use]
    pub fn known(&self, position: &G) -> Option<bool> {
        let (numbers, _) = self.table.get(position, position.key())?;
        numbers.is_decided().then_some(numbers.proof == 0)
    }

    /// Forgets what is known about `position`, so that the next search goes through its successors
    /// again. Of a proven position with many successors, a full table may have lost the proven one.
    pub fn forget(&mut self, position: &G) {
        self.table.remove(position, position.key());
    }

    fn child(
        &mut self,
        position: G,
        judgement: Option<Judgement<D::Note>>,
        run: &mut Countdown<'_>,
    ) -> Option<Child<G>> {
        let key = position.key();
        if let Some((numbers, _)) = self.table.get(&position, key) {
            return Some(Child { position, key, numbers });
        }
        run.count()?;
        self.positions += 1;
        let (numbers, note) = match judgement.unwrap_or_else(|| self.guide.judge(&position, self.claim)) {
            Judgement::Proven => (Numbers::PROVEN, D::Note::default()),
            Judgement::Disproven => (Numbers::DISPROVEN, D::Note::default()),
            Judgement::Open { proof, disproof, note } => {
                let within = |number: u32| number.clamp(1, INFINITE - 1);
                (Numbers::new(within(proof), within(disproof)), note)
            }
        };
        self.table.set(&position, key, numbers, note, 1);
        Some(Child { position, key, numbers })
    }

    /// Searches an undecided position until one of its numbers reaches its limit, and returns them.
    /// `None` if the effort is spent.
    fn expand(&mut self, parent: &Child<G>, limits: Numbers, run: &mut Countdown<'_>) -> Option<Numbers> {
        let before = self.positions;
        let is_own = parent.position.side_to_move() == self.claim.side;
        let mut note = match self.table.get(&parent.position, parent.key) {
            Some((numbers, _)) if numbers.is_decided() => return Some(numbers),
            Some((_, note)) => note,
            // Another position took its place in the table.
            None => match self.guide.judge(&parent.position, self.claim) {
                Judgement::Open { note, .. } => note,
                Judgement::Proven => return Some(Numbers::PROVEN),
                Judgement::Disproven => return Some(Numbers::DISPROVEN),
            },
        };
        let mut successors = std::mem::take(&mut self.successors);
        self.guide.successors(&parent.position, self.claim, &mut note, &mut successors);
        let first = self.path.len();
        let mut deciding = None;
        for Successor { position, judgement } in successors.drain(..) {
            let Some(child) = self.child(position, judgement, run) else {
                self.path.truncate(first);
                return None;
            };
            if child.numbers.decides(is_own) {
                deciding = Some(child.numbers);
                break;
            }
            let is_open = !child.numbers.is_decided();
            let is_new = |it: &Child<G>| it.key != child.key || it.position != child.position;
            if is_open && self.path[first..].iter().all(is_new) {
                self.path.push(child);
            }
        }
        self.successors = successors;
        let numbers = match deciding {
            Some(numbers) => Some(numbers),
            None => self.search(first, is_own, limits, run),
        };
        self.path.truncate(first);
        let numbers = numbers?;
        self.table.set(&parent.position, parent.key, numbers, note, self.positions - before + 1);
        Some(numbers)
    }

    /// Searches the undecided successors on the path from `first` on.
    fn search(
        &mut self,
        first: usize,
        is_own: bool,
        limits: Numbers,
        run: &mut Countdown<'_>,
    ) -> Option<Numbers> {
        loop {
            let open = &self.path[first..];
            if open.is_empty() {
                return Some(if is_own { Numbers::DISPROVEN } else { Numbers::PROVEN });
            }
            // For the side to move: its own number is the least of the successors'; the other is the
            // greatest and one for each other successor.
            let count = open.len() as u32 - 1;
            let (mut best, mut least, mut second, mut greatest) = (0, INFINITE, INFINITE, 0);
            for (index, child) in open.iter().enumerate() {
                let (own, other) = child.numbers.for_mover(is_own);
                if own < least {
                    (best, second, least) = (index, least, own);
                } else {
                    second = second.min(own);
                }
                greatest = greatest.max(other);
            }
            let other = greatest.saturating_add(count).min(INFINITE - 1);
            let (own_limit, other_limit) = limits.for_mover(is_own);
            if least >= own_limit || other >= other_limit {
                return Some(Numbers::of_mover(is_own, least, other));
            }
            let own_limit = own_limit.min(second + second / BEYOND + 1).min(INFINITE);
            let other_limit = if other_limit == INFINITE { INFINITE } else { other_limit - count };
            let limits = Numbers::of_mover(is_own, own_limit, other_limit);
            let index = first + best;
            let child = self.path[index];
            let numbers = self.expand(&child, limits, run)?;
            if numbers.decides(is_own) {
                return Some(numbers);
            }
            if numbers.is_decided() {
                self.path.remove(index);
            } else {
                self.path[index].numbers = numbers;
            }
        }
    }
}

const INFINITE: u32 = (1 << 28) - 1;

/// The search stays with the best successor until its number is beyond that of the second by one and
/// by this part, so that it does not hop between two that are about equal (1 + ε; Pawlewicz and Lew
/// 2007). In Qubic, 1/16 takes as many positions as without and 0.6 of the time.
const BEYOND: u32 = 16;

/// A proof number and a disproof number, up to [`INFINITE`]. A position is proven if the first is 0,
/// and disproven if the second is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

impl Numbers {
    const PROVEN: Self = Self::new(0, INFINITE);
    const DISPROVEN: Self = Self::new(INFINITE, 0);

    const fn new(proof: u32, disproof: u32) -> Self {
        Self { proof, disproof }
    }

    const fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// Whether a successor with these numbers decides a position: for the claiming side a proven
    /// one, for the other a disproven one.
    const fn decides(self, is_own: bool) -> bool {
        if is_own { self.proof == 0 } else { self.disproof == 0 }
    }

    /// The number of what the side to move wants, then of what it does not.
    const fn for_mover(self, is_own: bool) -> (u32, u32) {
        if is_own { (self.proof, self.disproof) } else { (self.disproof, self.proof) }
    }

    const fn of_mover(is_own: bool, own: u32, other: u32) -> Self {
        if is_own { Self::new(own, other) } else { Self::new(other, own) }
    }
}

/// The entries among which a position is looked for.
const WAYS: usize = 4;
/// The table is doubled when more than this part of it, in eighths, is in use.
const FULL: usize = 6;
const FIRST_ENTRIES: usize = 1 << 10;

/// The positions met. Each has its place in one of [`WAYS`] adjacent entries; in a full table, it
/// takes the one with the least work behind it.
struct Table<G, N> {
    entries: Vec<Entry<G, N>>,
    used: usize,
    max: usize,
}

#[derive(Clone, Copy)]
struct Entry<G, N> {
    position: G,
    note: N,
    /// Proof number, disproof number and the logarithm of the work; 0 if the entry is empty.
    packed: u64,
}

impl<G: Game, N: Copy + Default> Entry<G, N> {
    fn new(position: G, numbers: Numbers, note: N, work: u64) -> Self {
        let work = 1 + u64::from((work | 1).ilog2());
        let packed = u64::from(numbers.proof) << 36 | u64::from(numbers.disproof) << 8 | work;
        Self { position, note, packed }
    }

    fn empty() -> Self {
        Self { position: G::initial(), note: N::default(), packed: 0 }
    }

    fn numbers(&self) -> Numbers {
        Numbers::new((self.packed >> 36) as u32, (self.packed >> 8) as u32 & INFINITE)
    }

    fn work(&self) -> u8 {
        self.packed as u8
    }
}

impl<G: Game, N: Copy + Default> Table<G, N> {
    fn new(memory: usize) -> Self {
        // While it grows, there are the old one and one twice as large.
        let max = (memory / size_of::<Entry<G, N>>() / 3 * 2).max(FIRST_ENTRIES);
        let max = 1 << max.ilog2();
        Self { entries: vec![Entry::empty(); FIRST_ENTRIES], used: 0, max }
    }

    fn bucket(&self, key: u64) -> usize {
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (u64::BITS - self.entries.len().trailing_zeros())) as usize & !(WAYS - 1)
    }

    fn get(&self, position: &G, key: u64) -> Option<(Numbers, N)> {
        let bucket = self.bucket(key);
        let found = self.entries[bucket..bucket + WAYS]
            .iter()
            .find(|it| it.packed != 0 && it.position == *position)?;
        Some((found.numbers(), found.note))
    }

    fn set(&mut self, position: &G, key: u64, numbers: Numbers, note: N, work: u64) {
        if self.used > self.entries.len() / 8 * FULL && self.entries.len() < self.max {
            self.grow();
        }
        let bucket = self.bucket(key);
        let entries = &mut self.entries[bucket..bucket + WAYS];
        let same = entries.iter().position(|it| it.packed != 0 && it.position == *position);
        let index = same.unwrap_or_else(|| (0..WAYS).min_by_key(|&way| entries[way].work()).unwrap_or(0));
        self.used += usize::from(entries[index].packed == 0);
        entries[index] = Entry::new(*position, numbers, note, work);
    }

    fn remove(&mut self, position: &G, key: u64) {
        let bucket = self.bucket(key);
        let entries = &mut self.entries[bucket..bucket + WAYS];
        if let Some(entry) = entries.iter_mut().find(|it| it.packed != 0 && it.position == *position) {
            *entry = Entry::empty();
            self.used -= 1;
        }
    }

    fn grow(&mut self) {
        let mut entries = Vec::new();
        if entries.try_reserve_exact(2 * self.entries.len()).is_err() {
            // The system has no more.
            self.max = self.entries.len();
            return;
        }
        entries.resize(2 * self.entries.len(), Entry::empty());
        let old = std::mem::replace(&mut self.entries, entries);
        self.used = 0;
        for entry in old.into_iter().filter(|it| it.packed != 0) {
            let bucket = self.bucket(entry.position.key());
            let entries = &mut self.entries[bucket..bucket + WAYS];
            // A bucket of four becomes two, so there is room for all.
            if let Some(free) = entries.iter_mut().find(|it| it.packed == 0) {
                *free = entry;
                self.used += 1;
            }
        }
    }
}
