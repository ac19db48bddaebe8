//! Exact values of positions under perfect play.

mod alpha_beta;
mod best_first;
mod countdown;
mod df_pn;
mod proof_table;
pub mod retrograde;
mod settle;
mod table;
mod win_search;

pub use alpha_beta::AlphaBeta;
pub use best_first::solve_best_first;
pub use df_pn::{Claim, DfPn, KnowledgeHeuristic, LeafStatus, ProofHeuristic, Successor};
pub use settle::{Progress, SettleOptions, Settled, Strategy, settle};
pub use table::TranspositionTable;
pub use win_search::{WinSearch, initial_proof_numbers};
