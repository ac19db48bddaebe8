//! Random moves and rollouts have the right distributions.
//!
//! Every seed is fixed, so a test always passes or always fails. The critical values are extreme
//! even so: a move that is left out or drawn twice as often exceeds them by far.

use std::collections::BTreeMap;

use quintet_core::game::{Notation, Outcome, Rng, Side};

use crate::catalog::GameId;
use crate::harness::{in_every_game, legal_moves, random_game, twin_of};
use crate::named::Named;
use crate::twins::Twin;

const SEED: u64 = 0x5eed_d1ce;

/// A value that chi-square with `degrees` degrees of freedom exceeds less than once in 100,000
/// times.
fn critical(degrees: usize) -> f64 {
    let degrees = f64::from(u32::try_from(degrees).expect("a table is small"));
    degrees + 6.0 * (2.0 * degrees).sqrt() + 12.0
}

/// Asserts that all of `observed` may have the same probability.
fn assert_uniform(observed: &[u32], what: &str) {
    let cells = f64::from(u32::try_from(observed.len()).expect("a table is small"));
    let expected = f64::from(observed.iter().sum::<u32>()) / cells;
    let chi_square: f64 =
        observed.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
    let limit = critical(observed.len() - 1);
    assert!(chi_square <= limit, "{what}: chi-square {chi_square:.1} over {limit:.1}, {observed:?}");
}

fn random_moves_are_uniform<G: Named>() {
    const DRAWS_PER_MOVE: usize = 400;

    for game in 0..8 {
        let mut rng = Rng::stream(SEED, game);
        let states = random_game::<G>(&mut rng);
        // The start, then later and later states; the last state has ended.
        let place = usize::try_from(game).expect("there are eight") * (states.len() - 1) / 8;
        let state = states[place];
        let moves = legal_moves(&state);
        let mut observed = vec![0; moves.len()];
        for _ in 0..moves.len() * DRAWS_PER_MOVE {
            let mv = state.random_move(&mut rng);
            let n = moves.iter().position(|&it| it == mv);
            observed[n.unwrap_or_else(|| panic!("{state}: {mv} was drawn and is not legal"))] += 1;
        }
        assert_uniform(&observed, &format!("{state}"));
    }
}

/// The results and lengths of some random games.
#[derive(Default)]
struct Record {
    /// Wins of the first side, draws, wins of the second side.
    results: [u32; 3],
    /// The number of games by their number of plies.
    lengths: BTreeMap<u32, u32>,
}

impl Record {
    fn add(&mut self, outcome: Outcome, plies: u32) {
        let result = match outcome {
            Outcome::Win(Side::First) => 0,
            Outcome::Draw => 1,
            Outcome::Win(Side::Second) => 2,
        };
        self.results[result] += 1;
        *self.lengths.entry(plies).or_default() += 1;
    }

    fn games(&self) -> f64 {
        f64::from(self.results.iter().sum::<u32>())
    }

    /// The mean length and the variance of a single length.
    fn length(&self) -> (f64, f64) {
        let mean_of = |value: &dyn Fn(f64) -> f64| {
            let sum: f64 =
                self.lengths.iter().map(|(&plies, &games)| value(f64::from(plies)) * f64::from(games)).sum();
            sum / self.games()
        };
        let mean = mean_of(&|plies| plies);
        (mean, mean_of(&|plies| (plies - mean).powi(2)))
    }
}

/// Asserts that two records may have the same distribution of results and the same mean length.
fn assert_alike(a: &Record, b: &Record, what: &str) {
    let (games_a, games_b) = (a.games(), b.games());
    let mut chi_square = 0.0;
    for (&in_a, &in_b) in a.results.iter().zip(&b.results) {
        let both = f64::from(in_a) + f64::from(in_b);
        for (count, games) in [(in_a, games_a), (in_b, games_b)] {
            let expected = both * games / (games_a + games_b);
            // Without a minimum, a rare result would inflate the statistic.
            chi_square += (f64::from(count) - expected).powi(2) / expected.max(5.0);
        }
    }
    let limit = critical(2);
    assert!(
        chi_square <= limit,
        "{what}: chi-square {chi_square:.1} over {limit:.1}, results {:?} and {:?}",
        a.results,
        b.results
    );

    let ((mean_a, variance_a), (mean_b, variance_b)) = (a.length(), b.length());
    let error = (variance_a / games_a + variance_b / games_b).sqrt();
    // If all games have the same length the error is 0, and the means must be equal.
    assert!(
        (mean_a - mean_b).abs() <= 5.0 * error,
        "{what}: {mean_a} and {mean_b} plies on average, ± {error}"
    );
}

