//! Victory by continuous threats (VCT) under `ggp`: turns after which the same color would win with its
//! next turn. In lambda search such threats are of order one, as fours in Gomoku are.
//!
//! Such a threat leaves few replies, as all others lose at once. So a sequence of threats that wins against
//! all of them is a proven win. It is found by depth-first proof-number search over whole turns. The term is
//! from Renju and Gomoku.

use quintet_core::bits::bits;
use quintet_core::game::{Game, Outcome};
use quintet_core::knowledge::{Effort, FORKS_FILL_MEMORY, Prover, SolveScope};
use quintet_core::solver::{Claim, LeafStatus, ProofHeuristic, Successor, WinSearch, initial_proof_numbers};

use super::board::PentagoBoard;
use super::evaluation::points;
use super::exact::exactly;
use super::threats::{attacks, defenses};
use crate::pentago::rollout::WIDTH;
use crate::pentago::{CELLS, Move};
use crate::{Pentago, Ruleset};

/// A search for VCTs of both colors, which keeps what it has found.
#[derive(Debug)]
pub(super) struct VctSearch<R: Ruleset> {
    memory: usize,
    /// Whether a side wins by a VCT, whoever is to place.
    pub(super) wins: WinSearch<Pentago<R>, Threats>,
}

/// The maximum memory of a search for VCTs, in bytes.
pub(super) const VCT_MEMORY: usize = 32 << 20;
/// With at most this effort, in positions, a VCT is searched only where the evaluation makes it likely.
const FEW: u64 = 1024;
/// The evaluation for the color to move from which on it is likely to have a VCT, and that up to which the
/// other color is. In between, a proof takes five times the positions.
const LIKELY: [i32; 2] = [100, -150];

impl<R: Ruleset> VctSearch<R> {
    /// The minimum memory, in bytes.
    pub(super) const MIN_MEMORY: usize = 1 << 17;

    /// A search with at most `memory` bytes for what it finds, which is at least
    /// [`MIN_MEMORY`](Self::MIN_MEMORY).
    pub(super) fn new(memory: usize) -> Self {
        Self { memory, wins: WinSearch::new(|| Threats, memory) }
    }

    /// A placement that keeps the VCT which has been found for the color that places.
    pub(super) fn first(&self, position: &Pentago<R>) -> Option<Move> {
        let search = self.wins.of(position.side_to_move());
        let (color, _) = Pentago::<R>::phase(position.ply);
        let mut turns = turns(position, |board, rotation| attacks(board, color, rotation));
        turns.find(|(_, after)| search.known(after) == Some(true)).map(|(mv, _)| mv)
    }
}

impl<R: Ruleset> Prover<Pentago<R>> for VctSearch<R> {
    fn prove(&mut self, position: &Pentago<R>, effort: Effort) -> Option<Outcome> {
        if let Some(solved) = exactly(position, SolveScope::Best, effort) {
            return solved.first().map(|best| best.outcome);
        }
        if Pentago::<R>::phase(position.ply).1 {
            return None;
        }
        if effort.positions > FEW {
            return self.wins.either_wins(position, effort);
        }
        let side = position.side_to_move();
        let points = points::<R>(position.stones, position.ply);
        let side = if points >= LIKELY[0] {
            side
        } else if points <= LIKELY[1] {
            side.opponent()
        } else {
            return None;
        };
        self.wins.proves_win(position, side, effort).then_some(Outcome::Win(side))
    }

    fn winning_move(&self, position: &Pentago<R>) -> Option<Move> {
        if Pentago::<R>::phase(position.ply).1 { None } else { self.first(position) }
    }

    fn fork(&mut self) -> Option<Box<dyn Prover<Pentago<R>>>> {
        let memory = self.memory / FORKS_FILL_MEMORY;
        (memory >= Self::MIN_MEMORY).then(|| {
            Box::new(Self { memory, wins: self.wins.fork(|| Threats, memory) }) as Box<dyn Prover<_>>
        })
    }

    fn share(&mut self) {
        self.wins.share();
    }

