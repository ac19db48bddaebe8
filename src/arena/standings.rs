//! The results of all matches of a tournament.

use indexmap::IndexSet;

use super::record::GameRecord;
use super::results::MatchResults;
use super::schedule::{Assignment, Tournament};
use super::stats::{RatingList, Sprt};
use crate::catalog::GameId;
use crate::games::Rules;

/// A match between two engines in one game, and what came of it.
#[derive(Debug, Clone)]
pub struct Match {
    /// The game and its ruleset.
    pub game: (GameId, Rules),
    /// The engines' names; results are counted for the first.
    pub engines: [String; 2],
    /// What came of it so far.
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
    pub game: (GameId, Rules),
    /// The engines' names, by the numbers that the list has.
    pub engines: Vec<String>,
    /// The ratings.
    pub list: RatingList,
}

impl Standings {
    /// The matches of `tournament`, of which the games of `schedule` are going to come in, each to be ended by
    /// `test` if there is one.
    #[must_use]
    pub fn expecting(tournament: &Tournament, schedule: &[Assignment], test: Option<Sprt>) -> Self {
        let matches = tournament.matches().into_iter().enumerate().map(|(index, (game, engines))| Match {
            game,
            engines: engines.map(|engine| tournament.engines[engine].name.clone()),
            results: MatchResults::expecting(
                schedule.iter().filter(|it| it.match_index == index).map(|it| it.pair),
            )
            .tested_by(test),
        });
        Self { matches: matches.collect() }
    }

    /// The matches that `records` come from.
    #[must_use]
    pub fn of(records: &[GameRecord]) -> Self {
        let mut standings = Self::default();
        for record in records {
            let place = standings.place(record).unwrap_or_else(|| {
                standings.matches.push(Match {
                    game: (record.game, record.rules),
                    engines: record.engines().map(str::to_owned),
                    results: MatchResults::default(),
                });
                standings.matches.len() - 1
            });
            standings.matches[place].results.add(record);
        }
        standings
    }

    fn place(&self, record: &GameRecord) -> Option<usize> {
        let game = (record.game, record.rules);
        self.matches.iter().position(|it| it.game == game && it.engines == record.engines())
    }

    /// Adds a game, and returns the number of its match; `None` if it belongs to none, or is there already.
    pub fn add(&mut self, record: &GameRecord) -> Option<usize> {
        let place = self.place(record)?;
        self.matches[place].results.add(record).then_some(place)
    }

    /// The games played.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.matches.iter().map(|it| it.results.score().games()).sum()
    }

    /// The rating list of each game, in the order in which the games come up. The mean of a list is 0.
    #[must_use]
    pub fn ratings(&self) -> Vec<GameRatings> {
        let games: IndexSet<_> = self.matches.iter().map(|it| it.game).collect();
        let ratings = games.into_iter().filter_map(|game| {
            let matches = || self.matches.iter().filter(|it| it.game == game);
            let mut engines: Vec<String> = Vec::new();
            for name in matches().flat_map(|it| &it.engines) {
                if !engines.contains(name) {
                    engines.push(name.clone());
                }
            }
            let number = |name: &String| engines.iter().position(|it| it == name).unwrap_or_default();
            let scores: Vec<_> =
                matches().map(|it| (it.engines.each_ref().map(number), it.results.score())).collect();
            let list = RatingList::new(engines.len(), &scores, None).ok()?;
            Some(GameRatings { game, engines, list })
        });
        ratings.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_whose_matches_do_not_stand_together_has_one_list() {
        let played = |game, rules, engines: [&str; 2]| Match {
            game: (game, rules),
            engines: engines.map(str::to_owned),
            results: MatchResults::default(),
        };
        let matches = vec![
            played(GameId::Krk, Rules::Spec, ["a", "b"]),
            played(GameId::Quarto, Rules::Ggp, ["a", "b"]),
            played(GameId::Krk, Rules::Spec, ["a", "c"]),
            played(GameId::Quarto, Rules::Ggp, ["b", "c"]),
        ];
        let ratings = Standings { matches }.ratings();
        let games: Vec<_> = ratings.iter().map(|it| (it.game.0, it.engines.len())).collect();
        assert_eq!(games, [(GameId::Krk, 3), (GameId::Quarto, 3)]);
    }
}
