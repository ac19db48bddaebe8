//! Scaling curves as SVG: one panel for each game and ruleset, all on the same axes.

use maud::{Markup, PreEscaped, html};
use quintet_arena::report::chart::{Scale, place};
use quintet_arena::stats::Elo;

use super::ladder::{Figures, Ladder};

/// The size of a panel's plot, and its margins.
const WIDTH: f64 = 190.0;
const HEIGHT: f64 = 170.0;
const LEFT: f64 = 58.0;
const TOP: f64 = 30.0;
const RIGHT: f64 = 14.0;
const BOTTOM: f64 = 46.0;
/// Panels in a row.
const COLUMNS: usize = 4;
/// The height of the legend.
const LEGEND: f64 = 34.0;

/// Colors for light and dark backgrounds: an image can't take them from the page.
const STYLE: &str = "\
    svg{--paper:#fff;--ink:#1c1e22;--soft:#5a606b;--rule:#d9dce2;--k0:#0b57b5;--k1:#c2560c;--k2:#2e8b57;--k3:#8a3ab9}\
    @media(prefers-color-scheme:dark){svg{--paper:#16181d;--ink:#e7e9ee;--soft:#a2a9b6;--rule:#363b45;--k0:#7fb4ff;--k1:#ffa04d;--k2:#4cb583;--k3:#c79bf2}}\
    text{font:13px system-ui,sans-serif;fill:var(--soft)}.title{font-weight:600;fill:var(--ink)}.paper{fill:var(--paper)}\
    .grid{stroke:var(--rule)}.zero{stroke:var(--soft)}.curve,.interval{fill:none;stroke-width:2}.interval{stroke-width:1.3}\
    .k0{stroke:var(--k0)}.k1{stroke:var(--k1)}.k2{stroke:var(--k2)}.k3{stroke:var(--k3)}\
    circle.k0{fill:var(--k0)}circle.k1{fill:var(--k1)}circle.k2{fill:var(--k2)}circle.k3{fill:var(--k3)}";

/// The curve of a kind: its index, and its rating at each step.
type Curve = (usize, Vec<(usize, Elo)>);

/// Draws the ratings of each kind over iterations or trees, in every game.
pub(super) fn curves(ladder: &Ladder, figures: &[Figures]) -> String {
    let panels: Vec<Vec<Curve>> = figures.iter().map(|it| curves_of(ladder, it)).collect();
    let points = panels.iter().flatten().flat_map(|(_, points)| points.iter().map(|(_, elo)| *elo));
    let scale = Scale::of_elo(points, [HEIGHT, 0.0]);
    let columns = COLUMNS.min(figures.len().max(1));
    let rows = figures.len().div_ceil(columns);
    let width = columns as f64 * (LEFT + WIDTH + RIGHT);
    let height = LEGEND + rows as f64 * (TOP + HEIGHT + BOTTOM);
    let title = format!("Elo by {} for each game, with 95 % intervals", ladder.axis());
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height) role="img" aria-label=(title) {
            title { (title) }
            style { (PreEscaped(STYLE)) }
            rect.paper width=(width) height=(height) {}
            @for (kind, name) in ladder.kind_names().enumerate() {
                @let x = LEFT + 150.0 * kind as f64;
                line class=(class("curve", kind)) x1=(x) x2=(x + 26.0) y1="20" y2="20" {}
                circle class=(class("", kind)) cx=(x + 13.0) cy="20" r="3.5" {}
                text.title x=(x + 34.0) y="24.5" { (name) }
            }
            @for (index, (figures, curves)) in figures.iter().zip(&panels).enumerate() {
                @let x = (index % columns) as f64 * (LEFT + WIDTH + RIGHT) + LEFT;
                @let y = LEGEND + (index / columns) as f64 * (TOP + HEIGHT + BOTTOM) + TOP;
                g transform=(format!("translate({x} {y})")) {
                    text.title x="0" y="-10" { (figures.game) }
                    (panel(ladder, curves, scale))
                }
            }
        }
    };
    svg.into_string() + "\n"
}

/// Returns the CSS classes of a kind's element; colors repeat after four kinds.
fn class(what: &str, kind: usize) -> String {
    format!("{what} k{}", kind % 4).trim_start().to_owned()
}

fn curves_of(ladder: &Ladder, figures: &Figures) -> Vec<Curve> {
    let points =
        |kind| (0..ladder.steps.len()).filter_map(move |step| Some((step, figures.rating(kind, step)?)));
    (0..ladder.kinds.len()).map(|kind| (kind, points(kind).collect())).collect()
}

fn panel(ladder: &Ladder, curves: &[Curve], scale: Scale) -> Markup {
    let doublings: Vec<f64> = ladder.axis_values().into_iter().map(|it| (it as f64).log2()).collect();
    let (first, last) = (doublings[0], doublings[doublings.len() - 1]);
    let across = |step: usize| 14.0 + (WIDTH - 28.0) * (doublings[step] - first) / (last - first);
    // Kinds are a little apart so that their intervals do not overlap.
    let x = |kind: usize, step: usize| {
        place(across(step) + 5.0 * (kind as f64 - (curves.len() - 1) as f64 / 2.0))
    };
    let y = |elo: f64| place(scale.at(elo));
    html! {
        @for tick in scale.ticks(5.0) {
            line.grid.zero[tick == 0.0] x1="0" x2=(WIDTH) y1=(y(tick)) y2=(y(tick)) {}
            text x="-8" y=(place(scale.at(tick) + 4.5)) text-anchor="end" { (format!("{tick:.0}").replace('-', "−")) }
        }
        @for (step, heading) in ladder.headings().iter().enumerate() {
            text x=(place(across(step))) y=(HEIGHT + 18.0) text-anchor="middle" { (heading) }
        }
        text x=(WIDTH / 2.0) y=(HEIGHT + 35.0) text-anchor="middle" { (ladder.axis()) }
        text transform=(format!("translate(-46 {}) rotate(-90)", HEIGHT / 2.0)) text-anchor="middle" { "Elo" }
        @for (kind, points) in curves {
            @let point = |&(step, elo): &(usize, Elo)| format!("{},{}", x(*kind, step), y(elo.mid));
            polyline class=(class("curve", *kind)) points=(points.iter().map(point).collect::<Vec<_>>().join(" ")) {}
            @for &(step, elo) in points {
                line class=(class("interval", *kind)) x1=(x(*kind, step)) x2=(x(*kind, step)) y1=(y(elo.low)) y2=(y(elo.high)) {}
                circle class=(class("", *kind)) cx=(x(*kind, step)) cy=(y(elo.mid)) r="3.5" {
                    title { (format!("{:.0} ({:.0} … {:.0})", elo.mid, elo.low, elo.high)) }
                }
            }
        }
    }
}