    fn forget(&mut self) {
        *self = Self::new(self.memory);
    }
}

/// The turns whose placements `labels` gives for each rotation: the placement, and the position after the
/// turn.
fn turns<R: Ruleset>(
    position: &Pentago<R>,
    labels: impl Fn(&PentagoBoard, usize) -> u64,
) -> impl Iterator<Item = (Move, Pentago<R>)> {
    let position = *position;
    let board = PentagoBoard::new(position.stones);
    (0..PentagoBoard::ROTATIONS).flat_map(move |rotation| {
        bits(labels(&board, rotation)).map(move |label| {
            let (quadrant, within) = (usize::from(label) / WIDTH, usize::from(label) % WIDTH);
            let placement = Move((9 * quadrant + within) as u8);
            let mut after = position.after(placement);
            after.apply(Move((CELLS + rotation) as u8));
            (placement, after)
        })
    })
}

/// With fewer empty cells nothing is searched. Proofs need at least three: the last stone has no rotation
/// after it.
const MIN_EMPTY: u32 = 4;
/// A color with fewer stones can't threaten anything.
const MIN_STONES: u32 = 3;
/// The first disproof number of a position in which the defender is to move, and the proof number for
/// each cell on which a stone may stop the threat.
const OF_DEFENSE: u32 = 4;

/// The heuristic to a VCT of the side that wins by the claim. Its positions are those before placements.
#[derive(Debug)]
pub(super) struct Threats;

impl<R: Ruleset> ProofHeuristic<Pentago<R>> for Threats {
    type Note = ();

    fn leaf_status(&mut self, position: &Pentago<R>, claim: Claim) -> LeafStatus<()> {
        match position.outcome() {
            Some(outcome) if claim.holds(outcome) => return LeafStatus::Proven,
            Some(_) => return LeafStatus::Disproven,
            None => {}
        }
        let board = PentagoBoard::new(position.stones);
        let attacker = claim.side as usize;
        let (color, _) = Pentago::<R>::phase(position.ply);
        let is_own = color == attacker;
        let threatens = board.wins_by_turn(attacker);
        if is_own && threatens {
            return LeafStatus::Proven;
        }
        if board.empty().count_ones() < MIN_EMPTY {
            return LeafStatus::Disproven;
        }
        if is_own {
            if board.stones[attacker].count_ones() < MIN_STONES {
                return LeafStatus::Disproven;
            }
            let (proof, disproof) = initial_proof_numbers(points::<R>(position.stones, position.ply));
            return LeafStatus::Open { proof, disproof, note: () };
        }
        if !threatens || board.wins_by_turn(color) {
            return LeafStatus::Disproven;
        }
        let cells =
            (0..PentagoBoard::ROTATIONS).fold(0, |cells, rotation| cells | defenses(&board, color, rotation));
        if cells == 0 {
            return LeafStatus::Proven;
        }
        LeafStatus::Open { proof: OF_DEFENSE * cells.count_ones(), disproof: OF_DEFENSE, note: () }
    }

    fn successors(
        &mut self,
        position: &Pentago<R>,
        claim: Claim,
        (): &mut (),
        successors: &mut Vec<Successor<Pentago<R>, ()>>,
    ) {
        let (color, _) = Pentago::<R>::phase(position.ply);
        let is_own = color == claim.side as usize;
        let labels = |board: &PentagoBoard, rotation| {
            if is_own { attacks(board, color, rotation) } else { defenses(board, color, rotation) }
        };
        successors.extend(turns(position, labels).map(|(_, position)| Successor { position, status: None }));
    }
}

#[cfg(test)]
mod tests {

    use quintet_core::game::Side;
    use quintet_core::knowledge::Knowledge;

    use super::*;
    use crate::Ggp;
    use crate::pentago::knowledge::PentagoKnowledge;
    use crate::samples::pentago::positions;

