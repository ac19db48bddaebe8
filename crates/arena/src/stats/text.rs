//! Scores and ratings as text, for tables in a terminal and on a page alike.

use super::{Elo, MatchScore};

/// Formats a rounded number with its sign; that of 0 is +. Infinite ones are `+∞` and `-∞`.
#[must_use]
pub fn signed(number: f64) -> String {
    if number.is_finite() {
        return format!("{:+.0}", number.round() + 0.0);
    }
    if number > 0.0 { "+∞".to_owned() } else { "-∞".to_owned() }
}

/// Formats the interval of an Elo difference; an infinite end is no bound.
#[must_use]
pub fn interval(elo: Elo) -> String {
    let Elo { low, high, .. } = elo;
    match [low, high].map(f64::is_finite) {
        [true, true] => format!("{} … {}", signed(low), signed(high)),
        [true, false] => format!("≥ {}", signed(low)),
        [false, true] => format!("≤ {}", signed(high)),
        [false, false] => "unbounded".to_owned(),
    }
}

/// Formats a share, 0 to 1, in per cent; `-` stands for an unknown one.
#[must_use]
pub fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

/// Formats wins, draws and losses.
#[must_use]
pub fn tally(score: &MatchScore) -> String {
    format!("+{} ={} -{}", score.wins, score.draws, score.losses)
}

/// Says that all pairs of a game were split evenly, if [`MatchScore::evenly_split`] finds that of
/// its matches.
#[must_use]
pub fn evenly_split(scores: &[MatchScore]) -> Option<String> {
    let pairs = MatchScore::evenly_split(scores)?;
    Some(format!("all {pairs} pairs are split evenly: the openings decide, not the engines"))
}
