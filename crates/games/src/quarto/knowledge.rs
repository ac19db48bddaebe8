//! Knowledge of Quarto.
//!
//! - A piece that completes a line wins; a side that can place one wins at once.
//! - Such a piece is *unsafe*: under `ggp` it must not be handed over, under `spec` none may be
//!   left in the pool. A move that makes either unavoidable loses, so it is a candidate only if all
//!   moves are like that.
//! - Early on, most moves lead to symmetric positions; one of each class is enough.
//! - Rollouts apply the first two rules.
//! - With few empty cells, positions are searched to the end when the tree reaches them. With more,
//!   [`solve`] searches the root to the end first, if that is likely to succeed; from then on play
//!   is perfect.
//!
//! # Known values
//!
//! Under `spec` the second player wins; [`solve`] proves it in about a second. Under `ggp` perfect
//! play is a draw (Goossens 1998), and [`classes`] has the values of all positions with up to four
//! pieces on the board and one in hand.

mod board;
pub mod classes;
mod early_values;
mod lines;
mod moves;
mod rollout;
mod solver;
mod strategy;
mod symmetry;
mod turn;

use quintet_core::bits::bits;
use std::marker::PhantomData;

use arrayvec::ArrayVec;

use crate::quarto::{CELLS, Move, Quarto, QuartoBoard};
use crate::{HasKnowledge, Ruleset};
use board::QuartoThreats;
use quintet_core::game::{Bounds, Game, Outcome, Rng, Side};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, Selection, SolveScope, Solved, Value};
use quintet_core::solver::{Claim, SettleOptions, SettleResult};
use solver::Solver;
use strategy::strategy;
use symmetry::Symmetries;
use turn::{DRAW, LOSS, QuartoTurn, opposite, value_by};

/// Up to this number of pieces on the board, symmetric candidates are left out.
const MAX_PIECES_FOR_SYMMETRY: u32 = 3;

/// Knowledge of Quarto, for both rulesets.
#[derive(Debug, Clone, Copy)]
pub struct QuartoKnowledge {
    symmetries: &'static Symmetries,
}

impl Default for QuartoKnowledge {
    fn default() -> Self {
        Self { symmetries: Symmetries::get() }
    }
}

impl<R: Ruleset> HasKnowledge for Quarto<R> {
    type Knowledge = QuartoKnowledge;
}

impl<R: Ruleset> Knowledge<Quarto<R>> for QuartoKnowledge {
    const SELECTION: Selection = Selection::Ucb1 { c: 0.5 };
    const POSITIONS_PER_ITERATION: u64 = 20;
    const SWINDLE_ITERATIONS: u64 = 50_000;
    const HAS_STRATEGIES: bool = R::IS_GGP;

    /// Plays random moves that take a win, and give none away if possible.
    #[inline(always)]
    fn evaluate(&self, position: &Quarto<R>, rng: &mut Rng) -> Value {
        rollout::rollout(position, rng).into()
    }

    /// The moves that win at once; if there are none, those that don't lose at once; if there are
    /// none either, all. Early on, of moves to symmetric positions, only the first: their values
    /// are equal.
    fn candidates(&self, position: &Quarto<R>, moves: &mut Candidates<Move>) {
        let analysis = Analysis::of(position);
        let legal = position.choices();
        let good = [analysis.wins(), analysis.safe()].into_iter().find(|&good| good != 0).unwrap_or(legal);
        let good = bits(good).map(|choice| position.choice(choice));
        if position.placed() > MAX_PIECES_FOR_SYMMETRY {
            moves.extend(good.map(|mv| (mv, 1.0)));
            return;
        }
        let mut keys: ArrayVec<u64, CELLS> = ArrayVec::new();
        for mv in good {
            let key = self.key_after(position, mv);
            if !keys.contains(&key) {
                keys.push(key);
                moves.push((mv, 1.0));
            }
        }
    }

