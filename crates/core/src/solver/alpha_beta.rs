//! Exact values of late positions: alpha-beta search over the candidates and proofs of a
//! [`Knowledge`], with a transposition table.

use super::countdown::Countdown;
use super::solve_moves::solve_moves;
use super::table::TranspositionTable;
use super::unsolvable;
use crate::effort::Effort;
use crate::game::{Bounds, Game, MAX_SCORE, MoveList, Outcome, Side};
use crate::knowledge::{Candidates, Knowledge, SolveScope, Solved};
use crate::order::{ascending, descending};

/// An alpha-beta search for exact values in one game, with the bounds that it has proven so far.
///
/// It searches the [candidates](Knowledge::candidates), the most promising first, and uses what the
/// knowledge [proves](Knowledge::prove).
///
/// ```
/// # use quintet_core::game::{Game, MoveList, Outcome, Role, Side};
/// use quintet_core::knowledge::{Effort, RulesOnly, SolveScope};
/// use quintet_core::solver::AlphaBeta;
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
/// let mut solver = AlphaBeta::new(&RulesOnly, 10, Effort::UNLIMITED);
/// let moves = solver.solve(&Nim::initial(), SolveScope::Best).expect("no limit");
/// assert_eq!((moves[0].mv, moves[0].outcome), (1, Outcome::Win(Side::First)));
/// ```
#[derive(Debug)]
pub struct AlphaBeta<'a, G: Game, K> {
    knowledge: &'a K,
    table: TranspositionTable<G>,
    countdown: Countdown<'a>,
    looks_ahead: bool,
    /// The plies on the way to the position that is searched.
    plies: usize,
}

/// The maximum plies of a line: lists of moves are on the stack, which is small.
const MAX_PLIES: usize = 100;

impl<'a, G: Game, K: Knowledge<G>> AlphaBeta<'a, G, K> {
    /// A search with a table of 2 to the power of `bits` slots, which gives up after `effort`.
    #[must_use]
    pub fn new(knowledge: &'a K, bits: u32, effort: Effort<'a>) -> Self {
        let table = TranspositionTable::new(bits);
        Self { knowledge, table, countdown: Countdown::new(effort), looks_ahead: true, plies: 0 }
    }

    /// The same search without looking ahead. By default it tries to [prove](Knowledge::prove) the
    /// positions after all moves before it searches the first of them, which is wasted if the
    /// candidates have been checked that far already.
    #[must_use]
    pub fn without_looking_ahead(self) -> Self {
        Self { looks_ahead: false, ..self }
    }

    fn stored(&self, position: &G) -> Bounds {
        self.table.get(position, position.key())
    }

    /// The bounds of a position that are known without a search.
    fn bounds(&self, position: &G) -> Bounds {
        match position.outcome().or_else(|| self.knowledge.prove(position)) {
            Some(outcome) => Bounds::exactly(outcome),
            None => self.stored(position),
        }
    }

    /// The score of the first side under perfect play, 0 to 100: exact between `alpha` and `beta`, an
    /// upper bound if not above `alpha`, and a lower bound if not below `beta`. `None` once the
    /// effort is spent, after a line of 100 plies that does not end, or if the game can't be solved so: see
    /// [`settle`](super::settle()).
    pub fn value(&mut self, position: &G, mut alpha: u8, mut beta: u8) -> Option<u8> {
        if unsolvable(position).is_some() {
            return None;
        }
        let mut bounds = self.bounds(position);
        if bounds.lower >= beta || bounds.lower == bounds.upper {
            return Some(bounds.lower);
        }
        if bounds.upper <= alpha {
            return Some(bounds.upper);
        }
        if self.plies == MAX_PLIES {
            return None;
        }
        let before = self.countdown.left();
        self.countdown.count()?;
        alpha = alpha.max(bounds.lower);
        beta = beta.min(bounds.upper);
        let (from, to) = (alpha, beta);
        let is_first = position.side_to_move() == Side::First;
        let mut moves = Candidates::new();
        self.knowledge.candidates(position, &mut moves);
        moves.sort_by(|a, b| b.1.total_cmp(&a.1));
        // A move that is known to cause a cutoff saves the search of those before it.
        let known = |next: &G| if self.looks_ahead { self.bounds(next) } else { self.stored(next) };
        let enough =
            moves.iter().map(|(mv, _)| known(&position.after(*mv))).find_map(|Bounds { lower, upper }| {
                if is_first { (lower >= beta).then_some(lower) } else { (upper <= alpha).then_some(upper) }
            });
        let mut best = if is_first { bounds.lower } else { bounds.upper };
        if let Some(value) = enough {
            best = value;
        } else {
            for (mv, _) in &moves {
                self.plies += 1;
                let value = self.value(&position.after(*mv), alpha, beta);
                self.plies -= 1;
                let value = value?;
                if is_first {
                    best = best.max(value);
                    alpha = alpha.max(value);
                } else {
                    best = best.min(value);
                    beta = beta.min(value);
                }
                if alpha >= beta {
                    break;
                }
            }
        }
        if best > from {
            bounds.lower = best;
        }
        if best < to {
            bounds.upper = best;
        }
        self.table.set(position, position.key(), bounds, before - self.countdown.left());
        Some(best)
    }

    /// The score of `side`: exact if above `floor`, else an upper bound. `None` once the
    /// effort is spent.
    fn score(&mut self, position: &G, side: Side, floor: u8) -> Option<u8> {
        match side {
            Side::First => self.value(position, floor, MAX_SCORE),
            _ => Some(MAX_SCORE - self.value(position, 0, MAX_SCORE - floor)?),
        }
    }

    /// The values of moves of `position`, which must not be over, best first: the value of the best
    /// and, if [all](SolveScope::All) are wanted, those of the others as far as the effort goes. `None`
    /// if the effort is not enough for the best.
    pub fn solve(&mut self, position: &G, wanted: SolveScope) -> Option<Vec<Solved<G::Move>>> {
        let side = position.side_to_move();
        let moves = self.ordered_moves(position);
        solve_moves(side, &moves, wanted, MAX_SCORE, |mv, floor| {
            let next = position.after(mv);
            let score = self.score(&next, side, floor)?;
            Some((score, next.outcome().map(|_| 1)))
        })
    }

    /// All legal moves: those that win at once, then the candidates by falling weight, then the
    /// others.
    fn ordered_moves(&self, position: &G) -> MoveList<G::Move> {
        let mut candidates = Candidates::new();
        self.knowledge.candidates(position, &mut candidates);
        let weight =
            |mv: &G::Move| candidates.iter().find(|(it, _)| it == mv).map_or(0.0, |&(_, weight)| weight);
        let win = Some(Outcome::Win(position.side_to_move()));
        let moves = position.move_list();
        let key =
            |mv: &G::Move| if position.after(*mv).outcome() == win { 0 } else { descending(weight(mv)) };
        let keys: Vec<u64> = moves.iter().map(key).collect();
        ascending(&keys).into_iter().map(|index| moves[index]).collect()
    }
}
