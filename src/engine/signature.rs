//! What an engine does, as a number.

use std::num::NonZeroUsize;

use super::{Engine, EngineSetUpError, EngineSpec, Settings};
use crate::game::{Rng, Side};
use crate::knowledge::Known;
use crate::search::Report;

/// Random games that positions are taken from.
const GAMES: u64 = 3;
/// Positions of each game, evenly spaced over its length, the start included.
const PHASES: usize = 6;
/// Plies that an engine plays against itself from the middle of a game, with the tree that it keeps.
const PLIES: usize = 6;
/// Iterations a move and tree.
const ITERATIONS: u64 = 2_500;

/// A hash of what `engine` reports on positions from every phase of three random games, each with a new search, and on
/// six plies against itself with one: moves, visits, values, proofs and lines of play. It changes when, and only
/// when, the engine behaves differently, and is the same on every 64-bit machine.
///
/// # Errors
/// [`EngineSetUpError`] if the engine is an outside one, or has no memory.
pub fn signature<G: Known>(engine: &EngineSpec, trees: NonZeroUsize) -> Result<u64, EngineSetUpError> {
    let settings = Settings {
        iterations: Some(ITERATIONS * trees.get() as u64),
        threads: Some(trees),
        ..Settings::default()
    };
    let mut hash = Fnv1a::default();
    for game in 0..GAMES {
        let mut rng = Rng::stream(game, 0);
        let mut positions = vec![G::initial()];
        while let Some(last) = positions.last().filter(|it| it.outcome().is_none()) {
            let mut next = *last;
            next.apply(last.random_move(&mut rng));
            positions.push(next);
        }
        // The last one has no moves.
        positions.pop();
        for phase in 0..PHASES {
            let position = &positions[phase * positions.len() / PHASES];
            let report = Engine::<G>::new(engine, &settings)?.think(position, game)?;
            describe(position, &report, &mut hash);
        }
        let mut engine = Engine::<G>::new(engine, &settings)?;
        let mut position = positions[positions.len() / 2];
        for _ in 0..PLIES {
            if position.outcome().is_some() {
                break;
            }
            let report = engine.think(&position, game)?;
            describe(&position, &report, &mut hash);
            position.apply(report.best().mv);
        }
    }
    Ok(hash.0)
}

fn describe<G: Known>(position: &G, report: &Report<G::Move>, hash: &mut Fnv1a) {
    hash.add(&position.to_string());
    for it in &report.candidates {
        let value = it.value.map(f64::to_bits);
        let proven = it.proven.map(|outcome| outcome.half_points(Side::First));
        hash.add(&format!("{} {} {value:?} {proven:?} {:?}", it.mv, it.visits, it.plies));
    }
    for mv in &report.principal_variation {
        hash.add(&mv.to_string());
    }
    hash.add(&format!("{} {}", report.iterations, report.nodes));
}

/// FNV-1a, 64 bits (Fowler, Noll and Vo).
struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv1a {
    /// Adds a text and its end.
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0xFF]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}
