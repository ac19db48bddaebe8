//! One game between two engines.

use std::sync::atomic::AtomicBool;

use indexmap::IndexMap;
use quintet_core::game::{Side, derive_seed};
use quintet_core::search::Budget;
use quintet_core::session::Session;
use quintet_protocol::{End, GameRecord};

use super::external::{ExternalTurn, Fault, Players, TurnError};
use super::{ArenaError, Assignment, NoOpening, Tournament};
use crate::engine::EngineSetUpError;

/// One game of a tournament, to be played.
pub(super) struct GameToPlay<'a, 'b, S> {
    pub(super) tournament: &'a Tournament,
    pub(super) assignment: &'a Assignment,
    /// The worker's external engines.
    pub(super) players: &'b mut Players<'a>,
    pub(super) stopped: &'a S,
}

/// Why a game was not finished.
enum Halt {
    Stopped,
    Arena(ArenaError),
    /// This side loses by a fault.
    Fault(Side, Fault),
}

impl Halt {
    fn of(side: Side) -> impl Fn(TurnError) -> Self {
        move |turn_error| match turn_error {
            TurnError::Stopped => Self::Stopped,
            TurnError::Arena(error) => Self::Arena(error),
            TurnError::Fault(fault) => Self::Fault(side, fault),
        }
    }
}

impl<S: Fn() -> bool + Sync> GameToPlay<'_, '_, S> {
    /// Plays the game; `None` if it was stopped.
    pub(super) fn run(mut self) -> Result<Option<GameRecord>, ArenaError> {
        let Self { tournament, assignment, .. } = self;
        let game = assignment.game;
        let no_opening = |error| ArenaError::Opening { game, error };
        let opening = tournament
            .openings
            .draw(game, assignment.pair, assignment.opening_seed, tournament.undecided)
            .map_err(no_opening)?;
        let mut session = opening.start(game).map_err(|_| no_opening(NoOpening::Book))?;
        let fault = match self.play(opening.position.as_deref(), &mut *session) {
            Ok(()) => None,
            Err(Halt::Stopped) => return Ok(None),
            Err(Halt::Arena(error)) => return Err(error),
            Err(Halt::Fault(side, fault)) => Some((side, fault)),
        };
        let specs = assignment.seats().map(|engine| &tournament.engines[engine]);
        let score = |side| match &fault {
            None => session.score(side),
            Some((loser, _)) if *loser == side => 0,
            Some(_) => 100,
        };
        let roles = || game.roles.iter().map(|role| (role.name.to_owned(), role.side));
        Ok(Some(GameRecord {
            game: game.game.to_owned(),
            rules: game.rules.to_owned(),
            pair: assignment.pair,
            position: opening.position,
            opening: opening.moves,
            moves: session.moves(),
            seats: roles().map(|(role, side)| (role, specs[side as usize].name.clone())).collect(),
            scores: roles().map(|(role, side)| (role, score(side))).collect::<IndexMap<_, _>>(),
            seed: assignment.seed,
            end: fault.as_ref().map_or(End::Rules, |(_, fault)| fault.end),
            fault: fault.map(|(_, fault)| fault.what),
            arena: tournament.conditions(assignment.engines),
        }))
    }

    /// Plays from the current position of `session` to the end of the game. `start` is the position
    /// string that it started from, if any.
    fn play(&mut self, start: Option<&str>, session: &mut dyn Session) -> Result<(), Halt> {
        let Self { tournament, assignment, players, stopped } = self;
        let seats = assignment.seats();
        let failed = |side: Side| {
            let name = tournament.engines[seats[side as usize]].name.clone();
            |error: EngineSetUpError| Halt::Arena(ArenaError::Engine { name, error })
        };
        let mut own: [Option<(usize, Budget)>; 2] = [None, None];
        for side in [Side::First, Side::Second] {
            let engine = seats[side as usize];
            if players.is_external(engine) {
                players.new_game(engine, assignment.game, *stopped).map_err(Halt::of(side))?;
            } else {
                let spec = &tournament.engines[engine];
                let (config, budget) = spec.config(&tournament.defaults).map_err(failed(side))?;
                let engine = session.add_engine(&config).map_err(|error| failed(side)(error.into()))?;
                own[side as usize] = Some((engine, budget));
            }
        }
        let mut moves = session.moves();
        while let Some(role) = session.to_move() {
            if stopped() {
                return Err(Halt::Stopped);
            }
            let side = role.side;
            let seed = derive_seed(assignment.seed, moves.len() as u64);
            let token = if let Some((engine, budget)) = own[side as usize] {
                let report = session.think(engine, budget, seed, &AtomicBool::new(false));
                report.map_err(|error| failed(side)(error.into()))?.best().mv.clone()
            } else {
                let turn = ExternalTurn { game: assignment.game, start, moves: &moves, seed };
                let (engine, legal) = (seats[side as usize], session.legal_moves());
                players.choose(engine, &legal, &turn, *stopped).map_err(Halt::of(side))?
            };
            session.play(&token).expect("the move of a report is legal, and an external one is checked");
            moves.push(token);
        }
        Ok(())
    }
}
