//! Exact values of positions under perfect play.

mod alpha_beta;
mod countdown;
mod df_pn;
mod proof_table;
pub mod retrograde;
mod settle;
mod solve_moves;
mod table;
mod win_search;

pub use alpha_beta::AlphaBeta;
pub use df_pn::{Claim, DfPn, KnowledgeHeuristic, LeafStatus, ProofHeuristic, Successor};
pub use settle::{Progress, SettleOptions, SettleResult, Strategy, settle};
pub use solve_moves::solve_moves;
pub use table::TranspositionTable;
pub use win_search::{WinSearch, initial_proof_numbers};
