//! One game between two engines.

use indexmap::IndexMap;

use super::opening::Opening;
use super::outside::{Fault, Players, Setback, Turn};
use super::{ArenaError, Assignment, End, GameRecord, Tournament};
use crate::catalog::Visitor;
use crate::engine::Engine;
use crate::game::{Side, derive_seed};
use crate::knowledge::Known;

/// Plays one game; `None` if it was stopped.
pub(super) struct Play<'a, 'b, S> {
    pub(super) tournament: &'a Tournament,
    pub(super) assignment: &'a Assignment,
    /// The worker's outside engines.
    pub(super) players: &'b mut Players<'a>,
    pub(super) stopped: &'a S,
}

/// Why a game did not come to its end.
enum Halt {
    Stopped,
    Arena(ArenaError),
    /// This side did something wrong.
    Fault(Side, Fault),
}

impl Halt {
    fn of(side: Side) -> impl Fn(Setback) -> Self {
        move |setback| match setback {
            Setback::Stopped => Self::Stopped,
            Setback::Arena(error) => Self::Arena(error),
            Setback::Fault(fault) => Self::Fault(side, fault),
        }
    }
}

impl<S: Fn() -> bool + Sync> Visitor for Play<'_, '_, S> {
    type Output = Result<Option<GameRecord>, ArenaError>;

    fn visit<G: Known>(mut self) -> Self::Output {
        let Self { tournament, assignment, .. } = self;
        let (game, rules) = assignment.game;
        let opening: Opening<G> = tournament
            .openings
            .draw(assignment.game, assignment.pair, assignment.opening_seed, tournament.undecided)
            .map_err(|error| ArenaError::Opening { game, rules, error })?;
        let mut position = opening.start;
        let mut moves = Vec::new();
        for &mv in &opening.moves {
            position.apply(mv);
            moves.push(mv.to_string());
        }

        let fault = match self.play(opening.position.as_deref(), &mut position, &mut moves) {
            Ok(()) => None,
            Err(Halt::Stopped) => return Ok(None),
            Err(Halt::Arena(error)) => return Err(error),
            Err(Halt::Fault(side, fault)) => Some((side, fault)),
        };
        let specs = assignment.seats().map(|engine| &tournament.engines[engine]);
        let score = |side| match &fault {
            None => position.score(side),
            Some((loser, _)) if *loser == side => 0,
            Some(_) => 100,
        };
        Ok(Some(GameRecord {
            game,
            rules,
            pair: assignment.pair,
            position: opening.position,
            opening: opening.moves.iter().map(ToString::to_string).collect(),
            moves,
            seats: by_role::<G, _>(|side| specs[side as usize].name.clone()),
            scores: by_role::<G, _>(score),
            seed: assignment.seed,
            end: fault.as_ref().map_or(End::Rules, |(_, fault)| fault.end),
            fault: fault.map(|(_, fault)| fault.what),
            arena: tournament.conditions(assignment.engines),
        }))
    }
}

impl<S: Fn() -> bool + Sync> Play<'_, '_, S> {
    /// Plays on from `position`, which `moves` have led to from `start` or the start position, to the end.
    fn play<G: Known>(
        &mut self,
        start: Option<&str>,
        position: &mut G,
        moves: &mut Vec<String>,
    ) -> Result<(), Halt> {
        let Self { tournament, assignment, players, stopped } = self;
        let seats = assignment.seats();
        let failed = |side: Side| {
            let name = tournament.engines[seats[side as usize]].name.clone();
            |error| Halt::Arena(ArenaError::Engine { name, error })
        };
        let mut own: [Option<Engine<G>>; 2] = [None, None];
        for side in [Side::First, Side::Second] {
            let engine = seats[side as usize];
            if players.is_outside(engine) {
                players.new_game(engine, assignment.game, *stopped).map_err(Halt::of(side))?;
            } else {
                let spec = &tournament.engines[engine];
                own[side as usize] = Some(Engine::new(spec, &tournament.defaults).map_err(failed(side))?);
            }
        }
        while position.outcome().is_none() {
            if stopped() {
                return Err(Halt::Stopped);
            }
            let side = position.side_to_move();
            let seed = derive_seed(assignment.seed, moves.len() as u64);
            let mv = if let Some(engine) = &mut own[side as usize] {
                let report = engine.think(position, seed).map_err(|error| failed(side)(error.into()))?;
                report.best().mv
            } else {
                let turn = Turn { game: assignment.game, start, moves, seed };
                let engine = seats[side as usize];
                players.choose(engine, position, &turn, *stopped).map_err(Halt::of(side))?
            };
            position.apply(mv);
            moves.push(mv.to_string());
        }
        Ok(())
    }
}

fn by_role<G: Known, T>(value: impl Fn(Side) -> T) -> IndexMap<String, T> {
    G::ROLES.iter().map(|role| (role.name.to_owned(), value(role.side))).collect()
}
