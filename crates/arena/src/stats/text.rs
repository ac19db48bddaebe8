//! Numbers, scores and ratings as text, for tables in a terminal and on a page alike.

use super::{Elo, MatchScore};

/// Formats a whole number with thousands separators: 1,234,567.
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of things: 1 node, 2 nodes.
#[must_use]
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// Formats a number of plies: 1 ply, 2 plies.
#[must_use]
pub fn counted_plies(number: u32) -> String {
    if number == 1 { "1 ply".to_owned() } else { format!("{number} plies") }
}

/// Formats a rate per second with three significant digits: 1.23 M/s.
#[must_use]
pub fn rate(per_second: f64) -> String {
    let (scaled, unit) = match per_second {
        x if x >= 1e6 => (x / 1e6, " M/s"),
        x if x >= 1e3 => (x / 1e3, " k/s"),
        x => (x, " /s"),
    };
    let places = match scaled {
        x if x < 10.0 => 2,
        x if x < 100.0 => 1,
        _ => 0,
    };
    format!("{scaled:.places$}{unit}")
}

/// Formats a rounded number with its sign; that of 0 is +. Infinite ones are `+∞` and `-∞`.
#[must_use]
pub fn signed(number: f64) -> String {
    if number.is_finite() {
        return format!("{:+.0}", number.round() + 0.0);
    }
    if number > 0.0 { "+∞".to_owned() } else { "-∞".to_owned() }
}

/// Formats the interval of an Elo difference. A low end below −600 and a high end above 600 are no
/// bounds: few games can't tell such differences apart.
#[must_use]
pub fn interval(elo: Elo) -> String {
    /// A score of 97 %.
    const FARTHEST: f64 = 600.0;
    let Elo { low, high, .. } = elo;
    match [low >= -FARTHEST && low.is_finite(), high <= FARTHEST && high.is_finite()] {
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

/// Says that all groups of a game were split evenly, if [they were](MatchScore::are_split_evenly).
#[must_use]
pub fn evenly_split(scores: &[MatchScore]) -> Option<String> {
    let groups = if scores.first()?.groups.games() == 2 { "pairs" } else { "groups" };
    let said = || format!("all {groups} are split evenly: the openings decide, not the engines");
    MatchScore::are_split_evenly(scores).then(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(wins: u64, pairs: [u64; 5]) -> MatchScore {
        MatchScore { wins, draws: 0, losses: 0, groups: pairs.into() }
    }

    #[test]
    fn numbers_and_rates_are_short_and_counts_agree_with_their_nouns() {
        assert_eq!(
            [0, 999, 1_000, 123_456, 1_234_567].map(thousands),
            ["0", "999", "1,000", "123,456", "1,234,567"]
        );
        assert_eq!([0, 1, 2_000].map(|it| counted(it, "node")), ["0 nodes", "1 node", "2,000 nodes"]);
        assert_eq!([0, 1, 2].map(counted_plies), ["0 plies", "1 ply", "2 plies"]);
        assert_eq!(
            [0.0, 9.994, 10.0, 99.94, 100.0, 999.4].map(rate),
            ["0.00 /s", "9.99 /s", "10.0 /s", "99.9 /s", "100 /s", "999 /s"]
        );
        assert_eq!([1e3, 12_345.0, 1e6, 2.5e8].map(rate), ["1.00 k/s", "12.3 k/s", "1.00 M/s", "250 M/s"]);
        assert_eq!([None, Some(0.0), Some(0.125)].map(percent), ["-", "0.0 %", "12.5 %"]);
    }

    #[test]
    fn numbers_have_a_sign_and_intervals_only_ends_that_are_bounds() {
        let numbers = [1.5, -0.2, 0.0, -12.4, f64::INFINITY, f64::NEG_INFINITY];
        assert_eq!(numbers.map(signed), ["+2", "+0", "+0", "-12", "+∞", "-∞"]);
        let shown = |pairs| {
            let elo = score(0, pairs).open_elo().expect("there are pairs");
            [signed(elo.mid), interval(elo)]
        };
        assert_eq!(shown([0, 0, 0, 0, 5]), ["+∞", "≥ +76"]);
        assert_eq!(shown([5, 0, 0, 0, 0]), ["-∞", "≤ -76"]);
        assert_eq!(shown([0, 0, 1, 0, 0]), ["+0", "unbounded"]);
        assert_eq!(shown([0, 0, 2, 0, 0]), ["+0", "unbounded"], "-798 … +798");
        assert_eq!(score(0, [0; 5]).open_elo(), None);
    }

    #[test]
    fn openings_decide_if_all_of_a_few_pairs_are_split() {
        let said = |scores: &[MatchScore]| evenly_split(scores).is_some();
        // The games of these pairs that are no draws are won from one seat.
        let score = |wins, pairs: [u64; 5]| {
            let draws = 2 * pairs.iter().sum::<u64>().saturating_sub(wins);
            MatchScore { draws, losses: wins, ..score(wins, pairs) }
        };
        assert!(said(&[score(5, [0, 0, 5, 0, 0])]));
        assert!(said(&[score(2, [0, 0, 2, 0, 0]), score(3, [0, 0, 3, 0, 0])]));
        // Too few, or one that is not split, or draws.
        assert!(!said(&[score(4, [0, 0, 4, 0, 0])]));
        assert!(!said(&[score(5, [0, 0, 5, 0, 0]), score(2, [0, 0, 0, 0, 1])]));
        assert!(!said(&[score(0, [0, 0, 9, 0, 0])]));
        assert!(!said(&[score(1, [0, 0, 9, 0, 0])]));
        assert!(!said(&[]));
    }
}
