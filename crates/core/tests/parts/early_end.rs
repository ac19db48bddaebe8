//! A search that ends before its budget is spent.

use quintet_core::game::{Game, MoveList, Outcome, Role, Side};
use quintet_core::knowledge::{Candidates, Effort, Knowledge, Selection, SolveScope, Solved};
use quintet_core::search::{Budget, EndedEarly, Search, SearchConfig, Technique, Techniques};

/// A drawn game of ten plies with twenty moves each. The fields are the first move, the number of
/// plies, and a hash of the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Ten(Option<u8>, u8, u64);

impl Game for Ten {
    type Move = u8;
    const ROLES: &'static [Role] = &[Role::new("first", Side::First), Role::new("second", Side::Second)];
    const MAX_BRANCHING: usize = 20;
    const MAX_PLIES: usize = 10;
    fn initial() -> Self {
        Self(None, 0, 0)
    }
    fn role_to_move(&self) -> usize {
        usize::from(self.1 % 2)
    }
    fn outcome(&self) -> Option<Outcome> {
        (self.1 == 10).then_some(Outcome::Draw)
    }
    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(0..if self.1 < 10 { 20 } else { 0 });
    }
    fn apply(&mut self, mv: u8) {
        let hash = self.2.wrapping_mul(31).wrapping_add(u64::from(mv));
        *self = Self(self.0.or(Some(mv)), self.1 + 1, hash);
    }
}

/// Prefers moves with low numbers, and solves all positions after two of the first moves: after
/// move 0 the side to move wins, after move 1 it loses.
struct Trap;

impl Knowledge<Ten> for Trap {
    const SELECTION: Selection = Selection::Puct { c: 1.0 };
    fn candidates(&self, _: &Ten, moves: &mut Candidates<u8>) {
        moves.extend((0..20).map(|mv| (mv, 0.1_f32.powi(i32::from(mv)))));
    }
    fn solve(&self, position: &Ten, _: SolveScope, _: Effort) -> Option<Vec<Solved<u8>>> {
        let side = position.side_to_move();
        let outcome = match position.0? {
            0 => Outcome::Win(side),
            1 => Outcome::Win(side.opponent()),
            _ => return None,
        };
        Some(vec![Solved { mv: 0, outcome, plies: None }])
    }
}

#[test]
fn a_search_does_not_end_early_with_a_move_that_is_seen_to_lose() {
    let budget = Budget::iterations(10_000).expect("not zero");
    let run = |techniques| {
        let config = SearchConfig { techniques, ..SearchConfig::default() };
        let mut search = Search::new(config, Trap).expect("valid");
        search.run(&Ten::initial(), budget).expect("a report")
    };
    let report = run(Techniques::ALL);
    assert_eq!((report.best().mv, report.best().proven), (1, Some(Outcome::Win(Side::First))));
    let lost = report.candidates.iter().find(|it| it.mv == 0).expect("it is legal");
    assert_eq!(lost.proven, Some(Outcome::Win(Side::Second)));
    assert!(report.iterations < 10_000);
    assert_eq!(report.ended_early, Some(EndedEarly::Proven));
    for technique in [Technique::Solve, Technique::Solver] {
        let report = run(Techniques::ALL.and_not(Techniques::NONE.with(technique)));
        assert_eq!((report.best().mv, report.best().proven), (0, None));
        assert_eq!(report.ended_early, Some(EndedEarly::Decided));
    }
}
