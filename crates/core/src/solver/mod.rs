//! Exact values of positions under perfect play.

mod alpha_beta;
mod claim;
mod countdown;
mod df_pn;
mod knowledge_heuristic;
mod lookahead;
mod proof_heuristic;
mod proof_table;
pub mod retrograde;
mod settle;
mod shared_table;
mod solve_moves;
mod table;
mod win_line;
mod win_search;

use crate::game::{Game, is_independent};
pub use alpha_beta::AlphaBeta;
pub use claim::Claim;
pub use df_pn::DfPn;
pub use knowledge_heuristic::KnowledgeHeuristic;
pub(crate) use lookahead::{Lookahead, Unit};
pub use proof_heuristic::{LeafStatus, ProofHeuristic, Successor};
pub use settle::{Progress, SettleOptions, SettleResult, Strategy, settle};
pub use solve_moves::solve_moves;
pub use table::TranspositionTable;
pub(crate) use win_line::win_line;
pub use win_line::{WinLength, WinLine};
pub use win_search::{WinSearch, initial_proof_numbers};

/// Why positions of this game have no value that a solver could find; `None` if they have. A solver goes by positions,
/// and takes what it knows of one as true of each that is equal.
pub(crate) fn unsolvable<G: Game>(position: &G) -> Option<&'static str> {
    let kind = position.kind();
    match () {
        () if is_independent(position) => Some("none: each side has a score of its own"),
        () if kind.has_chance() => Some("none: chance moves"),
        () if kind.has_simultaneous_moves() => Some("none: moves are made at the same time"),
        () if kind.may_repeat() => Some("none: positions may repeat"),
        () => None,
    }
}
