//! Knowledge of Qubic.
//!
//! The three choices of a turn mark a cell, whatever their order, and every blank cell can be
//! marked, so from turn to turn the game is tic-tac-toe on the cube. Knowledge of that game applies
//! to a choice through the cells that it leaves reachable.

mod attack;
mod cube;
mod lines;
mod proof;
mod settle;
pub mod strategy;
mod symmetry;
#[cfg(test)]
mod tests;
mod threats;

use crate::qubic::{CELLS, Move, PLANES};
use crate::{HasKnowledge, Qubic, Ruleset};
use lines::{KINDS, completing, for_each_kind, is_line_free_of, ones_and_twos};
use quintet_core::bits::bits;
use quintet_core::game::{Game, Outcome, Rng, Side};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, Selection, SolveScope, Solved, Value};
use quintet_core::solver::{SettleOptions, SettleResult};
use threats::Threats;

/// Knowledge of Qubic: wins by threats, weights of cells, and an evaluation in place of rollouts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QubicKnowledge;

/// The maximum number of attacks that a search for threats tries. At equal time, play with 100 is
/// about 80 Elo weaker, and with 3,000 no stronger.
const ATTACKS: u32 = 1000;

/// The same limit for an explanation.
const EXPLANATION_ATTACKS: u32 = 20_000;

/// How much likelier a strong search is to mark a cell for each line of some kind through it (see
/// [`KINDS`]): a fit to 1,483 turns without a line to complete or to stop and without a known win
/// by threats. Its perplexity is 12 cells, of 55. A heuristic.
///
/// Lines of three have no weight: [`best_cells`] leaves no choice there.
const LIKELIHOODS: [f32; KINDS] = [1.8, 5.0, 27.0, 1.0, 2.6, 33.0, 1.0];

/// The evaluation: logarithms, in sixteenths, of the odds of a win for the team to move, fitted to
/// the results of games between searches, at positions in which nothing is proven. A heuristic.
mod odds {
    /// The value of having the turn.
    pub(super) const TURN: i32 = 6;
    /// A line with one mark of the team and none of the other team, and with two.
    pub(super) const LINES: [i32; 2] = [3, 15];
    /// A line of the other team that has to be stopped in this turn.
    pub(super) const TO_STOP: i32 = -25;
    /// The bound of the logarithm, either way.
    pub(super) const LIMIT: i32 = 127;

    /// The expected result for the team to move, from -1 to 1, by the logarithm of the odds, from
    /// -[`LIMIT`] up.
    pub(super) static EXPECTATIONS: [f32; 2 * LIMIT as usize + 1] = {
        /// e to the power of 1/16.
        const STEP: f64 = 1.064_494_458_917_859_4;
        let middle = LIMIT as usize;
        let mut expectations = [0.0; 2 * LIMIT as usize + 1];
        let mut odds = 1.0;
        const_for!(0..middle + 1, |i| {
            let expectation = ((odds - 1.0) / (odds + 1.0)) as f32;
            expectations[middle - i] = -expectation;
            expectations[middle + i] = expectation;
            odds *= STEP;
        });
        expectations
    };
}

/// A position from the point of view of the team to move.
struct View {
    own: u64,
    other: u64,
    /// The cells that the team may still mark in this turn.
    reachable: u64,
    /// The reachable cells that complete a line.
    wins: u64,
    /// The cells that complete a line of the other team.
    to_stop: u64,
    side: Side,
}

impl View {
    #[inline]
    fn new<R: Ruleset>(position: &Qubic<R>) -> Self {
        let team = usize::from(position.turns & 1);
        let [own, other] = [position.marks[team], position.marks[1 - team]];
        let reachable = position.reachable();
        Self {
            own,
            other,
            reachable,
            wins: completing(own) & reachable,
            to_stop: completing(other) & !(own | other),
            side: position.side_to_move(),
        }
    }

    /// The outcome, if the team wins in this turn or the other team in the next.
    ///
    /// Sound: the turn marks one of the reachable cells, so a reachable cell that completes a line
    /// wins. If there is none, the other team completes a line in its turn unless only one cell
    /// does so and the team can mark it.
    #[inline]
    fn at_once(&self) -> Option<Outcome> {
        if self.wins != 0 {
            return Some(Outcome::Win(self.side));
        }
        let is_lost = self.to_stop & !self.reachable != 0 || !self.to_stop.is_power_of_two();
        (self.to_stop != 0 && is_lost).then_some(Outcome::Win(self.side.opponent()))
    }

    /// A win by threats for the team to move, starting in this turn.
    fn attack(&self, attacks: u32) -> Option<Threats> {
        Threats::find(self.own, self.other, self.reachable, attacks)
    }

    /// The reachable cells that may refute a win by threats of the other team: the team has to mark
    /// one of them in this turn. `None` if no such win is found. The team must have no line to
    /// complete.
    fn refutations(&self, attacks: u32) -> Option<u64> {
        let threats = Threats::find(self.other, self.own, u64::MAX, attacks)?;
        Some(threats.refutations(self.other, self.own) & self.reachable)
    }
}

impl<R: Ruleset> HasKnowledge for Qubic<R> {
    type Knowledge = QubicKnowledge;
}

impl<R: Ruleset> Knowledge<Qubic<R>> for QubicKnowledge {
    const SELECTION: Selection = Selection::Puct { c: 1.05 };
    const HAS_STRATEGIES: bool = true;

