//! One game between two engines.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use indexmap::IndexMap;
use quintet_core::game::{Side, derive_seed};
use quintet_core::search::{Budget, Report};
use quintet_core::session::Session;
use quintet_protocol::{End, GameRecord, Thought, rounded};

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

/// What an engine plays, and what it thinks of it.
#[derive(Debug)]
pub(super) struct Choice {
    /// The move.
    pub(super) token: String,
    pub(super) opinion: Opinion,
}

/// What an engine thinks of its move. The fields are those of [`Thought`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Opinion {
    pub(super) value: Option<f64>,
    pub(super) proven: Option<u8>,
    pub(super) iterations: Option<u64>,
    pub(super) depth: Option<u32>,
}

/// Returns the best move of a search for `side`.
fn choice(report: &Report<String>, side: Side) -> Choice {
    let best = report.best();
    let opinion = Opinion {
        value: best.value.map(|value| rounded(value, 2)),
        proven: best.proven.map(|outcome| 50 * outcome.half_points(side)),
        iterations: Some(report.iterations),
        depth: None,
    };
    Choice { token: best.mv.clone(), opinion }
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
        let mut thoughts = vec![None; session.moves().len()];
        let fault = match self.play(opening.position.as_deref(), &mut *session, &mut thoughts) {
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
            thoughts,
            arena: tournament.conditions(assignment.engines),
        }))
    }

    /// Plays from the current position of `session` to the end of the game, and adds what the engine
    /// thought at each move to `thoughts`. `start` is the position string that the game started
    /// from, if any.
    fn play(
        &mut self,
        start: Option<&str>,
        session: &mut dyn Session,
        thoughts: &mut Vec<Option<Thought>>,
    ) -> Result<(), Halt> {
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
            let start_of_move = Instant::now();
            let choice = if let Some((engine, budget)) = own[side as usize] {
                let report = session.think(engine, budget, seed, &AtomicBool::new(false));
                choice(&report.map_err(|error| failed(side)(error.into()))?, side)
            } else {
                let turn = ExternalTurn { game: assignment.game, start, moves: &moves, seed };
                let (engine, legal) = (seats[side as usize], session.legal_moves());
                players.choose(engine, &legal, &turn, *stopped).map_err(Halt::of(side))?
            };
            let Choice { token, opinion } = choice;
            session.play(&token).expect("the move of a report is legal, and an external one is checked");
            moves.push(token);
            let ms = u64::try_from(start_of_move.elapsed().as_millis()).unwrap_or(u64::MAX);
            let Opinion { value, proven, iterations, depth } = opinion;
            thoughts.push(Some(Thought { value, proven, iterations, depth, ms }));
        }
        Ok(())
    }
}
