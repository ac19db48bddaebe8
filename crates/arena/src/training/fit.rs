//! Fitting a model to games.
//!
//! The value of a position is fitted to the mean of its search's value and the end of its game, or, if it was
//! searched by itself, to the search's value; the weights of moves to the shares of visits, if there are any.

use std::sync::atomic::{AtomicBool, Ordering};

use quintet_core::game::{IllegalMove, Rng, Side};
use quintet_core::learned::{Model, Network, Sample, SampleMove, Trainer};
use quintet_core::registry::Variant;
use rayon::prelude::*;

use super::self_play::SelfGame;

/// Returns the positions of a game that were searched.
pub(super) fn samples(game: &Variant, played: &SelfGame) -> Result<Vec<Sample>, IllegalMove> {
    let mut session = game.start();
    let mut samples = Vec::new();
    for (ply, token) in played.moves.iter().enumerate() {
        let found = ply.checked_sub(played.random).and_then(|index| played.searches.get(index));
        if let (Some(found), Some(position_features), Some(role)) =
            (found, session.position_features(), session.to_move())
        {
            let is_first = role.side == Side::First;
            let end = |score: u8| f32::from(if is_first { score } else { 100 - score });
            let value = found.value as f32;
            let score = played.score.map_or(value, |score| f32::midpoint(end(score), value)) / 100.0;
            let all: u64 = found.visits.iter().map(|(_, visits)| visits).sum();
            let visited = |token: &str| {
                let visits = found.visits.iter().find(|(tried, _)| tried == token);
                visits.map_or(0.0, |&(_, visits)| visits as f32 / all as f32)
            };
            let narrow = |features: Vec<usize>| features.into_iter().map(|it| it as u32).collect();
            let of_move = |(token, weight, features): (String, f32, Vec<usize>)| SampleMove {
                weight,
                share: visited(&token),
                features: narrow(features),
            };
            // Without visits nothing is known of the moves.
            let tried = if all > 0 { position_features.moves } else { Vec::new() };
            let moves = tried.into_iter().map(of_move).collect();
            let [in_game, single] = position_features.shares_in_fit;
            let share = if played.score.is_some() { in_game } else { single };
            let features = narrow(position_features.position);
            samples.push(Sample { features, score, share, moves });
        }
        session.play(token)?;
    }
    Ok(samples)
}

/// How well a model fits games that it was not fitted to.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Fit {
    /// The mean square of the error of a position's score, from 0 to 1.
    pub error: f64,
    /// The share of positions with visits whose heaviest move is the most visited one.
    pub agreement: f64,
}

impl Fit {
    fn of([error, agreement]: [f64; 2]) -> Self {
        Self { error, agreement }
    }
}

/// Weights that were fitted.
#[derive(Debug)]
pub struct Fitted {
    /// The weights of the features of positions.
    pub positions: Network,
    /// The weights of the features of moves.
    pub moves: Vec<i16>,
    /// How well the model before and these weights fit.
    pub fits: [Fit; 2],
}

/// The passes over the games.
const PASSES: u64 = 5;
/// The games of a block, whose samples are made at once.
const BLOCK: usize = 64;
/// One game in this many tests the fit.
const TESTED: usize = 20;

/// Fits the weights of `model` to `games`; the games of the last generation, `newest` of them, test it
/// in part. Returns `None` if it was stopped.
///
/// # Errors
/// [`IllegalMove`] if one of the games has one.
pub fn fit(
    game: &Variant,
    model: &Model,
    games: &[&SelfGame],
    newest: usize,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Option<Fitted>, IllegalMove> {
    let first_new = games.len() - newest;
    let is_test = |index: usize| index >= first_new && (index - first_new).is_multiple_of(TESTED);
    let (tests, mut rest): (Vec<usize>, Vec<usize>) = (0..games.len()).partition(|&index| is_test(index));
    let of = |indices: &[usize]| -> Result<Vec<Vec<Sample>>, IllegalMove> {
        indices.par_iter().map(|&index| samples(game, games[index])).collect()
    };
    let tests: Vec<Sample> = of(&tests)?.into_iter().flatten().collect();
    // Without features of moves a sample takes a kilobyte, and is kept from one pass to the next; with them
    // it may take a hundred.
    let are_kept = model.of_moves().is_empty();
    let mut made: Vec<Vec<Sample>> = games.iter().map(|_| Vec::new()).collect();
    let mut trainer = Trainer::new(model);
    let before = Fit::of(trainer.test(&tests));
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
            if pass == 0 || !are_kept {
                for (&index, mut samples) in block.iter().zip(of(block)?) {
                    if are_kept {
                        for sample in &mut samples {
                            sample.moves = Vec::new();
                        }
                    }
                    made[index] = samples;
                }
            }
            let mut samples: Vec<&Sample> = block.iter().flat_map(|&index| &made[index]).collect();
            for at in (1..samples.len()).rev() {
                samples.swap(at, rng.below(at + 1));
            }
            for sample in samples {
                trainer.learn(sample, progress);
            }
            if !are_kept {
                for &index in block {
                    made[index] = Vec::new();
                }
            }
        }
    }
    let after = Fit::of(trainer.test(&tests));
    let (positions, moves) = trainer.weights();
    Ok(Some(Fitted { positions, moves, fits: [before, after] }))
}
