//! Engine specifications, tournaments between engines, and statistics of their results.
//!
//! * [`engine`]: named search configurations and external engines.
//! * [`tournament`]: schedules, playing, results, and [game records](tournament::record) checked against
//!   the rules.
//! * [`training`]: games of the engine against itself, and models fitted to them.
//! * [`stats`]: Elo with intervals, sequential tests, rating lists.
//! * [`files`]: files that one program writes and others read.
//! * [`ProgramConfig`]: what programs that answer others have in common.
//!
//! Everything works on the games of a [registry](quintet_core::registry::Registry); nothing is
//! generic over games.
//!
//! # Stability
//!
//! The text forms of engines and the game records change only in breaking releases; the types may
//! change in minor ones.
#![forbid(unsafe_code)]

pub mod engine;
pub mod files;
mod program;
mod signature;
pub mod stats;
pub mod tournament;
pub mod training;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use program::ProgramConfig;
pub use signature::signature;

/// Locks what is whole at any moment, so that a thread that panicked with it has done no harm.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The code of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
