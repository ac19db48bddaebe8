//! The results of all matches of a tournament.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use indexmap::{IndexMap, IndexSet};
use quintet_core::registry::Registry;
use quintet_protocol::{ArenaResults, GameRecord, MatchResult, PlayingGame, Rated, SprtResult, rounded};

use super::results::MatchResults;
use super::schedule::{ScheduledGame, Tournament};
use super::variant_name::VariantName;
use crate::stats::{Elo, Hypothesis, MatchScore, Places, RatingList, Sprt};

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
        let mut groups = vec![Vec::new(); matches.len()];
        for it in schedule {
            groups[it.match_index].push(it.group);
        }
        let matches = matches.into_iter().zip(groups).map(|((game, engines), groups)| Match {
            game: (&game).into(),
            engines: engines.map(|engine| tournament.engines[engine].name.clone()),
            results: MatchResults::expecting(game, groups).tested_by(test),
        });
        matches.collect()
    }

    /// Creates the standings of the matches that `records` come from. Games that the `registry` does not have are left
    /// out.
    #[must_use]
    pub fn of(records: &[GameRecord], registry: &Registry) -> Self {
        let mut standings = Self::default();
        for record in records {
            standings.add_any(record, registry);
        }
        standings
    }

    /// Adds a game of any match; `false` if it was added before, or the `registry` does not have it.
    pub(super) fn add_any(&mut self, record: &GameRecord, registry: &Registry) -> bool {
        let place = self.place(record).or_else(|| {
            let game = registry.find(&record.game, Some(&record.rules)).ok()?;
            Some(self.push(Match {
                game: record.into(),
                engines: record.engines().map(str::to_owned),
                results: MatchResults::new(game),
            }))
        });
        place.is_some_and(|place| self.matches[place].results.add(record))
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
        place.is_some_and(|&place| self.matches[place].results.has(playing))
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
        self.matches.iter().map(|it| it.results.games()).sum()
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

    /// Returns the engines and their rating list over all games, whose groups of games are pooled; `None` if
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
        let MatchScore { wins, draws, losses, .. } = score;
        let places = self.results.places();
        let of_both = |value: &dyn Fn(&Places) -> Option<f64>| match places.as_ref()?.each_ref().map(value) {
            [Some(a), Some(b)] => Some([a, b].map(|it| rounded(it, 4))),
            _ => None,
        };
        let [a, b] = self.engines.clone();
        let times = self.results.times();
        let has_cpu = times.iter().flatten().any(|it| it.cpu_ms.is_some());
        let seconds = |ms: u64| ms as f64 / 1000.0;
        MatchResult {
            game: self.game.game.clone(),
            rules: self.game.rules.clone(),
            a,
            b,
            games: self.results.games(),
            wins,
            draws,
            losses,
            score: score.score().map(|score| rounded(score, 6)),
            elo: score.elo().map(triple),
            normalized_elo: score.normalized_elo().map(triple),
            los: score.los().map(|los| rounded(los, 6)),
            pairs: score.groups.counts().into(),
            repeated: score.groups.repeated(),
            identical: self.results.identical(),
            faults: self.results.faults(),
            seconds: has_cpu.then(|| times.map(|it| seconds(it.unwrap_or_default().ms))),
            cpu_seconds: has_cpu.then(|| times.map(|it| it.and_then(|it| it.cpu_ms).map(seconds))),
            mean_places: of_both(&Places::mean_place).filter(|_| self.results.sides() > 1),
            mean_scores: of_both(&Places::mean_score),
            best_scores: match places.map(|it| it.map(|places| places.best_score())) {
                Some([Some(a), Some(b)]) if self.results.sides() == 1 => Some([a, b]),
                _ => None,
            },
            sprt: test.map(|test| SprtResult {
                test: test.to_string(),
                llr: rounded(test.llr(self.results.in_order()), 4),
                pairs: self.results.in_order().groups.counts().into(),
                repeated: self.results.in_order().groups.repeated(),
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
        elo: (rating.games > 0).then(|| triple(rating.elo)),
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
