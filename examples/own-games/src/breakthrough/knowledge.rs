//! Knowledge of Breakthrough: which moves look good, and which pawn can't be stopped.

use super::{Breakthrough, LAST_ROW, Move, advance, attacks, stepped};
use quintet_core::game::{Game as _, MoveList, Outcome};
use quintet_core::knowledge::{Candidates, Knowledge, Selection};

/// What is known of Breakthrough.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BreakthroughKnowledge;

/// The weight of a step to each row, counted from the pawn's first row.
const WORTH_OF_ROW: [f32; 8] = [1.0, 1.0, 1.0, 1.5, 2.5, 5.0, 20.0, 1000.0];
/// The factor for a capture.
const CAPTURE: f32 = 8.0;
/// The factor for a step to where the other color can capture and no pawn can recapture.
const HANGING: f32 = 0.2;

impl Breakthrough {
    /// Whether the mover wins by its next move: a pawn is one step from the last row, where nothing
    /// of its own color is in the way, or the other color's only pawn can be captured.
    fn wins_at_once(&self) -> bool {
        let color = self.role_to_move();
        let [own, other] = [self.pawns[color], self.pawns[1 - color]];
        self.one_step_away(color) != 0 || other.is_power_of_two() && attacks(own, color) & other != 0
    }

    /// The pawns of `color` that are one step from its last row.
    fn one_step_away(&self, color: usize) -> u64 {
        self.pawns[color] & stepped(LAST_ROW[color], 1 - color, 0)
    }
}

impl Knowledge<Breakthrough> for BreakthroughKnowledge {
    const SELECTION: Selection = Selection::Puct { c: 1.5 };

    fn candidates(&self, position: &Breakthrough, moves: &mut Candidates<Move>) {
        let color = position.role_to_move();
        let [own, other] = [position.pawns[color], position.pawns[1 - color]];
        let attacked = attacks(other, 1 - color);
        let weight = |mv: Move| {
            let to = 1 << mv.to;
            let mut weight = WORTH_OF_ROW[usize::from(advance(mv.to, color))];
            if other & to != 0 {
                weight *= CAPTURE;
            }
            let is_covered = attacks(own & !(1 << mv.from), color) & to != 0;
            if attacked & to != 0 && !is_covered { weight * HANGING } else { weight }
        };
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        moves.extend(legal.into_iter().map(|mv| (mv, weight(mv))));
    }

    /// Finds wins in one ply and losses in two: one move can't stop two pawns, nor a pawn that it
    /// can't capture.
    fn prove(&self, position: &Breakthrough) -> Option<Outcome> {
        let color = position.role_to_move();
        let [side, opponent] = [color, 1 - color].map(|color| Breakthrough::ROLES[color].side);
        if position.wins_at_once() {
            return Some(Outcome::Win(side));
        }
        let threats = position.one_step_away(1 - color);
        let capturable = threats & attacks(position.pawns[color], color);
        let is_lost = threats.count_ones() > 1 || threats != capturable;
        is_lost.then_some(Outcome::Win(opponent))
    }

    fn explain(&self, position: &Breakthrough, mv: Move) -> Option<String> {
        let color = position.role_to_move();
        let mut next = *position;
        next.apply(mv);
        let words = if next.pawns[1 - color] == 0 {
            "captures the last pawn"
        } else if next.outcome().is_some() {
            "reaches the last row"
        } else if let Some(outcome) = self.prove(&next) {
            let is_won = outcome == Outcome::Win(Breakthrough::ROLES[color].side);
            if is_won { "can't be stopped" } else { "lets the opponent win at once" }
        } else if next.pawns[1 - color] != position.pawns[1 - color] {
            "captures a pawn"
        } else {
            return None;
        };
        Some(words.to_owned())
    }
}
