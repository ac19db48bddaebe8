//! The exact value of a position, by every method that the game has.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use super::claim::Claim;
use super::df_pn::DfPn;
use super::knowledge_heuristic::KnowledgeHeuristic;
use super::unsolvable;
use rayon::prelude::*;

use crate::effort::Effort;
use crate::game::{Bounds, Game, Outcome, is_independent};
use crate::knowledge::{Candidates, Knowledge, SolveScope};

/// The limits of a proof, what is wanted of it, and where it tells its progress.
#[derive(Debug, Clone, Copy)]
pub struct SettleOptions<'a> {
    /// The effort after which it is given up.
    pub effort: Effort<'a>,
    /// The maximum memory for the positions that [`DfPn`] has met, in bytes. [`Knowledge::solve`] has a limit
    /// of its own.
    pub memory: usize,
    /// The maximum number of threads.
    pub threads: NonZeroUsize,
    /// Whether the strategies of the proof are wanted, for a certificate.
    pub wants_strategies: bool,
    /// Where it tells how far it is.
    pub progress: &'a Progress,
}

/// The progress of a proof. Another thread may read it while the proof runs.
#[derive(Debug, Default)]
pub struct Progress {
    positions: AtomicU64,
    settled: AtomicU64,
    parts: AtomicU64,
}

impl Progress {
    /// No position so far.
    #[must_use]
    pub const fn new() -> Self {
        Self { positions: AtomicU64::new(0), settled: AtomicU64::new(0), parts: AtomicU64::new(0) }
    }

    /// The number of positions searched so far.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.positions.load(Ordering::Relaxed)
    }

    /// The number of parts of the proof that are settled, and of all that are known.
    #[must_use]
    pub fn parts(&self) -> (u64, u64) {
        (self.settled.load(Ordering::Relaxed), self.parts.load(Ordering::Relaxed))
    }

    /// Counts positions.
    pub fn add_positions(&self, positions: u64) {
        self.positions.fetch_add(positions, Ordering::Relaxed);
    }

    /// Tells how many parts of the proof are settled, and how many there are.
    pub fn set_parts(&self, settled: u64, parts: u64) {
        self.settled.store(settled, Ordering::Relaxed);
        self.parts.store(parts, Ordering::Relaxed);
    }
}

/// A choice of moves `M` in positions `P` for one side, which gets what the claim says whatever the other side does.
#[derive(Debug, Clone)]
pub struct Strategy<P, M> {
    /// What the side gets.
    pub claim: Claim,
    /// Positions with at least this many pieces need no choice: a full search of the rest is short there. 0
    /// if that depends on something else.
    pub search_from: u32,
    /// The positions in which the side needs a choice, and the moves of its whole turn. Each stands
    /// for all that are symmetric to it.
    pub choices: Vec<(P, Vec<M>)>,
}

/// What [`settle`](Knowledge::settle) has proven of a position, and how.
#[derive(Debug, Clone)]
pub struct SettleResult<P, M> {
    /// The bounds of its value.
    pub bounds: Bounds,
    /// A best move, if one is known.
    pub best: Option<M>,
    /// How the bounds were found, in a few words such as "df-pn".
    pub method: &'static str,
    /// The strategies that prove the bounds, if they were wanted and the game has any.
    pub strategies: Vec<Strategy<P, M>>,
}

impl<P, M> SettleResult<P, M> {
    /// These bounds, found by `method`, and nothing else.
    #[must_use]
    pub const fn of_bounds(bounds: Bounds, method: &'static str) -> Self {
        Self { bounds, best: None, method, strategies: Vec::new() }
    }

    /// Whether the value is exact.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.bounds.outcome().is_some()
    }
}

/// The positions between two updates of the progress.
const SLICE: u64 = 1 << 14;

