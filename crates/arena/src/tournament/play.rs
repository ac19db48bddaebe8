//! One game between two engines.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indexmap::IndexMap;
use quintet_core::Quoted;
use quintet_core::game::{MAX_SIDES, Outcome, Rng, Side, derive_seed};
use quintet_core::session::Session;
use quintet_protocol::{End, EngineTime, GameRecord, Thought};

use super::choice::{EngineMove, GameClock, choice};
use super::error::ArenaError;
use super::external::{ExternalEngines, ExternalTurn, Fault, TurnError};
use super::playing::GameSlot;
use super::schedule::{ScheduledGame, Tournament};
use crate::engine::Settings;

/// What the engines of a game took for their moves, by their numbers in the tournament.
type Times = IndexMap<usize, EngineTime>;

/// One game of a tournament, to be played.
pub(super) struct GameToPlay<'a, 'b> {
    pub(super) tournament: &'a Tournament,
    pub(super) scheduled: &'b ScheduledGame,
    /// The worker's external engines.
    pub(super) externals: &'b mut ExternalEngines<'a>,
    /// Whether the game is to end.
    pub(super) stopped: &'b (dyn Fn() -> bool + Sync),
    /// Ends the search of a move.
    pub(super) stop: &'b AtomicBool,
    /// Where the game is shown.
    pub(super) slot: Option<&'b GameSlot<'b>>,
}

impl GameToPlay<'_, '_> {
    /// Plays the game; `None` if it was stopped.
    pub(super) fn run(mut self) -> Result<Option<GameRecord>, ArenaError> {
        let Self { tournament, scheduled, .. } = self;
        let game = &scheduled.game;
        let no_opening = |error: String| ArenaError::Other(format!("{game}: {error}"));
        let drawn = tournament.openings.draw(
            game,
            scheduled.group,
            scheduled.opening_seed,
            tournament.undecided,
            self.stop,
        );
        let Some(mut opening) = drawn.map_err(no_opening)? else { return Ok(None) };
        opening.position = opening.position.or_else(|| game.own_start());
        let mut session = opening.start(game).map_err(|error| no_opening(error.to_string()))?;
        if let Some(slot) = self.slot {
            slot.begin(tournament, scheduled, &opening);
        }
        let mut thoughts = vec![None; session.moves().len()];
        let mut agreed = None;
        let mut times = Times::new();
        for side in game.sides() {
            let cpu_ms = self.externals.has_cpu_time(scheduled.engine(side)).then_some(0);
            times.entry(scheduled.engine(side)).or_insert(EngineTime { ms: 0, cpu_ms });
        }
        let fault = match self.play(opening.position.as_deref(), &mut *session, &mut thoughts, &mut times) {
            Ok(outcome) => {
                agreed = outcome;
                None
            }
            Err((_, TurnError::Stopped)) => return Ok(None),
            Err((_, TurnError::Arena(error))) => return Err(error),
            Err((side, TurnError::Fault(fault))) => Some((side, fault)),
        };
        let score = |side| match &fault {
            None => agreed.map_or_else(|| session.score(side), |outcome| outcome.score(side)),
            Some((loser, _)) if scheduled.engine(*loser) == scheduled.engine(side) => 0,
            Some(_) => 100,
        };
        let has_cpu = times.values().any(|it| it.cpu_ms.is_some());
        let times = times.into_iter().map(|(engine, time)| (tournament.engines[engine].name.clone(), time));
        Ok(Some(GameRecord {
            game: game.game.to_string(),
            rules: game.rules.to_string(),
            pair: scheduled.group,
            position: opening.position,
            opening: opening.moves,
            moves: session.moves(),
            seats: tournament.seats(scheduled),
            scores: game.roles.iter().map(|role| (role.name.to_string(), score(role.side))).collect(),
            seed: scheduled.seed,
            end: match &fault {
                Some((_, fault)) => fault.end,
                None if agreed.is_some() => End::Adjudication,
                None => End::Rules,
            },
            fault: fault.map(|(_, fault)| fault.what),
            thoughts,
            times: times.filter(|_| has_cpu).collect(),
            arena: tournament.conditions(&scheduled.game, scheduled.engines),
        }))
    }

