//! The formats of the page that [`text`] does not have.

use std::fmt::Write as _;
use std::time::SystemTime;

pub(super) use quintet_core::visible;

use crate::stats::{Elo, MatchScore, text};

/// Formats the day of a time in UTC; empty if its year has not four digits.
pub(super) fn day(time: SystemTime) -> String {
    let mut text = String::new();
    // Earlier times have no format, and later ones are an error.
    let since_1970 = time.max(SystemTime::UNIX_EPOCH);
    let _ = write!(text, "{}", humantime::format_rfc3339_seconds(since_1970));
    text.split('T').next().unwrap_or_default().to_owned()
}

/// Returns the text of numbers with minus signs instead of hyphens.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// Formats a rounded number with its sign; that of 0 is +.
pub(super) fn signed(number: f64) -> String {
    minus(&text::signed(number))
}

/// Formats the interval of an Elo difference.
pub(super) fn interval(elo: Elo) -> String {
    minus(&text::interval(elo))
}

/// Formats the points per game in per cent.
pub(super) fn score(tally: MatchScore) -> String {
    minus(&text::percent(tally.score()))
}

/// Formats wins, draws and losses.
pub(super) fn results(tally: MatchScore) -> String {
    minus(&text::tally(&tally))
}

/// Formats points, with halves.
pub(super) fn points(tally: MatchScore) -> String {
    let half = tally.wins * 2 + tally.draws;
    match (half / 2, half % 2) {
        (whole, 0) => whole.to_string(),
        (0, _) => "½".to_owned(),
        (whole, _) => format!("{whole}½"),
    }
}

/// Formats a number of games.
pub(super) fn games(count: usize) -> String {
    if count == 1 { "1 game".to_owned() } else { format!("{count} games") }
}

/// Formats a number of pairs.
pub(super) fn pairs(count: usize) -> String {
    if count == 1 { "1 pair".to_owned() } else { format!("{count} pairs") }
}
