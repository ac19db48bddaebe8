//! The results of a match, added up game by game.

use std::collections::{BTreeMap, HashSet};

use indexmap::IndexMap;
use quintet_core::game::Side;
use quintet_core::hash::Fnv1a;
use quintet_core::registry::Variant;
use quintet_protocol::{Conditions, End, EngineTime, GameRecord, PlayingGame};

use super::seating::{Seating, comparisons};
use crate::stats::{Groups, Hypothesis, MatchScore, Places, Sprt, half_points};

/// The results of a match between two engines. Games may be added in any order.
///
/// Groups of games with the same opening are counted in the order of their numbers, not in the order in which they
/// end, so that all results depend only on the games. Once a test has ended the match, games of later groups do not
/// count, though some may have ended before. If all games of a group repeat earlier games move for move, the group is
/// [no further evidence](Groups).
#[derive(Debug, Clone)]
pub struct MatchResults {
    game: Variant,
    sides: Vec<Side>,
    /// How the sides are shared in the games of a group.
    seatings: Vec<Seating>,
    /// The games of the groups not counted yet.
    open: BTreeMap<usize, Box<[Option<Played>]>>,
    /// The expected groups that are not counted yet, the next one last; `None` if every group is
    /// expected.
    expected: Option<Vec<usize>>,
    counted: Totals,
    /// The test that ends the match.
    test: Option<Sprt>,
    verdict: Option<Hypothesis>,
    seen: HashSet<u64>,
}

/// What is kept of a game until its group is counted.
#[derive(Debug, Clone)]
struct Played {
    seating: Seating,
    /// The score of each side.
    scores: Vec<u8>,
    /// That of its moves.
    hash: u64,
    is_adjudicated: bool,
    /// The engine that lost by a fault, and what it was.
    fault: Option<(usize, Option<String>)>,
    /// What each engine took for its moves, if the game tells.
    times: [Option<EngineTime>; 2],
}

impl Played {
    /// The half points of the first engine in the comparisons of a game that has several sides.
    fn compared(&self, sides: &[Side]) -> impl Iterator<Item = u8> {
        comparisons(sides, self.seating).map(|[a, b]| half_points(self.scores[a], self.scores[b]))
    }
}

/// What games add up to.
#[derive(Debug, Clone)]
struct Totals {
    games: u64,
    score: MatchScore,
    places: [Places; 2],
    identical: u64,
    adjudicated: u64,
    faults: [u64; 2],
    /// The first fault of each engine, by its group and its game in the group.
    first_faults: [Option<((usize, usize), String)>; 2],
    times: [Option<EngineTime>; 2],
}

impl Totals {
    /// Adds a game, whose place is its group and its number in the group.
    fn add(&mut self, place: (usize, usize), game: &Played, sides: &[Side]) {
        let Played { seating, scores, is_adjudicated, fault, times, .. } = game;
        self.games += 1;
        game.compared(sides).for_each(|half_points| self.score.add_comparison(half_points));
        for (&side, &score) in sides.iter().zip(scores) {
            self.places[seating.engine(side)].add(score, scores);
        }
        self.adjudicated += u64::from(*is_adjudicated);
        for (sum, taken) in self.times.iter_mut().zip(times) {
            if let Some(taken) = *taken {
                *sum = Some(sum.map_or(taken, |sum| sum + taken));
            }
        }
        if let &Some((loser, ref what)) = fault {
            self.faults[loser] += 1;
            if let Some(what) = what
                && self.first_faults[loser].as_ref().is_none_or(|(first, _)| place < *first)
            {
                self.first_faults[loser] = Some((place, what.clone()));
            }
        }
    }

    /// Adds a group of games, all of which are there. `is_new` tells of the hash of a game whether it is the first one.
    fn add_group(
        &mut self,
        group: usize,
        games: &[&Played],
        sides: &[Side],
        is_new: impl FnMut(u64) -> bool,
    ) {
        for (number, game) in games.iter().enumerate() {
            self.add((group, number), game, sides);
        }
        let half_points = match (sides, games) {
            // Who plays alone is compared with the other engine, which did so.
            ([_], [first, second]) => {
                let half_points = alone(first, second);
                self.score.add_comparison(half_points);
                half_points.into()
            }
            _ => games.iter().flat_map(|game| game.compared(sides)).map(usize::from).sum(),
        };
        let new = games.iter().map(|game| game.hash).map(is_new).filter(|new| *new).count();
        self.identical += (games.len() - new) as u64;
        if new > 0 {
            self.score.groups.add(half_points);
        } else {
            self.score.groups.add_repeated(half_points);
        }
    }
}

