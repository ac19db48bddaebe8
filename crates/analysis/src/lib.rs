//! Queries about positions, and their answers: what `analyze` and `serve` offer, and what the
//! Python package embeds.
//!
//! A [`QueryScheduler`] has some workers, each of which runs one search at a time. Its [`Client`]s hand in
//! lines and get answers, from the workers' threads, as they are ready. A program that wants one answer in
//! its own thread calls [`embed`] instead. [`convert`] makes records of games in the formats of other programs.
//!
//! # Invariants
//! * While its client is there, every query gets exactly one last answer for each of its plies, even if its
//!   search panics or is terminated. The queries of a client that leaves are dropped.
//! * A query that waits holds its game and its settings; session and trees are made when its search begins.
//! * The trees of all searches and those that are kept take no more than the memory of [`Limits`].
//! * A client never waits for a search, and gets nothing of another one.
#![forbid(unsafe_code)]

mod answer;
mod client;
pub mod convert;
pub mod embed;
mod follow;
mod games;
mod limits;
mod problem;
mod query;
mod queue;
#[cfg(test)]
mod ranges;
mod replay;
mod scheduler;
mod solve;
mod threads;
mod tree_cache;

pub use answer::{AnswerTo, moves as answer_of, scores, terminal as terminal_answer, win_line, win_of};
pub use client::Client;
pub use games::{is_standard, line as game_line, listed as game_list};
pub use limits::{Limits, QueryLimits};
pub use problem::check_problem;
pub use replay::{replayed, shown as shown_game};
pub use scheduler::{MakePuzzles, QueryScheduler, Sources, StartError};
pub use solve::{ProofLimits, best_move, line as solved_line};
