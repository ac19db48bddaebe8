//! What the engine finds, against brute force and against itself without knowledge.
//!
//! The tests go through sessions of [`own_games::games`], where the search is compiled for every game: here it is not
//! compiled again.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use own_games::goofspiel::Goofspiel;
use own_games::pig::{Move, Pig};
use own_games::three::Three;
use quintet_core::game::{Game, Outcome, Side};
use quintet_core::search::{Budget, Report, SearchConfig, Technique, Techniques};
use quintet_core::session::{EngineConfig, Session};

/// A game at its start, with an engine for each of these settings.
fn start(game: &str, engines: &[SearchConfig]) -> Box<dyn Session> {
    let mut session = own_games::games().find(game, None).expect("a game").start();
    for config in engines {
        session.add_engine(&EngineConfig::Quintet(config.clone())).expect("valid");
    }
    session
}

/// Lets an engine search where the game stands.
fn think(session: &mut dyn Session, engine: usize, iterations: u64, seed: u64) -> Report<String> {
    let budget = Budget::iterations(iterations).expect("not 0");
    session.think(engine, budget, seed, &AtomicBool::new(false)).expect("there are moves")
}

/// Lets the only engine search at a position.
fn think_at(session: &mut dyn Session, position: &str, iterations: u64) -> Report<String> {
    session.reset(Some(position)).expect("a position");
    think(session, 0, iterations, 0)
}

#[test]
fn a_search_leaves_a_single_peg() {
    let mut session = start("pegs", &[SearchConfig::default()]);
    while session.outcome().is_none() {
        let report = think(&mut *session, 0, 5_000, 0);
        session.play(&report.best().mv).expect("legal");
    }
    assert_eq!(session.outcome(), Some(Outcome::Win(Side::First)));
}

/// Plays a game of Breakthrough with the same number of iterations for each color, in which only `knowing` has the
/// knowledge, and returns the outcome.
fn play(seed: u64, knowing: Side) -> Outcome {
    // Without these, the search uses neither the weights of the candidates nor `prove`.
    let of_knowledge = Techniques::NONE.with(Technique::Priors).with(Technique::Proofs);
    let engines = [Techniques::ALL, Techniques::ALL.and_not(of_knowledge)].map(|techniques| SearchConfig {
        techniques,
        trees: Some(NonZeroUsize::MIN),
        seed,
        ..SearchConfig::default()
    });
    let mut session = start("breakthrough", &engines);
    loop {
        if let Some(outcome) = session.outcome() {
            return outcome;
        }
        let is_knowing = session.to_move().is_some_and(|role| role.side == knowing);
        let report = think(&mut *session, usize::from(!is_knowing), 150, seed);
        session.play(&report.best().mv).expect("legal");
    }
}

#[test]
fn the_knowledge_of_breakthrough_wins_against_the_rules_alone() {
    let games = (0..8).flat_map(|seed| [(seed, Side::First), (seed, Side::Second)]);
    let wins = games.filter(|&(seed, knowing)| play(seed, knowing) == Outcome::Win(knowing)).count();
    assert!(wins >= 14, "{wins} of 16");
}

/// What each of three players gets if each plays for itself; of equal moves the first.
fn exact_scores(position: &Three, known: &mut HashMap<Three, [u8; 3]>) -> [u8; 3] {
    if let Some(outcome) = position.outcome() {
        return [Side::First, Side::Second, Side::Third].map(|side| outcome.score(side));
    }
    if let Some(&scores) = known.get(position) {
        return scores;
    }
    let mover = position.role_to_move();
    let after = position.move_list().into_iter().map(|mv| exact_scores(&position.after(mv), known));
    let best = after.reduce(|a, b| if b[mover] > a[mover] { b } else { a }).expect("there are moves");
    known.insert(*position, best);
    best
}

#[test]
fn one_of_three_players_takes_a_win_and_stops_that_of_the_next() {
    // Green threatens to win in b4, and red, to move, has nothing better than to stop it.
    let text = "1r1r/1g2/1g2/b2b r";
    let report = think_at(&mut *start("three", &[SearchConfig::default()]), text, 20_000);
    let position: Three = text.parse().expect("a position");
    let mv = position.parse_move(&report.best().mv).expect("legal");
    let mut known = HashMap::new();
    let best = exact_scores(&position, &mut known);
    let after = exact_scores(&position.after(mv), &mut known);
    assert_eq!(after[0], best[0], "{mv}");
}

