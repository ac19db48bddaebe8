//! Games in the Game Description Language (GDL), compiled into networks of gates for quintet's search.
//!
//! [`Compiled::new`] compiles a rulesheet, and [`variant()`] makes a game of it that a registry takes. The page `docs/gdl.md`
//! of quintet says what is read and what is not.
#![forbid(unsafe_code)]
#![expect(clippy::similar_names, reason = "the gates of a network have next values")]

mod bits;
mod board;
mod boxes;
mod choice;
pub mod compare;
mod compiled;
mod costs;
mod counts;
mod entry;
mod evidence;
mod exclusive;
mod facts;
mod fingerprint;
mod follows;
mod game;
mod gates;
mod goals;
mod graph;
mod ground;
mod hash;
pub mod kif;
mod knowledge;
mod lanes;
mod layout;
mod limits;
mod machine;
mod mapping;
mod net;
mod partial;
mod pieces;
mod playing;
mod pools;
mod program;
mod proofs;
mod prover;
mod reduce;
pub mod reference;
mod samples;
mod sheet;
mod slips;
mod slots;
mod split;
mod strata;
mod terms;
// The tests in this crate's modules search nothing.
#[cfg(not(test))]
mod variant;

pub use compiled::Compiled;
pub use entry::{ReadError, compile, name_of, read, text_of};
pub use fingerprint::Rulesheet;
pub use game::{Move, Position};
pub use ground::RANDOM;
use kif::{KifError, Place};
pub use knowledge::LaneRollouts;
pub use limits::{End, Limits};
use quintet_core::Quoted;
#[cfg(not(test))]
pub use variant::variant;

/// The name of the only ruleset of a rulesheet.
pub const RULES: &str = "gdl";

/// Why a rulesheet is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The text is no list of rules.
    #[error(transparent)]
    Kif(#[from] KifError),
    /// Something is wrong with a rule.
    #[error("{place}: {reason}")]
    Rules {
        /// Where the rule is.
        place: Place,
        /// What is wrong, and what was expected.
        reason: String,
    },
    /// A game lacks this.
    #[error("no rule tells {0}")]
    Missing(&'static str),
    /// The relation that grew most when a limit of time or size was reached.
    #[error(
        "the rules are too large to be compiled: the limits of time and size were reached while {} grew",
        Quoted(.0)
    )]
    TooLarge(String),
    /// The limit of time was reached when the rules were grounded already.
    #[error("the limit of time was reached while {0}")]
    Late(&'static str),
    /// A game has more than positions have room for.
    #[error("there are {count} {what}, and at most {most} may be")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A goal that is no whole number from 0 to 100.
    #[error("the goal {} is no whole number from 0 to 100", Quoted(.0))]
    Goal(String),
}

/// The code of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
