//! Games for one player, and for several sides that do not share the score.

use std::fmt;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use quintet_arena::stats::{Groups, Places};
use quintet_arena::tournament::record::check_game;
use quintet_arena::tournament::{
    Adjudication, Campaign, CampaignWatcher, Match, MatchResults, Standings, Tournament, merge, read_games,
    resume,
};
use quintet_core::game::{About, Game, MoveList, Notation, Outcome, PositionError, Role, ScoreSet, Side};
use quintet_core::knowledge::RulesOnly;
use quintet_core::registry::{Registry, Variant};
use quintet_protocol::{Conditions, End, GameRecord};

use crate::harness::{played, tournament};

const ALL_ROLES: &[Role] = &[
    Role::new("red", Side::First),
    Role::new("green", Side::Second),
    Role::new("blue", Side::Third),
    Role::new("black", Side::Fourth),
    Role::new("white", Side::Fifth),
];

/// The sides take one to three of twelve coins in turn; whoever takes the last one of a row of four gets 5 more for
/// each. The first side may also be alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Coins<const SIDES: usize> {
    left: u8,
    scores: [u8; SIDES],
    next: u8,
}

impl<const SIDES: usize> Game for Coins<SIDES> {
    type Move = u8;
    const ROLES: &'static [Role] = ALL_ROLES.split_at(SIDES).0;
    const MAX_BRANCHING: usize = 3;
    const MAX_PLIES: usize = 12;

    fn initial() -> Self {
        Self { left: 12, scores: [0; SIDES], next: 0 }
    }

    fn role_to_move(&self) -> usize {
        self.next.into()
    }

    fn scores(&self) -> ScoreSet {
        if SIDES == 1 { ScoreSet::ANY } else { ScoreSet::INDEPENDENT }
    }

    fn outcome(&self) -> Option<Outcome> {
        (self.left == 0).then(|| match self.scores[..] {
            [alone] => Outcome::of_score(Side::First, alone),
            _ => Outcome::of_scores(&self.scores),
        })
    }

    fn legal_moves(&self, moves: &mut MoveList<u8>) {
        moves.clear();
        moves.extend(1..=self.left.min(3));
    }

    fn apply(&mut self, taken: u8) {
        self.left -= taken;
        self.scores[usize::from(self.next)] += if self.left.is_multiple_of(4) { 5 * taken } else { taken };
        self.next = (self.next + 1) % SIDES as u8;
    }
}

impl<const SIDES: usize> fmt::Display for Coins<SIDES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.left, self.next)?;
        self.scores.iter().try_for_each(|score| write!(f, " {score}"))
    }
}

impl<const SIDES: usize> FromStr for Coins<SIDES> {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let wrong = || PositionError::new("numbers", "expected the coins, the side to move and the scores");
        let numbers: Vec<u8> =
            text.split(' ').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        let [left, next, scores @ ..] = &numbers[..] else { return Err(wrong()) };
        Ok(Self { left: *left, next: *next, scores: scores.try_into().map_err(|_| wrong())? })
    }
}

impl<const SIDES: usize> Notation for Coins<SIDES> {
    const ABOUT: About = About {
        title: "Coins",
        summary: "Take coins.",
        moves: "how many",
        position: "coins left, the side to move, scores",
    };

    fn draw(&self, _: Option<u8>) -> String {
        format!("{self}\n")
    }
}

fn registry() -> Registry {
    let mut games = Registry::new();
    games.add::<Coins<1>, RulesOnly>("alone", "standard");
    games.add::<Coins<2>, RulesOnly>("two", "standard");
    games.add::<Coins<3>, RulesOnly>("three", "standard");
    games.add::<Coins<5>, RulesOnly>("five", "standard");
    games
}

fn game(name: &str) -> Variant {
    registry().find(name, None).expect("it is there")
}

fn tournament_in(name: &str, engines: [&str; 2], games: usize) -> Tournament {
    Tournament { variants: vec![game(name)], games, ..tournament(&[], engines, 1, 7) }
}

/// A game of a group in which each role has this engine, `a` or `b`, and score.
fn record(game: &str, group: usize, seats: &[(&str, &str, u8)], moves: &str) -> GameRecord {
    let text = |text: &str| text.to_owned();
    GameRecord {
        game: text(game),
        rules: text("standard"),
        pair: group,
        position: None,
        opening: Vec::new(),
        moves: vec![text(moves)],
        seats: seats.iter().map(|(role, engine, _)| (text(role), text(engine))).collect(),
        scores: seats.iter().map(|(role, _, score)| (text(role), *score)).collect(),
        seed: 0,
        end: End::Rules,
        fault: None,
        thoughts: Vec::new(),
        times: indexmap::IndexMap::new(),
        arena: Conditions {
            program: String::new(),
            seed: 0,
            openings: String::new(),
            resign: None,
            draw: None,
            rulesheet: None,
            models: indexmap::IndexMap::new(),
            engines: [(text("a"), text("random")), (text("b"), text("random"))].into(),
        },
    }
}

