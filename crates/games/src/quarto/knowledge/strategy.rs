//! Strategies under `ggp`, for certificates.

use std::collections::HashSet;

use super::board::QuartoThreats;
use super::solver::Solver;
use super::turn::{DRAW, LOSS, QuartoTurn, WIN};
use crate::Ruleset;
use crate::quarto::{Move, Quarto};
use quintet_core::bits::bits;
use quintet_core::game::{DRAW_SCORE, Game};
use quintet_core::solver::{Claim, Strategy};

/// From this number of pieces on, positions are left to full search.
const SEARCH_FROM: u32 = 4;

/// The strategy for a claim that is true of `position`. `None` if the effort of the solver is spent.
pub(super) fn strategy<R: Ruleset>(
    position: &Quarto<R>,
    claim: Claim,
    solver: &mut Solver<'_, R>,
) -> Option<Strategy<Quarto<R>, Move>> {
    let mut walk = Walk { claim, solver, seen: HashSet::new(), choices: Vec::new() };
    walk.visit(position)?;
    Some(Strategy { claim, search_from: SEARCH_FROM, choices: walk.choices })
}

struct Walk<'a, 'b, R: Ruleset> {
    claim: Claim,
    solver: &'a mut Solver<'b, R>,
    /// The turns visited, by their class.
    seen: HashSet<u64>,
    choices: Vec<(Quarto<R>, Vec<Move>)>,
}

impl<R: Ruleset> Walk<'_, '_, R> {
    fn visit(&mut self, position: &Quarto<R>) -> Option<()> {
        if position.outcome().is_some() || position.placed() >= SEARCH_FROM {
            return Some(());
        }
        if let Some(turn) = turn(position)
            && !self.seen.insert(self.solver.place(&turn))
        {
            return Some(());
        }
        let turns = turns(position);
        if position.side_to_move() != self.claim.side {
            return turns.into_iter().try_for_each(|(_, next)| self.visit(&next));
        }
        // Whoever checks the strategy sees a win at once.
        if turns.iter().any(|(_, next)| next.outcome().is_some_and(|outcome| self.claim.holds(outcome))) {
            return Some(());
        }
        for (moves, next) in turns {
            if self.holds(&next)? {
                self.choices.push((*position, moves));
                return self.visit(&next);
            }
        }
        None
    }

    /// What the side has to reach.
    const fn goal(&self) -> u8 {
        self.claim.score / DRAW_SCORE
    }

    /// Whether the claim is true of the start of a turn of the other side.
    fn holds(&mut self, position: &Quarto<R>) -> Option<bool> {
        if let Some(outcome) = position.outcome() {
            return Some(self.claim.holds(outcome));
        }
        let value = match turn(position) {
            Some(turn) => self.solver.value(&turn, LOSS, WIN + DRAW - self.goal())?,
            None => WIN,
        };
        Some(WIN - value >= self.goal())
    }
}

/// The turn that begins with a piece in hand that completes no line.
fn turn<R: Ruleset>(position: &Quarto<R>) -> Option<QuartoTurn> {
    let board = position.board;
    let hand = position.hand?;
    (QuartoThreats::of(&board).cells(hand) == 0).then(|| QuartoTurn::new::<R>(board, hand))
}

/// The whole turns of the side to move, with the positions after them: it places the piece in hand,
/// if there is one, and hands over another.
fn turns<R: Ruleset>(position: &Quarto<R>) -> Vec<(Vec<Move>, Quarto<R>)> {
    let side = position.side_to_move();
    let mut open = vec![(Vec::new(), *position)];
    let mut turns = Vec::new();
    while let Some((moves, position)) = open.pop() {
        for choice in bits(position.choices()) {
            let mv = position.choice(choice);
            let next = position.after(mv);
            let moves = [moves.as_slice(), &[mv]].concat();
            let goes_on = next.outcome().is_none() && next.side_to_move() == side;
            if goes_on { &mut open } else { &mut turns }.push((moves, next));
        }
    }
    turns
}
