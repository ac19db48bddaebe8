//! The page as a whole.

use std::time::SystemTime;

use indexmap::{IndexMap, IndexSet};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use quintet_core::registry::Registry;

use super::entry::CheckedGame;
use super::format::{day, games, pairs};
use super::pairing::{Pairing, RatingRow, ratings};
use super::section::Section;
use super::tables::wrapping;
use super::thoughts::FALL;
use super::{chart, tables, viewer};
use crate::stats::MatchScore;
use crate::stats::text::evenly_split;

/// The styles of the page: that of boards and its own.
pub(super) const STYLES: [&str; 2] = [quintet_board::STYLE, include_str!("page.css")];

/// The page's own script. Its first line imports the module that draws boards.
const VIEWER: &str = include_str!("viewer.js");

/// Returns the script of the page. A script within a page can't import from a file, so this is the
/// module that draws boards with the page's own script after it.
pub(super) fn script() -> String {
    let (_import, viewer) = VIEWER.split_once('\n').unwrap_or_default();
    [quintet_board::SCRIPT, viewer].concat()
}

/// The content security policy: the page loads nothing, and only its own styles and script, given by
/// their hashes, apply, whatever the texts of the records are. A test compares the hashes.
const POLICY: &str = include_str!("policy.txt");

/// Returns a report on `entries`, which were played until `date`. Its viewer holds at most `most`
/// games.
pub(super) fn page(
    entries: &[CheckedGame],
    registry: &Registry,
    date: Option<SystemTime>,
    most: usize,
) -> Markup {
    let sections = Section::all(entries, registry);
    let title = title(entries, &sections);
    let day = date.map(day).filter(|day| !day.is_empty());
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY.trim_end());
                meta name="color-scheme" content="light dark";
                title { (title) @if let Some(day) = &day { ", " (day) } }
                @for style in STYLES { style { (PreEscaped(style)) } }
            }
            body {
                header {
                    h1 { (wrapping(&title)) @if let Some(day) = &day { ", " span.number { (day) } } }
                    (overview(entries, &sections))
                }
                nav aria-label="Contents" {
                    ul {
                        li { a href="#viewer" { "Games" } }
                        li { a href="#summary" { "Summary" } }
                        @for section in &sections { li { a href=(format!("#{}", section.id())) { (name(section)) } } }
                        li { a href="#engines" { "Engines" } }
                    }
                }
                main {
                    (stage(entries, most))
                    (summary(&sections))
                    @for item in &sections { (section(item, entries.len(), most)) }
                    (engines(entries))
                }
                (viewer::data(&sections, entries.len(), most))
                script type="module" { (PreEscaped(script())) }
            }
        }
    }
}

/// Returns what was played, and by whom.
fn title(entries: &[CheckedGame], sections: &[Section]) -> String {
    let games: IndexSet<&str> = sections.iter().map(|section| section.game.game).collect();
    // In the order of the match, if the record has it.
    let engines = entries.iter().flat_map(|it| it.record.arena.engines.keys().chain(&it.engines));
    let engines: IndexSet<&str> = engines.map(String::as_str).collect();
    let engines = match (engines.get_index(0), engines.get_index(1), engines.len()) {
        (Some(a), Some(b), 2) => format!("{a} against {b}"),
        _ => first_of(&engines),
    };
    format!("{}: {engines}", first_of(&games))
}

/// Lists the first of `names`.
fn first_of(names: &IndexSet<&str>) -> String {
    const SHOWN: usize = 5;
    let first = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{first} and {} more", names.len() - SHOWN) } else { first }
}

fn name(section: &Section) -> String {
    format!("{} ({})", section.game.game, section.game.rules)
}

fn overview(entries: &[CheckedGame], sections: &[Section]) -> Markup {
    let repeats: usize = sections.iter().map(Section::repeats).sum();
    let faults: usize = sections.iter().map(|section| section.faults.len()).sum();
    html! {
        p {
            strong { (games(entries.len())) } ", all checked against the rules. "
            @if repeats > 0 { strong { (repeats) } " of them repeat another game. " }
            @if faults > 0 { strong { (games(faults)) } @if faults == 1 { " was" } @else { " were" } " lost by a fault." }
        }
    }
}

