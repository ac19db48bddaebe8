//! Engines by name, tournaments between them, what the results are worth, and a page to read them on.
//!
//! * [`engine`]: named configurations of a search, and external engines.
//! * [`tournament`]: which games are played, playing them, their records and results.
//! * [`stats`]: Elo with intervals, sequential tests, rating lists.
//! * [`report`]: the games of a tournament as one HTML page.
//!
//! All of it goes by the [registry](quintet_core::registry::Registry) that it is given, and none of it is
//! generic over games.
//!
//! # Stability
//!
//! The text forms of engines and the records change in a breaking release only; the types may change with a
//! minor one.

pub mod engine;
pub mod report;
mod signature;
pub mod stats;
pub mod tournament;

pub use signature::signature;
