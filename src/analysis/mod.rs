//! Searches for programs and pages: the protocol of `analyze` and `serve`.
//!
//! A [`Desk`] has some workers, each of which runs one search at a time. Its [`Client`]s hand in
//! lines and get answers, from the workers' threads, as they are ready.

mod action;
mod desk;
mod kept;
mod queue;
#[cfg(test)]
mod ranges;
mod search;
mod watching;

pub(crate) use desk::{Client, Desk, Sources};
pub(crate) use search::{Limits, Most, Prepared, Terms, prepare_last};