/// Compares two games for one player. A fault is worse than any score.
fn alone(first: &Played, second: &Played) -> u8 {
    let value = |game: &Played| game.scores.first().filter(|_| game.fault.is_none()).map_or(0, |&it| it + 1);
    half_points(value(first), value(second))
}

impl MatchResults {
    /// Creates the results of a match in `game`, in which every group of games counts.
    #[must_use]
    pub fn new(game: Variant) -> Self {
        let (sides, seatings) = (game.sides(), Seating::group(&game));
        // Who plays alone is compared with the other engine, which did so.
        let compared: usize = seatings.iter().map(|&it| comparisons(&sides, it).count()).sum();
        let groups = Groups::of(seatings.len(), compared.max(1));
        Self {
            game,
            sides,
            seatings,
            open: BTreeMap::new(),
            expected: None,
            counted: Totals {
                games: 0,
                score: MatchScore { groups, ..MatchScore::default() },
                places: Default::default(),
                identical: 0,
                adjudicated: 0,
                faults: [0; 2],
                first_faults: [None, None],
                times: [None; 2],
            },
            test: None,
            verdict: None,
            seen: HashSet::new(),
        }
    }

    /// Creates the results of a match that consists of these groups of games.
    #[must_use]
    pub fn expecting(game: Variant, groups: impl IntoIterator<Item = usize>) -> Self {
        let mut expected: Vec<usize> = groups.into_iter().collect();
        expected.sort_unstable_by(|a, b| b.cmp(a));
        expected.dedup();
        Self { expected: Some(expected), ..Self::new(game) }
    }

    /// Adds a test that ends the match. It runs after each group in order, so that the verdict does
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
    /// if the game was added before, its group is not expected, or it is no game of this match.
    pub fn add(&mut self, record: &GameRecord) -> bool {
        let group = record.pair;
        let Some(number) = self.number(&record.arena, &record.seats) else { return false };
        let Some(scores) = self.scores(record) else { return false };
        let seating = self.seatings[number];
        if !self.is_expected(group) {
            return false;
        }
        let games = self.open.entry(group).or_insert_with(|| vec![None; self.seatings.len()].into());
        if games[number].is_some() {
            return false;
        }
        let mut hash = Fnv1a::default();
        hash.bytes([number as u8]).text(record.position.as_deref().unwrap_or_default());
        record.moves.iter().for_each(|token| _ = hash.text(token));
        let mut times = [None; 2];
        for (name, taken) in &record.times {
            times[usize::from(name != record.engines()[0])] = Some(*taken);
        }
        let fault = record.end.is_fault().then(|| {
            // Its seats have nothing, and those of the other one all.
            let losing = self.sides.iter().zip(&scores).find(|(_, score)| **score == 0);
            (losing.map_or(0, |(&side, _)| seating.engine(side)), record.fault.clone())
        });
        games[number] = Some(Played {
            seating,
            scores,
            hash: hash.hash(),
            is_adjudicated: record.end == End::Adjudication,
            fault,
            times,
        });
        if let Some(mut expected) = self.expected.take() {
            while self.verdict.is_none()
                && let Some(&group) = expected.last()
                && self.open.get(&group).is_some_and(|games| is_whole(games))
            {
                let games = self.open.remove(&group).unwrap_or_default();
                let games: Vec<&Played> = games.iter().flatten().collect();
                expected.pop();
                let seen = &mut self.seen;
                self.counted.add_group(group, &games, &self.sides, |hash| seen.insert(hash));
                self.verdict = self.test.and_then(|test| test.verdict(&self.counted.score));
            }
            self.expected = Some(expected);
        }
        true
    }

    /// Returns the number of a game with these seats in its group; `None` if it is no game of this match.
    fn number(&self, arena: &Conditions, seats: &IndexMap<String, String>) -> Option<usize> {
        let seating = Seating::of(&self.game, arena, seats)?;
        self.seatings.iter().position(|it| *it == seating)
    }

    /// Returns the score of each side; `None` if a side has none.
    fn scores(&self, record: &GameRecord) -> Option<Vec<u8>> {
        let score = |&side: &Side| {
            let role = self.game.roles.iter().find(|role| role.side == side)?;
            record.scores.get(&*role.name).copied()
        };
        self.sides.iter().map(score).collect()
    }

