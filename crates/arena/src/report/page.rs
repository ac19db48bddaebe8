//! The page as a whole.

use base64::prelude::{BASE64_STANDARD, Engine as _};
use indexmap::IndexMap;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use quintet_core::registry::Registry;
use sha2::{Digest as _, Sha256};

use super::entry::CheckedGame;
use super::format::{games, pairs};
use super::section::Section;
use super::{chart, tables, viewer};

const STYLE: &str = include_str!("page.css");
const SCRIPTS: [&str; 2] = [include_str!("pictures.js"), include_str!("viewer.js")];

/// Returns the content security policy: the page loads nothing, and only its own style and scripts
/// apply, whatever the texts of the records are.
fn policy() -> String {
    let hash = |content: &str| format!(" 'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(content)));
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src{}; script-src{}",
        hash(STYLE),
        SCRIPTS.map(hash).concat(),
    )
}

/// Returns a report on `entries`. Its viewer holds at most `most` games.
pub(super) fn page(entries: &[CheckedGame], registry: &Registry, most: usize) -> Markup {
    let sections = Section::all(entries, registry);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="color-scheme" content="light dark";
                title { "Arena report" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { "Arena report" }
                    (summary(entries, &sections))
                }
                nav aria-label="Contents" {
                    ul {
                        li { a href="#viewer" { "Games" } }
                        @for section in &sections { li { a href=(format!("#{}", section.id())) { (name(section)) } } }
                        li { a href="#engines" { "Engines" } }
                    }
                }
                main {
                    @for item in &sections { (section(item, entries.len(), most)) }
                    (engines(entries))
                    (stage(entries.len(), most))
                }
                (viewer::data(&sections, entries.len(), most))
                @for script in SCRIPTS { script { (PreEscaped(script)) } }
            }
        }
    }
}

fn name(section: &Section) -> String {
    format!("{} ({})", section.game.game, section.game.rules)
}

fn summary(entries: &[CheckedGame], sections: &[Section]) -> Markup {
    let repeats: usize = sections.iter().map(Section::repeats).sum();
    let faults: usize = sections.iter().map(|section| section.faults.len()).sum();
    html! {
        p {
            strong { (games(entries.len())) } ", all checked against the rules. "
            @if repeats > 0 { strong { (repeats) } " of them repeat another game. " }
            @if faults > 0 { strong { (faults) } " did not end by the rules." }
        }
        div.scroll tabindex="0" role="region" aria-label="Summary" {
            table {
                caption { "Summary" }
                thead { tr {
                    th scope="col" { "game" }
                    th.number scope="col" { "games" }
                    th scope="col" { "leader" }
                    th.number scope="col" { "Elo" }
                    th.number scope="col" { "95 % interval" }
                } }
                tbody {
                    @for section in sections {
                        tr {
                            th scope="row" { a href=(format!("#{}", section.id())) { (name(section)) } }
                            td.number { (section.games.len()) }
                            @if let Some(best) = section.ratings.first() {
                                td { (best.engine) }
                                (tables::elo_cells(best.elo))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn section(section: &Section, total: usize, most: usize) -> Markup {
    let is_held = |number: usize| viewer::is_held(number - 1, total, most);
    let mut lengths: Vec<usize> = section.games.iter().map(|(_, entry)| entry.plies()).collect();
    lengths.sort_unstable();
    let mean = lengths.iter().sum::<usize>() as f64 / lengths.len() as f64;
    html! {
        section id=(section.id()) {
            h2 { (name(section)) }
            p.about { (section.game.about.title) ": " (section.game.about.summary) }
            (tables::ratings(section))
            @if section.ratings.len() > 2 { (tables::cross(section)) }
            h3 { "Pairings" }
            @for pairing in &section.pairings {
                @let [a, b] = pairing.engines;
                details.pairing open[section.pairings.len() <= 3] {
                    summary { (a) " against " (b) ": " (tables::pairing_line(pairing)) }
                    div.charts {
                        figure.narrow {
                            (chart::pentanomial(pairing.score.pairs))
                            figcaption {
                                "Pairs of games by the points of " (a) "."
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
                                figcaption { "Elo of " (a) " over " (b) ", with its 95 % band." }
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

/// The settings of the engines, and the openings.
fn engines(entries: &[CheckedGame]) -> Markup {
    let mut settings: IndexMap<&str, Vec<&str>> = IndexMap::new();
    let mut openings: Vec<(u64, &str)> = Vec::new();
    for entry in entries {
        let arena = &entry.record.arena;
        for (name, setting) in &arena.engines {
            let known = settings.entry(name).or_default();
            if !known.contains(&setting.as_str()) {
                known.push(setting);
            }
        }
        if !openings.contains(&(arena.seed, &arena.openings)) {
            openings.push((arena.seed, &arena.openings));
        }
    }
    html! {
        section #engines {
            h2 { "Engines" }
            div.scroll tabindex="0" role="region" aria-label="Engines" {
                table {
                    thead { tr { th scope="col" { "name" } th scope="col" { "settings" } } }
                    tbody {
                        @for (name, settings) in &settings {
                            tr { th scope="row" { (name) } td { code { (settings.join("; ")) } } }
                        }
                    }
                }
            }
            ul {
                @for (seed, openings) in openings.iter().take(20) { li { "Openings: " (openings) ", seed " (seed) } }
            }
        }
    }
}

/// The game viewer, which the script fills in.
fn stage(total: usize, most: usize) -> Markup {
    html! {
        section #viewer {
            h2 { "Games" }
            @if total > most {
                p { "Showing " (most) " of " (total) " games, evenly spaced." }
            }
            noscript { p { "To step through the games, allow JavaScript for this page." } }
            div #stage hidden {
                div.pickers {
                    label { "Game " select #pick-section {} }
                    label { "Engine " select #pick-engine {} }
                    label { "Result " select #pick-result {} }
                }
                label.list for="pick-game" { "Games to choose from: " output #picked {} }
                select #pick-game size="7" {}
                p #result {}
                div.board-and-moves {
                    div {
                        p #status aria-live="polite" {}
                        div #controls role="group" aria-label="Step through the game" {
                            button type="button" #to-start title="Start (Home)" aria-label="To the start" { "|◀" }
                            button type="button" #back title="Back (←)" aria-label="One ply back" { "◀" }
                            button type="button" #play aria-pressed="false" aria-label="Play automatically" { "Play" }
                            button type="button" #forward title="Forward (→)" aria-label="One ply forward" { "▶" }
                            button type="button" #to-end title="End" aria-label="To the end" { "▶|" }
                            input type="range" #slider min="0" max="0" value="0" aria-label="Ply";
                        }
                        div #board {}
                    }
                    ol #moves {}
                }
            }
        }
    }
}