/// The six games of a group of three sides, with the scores of red, green and blue.
fn group_of_three(group: usize, scores: [[u8; 3]; 6]) -> Vec<GameRecord> {
    let seats = ["aab", "aba", "abb", "baa", "bab", "bba"];
    let of = |(index, (seats, scores)): (usize, (&str, [u8; 3]))| {
        let roles = ["red", "green", "blue"];
        let seats: Vec<_> = (0..3).map(|side| (roles[side], &seats[side..=side], scores[side])).collect();
        record("three", group, &seats, &index.to_string())
    };
    seats.into_iter().zip(scores).enumerate().map(of).collect()
}

fn groups(games: usize, comparisons: usize, half_points: &[usize]) -> Groups {
    let mut groups = Groups::of(games, comparisons);
    for &it in half_points {
        groups.add(it);
    }
    groups
}

#[test]
fn the_seats_of_a_group_of_several_sides_are_compared_two_by_two() {
    let mut results = MatchResults::expecting(game("three"), 0..2);
    let scores = [[9, 5, 5], [0, 1, 0], [3, 2, 1], [0, 7, 7], [50, 50, 50], [100, 0, 0]];
    let games = group_of_three(0, scores);
    for (number, game) in games.iter().enumerate() {
        assert_eq!((results.is_complete(0), results.unpaired()), (false, number as u64));
        assert!(results.add(game) && !results.add(game));
    }
    assert!(results.is_complete(0));
    // For a: won and equal, lost twice, won twice, won twice, equal twice, lost and equal.
    let score = results.score();
    assert_eq!((score.wins, score.draws, score.losses, results.games()), (5, 4, 3, 6));
    assert_eq!(score.groups, groups(6, 12, &[14]));
    let [a, b] = results.places().expect("scores differ");
    assert_eq!((a.seats(), b.seats(), a.best_score(), b.best_score()), (9, 9, Some(50), Some(100)));
    // Places of a: 1, 2½; 2½, 2½; 1; 1½, 1½; 2; 2½. Of b: 2½; 1; 2, 3; 3; 2, 2; 1, 2½.
    assert_eq!([a, b].map(|it| it.mean_place()), [Some(17.0 / 9.0), Some(19.0 / 9.0)]);
    assert_eq!([a, b].map(|it| it.mean_score()), [Some(81.0 / 9.0), Some(209.0 / 9.0)]);
    // A group that is the same move by move is no further evidence.
    for game in group_of_three(1, scores) {
        assert!(results.add(&game));
    }
    let mut twice = groups(6, 12, &[14]);
    twice.add_repeated(14);
    assert_eq!((results.score().groups, results.identical()), (twice, 6));
}

#[test]
fn who_plays_alone_is_compared_with_the_other_one() {
    let mut results = MatchResults::new(game("alone"));
    let alone = |group, engine, score, moves| record("alone", group, &[("red", engine, score)], moves);
    assert!(results.add(&alone(0, "b", 30, "x")));
    assert_eq!((results.score().comparisons(), results.games(), results.missing()), (0, 1, 1));
    assert!(results.add(&alone(0, "a", 20, "y")));
    assert!(results.add(&alone(1, "a", 40, "y")) && results.add(&alone(1, "b", 40, "z")));
    let score = results.score();
    assert_eq!((score.wins, score.draws, score.losses, score.groups), (0, 1, 1, groups(2, 1, &[0, 1])));
    let places = results.places().map(|it| it.map(|it| (it.mean_score(), it.best_score())));
    assert_eq!(places, Some([(Some(30.0), Some(40)), (Some(35.0), Some(40))]));
    let fault = GameRecord { end: End::Crash, fault: Some("gone".to_owned()), ..alone(2, "b", 0, "w") };
    results.add(&fault);
    assert_eq!((results.faults(), results.first_faults()), ([0, 1], [None, Some("gone".to_owned())]));
    // Nothing is worse than a fault.
    assert!(results.add(&alone(2, "a", 0, "v")));
    let score = results.score();
    assert_eq!((score.wins, score.draws, score.losses), (1, 1, 1));
}

