//! Searches for wins of both sides by df-pn.

use super::claim::Claim;
use super::df_pn::DfPn;
use super::proof_heuristic::ProofHeuristic;
use crate::effort::Effort;
use crate::game::{Game, Outcome, Side};
use crate::learned::UNIT;

/// A search for wins of each side, which keeps what it has found.
#[derive(Debug)]
pub struct WinSearch<G: Game, D: ProofHeuristic<G>> {
    /// By the side that would win.
    searches: [DfPn<G, D>; 2],
}

impl<G: Game, D: ProofHeuristic<G>> WinSearch<G, D> {
    /// Two searches, each with a heuristic and half of `memory`, in bytes, as [`DfPn::new`] takes it.
    pub fn new(heuristic: impl Fn() -> D, memory: usize) -> Self {
        let search = |side| DfPn::new(heuristic(), Claim::win(side), memory / 2);
        Self { searches: [Side::First, Side::Second].map(search) }
    }

    /// Two searches that know what these find, for other positions at the same time, with at most `memory` bytes
    /// for what they find until they [share](Self::share) it.
    #[must_use]
    pub fn fork(&mut self, heuristic: impl Fn() -> D, memory: usize) -> Self {
        Self { searches: self.searches.each_mut().map(|search| search.fork(heuristic(), memory / 2)) }
    }

    /// If they are forks: lets the others know what they have found, unless one of these is at work.
    pub fn share(&mut self) {
        self.searches.iter_mut().for_each(DfPn::share);
    }

    /// The search for wins of `side`.
    #[must_use]
    pub const fn of(&self, side: Side) -> &DfPn<G, D> {
        &self.searches[side as usize]
    }

    /// Stores that `side` wins, whoever is to move, which the caller has proven.
    pub fn set_proven(&mut self, position: &G, side: Side) {
        self.searches[side as usize].set_proven(position);
    }

    /// Whether `side` wins, whoever is to move. If the effort is not enough, that is not known, and the
    /// next search for the same goes on from there.
    pub fn proves_win(&mut self, position: &G, side: Side, effort: Effort) -> bool {
        self.searches[side as usize].decide(position, effort) == Some(true)
    }

    /// Looks for a win of the side that is not to move with half of the effort, then for one of the other
    /// with what is left.
    pub fn either_wins(&mut self, position: &G, effort: Effort) -> Option<Outcome> {
        let side = position.side_to_move();
        let other = side.opponent();
        let before = self.of(other).positions();
        let half = Effort { positions: effort.positions / 2, ..effort.in_half_the_time() };
        if self.proves_win(position, other, half) {
            return Some(Outcome::Win(other));
        }
        let spent = self.of(other).positions() - before;
        let rest = Effort { positions: effort.positions.saturating_sub(spent), ..effort };
        self.proves_win(position, side, rest).then_some(Outcome::Win(side))
    }
}

/// The first proof and disproof numbers of a position with this evaluation for the attacker, so that likely
/// wins are searched first: 20 · √odds. With the expected outcome *x* / √(1 + *x*²), *x* = points / [`UNIT`],
/// √odds is √(1 + *x*²) ∓ *x*.
#[must_use]
pub fn initial_proof_numbers(points: i32) -> (u32, u32) {
    let x = points as f32 / UNIT as f32;
    let root = (1.0 + x * x).sqrt();
    let number = |odds: f32| 1 + (20.0 * odds) as u32;
    (number(root - x), number(root + x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::RulesOnly;
    use crate::nim::Nim;
    use crate::solver::KnowledgeHeuristic;

    #[test]
    fn either_side_may_win() {
        let search = || WinSearch::<Nim<3>, _>::new(|| KnowledgeHeuristic(&RulesOnly), 1 << 16);
        for (sticks, role, winner) in
            [(8, 0, Side::Second), (9, 0, Side::First), (8, 1, Side::First), (9, 1, Side::Second)]
        {
            let position = Nim::new(sticks, role);
            assert_eq!(search().either_wins(&position, Effort::UNLIMITED), Some(Outcome::Win(winner)));
            let mut one = search();
            assert!(one.proves_win(&position, winner, Effort::UNLIMITED));
            assert_eq!(one.of(winner).known(&position), Some(true));
            assert_eq!(one.of(winner.opponent()).positions(), 0);
            assert!(!one.proves_win(&position, winner.opponent(), Effort::UNLIMITED));
            let mut told = search();
            told.set_proven(&position, winner);
            assert_eq!(told.either_wins(&position, Effort::positions(0)), Some(Outcome::Win(winner)));
        }
    }

    #[test]
    fn the_effort_is_shared_by_the_sides() {
        let position = Nim::new(200, 0);
        for (positions, mover, other) in [(10, 5, 5), (7, 4, 3), (0, 0, 0)] {
            let mut search = WinSearch::<Nim<3>, _>::new(|| KnowledgeHeuristic(&RulesOnly), 1 << 16);
            assert_eq!(search.either_wins(&position, Effort::positions(positions)), None);
            assert_eq!(
                (search.of(Side::First).positions(), search.of(Side::Second).positions()),
                (mover, other)
            );
        }
        // What is found at once leaves its effort to the other.
        let mut search = WinSearch::<Nim<3>, _>::new(|| KnowledgeHeuristic(&RulesOnly), 1 << 16);
        search.proves_win(&Nim::new(5, 0), Side::Second, Effort::UNLIMITED);
        let position = Nim::new(5, 0);
        assert_eq!(search.either_wins(&position, Effort::positions(40)), Some(Outcome::Win(Side::First)));
    }

    #[test]
    fn the_first_numbers_are_the_roots_of_the_odds() {
        assert_eq!([0, UNIT, -UNIT].map(initial_proof_numbers), [(21, 21), (9, 49), (49, 9)]);
        let (proof, disproof) = initial_proof_numbers(20 * UNIT);
        assert!(proof <= 2 && disproof > 750, "{proof} {disproof}");
    }
}
