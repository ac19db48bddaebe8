//! A game in which positions repeat.

use std::num::NonZeroUsize;

use quintet_core::game::{Bounds, Game, Kind, MoveList, Outcome, Side};
use quintet_core::knowledge::{Effort, Knowledge, RulesOnly};
use quintet_core::search::{Budget, Search, SearchConfig};
use quintet_core::solver::{AlphaBeta, Claim, DfPn, KnowledgeHeuristic, Progress, SettleOptions};

/// A token on a line from 0 to 6, which the players move in turn by a step up or down, or by two steps up. The first
/// wins at 6 or above, the second at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Walk(i8, usize);

impl Game for Walk {
    type Move = i8;
    const KIND: Kind = Kind::of(Self::ROLES).with_repetition();
    const MAX_PLIES: usize = 100;
    fn initial() -> Self {
        Self(3, 0)
    }
    fn role_to_move(&self) -> usize {
        self.1
    }
    fn outcome(&self) -> Option<Outcome> {
        match self.0 {
            6.. => Some(Outcome::Win(Side::First)),
            ..=0 => Some(Outcome::Win(Side::Second)),
            _ => None,
        }
    }
    fn legal_moves(&self, moves: &mut MoveList<i8>) {
        moves.clear();
        if self.outcome().is_none() {
            moves.extend([-1, 1, 2]);
        }
    }
    fn apply(&mut self, mv: i8) {
        *self = Self(self.0 + mv, 1 - self.1);
    }
}

#[test]
fn what_goes_by_positions_proves_nothing_and_a_tree_proves_what_ends() {
    let effort = Effort::positions(10_000);
    let start = Walk::initial();
    let claim = Claim { side: Side::First, score: 100 };
    let mut df_pn = DfPn::new(KnowledgeHeuristic(&RulesOnly), claim, 1 << 20);
    assert_eq!(df_pn.decide(&start, effort), None);
    assert_eq!(AlphaBeta::new(&RulesOnly, 10, effort).value(&start, 0, 100), None);
    let options = SettleOptions {
        effort,
        memory: 1 << 20,
        threads: NonZeroUsize::MIN,
        wants_strategies: false,
        progress: &Progress::default(),
    };
    let settled = RulesOnly.settle(&start, &options);
    assert_eq!((settled.bounds, settled.method), (Bounds::UNKNOWN, "none: positions may repeat"));
    let searched = |position: Walk| {
        let mut search = Search::new(SearchConfig::default(), RulesOnly).expect("valid");
        search.run(&position, Budget::iterations(20_000).expect("not 0")).expect("a report")
    };
    // Two steps up are more than the one step down that the second has.
    for position in [Walk(4, 0), Walk(5, 1), Walk(3, 0)] {
        assert_eq!(searched(position).proven, Some(Outcome::Win(Side::First)), "{position:?}");
    }
    assert_eq!(searched(Walk(1, 1)).proven, Some(Outcome::Win(Side::Second)));
}