#[test]
fn two_sides_that_do_not_share_the_score_play_pairs() {
    let mut results = MatchResults::new(game("two"));
    let two = |seats: [&str; 2], scores: [u8; 2]| {
        record("two", 0, &[("red", seats[0], scores[0]), ("green", seats[1], scores[1])], "x")
    };
    assert!(results.add(&two(["a", "b"], [80, 70])) && results.add(&two(["b", "a"], [10, 10])));
    assert_eq!(results.score().groups, [0, 0, 0, 1, 0].into());
    assert_eq!(results.places().map(|it| it.map(|it| it.mean_place())), Some([Some(1.25), Some(1.75)]));
}

#[test]
fn places_are_shared_by_equal_scores() {
    let mut places = Places::default();
    assert_eq!((places.mean_place(), places.mean_score(), places.best_score()), (None, None, None));
    places.add(40, &[40, 90, 40, 40]);
    assert_eq!(places.mean_place(), Some(3.0));
    places.add(90, &[40, 90, 40, 40]);
    assert_eq!(
        (places.mean_place(), places.mean_score(), places.best_score()),
        (Some(2.0), Some(65.0), Some(90))
    );
}

/// Is told of games.
struct Unwatched;

impl CampaignWatcher for Unwatched {
    fn game(&mut self, _: &GameRecord, _: &Match) {}

    fn logger(&self) -> Box<dyn Fn(&str) + Send> {
        Box::new(|_| {})
    }
}

/// Plays what a file of games lacks, and returns the standings before and after.
fn campaign(tournament: &Tournament, path: &Path) -> [Standings; 2] {
    let stop = AtomicBool::new(false);
    let schedule = tournament.schedule();
    let (log, known) = resume(path, tournament, &schedule, &registry()).expect("it is its file");
    let concurrency = NonZeroUsize::MIN;
    let campaign = Campaign { tournament, schedule, test: None, concurrency, remote: None, stop: &stop };
    let before = campaign.standings(&known);
    let mut standings = before.clone();
    campaign.play(Some(log), &known, &mut standings, &mut Unwatched).expect("the games can be played");
    [before, standings]
}

fn without_times(mut records: Vec<GameRecord>) -> Vec<GameRecord> {
    for record in &mut records {
        record.thoughts.clear();
    }
    records
}

#[test]
fn a_match_that_was_stopped_within_a_group_goes_on() {
    for (name, games, whole) in [("alone", 4, 4), ("two", 4, 4), ("three", 8, 12), ("five", 8, 10)] {
        let tournament = tournament_in(name, ["a=uct:iterations=20", "b=random"], games);
        let expected = played(&tournament);
        assert_eq!(expected.len(), whole, "whole groups");
        let folder = tempfile::tempdir().expect("a temporary directory can be made");
        let path = folder.path().join("games.jsonl");
        // Three games have ended, and the last two of them before others.
        let ended =
            [0, whole - 1, 2].map(|index| serde_json::to_string(&expected[index]).expect("JSON") + "\n");
        fs::write(&path, ended.concat()).expect("it can be written");
        let [before, standings] = campaign(&tournament, &path);
        assert_eq!([before, standings.clone()].map(|it| it.games()), [3, whole as u64]);
        let records = read_games(&path, &registry()).expect("it has games");
        let in_order = merge(vec![("x".to_owned(), records.clone())]).expect("games");
        assert_eq!(without_times(in_order.clone()), without_times(expected));
        let summary = |it: &Standings| serde_json::to_string(&it.summary(None)).expect("JSON");
        assert_eq!(summary(&Standings::of(&records, &registry())), summary(&standings));
        // The parts of a file, in any order, are the file.
        let (first, second) = records.split_at(whole / 2);
        let parts = vec![("y".to_owned(), second.to_vec()), ("x".to_owned(), first.to_vec())];
        assert_eq!(merge(parts).expect("parts"), in_order);
    }
}

#[test]
fn the_order_of_the_seats_in_a_record_does_not_matter() {
    let record = played(&tournament_in("three", ["a=random", "b=random"], 6)).remove(1);
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let path = folder.path().join("games.jsonl");
    let mut other = record.clone();
    other.seats.reverse();
    fs::write(&path, serde_json::to_string(&other).expect("JSON") + "\n").expect("it can be written");
    let [read] =
        <[GameRecord; 1]>::try_from(read_games(&path, &registry()).expect("it is right")).expect("one");
    assert_eq!((read.seating(), &read), (record.seating(), &record));
}

#[test]
fn the_shards_of_a_tournament_have_whole_groups() {
    let schedule = tournament_in("three", ["a=random", "b=random"], 18).schedule();
    let parts = ["1/2", "2/2"]
        .map(|it| it.parse::<quintet_arena::tournament::Shard>().expect("a shard").of(schedule.clone()));
    assert_eq!(
        parts.each_ref().map(|part| part.iter().map(|it| it.group).collect::<Vec<_>>()),
        [[[0; 6], [2; 6]].concat(), [1; 6].to_vec()]
    );
}

