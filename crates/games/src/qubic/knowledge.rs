//! What is known of Qubic.
//!
//! The three choices of a turn mark a cell, whatever their order, and every blank cell can be marked: from
//! turn to turn the game is tic-tac-toe on the cube. What is known of that game is brought down to the
//! choices by the cells that they leave within reach.

#![expect(clippy::inline_always, reason = "directions have to be constants where sets are shifted")]

mod lines;
#[cfg(test)]
mod tests;
mod threats;

use crate::qubic::{CELLS, Move, PLANES};
use crate::{Known, Qubic, Ruleset};
use lines::{KINDS, completing, for_each_kind, is_line_free_of, ones_and_twos};
use quintet_core::game::{Game, Outcome, Rng, Side};
use quintet_core::knowledge::{Candidates, Knowledge, Selection, draw_outcome};
use threats::Threats;

/// Knowledge of Qubic: wins by threats, what there is to gain on each cell, and an evaluation in place of
/// rollouts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QubicKnowledge;

/// The most attacks that a search for threats tries. At the same time, play with 100 is about 80 Elo weaker,
/// and with 3,000 no stronger.
const ATTACKS: u32 = 1000;

/// The same for an explanation.
const PATIENT: u32 = 20_000;

/// How much likelier a strong search is to mark a cell for each line that it sees of some kind (see
/// [`KINDS`]): a fit to 1,483 turns without a line to complete or to stop, in which no win by threats was at
/// hand. It explains them with 12 equally good cells left, of 55. A heuristic.
///
/// Lines of three are not weighed: [`worth_a_look`] leaves no choice there.
const LIKELIHOODS: [f32; KINDS] = [1.8, 5.0, 27.0, 1.0, 2.6, 33.0, 1.0];

/// The odds of a win for the team to move, as logarithms in sixteenths: a fit to the results of games between
/// searches, at positions in which nothing is proven. A heuristic.
mod odds {
    /// What the turn is worth.
    pub(super) const TURN: i32 = 6;
    /// A line with one mark of the team and nothing else, and with two.
    pub(super) const LINES: [i32; 2] = [3, 15];
    /// A line of the other team that has to be stopped in this turn.
    pub(super) const TO_STOP: i32 = -25;
    /// The largest difference that counts.
    pub(super) const MOST: i32 = 127;

    /// What the team to move can expect, from -1 to 1, by the logarithm of the odds, from -[`MOST`] up.
    pub(super) static EXPECTATIONS: [f32; 2 * MOST as usize + 1] = {
        /// e to the power of 1/16.
        const STEP: f64 = 1.064_494_458_917_859_4;
        let middle = MOST as usize;
        let mut expectations = [0.0; 2 * MOST as usize + 1];
        let (mut i, mut odds) = (0, 1.0);
        while i <= middle {
            let expectation = ((odds - 1.0) / (odds + 1.0)) as f32;
            expectations[middle - i] = -expectation;
            expectations[middle + i] = expectation;
            odds *= STEP;
            i += 1;
        }
        expectations
    };
}

/// A position from the point of view of the team to move.
struct View {
    own: u64,
    other: u64,
    /// The cells that the team may still mark in this turn.
    reachable: u64,
    /// Those of them that complete a line.
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

    /// Whether the team wins in this turn, or the other in the next.
    ///
    /// Sound: the turn marks one of the reachable cells, so a line that one of them completes is won; if
    /// there is none, the other team completes a line in its turn unless the only cell that does so is
    /// marked.
    #[inline]
    fn at_once(&self) -> Option<Outcome> {
        if self.wins != 0 {
            return Some(Outcome::Win(self.side));
        }
        let is_lost = self.to_stop & !self.reachable != 0 || !self.to_stop.is_power_of_two();
        (self.to_stop != 0 && is_lost).then_some(Outcome::Win(self.side.opponent()))
    }

    /// A win by threats for the team to move, which begins in this turn.
    fn attack(&self, attacks: u32) -> Option<Threats> {
        Threats::find(self.own, self.other, self.reachable, attacks)
    }

    /// The cells of which one has to be marked in this turn, or the other team wins by threats; `None` if no
    /// such win is found. The team has no line to complete.
    fn defences(&self, attacks: u32) -> Option<u64> {
        let threats = Threats::find(self.other, self.own, u64::MAX, attacks)?;
        Some(threats.defences(self.other, self.own) & self.reachable)
    }
}

