//! Every JSON line that quintet reads or writes, as a type, and the lines of the [Gomocup
//! protocol](gomocup).
//!
//! One JSON line is one object. Fields of answers may be added in any release: readers must accept those
//! they do not know. Queries are strict: an unknown field is an error. Scores of a game and values
//! of moves run from 0 (lost) to 100 (won), shares from 0 to 1, and each field says from whose
//! point of view.
//!
//! [`SCHEMA`] is the JSON Schema of all lines, which `quintet schema` prints. It is generated from
//! these types and their documentation, and a test compares them.
//!
//! # Stability
//!
//! Names and meanings of fields change in a breaking release only.
#![forbid(unsafe_code)]

mod action;
mod arena;
mod games;
pub mod gomocup;
mod grades;
mod id;
mod levels;
mod lines;
mod measure;
mod picture;
mod play;
mod position;
mod replay;
#[cfg(test)]
mod schema;
mod solve;
mod verify;

pub use action::{
    Action, ActionAnswer, FileList, GameList, LevelList, ListedGame, ProgramVersion, ShownGame, ShownStep,
    Terminated, TournamentSummary, WatchNews,
};
pub use arena::{
    ArenaResults, BookLine, Conditions, End, EngineTime, GameRatings, GameRecord, MatchResult, PlayingGame,
    Rated, SprtResult, Thought,
};
pub use games::GameLine;
pub use grades::{GRADES, Grade};
pub use id::Id;
pub use levels::{LevelElo, LevelLine};
pub use lines::{LONGEST_LINE, next_line, next_whole_line, object, read, reason};
pub use measure::{BenchLine, EngineRating, Problem, RunLine, SpanLine, StrengthLine, SuiteScore};
pub use picture::{Change, Glyph, Layout, Picture, Scene, Surface, TextPicture, Tray, Turned};
pub use play::{PlayedEnd, PlayedGame};
pub use position::{
    Answer, AnswerError, AnswerMoves, AnswerTerminal, AnswerTerminated, Candidate, Query, Request, Until,
};
pub use replay::{ReplayError, ReplayLine, ReplayRecord, Replayed, Step, WrongReplay};
pub use solve::SolvedPosition;
pub use verify::{
    CertificateError, CertificateStart, CertificateTurn, ClaimedScore, ProvenScores, VerifiedCertificate,
    VerifyLine, WrongCertificate,
};

/// The JSON Schema of all lines: an object with a definition for each kind.
pub const SCHEMA: &str = include_str!("../schema.json");

/// Returns `number` rounded to `places` decimal places, which keeps rounding noise out of the JSON.
#[must_use]
pub fn rounded(number: f64, places: i32) -> f64 {
    let scale = 10_f64.powi(places);
    // Adding 0 turns −0 into 0.
    (number * scale).round() / scale + 0.0
}

/// The code of the README, compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
