//! What an engine does, as a number.

use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use quintet_core::game::{Rng, Side};
use quintet_core::hash::Fnv1a;
use quintet_core::registry::Variant;
use quintet_core::search::Report;
use quintet_core::session::Session;

use crate::engine::{EngineSetUpError, EngineSpec, Settings};

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
/// [`EngineSetUpError`] if the engine is an external one, or has no memory.
pub fn signature(
    variant: Variant,
    engine: &EngineSpec,
    trees: NonZeroUsize,
) -> Result<u64, EngineSetUpError> {
    let settings = Settings {
        iterations: Some(ITERATIONS * trees.get() as u64),
        threads: Some(trees),
        ..Settings::default()
    };
    let (config, budget) = engine.config(&settings)?;
    let stop = AtomicBool::new(false);
    let mut hash = Fnv1a::default();
    for game in 0..GAMES {
        let mut rng = Rng::stream(game, 0);
        let mut session = variant.start();
        while let Some(token) = session.random_move(&mut rng) {
            session.play(&token).expect("it is legal");
        }
        let moves = session.moves();
        let go_to = |session: &mut dyn Session, ply: usize| {
            session.reset(None).expect("there is a start");
            moves[..ply].iter().for_each(|token| session.play(token).expect("it was legal"));
        };
        for phase in 0..PHASES {
            go_to(&mut *session, phase * moves.len() / PHASES);
            session.remove_engines();
            let number = session.add_engine(&config)?;
            let report = session.think(number, budget, game, &stop)?;
            describe(&*session, &report, &mut hash);
        }
        go_to(&mut *session, moves.len() / 2);
        session.remove_engines();
        let number = session.add_engine(&config)?;
        for _ in 0..PLIES {
            if session.outcome().is_some() {
                break;
            }
            let report = session.think(number, budget, game, &stop)?;
            describe(&*session, &report, &mut hash);
            session.play(&report.best().mv).expect("it is legal");
        }
    }
    Ok(hash.hash())
}

fn describe(session: &dyn Session, report: &Report<String>, hash: &mut Fnv1a) {
    hash.text(&session.position());
    for it in &report.candidates {
        let value = it.value.map(f64::to_bits);
        let proven = it.proven.map(|outcome| outcome.half_points(Side::First));
        hash.text(&format!("{} {} {value:?} {proven:?} {:?}", it.mv, it.visits, it.plies));
    }
    for mv in &report.principal_variation {
        hash.text(mv);
    }
    hash.text(&format!("{} {}", report.iterations, report.nodes));
}
