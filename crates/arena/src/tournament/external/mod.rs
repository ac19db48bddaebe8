//! External engines: separate programs that play games.
//!
//! Each worker has its own [`ExternalEngines`]: at most one process per engine, kept between games. An
//! engine that commits a fault loses the game, and its process is killed; the next game starts a
//! new one. If that fails, the engine loses the game as by a crash; after [`MAX_FAILED_STARTS`]
//! failures in a row the run ends, and at once if the arena has run out of descriptors, processes or
//! memory.

mod conversation;
pub(crate) mod gomocup;
mod group;
mod json;
mod message;
mod pipe;
mod process;
mod ugi;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use conversation::Conversation;
pub(super) use conversation::ExternalTurn;
use process::{ExchangeError, Process};
use quintet_core::Quoted;
use quintet_core::game::text::resolve_token;
use quintet_core::registry::Variant;
use quintet_protocol::End;
use quintet_protocol::gomocup::Command;

use super::choice::EngineMove;
use super::error::ArenaError;
use super::schedule::{ScheduledGame, Tournament};
use crate::engine::{EngineKind, Settings};

/// An illegal move, a timeout or a crash of an external engine.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) end: End,
    pub(super) what: String,
}

/// Why an external engine did not become ready, or did not move.
#[derive(Debug)]
pub(super) enum TurnError {
    /// The engine loses the game.
    Fault(Fault),
    /// The run was stopped.
    Stopped,
    /// Its program can't be started or made ready for a game, again and again.
    Arena(ArenaError),
}

/// The external engines of one worker.
#[derive(Debug)]
pub(super) struct ExternalEngines<'a> {
    tournament: &'a Tournament,
    /// Indexed by the engines' numbers in the tournament; `None` if no process is running.
    running: Vec<Option<ExternalEngine>>,
    failed_starts: FailedStarts,
}

/// The failures in a row to start each engine or to get it ready for a game, by all workers.
pub(super) type FailedStarts = Arc<[AtomicU32]>;

/// The number of failures in a row to start an engine, or to get it ready for a game, at which the run ends.
const MAX_FAILED_STARTS: u32 = 5;

impl<'a> ExternalEngines<'a> {
    /// Creates the list without starting any process.
    pub(super) fn new(tournament: &'a Tournament, failed_starts: FailedStarts) -> Self {
        let running = tournament.engines.iter().map(|_| None).collect();
        Self { tournament, running, failed_starts }
    }

    /// Starts the processes of the external engines of a game, if they are not running.
    pub(super) fn start(&mut self, game: &ScheduledGame) -> Result<(), ArenaError> {
        for engine in game.engines {
            if self.is_external(engine) && self.running[engine].is_none() {
                self.running[engine] = Some(self.start_engine(engine)?);
            }
        }
        Ok(())
    }

    /// Whether this engine is external.
    pub(super) fn is_external(&self, engine: usize) -> bool {
        self.tournament.engines[engine].kind.is_external()
    }

    /// Whether the CPU time that this engine takes is known. That of engines within this process is not.
    pub(super) fn has_cpu_time(&self, engine: usize) -> bool {
        self.is_external(engine) && Process::has_cpu_time()
    }

    fn start_engine(&self, engine: usize) -> Result<ExternalEngine, ArenaError> {
        let spec = self.tournament.engines[engine].with_defaults(&self.tournament.defaults);
        let Some(command) = &spec.settings.command else {
            unreachable!("an external engine has a command");
        };
        let process = Process::start(command).map_err(|error| {
            if is_shortage(&error) {
                return ArenaError::Shortage(error);
            }
            let (name, command) = (Quoted(&spec.name), command.to_string());
            ArenaError::Other(format!("engine {name}: can't start {}: {error}", Quoted(&command)))
        })?;
        let protocol = match spec.kind {
            EngineKind::Json => Protocol::Json(json::Json::default()),
            EngineKind::Gomocup => Protocol::Gomocup(gomocup::Gomocup::default()),
            _ => Protocol::Ugi(ugi::Ugi::default()),
        };
        Ok(ExternalEngine { process, protocol, settings: spec.settings })
    }

    fn restart_engine(&mut self, engine: usize) -> Result<ExternalEngine, TurnError> {
        self.start_engine(engine).map_err(|error| match error {
            shortage @ ArenaError::Shortage(_) => TurnError::Arena(shortage),
            error if self.fails_again(engine) => TurnError::Arena(error),
            error => TurnError::Fault(Fault { end: End::Crash, what: error.to_string() }),
        })
    }

    /// Counts a failure to start an engine; returns whether there have been too many in a row.
    fn fails_again(&self, engine: usize) -> bool {
        self.failed_starts[engine].fetch_add(1, Ordering::Relaxed) + 1 >= MAX_FAILED_STARTS
    }