    /// Proves a win at once, a loss because every move gives a win away and, with few empty cells,
    /// the value by full search.
    fn prove(&self, position: &Quarto<R>) -> Option<Outcome> {
        /// The maximum of empty cells for full search; limits from two to five play equally well.
        const FEW: u32 = 4;
        let side = position.side_to_move();
        let analysis = Analysis::of(position);
        if analysis.wins() != 0 {
            return Some(Outcome::Win(side));
        }
        if analysis.board.empty().count_ones() <= FEW {
            return Some(outcome(analysis.value_of_few(), side));
        }
        let is_lost = if !R::IS_GGP && analysis.hand.is_none() {
            !QuartoTurn::new::<R>(analysis.board, 0).has_safe_move::<R>()
        } else {
            analysis.safe() == 0
        };
        is_lost.then(|| outcome(LOSS, side))
    }

    /// As [`solve`], if that is likely to succeed.
    fn solve(&self, position: &Quarto<R>, wanted: SolveScope, effort: Effort) -> Option<Vec<Solved<Move>>> {
        /// The number of positions searched in a second on a slow machine, under `spec` and under
        /// `ggp`.
        const POSITIONS_PER_SECOND: [f64; 2] = [5e6, 1e7];
        let in_time = effort.positions_in_time(POSITIONS_PER_SECOND[usize::from(R::IS_GGP)]);
        if expected_positions(position) <= in_time { solve(position, wanted, effort) } else { None }
    }

    /// By its solver, whether that is likely to succeed or not.
    fn settle(&self, position: &Quarto<R>, options: &SettleOptions) -> SettleResult<Quarto<R>, Move> {
        let SettleOptions { effort, progress, .. } = *options;
        let unknown = SettleResult::of_bounds(Bounds::UNKNOWN, "the solver of Quarto");
        if let Some(outcome) = position.outcome() {
            return SettleResult::of_bounds(Bounds::exactly(outcome), "the game is over");
        }
        let bits = (options.memory / SLOT_BYTES).max(1).ilog2().clamp(MIN_BITS, MAX_BITS);
        let mut solver = Solver::new(bits, effort).with_progress(progress);
        let Some(moves) = moves::values(position, SolveScope::Best, &mut solver) else { return unknown };
        let Some(best) = moves.first() else { return unknown };
        let bounds = Bounds::exactly(best.outcome);
        let mut settled = SettleResult { bounds, best: Some(best.mv), ..unknown };
        let begins_a_turn = position.hand.is_some() || position.placed() == 0;
        if options.wants_strategies && R::IS_GGP && begins_a_turn {
            let claims = [Side::First, Side::Second].map(|side| Claim { side, score: bounds.of(side).lower });
            let claims = claims.into_iter().filter(|claim| claim.score > 0);
            let strategies: Option<Vec<_>> =
                claims.map(|claim| strategy(position, claim, &mut solver)).collect();
            settled.strategies = strategies.unwrap_or_default();
        }
        settled
    }

    fn explain(&self, position: &Quarto<R>, mv: Move) -> Option<String> {
        let analysis = Analysis::of(position);
        let choice = mv.target();
        let fact = match position.hand {
            _ if analysis.wins() >> choice & 1 == 1 => "completes a line".to_owned(),
            None if R::IS_GGP && analysis.safe() >> choice & 1 == 0 => {
                "hands over a winning piece".to_owned()
            }
            None => String::new(),
            Some(hand) => {
                let pool = analysis.board.pool;
                let wins = (analysis.threats.at(choice).pieces_after(hand) & pool).count_ones();
                match (wins, pool.count_ones()) {
                    (_, 0) => String::new(),
                    (0, _) => "leaves no winning piece".to_owned(),
                    (wins, all) if wins == all => "leaves only winning pieces".to_owned(),
                    (1, _) => "leaves a winning piece".to_owned(),
                    (wins, _) => format!("leaves {wins} winning pieces"),
                }
            }
        };
        let symmetry = self.first_symmetric(position, mv).map(|first| format!("symmetric to {first}"));
        let facts: Vec<String> = [fact].into_iter().chain(symmetry).filter(|it| !it.is_empty()).collect();
        (!facts.is_empty()).then(|| facts.join(", "))
    }
}

impl QuartoKnowledge {
    /// The first move of `position` that is symmetric to `mv`, if that is another one; `None` if
    /// symmetry does not matter any more.
    fn first_symmetric<R: Ruleset>(&self, position: &Quarto<R>, mv: Move) -> Option<Move> {
        if position.placed() > MAX_PIECES_FOR_SYMMETRY {
            return None;
        }
        let key = self.key_after(position, mv);
        let mut moves = bits(position.choices()).map(|choice| position.choice(choice));
        moves.find(|&other| self.key_after(position, other) == key).filter(|&first| first != mv)
    }

