//! Statistics of match results: Elo, sequential tests and rating lists.
//!
//! Games come in groups: one opening, played once with each way to share the seats. The games of a group are not
//! independent, but groups are, so all errors are computed from groups. Where two sides play, a group is a pair,
//! and the pentanomial counts are the numbers of pairs with 0, ½, 1, 1½ and 2 points. A game whose group is
//! incomplete counts as played, but does not enter any estimate.
//!
//! What counts are comparisons of two seats that different engines hold: 1 for who has more, ½ each where both
//! have the same. A game of two sides is one comparison, a game of several sides has one for every two such
//! seats, and in a game for one player the two games of a pair are compared. [`Places`] tells which scores and
//! places an engine had.
//!
//! The module answers three questions:
//!
//! * How much stronger is one engine? [`MatchScore`] gives the score, Elo and normalized Elo with
//!   intervals.
//! * Is it stronger at all? [`Sprt`], a sequential test, decides this in as few games as possible.
//! * How do many engines rank? [`RatingList`] rates them from all matches together.
//!
//! All intervals are 95 % confidence intervals.

mod fit;
mod groups;
mod likelihood;
mod places;
mod rating;
mod score;
mod sprt;
pub mod text;

use std::cmp::Ordering;

pub use groups::Groups;
pub use places::Places;
pub use rating::{Rating, RatingError, RatingList};
pub use score::{Elo, Estimate, MatchScore, pairs_to_resolve};
pub use sprt::{EloModel, Hypothesis, Sprt, SprtError};

/// The 97.5 % quantile of the standard normal distribution: ±`Z` encloses 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// Elo per unit of the logistic function's argument: 400 / ln 10.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Normalized Elo per standard deviation of a game: 800 / ln 10. Without draws, small differences
/// are the same in Elo and in normalized Elo.
const NORMALIZED_ELO: f64 = 2.0 * ELO;

/// Returns the score per game that the logistic model expects at an Elo difference of `elo`:
/// 1/(1 + 10^(−elo/400)).
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO).exp())
}

/// Returns the half points of who has the score `a` against who has `b`.
pub(crate) fn half_points(a: u8, b: u8) -> u8 {
    match a.cmp(&b) {
        Ordering::Less => 0,
        Ordering::Equal => 1,
        Ordering::Greater => 2,
    }
}