    /// Whether the record of a game that is, or was, being played has been added, for results that expect all
    /// groups.
    pub(super) fn has(&self, playing: &PlayingGame) -> bool {
        let games = self.open.get(&playing.pair).zip(self.number(&playing.arena, &playing.seats));
        games.is_some_and(|(games, number)| games[number].is_some())
    }

    /// Whether all games of a group have been added.
    #[must_use]
    pub fn is_complete(&self, group: usize) -> bool {
        match self.open.get(&group) {
            Some(games) => is_whole(games),
            None => !self.is_expected(group),
        }
    }

    fn is_expected(&self, group: usize) -> bool {
        let find = |expected: &Vec<usize>| expected.binary_search_by(|it| group.cmp(it)).is_ok();
        self.expected.as_ref().is_none_or(find)
    }

    /// Returns the number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.all().games
    }

    /// Returns the score of the groups before the first incomplete one, or up to the one at
    /// which the test ended the match. These groups do not depend on the number of games played at a
    /// time.
    #[must_use]
    pub fn in_order(&self) -> &MatchScore {
        &self.counted.score
    }

    /// Returns the score of all games and all complete groups.
    #[must_use]
    pub fn score(&self) -> MatchScore {
        self.all().score
    }

    /// Returns the places and scores of both engines in all games; `None` where two sides share the score, which tell
    /// no more than wins and losses.
    #[must_use]
    pub fn places(&self) -> Option<[Places; 2]> {
        (!self.game.is_for_two_sides()).then(|| self.all().places)
    }

    /// Returns the number of sides of the game: 1 in one for one player.
    #[must_use]
    pub fn sides(&self) -> usize {
        self.sides.len()
    }

    /// Returns the number of games that repeat an earlier one move for move.
    #[must_use]
    pub fn identical(&self) -> u64 {
        self.all().identical
    }

    /// Returns the number of games that each engine lost by an illegal move, a timeout or a crash.
    /// The engine for which results are counted comes first.
    #[must_use]
    pub fn faults(&self) -> [u64; 2] {
        self.all().faults
    }

    /// Returns what the first fault of each engine was, in the order of the games and not of their
    /// ends.
    #[must_use]
    pub fn first_faults(&self) -> [Option<String>; 2] {
        self.all().first_faults.map(|it| it.map(|(_, fault)| fault))
    }

    /// Returns the time that each engine took for its moves, in the games that tell; `None` if none
    /// does. The engine for which results are counted comes first.
    #[must_use]
    pub fn times(&self) -> [Option<EngineTime>; 2] {
        self.all().times
    }

    /// Returns the number of games that both engines agreed to end.
    #[must_use]
    pub fn adjudicated(&self) -> u64 {
        self.all().adjudicated
    }

    /// Returns the number of games whose group is not complete.
    #[must_use]
    pub fn unpaired(&self) -> u64 {
        let open = self.open().filter(|(_, games)| !is_whole(games));
        open.map(|(_, games)| games.iter().flatten().count() as u64).sum()
    }

    /// Returns the number of games missing from the groups up to the last one with a game, for
    /// results that expect all groups.
    #[must_use]
    pub fn missing(&self) -> usize {
        let groups = self.open.keys().next_back().map_or(0, |last| last + 1);
        self.seatings.len() * groups - self.open.values().flatten().flatten().count()
    }

    /// The groups that are not counted in their order yet, but count: none once the test has ended the match.
    fn open(&self) -> impl Iterator<Item = (usize, &[Option<Played>])> {
        let counting = self.open.iter().filter(|_| self.verdict.is_none());
        counting.map(|(&group, games)| (group, &**games))
    }

    fn all(&self) -> Totals {
        let mut all = self.counted.clone();
        // `self.seen` may be far larger than the set of open groups, so it is not copied.
        let mut seen = HashSet::new();
        for (group, games) in self.open() {
            if is_whole(games) {
                let games: Vec<&Played> = games.iter().flatten().collect();
                let is_new = |hash| !self.seen.contains(&hash) && seen.insert(hash);
                all.add_group(group, &games, &self.sides, is_new);
                continue;
            }
            for (number, game) in games.iter().enumerate() {
                if let Some(game) = game {
                    all.add((group, number), game, &self.sides);
                }
            }
        }
        all
    }
}

/// Whether all games of a group are there.
fn is_whole(games: &[Option<Played>]) -> bool {
    games.iter().all(Option::is_some)
}