/// Anna's expected score in Pig if both play best.
fn expected_score(position: &Pig, known: &mut HashMap<Pig, f64>) -> f64 {
    if let Some(outcome) = position.outcome() {
        return outcome.score(Side::First).into();
    }
    if let Some(&value) = known.get(position) {
        return value;
    }
    let after: Vec<f64> =
        position.move_list().into_iter().map(|mv| expected_score(&position.after(mv), known)).collect();
    let value = match position.side_to_move() {
        Side::First => after.into_iter().fold(0.0, f64::max),
        Side::Second => after.into_iter().fold(100.0, f64::min),
        _ => after.iter().sum::<f64>() / 6.0,
    };
    known.insert(*position, value);
    value
}

#[test]
fn before_a_die_the_search_decides_as_one_who_knows_all() {
    let mut known = HashMap::new();
    let mut session = start("pig", &[SearchConfig::default()]);
    let mut compared = 0;
    for (sums, of_turn) in [("20 31", 9), ("20 31", 15), ("0 18", 12), ("33 20", 4), ("10 12", 19)] {
        for (turns_left, player) in [(2, "anna"), (1, "otto")] {
            let text = format!("{sums} {turns_left} {of_turn} {player}");
            let position: Pig = text.parse().expect("a position");
            let values = [Move::Roll, Move::Hold].map(|mv| expected_score(&position.after(mv), &mut known));
            if (values[0] - values[1]).abs() < 3.0 {
                continue;
            }
            let report = think_at(&mut *session, &text, 30_000);
            let wanted = if (values[0] > values[1]) == (player == "anna") { "roll" } else { "hold" };
            assert_eq!(report.best().mv, wanted, "{text}: {values:?}");
            compared += 1;
        }
    }
    assert!(compared > 5);
}

/// The value of a game of one joint move, from the scores of anna for all bids: by fictitious play (Brown 1951), in
/// which each plays the best answer to all that the other has played.
fn matrix_value(scores: &[Vec<f64>]) -> f64 {
    const ROUNDS: u32 = 20_000;
    let (mut rows, mut columns) = (vec![0.0; scores.len()], vec![0.0; scores[0].len()]);
    let (mut row, mut column) = (0, 0);
    for _ in 0..ROUNDS {
        columns.iter_mut().zip(&scores[row]).for_each(|(sum, score)| *sum += score);
        rows.iter_mut().zip(scores).for_each(|(sum, scores)| *sum += scores[column]);
        row = (0..rows.len()).max_by(|&a, &b| f64::total_cmp(&rows[a], &rows[b])).expect("a bid");
        column = (0..columns.len()).min_by(|&a, &b| f64::total_cmp(&columns[a], &columns[b])).expect("a bid");
    }
    (rows[row] + columns[column]) / f64::from(2 * ROUNDS)
}

/// The scores of anna in Goofspiel for the bids of anna (rows) and of otto, if both play best after them.
fn matrix(position: &Goofspiel, known: &mut HashMap<Goofspiel, f64>) -> Vec<Vec<f64>> {
    let mut row = |bid: u8| -> Vec<f64> {
        let after = position.after(bid);
        after.move_list().iter().map(|&card| joint_value(&after.after(card), known)).collect()
    };
    position.move_list().iter().map(|&bid| row(bid)).collect()
}

/// The score of anna in Goofspiel if both play best.
fn joint_value(position: &Goofspiel, known: &mut HashMap<Goofspiel, f64>) -> f64 {
    if let Some(outcome) = position.outcome() {
        return outcome.score(Side::First).into();
    }
    if let Some(value) = known.get(position) {
        return *value;
    }
    let value = matrix_value(&matrix(position, known));
    known.insert(*position, value);
    value
}

#[test]
fn the_policy_of_joint_moves_can_hardly_be_exploited() {
    let mut known = HashMap::new();
    for text in ["123 123 3 4 -", "1245 1345 0 0 -", "2345 1345 0 5 -"] {
        let position: Goofspiel = text.parse().expect("a position");
        let value = joint_value(&position, &mut known);
        let report = think_at(&mut *start("goofspiel", &[SearchConfig::default()]), text, 20_000);
        let found = report.value().expect("it was searched");
        assert!((found - value).abs() < 4.0, "{found} for {value} in {text}");
        // What anna gets for sure by this policy.
        let scores = matrix(&position, &mut known);
        let policy: Vec<f64> = report.policies[0].moves.iter().map(|it| it.1).collect();
        let against =
            |column: usize| policy.iter().zip(&scores).map(|(share, row)| share * row[column]).sum();
        let least = (0..scores[0].len()).map(against).fold(f64::INFINITY, f64::min);
        assert!(value - least < 5.0, "{least} for {value} in {text}: {policy:?}");
    }
}
