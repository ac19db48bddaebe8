//! Static SVG charts.

use maud::{Markup, html};

use super::format::{self, signed};
use crate::stats::{Elo, MatchScore};

/// The size of the larger charts, and their margins for axis labels.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 66.0;
const BOTTOM: f64 = 46.0;
const TOP: f64 = 12.0;
const RIGHT: f64 = 34.0;

/// The most that a character of an axis label takes, on narrow screens (see `page.css`).
const CHARACTER: f64 = 13.0;
/// The distance of labels from their axis.
const GAP: f64 = 8.0;

/// Maps a range of values to a range of coordinates.
#[derive(Debug, Clone, Copy)]
struct Scale {
    values: [f64; 2],
    axis: [f64; 2],
}

impl Scale {
    /// Returns a scale with zero in its middle that shows the finite ends of all `intervals` with a
    /// margin.
    fn symmetric(intervals: &[(usize, Elo)], axis: [f64; 2]) -> Self {
        let values = intervals.iter().flat_map(|&(_, elo)| [elo.low, elo.mid, elo.high]);
        let finite = values.map(f64::abs).filter(|value| value.is_finite());
        let reach = finite.reduce(f64::max).filter(|&reach| reach > 0.0).unwrap_or(400.0);
        let reach = reach + (reach / 5.0).max(5.0);
        Self { values: [-reach, reach], axis }
    }

    fn across(left: f64, low: f64, high: f64) -> Self {
        Self { values: [low, high], axis: [left, WIDTH - RIGHT] }
    }

    fn up(low: f64, high: f64) -> Self {
        Self { values: [low, high], axis: [HEIGHT - BOTTOM, TOP] }
    }

    /// Returns the coordinate of `value`, clamped to the range.
    fn at(self, value: f64) -> f64 {
        let [low, high] = self.values;
        let [from, to] = self.axis;
        from + (value.clamp(low, high) - low) / (high - low) * (to - from)
    }

    /// Returns about `count` round values in the range.
    fn ticks(self, count: f64) -> Vec<f64> {
        let [low, high] = self.values;
        let rough = (high - low) / count;
        let unit = 10_f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0].map(|it| it * unit).into_iter().find(|&it| it >= rough).unwrap_or(10.0 * unit);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        (first..=last).map(|tick| tick as f64 * step).collect()
    }
}

/// Formats a coordinate with at most one decimal place.
fn place(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Returns the left margin that has room for all `labels` of the vertical axis.
fn left(labels: impl IntoIterator<Item = String>) -> f64 {
    let longest = labels.into_iter().map(|label| label.chars().count()).max().unwrap_or(0);
    (longest as f64 * CHARACTER + GAP).max(LEFT)
}

/// Draws the Elo difference against the number of games, with its 95 % band. `title` names the
/// engines.
pub(super) fn elo_course(title: &str, course: &[(usize, Elo)]) -> Markup {
    let games = course.last().map_or(1, |(games, _)| *games) as f64;
    // The first intervals are so wide that they would flatten the rest, so they do not set the
    // scale. They reach beyond both ends of it.
    let settled = &course[course.len() / 4..];
    let y = Scale::symmetric(settled, [HEIGHT - BOTTOM, TOP]);
    let tick_name = |tick: f64| if tick == 0.0 { "0".to_owned() } else { signed(tick) };
    let left = left(y.ticks(5.0).into_iter().map(tick_name));
    let x = Scale::across(left, 0.0, games);
    let point = |games: usize, elo: f64| format!("{},{}", place(x.at(games as f64)), place(y.at(elo)));
    let upper = course.iter().map(|&(games, elo)| point(games, elo.high));
    let lower = course.iter().rev().map(|&(games, elo)| point(games, elo.low));
    let band: Vec<String> = upper.chain(lower).collect();
    let line: Vec<String> = course.iter().map(|&(games, elo)| point(games, elo.mid)).collect();
    html! {
        svg.chart viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) {
            @for tick in y.ticks(5.0) {
                line.grid.zero[tick == 0.0] x1=(place(left)) x2=(place(WIDTH - RIGHT)) y1=(place(y.at(tick))) y2=(place(y.at(tick))) {}
                text.tick x=(place(left - GAP)) y=(place(y.at(tick) + 4.0)) text-anchor="end" { (tick_name(tick)) }
            }
            @for tick in x.ticks(6.0).into_iter().filter(|tick| tick.fract() == 0.0) {
                text.tick x=(place(x.at(tick))) y=(place(HEIGHT - BOTTOM + 19.0)) text-anchor="middle" { (format!("{tick:.0}")) }
            }
            polygon.band points=(band.join(" ")) {}
            polyline.course points=(line.join(" ")) {}
            @if let Some(&(games, elo)) = course.last() {
                circle.course-end cx=(place(x.at(games as f64))) cy=(place(y.at(elo.mid))) r="4" {}
            }
            text.tick x=(place(f64::midpoint(left, WIDTH))) y=(place(HEIGHT - 5.0)) text-anchor="middle" { "games" }
        }
    }
}