    /// All that can follow a turn, which may end with the placement, with its moves.
    fn all_turns(position: &Pentago<Ggp>) -> Vec<(Vec<Move>, Pentago<Ggp>)> {
        let follow = |position: &Pentago<Ggp>| {
            let moves = position.move_list();
            let position = *position;
            moves.into_iter().map(move |mv| {
                let after = position.after(mv);
                (mv, after)
            })
        };
        let mut turns = Vec::new();
        for (placement, placed) in follow(position) {
            if placed.outcome().is_some() {
                turns.push((vec![placement], placed));
            }
            turns.extend(follow(&placed).map(|(rotation, after)| (vec![placement, rotation], after)));
        }
        turns
    }

    fn can_win(position: &Pentago<Ggp>, side: Side) -> bool {
        all_turns(position).iter().any(|(_, after)| after.outcome() == Some(Outcome::Win(side)))
    }

    /// The same board with the other color to place, as if this one passed.
    fn passed(position: &Pentago<Ggp>) -> Pentago<Ggp> {
        Pentago { ply: position.ply ^ 2, ..*position }
    }

    #[test]
    fn attacks_threaten_and_defenses_are_all_that_stop_a_win() {
        let (mut threats, mut missing, mut defended) = (0, 0, 0);
        for position in positions::<Ggp>(20, 12..60) {
            let (color, rotates) = Pentago::<Ggp>::phase(position.ply);
            let side = position.side_to_move();
            let other = side.opponent();
            if rotates || position.empty().count_ones() < MIN_EMPTY || can_win(&position, side) {
                continue;
            }
            let board = PentagoBoard::new(position.stones);
            for (moves, after) in all_turns(&position) {
                let [placement, rotation] = moves[..] else { unreachable!("no placement wins") };
                let rotation = rotation.rotation();
                let label = super::super::label(placement.0);
                let is_safe = match after.outcome() {
                    Some(outcome) => outcome != Outcome::Win(other),
                    None => !can_win(&after, other),
                };
                let is_defense = defenses(&board, color, rotation) & label != 0;
                assert_eq!(is_defense, is_safe, "{position} {moves:?}");
                defended += u32::from(is_safe);
                let is_threat = after.outcome().is_none() && is_safe && can_win(&passed(&after), side);
                let is_attack = attacks(&board, color, rotation) & label != 0;
                threats += u32::from(is_threat);
                missing += u32::from(is_threat != is_attack);
            }
        }
        assert!(
            defended > 10_000 && threats > 1_000 && missing * 100 < threats,
            "{defended} {threats} {missing}"
        );
    }

    /// The outcome of a late position under perfect play.
    fn exact(position: &Pentago<Ggp>) -> Option<Outcome> {
        position
            .outcome()
            .or_else(|| Some(exactly(position, SolveScope::Best, Effort::UNLIMITED)?[0].outcome))
    }

    #[test]
    fn vcts_are_wins() {
        let (mut won, mut lost, mut proven_by_few) = (0, 0, [0; 2]);
        for position in positions::<Ggp>(400, 46..62) {
            let (_, rotates) = Pentago::<Ggp>::phase(position.ply);
            let side = position.side_to_move();
            let is_decided = PentagoKnowledge.prove(&position).is_some();
            for winner in [side, side.opponent()] {
                if !rotates
                    && !is_decided
                    && VctSearch::new(1 << 20).wins.proves_win(&position, winner, Effort::positions(2_000))
                {
                    assert_eq!(exact(&position), Some(Outcome::Win(winner)), "{position}");
                    // As a prover it finds the same with an effort that is enough for both sides.
                    let proven = VctSearch::new(1 << 20).prove(&position, Effort::positions(4_000));
                    assert_eq!(proven, Some(Outcome::Win(winner)), "{position}");
                    let few = VctSearch::new(1 << 20).prove(&position, Effort::positions(256));
                    assert!(few.is_none_or(|outcome| outcome == Outcome::Win(winner)), "{position}");
                    proven_by_few[usize::from(winner == side)] += u32::from(few.is_some());
                    if winner == side { won += 1 } else { lost += 1 }
                }
            }
        }
        assert!(won > 10 && lost > 10, "{won} {lost}");
        assert!(proven_by_few.iter().all(|&count| count > 5), "{proven_by_few:?}");
    }
}
