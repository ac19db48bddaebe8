//! The results of all matches of a tournament.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use indexmap::{IndexMap, IndexSet};
use quintet_protocol::{ArenaResults, GameRecord, MatchResult, PlayingGame, Rated, SprtResult, rounded};

use super::results::MatchResults;
use super::schedule::{ScheduledGame, Tournament};
use super::variant_name::VariantName;
use crate::stats::{Elo, Hypothesis, MatchScore, RatingList, Sprt};

/// A match between two engines in one game, with its results.
#[derive(Debug, Clone)]
pub struct Match {
    /// The game and its ruleset.
    pub game: VariantName,
    /// The engines' names; results are counted for the first.
    pub engines: [String; 2],
    /// The results so far.
    pub results: MatchResults,
}

/// All matches of a tournament.
#[derive(Debug, Clone, Default)]
pub struct Standings {
    /// The matches, in order.
    pub matches: Vec<Match>,
    /// Where the match of two engines is.
    places: HashMap<(VariantName, [String; 2]), usize>,
}

/// The rating list of one game.
#[derive(Debug, Clone)]
pub struct GameRatings {
    /// The game and its ruleset.
    pub game: VariantName,
    /// The engines' names, indexed by their numbers in the list.
    pub engines: Vec<String>,
    /// The ratings.
    pub list: RatingList,
}

impl FromIterator<Match> for Standings {
    fn from_iter<T: IntoIterator<Item = Match>>(matches: T) -> Self {
        let mut standings = Self::default();
        for it in matches {
            standings.push(it);
        }
        standings
    }
}

impl Standings {
    /// Creates the standings of `tournament` before its first game. Only games of `schedule` are
    /// expected; `test`, if any, ends each match.
    #[must_use]
    pub fn expecting(tournament: &Tournament, schedule: &[ScheduledGame], test: Option<Sprt>) -> Self {
        let matches = tournament.matches();
        let mut pairs = vec![Vec::new(); matches.len()];
        for it in schedule {
            pairs[it.match_index].push(it.pair);
        }
        let matches = matches.into_iter().zip(pairs).map(|((game, engines), pairs)| Match {
            game: (&game).into(),
            engines: engines.map(|engine| tournament.engines[engine].name.clone()),
            results: MatchResults::expecting(pairs).tested_by(test),
        });
        matches.collect()
    }

    /// Creates the standings of the matches that `records` come from.
    #[must_use]
    pub fn of(records: &[GameRecord]) -> Self {
        let mut standings = Self::default();
        for record in records {
            standings.add_any(record);
        }
        standings
    }

    /// Adds a game of any match; `false` if it was added before.
    pub(super) fn add_any(&mut self, record: &GameRecord) -> bool {
        let place = self.place(record).unwrap_or_else(|| {
            self.push(Match {
                game: record.into(),
                engines: record.engines().map(str::to_owned),
                results: MatchResults::default(),
            })
        });
        self.matches[place].results.add(record)
    }

    /// Adds a match and returns its place. Of two between the same engines, the first gets the games.
    fn push(&mut self, it: Match) -> usize {
        let place = self.matches.len();
        self.places.entry((it.game.clone(), it.engines.clone())).or_insert(place);
        self.matches.push(it);
        place
    }

    fn place(&self, record: &GameRecord) -> Option<usize> {
        self.places.get(&(record.into(), record.engines().map(str::to_owned))).copied()
    }

    /// Whether the record of a game that is, or was, being played has been added.
    pub(super) fn has(&self, playing: &PlayingGame) -> bool {
        let game = VariantName { game: playing.game.clone(), rules: playing.rules.clone() };
        let place = self.places.get(&(game, playing.arena.names().map(str::to_owned)));
        let is_swapped = playing.arena.is_swapped(&playing.seats);
        place.is_some_and(|&place| self.matches[place].results.has(playing.pair, is_swapped))
    }

    /// Adds a game and returns the index of its match; `None` if it belongs to no match or was
    /// added before.
    pub fn add(&mut self, record: &GameRecord) -> Option<usize> {
        let place = self.place(record)?;
        self.matches[place].results.add(record).then_some(place)
    }

