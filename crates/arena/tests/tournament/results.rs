//! The results of one match.

use quintet_arena::stats::{MatchScore, Sprt};
use quintet_arena::tournament::{MatchResults, Openings, Standings};
use quintet_core::registry::Variant;
use quintet_protocol::{Conditions, End, GameRecord};

use crate::harness::{games, tournament};

fn krk() -> Variant {
    games().find("krk", Some("spec")).expect("it is there")
}

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

#[test]
fn pairs_are_counted_in_their_order_and_once() {
    let mut results = MatchResults::expecting(krk(), [0, 2, 4]);
    assert!(results.add(&game(2, false, 100, "x")) && results.add(&game(2, true, 50, "y")));
    assert_eq!(results.in_order().groups, [0; 5].into(), "the first pair is not in");
    assert_eq!(results.score().groups, [0, 0, 0, 1, 0].into());
    assert!(results.add(&game(0, true, 100, "z")));
    assert!(!results.add(&game(0, true, 100, "z")), "it is there already");
    assert!(results.add(&game(0, false, 0, "w")));
    assert_eq!(results.in_order().groups, [1, 0, 0, 1, 0].into());
    assert!(!results.add(&game(0, true, 100, "z")), "it has been counted");
    assert!(results.is_complete(0), "and stays so");
    let MatchScore { wins, draws, losses, .. } = results.score();
    assert_eq!((wins, draws, losses), (1, 1, 2));
}

#[test]
fn a_pair_of_identical_games_counts_but_is_no_further_evidence() {
    let pair = |results: &mut MatchResults, pair, white: [u8; 2], moves: [&str; 2]| {
        results.add(&game(pair, false, white[0], moves[0]));
        results.add(&game(pair, true, white[1], moves[1]));
    };
    let mut results = MatchResults::expecting(krk(), 0..4);
    pair(&mut results, 0, [100, 100], ["x", "x"]);
    pair(&mut results, 1, [100, 100], ["x", "x"]);
    pair(&mut results, 2, [100, 0], ["x", "y"]);
    pair(&mut results, 3, [100, 0], ["x", "y"]);
    assert_eq!((results.games(), results.identical()), (8, 5));
    let score = results.score();
    assert_eq!((score.groups.counts(), score.groups.repeated()), (&[0, 0, 2, 0, 2][..], 2));
    // The mean and the errors of one pair of each kind.
    let once = MatchScore { groups: [0, 0, 1, 0, 1].into(), ..MatchScore::default() };
    assert_eq!((score.elo(), score.los()), (once.elo(), once.los()));
    let test: Sprt = "elo0=0,elo1=50".parse().expect("a test");
    assert!((test.llr(&score) - test.llr(&once)).abs() < 1e-9);
}

#[test]
fn games_after_the_pair_that_decided_do_not_count() {
    let mut tournament = tournament(&["krk"], ["a=random", "b=random"], 80, 7);
    tournament.openings = Openings::Random { plies: 0 };
    let test = Some("elo0=0,elo1=400".parse().expect("a test"));
    let mut standings = Standings::expecting(&tournament, &tournament.schedule(), test);
    let mut add = |pair: usize, white: [u8; 2]| {
        for (swapped, white) in [(false, white[0]), (true, white[1])] {
            assert!(standings.add(&game(pair, swapped, white, &format!("{pair} {swapped}"))).is_some());
        }
        let it = &standings.matches[0].results;
        (it.games(), it.score().groups.count(), it.verdict())
    };
    // It ends before the others.
    assert_eq!(add(39, [0, 100]), (2, 1, None));
    for pair in 0..38 {
        let (games, groups, verdict) = add(pair, [100, 0]);
        if verdict.is_some() {
            assert_eq!((games, groups), (2 * groups, pair as u64 + 1), "without the last pair");
            return;
        }
        assert_eq!((games, groups), (2 * groups, pair as u64 + 2));
    }
    panic!("it is decided before");
}

#[test]
fn faults_are_counted_for_the_engine_that_lost() {
    let mut results = MatchResults::expecting(krk(), [0]);
    let fault = |swapped, white, end| GameRecord { end, ..game(0, swapped, white, "x") };
    results.add(&fault(false, 0, End::Crash));
    results.add(&fault(false, 0, End::Crash));
    assert_eq!(results.faults(), [1, 0], "and once only");
    results.add(&fault(true, 0, End::Time));
    assert_eq!(results.faults(), [1, 1]);
}

#[test]
fn without_expectations_all_that_comes_in_counts() {
    let mut results = MatchResults::new(krk());
    results.add(&game(7, false, 100, "x"));
    results.add(&game(7, true, 0, "y"));
    results.add(&game(9, true, 0, "y"));
    assert_eq!(results.score().groups, [0, 0, 0, 0, 1].into());
    assert!(!results.add(&game(7, true, 0, "y")));
    assert_eq!(results.missing(), 2 * 7 + 2 + 1, "the first seven pairs, the ninth, and half of the tenth");
}

#[test]
fn games_without_a_partner_and_games_that_both_engines_ended_are_counted() {
    let mut results = MatchResults::expecting(krk(), 0..3);
    results.add(&game(0, false, 100, "x"));
    results.add(&GameRecord { end: End::Adjudication, ..game(0, true, 0, "y") });
    assert_eq!((results.unpaired(), results.adjudicated()), (0, 1));
    results.add(&game(2, true, 100, "z"));
    assert_eq!((results.unpaired(), results.adjudicated()), (1, 1));
}

#[test]
fn the_first_fault_is_the_first_in_the_order_of_the_games() {
    let mut results = MatchResults::expecting(krk(), 0..2);
    for (pair, swapped, white, what) in
        [(1, false, 0, "late"), (0, true, 100, "second"), (0, false, 0, "first")]
    {
        let fault = Some(what.to_owned());
        results.add(&GameRecord { end: End::Crash, fault, ..game(pair, swapped, white, "x") });
    }
    assert_eq!(results.first_faults(), [Some("first".to_owned()), None]);
}