    /// A key that two moves of `position` share only if they lead to symmetric positions.
    fn key_after<R: Ruleset>(&self, position: &Quarto<R>, mv: Move) -> u64 {
        let next = position.after(mv);
        match next.hand {
            None => self.symmetries.key(&next.board),
            Some(hand) => self.symmetries.key_with_hand(&next.board, hand),
        }
    }
}

/// The range of the size of a table, as powers of two: 32 KiB to 64 MiB.
const MIN_BITS: u32 = 11;
const MAX_BITS: u32 = 22;
/// The bytes of a slot of the table.
const SLOT_BYTES: usize = 16;

/// Returns the exact values of moves of `position`, best first, found by full search.
///
/// The list has the best move and, as far as the effort goes, the others that are wanted. `None` if
/// the game is over or the effort does not suffice for the best move.
///
/// The search takes at most 64 MiB of memory. Under `ggp` a [table](classes) has the values of early
/// positions, so that up to the choice of the piece that is placed fifth no search is needed. With
/// unlimited effort, all moves take about a tenth of a second from there on; the best move alone
/// takes a fifth of that, or half of it with five pieces on the board and one in hand. Under `spec`
/// all moves of any position, the start included, take a second or two at most.
///
/// ```
/// use quintet_core::game::{Game, Outcome, Side};
/// use quintet_games::{Ggp, Quarto};
/// use quintet_core::knowledge::{Effort, SolveScope};
/// use quintet_games::quarto::knowledge::solve;
///
/// let position: Quarto<Ggp> = "86a./c.d./.b.4/1f.. 0 w".parse()?;
/// let effort = Effort { positions: 1_000_000, deadline: None, stop: None };
/// let moves = solve(&position, SolveScope::All, effort).expect("enough");
/// assert_eq!(moves.len(), position.move_count());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn solve<R: Ruleset>(
    position: &Quarto<R>,
    wanted: SolveScope,
    effort: Effort,
) -> Option<Vec<Solved<Move>>> {
    if position.outcome().is_some() {
        return None;
    }
    moves::values(position, wanted, &mut solver(position, effort))
}

/// The solver for a position, with a table that is as large as the position needs.
fn solver<'a, R: Ruleset>(position: &Quarto<R>, effort: Effort<'a>) -> Solver<'a, R> {
    /// Under `ggp` one of 160 positions searched is stored. The table is ten times as large as that
    /// needs: some positions take much more than most, and all moves more than the best.
    const POSITIONS_PER_ENTRY: u64 = 16;
    let entries = expected_positions(position).min(effort.positions) / POSITIONS_PER_ENTRY;
    Solver::new((u64::BITS - entries.leading_zeros()).clamp(MIN_BITS, MAX_BITS), effort)
}

/// An estimate of the number of positions searched to find the best move of `position`: the median
/// over random positions with as many pieces that [`QuartoKnowledge`] does not prove at once, within
/// a factor of three.
fn expected_positions<R: Ruleset>(position: &Quarto<R>) -> u64 {
    /// By the number of pieces on the board, without and with a piece in hand. The first entries
    /// are 0: all moves lead to positions whose values are in the [table](classes). The last entry
    /// covers all higher numbers, with which all positions are proven at once.
    const GGP: [[u64; 2]; 12] = [
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 0],
        [0, 185_000],
        [430_000, 300_000],
        [55_000, 36_000],
        [8_000, 7_000],
        [1_800, 1_100],
        [490, 200],
        [110, 49],
        [35, 15],
    ];
    const SPEC: [[u64; 2]; 12] = [
        [6_000_000, 6_000_000],
        [6_000_000, 7_000_000],
        [10_000_000, 2_300_000],
        [530_000, 620_000],
        [810_000, 92_000],
        [28_000, 20_000],
        [34_000, 4_000],
        [620, 560],
        [520, 100],
        [43, 32],
        [53, 17],
        [7, 8],
    ];
    let table = if R::IS_GGP { GGP } else { SPEC };
    table[(position.placed() as usize).min(table.len() - 1)][usize::from(position.hand.is_some())]
}

