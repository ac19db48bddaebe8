//! Numbers as the page writes them.

use super::section::WinDrawLoss;

/// A whole number with its sign, which 0 has not.
pub(super) fn signed(number: f64) -> String {
    match number.round() {
        whole if whole > 0.0 => format!("+{whole}"),
        whole if whole < 0.0 => format!("−{}", -whole),
        _ => "0".to_owned(),
    }
}

/// A share, 0 to 1, in per cent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Wins, draws and losses.
pub(super) fn results(tally: WinDrawLoss) -> String {
    format!("+{} ={} −{}", tally.wins, tally.draws, tally.losses)
}

/// Points, with halves.
pub(super) fn points(tally: WinDrawLoss) -> String {
    let half = tally.wins * 2 + tally.draws;
    match (half / 2, half % 2) {
        (whole, 0) => whole.to_string(),
        (0, _) => "½".to_owned(),
        (whole, _) => format!("{whole}½"),
    }
}

/// So many games.
pub(super) fn games(count: usize) -> String {
    if count == 1 { "1 game".to_owned() } else { format!("{count} games") }
}

pub(super) fn pairs(count: usize) -> String {
    if count == 1 { "1 pair".to_owned() } else { format!("{count} pairs") }
}
