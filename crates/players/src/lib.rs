//! quintet as a player for other programs, by the protocols of others: [`ugi`], [`gomocup`] and [`ggp`].
//!
//! A player reads the commands of a manager, the program that runs the game, and answers them. Managers
//! make mistakes of all kinds, so it holds for every player:
//!
//! - A command that is wrong changes nothing, is answered by what is wrong with it, and ends nothing.
//! - Every command that asks for a move is answered, and by a legal move if there is one.
//! - Reading goes on during a search, so that a command can end it. `conversation.rs` says who ends a search,
//!   what happens at the end of the input, and how much is held in memory.
#![forbid(unsafe_code)]

mod conversation;
pub mod ggp;
pub mod gomocup;
mod lines;
pub mod ugi;

use std::io;

use quintet_core::registry::UnknownName;
use quintet_core::search::SearchError;

/// Why a player does not begin, or ends early. What a manager sends is never an error.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no game to begin with.
    #[error("there are no games")]
    NoGames,
    /// The protocol is for a game that is not there.
    #[error(transparent)]
    Game(#[from] UnknownName),
    /// A setting is out of range.
    #[error(transparent)]
    Settings(#[from] SearchError),
    /// The system has no thread to read or to search with.
    #[error("can't start a thread (ulimit -u and -v limit them): {0}")]
    Thread(io::Error),
    /// The commands can't be read; all before are answered.
    #[error("can't read standard input: {0}")]
    Input(io::Error),
    /// An answer can't be written.
    #[error("can't write an answer: {0}")]
    Output(#[from] io::Error),
}

/// The code of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
