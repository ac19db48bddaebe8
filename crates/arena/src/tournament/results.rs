//! The results of a match, added up game by game.

use std::collections::{BTreeMap, HashSet};

use quintet_core::hash::Fnv1a;
use quintet_protocol::{End, EngineTime, GameRecord};

use crate::stats::{Hypothesis, MatchScore, Sprt};

/// The results of a match between two engines. Games may be added in any order.
///
/// Pairs are counted in the order of their numbers, not in the order in which they end, so that all
/// results depend only on the games. If both games of a pair repeat earlier games move for move,
/// the pair is no further evidence: its games count, but the pair does not.
#[derive(Debug, Clone, Default)]
pub struct MatchResults {
    games: MatchScore,
    /// The pairs not counted yet: the half points of each game and a hash of its moves.
    open: BTreeMap<usize, [Option<(u8, u64)>; 2]>,
    /// The expected pairs that are not counted yet, the next one last; `None` if every pair is
    /// expected.
    expected: Option<Vec<usize>>,
    counted: [u64; 5],
    /// The test that ends the match.
    test: Option<Sprt>,
    verdict: Option<Hypothesis>,
    seen: HashSet<u64>,
    faults: [u64; 2],
    /// The first fault of each engine, by its pair and its game in the pair.
    first_faults: [Option<((usize, usize), String)>; 2],
    adjudicated: u64,
    identical: u64,
    /// What each engine took for its moves, in the games that tell.
    times: [Option<EngineTime>; 2],
}

impl MatchResults {
    /// Creates the results of a match that consists of these pairs.
    #[must_use]
    pub fn expecting(pairs: impl IntoIterator<Item = usize>) -> Self {
        let mut expected: Vec<usize> = pairs.into_iter().collect();
        expected.sort_unstable_by(|a, b| b.cmp(a));
        expected.dedup();
        Self { expected: Some(expected), ..Self::default() }
    }

    /// Adds a test that ends the match. It runs after each pair in order, so that the verdict does
    /// not depend on the number of games played at a time.
    pub(crate) fn tested_by(self, test: Option<Sprt>) -> Self {
        Self { test, ..self }
    }

    /// Returns the hypothesis that the test has accepted.
    #[must_use]
    pub fn verdict(&self) -> Option<Hypothesis> {
        self.verdict
    }

    /// Adds a game, scored for the first engine of its match. Returns `false` and changes nothing
    /// if the game was added before or its pair is not expected.
    pub fn add(&mut self, record: &GameRecord) -> bool {
        let (engine, pair) = (record.engines()[0], record.pair);
        let Some(points) = record.half_points(engine) else { return false };
        let swapped = usize::from(record.seats.first().is_some_and(|(_, name)| name != engine));
        if !self.is_expected(pair) {
            return false;
        }
        let games = self.open.entry(pair).or_default();
        if games[swapped].is_some() {
            return false;
        }
        let mut hash = Fnv1a::default();
        hash.bytes([swapped as u8]).text(record.position.as_deref().unwrap_or_default());
        record.moves.iter().for_each(|token| _ = hash.text(token));
        games[swapped] = Some((points, hash.hash()));
        self.games.add_game(points);
        self.adjudicated += u64::from(record.end == End::Adjudication);
        for (name, taken) in &record.times {
            let sum = &mut self.times[usize::from(name != engine)];
            *sum = Some(sum.map_or(*taken, |sum| sum + *taken));
        }
        if record.end.is_fault() {
            let loser = usize::from(points > 0);
            self.faults[loser] += 1;
            let place = (pair, swapped);
            if let Some(fault) = &record.fault
                && self.first_faults[loser].as_ref().is_none_or(|(first, _)| place < *first)
            {
                self.first_faults[loser] = Some((place, fault.clone()));
            }
        }
        if let Some(mut expected) = self.expected.take() {
            while self.verdict.is_none()
                && let Some(&pair) = expected.last()
                && let Some(&[Some(first), Some(second)]) = self.open.get(&pair)
            {
                expected.pop();
                self.open.remove(&pair);
                let (counted, seen, identical) = (&mut self.counted, &mut self.seen, &mut self.identical);
                count([first, second], counted, |hash| seen.insert(hash), identical);
                self.verdict = self.test.and_then(|test| test.verdict(&self.in_order()));
            }
            self.expected = Some(expected);
        }
        true
    }

