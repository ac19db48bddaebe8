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
pub use df_pn::{ByKnowledge, Claim, DfPn, Guide, LeafStatus, Successor};
pub use settle::{Progress, Resources, Settled, Strategy, settle};
pub use table::TranspositionTable;
pub use win_search::{WinSearch, first_numbers};
