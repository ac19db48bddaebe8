//! The games of two engines against each other.

use indexmap::IndexMap;

use quintet_protocol::Conditions;

use super::entry::CheckedGame;
use crate::stats::{self, Elo, MatchScore, RatingList};
use crate::tournament::MatchResults;

/// All games of two engines in one game and ruleset, scored for the first engine.
#[derive(Debug)]
pub(super) struct Pairing<'a> {
    pub(super) engines: [&'a str; 2],
    pub(super) score: MatchScore,
    /// Games without the other game of their pair.
    pub(super) unpaired: usize,
    /// Pairs that do not count, because both games repeat earlier ones.
    pub(super) repeated: usize,
    /// The score after each pair that counts, in file order.
    course: Vec<MatchScore>,
    games: Vec<&'a CheckedGame>,
}

/// A row of the rating list.
#[derive(Debug)]
pub(super) struct RatingRow<'a> {
    pub(super) engine: &'a str,
    pub(super) score: MatchScore,
    /// The rating in a list with mean 0, infinite where it is not bounded; `None` before the first
    /// pair.
    pub(super) elo: Option<Elo>,
    /// The group: engines of different groups have not met, not even through other engines.
    pub(super) group: usize,
}

impl<'a> Pairing<'a> {
    /// Creates the pairing of two engines from their games, scored for the first engine.
    pub(super) fn new(engines: [&'a str; 2], games: Vec<&'a CheckedGame>) -> Self {
        let (pairs, unpaired) = pairs(&games);
        let mut results = MatchResults::expecting(0..pairs.len() + unpaired.len());
        let mut course: Vec<MatchScore> = Vec::new();
        for (number, pair) in pairs.iter().enumerate() {
            for entry in pair {
                results.add_for(engines[0], number, &entry.record);
            }
            let score = results.in_order();
            if course.last().map_or([0; 5], |last| last.pairs) != score.pairs {
                course.push(score);
            }
        }
        for (index, entry) in unpaired.iter().enumerate() {
            results.add_for(engines[0], pairs.len() + index, &entry.record);
        }
        let score = results.score();
        let counted: u64 = score.pairs.iter().sum();
        let repeated = pairs.len() - counted as usize;
        Self { engines, score, unpaired: unpaired.len(), repeated, course, games }
    }

    /// Returns at most `points` points of the course, evenly spaced up to the end: the number of
    /// games so far, and the Elo difference after them, infinite where it is not bounded.
    pub(super) fn course(&self, points: usize) -> Vec<(usize, Elo)> {
        let total = self.course.len();
        let is_due = |index: usize| (index + 1) * points / total > index * points / total;
        let due = self.course.iter().enumerate().filter(|(index, _)| is_due(*index));
        due.filter_map(|(_, score)| Some((score.games() as usize, score.open_elo()?))).collect()
    }

    /// Returns the pairing scored for the other engine.
    pub(super) fn reversed(self) -> Self {
        let [a, b] = self.engines;
        Self::new([b, a], self.games)
    }

    /// Returns the score of `engine`; `None` if it is not one of the two.
    pub(super) fn score_of(&self, engine: &str) -> Option<MatchScore> {
        let [a, b] = self.engines;
        let MatchScore { wins, draws, losses, mut pairs } = self.score;
        if engine == a {
            return Some(self.score);
        }
        pairs.reverse();
        (engine == b).then_some(MatchScore { wins: losses, draws, losses: wins, pairs })
    }
}

/// Returns the pairs of games with one opening and swapped seats, in the order in which they become
/// complete, and the games left over.
fn pairs<'a>(games: &[&'a CheckedGame]) -> (Vec<[&'a CheckedGame; 2]>, Vec<&'a CheckedGame>) {
    let mut arenas: Vec<&Conditions> = Vec::new();
    let mut pairs = Vec::new();
    let mut waiting: IndexMap<_, Vec<&CheckedGame>> = IndexMap::new();
    for &entry in games {
        let record = &entry.record;
        let arena = arenas.iter().position(|it| **it == record.arena).unwrap_or_else(|| {
            arenas.push(&record.arena);
            arenas.len() - 1
        });
        let waiting = waiting.entry((arena, record.pair)).or_default();
        match waiting.iter().position(|other| other.engines[0] != entry.engines[0]) {
            Some(twin) => pairs.push([waiting.remove(twin), entry]),
            None => waiting.push(entry),
        }
    }
    (pairs, waiting.into_values().flatten().collect())
}

/// Returns the rating list, best engine first.
pub(super) fn ratings<'a>(engines: &[&'a str], pairings: &[&Pairing<'a>]) -> Vec<RatingRow<'a>> {
    let number = |engine: &str| engines.iter().position(|it| *it == engine).unwrap_or_default();
    let matches: Vec<_> = pairings.iter().map(|it| (it.engines.map(number), it.score)).collect();
    let list = RatingList::new(engines.len(), &matches, None);
    let rating = |rating: &stats::Rating| {
        let engine = engines[rating.engine];
        let mut sum = MatchScore::default();
        for score in pairings.iter().filter_map(|pairing| pairing.score_of(engine)) {
            sum.wins += score.wins;
            sum.draws += score.draws;
            sum.losses += score.losses;
        }
        RatingRow { engine, score: sum, elo: rating.open_elo(), group: rating.group }
    };
    list.map(|list| list.ratings.iter().map(rating).collect()).unwrap_or_default()
}
