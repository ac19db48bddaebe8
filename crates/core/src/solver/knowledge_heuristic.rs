//! Knowledge as the guide of a proof-number search.

use super::claim::Claim;
use super::proof_heuristic::{LeafStatus, ProofHeuristic, Successor};
use crate::game::Game;
use crate::knowledge::{Candidates, Knowledge};

/// The heuristic by the [candidates](Knowledge::candidates) and [proofs](Knowledge::prove) of a
/// knowledge. Its proofs and disproofs are sound.
#[derive(Debug, Clone, Copy)]
pub struct KnowledgeHeuristic<'a, K>(pub &'a K);

impl<G: Game, K: Knowledge<G>> ProofHeuristic<G> for KnowledgeHeuristic<'_, K> {
    type Note = ();

    fn leaf_status(&mut self, position: &G, claim: Claim) -> LeafStatus<()> {
        match position.outcome().or_else(|| self.0.prove(position)) {
            Some(outcome) if claim.holds(outcome) => LeafStatus::Proven,
            Some(_) => LeafStatus::Disproven,
            None => {
                // Whoever is to move needs one good move; the other needs an answer to all.
                let moves = u32::try_from(position.move_count()).unwrap_or(u32::MAX);
                let (proof, disproof) =
                    if position.side_to_move() == claim.side { (1, moves) } else { (moves, 1) };
                LeafStatus::Open { proof, disproof, note: () }
            }
        }
    }

    fn successors(&mut self, position: &G, _: Claim, (): &mut (), successors: &mut Vec<Successor<G, ()>>) {
        let mut moves = Candidates::new();
        self.0.candidates(position, &mut moves);
        successors.extend(moves.into_iter().map(|(mv, _)| {
            let next = position.after(mv);
            Successor { position: next, status: None }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::knowledge::RulesOnly;
    use crate::nim::Nim;

    const WIN: Claim = Claim::win(Side::First);

    #[test]
    fn the_first_numbers_count_the_moves_of_who_needs_them_all() {
        let mut heuristic = KnowledgeHeuristic(&RulesOnly);
        let open = |proof, disproof| LeafStatus::Open { proof, disproof, note: () };
        assert_eq!(heuristic.leaf_status(&Nim::<3>::new(9, 0), WIN), open(1, 3));
        assert_eq!(heuristic.leaf_status(&Nim::<3>::new(2, 1), WIN), open(2, 1));
        assert_eq!(heuristic.leaf_status(&Nim::<3>::new(0, 1), WIN), LeafStatus::Proven);
        assert_eq!(heuristic.leaf_status(&Nim::<3>::new(0, 0), WIN), LeafStatus::Disproven);
        let mut successors = Vec::new();
        heuristic.successors(&Nim::<3>::new(2, 1), WIN, &mut (), &mut successors);
        assert_eq!(
            successors.iter().map(|it| it.position).collect::<Vec<_>>(),
            [Nim::new(1, 0), Nim::new(0, 0)]
        );
        assert!(successors.iter().all(|it| it.status.is_none()));
    }
}
