//! The results of a match, put together game by game.

use std::collections::{BTreeMap, HashSet};

use quintet_core::hash::Fnv1a;
use quintet_protocol::{End, GameRecord};

use crate::stats::{Hypothesis, MatchScore, Sprt};

/// The games of a match between two engines, in whatever order they come in.
///
/// Pairs of games are counted by their number, not by when they ended, so that everything computed from them
/// depends on the games alone. A pair whose games are both the same, move by move, as games of earlier pairs is
/// no further evidence: its games are counted, but the pair is not.
#[derive(Debug, Clone, Default)]
pub struct MatchResults {
    games: MatchScore,
    /// The pairs that are not counted yet: of each game, its half points and a hash of what was played.
    open: BTreeMap<usize, [Option<(u8, u64)>; 2]>,
    /// The pairs that are expected and not counted yet, the next one last; whatever comes in, if nothing in
    /// particular is expected.
    expected: Option<Vec<usize>>,
    counted: [u64; 5],
    /// Ends the match, and with what.
    test: Option<Sprt>,
    verdict: Option<Hypothesis>,
    seen: HashSet<u64>,
    faults: [u64; 2],
    identical: u64,
}

impl MatchResults {
    /// Results of a match of which these pairs are going to come in.
    #[must_use]
    pub fn expecting(pairs: impl IntoIterator<Item = usize>) -> Self {
        let mut expected: Vec<usize> = pairs.into_iter().collect();
        expected.sort_unstable_by(|a, b| b.cmp(a));
        expected.dedup();
        Self { expected: Some(expected), ..Self::default() }
    }

    /// The same with a test that ends the match. It is made after each pair in its order, so that the verdict
    /// does not depend on how many games were played at a time.
    #[must_use]
    pub fn tested_by(self, test: Option<Sprt>) -> Self {
        Self { test, ..self }
    }

    /// What the test has accepted.
    #[must_use]
    pub fn verdict(&self) -> Option<Hypothesis> {
        self.verdict
    }

    /// Adds a game, as the first engine of its match sees it; `false` if that game is there already, and then
    /// nothing changes.
    pub fn add(&mut self, record: &GameRecord) -> bool {
        self.add_for(record.engines()[0], record.pair, record)
    }

