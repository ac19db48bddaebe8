//! Rollouts have the right distribution.
//!
//! Every seed is fixed, so a test always passes or always fails. The critical values are extreme
//! even so: a move that is left out or drawn twice as often exceeds them by far.

use std::collections::{BTreeMap, BTreeSet};

use quintet_core::game::{Outcome, Rng, Rollout, Side, rollout_move_by_move};

use crate::catalog::GameId;
use crate::harness::{in_every_game, random_game, twin_of};
use crate::named::Named;
use crate::twins::Twin;

const SEED: u64 = 0x5eed_d1ce;

/// A value that chi-square with `degrees` degrees of freedom exceeds less than once in 100,000
/// times.
fn critical(degrees: usize) -> f64 {
    let degrees = f64::from(u32::try_from(degrees).expect("a table is small"));
    degrees + 6.0 * (2.0 * degrees).sqrt() + 12.0
}

/// The number of games by the score of the second side and the length.
type Counts = BTreeMap<(u8, u32), u64>;

fn count(games: u64, mut play: impl FnMut() -> Rollout) -> Counts {
    let mut counts = Counts::new();
    for _ in 0..games {
        let Rollout { outcome, plies } = play();
        *counts.entry((outcome.score(Side::Second), plies)).or_default() += 1;
    }
    counts
}

/// The chi-square statistic of two samples and its degrees of freedom. Neighboring lengths are merged until a
/// cell has at least 40 games.
fn chi_square(a: &Counts, b: &Counts) -> (f64, usize) {
    let games = |counts: &Counts| counts.values().sum::<u64>() as f64;
    let scale = (games(b) / games(a)).sqrt();
    let (mut statistic, mut cells) = (0.0, 0);
    let mut add = |in_a: u64, in_b: u64| {
        if in_a + in_b > 0 {
            let difference = in_a as f64 * scale - in_b as f64 / scale;
            statistic += difference.powi(2) / (in_a + in_b) as f64;
            cells += 1;
        }
    };
    let (mut in_a, mut in_b) = (0, 0);
    for key in a.keys().chain(b.keys()).collect::<BTreeSet<_>>() {
        in_a += a.get(key).copied().unwrap_or(0);
        in_b += b.get(key).copied().unwrap_or(0);
        if in_a + in_b >= 40 {
            add(in_a, in_b);
            (in_a, in_b) = (0, 0);
        }
    }
    add(in_a, in_b);
    (statistic, cells - 1)
}

fn rollouts_go_as_in_the_twin<G: Named>() {
    let games = match G::GAME {
        GameId::Qubic | GameId::Gomoku => 2_000,
        _ => 8_000,
    };
    let Some(start) = twin_of::<G>() else { return };
    let mut rng = Rng::stream(SEED, 1);
    let by_twin = count(games, || {
        let mut twin = start.boxed();
        let mut plies = 0;
        loop {
            let legal = twin.legal();
            if legal.is_empty() {
                return Rollout { outcome: outcome_in(&*twin), plies };
            }
            twin.apply(&legal[rng.below(legal.len())]);
            plies += 1;
        }
    });
    let mut rng = Rng::stream(SEED, 2);
    let ours = count(20_000, || G::initial().rollout(&mut rng));
    let (statistic, freedom) = chi_square(&ours, &by_twin);
    let limit = critical(freedom);
    assert!(statistic <= limit, "chi-square {statistic:.1} over {limit:.1}: {ours:?} and {by_twin:?}");
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
    const ROLLOUTS: u64 = 20_000;
    const GAMES: u64 = 24;

    // The start, then later and later states of random games.
    let later = (0..GAMES).map(|game| {
        let states = random_game::<G>(&mut Rng::stream(SEED, 100 + game));
        states[(states.len() - 1) * game as usize / GAMES as usize]
    });
    let (mut statistic, mut freedom) = (0.0, 0);
    for (start, stream) in later.chain([G::benchmark()]).zip(10..) {
        let mut rng = Rng::stream(SEED, stream);
        let fast = count(ROLLOUTS, || start.rollout(&mut rng));
        let slow = count(ROLLOUTS, || rollout_move_by_move(&start, &mut rng));
        let (its_statistic, its_freedom) = chi_square(&fast, &slow);
        statistic += its_statistic;
        freedom += its_freedom;
    }
    let freedom = freedom as f64;
    let deviation = (statistic - freedom) / (2.0 * freedom).sqrt();
    assert!(deviation.abs() < 4.0, "{deviation} standard deviations off");
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
    rollouts_go_as_in_the_twin,
    rollouts_go_as_move_by_move,
    rollouts_are_as_long_as_a_game_can_be,
);
