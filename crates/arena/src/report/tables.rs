//! The tables of a report.

use maud::{Markup, html};

use quintet_core::game::Side;
use quintet_protocol::End;

use super::chart;
use super::format::{games, interval, points, results, score, signed};
use super::pairing::{Pairing, RatingRow};
use super::section::Section;
use crate::stats::{Elo, MatchScore};

/// Two cells: an Elo difference in whole numbers, and its interval.
pub(super) fn elo_cells(elo: Option<Elo>) -> Markup {
    html! {
        @if let Some(elo) = elo {
            td.number { (signed(elo.mid)) }
            td.number { (interval(elo)) }
        } @else {
            td.number { "–" }
            td.number { "–" }
        }
    }
}

/// Text that may wrap after each comma, colon and equals sign, as the settings of engines have them.
pub(super) fn wrapping(text: &str) -> Markup {
    html! { @for part in text.split_inclusive([',', ':', '=']) { wbr; (part) } }
}

/// A table that scrolls by itself on narrow screens.
fn table(caption: &str, body: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(caption) {
            table { caption { span { (caption) } } (body) }
        }
    }
}

/// A rating list, best engine first. `what` says what it lists.
pub(super) fn ratings(what: &str, ratings: &[RatingRow]) -> Markup {
    let groups = ratings.iter().map(|rating| rating.group + 1).max().unwrap_or(1);
    let mean = if groups > 1 {
        "engines that have met form a group, whose ratings have the mean 0; ratings of different groups can't be compared"
    } else {
        "the mean of the ratings is 0"
    };
    table(
        &format!("{what}; {mean}"),
        &html! {
            thead { tr {
                th scope="col" { "engine" }
                th.number scope="col" { "Elo" }
                th.number scope="col" { "95 % interval" }
                th.number scope="col" { "games" }
                th.number scope="col" { "+ = −" }
                th.number scope="col" { "score" }
            } }
            tbody {
                @for rating in ratings {
                    @let tally = rating.score;
                    tr {
                        th scope="row" { span.name { (wrapping(rating.engine)) } }
                        (elo_cells(rating.elo))
                        td.number { (tally.games()) }
                        td.number { (results(tally)) }
                        td.number { (score(tally)) }
                    }
                }
            }
        },
    )
}

/// The cross table.
pub(super) fn cross(section: &Section) -> Markup {
    table(
        "Cross table: points of the engine in the row",
        &html! {
            thead { tr {
                th scope="col" { "engine" }
                @for (index, _) in section.ratings.iter().enumerate() {
                    th scope="col" { (index + 1) }
                }
            } }
            tbody {
                @for (index, row) in section.ratings.iter().enumerate() {
                    tr {
                        th scope="row" { span.name { (index + 1) ". " (wrapping(row.engine)) } }
                        @for column in &section.ratings {
                            @if let Some(tally) = section.between(row.engine, column.engine) {
                                td {
                                    strong { (points(tally)) "/" (tally.games()) } " " (results(tally))
                                    (chart::results(tally))
                                }
                            } @else {
                                td.nobody { "–" }
                            }
                        }
                    }
                }
            }
        },
    )
}

/// Describes a pairing in one line, scored for its first engine.
pub(super) fn pairing_line(pairing: &Pairing) -> String {
    let tally = pairing.score;
    let elo = tally.open_elo();
    let elo = elo.map_or(String::new(), |elo| format!(", Elo {} ({})", signed(elo.mid), interval(elo)));
    format!("{}/{} {}{elo}", points(tally), tally.games(), results(tally))
}

/// The score of each engine by seat.
pub(super) fn seats(section: &Section) -> Markup {
    let names = [Side::First, Side::Second].map(|side| section.side_name(side));
    let cells = |tally: MatchScore| {
        html! {
            td { (score(tally)) " " span.detail { (results(tally)) } (chart::results(tally)) }
        }
    };
    let first = section.first_side();
    let second = MatchScore { wins: first.losses, losses: first.wins, ..first };
    table(
        "Score by seat",
        &html! {
            thead { tr {
                th scope="col" { "engine" }
                @for name in &names { th scope="col" { "as " (name) } }
            } }
            tbody {
                @for rating in &section.ratings {
                    @let [first, second] = section.seats[rating.engine];
                    tr { th scope="row" { span.name { (wrapping(rating.engine)) } } (cells(first)) (cells(second)) }
                }
                tr.sum { th scope="row" { "all engines" } (cells(first)) (cells(second)) }
            }
        },
    )
}

