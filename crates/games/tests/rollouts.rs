//! Fast rollouts have the same distribution of outcomes and lengths as games played move by move.

mod catalog;

use std::collections::BTreeMap;

use quintet_core::game::{Notation, Outcome, Rng, Rollout, Side, rollout_move_by_move};
use quintet_games::HasKnowledge;

use crate::catalog::{GameId, Rules, Visitor};

/// The number of rollouts by outcome and length.
type Counts = BTreeMap<(u8, u32), u64>;

fn count(rollouts: u64, mut rollout: impl FnMut() -> Rollout) -> Counts {
    let mut counts = Counts::new();
    for _ in 0..rollouts {
        let Rollout { outcome, plies } = rollout();
        let outcome = match outcome {
            Outcome::Win(Side::First) => 0,
            Outcome::Win(Side::Second) => 1,
            Outcome::Draw => 2,
        };
        *counts.entry((outcome, plies)).or_default() += 1;
    }
    counts
}

/// The chi-square statistic of two samples of the same size, and its degrees of freedom.
/// Neighboring lengths are merged until a cell has at least 40 games.
fn chi_square(ours: &Counts, theirs: &Counts) -> (f64, f64) {
    let keys: std::collections::BTreeSet<_> = ours.keys().chain(theirs.keys()).collect();
    let (mut statistic, mut cells) = (0.0, 0.0);
    let (mut x, mut y) = (0, 0);
    let mut add = |x: u64, y: u64| {
        if x + y > 0 {
            statistic += (x as f64 - y as f64).powi(2) / (x + y) as f64;
            cells += 1.0;
        }
    };
    for key in keys {
        x += ours.get(key).copied().unwrap_or(0);
        y += theirs.get(key).copied().unwrap_or(0);
        if x + y >= 40 {
            add(x, y);
            (x, y) = (0, 0);
        }
    }
    add(x, y);
    (statistic, cells - 1.0)
}

const POSITIONS: u64 = 24;
const ROLLOUTS: u64 = 42_000;

/// Position number `index`: the start for 0, then later and later positions of random games.
fn position<G: Notation>(index: u64) -> G {
    let mut position = G::initial();
    let length = rollout_move_by_move(&position, &mut Rng::stream(12, index)).plies as usize;
    let mut replay = Rng::stream(12, index);
    for _ in 0..length * index as usize / (POSITIONS as usize + 1) {
        let mv = position.random_move(&mut replay);
        position.apply(mv);
    }
    assert!(position.outcome().is_none(), "the game goes on before its last ply");
    position
}

struct Compare;

impl Visitor for Compare {
    /// The number of standard deviations by which the sum of the statistics exceeds its
    /// expectation.
    type Output = f64;

    fn visit<G: HasKnowledge>(self) -> f64 {
        let (mut statistic, mut freedom) = (0.0, 0.0);
        for index in 0..=POSITIONS {
            let mut rng = Rng::stream(11, index);
            let position: G = position(index);
            let fast = count(ROLLOUTS, || position.rollout(&mut rng));
            let slow = count(ROLLOUTS, || rollout_move_by_move(&position, &mut rng));
            let (its_statistic, its_freedom) = chi_square(&fast, &slow);
            statistic += its_statistic;
            freedom += its_freedom;
        }
        (statistic - freedom) / (2.0 * freedom).sqrt()
    }
}

#[test]
fn outcomes_and_lengths_agree_from_the_start_and_from_the_middle_of_games() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            let deviation = game.visit(rules, Compare);
            assert!(deviation.abs() < 4.0, "{game} {rules}: {deviation} standard deviations off");
        }
    }
}

struct Ended;

impl Visitor for Ended {
    type Output = ();

    fn visit<G: HasKnowledge>(self) {
        let mut rng = Rng::stream(13, 0);
        let mut position = G::initial();
        while position.outcome().is_none() {
            position.apply(position.random_move(&mut rng));
        }
        let outcome = position.outcome().expect("the game has ended");
        assert_eq!(position.rollout(&mut rng), Rollout { outcome, plies: 0 });
    }
}

#[test]
fn a_rollout_of_a_finished_game_is_its_outcome() {
    for &game in GameId::ALL {
        for rules in Rules::ALL {
            game.visit(rules, Ended);
        }
    }
}
