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

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of an attribute, of all elements with this start.
    fn values(chart: &Markup, element: &str, attribute: &str) -> Vec<f64> {
        let elements = chart.0.split(element).skip(1).map(|rest| rest.split('>').next().unwrap_or_default());
        let value = |text: &str| {
            let value = text.split_once(&format!(" {attribute}=\"")).expect("it has the attribute").1;
            value.split('"').next().expect("its end").parse().expect("a number")
        };
        elements.map(value).collect()
    }

    #[test]
    fn a_scale_maps_its_values_to_its_axis() {
        let up = Scale::up(0.0, 4.0);
        assert_eq!(
            [-1.0, 0.0, 1.0, 4.0, 9.0].map(|it| place(up.at(it))),
            ["194", "194", "148.5", "12", "12"]
        );
        let across = Scale::across(66.0, 10.0, 14.0);
        assert_eq!([10.0, 12.0, 14.0].map(|it| place(across.at(it))), ["66", "336", "606"]);
    }

    #[test]
    fn ticks_are_round_and_about_as_many_as_are_wanted() {
        let ticks = |low, high, count| Scale::up(low, high).ticks(count);
        assert_eq!(ticks(0.0, 4.0, 4.0), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(ticks(0.0, 7.0, 5.0), [0.0, 2.0, 4.0, 6.0]);
        assert_eq!(ticks(-420.0, 420.0, 5.0), [-400.0, -200.0, 0.0, 200.0, 400.0]);
        assert_eq!(ticks(0.0, 24.0, 6.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks(3.0, 38.0, 5.0), [10.0, 20.0, 30.0]);
    }

    #[test]
    fn a_symmetric_scale_has_room_for_all_that_is_finite() {
        let reach = |intervals: &[[f64; 3]]| {
            let elo = |&[low, mid, high]: &[f64; 3]| (1, Elo { low, mid, high });
            let scale = Scale::symmetric(&intervals.iter().map(elo).collect::<Vec<_>>(), [0.0, 1.0]);
            scale.values.map(place)
        };
        assert_eq!(reach(&[[-50.0, 20.0, 90.0], [-100.0, 0.0, 80.0]]), ["-120", "120"]);
        assert_eq!(reach(&[[f64::NEG_INFINITY, 10.0, f64::INFINITY]]), ["-15", "15"]);
        // Where nothing is known.
        assert_eq!(reach(&[]), ["-480", "480"]);
        assert_eq!(reach(&[[0.0; 3]]), ["-480", "480"]);
    }

    #[test]
    fn the_left_margin_has_room_for_the_longest_label() {
        let margin = |labels: &[&str]| place(left(labels.iter().map(|&it| it.to_owned())));
        assert_eq!(margin(&[]), "66");
        assert_eq!(margin(&["1", "+500"]), "66");
        assert_eq!(margin(&["−1,000", "0"]), "86");
    }

    #[test]
    fn places_have_a_decimal_if_they_need_one() {
        assert_eq!([3.0, 3.25, -0.5, 2.96].map(place), ["3", "3.2", "-0.5", "3"]);
    }

    #[test]
    fn the_bars_of_a_histogram_are_as_high_as_their_counts() {
        let chart = histogram("lengths", "plies", &[5, 5, 7, 12]);
        // Eight bars of one each, between 66 and 606.
        let bars: Vec<f64> = (0..8).map(|bar| 66.0 + 67.5 * f64::from(bar) + 1.0).collect();
        assert_eq!(values(&chart, "<rect class=\"bar\"", "x"), bars);
        assert_eq!(values(&chart, "<rect class=\"bar\"", "width"), [65.5; 8]);
        let heights = [182.0, 0.0, 91.0, 0.0, 0.0, 0.0, 0.0, 91.0];
        assert_eq!(values(&chart, "<rect class=\"bar\"", "height"), heights);
        assert_eq!(values(&chart, "<rect class=\"bar\"", "y"), heights.map(|height| 194.0 - height));
        assert!(chart.0.contains("<title>5 plies: 2 games</title>"), "{}", chart.0);
        // A few bars do not fill the width, and many values share one.
        assert_eq!(values(&histogram("", "", &[3, 4]), "<rect class=\"bar\"", "width"), [65.5; 2]);
        let many = histogram("", "plies", &[10, 11, 12, 43, 74]);
        assert_eq!(values(&many, "<rect class=\"bar\"", "x").len(), 22);
        assert!(many.0.contains("<title>10–12 plies: 3 games</title>"), "{}", many.0);
        assert!(many.0.contains("<title>73–74 plies: 1 game</title>"), "{}", many.0);
        assert_eq!(values(&histogram("", "", &[1, 32]), "<rect class=\"bar\"", "x").len(), 32);
    }

    #[test]
    fn pairs_and_results_are_drawn_by_their_shares() {
        let chart = pentanomial([0, 1, 4, 2, 0]);
        assert_eq!(values(&chart, "<rect", "x"), [4.0, 44.0, 84.0, 124.0, 164.0]);
        assert_eq!(values(&chart, "<rect", "height"), [0.0, 13.5, 54.0, 27.0, 0.0]);
        assert_eq!(values(&chart, "<rect", "y"), [72.0, 58.5, 18.0, 45.0, 72.0]);
        assert_eq!(
            values(&chart, "<text", "x"),
            [20.0, 20.0, 60.0, 60.0, 100.0, 100.0, 140.0, 140.0, 180.0, 180.0]
        );
        assert_eq!(values(&chart, "<text", "y")[..4], [68.0, 88.0, 54.5, 88.0]);
        assert_eq!(values(&pentanomial([0; 5]), "<rect", "height"), [0.0; 5]);
        let chart = results(MatchScore { wins: 2, draws: 1, losses: 5, pairs: [0; 5] });
        assert_eq!(values(&chart, "<rect", "width"), [100.0, 37.5, 25.0]);
        assert_eq!(values(&results(MatchScore::default()), "<rect", "width"), [100.0, 0.0, 0.0]);
    }

    #[test]
    fn the_course_of_a_match_has_a_line_within_its_band() {
        let elo = |low, mid, high| Elo { low, mid, high };
        let course = [
            (2, elo(-900.0, 24.0, 900.0)),
            (4, elo(-96.0, 48.0, 192.0)),
            (6, elo(-48.0, 72.0, 192.0)),
            (8, elo(0.0, 96.0, 200.0)),
        ];
        let chart = elo_course("a over b", &course);
        let of = |element: &str| chart.0.split_once(element).expect("it is there").1.split('"').next();
        // The first interval does not set the scale, -240 to 240 from 194 up to 12: it goes beyond.
        assert_eq!(of("<polyline class=\"course\" points=\""), Some("201,93.9 336,84.8 471,75.7 606,66.6"));
        let band = "201,12 336,30.2 471,30.2 606,27.2 606,103 471,121.2 336,139.4 201,194";
        assert_eq!(of("<polygon class=\"band\" points=\""), Some(band));
        assert_eq!(
            (values(&chart, "<circle", "cx"), values(&chart, "<circle", "cy")),
            (vec![606.0], vec![66.6])
        );
        assert_eq!(values(&chart, "<line", "y1"), [178.8, 140.9, 103.0, 65.1, 27.2]);
        assert_eq!(values(&chart, "<text", "x")[5..], [66.0, 201.0, 336.0, 471.0, 606.0, 353.0]);
    }
}