/// The score of the first side by opening, best first. If there are many openings, the middle ones
/// are folded away.
pub(super) fn openings(section: &Section) -> Markup {
    const SHOWN: usize = 8;
    let mut openings: Vec<(&str, MatchScore)> =
        section.openings.iter().map(|(opening, &tally)| (opening.as_str(), tally)).collect();
    let share = |tally: &MatchScore| tally.score().unwrap_or_default();
    openings.sort_by(|(_, a), (_, b)| share(b).total_cmp(&share(a)).then(b.games().cmp(&a.games())));
    let caption = format!("Score of {} by opening", section.side_name(Side::First));
    let rows = |caption: &str, openings: &[(&str, MatchScore)]| {
        table(
            caption,
            &html! {
                thead { tr {
                    th scope="col" { "opening" }
                    th.number scope="col" { "games" }
                    th scope="col" { "score" }
                } }
                tbody {
                    @for &(opening, tally) in openings {
                        tr {
                            th scope="row" { code.name { (opening) } }
                            td.number { (tally.games()) }
                            td { (score(tally)) " " span.detail { (results(tally)) } (chart::results(tally)) }
                        }
                    }
                }
            },
        )
    };
    if openings.len() <= 2 * SHOWN {
        return rows(&caption, &openings);
    }
    let (best, rest) = openings.split_at(SHOWN);
    let (middle, worst) = rest.split_at(rest.len() - SHOWN);
    html! {
        (rows(&format!("{caption}: the best {SHOWN} of {}", openings.len()), best))
        (rows(&format!("{caption}: the worst {SHOWN}"), worst))
        details {
            summary { "the other " (middle.len()) " openings" }
            (rows(&format!("{caption}: the others"), middle))
        }
    }
}

/// How games ended, and their faults.
pub(super) fn ends(section: &Section, is_held: impl Fn(usize) -> bool) -> Markup {
    const SHOWN: usize = 50;
    let ends = [End::Illegal, End::Time, End::Crash];
    let lost = |engine: &str, end: End| {
        section.faults.iter().filter(|fault| fault.engine == engine && fault.end == end).count()
    };
    let ended = |end: End| section.games.iter().filter(|(_, entry)| entry.record.end == end).count();
    let adjudicated = ended(End::Adjudication);
    html! {
        p {
            (ended(End::Rules)) " of " (games(section.games.len())) " ended by the rules."
            @if adjudicated > 0 { " " (adjudicated) " by agreement of both engines." }
        }
        @if !section.faults.is_empty() {
            (table("Games lost by a fault", &html! {
                thead { tr {
                    th scope="col" { "engine" }
                    @for end in ends { th.number scope="col" { (end_name(end)) } }
                } }
                tbody {
                    @for rating in &section.ratings {
                        tr {
                            th scope="row" { span.name { (wrapping(rating.engine)) } }
                            @for end in ends { td.number { (lost(rating.engine, end)) } }
                        }
                    }
                }
            }))
            ul.faults {
                @for fault in section.faults.iter().take(SHOWN) {
                    li {
                        (game_link(fault.number, is_held(fault.number)))
                        ": " (wrapping(fault.engine)) ", " (end_name(fault.end))
                        @if !fault.what.is_empty() { ": " (fault.what) }
                    }
                }
            }
            @if section.faults.len() > SHOWN {
                p { "And " (section.faults.len() - SHOWN) " more." }
            }
        }
    }
}

fn end_name(end: End) -> &'static str {
    match end {
        End::Rules => "by the rules",
        End::Illegal => "illegal move",
        End::Time => "out of time",
        End::Crash => "crash",
        End::Adjudication => "agreed by both engines",
    }
}

/// Games that are the same move for move.
pub(super) fn repeats(section: &Section, is_held: impl Fn(usize) -> bool) -> Markup {
    const SHOWN: usize = 10;
    let repeats = section.repeats();
    html! {
        @if repeats == 0 {
            p { "No two games are the same." }
        } @else {
            p {
                (repeats) " of " (games(section.games.len())) " repeat another one move for move. They count as games, but "
                "ratings and intervals leave out pairs whose games both repeat earlier ones."
            }
            ul.faults {
                @for same in section.repeated.iter().take(SHOWN) {
                    li {
                        @for (index, &number) in same.numbers.iter().take(SHOWN).enumerate() {
                            @if index > 0 { ", " }
                            (game_link(number, is_held(number)))
                        }
                        @if same.numbers.len() > SHOWN { " and " (same.numbers.len() - SHOWN) " more" }
                    }
                }
            }
        }
    }
}

fn game_link(number: usize, is_held: bool) -> Markup {
    html! {
        @if is_held { a href=(format!("#game-{number}")) { "game " (number) } } @else { "game " (number) }
    }
}
