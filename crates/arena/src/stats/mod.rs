//! What the results of a match say about the strength of the engines.
//!
//! Games come in pairs: one opening, played once from each seat. The two games of a pair are not independent,
//! pairs are, so all errors are computed from pairs. The sums of the pairs' results, 0, ½, 1, 1½ or 2 points,
//! are counted: the pentanomial counts. A game whose pair is not complete counts as played, but says nothing
//! about strength here.
//!
//! Three questions are answered:
//!
//! * How much stronger is one engine? [`MatchScore`] gives the score, Elo and normalized Elo with intervals.
//! * Is it stronger at all, in as few games as possible? [`Sprt`] is the sequential test.
//! * How do many engines rank? [`RatingList`] weighs all matches together.
//!
//! Intervals are 95 % intervals throughout.

mod fit;
mod likelihood;
mod rating;
mod score;
#[cfg(test)]
mod simulation;
mod sprt;

pub use rating::{Rating, RatingError, RatingList};
pub use score::{Elo, Estimate, MatchScore, pairs_to_resolve};
pub use sprt::{EloModel, Hypothesis, Sprt, SprtError};

/// The 97.5 % quantile of the normal distribution: two of them enclose 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// Elo for each unit of the logistic function's argument: 400 / ln 10.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Normalized Elo for each standard deviation of a game: 800 / ln 10. If half of the games are won and half are
/// lost, small differences are the same in Elo.
const NORMALIZED_ELO: f64 = 2.0 * ELO;

/// The score of a pair with this many half points, as a part of the two points there are: 0, ¼, ½, ¾ or 1.
fn score_of(half_points: usize) -> f64 {
    half_points as f64 / 4.0
}

/// The score per game that the logistic model expects of `elo`: 1 / (1 + 10^(−elo/400)).
fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + (-elo / ELO).exp())
}
