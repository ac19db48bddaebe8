//! A hash of an engine's behaviour.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

use quintet_core::game::{Rng, Side};
use quintet_core::hash::Fnv1a;
use quintet_core::registry::Variant;
use quintet_core::search::Report;
use quintet_core::session::Session;

use crate::engine::{EngineSetUpError, EngineSpec, Settings};

/// The number of random games that positions are taken from.
const GAMES: u64 = 3;
/// The number of positions per game, evenly spaced over its length, including the start.
const PHASES: usize = 6;
/// The number of plies of self-play from the middle of each game, with a tree that is kept.
const PLIES: usize = 6;
/// Iterations per move and tree.
const ITERATIONS: u64 = 2_500;

/// Returns a hash of what `engine` reports: moves, visits, values, proofs and principal variations.
///
/// It searches positions from every phase of three random games, each with a new search, and plays
/// six plies against itself from the middle of each game with a single search. The hash changes
/// when, and only when, the engine behaves differently, and is the same on x86-64 and ARM64.
///
/// Returns `None` if `stop` became true before the end.
///
/// # Errors
/// [`EngineSetUpError`] if the engine is external, or the memory can't be allocated.
///
/// # Panics
/// If the game does not accept its own tokens and positions, which is a fault of its `Notation`.
pub fn signature(
    variant: &Variant,
    engine: &EngineSpec,
    trees: NonZeroUsize,
    stop: &AtomicBool,
) -> Result<Option<u64>, EngineSetUpError> {
    let settings = Settings {
        iterations: Some(ITERATIONS * trees.get() as u64),
        trees: Some(trees),
        ..Settings::default()
    };
    let (config, budget) = engine.config(&settings)?;
    let mut hash = Fnv1a::default();
    for game in 0..GAMES {
        let mut rng = Rng::stream(game, 0);
        let mut session = variant.start();
        while let Some(token) = session.random_move(&mut rng) {
            session.play(&token).expect("the move is legal");
        }
        let moves = session.moves();
        let go_to = |session: &mut dyn Session, ply: usize| {
            session.reset(None).expect("the start position is valid");
            moves[..ply].iter().for_each(|token| session.play(token).expect("the move is legal"));
        };
        for phase in 0..PHASES {
            go_to(&mut *session, phase * moves.len() / PHASES);
            session.remove_engines();
            let number = session.add_engine(&config)?;
            if session.to_move().is_some_and(|role| role.side == Side::Chance) {
                let token = session.random_move(&mut Rng::stream(game, session.moves().len() as u64));
                session.play(&token.unwrap_or_default()).expect("the move is legal");
                continue;
            }
            let report = session.think(number, budget, game, stop)?;
            describe(&*session, &report, &mut hash);
        }
        go_to(&mut *session, moves.len() / 2);
        session.remove_engines();
        let number = session.add_engine(&config)?;
        for _ in 0..PLIES {
            if session.outcome().is_some() || stop.load(Ordering::Relaxed) {
                break;
            }
            if session.to_move().is_some_and(|role| role.side == Side::Chance) {
                let token = session.random_move(&mut Rng::stream(game, session.moves().len() as u64));
                session.play(&token.unwrap_or_default()).expect("the move is legal");
                continue;
            }
            let report = session.think(number, budget, game, stop)?;
            describe(&*session, &report, &mut hash);
            session.play(&report.best().mv).expect("the move is legal");
        }
    }
    Ok((!stop.load(Ordering::Relaxed)).then(|| hash.hash()))
}

fn describe(session: &dyn Session, report: &Report<String>, hash: &mut Fnv1a) {
    hash.text(&session.position());
    for it in &report.candidates {
        let value = it.value.map(f64::to_bits);
        let proven = it.proven.map(|outcome| outcome.score(Side::First) / 50);
        hash.text(&format!("{} {} {value:?} {proven:?} {:?}", it.mv, it.visits, it.plies));
    }
    for mv in &report.principal_variation {
        hash.text(mv);
    }
    hash.text(&format!("{} {}", report.iterations, report.nodes));
}