    /// Evaluates the lines of both teams. Games are decided by lines of
    /// two that cross, which random play says little about.
    #[inline]
    fn evaluate(&self, position: &Qubic<R>, _: &mut Rng) -> Value {
        let view = View::new(position);
        let [own, other] = ones_and_twos([view.own, view.other]);
        let mut log_odds = odds::TURN;
        for ((own, other), weight) in own.into_iter().zip(other).zip(odds::LINES) {
            log_odds += weight * (own as i32 - other as i32);
        }
        if view.to_stop != 0 {
            log_odds += odds::TO_STOP;
        }
        let index = odds::LIMIT + log_odds.clamp(-odds::LIMIT, odds::LIMIT);
        Value::expected(view.side, odds::EXPECTATIONS[index as usize])
    }

    /// The choices that leave one of the best cells reachable, each with the sum of the weights
    /// of these cells.
    fn candidates(&self, position: &Qubic<R>, moves: &mut Candidates<Move>) {
        let view = View::new(position);
        let mut cells = best_cells(&view);
        if cells == 0 {
            cells = view.reachable;
        }
        let weights = weights(&view, cells);
        let axis = position.axis();
        for (value, plane) in (0..).zip(PLANES[usize::from(axis)]) {
            if cells & plane != 0 {
                let weight = bits(cells & plane).map(|cell| weights[usize::from(cell)]).sum();
                moves.push((Move::choose(axis, value), weight));
            }
        }
    }

    /// Proves lines completed within a turn, wins by threats, and draws because no line is left.
    ///
    /// Within a turn threats are not searched: that was done when the turn began.
    #[inline]
    fn prove(&self, position: &Qubic<R>) -> Option<Outcome> {
        let view = View::new(position);
        let outcome = view.at_once();
        if outcome.is_some() || position.chosen > 0 {
            return outcome;
        }
        if view.attack(ATTACKS).is_some() {
            return Some(Outcome::Win(view.side));
        }
        // The only cell that stops a line has to be marked; then the other team attacks.
        if view.to_stop != 0
            && Threats::find(view.other, view.own | view.to_stop, u64::MAX, ATTACKS).is_some()
        {
            return Some(Outcome::Win(view.side.opponent()));
        }
        // Every line has marks of both teams, so nobody can complete one.
        let is_dead =
            position.turns >= MIN_FOR_A_DRAW && ![view.own, view.other].into_iter().any(is_line_free_of);
        is_dead.then_some(Outcome::Draw)
    }

    /// The winning choice of the strategy, if team X is to move and has followed it so far.
    ///
    /// With [`SolveScope::Best`] it says nothing at the start of a turn: there the search asks what its best
    /// choice for team O is worth. All choices of O lose, so O would leave it for one that was searched less.
    fn solve(&self, position: &Qubic<R>, wanted: SolveScope, _: Effort) -> Option<Vec<Solved<Move>>> {
        if wanted == SolveScope::Best && position.chosen == 0 {
            return None;
        }
        let mv = settle::by_strategy(position)?;
        Some(vec![Solved { mv, outcome: Outcome::Win(Side::First), plies: None }])
    }

    /// By the strategy, by proofs that consider threats, and by all moves.
    fn settle(&self, position: &Qubic<R>, options: &SettleOptions) -> SettleResult<Qubic<R>, Move> {
        settle::settle(position, options)
    }

    /// Says whether the move completes or stops a line, and whether a team then wins by threats, or
    /// team X by its strategy.
    fn explain(&self, position: &Qubic<R>, mv: Move) -> Option<String> {
        let view = View::new(position);
        let is_last = position.chosen == 2;
        let view = View { reachable: view.reachable & mv.plane(), wins: view.wins & mv.plane(), ..view };
        if view.wins != 0 {
            return Some(if is_last { "completes a line" } else { "leaves a line to complete" }.to_owned());
        }
        if view.at_once().is_some() {
            return Some("leaves a line of the other team open".to_owned());
        }
        let stops = match (view.to_stop != 0, is_last) {
            (false, _) => "",
            (true, true) => "blocks a line, ",
            (true, false) => "leaves a line to block, ",
        };
        let wins =
            |turns: usize| format!("wins by threats in {} plies", 3 * turns - usize::from(position.chosen));
        let threats = if let Some(threats) = view.attack(EXPLANATION_ATTACKS) {
            wins(threats.turns())
        } else if settle::by_strategy(position).is_some_and(|best| best == mv) {
            "strategy".to_owned()
        } else if view.to_stop == 0 && view.refutations(EXPLANATION_ATTACKS) == Some(0) {
            "lets the other team win by threats".to_owned()
        } else {
            String::new()
        };
        let why = format!("{stops}{threats}");
        let why = why.trim_end_matches(", ");
        (!why.is_empty()).then(|| why.to_owned())
    }
}

/// The least number of marks for the check that no line is left: with fewer, some line almost
/// always is, and the check is not worth its time.
const MIN_FOR_A_DRAW: u8 = 40;

/// Reachable cells that include a best one; none if all are known to lose.
///
/// Sound: no cell is better than a win, and a cell that loses is never better than another.
fn best_cells(view: &View) -> u64 {
    if view.wins != 0 {
        return view.wins;
    }
    if let Some(threats) = view.attack(ATTACKS) {
        return 1 << threats.first();
    }
    if view.to_stop != 0 {
        // If there are several, the team loses whichever it marks.
        return view.to_stop & view.reachable;
    }
    view.refutations(ATTACKS).unwrap_or(view.reachable)
}

/// The weights of `cells`, by the lines through them.
fn weights(view: &View, cells: u64) -> [f32; CELLS] {
    let mut weights = [1.0; CELLS];
    for_each_kind(view.own, view.other, |kind, seen| {
        for cell in bits(seen & cells) {
            weights[usize::from(cell)] *= LIKELIHOODS[kind];
        }
    });
    weights
}
