//! The section of a report on one game under one ruleset.

use indexmap::IndexMap;
use quintet_core::game::Side;
use quintet_core::registry::{Registry, Variant};
use quintet_protocol::End;

use super::entry::CheckedGame;
use super::format::visible;
use super::pairing::{Pairing, RatingRow, ratings};
use crate::stats::{Elo, MatchScore};

/// Games that are the same move for move.
#[derive(Debug)]
pub(super) struct Repeated {
    /// Their numbers in the report, from 1.
    pub(super) numbers: Vec<usize>,
}

/// A game that was lost by a fault.
#[derive(Debug)]
pub(super) struct FaultRow<'a> {
    /// The game's number in the report, from 1.
    pub(super) number: usize,
    /// The engine that lost.
    pub(super) engine: &'a str,
    pub(super) end: End,
    pub(super) what: &'a str,
}

/// The games of one game and ruleset, and their results.
#[derive(Debug)]
pub(super) struct Section<'a> {
    pub(super) game: Variant,
    /// The games with their numbers in the report, from 1.
    pub(super) games: Vec<(usize, &'a CheckedGame)>,
    pub(super) pairings: Vec<Pairing<'a>>,
    /// The rating list, best engine first.
    pub(super) ratings: Vec<RatingRow<'a>>,
    /// The results of the first side by opening, in file order.
    pub(super) openings: IndexMap<String, MatchScore>,
    /// The results of each engine on the first and on the second side.
    pub(super) seats: IndexMap<&'a str, [MatchScore; 2]>,
    pub(super) repeated: Vec<Repeated>,
    pub(super) faults: Vec<FaultRow<'a>>,
}

impl<'a> Section<'a> {
    /// Returns the sections of a report, in the order in which `games` lists them.
    pub(super) fn all(entries: &'a [CheckedGame], games: &Registry) -> Vec<Self> {
        let numbered = || entries.iter().enumerate().map(|(index, entry)| (index + 1, entry));
        let sections = games.variants().iter().map(|&game| {
            let of_game = numbered().filter(|(_, entry)| entry.game == game).collect();
            Self::new(game, of_game)
        });
        sections.filter(|section| !section.games.is_empty()).collect()
    }

    fn new(game: Variant, games: Vec<(usize, &'a CheckedGame)>) -> Self {
        let mut met: IndexMap<[&str; 2], Vec<&CheckedGame>> = IndexMap::new();
        let mut openings: IndexMap<String, MatchScore> = IndexMap::new();
        let mut seats: IndexMap<&str, [MatchScore; 2]> = IndexMap::new();
        let mut by_moves: IndexMap<(Option<&str>, &[String]), Vec<usize>> = IndexMap::new();
        let mut faults = Vec::new();
        for &(number, entry) in &games {
            let record = &entry.record;
            let [first, second] = [0, 1].map(|seat| entry.engines[seat].as_str());
            let engines = if met.contains_key(&[second, first]) { [second, first] } else { [first, second] };
            met.entry(engines).or_default().push(entry);

            openings.entry(opening(entry)).or_default().add_game(entry.half_points);
            for (seat, engine) in [first, second].into_iter().enumerate() {
                seats.entry(engine).or_default()[seat].add_game(entry.half_points_of(seat));
            }
            by_moves.entry((record.position.as_deref(), &record.moves)).or_default().push(number);
            if record.end.is_fault() {
                let engine = if entry.half_points == 0 { first } else { second };
                let what = record.fault.as_deref().unwrap_or("");
                faults.push(FaultRow { number, engine, end: record.end, what });
            }
        }
        let pairings: Vec<_> = met.into_iter().map(|(engines, games)| Pairing::new(engines, games)).collect();
        let engines: Vec<&str> = seats.keys().copied().collect();
        let ratings = ratings(&engines, &pairings.iter().collect::<Vec<_>>());
        // The better engine comes first, whoever had the first seat of the first game.
        let rank = |engine: &str| ratings.iter().position(|it| it.engine == engine);
        let is_reversed = |pairing: &Pairing| rank(pairing.engines[0]) > rank(pairing.engines[1]);
        let mut pairings: Vec<Pairing> =
            pairings.into_iter().map(|it| if is_reversed(&it) { it.reversed() } else { it }).collect();
        pairings.sort_by_key(|pairing| pairing.engines.map(rank));
        let repeated = by_moves.into_values().filter(|numbers| numbers.len() > 1);
        let repeated = repeated.map(|numbers| Repeated { numbers }).collect();
        Self { game, games, pairings, ratings, openings, seats, repeated, faults }
    }

    /// Returns the HTML id of this section.
    pub(super) fn id(&self) -> String {
        format!("{}-{}", self.game.game, self.game.rules)
    }

    /// Returns the roles of a side, such as `white`.
    pub(super) fn side_name(&self, side: Side) -> String {
        let names = self.game.roles.iter().filter(|role| role.side == side).map(|role| role.name);
        names.collect::<Vec<_>>().join("+")
    }

    /// Returns the engine with the best rating; `None` if there is a tie or not all engines can be
    /// compared.
    pub(super) fn leader(&self) -> Option<&'a str> {
        let [best, second, ..] = &self.ratings[..] else { return None };
        let is_apart = |[a, b]: [Elo; 2]| a.mid.round() > b.mid.round();
        let is_first =
            self.ratings.iter().all(|it| it.group == best.group) && is_apart([best.elo?, second.elo?]);
        is_first.then_some(best.engine)
    }

    /// Returns the Elo difference of the engines if there are two, else the rating of the leader, if
    /// any.
    pub(super) fn lead(&self) -> Option<Elo> {
        match &self.pairings[..] {
            [pairing] => pairing.score.open_elo(),
            _ => self.ratings.first()?.elo.filter(|_| self.leader().is_some()),
        }
    }

    /// Returns the number of games that repeat an earlier one.
    pub(super) fn repeats(&self) -> usize {
        self.repeated.iter().map(|it| it.numbers.len() - 1).sum()
    }

    /// Returns the engine's score against another; `None` if they did not meet.
    pub(super) fn between(&self, engine: &str, other: &str) -> Option<MatchScore> {
        let pairing =
            self.pairings.iter().find(|it| it.engines.contains(&engine) && it.engines.contains(&other))?;
        pairing.score_of(engine).filter(|_| engine != other)
    }

    /// Returns the results of the first side over all games.
    pub(super) fn first_side(&self) -> MatchScore {
        let mut tally = MatchScore::default();
        for (_, entry) in &self.games {
            tally.add_game(entry.half_points);
        }
        tally
    }
}

/// Returns the opening of a game as text: its start position, if given, and its opening moves.
fn opening(entry: &CheckedGame) -> String {
    let record = &entry.record;
    let start = record.position.as_deref().map(|position| format!("[{position}]"));
    let moves = record.opening.iter().cloned();
    let text = start.into_iter().chain(moves).collect::<Vec<_>>().join(" ");
    if text.is_empty() { "start position".to_owned() } else { visible(&text) }
}
