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
/// end, so that all results depend only on the games. If all games of a group repeat earlier games move for move,
/// the group is no further evidence: its games count, but the group does not.
#[derive(Debug, Clone)]
pub struct MatchResults {
    game: Variant,
    sides: Vec<Side>,
    /// How the sides are shared in the games of a group.
    seatings: Vec<Seating>,
    /// The number of games.
    games: u64,
    /// The comparisons of all games, without groups.
    compared: MatchScore,
    places: [Places; 2],
    /// The games of the groups not counted yet.
    open: BTreeMap<usize, Box<[Option<Played>]>>,
    /// The expected groups that are not counted yet, the next one last; `None` if every group is
    /// expected.
    expected: Option<Vec<usize>>,
    counted: Groups,
    /// The test that ends the match.
    test: Option<Sprt>,
    verdict: Option<Hypothesis>,
    seen: HashSet<u64>,
    faults: [u64; 2],
    /// The first fault of each engine, by its group and its game in the group.
    first_faults: [Option<((usize, usize), String)>; 2],
    adjudicated: u64,
    identical: u64,
    /// What each engine took for its moves, in the games that tell.
    times: [Option<EngineTime>; 2],
}

/// What is kept of a game until its group is complete.
#[derive(Debug, Clone, Copy)]
struct Played {
    /// The half points of the first engine in its comparisons; in a game for one player, the score.
    points: u8,
    /// That of its moves.
    hash: u64,
}

impl MatchResults {
    /// Creates the results of a match in `game`, in which every group of games counts.
    #[must_use]
    pub fn new(game: Variant) -> Self {
        let (sides, seatings) = (game.sides(), Seating::group(&game));
        // Who plays alone is compared with the other engine, which did so.
        let compared: usize = seatings.iter().map(|&it| comparisons(&sides, it).count()).sum();
        Self {
            game,
            counted: Groups::of(seatings.len(), compared.max(1)),
            sides,
            seatings,
            games: 0,
            compared: MatchScore::default(),
            places: Default::default(),
            open: BTreeMap::new(),
            expected: None,
            test: None,
            verdict: None,
            seen: HashSet::new(),
            faults: [0; 2],
            first_faults: [None, None],
            adjudicated: 0,
            identical: 0,
            times: [None; 2],
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
        let compared = comparisons(&self.sides, seating).map(|[a, b]| half_points(scores[a], scores[b]));
        let compared: Vec<u8> = compared.collect();
        let points = if let [alone] = scores[..] { alone } else { compared.iter().sum() };
        games[number] = Some(Played { points, hash: hash.hash() });
        for half_points in compared {
            self.compared.add_comparison(half_points);
        }
        if let ([_], [Some(first), Some(second)]) = (&scores[..], &games[..]) {
            self.compared.add_comparison(half_points(first.points, second.points));
        }
        self.games += 1;
        for (&side, &score) in self.sides.iter().zip(&scores) {
            self.places[seating.engine(side)].add(score, &scores);
        }
        self.adjudicated += u64::from(record.end == End::Adjudication);
        for (name, taken) in &record.times {
            let sum = &mut self.times[usize::from(name != record.engines()[0])];
            *sum = Some(sum.map_or(*taken, |sum| sum + *taken));
        }
        if record.end.is_fault() {
            // Its seats have nothing, and those of the other one all.
            let losing = self.sides.iter().zip(&scores).find(|(_, score)| **score == 0);
            let loser = losing.map_or(0, |(&side, _)| seating.engine(side));
            self.faults[loser] += 1;
            let place = (group, number);
            if let Some(fault) = &record.fault
                && self.first_faults[loser].as_ref().is_none_or(|(first, _)| place < *first)
            {
                self.first_faults[loser] = Some((place, fault.clone()));
            }
        }
        if let Some(mut expected) = self.expected.take() {
            while self.verdict.is_none()
                && let Some(group) = expected.last()
                && let Some(games) = self.open.get(group).and_then(|games| whole(games))
            {
                self.open.remove(group);
                expected.pop();
                let seen = &mut self.seen;
                self.identical += count(&games, &self.sides, &mut self.counted, |hash| seen.insert(hash));
                self.verdict = self.test.and_then(|test| test.verdict(&self.in_order()));
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
            Some(games) => games.iter().all(Option::is_some),
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
        self.games
    }

    /// Returns the score with only the groups before the first incomplete one, or up to the one at
    /// which the test ended the match. These groups do not depend on the number of games played at a
    /// time.
    #[must_use]
    pub fn in_order(&self) -> MatchScore {
        MatchScore { groups: self.counted.clone(), ..self.compared }
    }

    /// Returns the score of all games and all complete groups.
    #[must_use]
    pub fn score(&self) -> MatchScore {
        self.all().0
    }

    /// Returns the places and scores of both engines in all games; `None` where two sides share the score, which tell
    /// no more than wins and losses.
    #[must_use]
    pub fn places(&self) -> Option<[Places; 2]> {
        (!self.game.is_for_two_sides()).then_some(self.places)
    }

    /// Returns the number of sides of the game: 1 in one for one player.
    #[must_use]
    pub fn sides(&self) -> usize {
        self.sides.len()
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

    /// Returns the number of games whose group is not complete.
    #[must_use]
    pub fn unpaired(&self) -> u64 {
        let open = self.open.values().filter(|games| games.iter().any(Option::is_none));
        open.map(|games| games.iter().flatten().count() as u64).sum()
    }

    /// Returns the number of games missing from the groups up to the last one with a game, for
    /// results that expect all groups.
    #[must_use]
    pub fn missing(&self) -> usize {
        let groups = self.open.keys().next_back().map_or(0, |last| last + 1);
        self.seatings.len() * groups - self.open.values().flatten().flatten().count()
    }

    fn all(&self) -> (MatchScore, u64) {
        let (mut score, mut identical) = (self.in_order(), self.identical);
        // `self.seen` may be far larger than the set of open groups, so it is not copied.
        let mut seen = HashSet::new();
        for games in self.open.values().filter_map(|games| whole(games)) {
            let is_new = |hash| !self.seen.contains(&hash) && seen.insert(hash);
            identical += count(&games, &self.sides, &mut score.groups, is_new);
        }
        (score, identical)
    }
}

/// Returns the games of a group if all are there.
fn whole(games: &[Option<Played>]) -> Option<Vec<Played>> {
    games.iter().copied().collect()
}

/// Counts a group of games between these sides unless all repeat earlier games. Returns how many do.
fn count(games: &[Played], sides: &[Side], groups: &mut Groups, is_new: impl FnMut(u64) -> bool) -> u64 {
    let new = games.iter().map(|game| game.hash).map(is_new).filter(|new| *new).count();
    if new > 0 {
        groups.add(match (sides, games) {
            ([_], [first, second]) => half_points(first.points, second.points).into(),
            _ => games.iter().map(|game| usize::from(game.points)).sum(),
        });
    }
    (games.len() - new) as u64
}