    /// Adds a game, as `engine` sees it, to the pair with this number; `false` if `engine` did not play it, or
    /// the pair has a game in which it had that side, and then nothing changes.
    pub fn add_for(&mut self, engine: &str, pair: usize, record: &GameRecord) -> bool {
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
        if record.end != End::Rules {
            self.faults[usize::from(points > 0)] += 1;
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

    /// Whether both games of a pair are in.
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

    /// What the pairs came to up to the first that is not complete, or to the one at which the test ended the
    /// match: the same however many games were played at a time.
    #[must_use]
    pub fn in_order(&self) -> MatchScore {
        MatchScore { pairs: self.counted, ..self.games }
    }

    /// What all complete pairs came to, and all games.
    #[must_use]
    pub fn score(&self) -> MatchScore {
        self.all().0
    }

    /// The games that are the same as an earlier one, move by move.
    #[must_use]
    pub fn identical(&self) -> u64 {
        self.all().1
    }

    /// The games that each engine lost otherwise than by the rules: by an illegal move, no answer in time, or a
    /// crash. The engine that results are counted for comes first.
    #[must_use]
    pub fn faults(&self) -> [u64; 2] {
        self.faults
    }

    /// The games that are missing from the pairs up to the last one of which there is a game, where nothing in
    /// particular is expected.
    #[must_use]
    pub fn missing(&self) -> usize {
        let pairs = self.open.keys().next_back().map_or(0, |last| last + 1);
        2 * pairs - self.open.values().flatten().flatten().count()
    }

    fn all(&self) -> (MatchScore, u64) {
        let (mut counted, mut identical) = (self.counted, self.identical);
        // What has been counted stays as it is: there may be far more of that than of open pairs.
        let mut seen = HashSet::new();
        for games in self.open.values().filter_map(|games| Some([games[0]?, games[1]?])) {
            let is_new = |hash| !self.seen.contains(&hash) && seen.insert(hash);
            count(games, &mut counted, is_new, &mut identical);
        }
        (MatchScore { pairs: counted, ..self.games }, identical)
    }
}

/// Counts a pair of games, if there is anything new in it.
fn count(games: [(u8, u64); 2], pairs: &mut [u64; 5], is_new: impl FnMut(u64) -> bool, identical: &mut u64) {
    let new = games.map(|(_, hash)| hash).map(is_new);
    *identical += new.iter().filter(|new| !*new).count() as u64;
    if new.contains(&true) {
        pairs[usize::from(games[0].0 + games[1].0)] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quintet_protocol::Conditions;

    /// A game in which the engine with the white seat got `white` points.
    fn game(pair: usize, swapped: bool, white: u8, moves: &str) -> GameRecord {
        let [white_engine, black_engine] = if swapped { ["b", "a"] } else { ["a", "b"] };
        let text = |text: &str| text.to_owned();
        GameRecord {
            game: text("krk"),
            rules: text("spec"),
            pair,
            position: None,
            opening: Vec::new(),
            moves: vec![text(moves)],
            seats: [(text("white"), text(white_engine)), (text("black"), text(black_engine))].into(),
            scores: [(text("white"), white), (text("black"), 100 - white)].into(),
            seed: 0,
            end: End::Rules,
            fault: None,
            arena: Conditions {
                program: String::new(),
                seed: 0,
                openings: String::new(),
                engines: [(text("a"), text("random")), (text("b"), text("random"))].into(),
            },
        }
    }

    #[test]
    fn pairs_are_counted_in_their_order_and_once() {
        let mut results = MatchResults::expecting([0, 2, 4]);
        assert!(results.add(&game(2, false, 100, "x")) && results.add(&game(2, true, 50, "y")));
        assert_eq!(results.in_order().pairs, [0; 5], "the first pair is not in");
        assert_eq!(results.score().pairs, [0, 0, 0, 1, 0]);
        assert!(results.add(&game(0, true, 100, "z")));
        assert!(!results.add(&game(0, true, 100, "z")), "it is there already");
        assert!(results.add(&game(0, false, 0, "w")));
        assert_eq!(results.in_order().pairs, [1, 0, 0, 1, 0]);
        assert!(!results.add(&game(0, true, 100, "z")), "it has been counted");
        assert!(results.is_complete(0), "and stays so");
        let MatchScore { wins, draws, losses, .. } = results.score();
        assert_eq!((wins, draws, losses), (1, 1, 2));
    }

    #[test]
    fn a_pair_of_identical_games_is_no_evidence() {
        let mut results = MatchResults::expecting(0..3);
        for pair in 0..2 {
            results.add(&game(pair, false, 100, "x"));
            results.add(&game(pair, true, 100, "x"));
        }
        results.add(&game(2, false, 100, "x"));
        results.add(&game(2, true, 0, "y"));
        assert_eq!(results.score().games(), 6);
        assert_eq!(results.score().pairs, [0, 0, 1, 0, 1], "the second pair is the first again");
        assert_eq!(results.identical(), 3);
    }

    #[test]
    fn faults_are_counted_for_the_engine_that_lost() {
        let mut results = MatchResults::expecting([0]);
        let fault = |swapped, white, end| GameRecord { end, ..game(0, swapped, white, "x") };
        results.add(&fault(false, 0, End::Crash));
        results.add(&fault(false, 0, End::Crash));
        assert_eq!(results.faults(), [1, 0], "and once only");
        results.add(&fault(true, 0, End::Time));
        assert_eq!(results.faults(), [1, 1]);
    }

    #[test]
    fn without_expectations_all_that_comes_in_counts() {
        let mut results = MatchResults::default();
        results.add(&game(7, false, 100, "x"));
        results.add(&game(7, true, 0, "y"));
        results.add(&game(9, true, 0, "y"));
        assert_eq!(results.score().pairs, [0, 0, 0, 0, 1]);
        assert!(!results.add(&game(7, true, 0, "y")));
        assert_eq!(
            results.missing(),
            2 * 7 + 2 + 1,
            "the first seven pairs, the ninth, and half of the tenth"
        );
    }
}
