//! How long a match has to be: the tables of `docs/fair-tests.md`.
//!
//! `cargo run --release --example match_length` simulates matches for a minute or two. A game is
//! drawn with a fixed probability, and otherwise won with the probability that the Elo difference
//! implies. The numbers are the same on every machine.

use quintet_arena::stats::{EloModel, Hypothesis, MatchScore, Sprt, pairs_to_resolve};
use quintet_core::game::Rng;
use rayon::prelude::*;

/// Simulated matches for each number of the table.
const MATCHES: u64 = 400;

#[expect(clippy::print_stdout, reason = "that is what an example is for")]
fn main() {
    println!("pairs after which half of all matches show a difference");
    println!("  Elo  no draws  half drawn");
    for elo in [5.0, 10.0, 20.0, 50.0, 100.0, 200.0] {
        let pairs =
            [0.0, 0.5].map(|draws| pairs_to_resolve(elo, deviation(draws)).expect("a difference above 0"));
        println!("{elo:5}  {:8}  {:10}", pairs[0], pairs[1]);
    }

    println!("\nmean pairs of a test with elo0=0 (and how often it accepts H1)");
    println!("elo1  model       draws      true Elo 0    true Elo half   true Elo elo1");
    for elo1 in [10.0, 20.0, 50.0, 100.0] {
        for (model, draws) in
            [(EloModel::Normalized, 0.0), (EloModel::Normalized, 0.5), (EloModel::Logistic, 0.5)]
        {
            let test = Sprt::new(0.0, elo1, Sprt::DEFAULT_RISK, Sprt::DEFAULT_RISK, model);
            let test = test.expect("the test is valid");
            let cells = [0.0, elo1 / 2.0, elo1].map(|elo| {
                let score = score(elo, model, draws);
                let ends: Vec<(u64, Hypothesis)> =
                    (0..MATCHES).into_par_iter().map(|seed| play(&test, score, draws, seed)).collect();
                let mean = ends.iter().map(|(pairs, _)| pairs).sum::<u64>() as f64 / MATCHES as f64;
                let accepted = ends.iter().filter(|(_, verdict)| *verdict == Hypothesis::H1).count();
                format!("{mean:7.0} ({:3.0} %)", 100.0 * accepted as f64 / MATCHES as f64)
            });
            println!("{elo1:4}  {:10}  {draws:5}  {}", model.name(), cells.join("  "));
        }
    }
}

/// Returns the standard deviation of a pair's score, 0 to 1, between engines of about the same
/// strength.
fn deviation(draws: f64) -> f64 {
    ((1.0 - draws) / 8.0).sqrt()
}

/// Returns the expected score per game of an engine that is stronger by `elo`.
fn score(elo: f64, model: EloModel, draws: f64) -> f64 {
    match model {
        EloModel::Logistic => 1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0)),
        // The score is t deviations above ½, and the mean square distance of a game's result from ½
        // is (1 − draws)/4.
        EloModel::Normalized => {
            let t = elo * std::f64::consts::LN_10 / 800.0;
            0.5 + t * ((1.0 - draws) / (4.0 * (1.0 + t * t))).sqrt()
        }
    }
}

/// Plays pairs until the test accepts a hypothesis, and returns the number of pairs and the
/// hypothesis.
fn play(test: &Sprt, score: f64, draws: f64, seed: u64) -> (u64, Hypothesis) {
    let mut rng = Rng::stream(seed, 0);
    let mut so_far = MatchScore::default();
    for pairs in 1.. {
        let half_points = game(&mut rng, score, draws) + game(&mut rng, score, draws);
        so_far.groups.add(half_points.into());
        if let Some(verdict) = test.verdict(&so_far) {
            return (pairs, verdict);
        }
    }
    unreachable!("every test ends")
}

/// Plays a game and returns its half points.
fn game(rng: &mut Rng, score: f64, draws: f64) -> u8 {
    let uniform = (rng.bits() >> 11) as f64 / (1_u64 << 53) as f64;
    if uniform < draws {
        1
    } else if uniform < draws + score - draws / 2.0 {
        2
    } else {
        0
    }
}