fn summary(sections: &[Section]) -> Markup {
    html! {
        section #summary {
            h2 { "Summary" }
            div.scroll tabindex="0" role="region" aria-label="Summary" {
                table {
                    thead { tr {
                        th scope="col" { "game" }
                        th scope="col" { "leader" }
                        th.number scope="col" { "Elo" }
                        th.number scope="col" { "95 % interval" }
                        th.number scope="col" { "games" }
                    } }
                    tbody {
                        @for section in sections {
                            tr {
                                th scope="row" { a href=(format!("#{}", section.id())) { (name(section)) } }
                                td { span.name { (wrapping(section.leader().unwrap_or("–"))) } }
                                (tables::elo_cells(section.lead()))
                                td.number { (section.games.len()) }
                            }
                        }
                    }
                }
            }
            p.note {
                "Elo is the difference of two engines, or the rating of the leader of several. "
                "The mean of all ratings in a list is 0."
            }
            @if sections.len() > 1 { (tables::ratings("Rating list of all games, pooled", &pooled(sections))) }
        }
    }
}

/// Returns the rating list over all games.
fn pooled<'a>(sections: &[Section<'a>]) -> Vec<RatingRow<'a>> {
    let engines: IndexSet<&str> = sections.iter().flat_map(|section| section.seats.keys().copied()).collect();
    let pairings: Vec<&Pairing> = sections.iter().flat_map(|section| &section.pairings).collect();
    ratings(&engines.into_iter().collect::<Vec<_>>(), &pairings)
}

fn section(section: &Section, total: usize, most: usize) -> Markup {
    let is_held = |number: usize| viewer::is_held(number - 1, total, most);
    let mut lengths: Vec<usize> = section.games.iter().map(|(_, entry)| entry.plies()).collect();
    lengths.sort_unstable();
    let scores: Vec<MatchScore> = section.pairings.iter().map(|pairing| pairing.score).collect();
    let mean = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
    html! {
        section id=(section.id()) {
            h2 { (name(section)) }
            p.about { (section.game.about.title) ": " (section.game.about.summary) }
            (tables::ratings("Rating list", &section.ratings))
            @if let Some(note) = evenly_split(&scores) { p { strong { "Note: " } (note) "." } }
            @if section.ratings.len() > 2 { (tables::cross(section)) }
            h3 { "Pairings" }
            @for pairing in &section.pairings {
                @let [a, b] = pairing.engines;
                details.pairing open[section.pairings.len() <= 3] {
                    summary { (wrapping(a)) " against " (wrapping(b)) ": " (tables::pairing_line(pairing)) }
                    div.charts {
                        figure.narrow {
                            (chart::pentanomial(pairing.score.pairs))
                            figcaption {
                                "Pairs of games by the points of " (wrapping(a)) "."
                                @if pairing.unpaired > 0 {
                                    " Left out, in incomplete pairs: " (games(pairing.unpaired)) "."
                                }
                                @if pairing.repeated > 0 {
                                    " Left out, since both games repeat earlier ones: "
                                    (pairs(pairing.repeated)) "."
                                }
                            }
                        }
                        @let course = pairing.course(200);
                        @if course.len() > 1 {
                            figure {
                                (chart::elo_course(&format!("Elo of {a} over {b} by number of games"), &course))
                                figcaption { "Elo of " (wrapping(a)) " over " (wrapping(b)) ", with its 95 % band. Where the line or the band meets the edge, it goes on beyond it." }
                            }
                        }
                    }
                }
            }
            h3 { "Seats and openings" }
            (tables::seats(section))
            (tables::openings(section))
            h3 { "Game lengths" }
            figure {
                (chart::histogram("Number of games by length in plies", "plies", &lengths))
                figcaption {
                    "Shortest " (lengths[0]) ", median " (lengths[lengths.len() / 2]) ", mean " (format!("{mean:.1}"))
                    ", longest " (lengths[lengths.len() - 1]) " plies."
                }
            }
            h3 { "How games ended" }
            (tables::ends(section, is_held))
            (tables::repeats(section, is_held))
        }
    }
}