fn rollouts<G: Notation>(state: &G, games: u64, stream: u64) -> Record {
    let mut record = Record::default();
    let mut rng = Rng::stream(SEED, stream);
    for _ in 0..games {
        let rollout = state.rollout(&mut rng);
        record.add(rollout.outcome, rollout.plies);
    }
    record
}

fn rollouts_go_as_in_the_twin<G: Named>() {
    let games = match G::GAME {
        GameId::Qubic | GameId::Gomoku => 2_000,
        _ => 8_000,
    };
    let mut by_twin = Record::default();
    let mut rng = Rng::stream(SEED, 1);
    for _ in 0..games {
        let Some(mut twin) = twin_of::<G>() else { return };
        let mut plies = 0;
        loop {
            let legal = twin.legal();
            if legal.is_empty() {
                break;
            }
            twin.apply(&legal[rng.below(legal.len())]);
            plies += 1;
        }
        by_twin.add(outcome_in(&*twin), plies);
    }
    assert_alike(&rollouts(&G::initial(), 20_000, 2), &by_twin, "the crate and the twin");
}

fn outcome_in(ended: &dyn Twin) -> Outcome {
    let scores = ended.scores();
    match (scores.first(), scores.last()) {
        (Some(100), Some(0)) => Outcome::Win(Side::First),
        (Some(0), Some(100)) => Outcome::Win(Side::Second),
        (Some(50), Some(50)) => Outcome::Draw,
        other => panic!("no game ends with {other:?}"),
    }
}

/// A game may have its own faster rollout, which must have the distribution of random moves.
fn rollouts_go_as_move_by_move<G: Named>() {
    const GAMES: u64 = 20_000;

    let mut starts = vec![G::initial(), G::benchmark()];
    for game in 0..3 {
        let states = random_game::<G>(&mut Rng::stream(SEED, 100 + game));
        starts.extend([states[states.len() / 2], states[states.len() * 3 / 4], states[states.len() - 2]]);
    }
    for (start, stream) in starts.iter().zip(10..) {
        let mut by_move = Record::default();
        let mut rng = Rng::stream(SEED + 1, stream);
        for _ in 0..GAMES {
            let (mut state, mut plies) = (*start, 0);
            let outcome = loop {
                if let Some(outcome) = state.outcome() {
                    break outcome;
                }
                state.apply(state.nth_move(rng.below(state.move_count())));
                plies += 1;
            };
            by_move.add(outcome, plies);
        }
        assert_alike(&rollouts(start, GAMES, stream), &by_move, &format!("rollouts and moves from {start}"));
    }
}

fn rollouts_are_as_long_as_a_game_can_be<G: Named>() {
    for game in 0..20 {
        let mut rng = Rng::stream(SEED, game);
        let states = random_game::<G>(&mut rng);
        for (played, state) in states.iter().enumerate() {
            let rollout = state.rollout(&mut rng);
            let ended = state.outcome();
            assert_eq!(rollout.plies == 0, ended.is_some(), "{state}");
            assert!(ended.is_none_or(|outcome| outcome == rollout.outcome), "{state}");
            let plies = usize::try_from(rollout.plies).expect("a game is short");
            assert!(played + plies <= G::MAX_PLIES, "{state}: {plies} plies after {played}");
        }
    }
}

in_every_game!(
    random_moves_are_uniform,
    rollouts_go_as_in_the_twin,
    rollouts_go_as_move_by_move,
    rollouts_are_as_long_as_a_game_can_be,
);