/// The immediate wins and the safe choices of a position that is not over.
#[derive(Debug)]
struct Analysis<R> {
    board: QuartoBoard,
    threats: QuartoThreats,
    hand: Option<u8>,
    rules: PhantomData<R>,
}

impl<R: Ruleset> Analysis<R> {
    #[inline(always)]
    fn of(position: &Quarto<R>) -> Self {
        let board = position.board;
        Self { board, threats: QuartoThreats::of(&board), hand: position.hand, rules: PhantomData }
    }

    /// The choices that win in this turn.
    #[inline(always)]
    fn wins(&self) -> u16 {
        match self.hand {
            Some(hand) => self.threats.cells(hand),
            None if R::IS_GGP => 0,
            None => self.board.pool & self.threats.pieces(),
        }
    }

    /// The choices after which the other side can be denied a piece that completes a line. Without
    /// a piece in hand only the selection counts: under `spec` all are safe.
    #[inline(always)]
    fn safe(&self) -> u16 {
        let pool = self.board.pool;
        match self.hand {
            Some(hand) => bits(self.board.empty())
                .filter(|&cell| pool == 0 || is_safe_after::<R>(&self.threats, hand, cell, pool))
                .fold(0, |set, cell| set | 1 << cell),
            None if R::IS_GGP => pool & !self.threats.pieces(),
            None => pool,
        }
    }

    /// The value for the side to move, which has no win in this turn, by full search.
    fn value_of_few(&self) -> u8 {
        let board = self.board;
        let reaches = |turn: &QuartoTurn, goal| turn.reaches::<R>(goal, &mut 0);
        let turns: ArrayVec<QuartoTurn, CELLS> = match self.hand {
            Some(_) if board.pool == 0 => return DRAW,
            Some(hand) if !R::IS_GGP => {
                bits(self.safe()).map(|cell| QuartoTurn::new::<R>(board.with(hand, cell), 0)).collect()
            }
            None if R::IS_GGP => bits(self.safe()).map(|hand| QuartoTurn::new::<R>(board, hand)).collect(),
            hand => {
                let turn = QuartoTurn::new::<R>(board, hand.unwrap_or(0));
                return value_by(|goal| reaches(&turn, goal));
            }
        };
        value_by(|goal| turns.iter().any(|turn| !reaches(turn, opposite(goal))))
    }
}

/// Whether the other side can be kept from completing a line once `piece`, which completes none, is
/// on `cell`. `pool` is what is left of the pool and not empty. Under `ggp` one safe piece to hand
/// over is enough; under `spec` all pieces have to be safe.
#[inline(always)]
fn is_safe_after<R: Ruleset>(threats: &QuartoThreats, piece: u8, cell: u8, pool: u16) -> bool {
    let winning = threats.at(cell).pieces_after(piece) & pool;
    if R::IS_GGP { winning != pool } else { winning == 0 }
}