/// The settings of the engines, the programs that played, and the openings.
fn engines(entries: &[CheckedGame]) -> Markup {
    let mut settings: IndexMap<&str, IndexSet<&str>> = IndexMap::new();
    let mut conditions: IndexSet<String> = IndexSet::new();
    for entry in entries {
        let arena = &entry.record.arena;
        for (name, setting) in &arena.engines {
            settings.entry(name).or_default().insert(setting);
        }
        let mut text =
            format!("Program: {}. Openings: {}, seed {}", arena.program(), arena.openings, arena.seed);
        for (name, condition) in [("Resign", &arena.resign), ("Draw", &arena.draw)] {
            if let Some(condition) = condition {
                text.push_str(&format!(". {name}: {condition}"));
            }
        }
        conditions.insert(text);
    }
    html! {
        section #engines {
            h2 { "Engines" }
            div.scroll tabindex="0" role="region" aria-label="Engines" {
                table {
                    thead { tr { th scope="col" { "name" } th scope="col" { "settings" } } }
                    tbody {
                        @for (name, settings) in &settings {
                            tr {
                                th scope="row" { span.name { (wrapping(name)) } }
                                td { @for setting in settings { code.settings { (wrapping(setting)) } } }
                            }
                        }
                    }
                }
            }
            ul {
                @for text in conditions.iter().take(20) { li { (wrapping(text)) } }
            }
        }
    }
}

/// The game viewer, which the script fills in.
fn stage(entries: &[CheckedGame], most: usize) -> Markup {
    let total = entries.len();
    html! {
        section #viewer {
            h2 { "Games" }
            @if total > most {
                p { "Showing " (most) " of " (total) " games, evenly spaced." }
            }
            noscript { p { "To step through the games, allow JavaScript for this page." } }
            div #stage hidden {
                div.board-and-moves {
                    div.picking {
                        div.pickers {
                            label { "Game " select #pick-section {} }
                            label { "Engine " select #pick-engine {} }
                            label { "Result " select #pick-result {} }
                        }
                        label.list for="pick-game" { "Games to choose from: " output #picked {} }
                        select #pick-game size="4" {}
                    }
                    div.board-side {
                        p #result {}
                        div #controls role="group" aria-label="Step through the game" {
                            button type="button" #to-start title="Start (Home)" aria-label="To the start" { "|◀" }
                            button type="button" #back title="Back (←)" aria-label="One ply back" { "◀" }
                            button type="button" #play aria-pressed="false" aria-label="Play automatically" { "Play" }
                            button type="button" #forward title="Forward (→)" aria-label="One ply forward" { "▶" }
                            button type="button" #to-end title="End" aria-label="To the end" { "▶|" }
                            input type="range" #slider min="0" max="0" value="0" aria-label="Ply";
                        }
                        p #status aria-live="polite" {}
                        div #board {}
                    }
                    div.moves-side {
                        p #thought hidden {}
                        figure #graph hidden {}
                        ol #moves {}
                        p.note { a #link href="#viewer" { "Link to this position" } " " button type="button" #copy { "Copy" } }
                        @if entries.iter().any(|entry| entry.record.thoughts.iter().any(Option::is_some)) {
                            (about_blunders())
                        }
                    }
                }
            }
        }
    }
}

fn about_blunders() -> Markup {
    html! {
        p.note {
            strong { "??" } " marks a blunder: an engine's opinion of the side that moved fell by "
            (FALL) " points of 100 or more, in the eyes of the same engine. The one that moved compares what it thought "
            "then with its next thought, the other one its thoughts before and after. A proven value counts as an "
            "opinion, and so does the result of a game that ended by the rules. If a side made several moves in a row, "
            "the other engine's opinion counts for the last of them. A side that is proven to lose can't blunder."
        }
    }
}
