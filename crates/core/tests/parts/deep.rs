//! Games of so many plies that a search which goes down them on the stack would need more than threads have.

use std::thread;

use quintet_core::game::{Game, MoveList, Outcome, Role, Side};
use quintet_core::knowledge::{Effort, RulesOnly};
use quintet_core::search::{Search, SearchConfig};
use quintet_core::solver::{AlphaBeta, Claim, DfPn, KnowledgeHeuristic};

/// A token that is moved on by one step, which the last step wins for the first side. `ALONE`: for one player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct March<const PLIES: u16, const ALONE: bool>(u16);

impl<const PLIES: u16, const ALONE: bool> Game for March<PLIES, ALONE> {
    type Move = u8;
    const ROLES: &'static [Role] = if ALONE {
        &[Role::new("anna", Side::First)]
    } else {
        &[Role::new("anna", Side::First), Role::new("otto", Side::Second)]
    };
    const MAX_BRANCHING: usize = 2;
    const MAX_PLIES: usize = PLIES as usize;

    fn initial() -> Self {
        Self(0)
    }

    fn role_to_move(&self) -> usize {
        if ALONE { 0 } else { usize::from(self.0 % 2) }
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.0 == PLIES).then_some(Outcome::Win(Side::First))
    }

    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(0..if self.0 < PLIES { 2 } else { 0 });
    }

    fn apply(&mut self, _: u8) {
        self.0 += 1;
    }
}

/// Runs `work` with half of the stack that threads have.
fn with_little_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = thread::Builder::new().stack_size(1 << 20).spawn(work).expect("a thread");
    thread.join().expect("no overflow")
}

#[test]
fn proof_number_search_goes_down_ten_thousand_plies() {
    let decided = with_little_stack(|| {
        let mut search = DfPn::new(KnowledgeHeuristic(&RulesOnly), Claim::win(Side::First), 1 << 22);
        search.decide(&March::<10_000, false>(0), Effort::positions(1_000_000))
    });
    assert_eq!(decided, Some(true));
}

#[test]
fn alpha_beta_search_gives_up_a_line_that_is_too_long() {
    let value = |from: u16| {
        with_little_stack(move || {
            let effort = Effort::positions(1_000_000);
            AlphaBeta::new(&RulesOnly, 16, effort).value(&March::<10_000, false>(from), 0, 100)
        })
    };
    assert_eq!([value(0), value(9_950)], [None, Some(100)]);
}

#[test]
fn the_line_of_a_long_puzzle_needs_little_stack() {
    let length = |from: u16| {
        with_little_stack(move || {
            let search = Search::<March<600, true>>::new(SearchConfig::default(), RulesOnly).expect("valid");
            let line = search.win_line(&March(from), Side::First, None, Effort::positions(40_000));
            line.map(|line| line.moves.len())
        })
    };
    assert_eq!([length(0), length(590)], [None, Some(10)]);
}