    /// Plays from the current position of `session` to the end of the game, and adds what the engine
    /// thought at each move to `thoughts`, and what it took to the `times` of the engines. Returns the
    /// result if the engines agree on it before the end. `start` is the position string that the game
    /// started from, if any. The error is that of the turn of a side.
    fn play(
        &mut self,
        start: Option<&str>,
        session: &mut dyn Session,
        thoughts: &mut Vec<Option<Thought>>,
        times: &mut Times,
    ) -> Result<Option<Outcome>, (Side, TurnError)> {
        let Self { tournament, scheduled, externals, stopped, stop, slot } = self;
        let failed = |side: Side, error: &dyn Display| {
            let name = Quoted(&tournament.engines[scheduled.engine(side)].name);
            (side, TurnError::Arena(ArenaError::Other(format!("engine {name}: {error}"))))
        };
        // Each side has an engine of its own, with its trees and its clock; the processes of external engines are
        // shared by the sides of an engine. All of these are indexed by side.
        let mut players: [(Option<usize>, Settings); MAX_SIDES] = Default::default();
        let mut clocks = [None; MAX_SIDES];
        let mut prepared = Vec::new();
        for side in scheduled.game.sides() {
            let engine = scheduled.engine(side);
            let spec = &tournament.engines[engine];
            let settings = spec.in_tournament(&tournament.defaults).settings;
            let mut own = None;
            if !externals.is_external(engine) {
                let config = spec.search_config(&settings).map_err(|error| failed(side, &error))?;
                own = Some(session.add_engine(&config).map_err(|error| failed(side, &error))?);
            } else if !prepared.contains(&engine) {
                externals.new_game(engine, &scheduled.game, *stopped).map_err(|error| (side, error))?;
                prepared.push(engine);
            }
            clocks[side as usize] = settings.tc.map(|tc| GameClock::new(tc, settings.margin()));
            players[side as usize] = (own, settings);
        }
        let mut sides = Vec::new();
        let mut moves = session.moves();
        while let Some(role) = session.to_move() {
            let side = role.side;
            if stopped() {
                return Err((side, TurnError::Stopped));
            }
            let seed = derive_seed(scheduled.seed, moves.len() as u64);
            if side == Side::Chance {
                let token = session.random_move(&mut Rng::stream(seed, 0)).expect("the game goes on");
                session.play(&token).expect("it is legal");
                if let Some(slot) = slot {
                    slot.add(&token, &Thought::default());
                }
                moves.push(token);
                thoughts.push(None);
                sides.push(side);
                continue;
            }
            let start_of_move = Instant::now();
            let (own, settings) = &players[side as usize];
            let choice = if let Some(engine) = *own {
                let budget = settings.move_budget(clocks[side as usize].map(GameClock::time));
                let budget = budget.map_err(|error| failed(side, &error))?;
                let report = session.think(engine, budget, seed, stop);
                let report = report.map_err(|error| failed(side, &error))?;
                if stop.load(Ordering::Relaxed) {
                    // The search may have ended too early.
                    return Err((side, TurnError::Stopped));
                }
                choice(&report, side, start_of_move.elapsed())
            } else {
                let turn = ExternalTurn { game: &scheduled.game, start, moves: &moves, seed, side, clocks };
                let (engine, legal) = (scheduled.engine(side), session.legal_moves());
                externals.choose(engine, &legal, &turn, *stopped).map_err(|error| (side, error))?
            };
            let EngineMove { token, thought, elapsed } = choice;
            if let Some(clock) = &mut clocks[side as usize]
                && !clock.take(elapsed)
            {
                let margin = humantime::format_duration(settings.margin());
                let what = format!("its clock ran out, and the margin of {margin}");
                return Err((side, TurnError::Fault(Fault { end: End::Time, what })));
            }
            session.play(&token).expect("the move of a report is legal, and an external one is checked");
            let ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
            let thought = Thought { ms, ..thought };
            let time = times.entry(scheduled.engine(side)).or_default();
            *time = *time + EngineTime { ms, cpu_ms: thought.cpu_ms };
            if let Some(slot) = slot {
                slot.add(&token, &thought);
            }
            moves.push(token);
            thoughts.push(Some(thought));
            sides.push(side);
            let thoughts = &thoughts[thoughts.len() - sides.len()..];
            let agreed = tournament.adjudication.outcome(&sides, thoughts);
            if session.to_move().is_some()
                && let Some(outcome) = agreed
            {
                return Ok(Some(outcome));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clock_loses_the_time_of_moves_and_gains_the_increment() {
        let ms = Duration::from_millis;
        let mut clock = GameClock::new("1.2+0.1".parse().expect("a time control"), ms(50));
        assert_eq!(clock.time(), ms(150));
        assert!(clock.take(ms(300)));
        assert_eq!(clock.left, ms(1_000));
        assert!(clock.take(ms(1_000)));
        assert_eq!((clock.left, clock.margin), (ms(100), ms(50)));
        // The margin is there once.
        assert!(clock.take(ms(130)));
        assert_eq!((clock.left, clock.margin), (ms(100), ms(20)));
        assert!(!clock.take(ms(121)));
    }
}
