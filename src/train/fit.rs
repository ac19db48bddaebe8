//! Fitting a model to games.
//!
//! The value of a position is fitted to the mean of its search's value and the end of its game, or, if it was
//! searched by itself, to the search's value ([`values`](super::values)); the weights of moves to the
//! shares of visits, by cross entropy. The weights of moves go down the gradient after each position, at a
//! rate of their own that falls with the gradients so far (Duchi, Hazan and Singer, "Adaptive subgradient
//! methods for online learning and stochastic optimization", 2011). All operations are ones that every
//! machine rounds alike, and their order is fixed.

use std::sync::atomic::{AtomicBool, Ordering};

use quintet_core::game::{IllegalMove, Rng, Side};
use quintet_core::learned::{Model, Network, UNIT, power_and_part};
use quintet_core::registry::Variant;
use rayon::prelude::*;

use super::self_play::SelfGame;
use super::values::Values;

/// A position of a game, and what a model should say about it.
#[derive(Debug)]
struct Sample {
    features: Vec<u32>,
    /// The expected score of the side to move, 0 to 1.
    score: f32,
    /// The candidates: the weight without a model, the share of visits, and the features.
    moves: Vec<(f32, f32, Vec<u32>)>,
}

/// Returns the positions of a game that were searched.
fn samples(game: Variant, played: &SelfGame) -> Result<Vec<Sample>, IllegalMove> {
    let mut session = game.start();
    let mut samples = Vec::new();
    for (ply, token) in played.moves.iter().enumerate() {
        let found = ply.checked_sub(played.random).and_then(|index| played.searches.get(index));
        if let (Some(found), Some(sight), Some(role)) = (found, session.sight(), session.to_move()) {
            let is_first = role.side == Side::First;
            let end = |score: u8| f32::from(if is_first { score } else { 100 - score });
            let value = found.value as f32;
            let score = played.score.map_or(value, |score| f32::midpoint(end(score), value)) / 100.0;
            let all = found.visits.iter().map(|(_, visits)| visits).sum::<u64>().max(1) as f32;
            let share = |token: &str| {
                let visits = found.visits.iter().find(|(tried, _)| tried == token);
                visits.map_or(0.0, |&(_, visits)| visits as f32 / all)
            };
            let narrow = |features: Vec<usize>| features.into_iter().map(|it| it as u32).collect();
            let of_move = |(token, weight, features): (String, f32, Vec<usize>)| {
                (weight, share(&token), narrow(features))
            };
            let moves = sight.moves.into_iter().map(of_move).collect();
            samples.push(Sample { features: narrow(sight.position), score, moves });
        }
        session.play(token)?;
    }
    Ok(samples)
}

/// How well a model fits games that it was not fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Fit {
    /// The mean square of the error of a position's score, from 0 to 1.
    pub(super) error: f64,
    /// The share of positions whose heaviest move is the most visited one.
    pub(super) agreement: f64,
}

/// A table of weights that are being fitted, in [units](UNIT).
#[derive(Debug)]
struct Table {
    weights: Vec<f32>,
    /// The sum of the squares of all gradients so far.
    squares: Vec<f32>,
}

/// The step of a sum of weights after the first gradient, in parts of the gradient. The features share
/// it, whatever their number.
const RATE: f32 = 0.5;
/// The squares before the first gradient.
const FIRST_SQUARES: f32 = 1.0;

impl Table {
    fn new(weights: &[i16]) -> Self {
        let weights: Vec<f32> = weights.iter().map(|&it| f32::from(it) / UNIT as f32).collect();
        Self { squares: vec![FIRST_SQUARES; weights.len()], weights }
    }

    fn sum(&self, features: &[u32]) -> f32 {
        features.iter().map(|&it| self.weights[it as usize]).sum()
    }

    fn step(&mut self, features: &[u32], gradient: f32) {
        let rate = RATE / features.len() as f32;
        for &feature in features {
            let squares = &mut self.squares[feature as usize];
            *squares += gradient * gradient;
            self.weights[feature as usize] -= rate * gradient / squares.sqrt();
        }
    }

    fn whole(&self) -> Vec<i16> {
        // The conversion saturates.
        self.weights.iter().map(|it| (it * UNIT as f32).round() as i16).collect()
    }
}

/// The tables of a model that is being fitted.
#[derive(Debug)]
struct Tables {
    positions: Values,
    moves: Table,
}

