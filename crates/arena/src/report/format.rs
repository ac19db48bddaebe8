//! The number formats of the page.

use std::fmt::Write as _;
use std::time::SystemTime;

pub(super) use quintet_core::visible;

use super::section::WinDrawLoss;

/// Formats the day of a time in UTC; empty if its year has not four digits.
pub(super) fn day(time: SystemTime) -> String {
    let mut text = String::new();
    // Earlier times have no format, and later ones are an error.
    let since_1970 = time.max(SystemTime::UNIX_EPOCH);
    let _ = write!(text, "{}", humantime::format_rfc3339_seconds(since_1970));
    text.split('T').next().unwrap_or_default().to_owned()
}

/// Formats a rounded number with its sign; 0 has none.
pub(super) fn signed(number: f64) -> String {
    match number.round() {
        whole if whole > 0.0 => format!("+{whole}"),
        whole if whole < 0.0 => format!("−{}", -whole),
        _ => "0".to_owned(),
    }
}

/// Formats a share, 0 to 1, in per cent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Formats wins, draws and losses.
pub(super) fn results(tally: WinDrawLoss) -> String {
    format!("+{} ={} −{}", tally.wins, tally.draws, tally.losses)
}

/// Formats points, with halves.
pub(super) fn points(tally: WinDrawLoss) -> String {
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