/// Settles `position` by [`Knowledge::prove`], by [`Knowledge::solve`] in up to half of the time, or by
/// [`DfPn`] with what the knowledge proves: by the first of them that can.
///
/// A game in which each side has a score of its own, chance moves, moves are made at the same time or positions may
/// repeat is not solved so.
///
/// The side to move may get at least each score but the lowest, or not: a win or not, and a draw or not. The
/// claims that are open are searched in turn, or on several threads.
pub fn settle<G: Game, K: Knowledge<G>>(
    knowledge: &K,
    position: &G,
    options: &SettleOptions,
) -> SettleResult<G, G::Move> {
    let outcome = position.outcome();
    if is_independent(position) {
        let over = "none: the game is over, and each side has a score of its own";
        let method = if outcome.is_some() { over } else { "none: each side has a score of its own" };
        return SettleResult::of_bounds(Bounds::UNKNOWN, method);
    }
    if let Some(outcome) = outcome {
        return SettleResult::of_bounds(Bounds::exactly(outcome), "the game is over");
    }
    if let Some(reason) = unsolvable(position) {
        return SettleResult::of_bounds(Bounds::UNKNOWN, reason);
    }
    if let Some(outcome) = knowledge.prove(position) {
        let best = knowledge.solve(position, SolveScope::Best, Effort::positions(0));
        let best = best.and_then(|moves| moves.first().map(|it| it.mv)).or_else(|| {
            let side = position.side_to_move();
            let claim = Claim { side, score: outcome.score(side) };
            let mut search = DfPn::new(KnowledgeHeuristic(knowledge), claim, options.memory);
            best_move(knowledge, position, outcome, &mut search, options)
        });
        return SettleResult {
            best,
            ..SettleResult::of_bounds(Bounds::exactly(outcome), "knowledge of the game")
        };
    }
    // If the solver of the game does not succeed, there is time for another method.
    if let Some(moves) = knowledge.solve(position, SolveScope::Best, options.effort.in_half_the_time())
        && let Some(best) = moves.first()
    {
        let bounds = Bounds::exactly(best.outcome);
        return SettleResult {
            best: Some(best.mv),
            ..SettleResult::of_bounds(bounds, "the solver of the game")
        };
    }
    by_df_pn(knowledge, position, options)
}

/// A part of the search for one claim.
type Slice<'a> = Box<dyn FnOnce() + Send + 'a>;

/// Does all of these, at the same time where there are several threads. Not generic, so that it is compiled once.
fn run_all(slices: Vec<Slice<'_>>, threads: NonZeroUsize) {
    if threads.get() > 1 && slices.len() > 1 {
        slices.into_par_iter().for_each(|slice| slice());
    } else {
        for slice in slices {
            slice();
        }
    }
}

fn by_df_pn<G: Game, K: Knowledge<G>>(
    knowledge: &K,
    position: &G,
    options: &SettleOptions,
) -> SettleResult<G, G::Move> {
    let side = position.side_to_move();
    // The side to move may get each score but the lowest, or not.
    let scores: Vec<u8> = position.scores().of(side).iter().rev().collect();
    let claims: Vec<Claim> =
        scores.split_last().map_or(&[][..], |it| it.1).iter().map(|&score| Claim { side, score }).collect();
    let memory = options.memory / claims.len().max(1);
    let mut searches: Vec<_> =
        claims.iter().map(|&claim| DfPn::new(KnowledgeHeuristic(knowledge), claim, memory)).collect();
    let [lower, upper] = position.scores().ends();
    let mut bounds = Bounds { lower, upper };
    let mut left = options.effort.positions;
    while left > 0 && !options.effort.is_over() {
        let is_open = |claim: &Claim| claim.decided_by(bounds).is_none();
        let open = claims.iter().filter(|it| is_open(it)).count() as u64;
        options.progress.set_parts(claims.len() as u64 - open, claims.len() as u64);
        if open == 0 {
            break;
        }
        let positions = SLICE.min(left.div_ceil(open));
        let effort = Effort { positions, ..options.effort };
        // All get the same slices with any number of threads, so they find the same.
        let mut found = vec![(None, 0); claims.len()];
        let in_turn =
            claims.iter().zip(&mut searches).zip(&mut found).filter(|((claim, _), _)| is_open(claim));
        let slices = in_turn.map(|((_, search), found)| {
            Box::new(move || {
                let before = search.positions();
                let decided = search.decide(position, effort);
                let new = search.positions() - before;
                options.progress.add_positions(new);
                *found = (decided, new);
            }) as Slice<'_>
        });
        run_all(slices.collect(), options.threads);
        for (claim, (decided, new)) in claims.iter().zip(found) {
            if let Some(is_true) = decided {
                bounds = bounds.and(claim.bounds(is_true, position.scores()));
            }
            left = left.saturating_sub(new);
        }
        // A slice without a new position goes through known ones only.
        left = left.saturating_sub(1);
    }
    let best = bounds.outcome().and_then(|outcome| {
        let claim = claims.iter().position(|claim| claim.holds(outcome)).unwrap_or(0);
        best_move(knowledge, position, outcome, searches.get_mut(claim)?, options)
    });
    SettleResult { best, ..SettleResult::of_bounds(bounds, "df-pn") }
}

/// The maximum number of positions searched for a best move of a position whose value is known.
const FOR_BEST_MOVE: u64 = 1 << 20;