    /// Whether a game has been added, for results that expect all pairs.
    pub(super) fn has(&self, pair: usize, is_swapped: bool) -> bool {
        self.open.get(&pair).is_some_and(|games| games[usize::from(is_swapped)].is_some())
    }

    /// Whether both games of a pair have been added.
    #[must_use]
    pub fn is_complete(&self, pair: usize) -> bool {
        match self.open.get(&pair) {
            Some(games) => games.iter().all(Option::is_some),
            None => !self.is_expected(pair),
        }
    }

    fn is_expected(&self, pair: usize) -> bool {
        let find = |expected: &Vec<usize>| expected.binary_search_by(|it| pair.cmp(it)).is_ok();
        self.expected.as_ref().is_none_or(find)
    }

    /// Returns the score with only the pairs before the first incomplete one, or up to the one at
    /// which the test ended the match. These pairs do not depend on the number of games played at a
    /// time.
    #[must_use]
    pub fn in_order(&self) -> MatchScore {
        MatchScore { pairs: self.counted, ..self.games }
    }

    /// Returns the score of all games and all complete pairs.
    #[must_use]
    pub fn score(&self) -> MatchScore {
        self.all().0
    }

    /// Returns the number of games that repeat an earlier one move for move.
    #[must_use]
    pub fn identical(&self) -> u64 {
        self.all().1
    }

    /// Returns the number of games that each engine lost by an illegal move, a timeout or a crash.
    /// The engine for which results are counted comes first.
    #[must_use]
    pub fn faults(&self) -> [u64; 2] {
        self.faults
    }

    /// Returns what the first fault of each engine was, in the order of the games and not of their
    /// ends.
    #[must_use]
    pub fn first_faults(&self) -> [Option<&str>; 2] {
        self.first_faults.each_ref().map(|it| it.as_ref().map(|(_, fault)| &**fault))
    }

    /// Returns the time that each engine took for its moves, in the games that tell; `None` if none
    /// does. The engine for which results are counted comes first.
    #[must_use]
    pub fn times(&self) -> [Option<EngineTime>; 2] {
        self.times
    }

    /// Returns the number of games that both engines agreed to end.
    #[must_use]
    pub fn adjudicated(&self) -> u64 {
        self.adjudicated
    }

    /// Returns the number of games whose pair is not complete.
    #[must_use]
    pub fn unpaired(&self) -> u64 {
        self.open.values().filter(|games| games.iter().flatten().count() == 1).count() as u64
    }

    /// Returns the number of games missing from the pairs up to the last one with a game, for
    /// results that expect all pairs.
    #[must_use]
    pub fn missing(&self) -> usize {
        let pairs = self.open.keys().next_back().map_or(0, |last| last + 1);
        2 * pairs - self.open.values().flatten().flatten().count()
    }

    fn all(&self) -> (MatchScore, u64) {
        let (mut counted, mut identical) = (self.counted, self.identical);
        // `self.seen` may be far larger than the set of open pairs, so it is not copied.
        let mut seen = HashSet::new();
        for games in self.open.values().filter_map(|games| Some([games[0]?, games[1]?])) {
            let is_new = |hash| !self.seen.contains(&hash) && seen.insert(hash);
            count(games, &mut counted, is_new, &mut identical);
        }
        (MatchScore { pairs: counted, ..self.games }, identical)
    }
}

/// Counts a pair of games unless both repeat earlier games.
fn count(games: [(u8, u64); 2], pairs: &mut [u64; 5], is_new: impl FnMut(u64) -> bool, identical: &mut u64) {
    let new = games.map(|(_, hash)| hash).map(is_new);
    *identical += new.iter().filter(|new| !*new).count() as u64;
    if new.contains(&true) {
        pairs[usize::from(games[0].0 + games[1].0)] += 1;
    }
}