/// Draws a histogram of `values`. `title` says what they are.
pub(super) fn histogram(title: &str, unit: &str, values: &[usize]) -> Markup {
    const BARS: usize = 32;
    let low = values.iter().copied().min().unwrap_or(0);
    let high = values.iter().copied().max().unwrap_or(0);
    let width = (high - low + 1).div_ceil(BARS);
    let bars = (high - low) / width + 1;
    let mut counts = vec![0_usize; bars];
    for value in values {
        counts[(value - low) / width] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1);
    // A few bars must not fill the whole width.
    let shown = bars.max(8);
    let y = Scale::up(0.0, most as f64);
    let ticks: Vec<f64> = y.ticks(4.0).into_iter().filter(|tick| tick.fract() == 0.0).collect();
    let left_edge = left(ticks.iter().map(|tick| format!("{tick:.0}")));
    let x = Scale::across(left_edge, 0.0, shown as f64);
    let every = bars.div_ceil(12);
    html! {
        svg.chart viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title) {
            @for tick in ticks {
                line.grid x1=(place(left_edge)) x2=(place(WIDTH - RIGHT)) y1=(place(y.at(tick))) y2=(place(y.at(tick))) {}
                text.tick x=(place(left_edge - GAP)) y=(place(y.at(tick) + 4.0)) text-anchor="end" { (format!("{tick:.0}")) }
            }
            @for (bar, &count) in counts.iter().enumerate() {
                @let (from, to) = (low + bar * width, (low + bar * width + width - 1).min(high));
                @let range = if from == to { from.to_string() } else { format!("{from}–{to}") };
                @let (left, right) = (x.at(bar as f64) + 1.0, x.at(bar as f64 + 1.0) - 1.0);
                rect.bar x=(place(left)) width=(place(right - left)) y=(place(y.at(count as f64))) height=(place(HEIGHT - BOTTOM - y.at(count as f64))) {
                    title { (range) " " (unit) ": " (format::games(count)) }
                }
                @if bar % every == 0 {
                    text.tick x=(place(f64::midpoint(left, right))) y=(place(HEIGHT - BOTTOM + 19.0)) text-anchor="middle" { (from) }
                }
            }
            text.tick x=(place(f64::midpoint(left_edge, WIDTH))) y=(place(HEIGHT - 5.0)) text-anchor="middle" { (unit) }
        }
    }
}

/// Draws the pairs with 0, ½, 1, 1½ and 2 points as five bars.
pub(super) fn pentanomial(pairs: [u64; 5]) -> Markup {
    const NAMES: [&str; 5] = ["0", "½", "1", "1½", "2"];
    let most = pairs.into_iter().max().unwrap_or(0).max(1) as f64;
    let label = NAMES.iter().zip(pairs).map(|(name, pairs)| format!("{name} points: {pairs}"));
    html! {
        svg.pentanomial viewBox="0 0 200 92" role="img" aria-label=(format!("pairs with {}", label.collect::<Vec<_>>().join(", "))) {
            @for (index, &count) in pairs.iter().enumerate() {
                @let height = 54.0 * count as f64 / most;
                rect class=(format!("pair-{index}")) x=(40 * index + 4) width="32" y=(place(72.0 - height)) height=(place(height)) {}
                text.tick x=(40 * index + 20) y=(place(68.0 - height)) text-anchor="middle" { (count) }
                text.tick x=(40 * index + 20) y="88" text-anchor="middle" { (NAMES[index]) }
            }
            line.grid x1="0" x2="200" y1="72" y2="72" {}
        }
    }
}

/// Draws wins, draws and losses as one bar.
pub(super) fn results(tally: MatchScore) -> Markup {
    let games = tally.games().max(1) as f64;
    let share = |count: u64| 100.0 * count as f64 / games;
    let (wins, draws) = (share(tally.wins), share(tally.draws));
    html! {
        svg.results viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" {
            rect.losses width="100" height="10" {}
            rect.draws width=(place(wins + draws)) height="10" {}
            rect.wins width=(place(wins)) height="10" {}
        }
    }
}