/// The outcome that has this value for `side`.
const fn outcome(value: u8, side: Side) -> Outcome {
    match value {
        LOSS => Outcome::Win(side.opponent()),
        DRAW => Outcome::Draw,
        _ => Outcome::Win(side),
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use quintet_core::clock::{Clock, Deadline};

    use super::*;
    use crate::samples::quarto::positions;
    use crate::samples::{after_all, moves_of};
    use crate::{Ggp, Spec};

    const WITHOUT_LIMIT: Effort = Effort { positions: u64::MAX, deadline: None, stop: None };

    #[test]
    fn the_effort_is_kept_to() {
        let position: Quarto<Ggp> = "3.../5.b0/...f/.... - b".parse().expect("valid");
        let mut solver = Solver::new(11, Effort { positions: 1_000, deadline: None, stop: None });
        assert!(moves::values(&position, SolveScope::All, &mut solver).is_none());
        assert!(solver.positions < 2_000);
        let clock = Clock::manual();
        let until = |time| Some(Deadline::new(clock.now() + time, &clock));
        let late = Effort { deadline: until(Duration::ZERO), ..WITHOUT_LIMIT };
        assert!(solve(&position, SolveScope::All, late).is_none());
        let stop = AtomicBool::new(true);
        let stopped = Effort { stop: Some(&stop), ..WITHOUT_LIMIT };
        assert!(solve(&position, SolveScope::All, stopped).is_none());
        // Without a chance of success the search does not start. The clock stands still, so if it
        // started, it would succeed.
        let short = Effort { deadline: until(Duration::from_millis(10)), ..WITHOUT_LIMIT };
        assert!(QuartoKnowledge::default().solve(&position, SolveScope::All, short).is_none());
    }

    /// The values of all moves are looked up, also when no time is left.
    #[test]
    fn early_positions_of_ggp_are_known_without_search() {
        let clock = Clock::manual();
        let over = Effort { positions: 0, deadline: Some(Deadline::new(clock.now(), &clock)), stop: None };
        let early = |it: &Quarto<Ggp>| it.placed() < 4 || it.hand.is_none();
        let mut seen = [0; 3];
        for position in positions(0..=4, 400).filter(early) {
            let moves = QuartoKnowledge::default().solve(&position, SolveScope::All, over).expect("known");
            assert_eq!(moves.len(), position.move_count(), "{position}");
            for solved in moves {
                seen[usize::from(solved.outcome.score(position.side_to_move()) / 50)] += 1;
            }
        }
        assert!(seen[0] > 10 && seen[1] > 1_000, "{seen:?}");
        let moves = QuartoKnowledge::default().solve(&Quarto::<Ggp>::initial(), SolveScope::All, over);
        assert!(moves.expect("known").iter().all(|it| it.outcome == Outcome::Draw));
    }

    /// Early positions of `spec` take long to solve, so a dropped move that is not lost has to be
    /// symmetric to a kept one.
    fn early_pruning_is_by_symmetry<R: Ruleset>() {
        let knowledge = QuartoKnowledge::default();
        for position in positions::<R>(0..=3, 200) {
            let mut kept = Candidates::new();
            knowledge.candidates(&position, &mut kept);
            let keys: Vec<_> = kept.iter().map(|(mv, _)| knowledge.key_after(&position, *mv)).collect();
            for mv in moves_of(&position) {
                let key = knowledge.key_after(&position, mv);
                let next = position.play(mv).expect("legal");
                let is_lost = after_all(&next).any(|next| matches!(next.outcome(), Some(Outcome::Win(_))));
                assert!(
                    is_lost || keys.contains(&key) || knowledge.prove(&next).is_some(),
                    "{position} {mv}"
                );
            }
        }
        let mut first = Candidates::new();
        knowledge.candidates(&Quarto::<R>::initial(), &mut first);
        assert_eq!(first.len(), 1);
    }

    #[test]
    fn early_pruning_is_by_symmetry_in_both() {
        early_pruning_is_by_symmetry::<Spec>();
        early_pruning_is_by_symmetry::<Ggp>();
    }

    /// The estimates decide whether a search is started, so they must not be far off.
    fn estimates_are_right<R: Ruleset>(counts: RangeInclusive<u32>) {
        const POSITIONS: usize = 20;
        let knowledge = QuartoKnowledge::default();
        for placed in counts {
            for has_hand in [false, true] {
                let is_open = |it: &Quarto<R>| it.hand.is_some() == has_hand && knowledge.prove(it).is_none();
                let positions = positions::<R>(placed..=placed, usize::MAX).filter(is_open).take(POSITIONS);
                let (mut searched, mut expected) = (Vec::new(), 0);
                for position in positions {
                    expected = expected_positions(&position);
                    let mut solver = solver(&position, WITHOUT_LIMIT);
                    moves::values(&position, SolveScope::Best, &mut solver).expect("no limit");
                    searched.push(solver.positions);
                }
                searched.sort_unstable();
                let median = searched[POSITIONS / 2];
                assert!(
                    expected <= 3 * median && median <= 3 * expected,
                    "{placed} pieces, one in hand: {has_hand}: {median} instead of {expected}"
                );
            }
        }
    }

    #[test]
    fn estimates_are_right_in_spec() {
        estimates_are_right::<Spec>(4..=11);
    }

    #[test]
    fn estimates_are_right_in_ggp() {
        estimates_are_right::<Ggp>(0..=11);
    }
}
