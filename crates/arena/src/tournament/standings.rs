//! The results of all matches of a tournament.

use std::fmt::{self, Display};

use indexmap::IndexSet;
use quintet_core::registry::Variant;
use quintet_protocol::{ArenaResults, GameRecord, MatchResult, PlayingGame, Rated, SprtResult, rounded};

use super::results::MatchResults;
use super::schedule::{Assignment, Tournament};
use crate::stats::{Elo, Hypothesis, MatchScore, RatingList, Sprt};

/// The names of a game and its ruleset, as in game records.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct VariantName {
    /// The game.
    pub game: String,
    /// The ruleset.
    pub rules: String,
}

impl From<Variant> for VariantName {
    fn from(variant: Variant) -> Self {
        Self { game: variant.game.to_owned(), rules: variant.rules.to_owned() }
    }
}

impl From<&GameRecord> for VariantName {
    fn from(record: &GameRecord) -> Self {
        Self { game: record.game.clone(), rules: record.rules.clone() }
    }
}

/// Writes both names: `quarto ggp`.
impl Display for VariantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.game, self.rules)
    }
}

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

impl Standings {
    /// Creates the standings of `tournament` before its first game. Only games of `schedule` are
    /// expected; `test`, if any, ends each match.
    #[must_use]
    pub fn expecting(tournament: &Tournament, schedule: &[Assignment], test: Option<Sprt>) -> Self {
        let matches = tournament.matches().into_iter().enumerate().map(|(index, (game, engines))| Match {
            game: game.into(),
            engines: engines.map(|engine| tournament.engines[engine].name.clone()),
            results: MatchResults::expecting(
                schedule.iter().filter(|it| it.match_index == index).map(|it| it.pair),
            )
            .tested_by(test),
        });
        Self { matches: matches.collect() }
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
            self.matches.push(Match {
                game: record.into(),
                engines: record.engines().map(str::to_owned),
                results: MatchResults::default(),
            });
            self.matches.len() - 1
        });
        self.matches[place].results.add(record)
    }

    fn place(&self, record: &GameRecord) -> Option<usize> {
        let game = VariantName::from(record);
        self.matches.iter().position(|it| it.game == game && it.engines == record.engines())
    }

    /// Whether the record of a game that is, or was, being played has been added.
    pub(super) fn has(&self, playing: &PlayingGame) -> bool {
        let is_of = |it: &Match| {
            it.game.game == playing.game && it.game.rules == playing.rules && it.engines == playing.engines()
        };
        let of = self.matches.iter().find(|it| is_of(it));
        of.is_some_and(|it| it.results.has(playing.pair, playing.is_swapped()))
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
    /// of a list is 0.
    #[must_use]
    pub fn ratings(&self) -> Vec<GameRatings> {
        let ratings = self.variants().into_iter().filter_map(|game| {
            let (engines, list) = rate(self.matches.iter().filter(|it| it.game == game))?;
            Some(GameRatings { game, engines, list })
        });
        ratings.collect()
    }

    /// Returns the engines and their rating list over all games, whose pairs are pooled; `None` if
    /// there is only one game. The mean of the list is 0.
    #[must_use]
    pub fn overall(&self) -> Option<(Vec<String>, RatingList)> {
        if self.variants().len() > 1 { rate(self.matches.iter()) } else { None }
    }

    /// Returns the results and the ratings as the line that `arena --json` prints. A test adds its
    /// state to each match.
    #[must_use]
    pub fn summary(&self, test: Option<&Sprt>) -> ArenaResults {
        let ratings = self.ratings().into_iter().filter(|it| it.engines.len() > 2).map(|ratings| {
            let GameRatings { game: VariantName { game, rules }, engines, list } = ratings;
            quintet_protocol::GameRatings { game, rules, ratings: rated(&engines, &list) }
        });
        ArenaResults {
            results: self.matches.iter().map(|it| it.result(test)).collect(),
            ratings: ratings.collect(),
            overall: self.overall().map_or(Vec::new(), |(engines, list)| rated(&engines, &list)),
        }
    }

    /// Returns the games, in the order in which they first appear.
    fn variants(&self) -> IndexSet<VariantName> {
        self.matches.iter().map(|it| it.game.clone()).collect()
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
fn rate<'a>(matches: impl Iterator<Item = &'a Match> + Clone) -> Option<(Vec<String>, RatingList)> {
    let engines: IndexSet<String> = matches.clone().flat_map(|it| it.engines.clone()).collect();
    let number = |name: &String| engines.get_index_of(name).unwrap_or_default();
    let scores: Vec<_> = matches.map(|it| (it.engines.each_ref().map(number), it.results.score())).collect();
    let list = RatingList::new(engines.len(), &scores, None).ok()?;
    Some((engines.into_iter().collect(), list))
}