    /// Returns the number of games played.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.matches.iter().map(|it| it.results.score().games()).sum()
    }

    /// Returns the rating list of each game, in the order in which the games first appear. The mean
    /// of a list is 0, or the rating of the `anchor`, the number of an engine in all of them.
    #[must_use]
    pub fn ratings(&self, anchor: Option<usize>) -> Vec<GameRatings> {
        self.ratings_until(anchor, &AtomicBool::new(false))
    }

    fn ratings_until(&self, anchor: Option<usize>, stop: &AtomicBool) -> Vec<GameRatings> {
        let mut of_games: IndexMap<&VariantName, Vec<&Match>> = IndexMap::new();
        for it in &self.matches {
            of_games.entry(&it.game).or_default().push(it);
        }
        let ratings = of_games.into_iter().filter_map(|(game, matches)| {
            let (engines, list) = rate(&matches, anchor, stop)?;
            Some(GameRatings { game: game.clone(), engines, list })
        });
        ratings.collect()
    }

    /// Returns the engines and their rating list over all games, whose pairs are pooled; `None` if
    /// there is only one game. The mean of the list is 0.
    #[must_use]
    pub fn overall(&self) -> Option<(Vec<String>, RatingList)> {
        self.overall_until(&AtomicBool::new(false))
    }

    fn overall_until(&self, stop: &AtomicBool) -> Option<(Vec<String>, RatingList)> {
        let first = &self.matches.first()?.game;
        let matches: Vec<&Match> = self.matches.iter().collect();
        if matches.iter().any(|it| it.game != *first) { rate(&matches, None, stop) } else { None }
    }

    /// Returns the results and the ratings as the line that `arena --json` prints. A test adds its
    /// state to each match.
    #[must_use]
    pub fn summary(&self, test: Option<&Sprt>) -> ArenaResults {
        self.summary_until(test, &AtomicBool::new(false))
    }

    /// As [`summary`](Self::summary), but without the ratings that are not there yet when `stop` becomes
    /// true.
    pub(super) fn summary_until(&self, test: Option<&Sprt>, stop: &AtomicBool) -> ArenaResults {
        let ratings =
            self.ratings_until(None, stop).into_iter().filter(|it| it.engines.len() > 2).map(|ratings| {
                let GameRatings { game: VariantName { game, rules }, engines, list } = ratings;
                quintet_protocol::GameRatings { game, rules, ratings: rated(&engines, &list) }
            });
        ArenaResults {
            results: self.matches.iter().map(|it| it.result(test)).collect(),
            ratings: ratings.collect(),
            overall: self.overall_until(stop).map_or(Vec::new(), |(engines, list)| rated(&engines, &list)),
        }
    }
}

impl Match {
    /// Returns the result as `arena --json` prints it.
    fn result(&self, test: Option<&Sprt>) -> MatchResult {
        let score = self.results.score();
        let MatchScore { wins, draws, losses, pairs } = score;
        let [a, b] = self.engines.clone();
        let times = self.results.times();
        let has_cpu = times.iter().flatten().any(|it| it.cpu_ms.is_some());
        let seconds = |ms: u64| ms as f64 / 1000.0;
        MatchResult {
            game: self.game.game.clone(),
            rules: self.game.rules.clone(),
            a,
            b,
            games: score.games(),
            wins,
            draws,
            losses,
            score: score.score().map(|score| rounded(score, 6)),
            elo: score.elo().map(triple),
            normalized_elo: score.normalized_elo().map(triple),
            los: score.los().map(|los| rounded(los, 6)),
            pairs,
            identical: self.results.identical(),
            faults: self.results.faults(),
            seconds: has_cpu.then(|| times.map(|it| seconds(it.unwrap_or_default().ms))),
            cpu_seconds: has_cpu.then(|| times.map(|it| it.and_then(|it| it.cpu_ms).map(seconds))),
            sprt: test.map(|test| SprtResult {
                test: test.to_string(),
                llr: rounded(test.llr(&self.results.in_order()), 4),
                pairs: self.results.in_order().pairs,
                bounds: test.bounds().map(|bound| rounded(bound, 4)),
                accepted: self.results.verdict().map(Hypothesis::name).map(str::to_owned),
            }),
        }
    }
}

/// Returns a rating list as `arena --json` prints it.
fn rated(engines: &[String], list: &RatingList) -> Vec<Rated> {
    let rated = list.ratings.iter().map(|rating| Rated {
        engine: engines[rating.engine].clone(),
        elo: triple(rating.elo),
        games: rating.games,
        score: rating.score.map(|score| rounded(score, 6)),
        group: rating.group,
    });
    rated.collect()
}

fn triple(elo: Elo) -> [f64; 3] {
    [elo.low, elo.mid, elo.high].map(|elo| rounded(elo, 2))
}

/// Rates the engines of these matches.
fn rate(matches: &[&Match], anchor: Option<usize>, stop: &AtomicBool) -> Option<(Vec<String>, RatingList)> {
    let engines: IndexSet<String> = matches.iter().flat_map(|it| it.engines.clone()).collect();
    let number = |name: &String| engines.get_index_of(name).unwrap_or_default();
    let scores: Vec<_> =
        matches.iter().map(|it| (it.engines.each_ref().map(number), it.results.score())).collect();
    let list = RatingList::new(engines.len(), &scores, anchor, stop).ok()?;
    Some((engines.into_iter().collect(), list))
}
