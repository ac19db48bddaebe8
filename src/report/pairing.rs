//! What two engines did against each other.

use std::collections::HashMap;

use super::entry::Entry;
use crate::arena::{self, Elo, MatchScore, RatingList};

/// All games of two engines in one game and ruleset, as the first of them sees it.
#[derive(Debug)]
pub(super) struct Pairing<'a> {
    pub(super) engines: [&'a str; 2],
    pub(super) score: MatchScore,
    /// The half points of the first engine in each complete pair, 0 to 4, in the order of the files.
    pairs: Vec<u8>,
    /// Games whose twin, with seats swapped, is not there: their half points, by opening and seat.
    waiting: HashMap<PairKey<'a>, Vec<(usize, u8)>>,
}

/// What the two games of a pair have in common.
#[derive(Debug, PartialEq, Eq, Hash)]
struct PairKey<'a> {
    arena_seed: u64,
    pair: usize,
    position: Option<&'a str>,
    opening: &'a [String],
}

/// An engine's place among the others.
#[derive(Debug)]
pub(super) struct Rating<'a> {
    pub(super) engine: &'a str,
    pub(super) score: MatchScore,
    /// In a list whose mean is 0; `None` before the first pair.
    pub(super) elo: Option<Elo>,
    /// Engines of different groups have not met, not even by way of others.
    pub(super) group: usize,
}

impl<'a> Pairing<'a> {
    pub(super) fn new(engines: [&'a str; 2]) -> Self {
        Self { engines, score: MatchScore::default(), pairs: Vec::new(), waiting: HashMap::new() }
    }

    /// Adds a game in which the first engine has this seat.
    pub(super) fn add(&mut self, entry: &'a Entry, seat: usize) {
        let points = entry.half_points_of(seat);
        self.score.add_game(points);
        let record = &entry.record;
        let key = PairKey {
            arena_seed: record.arena.seed,
            pair: record.pair,
            position: record.position.as_deref(),
            opening: &record.opening,
        };
        let waiting = self.waiting.entry(key).or_default();
        if let Some(twin) = waiting.iter().position(|(other, _)| *other != seat) {
            let both = points + waiting.swap_remove(twin).1;
            self.score.add_pair(both);
            self.pairs.push(both);
        } else {
            waiting.push((seat, points));
        }
    }

    /// Games without the other one of their pair.
    pub(super) fn unpaired(&self) -> usize {
        self.waiting.values().map(Vec::len).sum()
    }

    /// The Elo difference after so many games, at no more than `points` evenly spaced times and at the end.
    pub(super) fn course(&self, points: usize) -> Vec<(usize, Elo)> {
        let mut score = MatchScore::default();
        let mut course = Vec::new();
        let total = self.pairs.len();
        for (index, &pair) in self.pairs.iter().enumerate() {
            score.add_pair(pair);
            let done = index + 1;
            let is_due = done * points / total > index * points / total;
            if let (true, Some(elo)) = (is_due, score.elo()) {
                course.push((2 * done, elo));
            }
        }
        course
    }

    /// The same as the other engine sees it.
    pub(super) fn reversed(self) -> Self {
        let [a, b] = self.engines;
        let score = self.score_of(b).unwrap_or_default();
        let pairs = self.pairs.into_iter().map(|half_points| 4 - half_points).collect();
        let mut waiting = self.waiting;
        for (seat, points) in waiting.values_mut().flatten() {
            (*seat, *points) = (1 - *seat, 2 - *points);
        }
        Self { engines: [b, a], score, pairs, waiting }
    }

    /// The score as this engine sees it; `None` if it is not one of the two.
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

/// The engines, the best first.
pub(super) fn ratings<'a>(engines: &[&'a str], pairings: &[Pairing<'a>]) -> Vec<Rating<'a>> {
    let number = |engine: &str| engines.iter().position(|it| *it == engine).unwrap_or_default();
    let matches: Vec<_> = pairings.iter().map(|it| (it.engines.map(number), it.score)).collect();
    let list = RatingList::new(engines.len(), &matches, None);
    let rating = |rating: &arena::Rating| {
        let engine = engines[rating.engine];
        let mut sum = MatchScore::default();
        for score in pairings.iter().filter_map(|pairing| pairing.score_of(engine)) {
            sum.wins += score.wins;
            sum.draws += score.draws;
            sum.losses += score.losses;
        }
        Rating { engine, score: sum, elo: (rating.games > 0).then_some(rating.elo), group: rating.group }
    };
    list.map(|list| list.ratings.iter().map(rating).collect()).unwrap_or_default()
}
