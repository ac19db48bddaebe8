//! Exact values of positions under perfect play.

mod alpha_beta;
mod best_first;
pub mod retrograde;
mod table;

pub use alpha_beta::AlphaBeta;
pub use best_first::solve_best_first;
pub use table::TranspositionTable;
