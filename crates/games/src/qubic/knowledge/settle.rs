//! The value of a position, by the strategy of team X or by proofs that a team wins.

use super::QubicKnowledge;
use super::cube::Cube;
use super::proof::{Choices, Proof};
use super::strategy::{choices_from, has_been_followed, winning_cells};
use crate::Ruleset;
use crate::qubic::{Move, Qubic};
use quintet_core::game::{Bounds, Game, Outcome, Side};
use quintet_core::knowledge::Effort;
use quintet_core::solver::{self, Claim, SettleOptions, SettleResult, Strategy};

/// The positions of the first proof of each kind; each next one has twice as many.
const FIRST_SLICE: u64 = 1 << 12;

pub(super) fn settle<R: Ruleset>(
    position: &Qubic<R>,
    options: &SettleOptions,
) -> SettleResult<Qubic<R>, Move> {
    if position.outcome().is_some() {
        return solver::settle(&QubicKnowledge, position, options);
    }
    if let Some(settled) = settle_by_strategy(position, options) {
        return settled;
    }
    let cube = Cube::of(position);
    let memory = options.memory / 3;
    let mut proofs = [Side::First, Side::Second].map(|side| (side, Proof::new(side, memory)));
    let mut left = options.effort.positions;
    let mut slice = FIRST_SLICE;
    let mut bounds = Bounds::UNKNOWN;
    while left > 0 && !options.effort.is_over() {
        // A proof that considers whole turns says nothing about one that has begun.
        for (side, proof) in proofs.iter_mut().filter(|_| position.chosen == 0) {
            let before = proof.positions();
            let effort = Effort { positions: slice.min(left), ..options.effort };
            let decided = proof.decide(&cube, effort);
            options.progress.add_positions(proof.positions() - before);
            if decided == Some(true) {
                let best = towards(position, proof.winning_cells(&cube));
                let choices = options.wants_strategies.then(|| proof.choices(&cube, options.effort));
                return win(*side, "df-pn by threats", best, choices.flatten().as_ref());
            }
        }
        // What the threats don't decide may be decided by all moves.
        let effort = Effort { positions: slice.min(left), ..options.effort };
        let settled =
            solver::settle(&QubicKnowledge, position, &SettleOptions { effort, memory, ..*options });
        if settled.bounds.outcome().is_some() {
            return settled;
        }
        bounds = bounds.and(settled.bounds);
        left = left.saturating_sub(slice);
        slice *= 2;
    }
    SettleResult::of_bounds(bounds, "df-pn")
}

/// The choice of team X by its strategy, if it is to move and has followed it so far.
pub(super) fn by_strategy<R: Ruleset>(position: &Qubic<R>) -> Option<Move> {
    let cells = winning_cells(&Cube::of(position))?;
    towards(position, cells & position.reachable())
}

/// The value, if team X has followed its strategy so far.
fn settle_by_strategy<R: Ruleset>(
    position: &Qubic<R>,
    options: &SettleOptions,
) -> Option<SettleResult<Qubic<R>, Move>> {
    let cube = Cube::of(position);
    let best = by_strategy(position);
    if best.is_none() && !has_been_followed(&cube) {
        return None;
    }
    let is_wanted = options.wants_strategies && position.chosen == 0;
    let choices = is_wanted.then(|| choices_from(&cube, options.effort)).flatten();
    Some(win(Side::First, "the strategy of team X", best, choices.as_ref()))
}

/// A win of `side`, with its strategy if the choices are known.
fn win<R: Ruleset>(
    side: Side,
    method: &'static str,
    best: Option<Move>,
    choices: Option<&Choices>,
) -> SettleResult<Qubic<R>, Move> {
    let strategies = choices.into_iter().map(|choices| with_turns(side, choices)).collect();
    let bounds = Bounds::exactly(Outcome::Win(side));
    SettleResult { best, strategies, ..SettleResult::of_bounds(bounds, method) }
}

/// The choice of the role to move that leaves one of `cells` reachable, if there is one.
fn towards<R: Ruleset>(position: &Qubic<R>, cells: u64) -> Option<Move> {
    // All roles of the team have to head for the same cell.
    let cell = cells & cells.wrapping_neg();
    position.move_list().into_iter().find(|mv| mv.plane() & cell != 0)
}

/// A strategy with the moves of whole turns.
fn with_turns<R: Ruleset>(side: Side, choices: &Choices) -> Strategy<Qubic<R>, Move> {
    let turn = |&(cube, cell): &(Cube, u8)| {
        let start = Qubic::at_turn(cube.marks);
        let mut position = start;
        let mut moves = Vec::new();
        while moves.len() < 3 {
            let Some(mv) = towards(&position, 1 << cell) else { break };
            moves.push(mv);
            position.apply(mv);
        }
        (start, moves)
    };
    Strategy { claim: Claim::win(side), search_from: 0, choices: choices.iter().map(turn).collect() }
}