    /// Prepares `engine` for a new game, and starts its process if necessary.
    pub(super) fn new_game(
        &mut self,
        engine: usize,
        game: &Variant,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), TurnError> {
        let mut external = match self.running[engine].take() {
            Some(external) => external,
            None => self.restart_engine(engine)?,
        };
        if let Err(error) = external.new_game(game, stopped) {
            return Err(match external.turn_error(error) {
                TurnError::Fault(Fault { what, .. }) if self.fails_again(engine) => {
                    let name = Quoted(&self.tournament.engines[engine].name);
                    TurnError::Arena(ArenaError::Other(format!(
                        "engine {name}: not ready for a game, {MAX_FAILED_STARTS} times in a row: {what}"
                    )))
                }
                error => error,
            });
        }
        self.failed_starts[engine].store(0, Ordering::Relaxed);
        self.running[engine] = Some(external);
        Ok(())
    }

    /// Returns what `engine` chooses: one of the `legal` moves. The engine must be prepared for the
    /// game.
    pub(super) fn choose(
        &mut self,
        engine: usize,
        legal: &[String],
        turn: &ExternalTurn<'_>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<EngineMove, TurnError> {
        let mut external = self.running[engine].take().expect("the engine is prepared for the game");
        let chosen =
            external.choose(turn, stopped).and_then(|choice| match resolve_token(&choice.token, legal) {
                Some(index) => Ok(EngineMove { token: legal[index].clone(), ..choice }),
                None => Err(ExchangeError::Illegal(format!("illegal move {}", Quoted(&choice.token)))),
            });
        match chosen {
            Ok(choice) => {
                self.running[engine] = Some(external);
                Ok(choice)
            }
            Err(error) => Err(external.turn_error(error)),
        }
    }

    /// Asks all processes to quit, and kills those that do not end soon.
    pub(super) fn quit(self) {
        for external in self.running.into_iter().flatten() {
            external.quit();
        }
    }
}

/// Whether the arena, rather than an engine, has run out of something.
fn is_shortage(error: &io::Error) -> bool {
    #[cfg(unix)]
    {
        use nix::errno::Errno;
        let error = error.raw_os_error().map(Errno::from_raw);
        matches!(error, Some(Errno::EMFILE | Errno::ENFILE | Errno::EAGAIN | Errno::ENOMEM))
    }
    #[cfg(not(unix))]
    {
        error.kind() == io::ErrorKind::OutOfMemory
    }
}

/// A running external engine.
#[derive(Debug)]
struct ExternalEngine {
    process: Process,
    protocol: Protocol,
    settings: Settings,
}

#[derive(Debug)]
enum Protocol {
    Ugi(ugi::Ugi),
    Json(json::Json),
    Gomocup(gomocup::Gomocup),
}

impl ExternalEngine {
    fn new_game(&mut self, game: &Variant, stopped: &dyn Fn() -> bool) -> Result<(), ExchangeError> {
        let Self { process, protocol, settings } = self;
        let conversation = Conversation { process, settings, stopped };
        match protocol {
            Protocol::Ugi(ugi) => ugi.new_game(&conversation, game),
            Protocol::Json(_) => Ok(()),
            Protocol::Gomocup(gomocup) => gomocup.new_game(&conversation, game),
        }
    }

    fn choose(
        &mut self,
        turn: &ExternalTurn<'_>,
        stopped: &dyn Fn() -> bool,
    ) -> Result<EngineMove, ExchangeError> {
        let Self { process, protocol, settings } = self;
        let conversation = Conversation { process, settings, stopped };
        let before = process.cpu_time();
        let mut choice = match protocol {
            Protocol::Ugi(ugi) => ugi.choose(&conversation, turn),
            Protocol::Json(json) => json.choose(&conversation, turn),
            Protocol::Gomocup(gomocup) => gomocup.choose(&conversation, turn),
        }?;
        let used = process.cpu_time().zip(before).and_then(|(after, before)| after.checked_sub(before));
        choice.thought.cpu_ms = used.map(|used| u64::try_from(used.as_millis()).unwrap_or(u64::MAX));
        Ok(choice)
    }

    /// Kills the process and says why the turn failed.
    fn turn_error(self, error: ExchangeError) -> TurnError {
        let (end, what) = match error {
            ExchangeError::Stopped => return TurnError::Stopped,
            ExchangeError::Timeout(what) => (End::Time, what),
            ExchangeError::Illegal(what) => (End::Illegal, what),
            ExchangeError::End => (End::Crash, self.process.exit_report()),
        };
        TurnError::Fault(Fault { end, what })
    }

    fn quit(self) {
        match self.protocol {
            Protocol::Ugi(_) => self.process.send("quit"),
            Protocol::Gomocup(_) => self.process.send(Command::End.to_string()),
            // It ends at the end of its input.
            Protocol::Json(_) => {}
        }
        self.process.quit();
    }
}