/// A move that keeps the value `outcome`, if one is found. `search` is for the claim that the side to
/// move gets that much; its effort for each move grows. In a lost position any move will do.
fn best_move<G: Game, K: Knowledge<G>>(
    knowledge: &K,
    position: &G,
    outcome: Outcome,
    search: &mut DfPn<G, KnowledgeHeuristic<'_, K>>,
    options: &SettleOptions,
) -> Option<G::Move> {
    let mut moves = Candidates::new();
    knowledge.candidates(position, &mut moves);
    if outcome.score(position.side_to_move()) == 0 {
        return moves.first().map(|it| it.0);
    }
    let before = search.positions();
    let mut positions = 1;
    let mut best = None;
    while best.is_none() && positions <= FOR_BEST_MOVE && !options.effort.is_over() {
        best = moves.iter().map(|it| it.0).find(|&mv| {
            let next = position.after(mv);
            let left = FOR_BEST_MOVE.saturating_sub(search.positions() - before);
            let effort = Effort { positions: positions.min(left), ..options.effort };
            search.decide(&next, effort) == Some(true)
        });
        positions *= 4;
    }
    options.progress.add_positions(search.positions() - before);
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;
    use crate::game::Side;
    use crate::knowledge::{RulesOnly, Solved};
    use crate::nim::Nim;

    type Three = Nim<3>;

    fn settled<K: Knowledge<Three>>(
        knowledge: &K,
        position: Three,
        positions: u64,
    ) -> (SettleResult<Three, u8>, u64) {
        let progress = Progress::new();
        let options = SettleOptions {
            effort: Effort::positions(positions),
            memory: 1 << 16,
            threads: NonZeroUsize::MIN,
            wants_strategies: false,
            progress: &progress,
        };
        let settled = settle(knowledge, &position, &options);
        (settled, progress.positions())
    }

    /// Knowledge that proves this outcome, and solves a position by this move.
    #[derive(Clone, Copy)]
    struct Says(Option<Outcome>, Option<(u8, Outcome)>);

    impl Knowledge<Three> for Says {
        fn prove(&self, _: &Three) -> Option<Outcome> {
            self.0
        }
        fn solve(&self, _: &Three, _: SolveScope, _: Effort) -> Option<Vec<Solved<u8>>> {
            self.1.map(|(mv, outcome)| vec![Solved { mv, outcome, plies: None }])
        }
    }

    const WIN: Outcome = Outcome::Win(Side::First);

    #[test]
    fn the_first_method_that_can_settles_a_position() {
        let knows_nothing = Says(None, None);
        for (position, knowledge, best, method) in [
            (Nim::new(0, 1), knows_nothing, None, "the game is over"),
            (Nim::new(9, 0), Says(Some(WIN), None), Some(1), "knowledge of the game"),
            (Nim::new(9, 0), Says(Some(WIN), Some((3, WIN))), Some(3), "knowledge of the game"),
            (Nim::new(9, 0), Says(None, Some((2, WIN))), Some(2), "the solver of the game"),
            (Nim::new(9, 0), knows_nothing, Some(1), "df-pn"),
        ] {
            let (settled, positions) = settled(&knowledge, position, u64::MAX);
            assert_eq!(settled.bounds, Bounds::exactly(WIN), "{method}");
            assert_eq!((settled.best, settled.method), (best, method));
            assert_eq!(
                (settled.strategies.len(), positions > 0),
                (0, method == "df-pn" || knowledge.1.is_none() && best.is_some())
            );
        }
    }

    #[test]
    fn the_positions_are_those_of_the_effort() {
        let position = Nim::new(200, 0);
        for effort in [0, 1, 10, 100] {
            let (settled, positions) = settled(&RulesOnly, position, effort);
            assert_eq!((settled.bounds, settled.best), (Bounds::UNKNOWN, None));
            // Both claims get the half, rounded up.
            assert!(positions <= effort + 1 && positions >= effort / 2, "{positions} of {effort}");
        }
        // A lost position has moves that are as good as any.
        let (lost, _) = settled(&RulesOnly, Nim::new(8, 0), u64::MAX);
        assert_eq!((lost.bounds.outcome(), lost.best), (Some(Outcome::Win(Side::Second)), Some(1)));
    }

    #[test]
    fn progress_is_added_up() {
        let progress = Progress::new();
        progress.add_positions(3);
        progress.add_positions(4);
        progress.set_parts(1, 2);
        assert_eq!((progress.positions(), progress.parts()), (7, (1, 2)));
    }
}