impl<R: Ruleset> Known for Qubic<R> {
    type Knowledge = QubicKnowledge;
}

impl<R: Ruleset> Knowledge<Qubic<R>> for QubicKnowledge {
    const SELECTION: Selection = Selection::Puct { c: 1.5 };

    /// Draws the outcome by the chances that the lines of both teams promise. Games are decided by lines of
    /// two that meet, which random play to the end says little of.
    #[inline]
    fn rollout(&self, position: &Qubic<R>, rng: &mut Rng) -> Outcome {
        let view = View::new(position);
        let [own, other] = ones_and_twos([view.own, view.other]);
        let mut promise = odds::TURN;
        for ((own, other), weight) in own.into_iter().zip(other).zip(odds::LINES) {
            promise += weight * (own as i32 - other as i32);
        }
        if view.to_stop != 0 {
            promise += odds::TO_STOP;
        }
        let index = odds::MOST + promise.clamp(-odds::MOST, odds::MOST);
        draw_outcome(view.side, odds::EXPECTATIONS[index as usize], rng)
    }

    /// The choices that leave one of the cells [`worth_a_look`] within reach, each with the weights of all of
    /// these together.
    fn candidates(&self, position: &Qubic<R>, moves: &mut Candidates<Move>) {
        let view = View::new(position);
        let mut worth = worth_a_look(&view);
        if worth == 0 {
            worth = view.reachable;
        }
        let weights = weights(&view, worth);
        let axis = position.axis();
        for (value, plane) in (0..).zip(PLANES[usize::from(axis)]) {
            if worth & plane != 0 {
                moves.push((Move::choose(axis, value), bits(worth & plane).map(|cell| weights[cell]).sum()));
            }
        }
    }

    /// Lines that are complete within a turn, wins by threats, and draws for want of lines.
    ///
    /// Inside a turn the search for threats is left out: it has been done when the turn began.
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
        // The one cell that stops a line has to be marked, and the other team goes on from there.
        if view.to_stop != 0
            && Threats::find(view.other, view.own | view.to_stop, u64::MAX, ATTACKS).is_some()
        {
            return Some(Outcome::Win(view.side.opponent()));
        }
        // Each line has a mark of both teams: nobody will complete one.
        let is_dead =
            position.turns >= MIN_FOR_A_DRAW && ![view.own, view.other].into_iter().any(is_line_free_of);
        is_dead.then_some(Outcome::Draw)
    }

    /// Whether the move completes or stops a line, or what threats come of it.
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
        let threats = if let Some(threats) = view.attack(PATIENT) {
            wins(threats.turns())
        } else if view.to_stop == 0 && view.defences(PATIENT) == Some(0) {
            "lets the other team win by threats".to_owned()
        } else {
            String::new()
        };
        let why = format!("{stops}{threats}");
        let why = why.trim_end_matches(", ");
        (!why.is_empty()).then(|| why.to_owned())
    }
}

/// With fewer marks there is hardly ever no line left to complete, and a look is not worth its time.
const MIN_FOR_A_DRAW: u8 = 40;

/// The cells within reach of which one is as good as any: none, if all of them are known to lose.
///
/// Sound: a win is as good as any cell can be, and a cell that loses is as good as none.
fn worth_a_look(view: &View) -> u64 {
    if view.wins != 0 {
        return view.wins;
    }
    if let Some(threats) = view.attack(ATTACKS) {
        return 1 << threats.first();
    }
    if view.to_stop != 0 {
        // If there are more to stop, all is lost, whichever of them is marked.
        return view.to_stop & view.reachable;
    }
    view.defences(ATTACKS).unwrap_or(view.reachable)
}

/// How much there seems to be to gain on each of `cells`.
fn weights(view: &View, cells: u64) -> [f32; CELLS] {
    let mut weights = [1.0; CELLS];
    for_each_kind(view.own, view.other, |kind, seen| {
        for cell in bits(seen & cells) {
            weights[cell] *= LIKELIHOODS[kind];
        }
    });
    weights
}

/// The cells of a set.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let cell = set.trailing_zeros() as usize;
            set &= set - 1;
            cell
        })
    })
}