#[test]
fn more_iterations_are_stronger() {
    for name in ["alone", "two", "three", "five"] {
        let records = played(&tournament_in(name, ["a=uct:iterations=200", "b=random"], 60));
        let summary = Standings::of(&records, &registry()).summary(None);
        let [low, ..] = summary.results[0].elo.expect("there are groups");
        assert!(low > 0.0, "{name}: {:?}", summary.results);
        let [a, b] = summary.results[0].mean_scores.expect("they are told");
        assert!(a > b, "{name}: {a} and {b}");
        assert_eq!(summary.results[0].best_scores.is_some(), name == "alone");
        assert_eq!(summary.results[0].mean_places.is_some(), name != "alone");
    }
}

#[test]
fn a_wrong_record_is_refused_with_what_is_wrong() {
    type Break = fn(&mut GameRecord);
    let three = played(&tournament_in("three", ["a=random", "b=random"], 6));
    let five = played(&tournament_in("five", ["a=random", "b=random"], 10));
    let cases: [(&GameRecord, &str, Break); 7] = [
        (&three[1], "seats: \"a\" plays against itself", |it| it.seats["green"] = "a".to_owned()),
        (&three[1], "seed: ", |it| it.seats["blue"] = "b".to_owned()),
        (&three[1], "seats: \"a\" and \"c\", but the engines of the match are", |it| {
            it.seats["green"] = "c".to_owned();
        }),
        (&three[1], "scores: by the rules blue has ", |it| it.scores["blue"] += 1),
        (&three[1], "end: engines agree on results only where two sides share the score", |it| {
            it.moves.truncate(4);
            it.thoughts.truncate(4);
            it.end = End::Adjudication;
        }),
        (&three[1], "scores: an engine lost by a fault, so it has 0, and the other one 100", |it| {
            it.moves.truncate(4);
            it.thoughts.truncate(4);
            it.end = End::Time;
        }),
        (&five[0], "seats: no game of a match has them", |it| it.seats["green"] = "b".to_owned()),
    ];
    for (record, wanted, damage) in cases {
        check_game(record, &registry()).expect("it is right");
        let mut record = record.clone();
        damage(&mut record);
        let error = check_game(&record, &registry()).expect_err(wanted);
        assert!(error.starts_with(wanted), "{error}");
    }
    let mut alone = played(&tournament_in("alone", ["a=random", "b=random"], 2)).remove(0);
    alone.seats["red"] = "c".to_owned();
    let error = check_game(&alone, &registry()).expect_err("it does not take part");
    assert!(error.starts_with("seats: \"c\", but the engines of the match are \"a\" and \"b\""), "{error}");
}

#[test]
fn conditions_that_need_two_sides_that_share_the_score_are_refused() {
    let agreement = "value=3,moves=4".parse().ok();
    let right = || tournament_in("three", ["a=random", "b=ugi:tc=1+1,command=x"], 6);
    let resign = Adjudication { resign: agreement, draw: None };
    let draw = Adjudication { resign: None, draw: agreement };
    for (tournament, message) in [
        (
            Tournament { adjudication: resign, ..right() },
            "three standard: --resign needs two sides that share the score",
        ),
        (
            Tournament { adjudication: draw, ..right() },
            "three standard: --draw needs two sides that share the score",
        ),
        (
            Tournament { undecided: true, ..right() },
            "three standard: --undecided needs two sides that share the score",
        ),
        (right(), "engine \"b\": UGI has clocks for two sides only (tc), and three standard has more"),
    ] {
        let error = tournament.check().expect_err(message).to_string();
        assert!(error.starts_with(message), "{error}");
    }
    assert!(tournament_in("three", ["a=random", "b=uct:tc=1+1"], 6).check().is_ok());
}

#[cfg(unix)]
#[test]
fn all_seats_of_an_engine_at_fault_have_nothing() {
    let records = played(&tournament_in("three", ["a=json:command=true", "b=random"], 6));
    for record in &records {
        assert_eq!(record.end, End::Crash);
        for (role, engine) in &record.seats {
            assert_eq!(record.scores[role], if engine == "a" { 0 } else { 100 }, "{record:?}");
        }
        check_game(record, &registry()).expect("it is right");
    }
    let standings = Standings::of(&records, &registry());
    assert_eq!(standings.matches[0].results.faults(), [6, 0]);
    assert_eq!(standings.matches[0].results.score().losses, 12);
}