impl Tables {
    fn new(model: &Model) -> Self {
        Self { positions: Values::new(model.of_positions()), moves: Table::new(model.of_moves()) }
    }

    /// The weight of each move, with the derivative of its logarithm, and the sum of the weights.
    fn weights(&self, sample: &Sample) -> (Vec<(f32, f32)>, f32) {
        let weigh = |(known, _, features): &(f32, f32, Vec<u32>)| {
            let (power, part) = power_and_part(self.moves.sum(features));
            (known * power * part, 1.0 / part)
        };
        let weights: Vec<(f32, f32)> = sample.moves.iter().map(weigh).collect();
        let sum = weights.iter().map(|(weight, _)| weight).sum();
        (weights, sum)
    }

    /// Learns from a sample, `progress` of the fit done, from 0 to 1.
    fn learn(&mut self, sample: &Sample, progress: f32) {
        self.positions.learn(&sample.features, sample.score, progress);
        let (weights, sum) = self.weights(sample);
        for ((weight, slope), (_, share, features)) in weights.into_iter().zip(&sample.moves) {
            self.moves.step(features, slope * (weight / sum - share));
        }
    }

    fn test<'a>(&self, samples: impl Iterator<Item = &'a Sample>) -> Fit {
        let (mut squares, mut agreed, mut count) = (0.0, 0_u32, 0_u32);
        for sample in samples {
            squares += f64::from(self.positions.score(&sample.features) - sample.score).powi(2);
            let (weights, _) = self.weights(sample);
            // Of several that are heaviest, the first.
            let heavier =
                |best: usize, index: usize| if weights[index].0 > weights[best].0 { index } else { best };
            let heaviest = (0..weights.len()).fold(0, heavier);
            let most = sample.moves.iter().map(|(_, share, _)| *share).fold(0.0, f32::max);
            agreed += u32::from(sample.moves.get(heaviest).is_some_and(|(_, share, _)| *share >= most));
            count += 1;
        }
        let count = f64::from(count.max(1));
        Fit { error: squares / count, agreement: f64::from(agreed) / count }
    }
}

/// Weights that were fitted.
#[derive(Debug)]
pub(super) struct Fitted {
    /// The weights of the features of positions.
    pub(super) positions: Network,
    /// The weights of the features of moves.
    pub(super) moves: Vec<i16>,
    /// How well the model before and these weights fit.
    pub(super) fits: [Fit; 2],
}

/// The passes over the games.
const PASSES: u64 = 5;
/// The games of a block, whose samples are made at once.
const BLOCK: usize = 64;
/// One game in this many tests the fit.
const TESTED: usize = 20;

/// Fits the weights of `model` to `games`; the games of the last generation, `newest` of them, test it
/// in part. Returns `None` if it was stopped.
pub(super) fn fit(
    game: Variant,
    model: &Model,
    games: &[&SelfGame],
    newest: usize,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Option<Fitted>, IllegalMove> {
    let first_new = games.len() - newest;
    let is_test = |index: usize| index >= first_new && (index - first_new).is_multiple_of(TESTED);
    let (tests, mut rest): (Vec<usize>, Vec<usize>) = (0..games.len()).partition(|&index| is_test(index));
    let of = |indices: &[usize]| -> Result<Vec<Sample>, IllegalMove> {
        let each: Result<Vec<Vec<Sample>>, IllegalMove> =
            indices.par_iter().map(|&index| samples(game, games[index])).collect();
        Ok(each?.into_iter().flatten().collect())
    };
    let tests = of(&tests)?;
    let mut tables = Tables::new(model);
    let before = tables.test(tests.iter());
    for pass in 0..PASSES {
        let mut rng = Rng::stream(seed, pass);
        for at in (1..rest.len()).rev() {
            rest.swap(at, rng.below(at + 1));
        }
        for (index, block) in rest.chunks(BLOCK).enumerate() {
            let progress = (pass as f32 + (index * BLOCK) as f32 / rest.len() as f32) / PASSES as f32;
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let mut samples = of(block)?;
            for at in (1..samples.len()).rev() {
                samples.swap(at, rng.below(at + 1));
            }
            for sample in &samples {
                tables.learn(sample, progress);
            }
        }
    }
    let after = tables.test(tests.iter());
    Ok(Some(Fitted {
        positions: tables.positions.whole(),
        moves: tables.moves.whole(),
        fits: [before, after],
    }))
}
