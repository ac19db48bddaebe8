//! Statistics of match results: Elo, sequential tests and rating lists.
//!
//! Games come in pairs: one opening, played once from each seat. The two games of a pair are not
//! independent, but pairs are, so all errors are computed from pairs. The pentanomial counts are
//! the numbers of pairs with 0, ½, 1, 1½ and 2 points. A game whose pair is incomplete counts as
//! played, but does not enter any estimate.
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
mod likelihood;
mod rating;
mod score;
mod sprt;
pub mod text;

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

/// Returns the score of a pair as a fraction of its two points: 0, ¼, ½, ¾ or 1.
fn score_of(half_points: usize) -> f64 {
    half_points as f64 / 4.0
}

/// Returns the score per game that the logistic model expects at an Elo difference of `elo`:
/// 1/(1 + 10^(−elo/400)).
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO).exp())
}
